//! Sections 3.1.5, 3.1.6 and 5.2.3, situation I: sources that are connected and taken as one.

use super::literal::{layers, layers_on, loads, row, speedup};
use super::sensitivity::rounds_to;
use super::{CORRECTED, HOLDS, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::Forwarding::CutThrough;
use meshwright_load::shares::schedulers::{METHODS, SchedulerSettings};
use meshwright_load::{Problem, Source, optimum};
use meshwright_network::topology::{Machine, Topology};

/// First row of the 42 processors of figure 3.22.
const ROW_42: [u64; 6] = [4, 8, 12, 10, 6, 2];

/// First row of the 56 processors of figure 3.23.
const ROW_56: [u64; 7] = [7, 14, 15, 10, 6, 3, 1];

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "eq-3.97",
        source: "(3.97)",
        statement: "first row of the flow matrix of the 6x7 mesh with four connected sources",
        definition: "every connected set of four nodes, nodes counted by their hops from it",
        printed: "(4,8,12,10,6,2) is the row of some set",
        fails_if: "no connected set of four nodes of the 6x7 mesh has this row",
        derive: |_| {
            let found = sets_with("mesh:6x7", 4, &ROW_42)?;
            let mut check = Check::default();
            check.case(!found.is_empty(), || "no set has this row".to_string());
            let first = found.first().map(|set| format!(", the first is {set:?}")).unwrap_or_default();
            let note = format!("{} of the sets have it{first}", found.len());
            Ok(Derivation::of("every connected set of four nodes of the 6x7 mesh", check).note(note))
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.98",
        source: "(3.98)",
        statement: "flow matrix of the 7x8 mesh with seven connected sources, and the vector it is multiplied with",
        definition: "every connected set of seven nodes, nodes counted by their hops from it: how many layers there are",
        printed: "(7,14,15,10,6,3,1) times (alpha_0, ..., alpha_5): 6 loads",
        fails_if: "a set with this row has six layers, or not seven",
        correct: Some("the same row times (alpha_0, ..., alpha_6): 7 loads"),
        errata: Some("Z3"),
        derive: |_| {
            let found = sets_with("mesh:7x8", 7, &ROW_56)?;
            let (mut printed, mut corrected) = (Check::default(), Check::default());
            for check in [&mut printed, &mut corrected] {
                check.case(!found.is_empty(), || "no set has this row".to_string());
            }
            for set in &found {
                let many = layers("mesh:7x8", set)?.len();
                printed.equal(&6, &many, || format!("sources {set:?}, loads"));
                corrected.equal(&7, &many, || format!("sources {set:?}, loads"));
            }
            let note = format!("{} connected sets of seven nodes have this row", found.len());
            Ok(Derivation::of("every connected set of seven nodes of the 7x8 mesh", printed)
                .corrected(corrected)
                .note(note))
        },
        ..CORRECTED
    },
    Claim {
        id: "figure-3.24",
        source: "figures 3.24, 3.26",
        statement: "speedup of 42 and 56 processors with connected sources for sigma <= 0.05",
        definition: "the timing diagram",
        printed: "about 42 and about 56 (read as within 2 %)",
        fails_if: "the speedups at sigma = 0.05 are within 2 % of 42 and 56, or not those of the corrected form",
        correct: Some("39.2 and 52.6 at sigma = 0.05; 41.4 and 55.3 at 0.01"),
        errata: Some("Z32"),
        derive: about_42,
        ..CORRECTED
    },
    Claim {
        id: "figure-3.24-slow",
        source: "figures 3.24, 3.26",
        statement: "speedup of 42 and 56 processors with connected sources for sigma near 1",
        definition: "the timing diagram at sigma = 1, virtual cut-through",
        printed: "12 and 21",
        fails_if: "the speedup at sigma = 1 is not 12 or not 21",
        derive: |_| {
            let (mut check, one) = (Check::default(), Exact::whole(1));
            for (row_of, printed) in [(&ROW_42[..], 12), (&ROW_56[..], 21)] {
                let found = speedup(row_of, &one, CutThrough);
                check.equal(&Exact::whole(printed), &found, || row(row_of));
            }
            Ok(Derivation::of("two first rows", check))
        },
        ..HOLDS
    },
    Claim {
        id: "eq-5.5",
        source: "(5.5), (5.6)",
        statement: "first row of the flow matrix of the 5x5 torus with four connected sources",
        definition: "every connected set of four nodes, nodes counted by their hops from it",
        printed: "(4,8,9,4) is the row of some set",
        fails_if: "no connected set of four nodes of the 5x5 torus has this row",
        derive: |_| {
            let found = sets_with("torus:5x5", 4, &[4, 8, 9, 4])?;
            let blocks = sets_with("torus:5x5", 4, &[4, 8, 8, 4, 1])?;
            let mut check = Check::default();
            check.case(!found.is_empty(), || "no set has this row".to_string());
            let note = format!(
                "{} sets have it, T and S shapes; the {} blocks of 2x2 have (4,8,8,4,1)",
                found.len(),
                blocks.iter().filter(|set| is_block(set)).count()
            );
            Ok(Derivation::of("every connected set of four nodes of the 5x5 torus", check).note(note))
        },
        ..HOLDS
    },
    Claim {
        id: "eq-3.130",
        source: "(3.130)",
        statement: "when the processors of the last layer of a cell stop",
        definition: "both sides with the loads of the timing diagram",
        printed: "(alpha_1 + ... + alpha_(l-2)) + alpha_(l-1) w Tcp = T",
        fails_if: "both sides agree without z Tcm for every sigma, or not with it for some",
        correct: Some("(alpha_1 + ... + alpha_(l-2)) z Tcm + alpha_(l-1) w Tcp = T"),
        errata: Some("Z7"),
        derive: eq_3_130,
        ..CORRECTED
    },
    Claim {
        id: "epsea-time",
        source: "section 3.1.6, algorithm 6",
        statement: "makespan when connected sources with unequal loads even them out first",
        definition: "the cut bound: for every set of nodes, its load over what it works off and sends out",
        printed: "that of EPSA: not below the bound",
        fails_if: "EPSA's time alone is never below the cut bound, or with the moving before it is for some loads",
        correct: Some("that of EPSA and the time of the moving before it: never below the bound"),
        errata: Some("Z24"),
        derive: rebalancing,
        ..CORRECTED
    },
];

