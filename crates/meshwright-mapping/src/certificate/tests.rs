//! What bounds claim is proved again, and nothing that is changed is.

use super::{Certificate, verify};
use crate::bound::{Terrain, graph_ticks};
use crate::task_graph::Edge;
use crate::{Divide, Mapping, Shape, TaskGraph, divide};
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};
use proptest::prelude::*;
use serde_json::Value;

fn graph(tasks: u32, edges: &[(u32, u32, u32, u64)]) -> TaskGraph {
    let edge = |&(phase, source, target, bytes)| {
        (phase, Edge { source: source % tasks, target: target % tasks, bytes: Bytes(bytes) })
    };
    TaskGraph::new("random", tasks, edges.iter().map(edge).collect()).unwrap()
}

/// Every number of a value, one after the other, changed a little.
fn each_changed(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            let digits = [number + 1, number - 1, number + 10, number * 10, number / 10];
            digits.into_iter().filter(|&other| other != number).map(Value::from).collect()
        }
        Value::Array(list) => {
            let at = |(index, one): (usize, &Value)| {
                let changed = each_changed(one).into_iter();
                changed
                    .map(move |one| [&list[..index], &[one], &list[index + 1..]].concat().into())
                    .collect::<Vec<_>>()
            };
            list.iter().enumerate().flat_map(at).collect()
        }
        Value::Object(entries) => {
            let with = |(key, one): (&String, &Value)| {
                let of_key = |one| {
                    let mut entries = entries.clone();
                    entries.insert(key.clone(), one);
                    Value::Object(entries)
                };
                each_changed(one).into_iter().map(of_key).collect::<Vec<_>>()
            };
            entries.iter().flat_map(with).collect()
        }
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A bound and what its certificate proves are one number; a changed certificate proves no more than any other.
    #[test]
    fn what_a_bound_claims_is_proved_again(
        which in 0usize..8,
        dead in prop::collection::vec(0u32..30, 0..3),
        tasks in 2u32..13,
        dense in any::<bool>(),
        edges in prop::collection::vec((1u32..4, 0u32..12, 0u32..12, 0u64..40), 1..40),
        switching in 0usize..3,
        one_port in any::<bool>(),
        (startup, flit, overhead, gap) in (0u64..9, 0u64..9, 0u64..30, 0u64..30),
    ) {
        let name = ["mesh:4x4", "mesh:3x5", "mesh:16", "torus:4x4", "hypercube:4", "mesh:2x3x3", "torus:2x8", "mesh:3x4"][which];
        let whole = Machine::new(name).unwrap();
        let dead = dead.into_iter().map(|node| NodeId(node % whole.nodes())).collect();
        let mut machine = whole.with_dead(dead).unwrap().with_switching(SWITCHINGS[switching].1);
        machine = machine.with_costs(Costs { startup: Cycles(startup), flit: Bytes(flit), ..Costs::default() }).unwrap();
        machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
        if overhead > gap {
            machine = machine.with_endpoints(Endpoints { overhead: Cycles(overhead - 1), gap: Cycles(gap) }).unwrap();
        }
        let all = |phase| (0..tasks).flat_map(move |a| (0..tasks).map(move |b| (phase, a, b, 5)));
        let edges = if dense { all(1).chain(edges).collect() } else { edges };
        let graph = graph(tasks.min(machine.living_count()), &edges);
        let switching = machine.switching();
        let bound = graph_ticks(&graph, &Terrain::new(&machine), &machine, switching);
        let certificate = bound.certificate;
        let proved = verify(&certificate, &graph, &machine, switching);
        prop_assert!(proved.as_ref().is_ok_and(|&ticks| ticks >= bound.ticks), "{:?}: {} {:?}", certificate, bound.ticks, proved);
        let written = serde_json::to_value(&certificate).unwrap();
        for changed in each_changed(&written) {
            // Weaker or refused; where it proves more the bound has missed something, which is no fault.
            let Ok(changed) = serde_json::from_value::<Certificate>(changed) else { continue };
            let _ = verify(&changed, &graph, &machine, switching);
        }
        prop_assert_eq!(serde_json::from_value::<Certificate>(written).unwrap(), certificate);
    }
}

/// Trees of divide and conquer, both stages, odd sizes: what their profile claims.
#[test]
fn bounds_of_trees_are_proved_again() {
    for (shape, name) in [
        (Shape::Binomial(4), "mesh:4x4"),
        (Shape::Binomial(6), "mesh:8x8"),
        (Shape::Binomial(5), "torus:4x8"),
        (Shape::Binomial(4), "hypercube:4"),
        (Shape::Binomial(3), "mesh:3x3"),
        (Shape::Halving(vec![9]), "mesh:9"),
        (Shape::Halving(vec![3, 5]), "mesh:3x5"),
    ] {
        for (alpha, combine_alpha) in [(Some(0.5), None), (Some(1.0), Some(0.5)), (None, Some(0.9))] {
            for &(word, switching) in SWITCHINGS {
                let shape = shape.clone();
                let tasks =
                    divide::task_graph(&Divide { shape, alpha, combine_alpha, volume: Bytes(4096) }).unwrap();
                let machine = Machine::new(name).unwrap().with_switching(switching);
                let bound = Mapping::new(&tasks, &machine).own_bound().clone();
                let proved = verify(&bound.certificate, &tasks, &machine, switching);
                let what = format!("{} on {name}, {word}: {:?}", tasks.name, bound.certificate);
                assert!(
                    proved.as_ref().is_ok_and(|&ticks| ticks >= bound.ticks),
                    "{what} {proved:?} {}",
                    bound.ticks
                );
                if let Certificate::Tree { root, ticks } = bound.certificate {
                    // Well above what is proved some dilations are possible.
                    let more = Certificate::Tree { root, ticks: 2 * ticks };
                    assert!(verify(&more, &tasks, &machine, switching).is_err(), "{what}");
                }
            }
        }
    }
}

