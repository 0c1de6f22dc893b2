//! A race in tables and words.

use meshwright_core::words::{counted, grouped, some_of};
use meshwright_network::topology::Machine;
use meshwright_verdict::race::{RaceOutcome, RaceVerdict};

use crate::table;

/// The columns of an algorithm.
pub(super) const HEAD: [&str; 8] =
    ["algorithm", "predicted", "simulated", "gap", "steps", "chunks", "root", table::BUSIEST];

/// The answer in one line.
pub(super) fn line(verdict: &RaceVerdict, machine: &Machine) -> String {
    match verdict.winner() {
        Some(winner) => format!(
            "{}: {}, {} above the bound",
            some_of(&fastest(verdict)),
            table::in_words(winner.time.0, machine),
            winner.outcome.gap().map_or("not known how far".to_string(), table::percent)
        ),
        None => "no algorithm comes to its end".to_string(),
    }
}

/// The algorithms with the least simulated time.
pub(super) fn fastest(verdict: &RaceVerdict) -> Vec<&str> {
    let least = verdict.winner().map(|winner| winner.time.0);
    let equal = verdict.results.iter().filter(|row| least.is_some() && row.simulated_cycles == least);
    equal.map(|row| row.method.as_str()).collect()
}

/// What is raced, where.
pub(super) fn title(verdict: &RaceVerdict, machine: &Machine) -> String {
    let facts = &verdict.facts;
    let bytes = if facts.bytes > 0 { format!(" of {} bytes", grouped(facts.bytes)) } else { String::new() };
    format!(
        "{}{bytes} on {} · {}",
        facts.operation.name(),
        machine.name(),
        counted(facts.members.into(), "member")
    )
}

/// The table, the headline and what was left out.
pub(super) fn one(verdict: &RaceVerdict, machine: &Machine) -> String {
    let costs = machine.costs();
    let text = format!(
        "{}\nstart-up {} · {} a byte · head of {} · {}{}; times in {}\n\n",
        title(verdict, machine),
        counted(costs.startup.0, "cycle"),
        costs.byte_time,
        counted(costs.flit.0, "byte"),
        machine.switching().name(),
        if verdict.facts.multicast { " · routers copy" } else { "" },
        table::unit(machine)
    );
    text + &format!("{}.\n", verdict.reason) + &body(verdict, machine)
}

/// The same below the other jobs of a plan.
pub(crate) fn plan(verdict: &RaceVerdict, machine: &Machine) -> String {
    let named = if verdict.name == verdict.facts.operation.name() {
        title(verdict, machine)
    } else {
        format!("{}: {}", verdict.name, title(verdict, machine))
    };
    format!("\n{named}; times in {}\n{}* {}\n", table::unit(machine), body(verdict, machine), verdict.reason)
}

/// The bound, the table and what was left out.
fn body(verdict: &RaceVerdict, machine: &Machine) -> String {
    let bound = &verdict.facts.bound;
    let mut text = format!("bound {} by {}: {}\n", bound.cycles.0, bound.kind, bound.why);
    text += &table::table(&HEAD, 1, rows(verdict, machine));
    let not_simulated =
        verdict.results.iter().filter_map(|row| Some((&*row.method, row.detail.not_simulated.as_deref()?)));
    text += &table::told("not simulated", not_simulated);
    text += &table::left_out(&verdict.skipped);
    text.extend(verdict.advice.iter().map(|advice| format!("{advice}\n")));
    text
}

/// A row for each algorithm, the fastest first; the winners have a star.
pub(super) fn rows(verdict: &RaceVerdict, machine: &Machine) -> Vec<Vec<String>> {
    let best = fastest(verdict);
    let mut all: Vec<&RaceOutcome> = verdict.results.iter().collect();
    all.sort_by_key(|row| (row.simulated_cycles.is_none(), row.simulated_cycles, row.predicted_cycles));
    let row = |row: &&RaceOutcome| {
        let star = if verdict.results.len() > 1 && best.contains(&row.method.as_str()) { "* " } else { "  " };
        vec![
            format!("{star}{}", row.method),
            table::time(row.predicted_cycles as f64, 0, machine),
            row.simulated_cycles.map_or("not run".to_string(), |cycles| table::cycles(cycles, machine)),
            row.gap().filter(|gap| gap.is_finite()).map_or(String::new(), table::percent),
            row.detail.steps.to_string(),
            row.detail.chunks.to_string(),
            row.detail.root.map_or("-".to_string(), |root| machine.node_name(root)),
            table::busiest(row.busiest_link, machine),
        ]
    };
    all.iter().map(row).collect()
}
