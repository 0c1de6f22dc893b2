//! Sentences of section 5.4.1, abstract and conclusion: positions, near-optimal, as few processors as can be.

use super::cells::{random, run};
use super::literal::{BOTH, layers, short, sigmas, speedup};
use super::{HOLDS, REFUTED, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::shares::schedulers::Reduction;
use meshwright_load::{Problem, Source, optimum};
use meshwright_network::topology::{Machine, Topology};

/// The claims in the order in which they are named above.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "best-position",
        source: "section 5.4.1",
        statement: "the best position on the 5x5 mesh is P_12",
        definition: "1 / alpha_0 from the timing diagrams at all 25 positions",
        printed: "P_12, the centre, is faster than every other position, P_8 and P_13 among them",
        fails_if: "another position is as fast for some sigma below 1 and some forwarding",
        derive: best_position,
        ..HOLDS
    },
    Claim {
        id: "torus-positions",
        source: "section 5.4.1",
        statement: "all positions of the 5x5 torus are alike",
        definition: "1 / alpha_0 from the timing diagrams at all 25 positions",
        printed: "each position's efficiency is equal",
        fails_if: "two positions have different speedups for some sigma and forwarding",
        derive: torus_positions,
        ..HOLDS
    },
    Claim {
        id: "near-optimal",
        source: "abstract, section 7.1",
        statement: "the reduced Voronoi cells give a near-optimal distribution of load",
        definition: "makespan of RMDVDA over the least possible (Theorem 1 of docs/divisible-load.md), 50x50 mesh, 10 random sources, \
            sigma = 0.01, 20 rounds; near is read as within a factor of 2",
        printed: "near-optimal",
        fails_if: "the makespan is at most twice the optimum in every round",
        errata: Some("Z35"),
        derive: near_optimal,
        ..REFUTED
    },
    Claim {
        id: "fewest-processors",
        source: "abstract, section 7.1",
        statement: "the algorithm minimizes the number of processors utilized",
        definition: "processors in use after RMDVDA against those after dropping single processors of the last layer as well, the \
            makespan kept; every pair of sources on meshes from 1x3 to 4x4",
        printed: "no fewer processors keep the makespan",
        fails_if: "dropping single processors saves none on every machine and pair",
        errata: Some("Z36"),
        derive: fewest,
        ..REFUTED
    },
];

fn best_position(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let centre = layers("mesh:5x5", &[12])?;
    for position in (0..25).filter(|&position| position != 12) {
        let other = layers("mesh:5x5", &[position])?;
        for forwarding in BOTH {
            for sigma in sigmas() {
                let (here, there) =
                    (speedup(&centre, &sigma, forwarding), speedup(&other, &sigma, forwarding));
                check.case(there < here, || {
                    format!("node {position}, {}, sigma = {sigma}: {there} against {here}", short(forwarding))
                });
            }
        }
    }
    let note = "For n < 5 see figure-3.20: P_12 is not there, or not the middle.";
    Ok(Derivation::of("24 other positions, both forwardings, sigma from 1/100 to 99/100", check).note(note))
}

fn torus_positions(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let first = layers("torus:5x5", &[0])?;
    for position in 1..25 {
        let other = layers("torus:5x5", &[position])?;
        for forwarding in BOTH {
            for sigma in sigmas() {
                let (here, there): (Exact, Exact) =
                    (speedup(&first, &sigma, forwarding), speedup(&other, &sigma, forwarding));
                check.equal(&here, &there, || {
                    format!("node {position}, {}, sigma = {sigma}", short(forwarding))
                });
            }
        }
    }
    Ok(Derivation::of("25 positions, both forwardings, sigma from 1/100 to 99/100", check))
}

fn near_optimal(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["round", "RMDVDA, speedup", "optimum", "times the optimum"]);
    let machine = Machine::new("mesh:50x50")?;
    for round in 0..20 {
        let problem = Problem::new(&machine, random(&machine, 10, round), 0.01)?;
        let found = run("reduced", &problem, CutThrough, Reduction::Peel, true)?.plan.makespan;
        let (least, _) = optimum::makespan(&problem)?;
        let ratio = found / least;
        check.case(ratio <= 2.0, || format!("round {round}: {ratio:.2} times the optimum"));
        numbers.row(&[
            &round,
            &format!("{:.0}", 1.0 / found),
            &format!("{:.0}", 1.0 / least),
            &format!("{ratio:.2}"),
        ]);
    }
    let note = "The thesis prints no factor. Cells of their own keep each load where it enters, however small the cell; the optimum \
                moves it on.";
    Ok(Derivation::of("20 rounds, seed 0", check).numbers(numbers).note(note))
}

fn fewest(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for name in
        ["mesh:1x3", "mesh:1x4", "mesh:1x5", "mesh:2x3", "mesh:2x4", "mesh:3x3", "mesh:3x4", "mesh:4x4"]
    {
        let machine = Machine::new(name)?;
        for (a, b) in (0..machine.nodes()).flat_map(|a| (a + 1..machine.nodes()).map(move |b| (a, b))) {
            let sources = [a, b].map(|node| Source::at(NodeId(node), 1.0)).to_vec();
            let problem = Problem::new(&machine, sources, 0.1)?;
            let layered = run("reduced", &problem, CutThrough, Reduction::Peel, true)?.plan;
            let single = run("reduced", &problem, CutThrough, Reduction::Node, true)?.plan;
            let kept = single.makespan <= layered.makespan * (1.0 + 1e-12);
            let (many, fewer) = (layered.nodes_used(), single.nodes_used());
            check.case(!kept || fewer >= many, || {
                let names = [a, b].map(|node| machine.node_name(NodeId(node))).join(" and ");
                format!("{name}, sources {names}: {many} in use, {fewer} keep the makespan")
            });
        }
    }
    Ok(Derivation::of("every pair of sources on eight meshes, sigma = 0.1", check))
}
