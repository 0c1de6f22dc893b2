//! Bound, prediction, simulation, gap and blame: one form for every planner.
//!
//! | file | what |
//! |---|---|
//! | this one | the form of an answer |
//! | [`mapping`] | divide and conquer and phased traces, every placement judged; why the winner wins |
//! | [`load`](mod@load) | divisible loads, every method judged |
//! | [`groups`] | programs of splits, barriers and joins, every split on every tree |
//! | [`installments`] | what fewer processors and fewer messages cost |
//! | [`completion`] | divide and conquer with its work: how deep to divide, how many nodes to use |
//! | [`auto`] | which placements are worth a simulation |
//! | [`mod@explain`] | why a plan takes as long as it does: culprit, critical path, what changes would gain |
//! | `axes` | the best laying of logical axes along dimensions, by simulation |
//! | `look` | a search whose judge is the simulation |
//! | [`map`] | the answer to `map`: both switchings, in the paper's units |
//! | [`race`] | one collective operation by every published algorithm, simulated |
//! | [`ranked`] | a placed tree over ranks, for the executors that really run |
//! | [`transactions`] | a trace of reads and writes: bound, simulated time, the busiest resource, the error |
//! | [`fit`](mod@fit) | free constants of a machine from traces, and the error on traces held out |
//! | `contradiction` | what happens where a time falls below its bound |
//! | `measure` | one placement: metrics, prediction, simulation |

#![forbid(unsafe_code)]

pub mod auto;
mod axes;
pub mod buffers;
pub mod completion;
mod contradiction;
pub mod explain;
pub mod fit;
pub mod groups;
pub mod installments;
mod judge;
pub mod load;
pub mod look;
pub mod map;
pub mod mapping;
mod measure;
pub mod race;
pub mod ranked;
pub mod transactions;

pub use groups::{GroupsDetail, GroupsFacts};
pub use judge::{
    Contest, DetailOf, Ending, Facts, Options, Outcome, Rank, Silent, Verdict, Watch, Winner, judge,
};
pub use load::{LoadDetail, LoadFacts};
pub use mapping::{Job, MappingDetail, MappingFacts, PhaseRow};
pub use meshwright_sim::link_use::{LinkUse, LinkWait};
pub use race::{RaceDetail, RaceFacts, RaceOutcome, RaceVerdict};
pub use ranked::{Ranked, nearest_to_a_square};

use serde::Serialize;

use meshwright_core::error::Error;
use meshwright_mapping::{TaskGraph, search};
use meshwright_network::topology::Machine;

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

/// simulated / bound - 1, of whole cycles as they are shown; a job that sends nothing has no gap.
pub(crate) fn gap(bound: u64, simulated: u64) -> f64 {
    if simulated == bound { 0.0 } else { simulated as f64 / bound as f64 - 1.0 }
}

/// Whether a phase runs once.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(crate) fn is_one(times: &u32) -> bool {
    *times == 1
}

/// The error when every method was skipped: each different reason once.
fn nothing_applies(what: &'static str, skipped: &[Skipped]) -> Error {
    let mut reasons: Vec<&str> = Vec::new();
    for skipped in skipped {
        if !reasons.contains(&skipped.why.as_str()) {
            reasons.push(&skipped.why);
        }
    }
    Error::not_applicable(what, reasons.join("; "))
}

/// The error when no placement applies: a machine in parts is the one reason, if it is one.
fn no_placement(graph: &TaskGraph, machine: &Machine, skipped: &[Skipped]) -> Error {
    const WHAT: &str = "placing the tasks";
    match search::apart(graph, machine) {
        Some(why) => Error::not_applicable(WHAT, why),
        None => nothing_applies(WHAT, skipped),
    }
}

/// Verdicts on phased jobs, and what one placement does.
pub type MappingVerdict = Verdict<MappingFacts>;
/// See [`MappingVerdict`].
pub type MappingOutcome = Outcome<MappingDetail>;
/// Verdicts on divisible loads, and what one method does.
pub type LoadVerdict = Verdict<LoadFacts>;
/// See [`LoadVerdict`].
pub type LoadOutcome = Outcome<LoadDetail>;
/// Verdicts on programs of groups, and what one method does.
pub type GroupsVerdict = Verdict<GroupsFacts>;
/// See [`GroupsVerdict`].
pub type GroupsOutcome = Outcome<GroupsDetail>;

/// The verdict on one job of a plan.
#[derive(Clone, Debug)]
pub enum JobVerdict {
    /// Divide and conquer, or a phased trace.
    Mapping(MappingVerdict),
    /// A divisible load.
    Load(LoadVerdict),
    /// A program of groups.
    Groups(GroupsVerdict),
    /// A collective operation.
    Race(RaceVerdict),
}

impl JobVerdict {
    /// The job's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Mapping(verdict) => &verdict.name,
            Self::Load(verdict) => &verdict.name,
            Self::Groups(verdict) => &verdict.name,
            Self::Race(verdict) => &verdict.name,
        }
    }

    /// The time of the method that wins, in cycles; none when no method comes to an end.
    pub fn winner_cycles(&self) -> Option<u64> {
        match self {
            Self::Mapping(verdict) => verdict.winner().map(|winner| winner.time.0),
            Self::Load(verdict) => verdict.winner().map(|winner| winner.time.0),
            Self::Groups(verdict) => verdict.winner().map(|winner| winner.time.0),
            Self::Race(verdict) => verdict.winner().map(|winner| winner.time.0),
        }
    }

    /// The method that wins; none when no method comes to an end.
    pub fn winner(&self) -> Option<&str> {
        match self {
            Self::Mapping(verdict) => verdict.winner_name(),
            Self::Load(verdict) => verdict.winner_name(),
            Self::Groups(verdict) => verdict.winner_name(),
            Self::Race(verdict) => verdict.winner_name(),
        }
    }
}

impl From<MappingVerdict> for JobVerdict {
    fn from(verdict: MappingVerdict) -> Self {
        Self::Mapping(verdict)
    }
}

impl From<LoadVerdict> for JobVerdict {
    fn from(verdict: LoadVerdict) -> Self {
        Self::Load(verdict)
    }
}

impl From<GroupsVerdict> for JobVerdict {
    fn from(verdict: GroupsVerdict) -> Self {
        Self::Groups(verdict)
    }
}

impl From<RaceVerdict> for JobVerdict {
    fn from(verdict: RaceVerdict) -> Self {
        Self::Race(verdict)
    }
}
