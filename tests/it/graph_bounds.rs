//! The bound of any phased task graph: below every simulated time, and reached where links or cuts decide.

use std::collections::BTreeMap;
use std::path::Path;

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_mapping::bound::{GraphBound, Terrain, graph_ticks, phase_ticks};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Placement, TaskGraph, task_file};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::Job;
use proptest::prelude::*;

use crate::exhaustive::{every_placement, small_machines};

pub(crate) fn graph(tasks: u32, edges: &[(u32, u32, u32, u64)]) -> TaskGraph {
    let edge = |&(phase, source, target, bytes)| {
        (phase, Edge { source: source % tasks, target: target % tasks, bytes: Bytes(bytes) })
    };
    TaskGraph::new("random", tasks, edges.iter().map(edge).collect()).unwrap()
}

fn bound(graph: &TaskGraph, machine: &Machine) -> GraphBound {
    graph_ticks(graph, &Terrain::new(machine), machine, machine.switching())
}

/// The simulated ticks, unless the placement ends in a deadlock.
fn simulated(graph: &TaskGraph, machine: &Machine, nodes: Vec<NodeId>) -> Option<(u64, Vec<u64>)> {
    let placement = Placement { name: String::new(), nodes };
    let trace = simulate(machine, &placement.phases(graph, machine), &Engine::Message).unwrap();
    trace.deadlock.is_none().then_some((trace.ticks, trace.phase_ticks))
}

/// The traffic of a real code with all phases in one.
fn lammps_16() -> TaskGraph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lammps-lj-16.phases.csv");
    let mut sums: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for edge in task_file::read(&path).unwrap().edges() {
        *sums.entry((edge.source, edge.target)).or_default() += edge.bytes.0;
    }
    let edge = |((source, target), bytes)| (1, Edge { source, target, bytes: Bytes(bytes) });
    TaskGraph::new("lammps", 16, sums.into_iter().map(edge).collect()).unwrap()
}

/// M4: four of the sixteen nodes have two links, and the fourth smallest traffic of a task is 731 456 bytes.
#[test]
fn corners_bound_a_real_code() {
    let mesh = Machine::new("mesh:4x4").unwrap();
    assert_eq!(bound(&lammps_16(), &mesh).ticks, 100 + 731_456 / 2);
    // With four nodes to spare nobody need be in a corner: the largest traffic over four links is less than its largest
    // message was before.
    let roomy = Machine::new("mesh:4x5").unwrap();
    assert!(bound(&lammps_16(), &roomy).ticks < 365_828);
}

/// M4: what a line must carry over its middle, what one task sends to many, and what phases add up to.
#[test]
fn each_argument_decides_somewhere() {
    let all_to_all: Vec<_> =
        (0..4).flat_map(|a| (0..4).map(move |b| (1, a, b, 10))).filter(|e| e.1 != e.2).collect();
    // A task that sends to four others: on a ring of five two of them are two links away.
    let fan: Vec<_> = (1..5).map(|to| (1, 0, to, 10)).collect();
    // The same task sends in three phases, to others each time: one line for all of them.
    let thrice: Vec<_> = (1..4).map(|to| (to, 0, to, 30)).collect();
    for (name, tasks, edges, switching, expected) in [
        ("mesh:4", 4, &all_to_all, Switching::Wormhole, 7 + 40),
        ("mesh:4", 4, &all_to_all, Switching::StoreAndForward, 4 * (7 + 10)),
        ("torus:5", 5, &fan, Switching::StoreAndForward, 2 * (7 + 10)),
        // Of three partners in turn one is two links away.
        ("mesh:1x4", 4, &thrice, Switching::StoreAndForward, 4 * (7 + 30)),
    ] {
        let mut machine = Machine::new(name).unwrap().with_switching(switching);
        machine =
            machine.with_costs(Costs { startup: Cycles(7), flit: Bytes(0), ..Costs::default() }).unwrap();
        let graph = graph(tasks, edges);
        let mut least = u64::MAX;
        let mut living: Vec<NodeId> = machine.living().collect();
        every_placement(tasks as usize, &mut living, 0, &mut |nodes| {
            least = simulated(&graph, &machine, nodes.to_vec()).map_or(least, |(ticks, _)| ticks.min(least));
        });
        let bound = bound(&graph, &machine).ticks;
        assert_eq!(bound, expected * machine.costs().ticks_per_cycle(), "{name}, {}", switching.name());
        assert!(bound <= least, "{name}, {}: bound {bound}, optimum {least}", switching.name());
    }
}

