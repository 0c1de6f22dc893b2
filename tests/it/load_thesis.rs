//! One source, by the thesis: every golden value of it, and a second way to each formula.

mod inequalities;
mod serial;
mod single;
mod store_and_forward;

use std::path::Path;

use meshwright_core::exact::Exact;
use meshwright_load::Forwarding;
use meshwright_network::topology::Machine;
use microlp::SolveOutcome;
use serde_json::Value;

/// The entries of one key of the golden file.
fn golden(key: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(&crate::text(Path::new("tests/golden/load.json"))).expect("JSON");
    all[key].as_array().expect("a list of entries").clone()
}

/// The machine an entry speaks of.
fn machine(topology: &Value) -> Machine {
    let side = |name: &str| topology[name].as_u64().expect("a side");
    let specification = match topology["kind"].as_str().expect("a kind") {
        "hypercube" => format!("hypercube:{}", side("d")),
        "gaussian" => format!("gaussian:{}+{}i", side("a"), side("b")),
        kind => format!("{kind}:{}x{}", side("m"), side("n")),
    };
    Machine::new(&specification).expect("a machine")
}

fn forwarding(case: &Value) -> Forwarding {
    match case["mode"].as_str().expect("a mode") {
        "vct" => Forwarding::CutThrough,
        "msf" => Forwarding::ModifiedStoreAndForward,
        other => panic!("the golden file has no mode {other}"),
    }
}

fn exact(value: &Value) -> Exact {
    Exact(value.as_str().expect("a fraction p/q").parse().expect("a fraction p/q"))
}

fn float(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn counts(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(|count| count.as_u64().expect("a count")).collect()
}

/// Holds two floats together to a relative difference.
#[track_caller]
fn assert_close(found: f64, expected: f64, relative: f64, what: &str) {
    let difference = (found - expected).abs();
    assert!(difference <= relative * expected.abs(), "{what}: {found}, expected {expected}");
}

/// The largest value of a linear programme.
fn largest(programme: &microlp::Problem) -> f64 {
    match programme.solve() {
        Ok(SolveOutcome::Solution(solution)) => solution.objective(),
        other => panic!("nothing at all is a solution, but it says {other:?}"),
    }
}
