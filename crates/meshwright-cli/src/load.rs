//! Divisible loads in tables and words.

use meshwright_core::words::counted;
use meshwright_load::shares::earth_mover::Rebalance;
use meshwright_network::topology::Machine;
use meshwright_verdict::installments::FrontRow;
use meshwright_verdict::load::{self, Fewest};
use meshwright_verdict::{LoadOutcome, LoadVerdict};

use super::{further, table};

/// What `plan` says of a load.
pub(super) fn plan(job: &LoadVerdict, machine: &Machine) -> String {
    const HEAD: [&str; 7] = ["method", "bound", "predicted", "feasible", "simulated", "gap", table::BUSIEST];
    let row = |outcome: &LoadOutcome| {
        vec![
            format!("{}{}", mark(job, outcome), outcome.method),
            table::time(outcome.bound_cycles as f64, 0, machine),
            table::time(outcome.predicted_cycles as f64, 0, machine),
            outcome.detail.reading.word(outcome.detail.feasible).to_string(),
            outcome.simulated_cycles.map_or_else(unknown, |cycles| table::cycles(cycles, machine)),
            outcome.gap().map_or_else(unknown, table::percent),
            table::busiest(outcome.busiest_link, machine),
        ]
    };
    let sources = counted(job.facts.sources.len() as u64, "source");
    let mut text = format!(
        "\n{} ({sources}, sigma {}); times in {}\n",
        job.name,
        table::number(job.facts.sigma, 6),
        table::unit(machine)
    );
    text += &table::table(&HEAD, 1, job.results.iter().map(row).collect());
    text + &remarks(job, machine)
}

/// The columns of a division.
pub(super) const SPLIT_HEAD: [&str; 7] =
    ["method", "switching", "speedup", "bound", "feasible", "simulated", "nodes"];

/// A row for each method.
pub(super) fn split_rows(job: &LoadVerdict) -> Vec<Vec<String>> {
    let row = |outcome: &LoadOutcome| {
        vec![
            format!("{}{}", mark(job, outcome), outcome.method),
            outcome.detail.switching.name().to_string(),
            table::number(outcome.detail.speedup, 4),
            table::number(outcome.detail.bound_speedup, 4),
            outcome.detail.reading.word(outcome.detail.feasible).to_string(),
            outcome.detail.simulated_speedup.map_or_else(unknown, |speedup| table::number(speedup, 4)),
            outcome.detail.nodes_used.to_string(),
        ]
    };
    job.results.iter().map(row).collect()
}

/// What `split` says of a load.
pub(super) fn split(job: &LoadVerdict, machine: &Machine) -> String {
    let startup = match job.facts.startup > 0.0 {
        true => format!(" · startup {}", table::number(job.facts.startup, 9)),
        false => String::new(),
    };
    let mut text = format!(
        "{} · {} · sigma {}{startup}\n",
        machine.name(),
        counted(machine.living_count() as u64, "node"),
        job.facts.sigma,
    );
    let source = |row: &load::SourceRow| {
        let release = if row.release > 0.0 { format!(" from {}", row.release) } else { String::new() };
        format!("{} {}{release}", machine.node_name(row.node), table::number(row.load, 4))
    };
    let sources: Vec<String> = job.facts.sources.iter().take(SOURCES_NAMED_MAX).map(source).collect();
    let more = if job.facts.sources.len() > SOURCES_NAMED_MAX { " …" } else { "" };
    text +=
        &format!("{}: {}{more}\n", counted(job.facts.sources.len() as u64, "source"), sources.join(" · "));
    text += &table::table(&SPLIT_HEAD, 2, split_rows(job));
    text += &remarks(job, machine);
    text.extend(job.facts.further.next_sources.iter().map(|places| further::places(places, machine)));
    text
}

/// More sources than this are counted, not listed.
const SOURCES_NAMED_MAX: usize = 8;

