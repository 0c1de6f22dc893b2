//! Real codes and trees placed by our search, by Scotch and without a tool: predicted, then simulated.
//!
//! `cargo run --release --example against_scotch -- 10` gives each search ten seconds and prints the tables of
//! `docs/mapping-real-codes.md`; `-- page 10` writes `docs/against-scotch.md`: fourteen graphs of four families, with KaHIP
//! besides. Without Scotch or KaHIP it says so.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, files and the clock")]

mod families;
mod kahip;
mod page;
mod scotch;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use meshwright_core::Result;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_mapping::search::{SearchProblem, Start, search};
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, divide, place, task_file};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::cost;
use meshwright_sim as sim;

/// How many answers of a search the referee chooses among.
const ANSWERS: usize = 8;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds: f64 = words.last().and_then(|word| word.parse().ok()).unwrap_or(10.0);
    let budget = Duration::from_secs_f64(seconds);
    if words.first().is_some_and(|word| word == "page") {
        return page::print(budget);
    }
    if !scotch::is_installed() {
        println!("Scotch is not installed: its rows are missing.");
    }
    for (graph, machines) in jobs()? {
        for machine in machines {
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                table(&graph, &Machine::new(machine)?.with_switching(switching), budget)?;
            }
        }
    }
    Ok(())
}

/// What is placed where.
fn jobs() -> Result<Vec<(TaskGraph, Vec<&'static str>)>> {
    let trace = |ranks: u32| {
        let file = format!("examples/lammps-lj-{ranks}.phases.csv");
        task_file::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
    };
    let tree = |n: u32| {
        let volume = Bytes(1000);
        divide::task_graph(&Divide {
            shape: Shape::Binomial(n),
            alpha: Some(1.0),
            combine_alpha: None,
            volume,
        })
    };
    Ok(vec![
        (trace(16)?, vec!["mesh:4x4"]),
        (trace(64)?, vec!["mesh:8x8", "torus:4x4x4"]),
        (tree(8)?, vec!["mesh:16x16"]),
        (tree(10)?, vec!["mesh:32x32"]),
    ])
}

/// A method's best placement: predicted and simulated cycles, and how long the method took.
struct Row {
    method: String,
    predicted: u64,
    simulated: Option<u64>,
    took: Duration,
}

fn table(graph: &TaskGraph, machine: &Machine, budget: Duration) -> Result<()> {
    println!("\n### {} on {}, {}\n", graph.name, machine.name(), machine.switching().name());
    println!("| method | predicted | simulated | to the best of Scotch | seconds |\n|---|--:|--:|--:|--:|");
    let mut rows = Vec::new();
    if scotch::is_installed() {
        let of = |strategy: &str| timed(|| Ok(vec![scotch::place(graph, machine, strategy)]));
        let mut best: Option<Row> = None;
        for strategy in scotch::STRATEGIES {
            let row = judged(&format!("Scotch, strategy {strategy}"), graph, machine, of(strategy)?)?;
            if best
                .as_ref()
                .is_none_or(|best| row.simulated.unwrap_or(u64::MAX) < best.simulated.unwrap_or(u64::MAX))
            {
                best = Some(row);
            }
        }
        rows.extend(best);
    }
    let scotch = rows.first().and_then(|row: &Row| row.simulated);
    for (name, start) in [("search from random", Start::Random), ("search from best", Start::Best)] {
        let found = timed(|| searched(graph, machine, start, budget))?;
        rows.push(judged(name, graph, machine, found)?);
    }
    for name in ["centred-halving", "growing", "recursive-bisection", "row-major", "hilbert", "random"] {
        let request = Request::of(graph, machine, 0);
        let Ok(found) = timed(|| Ok(vec![place(name, &request)?.nodes])) else { continue };
        rows.push(judged(name, graph, machine, found)?);
    }
    for Row { method, predicted, simulated, took } in rows {
        let shown = simulated.map_or("deadlock".to_string(), |cycles| cycles.to_string());
        let ratio = match (simulated, scotch) {
            (Some(ours), Some(scotch)) => format!("{:.3}", ours as f64 / scotch as f64),
            _ => "-".to_string(),
        };
        println!("| {method} | {predicted} | {shown} | {ratio} | {:.3} |", took.as_secs_f64());
    }
    Ok(())
}

/// What was made, and how long it took.
type Timed = (Vec<Vec<NodeId>>, Duration);

fn timed(make: impl FnOnce() -> Result<Vec<Vec<NodeId>>>) -> Result<Timed> {
    let start = Instant::now();
    let made = make()?;
    Ok((made, start.elapsed()))
}

fn searched(
    graph: &TaskGraph,
    machine: &Machine,
    start: Start,
    budget: Duration,
) -> Result<Vec<Vec<NodeId>>> {
    let begin = Instant::now();
    let problem =
        SearchProblem { graph, machine, pins: &[], start, seed: 1, steps: u64::MAX, answers: ANSWERS };
    let outcome = search(&problem, &mut |_| {
        if begin.elapsed() < budget { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(outcome.answers.into_iter().map(|answer| answer.placement.nodes).collect())
}

/// Predicts and simulates each placement; the one with the least simulated time stands for the method.
fn judged(method: &str, graph: &TaskGraph, machine: &Machine, (found, took): Timed) -> Result<Row> {
    let mut best: Option<(u64, Option<u64>)> = None;
    for nodes in found {
        let placement = Placement { name: method.to_string(), nodes };
        let phases = placement.phases(graph, machine);
        let predicted = cost::forecast(&phases, machine)?.ticks;
        let trace = sim::simulate(machine, &phases, &sim::Engine::Message)?;
        let simulated = trace.deadlock.is_none().then_some(trace.cycles.0);
        let rank = |(predicted, simulated): (u64, Option<u64>)| (simulated.unwrap_or(u64::MAX), predicted);
        let row = (machine.costs().cycles(predicted).0, simulated);
        if best.is_none_or(|best| rank(row) < rank(best)) {
            best = Some(row);
        }
    }
    let (predicted, simulated) = best.expect("a method makes a placement");
    Ok(Row { method: method.to_string(), predicted, simulated, took })
}
