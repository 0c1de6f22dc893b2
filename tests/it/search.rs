//! The search: its prediction is the program's, its answers are valid, ranked and repeatable, and when there is
//! none it says why.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;

use meshwright_core::Error;
use meshwright_core::units::{Bytes, Cycles, NodeId, Port, Ratio};
use meshwright_mapping as mapping;
use meshwright_mapping::search::{Judged, SearchOutcome, SearchProblem, Start, search, search_by};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, divide, task_file};
use meshwright_network::routing;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Costs, Graph, Machine, PortModel, Switching, Topology};
use meshwright_schedule::{Message, cost};
use meshwright_sim as sim;

#[path = "../../examples/against_scotch/scotch.rs"]
mod scotch;

fn binomial(n: u32, alpha: f64, volume: u64) -> TaskGraph {
    let volume = Bytes(volume);
    divide::task_graph(&Divide { shape: Shape::Binomial(n), alpha: Some(alpha), combine_alpha: None, volume })
        .unwrap()
}

fn trace(ranks: u32) -> TaskGraph {
    let file = format!("examples/lammps-lj-{ranks}.phases.csv");
    task_file::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

fn problem<'a>(graph: &'a TaskGraph, machine: &'a Machine, steps: u64) -> SearchProblem<'a> {
    SearchProblem { graph, machine, pins: &[], start: Start::Random, seed: 1, steps, answers: 1 }
}

fn run(problem: &SearchProblem<'_>) -> SearchOutcome {
    search(problem, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// What `verdict` predicts: phase by phase, and as the forecast of the whole.
fn predicted(graph: &TaskGraph, placement: &Placement, machine: &Machine) -> u64 {
    let phases = placement.phases(graph, machine);
    let mut loads = cost::LinkLoads::new(machine.links());
    let phase = |index: usize| {
        let messages = phases.phase(index);
        let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
        let routes = routing::routes(machine, &pairs).unwrap();
        loads.fill(messages, &routes);
        cost::predicted(messages, &routes, &loads, machine.switching(), machine)
    };
    let ticks = (0..phases.len()).map(phase).sum();
    assert_eq!(cost::forecast(&phases, machine).unwrap().ticks, ticks);
    ticks
}

/// Checks what holds for any outcome.
fn check(problem: &SearchProblem<'_>, outcome: &SearchOutcome) {
    let SearchProblem { graph, machine, pins, .. } = problem;
    assert!(!outcome.answers.is_empty() && outcome.answers.len() <= problem.answers);
    for answer in &outcome.answers {
        let nodes = &answer.placement.nodes;
        assert_eq!(nodes.len(), graph.tasks as usize);
        let mut taken = nodes.clone();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), nodes.len(), "one task on a node");
        assert!(nodes.iter().all(|node| machine.is_alive(*node)));
        assert!(pins.iter().all(|(task, node)| nodes[*task as usize] == *node));
        assert_eq!(
            answer.predicted_ticks,
            predicted(graph, &answer.placement, machine),
            "{}",
            machine.name()
        );
    }
    for two in outcome.answers.windows(2) {
        assert!(two[0].predicted_ticks <= two[1].predicted_ticks, "the fastest first");
        assert_ne!(two[0].placement, two[1].placement, "all different");
    }
    assert!(outcome.answers[0].predicted_ticks <= outcome.start_ticks);
}

fn broken(name: &str, dead: &[u32]) -> Machine {
    Machine::new(name).unwrap().with_dead(dead.iter().copied().map(NodeId).collect()).unwrap()
}

/// A general network: two rings of five joined by a wire.
fn two_rings() -> Machine {
    let ring = |base: u32| (0..5).map(move |i| (base + i, base + (i + 1) % 5));
    let arcs = ring(0).chain(ring(5)).chain([(0, 5)]).map(|(from, to)| Arc { from, to, weight: 1 }).collect();
    Machine::of("two rings", &Graph::from_arcs(&ArcList { vertices: 10, arcs }).unwrap()).unwrap()
}

#[test]
fn predictions_are_the_programs_on_every_kind_of_machine() {
    let odd = Costs { startup: Cycles(7), byte_time: Ratio::new(2, 3).unwrap(), flit: Bytes(5) };
    let graphs = [binomial(3, 0.5, 4096), trace(16)];
    let machines = [
        Machine::new("mesh:3x7").unwrap(),
        Machine::new("torus:4x4x2").unwrap(),
        Machine::new("hypercube:4").unwrap(),
        broken("mesh:5x5", &[6, 12]),
        broken("torus:3x8", &[0]),
        two_rings(),
    ];
    for (machine, graph) in
        machines.iter().flat_map(|machine| graphs.iter().map(move |graph| (machine, graph)))
    {
        if graph.tasks > machine.living_count() {
            continue;
        }
        for ((_, switching), start) in SWITCHINGS.iter().zip([Start::Random, Start::Best, Start::Random]) {
            for (ports, costs) in [(PortModel::All, odd), (PortModel::One, Costs::default())] {
                let mut machine = machine.clone().with_switching(*switching);
                machine = machine.with_port_model(ports).with_costs(costs).unwrap();
                let problem = SearchProblem { answers: 4, start, ..problem(graph, &machine, 300) };
                check(&problem, &run(&problem));
            }
        }
    }
}

#[test]
fn a_search_stopped_by_its_watch_is_repeated_by_its_steps() {
    let (graph, machine) = (binomial(6, 0.5, 4096), Machine::new("mesh:8x8").unwrap());
    let calls = Cell::new(0);
    let endless = SearchProblem { answers: 3, ..problem(&graph, &machine, u64::MAX) };
    let stopped = search(&endless, &mut |progress| {
        assert!(progress.best_ticks <= progress.start_ticks);
        calls.set(calls.get() + 1);
        if calls.get() < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    let again = run(&SearchProblem { steps: stopped.steps, ..endless });
    assert_eq!(again, stopped);
    assert_ne!(run(&SearchProblem { steps: stopped.steps, seed: 2, ..endless }).answers, stopped.answers);
    assert_eq!(run(&SearchProblem { steps: 0, ..endless }).steps, 0, "no step is a search, too");
}

#[test]
fn a_judge_who_simulates_flits_is_asked_less_often() {
    let (graph, machine) = (binomial(4, 0.5, 4096), Machine::new("ccc:3").unwrap());
    let problem = SearchProblem { start: Start::Best, ..problem(&graph, &machine, 300_000) };
    let asked = |flit_hops| {
        let mut asked = 0u64;
        let mut judge = |nodes: &[NodeId], _: u64| {
            asked += 1;
            Judged {
                ticks: nodes.iter().zip(0..).map(|(node, task)| u64::from(node.0) * task).sum(),
                flit_hops,
            }
        };
        search_by(&problem, &mut judge, &mut |_| ControlFlow::Continue(())).unwrap();
        asked
    };
    let (whole, flits) = (asked(0), asked(1 << 21));
    assert!(flits > 0 && 4 * flits < whole, "{flits} of {whole} times");
}

#[test]
fn pinned_tasks_stay_and_answers_are_ranked() {
    let machine = broken("mesh:5x5", &[12]);
    for graph in [binomial(4, 1.0, 500), trace(16)] {
        for start in [Start::Random, Start::Best] {
            let pins = [(15, NodeId(0)), (3, NodeId(24)), (3, NodeId(24)), (0, NodeId(7))];
            let problem = SearchProblem { pins: &pins, start, answers: 5, ..problem(&graph, &machine, 8000) };
            let outcome = run(&problem);
            check(&problem, &outcome);
            assert_eq!(outcome.answers.len(), 5);
        }
    }
}

#[test]
fn recursive_bisection_lets_no_two_worms_of_a_tree_meet() {
    // Every cut of a binomial tree that leaves one edge between the halves gives such a placement.
    for n in 2..=8 {
        let machine = Machine::mesh([1 << (n / 2), 1 << (n - n / 2)]).unwrap();
        let graph = binomial(n, 1.0, 64);
        let placement = mapping::place("recursive-bisection", &Request::of(&graph, &machine, 3)).unwrap();
        let phases = placement.phases(&graph, &machine);
        let mut loads = cost::LinkLoads::new(machine.links());
        for index in 0..phases.len() {
            let messages = phases.phase(index);
            let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
            loads.fill(messages, &routing::routes(&machine, &pairs).unwrap());
            assert_eq!(loads.messages_max(), 1, "B({n}), phase {}", index + 1);
        }
    }
    // On a ring of two rings a tree of five tasks and more fits nowhere but across the wire.
    let rings = two_rings();
    let graph = binomial(3, 1.0, 64);
    let placement = mapping::place("recursive-bisection", &Request::of(&graph, &rings, 3)).unwrap();
    let near = placement.nodes.iter().filter(|node| node.0 < 5).count();
    assert_eq!(near, 4, "half the tree on each ring: {:?}", placement.nodes);
}

/// The sum of bytes times links of a placement.
fn traffic(graph: &TaskGraph, machine: &Machine, nodes: &[NodeId]) -> u64 {
    let one = |edge: &Edge| {
        let (from, to) = (nodes[edge.source as usize], nodes[edge.target as usize]);
        edge.bytes.0 * u64::from(machine.distance(from, to).unwrap().0)
    };
    graph.edges().iter().map(one).sum()
}

#[test]
fn recursive_bisection_brings_those_that_talk_near_each_other() {
    let bisected = |graph: &TaskGraph, machine: &Machine, seed: u64| {
        mapping::place("recursive-bisection", &Request::of(graph, machine, seed)).unwrap().nodes
    };
    // A box of tasks that talk to their neighbours fits onto the same box with one link for each message.
    for (name, machine) in
        [("mesh:8x8", "mesh:8x8"), ("torus:4x4x4", "torus:4x4x4"), ("mesh:16x2", "mesh:2x16")]
    {
        let (tasks, machine) = (Machine::new(name).unwrap(), Machine::new(machine).unwrap());
        let mut edges = Vec::new();
        for node in (0..tasks.nodes()).map(NodeId) {
            for to in (0..tasks.ports(node)).filter_map(|port| tasks.neighbour(node, Port(port))) {
                edges.push((1, Edge { source: node.0, target: to.0, bytes: Bytes(8) }));
            }
        }
        let volume = 8 * edges.len() as u64;
        let graph = TaskGraph::new(name, tasks.nodes(), edges).unwrap();
        for seed in 0..3 {
            assert_eq!(
                traffic(&graph, &machine, &bisected(&graph, &machine, seed)),
                volume,
                "{name}, {seed}"
            );
        }
    }
    // Links on the way of a message of B(n), on the average.
    for (n, side, most) in [(6, 8, 1.2), (8, 16, 1.22), (10, 32, 1.26)] {
        let (graph, machine) = (binomial(n, 1.0, 1), Machine::mesh([side, side]).unwrap());
        let links = traffic(&graph, &machine, &bisected(&graph, &machine, 1));
        let mean = links as f64 / graph.edges().len() as f64;
        assert!(mean <= most, "B({n}): {mean} links");
    }
}

#[test]
fn recursive_bisection_makes_no_more_traffic_than_scotch() {
    if !scotch::is_installed() {
        println!("skipped: scotch_gmap is not installed");
        return;
    }
    for (ranks, name) in [(16, "mesh:4x4"), (64, "mesh:8x8"), (64, "torus:4x4x4")] {
        let (graph, machine) = (trace(ranks), Machine::new(name).unwrap());
        let of = |strategy: &&str| traffic(&graph, &machine, &scotch::place(&graph, &machine, strategy));
        let theirs = scotch::STRATEGIES.iter().map(of).min().unwrap();
        let placement = mapping::place("recursive-bisection", &Request::of(&graph, &machine, 0)).unwrap();
        let ours = traffic(&graph, &machine, &placement.nodes);
        // Among placements of nearly the same traffic, the fastest is taken, not that of the least.
        assert!(ours as f64 <= 1.01 * theirs as f64, "{name}: {ours}, Scotch {theirs}");
    }
}

#[test]
fn small_trees_are_placed_best_from_a_random_start() {
    // B(6) on 8 x 8: dilations must add up to the radius, 8, and no two worms need to meet.
    let graph = binomial(6, 1.0, 1);
    let mut machine = Machine::new("mesh:8x8").unwrap().with_switching(Switching::StoreAndForward);
    machine = machine.with_startup(Cycles(0)).unwrap();
    assert_eq!(run(&problem(&graph, &machine, 20_000)).answers[0].predicted_ticks, 8);
    let large = binomial(6, 1.0, 1 << 20);
    let machine = machine.with_switching(Switching::Wormhole);
    let ticks = run(&problem(&large, &machine, 2000)).answers[0].predicted_ticks;
    assert!((6 << 20..(6 << 20) + 6 * 16).contains(&ticks), "{ticks}");
}

#[test]
#[ignore = "ten million steps: some ten seconds for each seed"]
fn ten_phases_come_near_the_optimum_from_a_random_start() {
    let mut machine = Machine::new("mesh:32x32").unwrap().with_switching(Switching::StoreAndForward);
    machine = machine.with_startup(Cycles(0)).unwrap();
    for seed in 1..=3 {
        let graph = binomial(10, 1.0, 1);
        let found = run(&SearchProblem { seed, ..problem(&graph, &machine, 10_000_000) });
        assert!(
            found.answers[0].predicted_ticks <= 35,
            "the optimum is 32: {}",
            found.answers[0].predicted_ticks
        );
        let worms = machine.clone().with_switching(Switching::Wormhole);
        let graph = binomial(10, 1.0, 1 << 30);
        let found = run(&SearchProblem { seed, ..problem(&graph, &worms, 2000) });
        assert!(found.answers[0].predicted_ticks >> 30 <= 12, "the optimum is 10");
    }
}

/// The sentence of a problem without an answer.
fn refusal(graph: &TaskGraph, machine: &Machine, pins: &[(u32, NodeId)]) -> String {
    let problem = SearchProblem { pins, ..problem(graph, machine, 10) };
    let error = search(&problem, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error, Error::NotApplicable { .. } | Error::Value { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_problem_without_an_answer_is_refused_with_the_reason() {
    let graph = binomial(2, 1.0, 8);
    let mesh = Machine::new("mesh:2x3").unwrap();
    let has = |text: &str, words: &[&str]| {
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    has(&refusal(&graph, &mesh, &[(0, NodeId(1)), (2, NodeId(1))]), &["tasks 0 and 2", "both", "(0,1)"]);
    has(&refusal(&graph, &mesh, &[(0, NodeId(1)), (0, NodeId(2))]), &["task 0", "(0,1)", "(0,2)"]);
    has(&refusal(&graph, &mesh, &[(4, NodeId(1))]), &["pinned task is 4", "0 to 3"]);
    has(&refusal(&graph, &mesh, &[(1, NodeId(6))]), &["node of a pinned task is 6", "0 to 5"]);
    has(&refusal(&graph, &broken("mesh:2x3", &[5]), &[(1, NodeId(5))]), &["task 1", "(1,2)", "dead"]);
    has(&refusal(&graph, &broken("mesh:2x3", &[0, 1, 5]), &[]), &["4 tasks", "3 living nodes"]);
    // The dead column leaves a part of two nodes and one of four.
    let cut = broken("mesh:2x4", &[1, 5]);
    has(
        &refusal(&graph, &cut, &[(0, NodeId(0)), (1, NodeId(2))]),
        &["tasks 0 and 1", "no path", "(0,0)", "(0,2)"],
    );
    has(&refusal(&graph, &cut, &[(0, NodeId(0))]), &["4 tasks", "pinned", "2 living nodes"]);
    let halves = broken("mesh:2x5", &[2, 7]);
    has(&refusal(&binomial(3, 1.0, 8), &halves, &[]), &["8 tasks", "talk to each other", "at most 4"]);
    let edge = |source, target| (1, Edge { source, target, bytes: Bytes(8) });
    let triples = vec![edge(0, 1), edge(1, 2), edge(3, 4), edge(4, 5), edge(6, 7)];
    let triples = TaskGraph::new("two of three, one of two", 8, triples).unwrap();
    has(&refusal(&triples, &halves, &[]), &["cannot be divided"]);
    let none = SearchProblem { answers: 0, ..problem(&graph, &mesh, 10) };
    assert!(search(&none, &mut |_| ControlFlow::Continue(())).is_err());
}

#[test]
fn groups_are_divided_among_parts_that_do_not_reach_each_other() {
    let halves = broken("mesh:2x7", &[3, 10]);
    let edge = |source, target| (1, Edge { source, target, bytes: Bytes(8) });
    // Groups of 4, 3, 3 and 2 in two parts of 6: the first that fits, 4 and 2, then 3 and 3.
    let edges = vec![
        edge(0, 1),
        edge(1, 2),
        edge(2, 3),
        edge(4, 5),
        edge(5, 6),
        edge(7, 8),
        edge(8, 9),
        edge(10, 11),
    ];
    let graph = TaskGraph::new("groups", 12, edges).unwrap();
    for pins in [&[][..], &[(4, NodeId(0)), (0, NodeId(13))]] {
        let problem = SearchProblem { pins, answers: 3, ..problem(&graph, &halves, 3000) };
        check(&problem, &run(&problem));
    }
}

/// The simulated time of the fastest of some placements that do not deadlock.
fn simulated(graph: &TaskGraph, machine: &Machine, placements: impl Iterator<Item = Vec<NodeId>>) -> u64 {
    let one = |nodes: Vec<NodeId>| {
        let placement = Placement { name: String::new(), nodes };
        let trace = sim::simulate(machine, &placement.phases(graph, machine), &sim::Engine::Message).unwrap();
        if trace.deadlock.is_some() { u64::MAX } else { trace.ticks }
    };
    placements.map(one).min().unwrap()
}

fn against_scotch(graph: &TaskGraph, machine: &Machine, steps: u64) {
    let theirs = simulated(
        graph,
        machine,
        scotch::STRATEGIES.iter().map(|strategy| scotch::place(graph, machine, strategy)),
    );
    let outcome = run(&SearchProblem { answers: 4, start: Start::Best, ..problem(graph, machine, steps) });
    let ours = simulated(graph, machine, outcome.answers.into_iter().map(|answer| answer.placement.nodes));
    let (name, switching) = (machine.name(), machine.switching().name());
    println!("{} on {name}, {switching}: {ours} simulated, Scotch {theirs}", graph.name);
    assert!(ours <= theirs, "{name}, {switching}: {ours} > {theirs}");
}

#[test]
fn a_real_code_is_placed_no_worse_than_by_scotch() {
    if !scotch::is_installed() {
        println!("skipped: scotch_gmap is not installed");
        return;
    }
    let graph = trace(16);
    for (_, switching) in SWITCHINGS {
        against_scotch(&graph, &Machine::new("mesh:4x4").unwrap().with_switching(*switching), 20_000);
    }
}

#[test]
#[ignore = "hundreds of thousands of exchanges: half a minute in a release build"]
fn sixty_four_ranks_are_placed_no_worse_than_by_scotch() {
    if !scotch::is_installed() {
        println!("skipped: scotch_gmap is not installed");
        return;
    }
    let graph = trace(64);
    for machine in ["mesh:8x8", "torus:4x4x4"] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            against_scotch(&graph, &Machine::new(machine).unwrap().with_switching(switching), 200_000);
        }
    }
}
