//! Machines of many nodes with holes: placements are repaired as by the definition, bounds hold, and at a million nodes all of it
//! stays within seconds and a gigabyte.

use std::time::Instant;

use meshwright_core::rng::stream;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, place};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Topology, distances_from};
use meshwright_schedule::cost::forecast;
use meshwright_verdict::{Job, map};
use rand::RngExt;

/// A square mesh of which one node and one wire in a hundred are dead.
fn wafer(side: u32) -> Machine {
    let mut rng = stream(18, "wafer");
    let dead: Vec<NodeId> =
        (0..side * side / 100).map(|_| NodeId(rng.random_range(0..side * side))).collect();
    let wires = (0..side * side / 100).map(|_| {
        let (row, column) = (rng.random_range(0..side), rng.random_range(1..side));
        (NodeId(row * side + column - 1), NodeId(row * side + column))
    });
    Machine::mesh([side, side]).unwrap().with_dead(dead).unwrap().with_dead_links(wires.collect()).unwrap()
}

/// A grid of tasks whose neighbours talk to each other, in one phase, or in two that go round the rows and the columns.
fn grid(rows: u32, columns: u32, rings: bool) -> TaskGraph {
    let task = |row: u32, column: u32| row % rows * columns + column % columns;
    let mut edges = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let own = task(row, column);
        let mut send =
            |phase, source, target| edges.push((phase, Edge { source, target, bytes: Bytes(256) }));
        if rings {
            send(1, own, task(row, column + 1));
            send(2, own, task(row + 1, column));
            continue;
        }
        for next in [(row + 1, column), (row, column + 1)] {
            if next.0 < rows && next.1 < columns {
                send(1, own, task(next.0, next.1));
                send(1, task(next.0, next.1), own);
            }
        }
    }
    TaskGraph::new(if rings { "rings" } else { "stencil" }, rows * columns, edges).unwrap()
}

fn tree(tasks: u32, volume: Bytes) -> Job {
    let shape = Shape::Halving(vec![tasks]);
    Job::divide(&Divide { shape, alpha: Some(0.5), combine_alpha: None, volume }).unwrap()
}

#[test]
fn bounds_hold_on_a_small_wafer() {
    let machine = wafer(24);
    let jobs = [
        (tree(500, Bytes(1 << 12)), "bisection"),
        (Job::trace(grid(20, 24, false)), "row-major"),
        (Job::trace(grid(20, 24, true)), "snake"),
    ];
    for &(ref job, method) in &jobs {
        for (name, switching) in SWITCHINGS {
            let machine = machine.clone().with_switching(*switching);
            let report =
                map::report_under(job, &machine, &[method, "random"], 1, (&[*switching], false), &mut |_| {})
                    .unwrap();
            for row in &report.placements {
                let bound = row.bound.of(*switching).exact;
                let levels = row.levels.of(*switching);
                assert!(levels.alone <= levels.link, "{} {name} {}", job.tasks.name, row.name);
                // Worms may wait for each other in a ring, and then routers take over, which go other ways.
                if let Some(simulated) = row.simulated_cycles.of(*switching) {
                    assert!(bound <= *simulated as f64, "{} {name} {}", job.tasks.name, row.name);
                }
            }
        }
    }
}

/// A stencil is laid over a machine with holes row by row, and rows stay rows.
#[test]
fn rows_of_a_stencil_step_over_holes() {
    let machine = wafer(40);
    for rings in [false, true] {
        let graph = grid(40, 36, rings);
        let placement = place("axes", &Request::of(&graph, &machine, 0)).unwrap();
        let near = |edge: &&Edge| {
            let [from, to] = [edge.source, edge.target].map(|task| placement.nodes[task as usize].0);
            (from / 40).abs_diff(to / 40) + (from % 40).abs_diff(to % 40) <= 4
        };
        let edges = graph.edges().iter().filter(near).count();
        // Of rings all but the wires that close them.
        assert!(edges + 76 >= graph.edges().len(), "{edges} of {}", graph.edges().len());
        let naive = place("row-major", &Request::of(&graph, &machine, 0)).unwrap();
        let ticks =
            |placement: &Placement| forecast(&placement.phases(&graph, &machine), &machine).unwrap().ticks;
        assert!(ticks(&placement) < ticks(&naive));
    }
}

/// The nearest free living node, lowest number first, by a search of the whole mesh for each.
#[test]
fn dead_nodes_are_repaired_as_by_the_definition() {
    let mut rng = stream(3, "holes");
    for (name, tasks) in [("mesh:12x12", 64), ("torus:12x10", 64), ("mesh:5x5x5", 64), ("hypercube:6", 32)] {
        let whole = Machine::new(name).unwrap();
        let nodes = whole.nodes();
        let dead: Vec<NodeId> = (0..nodes / 4).map(|_| NodeId(rng.random_range(0..nodes))).collect();
        let holed = whole.clone().with_dead(dead).unwrap();
        let mut expected = place("growing", &Request::count(tasks, &whole, 0)).unwrap().nodes;
        let mut taken = vec![false; nodes as usize];
        expected.iter().for_each(|node| taken[node.index()] = true);
        for node in expected.iter_mut().filter(|node| !holed.is_alive(**node)) {
            let distance = distances_from(&whole, *node);
            let free = holed.living().filter(|node| !taken[node.index()]);
            *node = free.min_by_key(|node| (distance[node.index()], *node)).unwrap();
            taken[node.index()] = true;
        }
        let repaired = place("growing", &Request::count(tasks, &holed, 0)).unwrap();
        assert_eq!(repaired.nodes, expected, "{name}");
    }
}

/// In release: a tree, a stencil and rings on a million nodes, each placed, bounded and simulated within seconds.
#[test]
#[ignore = "a million nodes: run in release, alone"]
fn a_million_nodes_take_seconds() {
    let machine = wafer(1000);
    let jobs = [
        (tree(980_000, Bytes(1 << 20)), "bisection"),
        (Job::trace(grid(1000, 980, false)), "axes"),
        (Job::trace(grid(1000, 980, true)), "row-major"),
    ];
    for &(ref job, method) in &jobs {
        let start = Instant::now();
        let own = [machine.switching()];
        let report = map::report_under(job, &machine, &[method], 0, (&own, false), &mut |_| {}).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        println!("{}: {seconds:.1} s", job.tasks.name);
        assert!(report.placements[0].simulated_cycles.of(own[0]).is_some());
        assert!(seconds < 60.0, "{}: {seconds} s", job.tasks.name);
    }
}
