//! Chapters 5 and 6: distances on the torus, first rows of tori and hypercubes.

use super::literal::{layers, row};
use super::single::{compare, rows};
use super::{CORRECTED, HOLDS, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, distances_from};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "eq-5.1",
        source: "(5.1) to (5.3)",
        statement: "distance on the torus, axis by axis",
        definition: "breadth-first search on tori from 3x3 to 7x6",
        printed: "D_x = min(|D_x - L_x|, m - |D_x - L_x|): defined by itself; the nearest D_x that solves it is taken",
        fails_if: "the printed distance is that of a search for every pair of nodes, or the corrected one is not \
            for some",
        correct: Some("D_x = min(|P_x - L_x|, m - |P_x - L_x|) with the coordinate P_x of the processor"),
        errata: Some("Z7"),
        derive: distances,
        ..CORRECTED
    },
    Claim {
        id: "table-5.1",
        source: "table 5.1, (5.4)",
        statement: "first row of the flow matrix of the 6x6 torus",
        definition: "nodes counted by their hops, from every source",
        printed: "(1,4,8,10,8,4,1)",
        fails_if: "a count of hops gives some source of the 6x6 torus another row",
        derive: |_| everywhere("torus:6x6", &[1, 4, 8, 10, 8, 4, 1]),
        ..HOLDS
    },
    Claim {
        id: "table-5.2",
        source: "tables 5.2, 5.5",
        statement: "first row of the flow matrix of the 5x5 torus",
        definition: "nodes counted by their hops, from every source",
        printed: "(1,4,8,8,4)",
        fails_if: "a count of hops gives some source of the 5x5 torus another row",
        derive: |_| everywhere("torus:5x5", &[1, 4, 8, 8, 4]),
        ..HOLDS
    },
    Claim {
        id: "lemma-6.1.1",
        source: "lemma 6.1.1",
        statement: "processors in layer i of the d-dimensional hypercube",
        definition: "nodes counted by their hops, d from 1 to 10",
        printed: "d over i",
        fails_if: "a layer of some cube of 1 to 10 dimensions has another number of nodes",
        derive: |_| {
            let mut check = Check::default();
            for d in 1..=10u64 {
                let binomials: Vec<u64> =
                    (0..=d).map(|i| (0..i).fold(1, |product, j| product * (d - j) / (j + 1))).collect();
                compare(&mut check, &format!("hypercube:{d}"), 0, &binomials)?;
            }
            Ok(Derivation::of("1 to 10 dimensions", check))
        },
        ..HOLDS
    },
    Claim {
        id: "eq-6.1",
        source: "(6.1), (6.4)",
        statement: "first row of the flow matrix of the 2-cube",
        definition: "nodes counted by their hops",
        printed: "(1,2,1)",
        fails_if: "a count of hops gives the 2-cube another row",
        derive: |_| rows(&[("hypercube:2", 0, &[1, 2, 1])]),
        ..HOLDS
    },
    Claim {
        id: "eq-6.2",
        source: "(6.2)",
        statement: "first row of the flow matrix of the 3-cube under virtual cut-through",
        definition: "nodes counted by their hops",
        printed: "(1,2,2,1), although written as binomials of 3",
        fails_if: "a count of hops gives the 3-cube the printed row, or not (1,3,3,1)",
        correct: Some("(1,3,3,1)"),
        errata: Some("Z29"),
        derive: cube,
        ..CORRECTED
    },
    Claim {
        id: "eq-6.5",
        source: "(6.5)",
        statement: "first row of the flow matrix of the 3-cube under S&F",
        definition: "nodes counted by their hops",
        printed: "(1,2,2,1) again",
        fails_if: "a count of hops gives the 3-cube the printed row, or not (1,3,3,1)",
        correct: Some("(1,3,3,1)"),
        errata: Some("Z3"),
        derive: cube,
        ..CORRECTED
    },
];

/// A printed first row against the counts from every node.
fn everywhere(machine: &str, printed: &[u64]) -> Result<Derivation> {
    let mut check = Check::default();
    let nodes = layers(machine, &[0])?.iter().sum::<u64>() as u32;
    for source in 0..nodes {
        compare(&mut check, machine, source, printed)?;
    }
    Ok(Derivation::of(format!("every source of {machine}"), check))
}

fn cube(_: &Study) -> Result<Derivation> {
    let right = rows(&[("hypercube:3", 0, &[1, 3, 3, 1])])?;
    let note = format!(
        "the printed row has 6 processors; the 3-cube has 8, in layers {}",
        row(&layers("hypercube:3", &[0])?)
    );
    Ok(rows(&[("hypercube:3", 0, &[1, 2, 2, 1])])?.corrected(right.printed).note(note))
}

fn distances(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for (m, n) in [(3, 3), (4, 4), (5, 4), (5, 5), (7, 6)] {
        let torus = Machine::torus([m, n])?;
        for source in 0..m * n {
            let found = distances_from(&torus, NodeId(source));
            for (node, &found) in (0..m * n).zip(&found) {
                let words = || {
                    format!(
                        "{m}x{n} torus, from ({},{}) to ({},{})",
                        source / n,
                        source % n,
                        node / n,
                        node % n
                    )
                };
                let ((r, c), (x, y)) = ((node / n, node % n), (source / n, source % n));
                corrected.equal(&(around(r, x, m) + around(c, y, n)), &found, words);
                printed.equal(&(fixed_point(x, m) + fixed_point(y, n)), &found, words);
            }
        }
    }
    let note = "printed, the distance of a processor does not depend on the processor";
    Ok(Derivation::of("every pair of five tori", printed).corrected(corrected).note(note))
}

/// The way from p to l on a ring of this many nodes.
fn around(p: u32, l: u32, ring: u32) -> u32 {
    p.abs_diff(l).min(ring - p.abs_diff(l))
}

/// The least D with D = min(|D - l|, ring - |D - l|), or 0 where none has it.
fn fixed_point(l: u32, ring: u32) -> u32 {
    (0..ring).find(|&d| d == around(d, l, ring)).unwrap_or(0)
}
