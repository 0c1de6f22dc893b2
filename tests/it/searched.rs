//! What a search gives is no slower than what the program makes without one.

use std::ops::ControlFlow;
use std::path::Path;

use meshwright_core::rng::streams;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_formats::scenario::given::{self, SearchOptions};
use meshwright_mapping::search::{SearchProblem, Start, search};
use meshwright_mapping::{Divide, PLACEMENTS, Placement, Shape, TaskGraph, task_file};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::cost::forecast;
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::{Job, mapping};
use proptest::prelude::*;
use rand::seq::SliceRandom;

use crate::graph_bounds::graph;

fn trace(ranks: u32) -> TaskGraph {
    let file = format!("examples/lammps-lj-{ranks}.phases.csv");
    task_file::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// A stencil whose tasks are numbered at random.
fn stencil(side: u32) -> TaskGraph {
    let mut number: Vec<u32> = (0..side * side).collect();
    number.shuffle(&mut streams(1, "stencil", 0..1).remove(0));
    let at = |row: u32, column: u32| number[(row * side + column) as usize];
    let mut edges = Vec::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let right = (column + 1 < side).then(|| (row, column + 1));
        let below = (row + 1 < side).then(|| (row + 1, column));
        for (r, c) in right.into_iter().chain(below) {
            edges.push((1, at(row, column), at(r, c), 1000));
            edges.push((1, at(r, c), at(row, column), 1000));
        }
    }
    graph(side * side, &edges)
}

fn placements(graph: &TaskGraph, machine: &Machine) -> Vec<Placement> {
    let job = Job::trace(graph.clone());
    PLACEMENTS.iter().filter_map(|method| job.on(machine).place(method.name, 3).ok()).collect()
}

fn simulated(graph: &TaskGraph, machine: &Machine, placement: &Placement) -> u64 {
    let trace = simulate(machine, &placement.phases(graph, machine), &Engine::Message).unwrap();
    if trace.deadlock.is_some() { u64::MAX } else { trace.ticks }
}

/// M1: a search starts no worse than at the best of all placements, recursive bisection included.
#[test]
fn the_start_is_the_best_of_all_placements() {
    for (graph, name) in [(stencil(12), "mesh:12x12"), (trace(16), "mesh:4x4"), (trace(64), "mesh:8x8")] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let machine = Machine::new(name).unwrap().with_switching(switching);
            let problem = SearchProblem {
                graph: &graph,
                machine: &machine,
                pins: &[],
                start: Start::Best,
                seed: 3,
                steps: 0,
                answers: 1,
            };
            let outcome = search(&problem, &mut |_| ControlFlow::Continue(())).unwrap();
            let price = |placement: &Placement| {
                forecast(&placement.phases(&graph, &machine), &machine).unwrap().ticks
            };
            let least = placements(&graph, &machine).iter().map(price).min().unwrap();
            assert!(outcome.start_ticks <= least, "{name}: {} above {least}", outcome.start_ticks);
            assert_eq!(outcome.answers[0].predicted_ticks, outcome.start_ticks);
        }
    }
    // A shuffled stencil is laid out so that no two messages meet, by recursive bisection alone.
    let machine = Machine::new("mesh:12x12").unwrap();
    let searched = look(&stencil(12), &machine, 0);
    assert_eq!(
        simulated(&stencil(12), &machine, &searched[0]),
        (100 + 1000 + 2) * machine.costs().ticks_per_cycle()
    );
}

/// What `--placement search` gives, checked against what it says of itself.
fn look(graph: &TaskGraph, machine: &Machine, steps: u64) -> Vec<Placement> {
    let mut job = Job::trace(graph.clone());
    let mut names = vec!["search".to_string()];
    let search = SearchOptions { steps: Some(steps), answers: 3, ..SearchOptions::default() };
    given::look(&mut job, &mut names, machine, &search, 3, &mut |_| ControlFlow::Continue(())).unwrap();
    let searched = job.searched.unwrap();
    let cycles = |placement: &Placement| {
        let ticks = simulated(graph, machine, placement);
        (ticks != u64::MAX).then(|| machine.costs().cycles(ticks).0)
    };
    assert_eq!(searched.simulated_cycles, job.given.iter().map(cycles).collect::<Vec<_>>());
    let known = |cycles: Option<u64>| cycles.unwrap_or(u64::MAX);
    assert!(searched.simulated_cycles.is_sorted_by_key(|cycles| known(*cycles)), "the fastest first");
    assert!(known(searched.simulated_cycles[0]) <= known(searched.start_simulated_cycles));
    job.given
}

