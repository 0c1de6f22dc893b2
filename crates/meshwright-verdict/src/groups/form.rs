//! The form of a verdict on a program of groups.

use serde::Serialize;

use super::experiment::SizeRow;
use crate::{HottestLink, Skipped};
use meshwright_groups::history::History;

/// A program of splits, barriers and joins: every method that applies, and the winner.
#[derive(Clone, Debug, Serialize)]
pub struct GroupsVerdict {
    /// `groups`.
    pub kind: &'static str,
    /// The job's name.
    pub name: String,
    /// The method with the least simulated time; none when every method came to a standstill.
    pub winner: Option<String>,
    /// Why it wins, in one sentence.
    pub reason: String,
    /// What else is to be known, in one sentence.
    pub advice: Option<String>,
    /// Every method, in the order of the table.
    pub results: Vec<GroupsOutcome>,
    /// Methods that do not apply.
    pub skipped: Vec<Skipped>,
    /// The order of the members.
    pub order: String,
    /// How many members the first group has.
    pub members: u32,
    /// How many splits are nested.
    pub levels: u32,
    /// How many repetitions there were.
    pub runs: u32,
    /// What it ran on.
    pub engine: &'static str,
    /// Whether all groups began each operation together.
    pub lockstep: bool,
    /// The seed of the labels.
    pub seed: u64,
    /// Which groups there were when in the first repetition of the winner, if it is small enough; for drawings.
    #[serde(skip)]
    pub history: Option<History>,
}

/// What one method does with a program. Times are those of all repetitions, one after the other.
#[derive(Clone, Debug, Serialize)]
pub struct GroupsOutcome {
    /// The method's name.
    pub method: String,
    /// The split.
    pub split: &'static str,
    /// The trees.
    pub tree: &'static str,
    /// No method takes less, in cycles.
    pub bound_cycles: u64,
    /// How long it takes if nobody is in anybody's way, in cycles.
    pub predicted_cycles: u64,
    /// What the referee measures, in cycles.
    pub simulated_cycles: u64,
    /// simulated / bound - 1.
    pub gap: f64,
    /// The link that most packets crossed in one repetition, if the engine counts them.
    #[serde(flatten, serialize_with = "meshwright_sim::link_use::busiest_under_both")]
    pub hottest_link: Option<HottestLink>,
    /// How many messages arrived.
    pub messages: u64,
    /// The mean of all splits, barriers and joins of groups with two members or more, in cycles.
    pub split_cycles_mean: Option<f64>,
    /// As for splits.
    pub barrier_cycles_mean: Option<f64>,
    /// As for splits.
    pub join_cycles_mean: Option<f64>,
    /// The most bytes that one member kept of its groups.
    pub bytes_kept_max: usize,
    /// What groups take, by bins of sizes that double; for tables.
    #[serde(skip)]
    pub by_doubling: Vec<SizeRow>,
    /// The same in narrower bins; for drawings.
    #[serde(skip)]
    pub by_size: Vec<SizeRow>,
}

impl GroupsVerdict {
    /// Whether this is the winner's outcome.
    pub fn is_won_by(&self, outcome: &GroupsOutcome) -> bool {
        self.winner.as_ref() == Some(&outcome.method)
    }
}
