//! The page that compares the search with Scotch and KaHIP at equal time: graph by graph, simulated under both switchings.

use std::ops::ControlFlow;
use std::process::Command;
use std::time::{Duration, Instant};

use meshwright_core::Result;
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_mapping::search::{SearchOutcome, SearchProblem, Start};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::look;
use rand::seq::SliceRandom;

use crate::families::{Origin, graphs};
use crate::{kahip, scotch};

const HEAD: &str = "# Against Scotch

`search`, Scotch's `scotch_gmap` and KaHIP's `process_mapping` place the same graphs on the same machines; the placed messages
are then simulated by the message engine, under wormhole and under store-and-forward. Made by

```
cargo run --release --example against_scotch -- page SECONDS > docs/against-scotch.md
```
";

const NOTES: &str = "
Each has the seconds given, of the clock of the machine, for placing and for simulating what it has placed; the best simulated
time counts. Neither Scotch nor KaHIP has an option to go on for longer, so each goes on with other runs. Scotch: first
`scotch_gmap GRAPH TARGET MAP -b0 -cq`, `-cs`, `-cb` and `-cr`, then the same with tasks renumbered at random. KaHIP:
`process_mapping` (VieM's mapping) of the library in PyPI's package `kahip`, whose Python interface has `kaffpa` alone; all six presets
with both ways of mapping, then the same with the next seed. It knows hierarchies only: the mesh is given as quarters of
quarters, with their mean distances. It puts two tasks on some nodes, though allowed no imbalance; the later one then
goes to the free node where bytes times links are the least. The search starts with seed 1 and stops before if it is told to; its steps give
the same placement again: `--placement search --seed 1 --steps N`. `start` is the best of all placements that the program makes without
a search.

Graphs. `lammps-lj-16`, `lammps-lj-64`: traces of a public code, in `examples/`. `4elt`, `copter2`, `mdual`: finite-element
graphs that METIS 5.1.0 ships as examples (as Debian's package `metis` has them: its `4elt` has 7,434 vertices), cut into 64 and 256 parts by
`gpmetis -seed=1`; a task is a part, a message 80 bytes for each edge between two parts, tasks renumbered at random; in
`examples/against_scotch/graphs/`. `hypercube-8`, `debruijn-8`: the graphs of Scotch's `gmk_hy 8` and `gmk_ub2 8`. Made here, by
`families.rs`: the butterfly of a Fourier transform of 256 (8 phases, which Scotch sees added up), a stencil of three dimensions, a random
geometric graph, a recursive matrix of few hubs. Messages of graphs without weights carry 1,000 bytes. Costs: start-up 100
cycles, one cycle a byte, heads of 2 bytes.

Not compared: MapLib, of which no package was found.
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
    let kahip = kahip::version();
    let their =
        kahip.as_ref().map_or("KaHIP is not installed".to_string(), |version| format!("KaHIP {version}"));
    println!("{}, {their}, {} s for each on each row.\n", version(), budget.as_secs_f64());
    println!(
        "| graph | origin | tasks | machine | switching | Scotch | its runs | KaHIP | its runs | start | search | steps | last improved | search / Scotch | search / KaHIP |"
    );
    println!("|---|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut ratios = Vec::new();
    for (graph, origin, machine) in graphs()? {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            let machine = Machine::new(machine)?.with_switching(switching);
            ratios.push(row(&graph, origin, &machine, budget, kahip.is_some())?);
        }
    }
    println!();
    for (name, of) in [("Scotch", 0), ("KaHIP", 1)] {
        let ratios: Vec<f64> = ratios.iter().filter_map(|both| both[of]).collect();
        if ratios.is_empty() {
            continue;
        }
        let better = ratios.iter().filter(|ratio| **ratio < 1.0).count();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!(
            "Better than {name} in {better} of {} rows; geometric mean of search / {name} {mean:.3}.",
            ratios.len()
        );
    }
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

/// The same graph with other numbers, and the number of each task; in round 0 its own.
fn renumbered(graph: &TaskGraph, round: u64) -> Result<(TaskGraph, Vec<u32>)> {
    let mut number: Vec<u32> = (0..graph.tasks).collect();
    if round > 0 {
        number.shuffle(&mut stream(round, "numbers"));
    }
    let edge = |edge: &Edge| {
        let [source, target] = [edge.source, edge.target].map(|task| number[task as usize]);
        (1, Edge { source, target, ..*edge })
    };
    let edges = graph.edges().iter().map(edge).collect();
    Ok((TaskGraph::new(graph.name.clone(), graph.tasks, edges)?, number))
}

/// The best simulated time of another tool's placements, and how many there were: round after round until the time is up.
fn of_tool(
    graph: &TaskGraph,
    machine: &Machine,
    budget: Duration,
    place: impl Fn(u64) -> Result<Vec<Vec<NodeId>>>,
) -> Result<(u64, usize)> {
    let begin = Instant::now();
    let (mut best, mut runs) = (u64::MAX, 0);
    for round in 0.. {
        for nodes in place(round)? {
            best = best.min(simulated(graph, machine, nodes)?);
            runs += 1;
        }
        if begin.elapsed() >= budget {
            break;
        }
    }
    Ok((best, runs))
}

fn of_scotch(graph: &TaskGraph, machine: &Machine, budget: Duration) -> Result<(u64, usize)> {
    of_tool(graph, machine, budget, |round| {
        let (other, number) = renumbered(graph, round)?;
        let of = |strategy: &&str| {
            let nodes = scotch::place(&other, machine, strategy);
            number.iter().map(|task| nodes[*task as usize]).collect()
        };
        Ok(scotch::STRATEGIES.iter().map(of).collect())
    })
}

/// Prints a row; the time of the search divided by Scotch's and by KaHIP's.
fn row(
    graph: &TaskGraph,
    origin: Origin,
    machine: &Machine,
    budget: Duration,
    has_kahip: bool,
) -> Result<[Option<f64>; 2]> {
    let scotch = of_scotch(graph, machine, budget)?;
    let kahip = has_kahip
        .then(|| of_tool(graph, machine, budget, |round| Ok(kahip::place(graph, machine, round))))
        .transpose()?;
    let outcome = searched(graph, machine, budget)?;
    let ours = simulated(graph, machine, outcome.answers[0].placement.nodes.clone())?;
    let start = machine.costs().cycles(outcome.start_judged_ticks).0;
    let ratios = [Some(scotch), kahip].map(|theirs| theirs.map(|(cycles, _)| ours as f64 / cycles as f64));
    let shown = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.3}"));
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {start} | {ours} | {} | {} | {} | {} |",
        graph.name,
        origin.name(),
        graph.tasks,
        machine.name(),
        machine.switching().name(),
        scotch.0,
        scotch.1,
        kahip.map_or("- | -".to_string(), |(cycles, runs)| format!("{cycles} | {runs}")),
        outcome.steps,
        outcome.last_improved_steps,
        shown(ratios[0]),
        shown(ratios[1]),
    );
    Ok(ratios)
}

/// What `scotch_gmap` says of itself.
fn version() -> String {
    let output = Command::new("scotch_gmap").arg("-V").output().expect("Scotch can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let version = said.split_once("version ").and_then(|(_, rest)| rest.split([' ', ',']).next());
    format!("Scotch {}", version.unwrap_or("of an unknown version"))
}
