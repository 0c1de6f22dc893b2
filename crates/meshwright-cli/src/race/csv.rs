//! The columns of algorithms for programs.

use meshwright_network::topology::Machine;
use meshwright_verdict::race::{RaceOutcome, RaceVerdict};

use crate::csv::{self, Column, column_list, known};

/// One algorithm in one race.
pub(crate) struct Row<'a> {
    outcome: &'a RaceOutcome,
    verdict: &'a RaceVerdict,
    machine: &'a Machine,
}

/// The columns.
pub(crate) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    column_list![
        "operation", "what all members do together", |row: &Row<'_>| row.verdict.facts.operation.name().to_string();
        "bytes", "the buffer of one member", |row: &Row<'_>| row.verdict.facts.bytes.to_string();
        "startup_cycles", "start-up of a message", |row: &Row<'_>| row.machine.costs().startup.0.to_string();
        "flit_bytes", "head of a message", |row: &Row<'_>| row.machine.costs().flit.0.to_string();
        "algorithm", "the name of the algorithm", |row: &Row<'_>| row.outcome.method.clone();
        "wins", "1 for the least simulated time, else 0", |row: &Row<'_>| {
            let least = row.verdict.winner().map(|winner| winner.time.0);
            u8::from(least.is_some() && row.outcome.simulated_cycles == least).to_string()
        };
        "root", "the node a rooted operation begins or ends at", |row: &Row<'_>| {
            row.outcome.detail.root.map_or(String::new(), |root| root.0.to_string())
        };
        "bound_cycles", "no algorithm takes less", |row: &Row<'_>| row.outcome.bound_cycles.to_string();
        "predicted_cycles", "what the formula says", |row: &Row<'_>| row.outcome.predicted_cycles.to_string();
        "simulated_cycles", "what the simulator measures; empty where it was not simulated", |row: &Row<'_>| known(row.outcome.simulated_cycles);
        "gap", "simulated / bound - 1", |row: &Row<'_>| known(row.outcome.gap());
        "steps", "steps before messages are cut", |row: &Row<'_>| row.outcome.detail.steps.to_string();
        "chunks", "chunks of every message, which stream", |row: &Row<'_>| row.outcome.detail.chunks.to_string();
        "messages", "messages, chunks counted", |row: &Row<'_>| row.outcome.detail.messages.to_string();
        "bytes_hops", "bytes times links, of all messages", |row: &Row<'_>| row.outcome.detail.bytes_hops.to_string();
        "busiest_link_cycles", "how long the busiest link is busy", |row: &Row<'_>| {
            known(row.outcome.busiest_link.map(|link| link.busy_cycles))
        };
    ]
}

/// All algorithms of all races.
pub(super) fn table(races: &[(&RaceVerdict, &Machine)]) -> String {
    let rows = races.iter().flat_map(|&(verdict, machine)| {
        verdict.results.iter().map(move |outcome| (Vec::new(), Row { outcome, verdict, machine }))
    });
    csv::table(&[], &columns(), rows)
}
