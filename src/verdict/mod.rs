//! Bound, prediction, simulation, gap and blame: one form for every planner.
//!
//! | file | what |
//! |---|---|
//! | this one | the form of an answer |
//! | [`divide`] | divide and conquer and phased traces, every placement judged |
//! | [`auto`] | which placements are worth a simulation |
//! | [`simulate`] | the answer to `simulate` |
//! | [`experiment`] | open-loop traffic on one machine, ready to be measured at any load |
//! | [`traffic`], [`sweep`] | what one load gave; latency against load |
//! | [`plan`] | the answer to `plan` |
//! | [`map`] | the answer to `map`: both switchings, in the paper's units |
//! | `measure` | one placement: metrics, prediction, simulation |
//! | `reason` | why the winner wins |

pub mod auto;
pub mod divide;
pub mod experiment;
pub mod map;
mod measure;
pub mod plan;
mod reason;
pub mod simulate;
pub mod sweep;
pub mod traffic;

pub use divide::Job;

use serde::Serialize;

use crate::error::Error;
use crate::mapping::{Placement, TaskGraph};

/// The link that carries the most messages over the whole job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HottestLink {
    /// The node it leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// How many messages pass.
    pub messages: u64,
    /// How long its messages take on it, in cycles.
    pub busy_cycles: u64,
}

/// Where messages waited the longest: the link to blame for the distance from the prediction alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Blame {
    /// The node the link leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// The phase in which they waited.
    pub phase: u32,
    /// How long messages waited for it, added up, in cycles.
    pub waited_cycles: u64,
}

/// One phase under one placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRow {
    /// The phase number.
    pub phase: u32,
    /// How many messages it has.
    pub messages: u64,
    /// The bytes of its heaviest message.
    pub bytes: u64,
    /// The longest path, in links.
    pub dilation: u32,
    /// The most other messages that meet one message on some link.
    pub contention: u32,
    /// The most messages on one link.
    pub link_load: u32,
    /// The lower bound of any placement, in cycles.
    pub bound_cycles: u64,
    /// The busiest link: no schedule on these routes takes less, in cycles.
    pub link_cycles: u64,
    /// The prediction, in cycles.
    pub predicted_cycles: u64,
    /// Each message waits for all it meets: a pessimistic figure, but no bound, in cycles.
    pub path_cycles: u64,
    /// The simulated time, in cycles.
    pub simulated_cycles: u64,
}

/// What one method does with one job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The method's name.
    pub method: String,
    /// No placement can be faster, in cycles.
    pub bound_cycles: u64,
    /// What the formula says, in cycles.
    pub predicted_cycles: u64,
    /// What the referee measures with a barrier after each phase, in cycles.
    pub simulated_cycles: u64,
    /// What the referee measures when each node goes on as soon as its own messages are there, in cycles; none
    /// when messages of different phases then wait for each other in a ring.
    pub dependency_cycles: Option<u64>,
    /// Whether its routes cannot deadlock, whatever the timing: their channel-dependency graph has no cycle.
    pub deadlock_free: bool,
    /// simulated / bound - 1.
    pub gap: f64,
    /// All hops of all messages.
    pub hops_total: u64,
    /// The link with the most messages; none when nothing is sent over a link.
    pub hottest_link: Option<HottestLink>,
    /// The link messages waited for; none when no message ever waited for a link.
    pub blame: Option<Blame>,
    /// Phase by phase.
    pub phases: Vec<PhaseRow>,
    /// Where the tasks are; for drawings.
    #[serde(skip)]
    pub placement: Placement,
    /// Messages over each link, by link id; for drawings.
    #[serde(skip)]
    pub link_messages: Vec<u32>,
}

/// A method that was asked for and cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The method's name.
    pub method: String,
    /// Why, as a sentence without a full stop.
    pub why: String,
    /// Whether it was simulated and came to a standstill: a negative answer, not an unsuitable method.
    pub deadlock: bool,
}

/// A share as the number before a percent sign, the same in tables, sentences and pages: two decimals below ten,
/// one above, none above a thousand, and never 0 for what is not.
///
/// # Examples
///
/// ```
/// use meshwright::verdict::percentage;
/// let shown: Vec<String> = [0.0, 0.000_01, 0.0255, 0.509_6, 12.5].map(percentage).into();
/// assert_eq!(shown, ["0", "< 0.01", "2.55", "51.0", "1250"]);
/// ```
pub fn percentage(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        0.0 => "0".to_string(),
        size if size < 0.01 => "< 0.01".to_string(),
        size if size < 10.0 => format!("{percent:.2}"),
        size if size < 1000.0 => format!("{percent:.1}"),
        _ => format!("{percent:.0}"),
    }
}

/// The error when every method was skipped: each different reason once.
fn nothing_applies(skipped: &[Skipped]) -> Error {
    let mut reasons: Vec<&str> = Vec::new();
    for skipped in skipped {
        if !reasons.contains(&skipped.why.as_str()) {
            reasons.push(&skipped.why);
        }
    }
    Error::not_applicable("placing the tasks", reasons.join("; "))
}

impl JobVerdict {
    /// Whether this is the winner's outcome.
    pub fn is_won_by(&self, outcome: &Outcome) -> bool {
        self.winner.as_ref() == Some(&outcome.method)
    }
}

/// One job: every method that applies, and the winner.
#[derive(Clone, Debug, Serialize)]
pub struct JobVerdict {
    /// `divide`, `load` or `groups`.
    pub kind: &'static str,
    /// The job's name.
    pub name: String,
    /// The method with the least simulated time; none when all that apply end in a deadlock.
    pub winner: Option<String>,
    /// Why it wins, or that none does, in one sentence.
    pub reason: String,
    /// Which method moves the least, when it is not the winner, in one sentence.
    pub advice: Option<String>,
    /// Every method, in the order of the table.
    pub results: Vec<Outcome>,
    /// Methods that do not apply.
    pub skipped: Vec<Skipped>,
    /// The search that made some of the placements, if there was one.
    pub searched: Option<divide::Searched>,
    /// What was mapped; for drawings.
    #[serde(skip)]
    pub tasks: TaskGraph,
}
