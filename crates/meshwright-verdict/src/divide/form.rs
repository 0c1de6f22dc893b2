//! The form of a verdict on a phased job.

use serde::Serialize;

use super::Searched;
use super::reason::rank;
use crate::{Blame, HottestLink, Skipped};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_sim::fitting::Routers;

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
    /// No placement that sends these messages whole can be faster, in cycles; a schedule in pieces can.
    pub bound_cycles: u64,
    /// What the formula says, in cycles.
    pub predicted_cycles: u64,
    /// What the referee measures with a barrier after each phase, in cycles.
    pub simulated_cycles: u64,
    /// What the referee measures when each node goes on as soon as its own messages are there, in cycles; none
    /// when messages of different phases then wait for each other in a ring.
    pub dependency_cycles: Option<u64>,
    /// Who measured it: `message`, or `flit` where whole messages would wait for each other in a ring.
    pub engine: &'static str,
    /// The routers of the flit engine, if it did.
    pub routers: Option<Routers>,
    /// Whether its routes cannot deadlock, whatever the timing: their channel-dependency graph has no
    /// cycle. So it is on routers, whose virtual channels break it.
    pub deadlock_free: bool,
    /// simulated / bound - 1.
    pub gap: f64,
    /// All hops of all messages.
    pub hops_total: u64,
    /// The busiest link, by time; none when nothing is sent over a link.
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::busiest_under_both")]
    pub hottest_link: Option<HottestLink>,
    /// The link messages waited for; none when no message ever waited for a link.
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::waited_under_both")]
    pub blame: Option<Blame>,
    /// Phase by phase.
    pub phases: Vec<PhaseRow>,
    /// Where the tasks are; for drawings.
    #[serde(skip)]
    pub placement: Placement,
    /// Messages over each link, by link id; for drawings.
    #[serde(skip)]
    pub link_messages: Vec<u32>,
    /// How long the messages of each link take on it, by link id, in cycles; for drawings.
    #[serde(skip)]
    pub link_busy: Vec<u64>,
}

/// A phased job: every placement that applies, and the winner.
#[derive(Clone, Debug, Serialize)]
pub struct DivideVerdict {
    /// `divide`.
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
    pub searched: Option<Searched>,
    /// Whether a signal has ended a search before its time: left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What was mapped; for drawings.
    #[serde(skip)]
    pub tasks: TaskGraph,
}

impl DivideVerdict {
    /// Whether this is the winner's outcome.
    pub fn is_won_by(&self, outcome: &Outcome) -> bool {
        self.winner.as_ref() == Some(&outcome.method)
    }

    /// Whether nothing but its place in the list tells this outcome from the winner's: both times and the traffic are equal.
    pub fn is_equal_to_best(&self, outcome: &Outcome) -> bool {
        let best = self.results.iter().find(|other| self.is_won_by(other));
        best.is_some_and(|best| best.method != outcome.method && rank(best) == rank(outcome))
    }
}
