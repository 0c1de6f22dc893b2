//! The verdict on a program of groups in words, tables and drawings.
//!
//! | file | what |
//! |---|---|
//! | this one | what the template is filled with |
//! | `figures` | which drawings there are, with their captions |

mod figures;

use serde::Serialize;

use super::drawings::Figure;
use super::wording::{self, counted, percent};
use meshwright_core::error::Result;
use meshwright_core::words::{NONE, grouped};
use meshwright_network::topology::Machine;
use meshwright_verdict::{GroupsOutcome, GroupsVerdict, Skipped};

pub(super) use figures::{alone, drawings};

/// The section of one program of groups.
#[derive(Serialize)]
pub(super) struct GroupsView<'a> {
    kind: &'static str,
    pub(super) name: &'a str,
    /// The order and the repetitions; the template knows the section by it.
    program: String,
    pub(super) headline: String,
    reason: &'a str,
    advice: &'a str,
    rows: Vec<GroupsRow<'a>>,
    skipped: &'a [Skipped],
    figures: Vec<Figure>,
    sizes: Vec<Vec<String>>,
    winner: &'a str,
}

#[derive(Serialize)]
struct GroupsRow<'a> {
    method: &'a str,
    split: &'a str,
    tree: &'a str,
    wins: bool,
    /// Bound, predicted, simulated, gap; split, barrier, join; messages, bytes.
    numbers: Vec<String>,
    hottest: String,
    hottest_packets: String,
}

/// The section of a verdict.
pub(super) fn view<'a>(machine: &Machine, job: &'a GroupsVerdict) -> GroupsView<'a> {
    let winner = job.winner();
    let pace = if job.facts.lockstep { "in lock-step" } else { "each group at its own pace" };
    GroupsView {
        kind: "Program of groups",
        name: &job.name,
        program: format!(
            "{} in {} order, {} deep, {}, {pace}",
            counted(job.facts.members.into(), "member"),
            job.facts.order,
            counted(job.facts.levels.into(), "split"),
            counted(job.facts.runs.into(), "repetition"),
        ),
        headline: wording::timed(
            wording::headline(winner.as_ref().map(|winner| (winner.method, winner.time.0))),
            winner.as_ref().map(|winner| winner.time.0),
            machine,
        ),
        reason: &job.reason,
        advice: job.advice.as_deref().unwrap_or_default(),
        rows: job.results.iter().map(|outcome| row(machine, job, outcome)).collect(),
        skipped: &job.skipped,
        figures: drawings(machine, job).into_iter().map(|(_, _, figure)| figure).collect(),
        sizes: winner.map_or_else(Vec::new, |winner| sizes(winner.outcome)),
        winner: job.winner_name().unwrap_or_default(),
    }
}

fn row<'a>(machine: &Machine, job: &GroupsVerdict, outcome: &'a GroupsOutcome) -> GroupsRow<'a> {
    let hottest = outcome.busiest_link;
    GroupsRow {
        method: &outcome.method,
        split: outcome.detail.split,
        tree: outcome.detail.tree,
        wins: job.is_won_by(outcome),
        numbers: vec![
            grouped(outcome.bound_cycles),
            grouped(outcome.predicted_cycles),
            grouped(outcome.simulated()),
            percent(outcome.gap().unwrap_or_default()),
            mean(outcome.detail.split_cycles_mean),
            mean(outcome.detail.barrier_cycles_mean),
            mean(outcome.detail.join_cycles_mean),
            grouped(outcome.detail.messages),
            grouped(outcome.detail.bytes_kept_max as u64),
        ],
        hottest: wording::link_or_none(machine, hottest),
        hottest_packets: hottest.map_or_else(|| NONE.to_string(), |link| grouped(link.messages)),
    }
}

fn mean(mean: Option<f64>) -> String {
    mean.map_or_else(|| NONE.to_string(), |mean| format!("{mean:.1}"))
}

/// What groups of each size take: mean and greatest of splits, barriers and joins.
fn sizes(outcome: &GroupsOutcome) -> Vec<Vec<String>> {
    let row = |row: &meshwright_verdict::groups::experiment::SizeRow| {
        let (least, most) = row.sizes;
        let mut cells = vec![if least == most { least.to_string() } else { format!("{least}–{most}") }];
        for overhead in [row.split, row.barrier, row.join] {
            cells.push(mean(overhead.map(|overhead| overhead.mean.mean)));
            cells.push(overhead.map_or_else(|| NONE.to_string(), |overhead| grouped(overhead.max)));
        }
        cells
    };
    outcome.detail.by_doubling.iter().map(row).collect()
}

/// Every node that a verdict names is one of the machine.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) with the first that is not.
pub(super) fn check(machine: &Machine, job: &GroupsVerdict) -> Result<()> {
    let hottest = job.results.iter().flat_map(|outcome| &outcome.busiest_link);
    wording::check_nodes(machine, hottest.flat_map(|link| [link.from, link.to]))
}
