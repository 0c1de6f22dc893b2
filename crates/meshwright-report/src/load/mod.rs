//! The verdict on a divisible load in words, tables and drawings.
//!
//! | file | what |
//! |---|---|
//! | this one | what the template is filled with |
//! | `words` | the certificate and the methods in sentences |
//! | `figures` | which drawings there are, with their captions |
//! | `timing` | who receives and computes when |

mod figures;
mod timing;
mod words;

use serde::Serialize;

use super::drawings::Figure;
use super::wording::{self, percent};
use meshwright_core::error::Result;
use meshwright_core::words::{NONE, grouped};
use meshwright_network::topology::Machine;
use meshwright_verdict::{LoadOutcome, LoadVerdict, Skipped};

pub(super) use figures::{alone, drawings};

/// The section of one load.
#[derive(Serialize)]
pub(super) struct LoadView<'a> {
    kind: &'static str,
    pub(super) name: &'a str,
    sources_words: String,
    pub(super) headline: String,
    reason: &'a str,
    advice: &'a str,
    certificate: String,
    suffices: String,
    sources: Vec<Vec<String>>,
    rows: Vec<ScheduleRow<'a>>,
    skipped: &'a [Skipped],
    warnings: Vec<String>,
    figures: Vec<Figure>,
    methods: Vec<ScheduleView<'a>>,
}

#[derive(Serialize)]
struct ScheduleRow<'a> {
    method: &'a str,
    switching: &'static str,
    wins: bool,
    /// Promised speedup, bound, ratio, simulated speedup, gap.
    numbers: Vec<String>,
    feasible: bool,
    nodes: String,
    messages: String,
}

#[derive(Serialize)]
struct ScheduleView<'a> {
    name: &'a str,
    switching: &'static str,
    wins: bool,
    summary: String,
    feasible: bool,
    feasibility: String,
    warning: &'a str,
    figures: Vec<Figure>,
}

/// The section of a verdict.
pub(super) fn view<'a>(machine: &Machine, job: &'a LoadVerdict) -> LoadView<'a> {
    let method = |outcome: &'a LoadOutcome| ScheduleView {
        name: &outcome.method,
        switching: outcome.detail.switching.name(),
        wins: job.is_won_by(outcome),
        summary: words::summary(outcome),
        feasible: outcome.detail.feasible,
        feasibility: words::feasibility(machine, outcome),
        warning: outcome.detail.warning.as_deref().unwrap_or_default(),
        figures: figures::of_method(machine, job, outcome),
    };
    // Methods that have nothing to show but their row in the table have no section.
    let methods: Vec<ScheduleView<'a>> = job.results.iter().map(method).collect();
    let is_shown = |method: &ScheduleView<'_>| method.wins || !method.feasible || !method.figures.is_empty();
    let (winners, others): (Vec<_>, Vec<_>) =
        methods.into_iter().filter(is_shown).partition(|method| method.wins);
    LoadView {
        kind: "Divisible load",
        name: &job.name,
        sources_words: wording::counted(job.facts.sources.len() as u64, "source"),
        headline: wording::timed(words::headline(job), job.winner().map(|winner| winner.time.0), machine),
        reason: &job.reason,
        advice: job.advice.as_deref().unwrap_or_default(),
        certificate: job.facts.bound.certificate.clone(),
        suffices: words::suffices(machine, job),
        sources: job
            .facts
            .sources
            .iter()
            .enumerate()
            .map(|(index, source)| source_row(machine, index, source))
            .collect(),
        rows: job.results.iter().map(|outcome| row(job, outcome)).collect(),
        skipped: &job.skipped,
        warnings: job.warnings(),
        figures: drawings(machine, job).into_iter().map(|(_, _, figure)| figure).collect(),
        methods: winners.into_iter().chain(others).collect(),
    }
}

fn source_row(machine: &Machine, index: usize, source: &meshwright_verdict::load::SourceRow) -> Vec<String> {
    vec![
        index.to_string(),
        wording::node(machine, source.node),
        percent(source.load),
        words::short(source.release),
    ]
}

fn row<'a>(job: &LoadVerdict, outcome: &'a LoadOutcome) -> ScheduleRow<'a> {
    ScheduleRow {
        method: &outcome.method,
        switching: outcome.detail.switching.name(),
        wins: job.is_won_by(outcome),
        numbers: vec![
            grouped(outcome.bound_cycles),
            grouped(outcome.predicted_cycles),
            outcome.simulated_cycles.map_or(NONE.to_string(), grouped),
            outcome.gap().map_or(NONE.to_string(), percent),
            words::short(outcome.detail.speedup),
            words::short(outcome.detail.ratio_to_bound),
            outcome.detail.simulated_speedup.map_or(NONE.to_string(), words::short),
        ],
        feasible: outcome.detail.feasible,
        nodes: grouped(outcome.detail.nodes_used as u64),
        messages: outcome.detail.messages.map_or(NONE.to_string(), grouped),
    }
}

/// Every node that a verdict names is one of the machine.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) with the first that is not.
pub(super) fn check(machine: &Machine, job: &LoadVerdict) -> Result<()> {
    let cuts =
        job.results.iter().flat_map(|outcome| &outcome.detail.violated_cut).chain([&job.facts.bound.cut]);
    let named = cuts
        .flat_map(|cut| cut.nodes.iter().copied())
        .chain(job.facts.sources.iter().map(|source| source.node));
    let hottest = job.results.iter().flat_map(|outcome| &outcome.busiest_link);
    let ends = hottest.flat_map(|link| [link.from, link.to]);
    wording::check_nodes(machine, named.map(|node| node.0).chain(ends))
}
