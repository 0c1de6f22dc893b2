//! The form of a verdict on a phased job.

use std::borrow::Cow;

use serde::Serialize;

use super::Searched;
use super::reason::rank;
use crate::explain::{Culprit, Subject, Work};
use crate::{Facts, MappingOutcome, MappingVerdict};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::Machine;
use meshwright_sim::fitting::Routers;

/// One phase under one placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRow {
    /// The phase number, of the first of its repetitions.
    pub phase: u32,
    /// How often it runs: left out if once. Times and messages are those of all its repetitions together.
    #[serde(skip_serializing_if = "crate::is_one")]
    pub repeats: u32,
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

/// What is known of a placement beside its times.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingDetail {
    /// What the simulator measures when each node goes on as soon as its own messages are there, in cycles; none
    /// when messages of different phases then wait for each other in a ring, or repetitions of phases are too many to be
    /// written out.
    pub dependency_cycles: Option<u64>,
    /// Who measured it: `message`, or `flit` where whole messages would wait for each other in a ring.
    pub engine: &'static str,
    /// The routers of the flit engine, if it did.
    pub routers: Option<Routers>,
    /// Whether its routes cannot deadlock, whatever the timing: their channel-dependency graph has no
    /// cycle. So it is on routers, whose virtual channels break it.
    pub deadlock_free: bool,
    /// All hops of all messages.
    pub hops_total: u64,
    /// Phase by phase.
    pub phases: Vec<PhaseRow>,
    /// Where the tasks are; for drawings.
    pub placement: Placement,
    /// Messages over each link, by link id; for drawings.
    pub link_messages: Vec<u32>,
    /// How long the messages of each link take on it, by link id, in cycles; for drawings.
    pub link_busy: Vec<u64>,
}

/// A job of more messages, every repetition of a phase counted, is not written out as a schedule.
pub(super) const WRITTEN_OUT_MAX: u64 = 1 << 22;

impl MappingDetail {
    /// Why there is no time without barriers, in a word or two: repetitions that are too many to be written out, or a deadlock.
    pub fn no_dependency(&self) -> &'static str {
        let messages: u64 = self.phases.iter().map(|phase| phase.messages).sum();
        if messages > WRITTEN_OUT_MAX { "not run" } else { "deadlock" }
    }
}

/// What a verdict says of a phased job: every placement that applies, and the winner.
#[derive(Clone, Debug)]
pub struct MappingFacts {
    /// The search that made some of the placements, if there was one.
    pub searched: Option<Searched>,
    /// Whether a signal has ended a search before its time.
    pub interrupted: bool,
    /// Which member of its family the placement `axes` is, if it was tried.
    pub axes: Option<String>,
    /// What was mapped; for drawings.
    pub tasks: TaskGraph,
    /// The busiest link under the winner, with the messages on it; none where no message crosses a link.
    pub culprit: Option<Culprit>,
}

impl Facts for MappingFacts {
    const KIND: &'static str = "divide";
    type Detail = MappingDetail;
}

impl MappingVerdict {
    /// The best outcome whose placement is another than the winner's.
    pub fn runner_up(&self) -> Option<&MappingOutcome> {
        let winner = self.winner()?.outcome;
        let differs =
            |outcome: &&MappingOutcome| outcome.detail.placement.nodes != winner.detail.placement.nodes;
        self.results.iter().filter(differs).min_by_key(|outcome| rank(outcome))
    }

    /// The winner's plan, to be explained; none when nothing comes to an end.
    pub fn subject<'a>(&'a self, machine: &'a Machine) -> Option<Subject<'a>> {
        let winner = self.winner()?;
        let runner_up = self.runner_up().map(|outcome| outcome.detail.placement.clone());
        let (tasks, placement) = (Cow::Borrowed(&self.facts.tasks), winner.outcome.detail.placement.clone());
        let work = Work::Placed { tasks, placement, runner_up };
        Some(Subject { name: &self.name, method: winner.method, machine, work })
    }

    /// Whether nothing but its place in the list tells this outcome from the winner's: both times and the traffic are equal.
    pub fn is_equal_to_best(&self, outcome: &MappingOutcome) -> bool {
        let best = self.winner().map(|winner| winner.outcome);
        best.is_some_and(|best| best.method != outcome.method && rank(best) == rank(outcome))
    }
}
