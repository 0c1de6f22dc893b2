//! Exact placements: nothing that was tried is faster, and what is not proved is not said to be.

use std::ops::ControlFlow;
use std::process::Command;

use serde_json::Value;

use meshwright_core::rng;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_mapping::certificate::{Certificate, TreeProof, verify_by};
use meshwright_mapping::exact::{ExactOutcome, ExactProblem, exact};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, PortModel, Switching};
use meshwright_schedule::cost::forecast;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};
use meshwright_verdict::look;
use rand::RngExt;

/// Everybody sends to some others, in some phases; every second job has messages of one size.
fn random_graph(tasks: u32, phases: u32, seed: u64) -> TaskGraph {
    let mut generator = rng::stream(seed, "exact");
    let mut edges = Vec::new();
    for phase in 1..=phases {
        for source in 0..tasks {
            for target in (0..tasks).filter(|&target| target != source) {
                if generator.random_range(0..tasks) == 0 {
                    let bytes = if seed.is_multiple_of(2) { 300 } else { generator.random_range(0..600) };
                    edges.push((phase, Edge { source, target, bytes: Bytes(bytes) }));
                }
            }
        }
    }
    edges.push((1, Edge { source: 0, target: 1, bytes: Bytes(700) }));
    TaskGraph::new("random", tasks, edges).unwrap()
}

fn simulated(graph: &TaskGraph, machine: &Machine, nodes: &[NodeId]) -> u64 {
    let placement = Placement { name: "one".into(), nodes: nodes.to_vec() };
    let trace = fitting::simulate(machine, &placement.phases(graph, machine), FLIT_HOPS_MAX).unwrap().trace;
    if trace.deadlock.is_some() { u64::MAX } else { trace.ticks }
}

/// Calls `visit` with every placement.
fn every_placement(machine: &Machine, tasks: u32, visit: &mut dyn FnMut(&[NodeId])) {
    fn place(living: &[NodeId], left: u32, nodes: &mut Vec<NodeId>, visit: &mut dyn FnMut(&[NodeId])) {
        if left == 0 {
            return visit(nodes);
        }
        for &node in living {
            if !nodes.contains(&node) {
                nodes.push(node);
                place(living, left - 1, nodes, visit);
                nodes.pop();
            }
        }
    }
    place(&machine.living().collect::<Vec<_>>(), tasks, &mut Vec::new(), visit);
}

/// The least time of all placements.
fn least(graph: &TaskGraph, machine: &Machine) -> u64 {
    let mut least = u64::MAX;
    every_placement(machine, graph.tasks, &mut |nodes| least = least.min(simulated(graph, machine, nodes)));
    least
}