/// All connected sets of so many nodes, each in increasing order.
fn connected_sets(machine: &Machine, size: usize) -> Vec<Vec<u32>> {
    let mut sets: Vec<Vec<u32>> = (0..machine.nodes()).map(|node| vec![node]).collect();
    for _ in 1..size {
        let mut larger = Vec::new();
        for set in &sets {
            for &node in set {
                let node = NodeId(node);
                for next in (0..machine.ports(node)).filter_map(|port| machine.neighbour(node, Port(port))) {
                    if let Err(place) = set.binary_search(&next.0) {
                        let mut grown = set.clone();
                        grown.insert(place, next.0);
                        larger.push(grown);
                    }
                }
            }
        }
        larger.sort_unstable();
        larger.dedup();
        sets = larger;
    }
    sets
}

/// The connected sets of so many nodes whose first row is this.
fn sets_with(machine: &str, size: usize, wanted: &[u64]) -> Result<Vec<Vec<u32>>> {
    let machine = Machine::new(machine)?;
    let mut sets = connected_sets(&machine, size);
    sets.retain(|set| layers_on(&machine, set) == wanted);
    Ok(sets)
}

/// Whether four nodes of the 5x5 torus are a block of 2x2.
fn is_block(set: &[u32]) -> bool {
    let place = |node: u32| (node / 5, node % 5);
    let next = |a: (u32, u32), b: (u32, u32)| {
        let ring = |p: u32, q: u32| p.abs_diff(q).min(5 - p.abs_diff(q));
        ring(a.0, b.0) + ring(a.1, b.1) == 1
    };
    set.iter().all(|&a| set.iter().filter(|&&b| next(place(a), place(b))).count() == 2)
}