/// Recursive doubling: phase k exchanges 1024 bytes between x and x + 2^k.
fn butterfly(dimensions: u32) -> TaskGraph {
    let edge = |k: u32| move |task: u32| (k, task, task ^ 1 << k, 1024);
    let edges: Vec<_> = (0..dimensions).flat_map(|k| (0..1u32 << dimensions).map(edge(k))).collect();
    graph(1 << dimensions, &edges)
}

/// The row-major placement takes 1 + 2 + 4 links along either axis under store-and-forward: there is no better one.
#[test]
fn a_butterfly_grows_as_fast_as_a_mesh_has_room() {
    for (dimensions, name, links, kind) in [
        (4, "mesh:4x4", 1 + 2 + 1 + 2, "growth"),
        (6, "mesh:8x8", 1 + 2 + 4 + 1 + 2 + 4, "growth"),
        (6, "mesh:4x4x4", 3 * (1 + 2), "growth"),
        (6, "hypercube:6", 6, "message"),
    ] {
        let machine = Machine::new(name).unwrap().with_switching(SWITCHINGS[2].1);
        let tasks = butterfly(dimensions);
        let bound = graph_ticks(&tasks, &Terrain::new(&machine), &machine, machine.switching());
        let certificate = bound.certificate;
        assert_eq!((bound.ticks, certificate.main_kind()), (links * (100 + 1024), kind), "{name}");
        assert_eq!(verify(&certificate, &tasks, &machine, machine.switching()).as_ref(), Ok(&bound.ticks));
        if let Certificate::Growth { ticks, share } = certificate {
            let more = Certificate::Growth { ticks: ticks + 1, share };
            assert!(verify(&more, &tasks, &machine, machine.switching()).is_err());
        }
    }
}

/// Whether tasks in rows can be placed with all neighbours beside each other, by trying.
fn has_neighbours_beside(machine: &Machine, columns: u32, nodes: &mut Vec<NodeId>, tasks: u32) -> bool {
    let task = nodes.len() as u32;
    if task == tasks {
        return true;
    }
    let left = (!task.is_multiple_of(columns)).then(|| nodes[task as usize - 1]);
    let above = task.checked_sub(columns).map(|above| nodes[above as usize]);
    let beside = |node: NodeId| {
        left.into_iter().chain(above).all(|other| machine.neighbours(other).any(|(_, next)| next == node))
    };
    for node in machine.living().filter(|&node| beside(node)) {
        if !nodes.contains(&node) {
            nodes.push(node);
            if has_neighbours_beside(machine, columns, nodes, tasks) {
                return true;
            }
            nodes.pop();
        }
    }
    false
}

/// What squares prove is so: of all placements none has every neighbour beside the other. And the other way round.
#[test]
fn squares_prove_what_trying_finds() {
    let machines =
        ["mesh:3x3", "mesh:2x4", "mesh:2x2x2", "mesh:2x2x3", "mesh:4x4", "mesh:2x7", "hypercube:4"];
    let (mut proved, mut placed) = (0, 0);
    for name in machines {
        let machine = Machine::new(name).unwrap().with_switching(Switching::StoreAndForward);
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (4, 3), (2, 7), (4, 4), (2, 8)] {
            let tasks: u32 = rows * columns;
            if tasks > machine.living_count() {
                continue;
            }
            let right = (0..tasks).filter(|task| (task + 1) % columns > 0).map(|task| (1, task, task + 1, 7));
            let down = (0..tasks - columns).map(|task| (1, task + columns, task, 9));
            let graph = graph(tasks, &right.chain(down).collect::<Vec<_>>());
            let certificate = Certificate::Squares { columns };
            let ticks = verify(&certificate, &graph, &machine, machine.switching());
            let is_possible = has_neighbours_beside(&machine, columns, &mut Vec::new(), tasks);
            assert_eq!(ticks.is_err(), is_possible, "{rows}x{columns} on {name}: {ticks:?}");
            if let Ok(ticks) = ticks {
                assert_eq!(ticks, 2 * (100 + 7), "{rows}x{columns} on {name}");
                for other in [columns - 1, columns + 1, 10 * columns, 0] {
                    let other = Certificate::Squares { columns: other };
                    assert!(verify(&other, &graph, &machine, machine.switching()).is_err());
                }
            }
            (proved, placed) = (proved + u32::from(!is_possible), placed + u32::from(is_possible));
        }
    }
    assert!(proved > 3 && placed > 8, "{proved} {placed}");
}

/// A stencil on a mesh of three dimensions: two links a message, which two messages a link reach.
#[test]
fn a_stencil_on_three_dimensions() {
    let right = (0..64u32)
        .filter(|task| task % 8 < 7)
        .flat_map(|task| [(1, task, task + 1, 64), (1, task + 1, task, 64)]);
    let down = (0..56).flat_map(|task| [(1, task, task + 8, 64), (1, task + 8, task, 64)]);
    let graph = graph(64, &right.chain(down).collect::<Vec<_>>());
    let machine = Machine::new("mesh:4x4x4").unwrap().with_switching(Switching::StoreAndForward);
    let bound = graph_ticks(&graph, &Terrain::new(&machine), &machine, machine.switching());
    assert_eq!((bound.ticks, bound.certificate.kind()), (2 * (100 + 64), "squares"));
}