/// What stands below the tables: who is left out, why the winner wins, the certificate, and what is not possible.
fn remarks(job: &LoadVerdict, machine: &Machine) -> String {
    let mut text = String::new();
    text += &table::left_out(&job.skipped);
    text += &format!("* {}\n", job.reason);
    text.extend(job.advice.iter().map(|advice| format!("  {advice}\n")));
    text += &format!("  {}\n", job.facts.bound.certificate);
    if let Some(processors) = &job.facts.bound.processors {
        text += &format!("  The fewest processors for it: {}.\n", fewest(processors));
    }
    if let Some(deadline) = &job.facts.deadline {
        let answer = match &deadline.processors {
            Some(processors) => format!("the fewest processors are {}", fewest(processors)),
            None if deadline.known => "possible".to_string(),
            None if deadline.possible => "no schedule known to us is, and none is ruled out".to_string(),
            None => "no schedule is".to_string(),
        };
        text += &format!("  Done by {}: {answer}.\n", table::number(deadline.makespan, 6));
    }
    text.extend(job.lower_band().map(|sentence| format!("  {sentence}\n")));
    text.extend(
        job.results.iter().filter_map(|outcome| Some(format!("  {}\n", outcome.detail.buffers.as_ref()?))),
    );
    text.extend(job.further_sentences(machine).iter().map(|sentence| format!("  {sentence}\n")));
    text.extend(job.refutations(machine).iter().map(|sentence| format!("  {sentence}\n")));
    let evened = load::together(job.results.iter().filter_map(evening_out));
    text.extend(evened.iter().map(|sentence| format!("  {sentence}\n")));
    if !job.facts.front.is_empty() {
        text += &front(job);
    }
    text.extend(job.warnings().iter().map(|sentence| format!("  {sentence}\n")));
    text
}

/// Whose connected sources even out their loads first, and what that costs, all cells together.
fn evening_out(outcome: &LoadOutcome) -> Option<(String, String)> {
    let cells = outcome.detail.rebalances.as_ref()?;
    let distance: f64 = cells.iter().map(|cell| cell.distance).sum();
    let [link, time] = [|cell: &Rebalance| cell.busiest_link, |cell: &Rebalance| cell.time]
        .map(|of| cells.iter().map(of).fold(0.0, f64::max));
    (distance > 0.0).then(|| {
        let what = format!(
            "evening out comes first, earth mover's distance {} (loads times hops), {} over the busiest link, in {}.",
            table::number(distance, 6),
            table::number(link, 6),
            table::number(time, 6)
        );
        (outcome.row(), what)
    })
}

/// The most rows of a front that are printed.
const FRONT_SHOWN_MAX: usize = 16;

/// What fewer processors and fewer messages cost.
fn front(job: &LoadVerdict) -> String {
    const HEAD: [&str; 7] =
        ["method", "processors", "messages", "waiting at a node", "makespan", "speedup", "gap"];
    let row = |row: &FrontRow| {
        vec![
            row.method.clone(),
            row.processors.to_string(),
            row.messages.to_string(),
            row.waiting_max.map_or_else(unknown, |waiting| waiting.to_string()),
            table::number(row.makespan, 6),
            table::number(row.speedup, 4),
            table::percent(row.gap),
        ]
    };
    // Of a long list some, evenly chosen, and the fastest; the first has the fewest processors, the last the most.
    let (many, shown) = (job.facts.front.len(), job.facts.front.len().min(FRONT_SHOWN_MAX));
    let fastest = (0..many).min_by_key(|&at| job.facts.front[at].simulated_cycles);
    let mut places: Vec<usize> = (0..shown).map(|at| at * (many - 1) / (shown - 1).max(1)).collect();
    places.extend(fastest.filter(|fastest| !places.contains(fastest)));
    places.sort_unstable();
    let shown = places.len();
    let rows = places.into_iter().map(|at| row(&job.facts.front[at])).collect();
    let more = if shown < many { format!("{shown} of {many} rows; --json has all\n") } else { String::new() };
    "Schedules, simulated, none beaten in processors, messages and time at once:\n".to_string()
        + &table::table(&HEAD, 1, rows)
        + &more
}

fn mark(job: &LoadVerdict, outcome: &LoadOutcome) -> &'static str {
    if job.is_won_by(outcome) { "* " } else { "  " }
}

fn fewest(processors: &Fewest) -> String {
    match processors {
        Fewest { at_least, at_most } if at_least == at_most => at_least.to_string(),
        Fewest { at_least, at_most } => format!("between {at_least} and {at_most}"),
    }
}

fn unknown() -> String {
    "–".to_string()
}
