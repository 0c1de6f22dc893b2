//! What a verdict says of a program of groups.

use super::experiment::SizeRow;
use crate::Facts;
use meshwright_groups::history::History;

/// What a verdict says of a program of splits, barriers and joins.
#[derive(Clone, Debug)]
pub struct GroupsFacts {
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
    pub history: Option<History>,
}

impl Facts for GroupsFacts {
    const KIND: &'static str = "groups";
    type Detail = GroupsDetail;
}

/// What is known of a method beside its times, which are those of all repetitions, one after the other.
#[derive(Clone, Debug)]
pub struct GroupsDetail {
    /// The split.
    pub split: &'static str,
    /// The trees.
    pub tree: &'static str,
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
    pub by_doubling: Vec<SizeRow>,
    /// The same in narrower bins; for drawings.
    pub by_size: Vec<SizeRow>,
}