/// M2: under every switching, and for real codes, whose placements the prediction cannot tell apart.
#[test]
fn a_real_code_is_no_slower_than_by_any_formula() {
    for (graph, name) in [(trace(16), "mesh:4x4"), (trace(16), "torus:4x4"), (trace(64), "mesh:8x8")] {
        for &(_, switching) in SWITCHINGS {
            no_slower(&graph, &Machine::new(name).unwrap().with_switching(switching), 3000);
        }
    }
}

/// A search, and `auto`, against all placements.
fn no_slower(graph: &TaskGraph, machine: &Machine, steps: u64) {
    let found = simulated(graph, machine, &look(graph, machine, steps)[0]);
    let chosen = mapping::judge("", &Job::trace(graph.clone()), machine, &["auto"], 3, &mut |_| {}).unwrap();
    let chosen = chosen.results.iter().find(|outcome| chosen.is_won_by(outcome));
    let chosen = chosen.map_or(u64::MAX, |outcome| outcome.simulated());
    for placement in placements(graph, machine) {
        let other = simulated(graph, machine, &placement);
        let what = format!("{} on {} under {}", placement.name, machine.name(), machine.switching().name());
        assert!(found <= other, "{what}: search {found}, {other}");
        // With a random placement nobody competes who is near the bound.
        if other != u64::MAX && placement.name != "random" {
            assert!(chosen <= machine.costs().cycles(other).0, "{what}: auto {chosen}, {other} ticks");
        }
    }
}

/// A large job, searched in another way than small ones: no slower than by any placement, and alike twice.
fn large(machine: &Machine) {
    let graph = stencil(65);
    let found = look(&graph, machine, 3000);
    let ticks = simulated(&graph, machine, &found[0]);
    for placement in placements(&graph, machine) {
        let other = simulated(&graph, machine, &placement);
        assert!(ticks <= other, "{} on {}: {ticks} above {other}", placement.name, machine.name());
    }
    assert_eq!(look(&graph, machine, 3000), found, "{}", machine.name());
}

#[test]
#[ignore = "four thousand tasks: half a minute in a test build"]
fn a_large_job_is_no_slower_than_by_any_placement() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        large(&Machine::new("mesh:66x66").unwrap().with_switching(switching));
    }
}

/// Beyond 8,192 nodes there is no table of routes: each is found round the holes.
#[test]
fn a_large_box_with_holes_is_searched() {
    let holes = Machine::new("mesh:92x92").unwrap().with_dead(vec![NodeId(100), NodeId(4000)]).unwrap();
    let holes = holes.with_switching(Switching::StoreAndForward);
    let graph = stencil(12);
    let found = look(&graph, &holes, 2000);
    let ticks = simulated(&graph, &holes, &found[0]);
    assert!(placements(&graph, &holes).iter().all(|placement| ticks <= simulated(&graph, &holes, placement)));
    let nodes = &found[0].nodes;
    assert!(nodes.iter().all(|node| holes.is_alive(*node)));
}

/// M8: on a short odd line the formulas are not the best, and `auto` finds who is.
#[test]
fn a_short_odd_line_is_searched() {
    let shape = Shape::Halving(vec![7]);
    let job = Divide { shape, alpha: Some(0.5), combine_alpha: None, volume: Bytes(16384) };
    let machine = Machine::new("mesh:7").unwrap().with_switching(Switching::StoreAndForward);
    let verdict =
        mapping::judge("", &Job::divide(&job).unwrap(), &machine, &["auto"], 0, &mut |_| {}).unwrap();
    let winner = verdict.results.iter().find(|outcome| verdict.is_won_by(outcome)).unwrap();
    assert_eq!((winner.simulated(), winner.bound_cycles), (16_784, 16_784));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// M1, M2: neither a search nor `auto` is slower than any placement, on random graphs, machines and switchings.
    #[test]
    fn a_search_is_no_slower_than_any_placement(
        which in 0usize..5,
        dead in prop::option::of(0u32..15),
        tasks in 2u32..15,
        edges in prop::collection::vec((1u32..4, 0u32..14, 0u32..14, 0u64..4000), 1..50),
        switching in 0usize..3,
        steps in 0u64..400,
    ) {
        let name = ["mesh:4x4", "mesh:3x5", "torus:4x4", "hypercube:4", "mesh:16"][which];
        let dead = if name == "mesh:16" { None } else { dead };
        let machine = Machine::new(name).unwrap().with_switching(SWITCHINGS[switching].1);
        let dead = dead.map(|node| NodeId(node % machine.nodes())).into_iter().collect();
        let machine = machine.with_dead(dead).unwrap();
        no_slower(&graph(tasks.min(machine.living_count()), &edges), &machine, steps);
    }
}
