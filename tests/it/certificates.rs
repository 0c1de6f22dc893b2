//! Certificates of lower bounds: written by `map`, proved again by `check`, and refused after one digit is changed.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_formats::certificate::{CertificateFile, KIND, MachineForm, PlacementForm, TasksForm, check};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Divide, Mapping, Placement, Shape, TaskGraph, divide};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::Planner;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};
use serde_json::Value;

/// The bound of a job on a machine with a placement beside it.
fn file(tasks: &TaskGraph, machine: &Machine, method: &str) -> CertificateFile {
    let mapping = Mapping::new(tasks, machine);
    let Placement { name, nodes } = mapping.place(method, 0).unwrap();
    let placement = Placement { name: name.clone(), nodes: nodes.clone() };
    let trace = fitting::simulate(machine, &placement.phases(tasks, machine), FLIT_HOPS_MAX).unwrap().trace;
    CertificateFile {
        format: 1,
        kind: KIND.to_string(),
        tasks: TasksForm::of(tasks),
        machine: MachineForm::of(machine).unwrap(),
        switching: machine.switching().name().to_string(),
        bound_cycles: mapping.bound().unwrap().0,
        certificate: mapping.own_bound().certificate.clone(),
        placement: Some(PlacementForm {
            name,
            nodes: nodes.iter().map(|node: &NodeId| node.0).collect(),
            simulated_cycles: trace.cycles.0,
        }),
    }
}

fn graph(name: &str, tasks: u32, edges: impl Iterator<Item = (u32, u32, u32)>) -> TaskGraph {
    let edge = |(phase, source, target)| (phase, Edge { source, target, bytes: Bytes(512) });
    TaskGraph::new(name, tasks, edges.map(edge).collect()).unwrap()
}

fn butterfly() -> TaskGraph {
    graph("butterfly", 16, (0..4).flat_map(|k| (0..16).map(move |task| (k, task, task ^ 1 << k))))
}

fn tree(n: u32) -> TaskGraph {
    let shape = Shape::Binomial(n);
    divide::task_graph(&Divide { shape, alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) }).unwrap()
}

/// Paths to all numbers of a value.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_string()),
        Value::Array(list) => {
            (0..).zip(list).for_each(|(at, one): (usize, _)| numbers(one, &format!("{path}/{at}"), found));
        }
        Value::Object(entries) => {
            entries.iter().for_each(|(key, one)| numbers(one, &format!("{path}/{key}"), found));
        }
        _ => {}
    }
}

/// Three placements that nothing beats, each by another argument.
#[test]
fn three_placements_are_optimal() {
    let stores = Switching::StoreAndForward;
    let ring =
        graph("ring", 16, (0..16).flat_map(|task| [(1, task, (task + 1) % 16), (1, (task + 1) % 16, task)]));
    for (tasks, machine, switching, method) in [
        (butterfly(), "mesh:4x4", stores, "row-major"),
        (tree(6), "mesh:8x8", stores, "growing"),
        (ring, "torus:16", Switching::Wormhole, "row-major"),
    ] {
        let machine = Machine::new(machine).unwrap().with_switching(switching);
        let answer = check(&file(&tasks, &machine, method)).unwrap();
        assert!(answer.holds && answer.gap == Some(0.0), "{answer:?}");
    }
}

/// A job whose phases repeat: the file says how often.
#[test]
fn a_job_with_repetitions_is_proved_again() {
    let edge = |phase, source, target| (phase, Edge { source, target, bytes: Bytes(512) });
    let edges = vec![edge(1, 0, 1), edge(1, 1, 2), edge(2, 2, 0)];
    let tasks = TaskGraph::new("rounds", 3, edges).unwrap().with_repeats(vec![5, 2]).unwrap();
    let whole = file(&tasks, &Machine::new("mesh:4").unwrap(), "row-major");
    assert_eq!((check(&whole).unwrap().refuted, &whole.tasks.repeats[..]), (vec![], &[5, 2][..]));
    for repeats in [vec![5], vec![5, 0], vec![5, 2, 1]] {
        let tasks = TasksForm { repeats, ..whole.tasks.clone() };
        let error = check(&CertificateFile { tasks, ..whole.clone() }).unwrap_err();
        assert!(error.to_string().contains("2 counts"), "{error}");
    }
    let tasks = TasksForm { repeats: vec![5, 3], ..whole.tasks.clone() };
    assert!(!check(&CertificateFile { tasks, ..whole }).unwrap().holds);
}

/// Every number of a file, changed: the file is refused, or claims what it did.
#[test]
fn one_changed_digit_is_refused() {
    let star = graph("star", 5, (1..5).map(|to| (1, 0, to)));
    for (tasks, machine, method) in [(&tree(3), "mesh:2x4", "row-major"), (&star, "mesh:5", "snake")] {
        for &(_, switching) in SWITCHINGS {
            let machine = Machine::new(machine).unwrap().with_switching(switching);
            let whole = file(tasks, &machine, method);
            let (bound, kind) = (whole.bound_cycles, whole.certificate.main_kind());
            let text = serde_json::to_value(&whole).unwrap();
            let mut paths = Vec::new();
            numbers(&text, "", &mut paths);
            for path in &paths {
                for change in [1i64, -1, 10] {
                    let mut changed = text.clone();
                    let number = changed.pointer_mut(path).unwrap();
                    *number = (number.as_i64().unwrap() + change).into();
                    let Ok(changed) = serde_json::from_value::<CertificateFile>(changed) else { continue };
                    let Ok(answer) = check(&changed) else { continue };
                    let decides = path.starts_with("/certificate")
                        || path == "/bound_cycles"
                        || path.starts_with("/placement");
                    if answer.holds && decides {
                        let same = [Some(changed.bound_cycles), answer.proved_cycles] == [Some(bound); 2];
                        assert!(same, "{kind} {path} {change}: {answer:?}");
                    }
                    if path == "/bound_cycles" || path == "/placement/simulated_cycles" {
                        assert!(!answer.holds, "{kind} {path} {change}");
                    }
                }
            }
        }
    }
}

/// What is no placement, no switching or no form is an error, not a verdict.
#[test]
fn what_is_malformed_is_no_answer() {
    let machine = Machine::new("mesh:2x4").unwrap();
    let whole = file(&tree(3), &machine, "row-major");
    let mut twice = whole.clone();
    twice.placement.as_mut().unwrap().nodes[1] = twice.placement.as_ref().unwrap().nodes[0];
    assert!(check(&twice).is_err());
    let word = CertificateFile { switching: "worm".to_string(), ..whole.clone() };
    assert!(check(&word).unwrap_err().to_string().contains("wormhole"));
    let mut elsewhere = whole;
    elsewhere.machine.topology = "mesh:2".to_string();
    assert!(check(&elsewhere).is_err());
}