fn about_42(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["processors", "sigma", "speedup"]);
    for (row_of, many, right) in [(&ROW_42[..], 42, ["41.4", "39.2"]), (&ROW_56[..], 56, ["55.3", "52.6"])] {
        for ((p, q), right) in [(1, 100), (1, 20)].into_iter().zip(right) {
            let sigma = Exact::fraction(p, q);
            let found = speedup(row_of, &sigma, CutThrough);
            let words = || format!("{many} processors, sigma = {sigma}: {:.2}", found.to_f64());
            printed.case(found >= Exact::whole(many) * Exact::fraction(98, 100), words);
            corrected.case(rounds_to(&found, right), words);
            numbers.row(&[&many, &sigma, &format!("{:.3}", found.to_f64())]);
        }
    }
    Ok(Derivation::of("virtual cut-through", printed).corrected(corrected).numbers(numbers))
}

fn eq_3_130(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    for row_of in [&ROW_42[..], &ROW_56[..]] {
        for (p, q) in [(1, 10), (1, 2), (9, 10)] {
            let sigma = Exact::fraction(p, q);
            let loads = loads(row_of, &sigma, CutThrough);
            let last = loads.len() - 1;
            let sent: Exact = loads[1..last].iter().cloned().sum();
            let words = || format!("{}, sigma = {sigma}, left side", row(row_of));
            printed.equal(&(&sent + &loads[last]), &loads[0], words);
            corrected.equal(&(&sent * &sigma + &loads[last]), &loads[0], words);
        }
    }
    Ok(Derivation::of("two first rows, sigma 1/10, 1/2 and 9/10", printed).corrected(corrected))
}

fn rebalancing(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["machine", "sigma", "EPSA", "moving", "bound"]);
    let epsea = METHODS.iter().find(|method| method.name == "epsea").expect("it is in the table");
    let blocks: [(&str, &[u32]); 5] = [
        ("mesh:1x2", &[0, 1]),
        ("mesh:1x3", &[0, 1]),
        ("mesh:1x4", &[0, 1]),
        ("mesh:3x4", &[0, 1, 4, 5]),
        ("mesh:6x7", &[16, 17, 23, 24]),
    ];
    for (name, nodes) in blocks {
        let machine = Machine::new(name)?;
        for sigma in [0.1, 0.5, 0.9] {
            let rest = 0.3 / (nodes.len() as f64 - 1.0);
            let load = |index: usize| if index == 0 { 0.7 } else { rest };
            let sources =
                nodes.iter().enumerate().map(|(index, &node)| Source::at(NodeId(node), load(index)));
            let problem = Problem::new(&machine, sources.collect(), sigma)?;
            let scheduled = (epsea.run)(&problem, CutThrough, &SchedulerSettings::default())?;
            let moving: f64 = scheduled.rebalances.iter().map(|moved| moved.time).sum();
            let exact = Exact::fraction((sigma * 10.0).round() as i64, 10);
            let claimed = 1.0 / speedup(&layers(name, nodes)?, &exact, CutThrough).to_f64();
            let (bound, _) = optimum::makespan(&problem)?;
            let words = || {
                format!(
                    "{name}, sources {nodes:?}, loads 0.7 and the rest, sigma = {sigma}: {claimed:.4}, bound {bound:.4}"
                )
            };
            printed.case(claimed >= bound * (1.0 - 1e-12), words);
            corrected.case(claimed + moving >= bound, words);
            let shown = |number: f64| format!("{number:.4}");
            numbers.row(&[&name, &sigma, &shown(claimed), &shown(moving), &shown(bound)]);
        }
    }
    let note = "schedules without any moving beforehand reach the bound";
    Ok(Derivation::of("five blocks of sources, sigma 0.1, 0.5 and 0.9", printed)
        .corrected(corrected)
        .numbers(numbers)
        .note(note))
}
