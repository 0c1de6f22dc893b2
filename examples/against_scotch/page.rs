//! The page that compares the search with Scotch at equal time: graph by graph, simulated under both switchings.

use std::ops::ControlFlow;
use std::process::Command;
use std::time::{Duration, Instant};

use meshwright_core::Result;
use meshwright_core::units::NodeId;
use meshwright_mapping::search::{SearchOutcome, SearchProblem, Start};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::look;

use crate::families::{Origin, graphs};
use crate::scotch;

const HEAD: &str = "# Against Scotch

`search` and Scotch's `scotch_gmap` place the same graphs on the same machines; the placed messages are then simulated by the
message engine, under wormhole and under store-and-forward. Made by

```
cargo run --release --example against_scotch -- page SECONDS > docs/against-scotch.md
```
";

const NOTES: &str = "
Scotch: the best of `scotch_gmap GRAPH TARGET MAP -b0 -cq`, `-cs`, `-cb` and `-cr`, by simulated time; its time is that of
all four together. It has no option to go on for longer. The search has the seconds given, of the clock of the machine, and stops
before if it is told to; its steps give the same placement again: `--placement search --seed 1 --steps N`. `start` is the
best of all placements that the program makes without a search.

Graphs. `lammps-lj-16`, `lammps-lj-64`: traces of a public code, in `examples/`. `4elt`, `copter2`, `mdual`: finite-element
graphs that METIS 5.1.0 ships as examples (as Debian's package `metis` has them: its `4elt` has 7,434 vertices), cut into 64 and 256 parts by
`gpmetis -seed=1`; a task is a part, a message 80 bytes for each edge between two parts, tasks renumbered at random; in
`examples/against_scotch/graphs/`. `hypercube-8`, `debruijn-8`: the graphs of Scotch's `gmk_hy 8` and `gmk_ub2 8`. Made here, by
`families.rs`: the butterfly of a Fourier transform of 256 (8 phases, which Scotch sees added up), a stencil of three dimensions, a random
geometric graph, a recursive matrix of few hubs. Messages of graphs without weights carry 1,000 bytes. Costs: start-up 100
cycles, one cycle a byte, heads of 2 bytes.

Not compared: KaHIP 3.25 from PyPI has no mapping onto a mesh in its Python interface (`kaffpa` partitions only), VieM and MapLib are
in no package registry.
";

/// Prints the page.
pub(crate) fn print(budget: Duration) -> Result<()> {
    println!("{HEAD}");
    if !scotch::is_installed() {
        println!(
            "Scotch is not installed: there is nothing to compare with (on Debian, the package `scotch` brings `scotch_gmap`)."
        );
        return Ok(());
    }
    println!("{}, {} s for each search.\n", version(), budget.as_secs_f64());
    println!(
        "| graph | origin | tasks | machine | switching | Scotch | its seconds | start | search | seconds | steps | last improved | search / Scotch |"
    );
    println!("|---|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut ratios = Vec::new();
    for (graph, origin, machine) in graphs()? {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let machine = Machine::new(machine)?.with_switching(switching);
            ratios.push(row(&graph, origin, &machine, budget)?);
        }
    }
    let better = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!(
        "\nBetter than Scotch in {better} of {} rows; geometric mean of search / Scotch {mean:.3}.",
        ratios.len()
    );
    println!("{NOTES}");
    Ok(())
}

/// Simulated cycles; the most there are for a deadlock.
fn simulated(graph: &TaskGraph, machine: &Machine, nodes: Vec<NodeId>) -> Result<u64> {
    let placement = Placement { name: String::new(), nodes };
    let trace = simulate(machine, &placement.phases(graph, machine), &Engine::Message)?;
    Ok(if trace.deadlock.is_some() { u64::MAX } else { trace.cycles.0 })
}

fn searched(graph: &TaskGraph, machine: &Machine, budget: Duration) -> Result<SearchOutcome> {
    let begin = Instant::now();
    let start = Start::Best;
    let problem = SearchProblem { graph, machine, pins: &[], start, seed: 1, steps: u64::MAX, answers: 1 };
    look::search(&problem, &mut |_| match begin.elapsed() < budget {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    })
}

/// Prints a row; the time of the search divided by Scotch's.
fn row(graph: &TaskGraph, origin: Origin, machine: &Machine, budget: Duration) -> Result<f64> {
    let begin = Instant::now();
    let placed: Vec<_> =
        scotch::STRATEGIES.iter().map(|strategy| scotch::place(graph, machine, strategy)).collect();
    let their_time = begin.elapsed();
    let mut theirs = u64::MAX;
    for nodes in placed {
        theirs = theirs.min(simulated(graph, machine, nodes)?);
    }
    let begin = Instant::now();
    let outcome = searched(graph, machine, budget)?;
    let our_time = begin.elapsed();
    let ours = simulated(graph, machine, outcome.answers[0].placement.nodes.clone())?;
    let start = machine.costs().cycles(outcome.start_judged_ticks).0;
    let ratio = ours as f64 / theirs as f64;
    println!(
        "| {} | {} | {} | {} | {} | {theirs} | {:.2} | {start} | {ours} | {:.1} | {} | {} | {ratio:.3} |",
        graph.name,
        origin.name(),
        graph.tasks,
        machine.name(),
        machine.switching().name(),
        their_time.as_secs_f64(),
        our_time.as_secs_f64(),
        outcome.steps,
        outcome.last_improved_steps,
    );
    Ok(ratio)
}

/// What `scotch_gmap` says of itself.
fn version() -> String {
    let output = Command::new("scotch_gmap").arg("-V").output().expect("Scotch can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let version = said.split_once("version ").and_then(|(_, rest)| rest.split([' ', ',']).next());
    format!("Scotch {}", version.unwrap_or("of an unknown version"))
}
