//! Sections 3.1.5, 3.1.6, 4.1.5 and 5.2.3, situations II and III: sources with Voronoi cells of their own.

use super::{CORRECTED, HOLDS, REFUTED, Study};
use crate::Claim;
use crate::check::{Check, Derivation};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_load::Forwarding;
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::shares::experiment::Experiment;
use meshwright_load::shares::schedulers::{
    METHODS, REDUCTIONS, Reduction, Scheduled, SchedulerSettings, Ties,
};
use meshwright_load::shares::voronoi;
use meshwright_load::{Problem, Source, UNUSED};
use meshwright_network::topology::{Machine, Topology, distances_from};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "algorithm-2",
        source: "algorithm 2",
        statement: "what algorithm 2, named RMDVDA, leaves in use",
        definition: "its steps: Voronoi cells and their flow matrices; nodes in use beside those of algorithm 3, RMDVDA",
        printed: "reduced cells",
        fails_if: "algorithm 2 leaves as many nodes in use as algorithm 3 for every pair, or fewer than all for some",
        correct: Some("all nodes: it is MDVDA, and reduces nothing"),
        errata: Some("Z14"),
        derive: algorithm_2,
        ..CORRECTED
    },
    Claim {
        id: "balance",
        source: "(3.90) to (3.139)",
        statement: "the programmes keep load in the cell where it enters",
        definition: "two sources with half of the load each: the sum over each cell, when all cells stop together as (3.91), (3.93) ask",
        printed: "sum of all alpha = 1 is enough",
        fails_if: "a common stop works off half of the load in each cell for every pair, or the corrected balance \
            does not for some",
        correct: Some("the sum of alpha over cell j must be L_j, and T is the largest T_j"),
        errata: Some("Z8"),
        derive: balance,
        ..CORRECTED
    },
    Claim {
        id: "depth-min",
        source: "algorithm 3",
        statement: "RMDVDA finishes within the makespan of MDVDA",
        definition: "every pair of sources on lines of 3 to 9 processors and on the 3x3 to 4x4 meshes, sigma 1/100 to 1/2",
        printed: "with depth_i = depth_min, the radius of the slowest cell",
        fails_if: "the cut at depth_min never makes a pair of sources slower, or cutting layer by layer does for some",
        correct: Some("layer by layer, as long as the cell stays at least as fast as the slowest"),
        errata: Some("Z22"),
        derive: depth_min,
        ..CORRECTED
    },
    Claim {
        id: "unequal-cells",
        source: "section 3.1.6, situation II; algorithms 5 and 7",
        statement: "the slowest cell is the one with the least Sp_i",
        definition: "makespan after the reduction, every pair of sources on 1x3 to 1x7 with loads 1:4 and 4:1",
        printed: "reducing all cells to the least Sp_i keeps the makespan",
        fails_if: "reducing to the least Sp_i never makes a pair slower, or reducing to the least Sp_i / L_i does \
            for some",
        correct: Some("reducing to the least Sp_i / L_i keeps it"),
        errata: Some("Z23"),
        derive: unequal,
        ..CORRECTED
    },
    Claim {
        id: "figure-5.11",
        source: "figure 5.11",
        statement: "which part of the Voronoi diagram of 3x3 copies is that of the torus",
        definition: "cells of the torus by search, those of nine copies as one plane mesh; every pair of sources on 3x3 to 5x5",
        printed: "the corner part",
        fails_if: "the corner part is the diagram of the torus for every pair, or the central part is not for some",
        correct: Some("the central part"),
        errata: Some("Z14"),
        derive: copies,
        ..CORRECTED
    },
    Claim {
        id: "figure-5.18",
        source: "figures 5.15 to 5.18",
        statement: "the slowest cell after RMDVDA",
        definition: "least Sp_i before and after every reduction, on tori of 3x3, 4x4 and 20x20",
        printed: "168 after the reduction, 128 (or 125) before",
        fails_if: "some reduction makes the slowest cell faster",
        errata: Some("Z10"),
        derive: never_faster,
        ..REFUTED
    },
    Claim {
        id: "star-shaped",
        source: "definition 3.1.2",
        statement: "the load of a source reaches its cell without leaving it, by shortest paths",
        definition: "every node with a neighbour of its own cell one hop nearer, ties to the lowest source; random sources on mesh and torus",
        printed: "cells of the Manhattan distance",
        fails_if: "a node is nearer to another source than its own, or has no neighbour in its cell that is one \
            hop nearer",
        derive: star_shaped,
        ..HOLDS
    },
];

/// A scheduler of the thesis at work.
pub(super) fn run(
    name: &str,
    problem: &Problem,
    forwarding: Forwarding,
    reduction: Reduction,
    weighted: bool,
) -> Result<Scheduled> {
    with(
        name,
        problem,
        forwarding,
        &SchedulerSettings { reduction, weighted, ..SchedulerSettings::default() },
    )
}