fn proved(graph: &TaskGraph, machine: &Machine) -> ExactOutcome {
    look::exact(graph, machine, 0, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// From the worst start, so that the tree has to find the best.
fn proved_from(graph: &TaskGraph, machine: &Machine, start: &[NodeId], nodes: u64) -> ExactOutcome {
    let start_ticks = simulated(graph, machine, start);
    let problem = ExactProblem { graph, machine, start, start_ticks, nodes };
    let mut judge = |nodes: &[NodeId], _: u64| Ok(simulated(graph, machine, nodes));
    exact(&problem, &mut judge, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn agrees(graph: &TaskGraph, machine: &Machine, what: &str) {
    let least = least(graph, machine);
    let start: Vec<NodeId> = machine.living().take(graph.tasks as usize).collect();
    let from_anywhere = proved_from(graph, machine, &start, u64::MAX);
    for outcome in [proved(graph, machine), from_anywhere] {
        assert!(outcome.is_optimal(), "{what}: {outcome:?}");
        assert_eq!(outcome.ticks, least, "{what}");
        assert_eq!(simulated(graph, machine, &outcome.placement.nodes), least, "{what}");
    }
}

/// Machines with few nodes, and how many tasks they get.
fn machines() -> Vec<(Machine, u32)> {
    let whole = [("mesh:2x3", 4), ("mesh:5", 5), ("torus:5", 5), ("hypercube:3", 3), ("torus:2x4", 3)];
    let mut machines: Vec<(Machine, u32)> =
        whole.iter().map(|&(name, tasks)| (Machine::new(name).unwrap(), tasks)).collect();
    machines.push((Machine::new("mesh:3x3").unwrap().with_dead(vec![NodeId(4)]).unwrap(), 3));
    machines.push((Machine::new("torus:6").unwrap().with_dead(vec![NodeId(2)]).unwrap(), 4));
    machines.push((Machine::new("mesh:2x3").unwrap().with_port_model(PortModel::One), 4));
    machines.push((Machine::new("gaussian:2+1i").unwrap(), 4));
    machines
}

/// The optimum of small jobs is the least time of all placements, one after the other: on boxes, rings, cubes, with dead nodes,
/// single ports, under all switchings.
#[test]
fn the_least_of_all_placements() {
    for (machine, tasks) in machines() {
        for &(name, switching) in SWITCHINGS {
            let machine = machine.clone().with_switching(switching);
            for seed in 0..2 {
                let graph = random_graph(tasks, 1 + seed as u32, seed);
                agrees(&graph, &machine, &format!("{} {name}, seed {seed}", machine.name()));
            }
        }
    }
}

/// The same for eight tasks, which takes minutes.
#[test]
#[ignore = "40,320 simulations for each of many jobs"]
fn the_least_of_all_placements_of_eight_tasks() {
    for name in ["mesh:2x4", "hypercube:3", "torus:8", "torus:2x4"] {
        for &(switching_name, switching) in SWITCHINGS {
            let machine = Machine::new(name).unwrap().with_switching(switching);
            for seed in 0..4 {
                let graph = random_graph(8, 1 + seed as u32 % 3, seed);
                agrees(&graph, &machine, &format!("{name} {switching_name}, seed {seed}"));
            }
        }
    }
}

/// Symmetric jobs: what can change places, rings that turn, everybody with everybody.
#[test]
fn symmetric_jobs_have_the_same_optimum() {
    let edge = |source, target| (1, Edge { source, target, bytes: Bytes(200) });
    let ring = (0..5).map(|task| edge(task, (task + 1) % 5)).collect();
    let star = (1..5).flat_map(|leaf| [edge(0, leaf), edge(leaf, 0)]).collect();
    let pairs = (0..3).map(|pair| edge(2 * pair, 2 * pair + 1)).collect();
    let all = (0..5).flat_map(|a| (0..5).filter(move |&b| b != a).map(move |b| edge(a, b))).collect();
    for (tasks, edges) in [(5, ring), (5, star), (6, pairs), (5, all)] {
        let graph = TaskGraph::new("symmetric", tasks, edges).unwrap();
        for name in ["mesh:2x3", "torus:6"] {
            for &(switching_name, switching) in SWITCHINGS {
                let machine = Machine::new(name).unwrap().with_switching(switching);
                agrees(&graph, &machine, &format!("{tasks} on {name} {switching_name}"));
            }
        }
    }
}

/// Runs the program: exit code, what it prints, what it complains about.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The trace of LAMMPS on 16 ranks: optimal on a mesh under store-and-forward, no better than its link-level bound allows.
#[test]
fn a_trace_of_lammps_on_16_ranks() {
    let trace = "examples/lammps-lj-16.phases.csv";
    let command =
        ["map", trace, "--on", "mesh:4x4", "--placement", "exact", "--switching", "store-and-forward"];
    let (code, stdout, stderr) = run(&[&command[..], &["--json"]].concat());
    assert_eq!(code, Some(0), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let row = &report["placements"][0];
    assert_eq!((&row["name"], &row["optimal"]), (&"exact".into(), &true.into()));
    // Found and proved with a program of its own, which knows the link-level time alone.
    assert_eq!(row["simulated_cycles"]["store-and-forward"], 1_062_936);
    assert_eq!(row["bound_cycles"], 1_062_936);
    assert!(row["nodes_searched"].as_u64().unwrap() > 0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof.json");
    let emit = format!("certificate:{}", file.display());
    let (_, text, _) = run(&[&command[..], &["--emit", &emit]].concat());
    assert!(text.contains("exact: 1062936 cycles under store-and-forward are optimal"), "{text}");
    let (code, checked, _) = run(&["check", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{checked}");
    assert!(checked.contains("1062936 cycles, proved by `branch-and-bound`"), "{checked}");
    let proof = std::fs::read_to_string(&file).unwrap();
    let (before, after) = proof.split_once("\"tree\":\"").unwrap();
    let other = if after.starts_with('1') { '2' } else { '1' };
    std::fs::write(&file, format!("{before}\"tree\":\"{other}{}", &after[1..])).unwrap();
    let (code, checked, _) = run(&["check", file.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{checked}");
    assert!(checked.contains("refuted: the numbers add up to"), "{checked}");
}

/// What a proof claims is proved again from edges and routes; with another digit anywhere in its numbers it is refused.
#[test]
fn a_proof_is_walked_through_again() {
    for (name, switching) in [("mesh:2x4", 0), ("torus:2x4", 0), ("mesh:2x4", 2)] {
        let machine = Machine::new(name).unwrap().with_switching(SWITCHINGS[switching].1);
        let graph = random_graph(7, 3, 6 + switching as u64);
        let start: Vec<NodeId> = machine.living().take(7).collect();
        let outcome = proved_from(&graph, &machine, &start, u64::MAX);
        let certificate = outcome.bound.certificate.clone();
        assert_eq!((certificate.kind(), outcome.bound.ticks), ("branch-and-bound", outcome.ticks), "{name}");
        let verify = |certificate: &Certificate| {
            let mut simulator = |nodes: &[NodeId]| Some(simulated(&graph, &machine, nodes));
            verify_by(certificate, &graph, &machine, machine.switching(), &mut simulator)
        };
        assert_eq!(verify(&certificate), Ok(outcome.ticks), "{name}");
        let text = serde_json::to_string(&certificate).unwrap();
        let tree = text.find("\"tree\"").unwrap();
        let numbers = [text.find("\"ticks\"").unwrap(), tree, text.len() / 2, text.len() - 4];
        let digits: Vec<usize> =
            text.match_indices(|one: char| one.is_ascii_digit()).map(|(at, _)| at).collect();
        let sample = digits.iter().step_by(digits.len() / 40 + 1).copied();
        let near = numbers.iter().flat_map(|&at| digits.iter().copied().find(|&digit| digit > at));
        for at in sample.chain(near) {
            let other = (text.as_bytes()[at] - b'0' + 1) % 10;
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            let is_proved = serde_json::from_str(&changed).is_ok_and(|changed| verify(&changed).is_ok());
            assert!(!is_proved, "{name}: a digit changed at {at}");
        }
        // With the sum made right again a tree that claims more is refused for what it is.
        let Certificate::BranchAndBound(mut proof) = certificate else { panic!("a tree") };
        proof.ticks += 1;
        proof.checksum = proof.sum();
        assert!(verify(&Certificate::BranchAndBound(proof)).is_err(), "{name}: one tick more is not true");
    }
}

/// Four partners of each of sixteen tasks: cuts show soon that one link carries three messages, and the tree says so. With
/// another zone, or none, it does not.
#[test]
fn cuts_close_a_tree_of_sixteen_tasks() {
    // The job `random-16` of `docs/bounds.md`.
    let mut state = 16u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut edges = Vec::new();
    for _ in 0..2 {
        let mut order: Vec<u32> = (0..16).collect();
        (1..16).rev().for_each(|last| order.swap(last, below(last as u64 + 1) as usize));
        for at in 0..16 {
            let (task, next) = (order[at], order[(at + 1) % 16]);
            let edge = |source, target| (1, Edge { source, target, bytes: Bytes(1024) });
            edges.extend([edge(task, next), edge(next, task)]);
        }
    }
    let graph = TaskGraph::new("partners", 16, edges).unwrap();
    let machine = Machine::new("mesh:4x4").unwrap().with_switching(Switching::CutThrough);
    let start: Vec<NodeId> = machine.living().collect();
    let outcome = proved_from(&graph, &machine, &start, 60_000);
    let three = machine.costs().startup_ticks() + 3 * machine.costs().transfer_ticks(Bytes(1024));
    assert!(outcome.bound.ticks >= three, "{} of {three}", outcome.bound.ticks);
    let verify = |proof: TreeProof| {
        let mut simulator = |nodes: &[NodeId]| Some(simulated(&graph, &machine, nodes));
        verify_by(&Certificate::BranchAndBound(proof), &graph, &machine, machine.switching(), &mut simulator)
    };
    let Certificate::BranchAndBound(proof) = outcome.bound.certificate else { panic!("a tree") };
    assert_eq!(verify(proof.clone()), Ok(outcome.bound.ticks));
    let with_zones = |zones: Vec<Vec<[u32; 2]>>| {
        let mut proof = TreeProof { zones, ..proof.clone() };
        proof.checksum = proof.sum();
        verify(proof).is_ok()
    };
    assert!(with_zones(proof.zones.clone()) && !with_zones(Vec::new()));
    assert!(!with_zones(vec![vec![[0, 16]]]), "there is no node 16");
}

/// With few nodes of the tree nothing is said to be optimal; the bound holds, and again gives the same.
#[test]
fn a_run_that_ends_early_says_so() {
    let graph = random_graph(9, 3, 5);
    let machine = Machine::new("mesh:3x3").unwrap();
    let start: Vec<NodeId> = machine.living().collect();
    let early = proved_from(&graph, &machine, &start, 8);
    assert!(!early.is_optimal() && early.nodes <= 9, "{early:?}");
    assert_eq!(early, proved_from(&graph, &machine, &start, 8));
    let whole = proved_from(&graph, &machine, &start, u64::MAX);
    assert!(early.bound_ticks <= whole.ticks && whole.ticks <= early.ticks, "{early:?} {whole:?}");
    assert!(whole.is_optimal() && whole.nodes > 8);
    let schedule = whole.placement.phases(&graph, &machine);
    assert!(forecast(&schedule, &machine).unwrap().least_ticks <= whole.ticks);
}

/// Options that would change nothing are refused, and machines that are too large.
#[test]
fn what_cannot_be_proved_is_refused() {
    let refused = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        stderr
    };
    let error = refused(&["map", "binomial:3", "--on", "mesh:2x4", "--placement", "exact", "--answers", "2"]);
    assert!(error.contains("--placement search"), "{error}");
    let error = refused(&["map", "binomial:3", "--on", "mesh:2x4", "--placement", "growing", "--time", "2"]);
    assert!(error.contains("--placement"), "{error}");
    let trace = "examples/lammps-lj-16.phases.csv";
    let error = refused(&["map", trace, "--on", "mesh:20x20", "--placement", "exact", "--steps", "10"]);
    assert!(error.contains("256 nodes"), "{error}");
}
