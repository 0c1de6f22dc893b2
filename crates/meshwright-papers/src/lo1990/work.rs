//! Section 3: what a node does, phase by phase; and what keeping half gains over the complete binary tree.

use super::HOLDS;
use super::study::{BOTH, Mapping, Study, alphas, costs};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{Bytes, Hops};
use meshwright_mapping as mapping;
use meshwright_mapping::divide::PRESETS;
use meshwright_mapping::{Request, complete_binary};
use meshwright_network::topology::Switching::{StoreAndForward, Wormhole};
use meshwright_network::topology::{Costs, Switching, Topology};
use meshwright_schedule::{Message, Phases};
use meshwright_sim as sim;

/// Volumes, activity, and the combine stage.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "active-nodes",
        source: "Section 3, after Lemma 1",
        statement: "in phase i there are 2^(i-1) active nodes, and each of them sends",
        definition: "messages of each phase of the tree of definition 1, and their senders",
        printed: "2^(i-1) messages, from as many different nodes",
        fails_if: "a phase has another number of messages than 2^(i-1), or one node sends two",
        derive: active_nodes,
        ..HOLDS
    },
    Claim {
        id: "activation",
        source: "Section 3, after Lemma 1",
        statement: "who is activated in phase i sends in phases i + 1, ..., n, and receives once",
        definition: "the phases in which each task sends",
        printed: "i + 1, i + 2, ..., n",
        fails_if: "a task sends in another phase than those after its own, or not in one of them",
        derive: activation,
        ..HOLDS
    },
    Claim {
        id: "volumes",
        source: "Section 3, after Lemma 1",
        statement: "a message of phase i has volume alpha^i",
        definition: "every node holds x, keeps alpha x and sends alpha x, from a root that holds 1",
        printed: "alpha^i",
        fails_if: "a node that keeps and sends alpha x holds another volume than alpha^i after phase i",
        derive: volumes,
        ..HOLDS
    },
    Claim {
        id: "alpha-examples",
        source: "Section 3",
        statement: "the shares of well-known computations",
        definition: "data of a half over data of the whole: numbers of a list, entries of an adjacency matrix, one value",
        printed: "1 for broadcast, leader election and combining values, 1/2 for merge sort and data distribution, 1/4 \
            for halving a graph; 1/2 down and 1 up for a product of matrices",
        fails_if: "the share of half the data in the whole is not the one printed, or our presets have another",
        derive: examples,
        ..HOLDS
    },
    Claim {
        id: "combine",
        source: "Section 3",
        statement: "the combine stage has the patterns of the divide stage, turned round",
        definition: "simulated time of each phase of the combine stage",
        printed: "phase n + 1 - i of the combine stage takes as long as phase i of the divide stage",
        fails_if: "a phase of the combine stage takes longer or shorter than its counterpart",
        derive: combine,
        ..HOLDS
    },
];