/// The same with all that Zhang 2018 leaves open.
pub(super) fn with(
    name: &str,
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Scheduled> {
    #[cfg(test)]
    let name = super::mutant::method(name);
    let method = METHODS.iter().find(|method| method.name == name).expect("it is in the table");
    (method.run)(problem, forwarding, settings)
}

/// The sources of a round, as `split --random` draws them with seed 0.
pub(super) fn random(machine: &Machine, sources: u32, round: u32) -> Vec<Source> {
    let drawn = Experiment {
        machine,
        sources,
        rounds: round + 1,
        accelerated_rounds: 0,
        seed: 0,
        sigmas: Vec::new(),
        forwardings: Vec::new(),
        ties: Ties::Lowest,
    };
    drawn.draw(round)
}

/// Every pair of different nodes, the first with this load against the other.
fn pairs(machine: &Machine, loads: (f64, f64)) -> Vec<Vec<Source>> {
    let nodes = machine.nodes();
    let pair = |a, b| vec![Source::at(NodeId(a), loads.0), Source::at(NodeId(b), loads.1)];
    (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).map(|(a, b)| pair(a, b)).collect()
}

/// Where these sources are.
fn names(machine: &Machine, sources: &[Source]) -> String {
    let names: Vec<String> = sources.iter().map(|source| machine.node_name(source.node)).collect();
    names.join(" and ")
}

fn algorithm_2(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for name in ["mesh:1x3", "mesh:1x4", "mesh:1x5", "mesh:3x3", "mesh:4x4"] {
        let machine = Machine::new(name)?;
        for sources in pairs(&machine, (1.0, 1.0)) {
            let problem = Problem::new(&machine, sources.clone(), 0.1)?;
            let used = |method| -> Result<usize> {
                Ok(run(method, &problem, CutThrough, Reduction::Peel, true)?.plan.nodes_used())
            };
            let (second, third) = (used("voronoi")?, used("reduced")?);
            let words = || {
                format!(
                    "{name}, sources {}: algorithm 2 uses {second}, algorithm 3 {third}",
                    names(&machine, &sources)
                )
            };
            printed.case(second == third, words);
            corrected.case(second == machine.nodes() as usize, words);
        }
    }
    Ok(Derivation::of("every pair of sources on five meshes, sigma = 0.1", printed).corrected(corrected))
}

fn balance(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for name in ["mesh:1x3", "mesh:1x4", "mesh:3x3"] {
        let machine = Machine::new(name)?;
        for sources in pairs(&machine, (1.0, 1.0)) {
            let problem = Problem::new(&machine, sources.clone(), 0.25)?;
            let scheduled = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?;
            // All cells stop at one T, and only the sum over all is 1: cell j then takes T Sp_j.
            let speedups: Vec<f64> = scheduled.cells.iter().map(|cell| cell.speedup).collect();
            let together: f64 = speedups.iter().sum();
            let first = speedups[0] / together;
            let words = || {
                format!(
                    "{name}, sources {}: cell 0 works off {first:.4} of the load, 0.5 enters",
                    names(&machine, &sources)
                )
            };
            printed.case((first - 0.5).abs() < 1e-12, words);
            let shares: f64 = (0..machine.nodes() as usize)
                .filter(|&node| scheduled.plan.cells.as_ref().is_some_and(|cells| cells.label[node] == 0))
                .map(|node| scheduled.plan.shares[node])
                .sum();
            let slowest = scheduled.cells.iter().map(|cell| cell.load / cell.speedup).fold(0.0, f64::max);
            let kept = (shares - 0.5).abs() < 1e-12 && (scheduled.plan.makespan - slowest).abs() < 1e-12;
            corrected.case(kept, words);
        }
    }
    Ok(Derivation::of("every pair of sources on three meshes, sigma = 1/4", printed).corrected(corrected))
}

fn depth_min(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let lines = (3..=9).map(|n| format!("mesh:1x{n}"));
    for name in lines.chain(["mesh:3x3", "mesh:3x4", "mesh:4x4"].map(String::from)) {
        let machine = Machine::new(&name)?;
        for sources in pairs(&machine, (1.0, 1.0)) {
            for sigma in [0.01, 0.1, 0.25, 0.5] {
                let problem = Problem::new(&machine, sources.clone(), sigma)?;
                let before = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?;
                let kept = |check: &mut Check, reduction| -> Result<()> {
                    let after = run("reduced", &problem, CutThrough, reduction, true)?;
                    let speedups = |scheduled: &Scheduled| {
                        let each: Vec<String> =
                            scheduled.cells.iter().map(|cell| format!("{:.3}", cell.speedup)).collect();
                        each.join(" and ")
                    };
                    let holds = after.plan.makespan <= before.plan.makespan * (1.0 + 1e-12);
                    check.case(holds, || {
                        format!(
                            "{name}, sources {}, sigma = {sigma}: speedups {} become {}",
                            names(&machine, &sources),
                            speedups(&before),
                            speedups(&after)
                        )
                    });
                    Ok(())
                };
                kept(&mut printed, Reduction::Literal)?;
                kept(&mut corrected, Reduction::Peel)?;
            }
        }
    }
    Ok(Derivation::of("lines of 3 to 9 processors, three meshes, virtual cut-through", printed)
        .corrected(corrected))
}

fn unequal(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for name in (3..=7).map(|n| format!("mesh:1x{n}")) {
        let machine = Machine::new(&name)?;
        for sources in [(1.0, 4.0), (4.0, 1.0)].iter().flat_map(|&loads| pairs(&machine, loads)) {
            let problem = Problem::new(&machine, sources.clone(), 0.1)?;
            let before = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?.plan.makespan;
            for (check, weighted) in [(&mut printed, false), (&mut corrected, true)] {
                let after = run("reduced", &problem, CutThrough, Reduction::Peel, weighted)?.plan.makespan;
                check.case(after <= before * (1.0 + 1e-12), || {
                    let loads = format!("{} and {}", problem.sources()[0].load, problem.sources()[1].load);
                    format!(
                        "{name}, sources {} with loads {loads}: makespan {before:.4} becomes {after:.4}",
                        names(&machine, &sources)
                    )
                });
            }
        }
    }
    Ok(Derivation::of("every pair of sources on 1x3 to 1x7, sigma = 0.1", printed).corrected(corrected))
}

fn copies(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for side in 3..=5u32 {
        let torus = Machine::torus([side, side])?;
        let plane = Machine::mesh([3 * side, 3 * side])?;
        let tiles = |node: u32| {
            let place =
                move |tile: u32| (tile / 3 * side + node / side) * 3 * side + tile % 3 * side + node % side;
            (0..9).map(move |tile| NodeId(place(tile)))
        };
        for sources in pairs(&torus, (1.0, 1.0)) {
            let sites: Vec<Vec<NodeId>> = sources.iter().map(|source| vec![source.node]).collect();
            let found = voronoi::cells(&torus, &sites);
            let copied: Vec<Vec<NodeId>> =
                sources.iter().map(|source| tiles(source.node.0).collect()).collect();
            let whole = voronoi::cells(&plane, &copied);
            let same = |tile: usize| {
                (0..side * side).all(|node| {
                    let place = tiles(node).nth(tile).expect("there are nine").index();
                    let node = node as usize;
                    (whole.label[place], whole.depth[place]) == (found.label[node], found.depth[node])
                })
            };
            let words = || format!("{side}x{side} torus, sources {}", names(&torus, &sources));
            printed.case([0, 2, 6, 8].into_iter().all(same), words);
            corrected.case(same(4), words);
        }
    }
    Ok(Derivation::of("every pair of sources on the 3x3 to 5x5 torus", printed).corrected(corrected))
}

fn never_faster(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let least =
        |scheduled: &Scheduled| scheduled.cells.iter().map(|cell| cell.speedup).fold(f64::MAX, f64::min);
    let mut compare = |machine: &Machine, sources: Vec<Source>| -> Result<()> {
        let problem = Problem::new(machine, sources, 0.01)?;
        for (name, reduction) in REDUCTIONS {
            let before = least(&run("voronoi", &problem, CutThrough, *reduction, true)?);
            let after = least(&run("reduced", &problem, CutThrough, *reduction, true)?);
            check.case(after > before, || {
                let sources = names(machine, problem.sources());
                format!("{}, sources {sources}, {name}: {before:.3} before, {after:.3} after", machine.name())
            });
        }
        Ok(())
    };
    for name in ["torus:3x3", "torus:4x4"] {
        let machine = Machine::new(name)?;
        pairs(&machine, (1.0, 1.0)).into_iter().try_for_each(|sources| compare(&machine, sources))?;
    }
    let machine = Machine::new("torus:20x20")?;
    (0..50).try_for_each(|round| compare(&machine, random(&machine, 6, round)))?;
    let note = "the slowest cell is not touched and no cell is ever raised: the least speedup cannot grow";
    Ok(Derivation::of(
        "every pair on the 3x3 and 4x4 torus, 50 rounds on the 20x20 torus, every reduction",
        check,
    )
    .note(note))
}

fn star_shaped(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for name in ["mesh:12x9", "torus:10x11", "mesh:1x20"] {
        let machine = Machine::new(name)?;
        for round in 0..20 {
            let sources = random(&machine, 5, round);
            let sites: Vec<Vec<NodeId>> = sources.iter().map(|source| vec![source.node]).collect();
            let cells = voronoi::cells(&machine, &sites);
            let distances: Vec<Vec<u32>> =
                sources.iter().map(|source| distances_from(&machine, source.node)).collect();
            let nearest = (0..machine.nodes() as usize).all(|node| {
                let label = cells.label[node];
                label != UNUSED && distances.iter().all(|from| from[node] >= distances[label as usize][node])
            });
            let inside = voronoi::is_star_shaped(&machine, &cells);
            check.case(nearest && inside, || format!("{name}, round {round}"));
        }
    }
    Ok(Derivation::of("60 times five random sources", check))
}
