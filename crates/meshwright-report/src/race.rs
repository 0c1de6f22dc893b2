//! The verdict on a collective operation in words, a table and a drawing.

use serde::Serialize;

use super::svg::bars as drawing;
use super::wording::{self, counted, percent};
use meshwright_core::error::Result;
use meshwright_core::words::{NONE, grouped};
use meshwright_network::topology::Machine;
use meshwright_verdict::{RaceOutcome, RaceVerdict, Skipped};

/// The section of one collective operation.
#[derive(Serialize)]
pub(super) struct RaceView<'a> {
    kind: &'static str,
    pub(super) name: &'a str,
    /// The operation and its size; the template knows the section by it.
    race: String,
    pub(super) headline: String,
    reason: String,
    advice: &'a str,
    bound: String,
    has_root: bool,
    rows: Vec<RaceRow<'a>>,
    skipped: Vec<Skipped>,
    bars: Option<String>,
    bars_note: String,
}

#[derive(Serialize)]
struct RaceRow<'a> {
    method: &'a str,
    wins: bool,
    is_equal: bool,
    /// Predicted, simulated, gap; steps, chunks, messages, bytes times links.
    numbers: Vec<String>,
    root: String,
    busiest: String,
    busy: String,
}

/// The section of a verdict.
pub(super) fn view<'a>(machine: &Machine, job: &'a RaceVerdict) -> RaceView<'a> {
    let facts = &job.facts;
    let best = best(job);
    let cycles = job.winner().map(|winner| winner.time.0);
    let bytes = match facts.bytes {
        0 => String::new(),
        bytes => format!(" of {}", counted(bytes, "byte")),
    };
    let copy = if facts.multicast { ", routers copy" } else { "" };
    let drawn = simulated(job);
    RaceView {
        kind: "Collective operation",
        name: &job.name,
        race: format!("{}{bytes}, {}{copy}", facts.operation.name(), counted(facts.members.into(), "member")),
        headline: wording::timed(wording::headline_of(&best, cycles.unwrap_or_default()), cycles, machine),
        reason: format!("{}.", job.reason),
        advice: job.advice.as_deref().unwrap_or_default(),
        bound: format!(
            "No algorithm takes less than {}, by {}: {}.",
            counted(facts.bound.cycles.0, "cycle"),
            facts.bound.kind,
            facts.bound.why
        ),
        has_root: facts.operation.is_rooted(),
        rows: sorted(job).into_iter().map(|outcome| row(machine, job, outcome)).collect(),
        skipped: left_out(job),
        bars_note: drawing::note(&drawn),
        bars: bars(job),
    }
}

/// Those that were simulated, the fastest first, as bars.
pub(super) fn bars(job: &RaceVerdict) -> Option<String> {
    drawing::draw(&simulated(job), &best(job))
}

fn simulated(job: &RaceVerdict) -> Vec<RaceOutcome> {
    sorted(job).into_iter().filter(|outcome| outcome.simulated_cycles.is_some()).cloned().collect()
}

/// The fastest first, then those that were not simulated.
fn sorted(job: &RaceVerdict) -> Vec<&RaceOutcome> {
    let mut all: Vec<&RaceOutcome> = job.results.iter().collect();
    all.sort_by_key(|row| (row.simulated_cycles.is_none(), row.simulated_cycles, row.predicted_cycles));
    all
}

/// The winner, then those that are as fast.
fn best(job: &RaceVerdict) -> Vec<&str> {
    let Some(winner) = job.winner() else { return Vec::new() };
    let is_equal = |row: &&RaceOutcome| row.simulated_cycles == Some(winner.time.0) && !job.is_won_by(row);
    let equals = job.results.iter().filter(is_equal).map(|row| row.method.as_str());
    std::iter::once(winner.method).chain(equals).collect()
}

fn row<'a>(machine: &Machine, job: &RaceVerdict, outcome: &'a RaceOutcome) -> RaceRow<'a> {
    let detail = &outcome.detail;
    RaceRow {
        method: &outcome.method,
        wins: job.is_won_by(outcome),
        is_equal: !job.is_won_by(outcome) && best(job).contains(&outcome.method.as_str()),
        numbers: vec![
            grouped(outcome.predicted_cycles),
            outcome.simulated_cycles.map_or_else(|| NONE.to_string(), grouped),
            outcome.gap().map_or_else(|| NONE.to_string(), percent),
            grouped(detail.steps.into()),
            grouped(detail.chunks.into()),
            grouped(detail.messages),
            grouped(detail.bytes_hops),
        ],
        root: detail.root.map_or_else(|| NONE.to_string(), |root| wording::node(machine, root)),
        busiest: wording::link_or_none(machine, outcome.busiest_link),
        busy: outcome.busiest_link.map_or_else(|| NONE.to_string(), |link| grouped(link.busy_cycles)),
    }
}

/// Those that do not suit, and those that were not simulated.
fn left_out(job: &RaceVerdict) -> Vec<Skipped> {
    let not_simulated = job.results.iter().filter_map(|row| {
        let why = format!("not simulated, for {}", row.detail.not_simulated.as_ref()?);
        Some(Skipped { method: row.method.clone(), why, deadlock: false })
    });
    job.skipped.iter().cloned().chain(not_simulated).collect()
}

/// Every node that the verdict names is one of the machine.
pub(super) fn check(machine: &Machine, job: &RaceVerdict) -> Result<()> {
    let busiest = job.results.iter().flat_map(|outcome| &outcome.busiest_link);
    let roots = job.results.iter().filter_map(|outcome| Some(outcome.detail.root?.0));
    wording::check_nodes(machine, busiest.flat_map(|link| [link.from, link.to]).chain(roots))
}