fn active_nodes(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 1..=study.n_max {
        let mut sends = vec![Vec::new(); n as usize];
        for arc in study.tree(n).iter().flatten() {
            sends[arc.phase as usize - 1].push(arc.parent);
        }
        for (i, senders) in (1u32..).zip(&mut sends) {
            let messages = senders.len();
            senders.sort_unstable();
            senders.dedup();
            let words = || format!("B({n}), phase {i}: {messages} messages from {} nodes", senders.len());
            check.case(messages == 1 << (i - 1) && senders.len() == messages, words);
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({})", study.n_max), check))
}

fn activation(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for n in 0..=study.n_max {
        let tree = study.tree(n);
        let mut phases = vec![Vec::new(); tree.len()];
        tree.iter().flatten().for_each(|arc| phases[arc.parent as usize].push(arc.phase));
        for (label, (arc, sends)) in tree.iter().zip(&mut phases).enumerate() {
            sends.sort_unstable();
            let from = arc.map_or(1, |arc| arc.phase + 1);
            check.case(sends.iter().copied().eq(from..=n), || {
                format!("B({n}), task {label} sends in {sends:?}")
            });
        }
    }
    Ok(Derivation::of(format!("every task of B(0) to B({})", study.n_max), check))
}

fn volumes(study: &Study) -> Result<Derivation> {
    const N: u32 = 8;
    let mut check = Check::default();
    for alpha in alphas() {
        let mut held = vec![Exact::zero(); 1 << N];
        held[(1 << N) - 1] = Exact::whole(1);
        for i in 1..=N {
            let arcs = study.tree(N).iter().enumerate().filter_map(|(label, arc)| Some((label, (*arc)?)));
            for (label, arc) in arcs.filter(|(_, arc)| arc.phase == i) {
                let part = &held[arc.parent as usize] * &alpha;
                check.equal(&alpha.power(i), &part, || {
                    format!("B({N}), phase {i}, task {label}, alpha = {alpha}")
                });
                held[arc.parent as usize] = part.clone();
                held[label] = part;
            }
        }
    }
    Ok(Derivation::of(format!("every message of B({N}), eight shares alpha"), check))
}

fn examples(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["computation", "whole", "half", "alpha"]);
    // What half a problem of this size is made of: a list, the rows and columns of a matrix, a single value.
    let list = |size: i64| size;
    let matrix = |size: i64| size * size;
    let value = |_: i64| 1;
    let share = |data: &dyn Fn(i64) -> i64, size: i64| Exact::fraction(data(size / 2), data(size));
    for size in (1..=10).map(|e| 1i64 << e) {
        let shares: [(&str, Exact, Exact); 7] = [
            ("broadcast", share(&value, size), Exact::zero()),
            ("reduce", Exact::zero(), share(&value, size)),
            ("leader-election", share(&value, size), share(&value, size)),
            ("merge-sort", share(&list, size), share(&list, size)),
            ("data-distribution", share(&list, size), Exact::zero()),
            ("matrix-chain", share(&list, size), share(&value, size)),
            ("graph-halving", share(&matrix, size), Exact::zero()),
        ];
        for (name, down, up) in shares {
            let preset =
                PRESETS.iter().find(|preset| preset.name == name).expect("the table of presets has it");
            let given = (preset.alpha.unwrap_or(0.0), preset.combine_alpha.unwrap_or(0.0));
            check.case(given == (down.to_f64(), up.to_f64()), || {
                format!("{name} of size {size}: {down}, {up}")
            });
        }
    }
    for (name, data) in [
        ("merge sort, 64 numbers", &list as &dyn Fn(i64) -> i64),
        ("graph of 64 vertices", &matrix),
        ("one value", &value),
    ] {
        numbers.row(&[&name, &data(64), &data(32), &share(data, 64)]);
    }
    Ok(Derivation::of("seven computations, sizes 2 to 1024", check).numbers(numbers))
}

fn combine(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let n_max = study.n_max.min(8);
    for n in 1..=n_max {
        for (mapping, switching) in BOTH.into_iter().flat_map(|m| [(m, Wormhole), (m, StoreAndForward)]) {
            for halving in [false, true] {
                let mut mesh = Study::mesh(n)?.with_switching(switching);
                mesh = mesh.with_costs(costs(7, 1, 2))?;
                let bytes = |i: u32| if halving { 1 << (n + 3 - i) } else { 16 };
                let down = study.messages(mapping, n, &mesh, bytes)?;
                let turned = |m: &Message| Message {
                    source: m.target,
                    target: m.source,
                    phase: n + 1 - m.phase,
                    ..*m
                };
                let up = Phases::new(down.ranks, down.messages().iter().map(turned).collect());
                let (mut down, up) = (
                    sim::simulate(&mesh, &down, &sim::Engine::Message)?,
                    sim::simulate(&mesh, &up, &sim::Engine::Message)?,
                );
                down.phase_ticks.reverse();
                check.case(down.phase_ticks == up.phase_ticks, || {
                    format!(
                        "B({n}) on {}, {}: {:?} down, {:?} up",
                        mapping.name(),
                        switching.name(),
                        down.phase_ticks,
                        up.phase_ticks
                    )
                });
            }
        }
    }
    let range = format!("B(1) to B({n_max}), both mappings, both switchings, alpha 1 and 1/2");
    Ok(Derivation::of(range, check))
}

/// The simulated time of CBT(n) on the mesh of B(n), on the best of its placements.
fn complete(n: u32, switching: Switching, costs: Costs, alpha: f64, volume: u64) -> Result<u64> {
    let mut mesh = Study::mesh(n)?.with_switching(switching);
    mesh = mesh.with_costs(costs)?;
    let tree = complete_binary::task_graph(n, Some(alpha), None, Bytes(volume))?;
    let mut best = u64::MAX;
    for name in ["row-major", "hilbert", "recursive-bisection"] {
        let placement = mapping::place(name, &Request::of(&tree, &mesh, 0))?;
        let trace = sim::simulate(&mesh, &placement.phases(&tree, &mesh), &sim::Engine::Message)?;
        assert!(trace.deadlock.is_none(), "routes row by row on {} nodes close no ring", mesh.nodes());
        best = best.min(trace.ticks);
    }
    Ok(best)
}

/// The simulated time of B(n), on the better of the paper's mappings.
fn keeping(
    study: &Study,
    n: u32,
    switching: Switching,
    costs: Costs,
    bytes: impl Fn(u32) -> u64,
) -> Result<u64> {
    let mut best = u64::MAX;
    for mapping in [Mapping::Reflecting, Mapping::Growing] {
        best = best.min(study.simulate(mapping, n, switching, costs, &bytes)?.ticks);
    }
    Ok(best)
}

/// Bytes for each leaf, when volumes are halved.
const LEAF: u64 = 16;

/// One comparison: ticks of CBT(n) and of B(n), placed on the mesh, and with every message over one link.
struct Race {
    complete: u64,
    keeping: u64,
    complete_near: u64,
    keeping_near: u64,
}

/// Runs both trees with the same work for each leaf.
fn race(study: &Study, n: u32, switching: Switching, halving: bool) -> Result<Race> {
    let machine = costs(100, 1, 2);
    let (alpha, volume) = if halving { (0.5, LEAF << (n - 1)) } else { (1.0, LEAF) };
    // Of a message to a task with this many levels below it.
    let bytes = |below: u32| if halving { LEAF << below } else { LEAF };
    let near = |below: u32| machine.alone_ticks(switching, Bytes(bytes(below)), Hops(1));
    Ok(Race {
        complete: complete(n, switching, machine, alpha, volume)?,
        keeping: keeping(study, n, switching, machine, |i| bytes(n - i))?,
        complete_near: (0..n - 1).map(|below| 2 * near(below)).sum(),
        keeping_near: (0..n).map(near).sum(),
    })
}

/// Keep half, send half against the complete binary tree.
pub(super) fn keep_half(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let columns = [
        "n",
        "switching",
        "alpha",
        "leaves of CBT(n)",
        "of B(n)",
        "cycles of CBT(n)",
        "of B(n)",
        "gain per leaf",
        "gain at distance 1",
    ];
    let mut numbers = Numbers::new(&columns);
    let n_max = study.n_simulated().min(10);
    for n in 2..=n_max {
        for (switching, halving) in
            [Wormhole, StoreAndForward].into_iter().flat_map(|s| [(s, true), (s, false)])
        {
            let race = race(study, n, switching, halving)?;
            // B(n) has twice the leaves.
            let gain = |slow: u64, fast: u64| Exact::from(2 * slow) / Exact::from(fast);
            let (placed, near) =
                (gain(race.complete, race.keeping), gain(race.complete_near, race.keeping_near));
            let words = || format!("B({n}), {}: gain {placed}, at distance 1 {near}", switching.name());
            check.case(placed > Exact::whole(1) && near > Exact::whole(1), words);
            if n % 2 == 0 {
                let (leaves, alpha) = (1u64 << n, if halving { "1/2" } else { "1" });
                let [placed, near] = [placed, near].map(|gain| format!("{:.2}", gain.to_f64()));
                let Race { complete, keeping, .. } = race;
                let name = switching.name();
                numbers.row(&[
                    &n,
                    &name,
                    &alpha,
                    &(leaves / 2),
                    &leaves,
                    &complete,
                    &keeping,
                    &placed,
                    &near,
                ]);
            }
        }
    }
    let range =
        format!("n = 2 to {n_max}, both switchings, alpha 1 and 1/2, c = 100, b = 1, h = 2, 16 bytes a leaf");
    Ok(Derivation::of(range, check).numbers(numbers).note(
        "All 2^n nodes of B(n) solve a part in the end, but only the 2^(n-1) leaves of CBT(n); its other nodes only \
         divide. B(n) needs n phases, CBT(n) two for each of n - 1 levels. The last column leaves the placement out.",
    ))
}
