//! How far a collective that is found is from the bound, on the machines, sizes and costs of the race: a row each.
//!
//! `cargo run --release --example collective_gaps -- all-reduce mesh:8x8 chip` makes the rows of this operation that hold every other word. A broadcast
//! and the like have their root at a centre.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, and says how long it took")]

use std::time::Instant;

use meshwright_collectives::flow::Flow;
use meshwright_collectives::synthesis::packing;
use meshwright_collectives::{Operation, Task, bound, synthesis};
use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_sim::fitting;

/// Name, start-up, byte time and flit.
const COSTS: [(&str, u64, (u64, u64), u64); 2] = [("chip", 40, (1, 32), 32), ("card", 500, (1, 50), 20_000)];

const MACHINES: [&str; 6] =
    ["torus:8x8", "mesh:8x8", "torus:16x16", "mesh:16x16", "torus:32x32", "mesh:32x32"];

const BYTES: [(&str, u64); 4] =
    [("1KiB", 1 << 10), ("64KiB", 1 << 16), ("1MiB", 1 << 20), ("16MiB", 1 << 24)];

/// Between latency and bandwidth: a wafer's costs, one size.
const WAFER: (&str, u64, (u64, u64), u64) = ("wafer", 5, (1, 4), 4);

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let operation = Operation::named(words.next().as_deref().unwrap_or("all-reduce"))?;
    let words: Vec<String> = words.collect();
    println!("| machine | costs | bytes | bound | found | times | seconds | messages | recipe |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for name in MACHINES {
        for costs in COSTS {
            for size in BYTES {
                row(operation, &words, name, costs, size)?;
            }
        }
    }
    row(operation, &words, "torus:64x64", WAFER, BYTES[0])
}

fn row(
    operation: Operation,
    words: &[String],
    name: &str,
    (kind, startup, (over, under), flit): (&str, u64, (u64, u64), u64),
    (size, bytes): (&str, u64),
) -> Result<()> {
    if !words.iter().all(|word| [name, kind, size].contains(&word.as_str())) {
        return Ok(());
    }
    let costs = Costs { startup: Cycles(startup), byte_time: Ratio::new(over, under)?, flit: Bytes(flit) };
    let machine = Machine::new(name)?.with_switching(Switching::CutThrough).with_costs(costs)?;
    let task = Task::new(&machine, operation, bytes, 0)?;
    let task = task.with(operation, packing::centres(&task)[0]);
    let bound = bound::bound(&task)?.cycles;
    let run = |flow: &Flow| {
        let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
        let trace = fitting::simulate(&machine, &schedule, fitting::FLIT_HOPS_MAX)?.trace;
        Ok(trace.deadlock.is_none().then_some(trace.cycles))
    };
    let begun = Instant::now();
    let found = synthesis::search(&task, bound, None, &run)?.expect("a search");
    let took = begun.elapsed().as_secs_f64();
    let times = found.cycles.0 as f64 / bound.0 as f64;
    let messages = found.flow.transfers().len();
    println!(
        "| {name} | {kind} | {size} | {bound} | {} | {times:.3} | {took:.1} | {messages} | {} |",
        found.cycles, found.recipe
    );
    Ok(())
}
