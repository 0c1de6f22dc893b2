//! The search on jobs without a shape of their own: no worse than any placement it starts from, repeatable, and it says when it
//! last found something better.

use std::ops::ControlFlow;

use meshwright_core::rng::stream;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_mapping::search::{SearchOutcome, SearchProblem, Start};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{PLACEMENTS, Placement, Request, TaskGraph, place};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Machine, Switching};
use meshwright_sim::fitting;
use meshwright_verdict::look;
use rand::RngExt;
use rand::seq::SliceRandom;

fn problem<'a>(graph: &'a TaskGraph, machine: &'a Machine, steps: u64) -> SearchProblem<'a> {
    SearchProblem { graph, machine, pins: &[], start: Start::Best, seed: 4, steps, answers: 1 }
}

fn run(problem: &SearchProblem<'_>) -> SearchOutcome {
    look::search(problem, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The referee's time of a placement.
fn simulated(graph: &TaskGraph, machine: &Machine, nodes: &[NodeId]) -> u64 {
    let placement = Placement { name: String::new(), nodes: nodes.to_vec() };
    let fitted = fitting::simulate(machine, &placement.phases(graph, machine), 1 << 21).unwrap();
    if fitted.trace.deadlock.is_some() { u64::MAX } else { fitted.trace.ticks }
}

/// Tasks that send at random, in two phases.
fn random(tasks: u32, messages: u32, seed: u64) -> TaskGraph {
    let mut rng = stream(seed, "tasks at random");
    let mut edge = |index: u32| {
        let (source, target) = (rng.random_range(0..tasks), rng.random_range(0..tasks));
        (index % 2, Edge { source, target, bytes: Bytes(rng.random_range(1..2000)) })
    };
    TaskGraph::new("random", tasks, (0..messages).map(&mut edge).collect()).unwrap()
}

/// A stencil of side x side tasks, numbered at random.
fn stencil(side: u32) -> TaskGraph {
    let mut number: Vec<u32> = (0..side * side).collect();
    number.shuffle(&mut stream(1, "a shuffled stencil"));
    let at = |row: u32, column: u32| number[(row * side + column) as usize];
    let mut edges = Vec::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let next = [(row + 1, column), (row, column + 1)];
        for (r, c) in next.into_iter().filter(|&(r, c)| r < side && c < side) {
            for (source, target) in [(at(row, column), at(r, c)), (at(r, c), at(row, column))] {
                edges.push((1, Edge { source, target, bytes: Bytes(1000) }));
            }
        }
    }
    TaskGraph::new("stencil", side * side, edges).unwrap()
}

/// Data parallel by 16, tensor parallel by 8: rings of 8 with a megabyte a message, then rings of 16 with a quarter.
fn rings() -> TaskGraph {
    let rank = |row: u32, column: u32| 8 * (row % 16) + column % 8;
    let mut edges = Vec::new();
    for (row, column) in (0..16).flat_map(|row| (0..8).map(move |column| (row, column))) {
        let mut send = |phase, target, bytes| {
            edges.push((phase, Edge { source: rank(row, column), target, bytes: Bytes(bytes) }));
        };
        send(1, rank(row, column + 1), 1_000_000);
        send(2, rank(row + 1, column), 250_000);
    }
    TaskGraph::new("rings", 128, edges).unwrap()
}

#[test]
fn no_answer_is_slower_than_any_placement_it_could_have_started_from() {
    let broken = |name: &str, dead: &[u32]| {
        Machine::new(name).unwrap().with_dead(dead.iter().copied().map(NodeId).collect()).unwrap()
    };
    let machines = [
        Machine::new("mesh:4x4").unwrap(),
        Machine::new("torus:4x4").unwrap(),
        Machine::new("hypercube:4").unwrap(),
        broken("mesh:5x4", &[6, 13]),
    ];
    for (index, machine) in machines.into_iter().enumerate() {
        for &(_, switching) in SWITCHINGS {
            let machine = machine.clone().with_switching(switching);
            let graph = random(if index % 2 == 0 { 16 } else { 13 }, 60, index as u64);
            let outcome = run(&problem(&graph, &machine, 4000));
            let ours = simulated(&graph, &machine, &outcome.answers[0].placement.nodes);
            assert_eq!(ours, outcome.answers[0].judged_ticks, "what it says of itself");
            for method in PLACEMENTS {
                let Ok(seed) = place(method.name, &Request::of(&graph, &machine, 4)) else { continue };
                let theirs = simulated(&graph, &machine, &seed.nodes);
                assert!(ours <= theirs, "{} on {}: {ours} > {theirs}", method.name, machine.name());
            }
        }
    }
}

#[test]
fn the_same_steps_give_the_same_again_however_often_one_looks() {
    let (graph, machine) = (random(20, 90, 3), Machine::new("mesh:5x5").unwrap());
    let asked = SearchProblem { answers: 3, ..problem(&graph, &machine, 60_000) };
    let outcome = run(&asked);
    assert_eq!(outcome, run(&asked));
    assert!(outcome.last_improved_steps <= outcome.steps && outcome.answers.len() == 3);
    // Broken off after some looks: the steps made give the same.
    let mut looks = 0;
    let broken_off = look::search(&SearchProblem { steps: u64::MAX, ..asked }, &mut |progress| {
        assert!(progress.last_improved_steps <= progress.steps);
        looks += 1;
        if looks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let broken_off = broken_off.unwrap();
    assert_eq!(run(&SearchProblem { steps: broken_off.steps, ..asked }), broken_off);
}

#[test]
fn pinned_tasks_stay_where_they_are_in_rounds_of_every_kind() {
    let graph = random(15, 70, 5);
    let machine = Machine::new("mesh:4x4").unwrap().with_dead(vec![NodeId(9)]).unwrap();
    let pins = [(3, NodeId(0)), (7, NodeId(10))];
    let outcome = run(&SearchProblem { pins: &pins, answers: 4, ..problem(&graph, &machine, 150_000) });
    for answer in &outcome.answers {
        let nodes = &answer.placement.nodes;
        assert!(pins.iter().all(|&(task, node)| nodes[task as usize] == node));
        assert!(nodes.iter().all(|&node| machine.is_alive(node)));
        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), nodes.len(), "one task on a node");
    }
}

/// A swap of axes gives 27,440; a row-major start 62,440.
#[test]
fn rings_of_a_logical_mesh_find_their_axes_from_the_file_alone() {
    let costs = Costs { startup: Cycles(1000), byte_time: Ratio::new(1, 50).unwrap(), flit: Bytes(1000) };
    let machine = Machine::new("mesh:8x16").unwrap().with_costs(costs).unwrap();
    let outcome = run(&problem(&rings(), &machine, 0));
    let cycles = machine.costs().cycles(outcome.answers[0].judged_ticks).0;
    assert!(cycles <= 27_440, "{cycles}");
    assert_eq!(outcome.last_improved_steps, 0, "it starts there");
}

#[test]
fn a_search_that_finds_nothing_more_says_so() {
    let machine = Machine::new("mesh:4x4").unwrap();
    let outcome = run(&problem(&stencil(4), &machine, 1_200_000));
    assert!(outcome.converged && outcome.steps == 1_200_000);
    assert_eq!(machine.costs().cycles(outcome.answers[0].judged_ticks).0, 100 + 1000 + 2);
    let machine = Machine::new("mesh:5x5").unwrap();
    assert!(!run(&problem(&random(20, 90, 3), &machine, 100)).converged);
}

/// Worms of neighbours wait for each other in chains that a prediction does not see.
#[test]
fn worms_are_judged_by_the_referee_and_not_by_the_prediction() {
    let graph = random(36, 300, 8);
    let machine = Machine::new("mesh:6x6").unwrap().with_switching(Switching::Wormhole);
    let outcome = run(&problem(&graph, &machine, 30_000));
    let best = &outcome.answers[0];
    assert!(10 * best.judged_ticks < 9 * outcome.start_judged_ticks, "{outcome:?}");
    assert!(best.predicted_ticks <= best.judged_ticks);
}

#[test]
fn ten_thousand_tasks_are_no_slower_than_cut_in_two() {
    let (graph, machine) = (stencil(100), Machine::new("mesh:100x100").unwrap());
    let machine = machine.with_switching(Switching::StoreAndForward);
    let outcome = run(&problem(&graph, &machine, 20_000));
    let bisected = place("recursive-bisection", &Request::of(&graph, &machine, 4)).unwrap();
    let theirs = simulated(&graph, &machine, &bisected.nodes);
    assert!(outcome.answers[0].judged_ticks <= theirs);
    assert_eq!(outcome.steps, 20_000);
}