/// M4: no placement of small graphs beats the bound, all of them tried.
#[test]
fn no_placement_of_a_small_graph_beats_the_bound() {
    let graphs = [
        graph(4, &[(1, 0, 1, 9), (1, 0, 2, 9), (1, 0, 3, 9), (2, 1, 0, 5), (2, 2, 3, 8)]),
        graph(5, &[(1, 0, 1, 3), (1, 1, 2, 4), (1, 2, 3, 5), (1, 3, 4, 6), (1, 4, 0, 7), (1, 2, 2, 50)]),
        graph(5, &[(1, 1, 0, 6), (1, 2, 0, 6), (1, 3, 0, 6), (1, 4, 0, 6), (3, 0, 3, 1), (3, 3, 1, 20)]),
    ];
    for machine in small_machines() {
        for (graph, &(_, switching)) in
            graphs.iter().flat_map(|graph| SWITCHINGS.iter().map(move |s| (graph, s)))
        {
            // Some thousands of placements each.
            let room = if graph.tasks == 4 { 8 } else { 6 };
            if !(graph.tasks..=room).contains(&machine.living_count()) {
                continue;
            }
            let mut machine = machine.clone().with_switching(switching);
            machine =
                machine.with_costs(Costs { startup: Cycles(2), flit: Bytes(1), ..Costs::default() }).unwrap();
            let bound = bound(graph, &machine);
            let mut living: Vec<NodeId> = machine.living().collect();
            every_placement(graph.tasks as usize, &mut living, 0, &mut |nodes| {
                if let Some((ticks, phases)) = simulated(graph, &machine, nodes.to_vec()) {
                    assert!(bound.ticks <= ticks, "{} {nodes:?}: {bound:?}, {ticks}", machine.name());
                    assert!(bound.phases.iter().zip(&phases).all(|(bound, ticks)| bound <= ticks));
                }
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// M4: no simulated time is below the bound, for random graphs, machines, switchings, ports and placements.
    #[test]
    fn no_simulated_time_is_below_the_bound(
        which in 0usize..7,
        dead in prop::collection::vec(0u32..30, 0..3),
        tasks in 2u32..13,
        dense in any::<bool>(),
        edges in prop::collection::vec((1u32..4, 0u32..12, 0u32..12, 0u64..40), 1..60),
        switching in 0usize..3,
        one_port in any::<bool>(),
        (startup, flit, overhead, gap) in (0u64..9, 0u64..9, 0u64..30, 0u64..30),
        seed in any::<u64>(),
    ) {
        let name = ["mesh:4x4", "mesh:3x5", "mesh:16", "torus:4x4", "hypercube:4", "mesh:2x3x3", "torus:2x8"][which];
        let whole = Machine::new(name).unwrap();
        let dead = dead.into_iter().map(|node| NodeId(node % whole.nodes())).collect();
        let mut machine = whole.with_dead(dead).unwrap().with_switching(SWITCHINGS[switching].1);
        machine = machine.with_costs(Costs { startup: Cycles(startup), flit: Bytes(flit), ..Costs::default() }).unwrap();
        machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
        if overhead > gap {
            let endpoints = Endpoints { overhead: Cycles(overhead - 1), gap: Cycles(gap) };
            machine = machine.with_endpoints(endpoints).unwrap();
        }
        let all = |phase| (0..tasks).flat_map(move |a| (0..tasks).map(move |b| (phase, a, b, 5)));
        let edges = if dense { all(1).chain(edges).collect() } else { edges };
        let graph = graph(tasks.min(machine.living_count()), &edges);
        let job = Job::trace(graph.clone());
        let Ok(placement) = job.on(&machine).place("random", seed) else { return Ok(()) };
        let phases = placement.phases(&graph, &machine);
        // Dead nodes may have cut the machine.
        let Ok(trace) = simulate(&machine, &phases, &Engine::Message) else { return Ok(()) };
        let bound = bound(&graph, &machine);
        prop_assert_eq!(job.bound_ticks(&machine), bound.ticks);
        prop_assert!(bound.phases.iter().sum::<u64>() <= bound.ticks);
        for (index, &ticks) in bound.phases.iter().enumerate() {
            prop_assert!(phase_ticks(&graph, index, machine.switching(), machine.costs()) <= ticks);
        }
        if trace.deadlock.is_none() {
            prop_assert!(bound.ticks <= trace.ticks, "{}: {:?}, simulated {}", name, bound, trace.ticks);
            prop_assert!(bound.phases.iter().zip(&trace.phase_ticks).all(|(bound, ticks)| bound <= ticks));
        }
    }
}
