//! The Hilbert curve and its distances.

use super::{CORRECTED, HOLDS, Study};
use crate::claims::Claim;
use crate::claims::check::{Check, Derivation, Numbers};
use crate::error::Result;
use crate::topology::order::order;

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "figure-1",
        source: "Section 2, figure 1",
        statement: "The recursive rule orders the nodes of a mesh of side 2^q",
        definition: "the walk of our order `hilbert`, as (column, row)",
        printed: "four quadrants in the order lower left, upper left, upper right, lower right; the first and the last \
                  turned about a diagonal, the others as they are",
        fails_if: "the rule of the figure and our order `hilbert` put an index at different nodes, or a step is \
            longer than 1",
        derive: figure_1,
        ..HOLDS
    },
    Claim {
        id: "fact-1",
        source: "Section 2, fact 1",
        statement: "Nodes near each other on the curve are near each other on the mesh",
        definition: "the Manhattan distance of every pair of nodes, and the distance of their indices",
        printed: "d(u, v) < 3 sqrt |I(u) - I(v)| for any u, v",
        fails_if: "every pair keeps the strict inequality, u = v included, or a pair of different nodes breaks it",
        correct: Some("the same for u /= v"),
        errata: Some("G1"),
        derive: fact_1,
        ..CORRECTED
    },
    Claim {
        id: "fact-1-ranks",
        source: "Section 2, fact 1 and the mapping",
        statement: "What holds of indices may be said of ranks",
        definition: "ranks on the Hilbert curve of a square, of which only a box is used: the irregular area of an H-PRAM",
        printed: "d(u, v) < 3 sqrt |rank I(u) - rank I(v)| for u /= v",
        fails_if: "every pair of ranks keeps it in every box cut from a square, or one of a box's own walk breaks it",
        correct: Some(
            "so for the generalised Hilbert walk of the box itself, where the sides differ by less than a factor of two",
        ),
        errata: Some("G2"),
        derive: fact_1_ranks,
        ..CORRECTED
    },
];

/// The walk of an order over a box as (column, row).
pub(super) fn walk(name: &str, rows: u32, columns: u32) -> Result<Vec<(i64, i64)>> {
    let walk = (order(name)?.walk)(&[rows, columns]);
    Ok(walk.iter().map(|node| (i64::from(node.0 % columns), i64::from(node.0 / columns))).collect())
}

/// d(u, v).
pub(super) fn manhattan(u: (i64, i64), v: (i64, i64)) -> i64 {
    (u.0 - v.0).abs() + (u.1 - v.1).abs()
}

/// The curve by the rule of the figure.
fn by_the_rule(side: i64) -> Vec<(i64, i64)> {
    if side == 1 {
        return vec![(0, 0)];
    }
    let (half, inner) = (side / 2, by_the_rule(side / 2));
    let first = inner.iter().map(|&(x, y)| (y, x));
    let second = inner.iter().map(|&(x, y)| (x, half + y));
    let third = inner.iter().map(|&(x, y)| (half + x, half + y));
    let last = inner.iter().map(|&(x, y)| (side - 1 - y, half - 1 - x));
    first.chain(second).chain(third).chain(last).collect()
}

fn figure_1(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for q in 0..=8u32 {
        let (ours, rule) = (walk("hilbert", 1 << q, 1 << q)?, by_the_rule(1 << q));
        check.case(ours == rule, || format!("side {}: the walks differ", 1 << q));
        let is_walk = ours.windows(2).all(|pair| manhattan(pair[0], pair[1]) == 1);
        check.case(is_walk, || format!("side {}: a step is longer than 1", 1 << q));
    }
    let note = "The figure itself is lost in our copy; the rule is the one its reference gives. With (0, 0) in the lower left \
                corner, I(0, 0) = 0 and I(n - 1, 0) = n^2 - 1.";
    Ok(Derivation::of("n = 1 to 256", check).note(note))
}

fn fact_1(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["n", "largest d / sqrt |dI|", "3 - 4/n"]);
    for q in 0..=6u32 {
        let side = 1u32 << q;
        let walk = walk("hilbert", side, side)?;
        printed.case(false, || format!("n = {side}, u = v = (0, 0): 0 < 0"));
        // The largest d^2 / |dI|, as a fraction.
        let mut largest = (0i64, 1i64);
        for (i, &u) in walk.iter().enumerate() {
            for (&v, gap) in walk[i + 1..].iter().zip(1i64..) {
                let square = manhattan(u, v).pow(2);
                if square * largest.1 > largest.0 * gap {
                    largest = (square, gap);
                }
            }
        }
        let holds = largest.0 < 9 * largest.1;
        printed.case(holds, || format!("n = {side}: d^2 = {} over {} indices", largest.0, largest.1));
        corrected.case(holds, || format!("n = {side}: d^2 = {} over {} indices", largest.0, largest.1));
        let found = (largest.0 as f64 / largest.1 as f64).sqrt();
        let limit = 3.0 - 4.0 / f64::from(side);
        if side >= 4 {
            corrected.case((found - limit).abs() < 1e-12, || format!("n = {side}: {found}, not 3 - 4/n"));
        }
        let limit = if side >= 4 { format!("{limit:.6}") } else { "-".to_string() };
        numbers.row(&[&side, &format!("{found:.6}"), &limit]);
    }
    let note = "The factor 3 is the best: the largest ratio is 3 - 4/n for n from 4 to 64.";
    Ok(Derivation::of("all pairs of nodes, n = 1 to 64", printed)
        .corrected(corrected)
        .numbers(numbers)
        .note(note))
}

/// The largest d / sqrt(rank distance) over all pairs.
fn largest_ratio(walk: &[(i64, i64)]) -> f64 {
    let mut largest = 0f64;
    for (i, &u) in walk.iter().enumerate() {
        for (&v, gap) in walk[i + 1..].iter().zip(1u32..) {
            largest = largest.max(manhattan(u, v) as f64 / f64::from(gap).sqrt());
        }
    }
    largest
}

fn fact_1_ranks(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["box", "cut from a square", "walk of the box"]);
    let boxes = [(3, 3), (5, 5), (6, 6), (8, 8), (9, 7), (12, 12), (16, 10), (24, 24), (40, 10)];
    for (columns, rows) in boxes {
        let square = u32::max(columns, rows).next_power_of_two();
        let mut cut = walk("hilbert", square, square)?;
        cut.retain(|&(x, y)| x < i64::from(columns) && y < i64::from(rows));
        let (cut, own) = (largest_ratio(&cut), largest_ratio(&walk("hilbert", rows, columns)?));
        printed.case(cut < 3.0, || format!("{columns} x {rows}: d = {cut:.3} sqrt(rank distance)"));
        if columns < 2 * rows {
            corrected.case(own < 3.0, || format!("{columns} x {rows}: d = {own:.3} sqrt(rank distance)"));
        }
        numbers.row(&[&format!("{columns} x {rows}"), &format!("{cut:.2}"), &format!("{own:.2}")]);
    }
    let note = "The proofs use the fact on squares of side 2^q only, where ranks of all nodes are indices.";
    Ok(Derivation::of("nine boxes", printed).corrected(corrected).numbers(numbers).note(note))
}
