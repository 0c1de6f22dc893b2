//! The answer to `groups`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::experiment::{Experiment, Overhead, SizeRow};
use super::job::{Drawn, Job, Labels, Pace};
use super::methods::Method;
use super::shown::{NewTree, Shown, Vertex};
use meshwright_network::topology::Machine;

/// Splits, barriers and joins on one machine under one method; steps are cycles.
#[derive(Clone, Debug, Serialize)]
pub struct GroupsAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The coordinates of dead nodes.
    pub dead: Vec<Vec<u32>>,
    /// The coordinates of the two ends of each dead link.
    pub dead_links: Vec<[Vec<u32>; 2]>,
    /// The order of the members.
    pub order: String,
    /// The trees.
    pub tree: &'static str,
    /// The split.
    pub split: &'static str,
    /// Why this tree and this split, if they were not both named.
    pub why: Option<String>,
    /// What it ran on.
    pub engine: &'static str,
    /// Packets that wait before a router, on each link that comes in.
    pub buffers: u32,
    /// Whether all groups began each operation together.
    pub lockstep: bool,
    /// Whether new groups were runs of consecutive ranks.
    pub contiguous: bool,
    /// How many splits were nested.
    pub levels: u32,
    /// What times are counted in: `steps`, or `cycles` on a machine with costs of its own.
    pub unit: &'static str,
    /// The seed of whatever is random.
    pub seed: u64,
    /// How many repetitions there were.
    pub runs: u32,
    /// What groups took, size by size.
    pub by_size: Vec<SizeEntry>,
    /// What groups took, level by level; level 0 is the first group.
    pub by_level: Vec<LevelEntry>,
    /// The members of the first group after the first split, in the order of their ranks before.
    pub vertices: Vec<Vertex>,
    /// The new groups of that split.
    pub trees: Vec<NewTree>,
    /// The messages of that split, by kind.
    pub messages: Map<String, Value>,
    /// How long that split took.
    pub split_steps: Option<u64>,
    /// The messages of all repetitions, by kind; `up`, `down` and `across` are those of barriers and joins.
    pub messages_all: Map<String, Value>,
    /// The most messages that waited at one member for its next operation.
    pub early_messages_max: usize,
    /// The most bytes that one member kept of its groups in the first repetition.
    pub bytes_kept_max: usize,
    /// No method takes fewer steps for all repetitions.
    pub bound_cycles: u64,
    /// How many steps all repetitions took, one after the other.
    pub simulated_cycles: u64,
    /// The ends of the links of a ring whose messages wait for each other, if there was a standstill.
    pub deadlock: Option<Vec<[u32; 2]>>,
}

/// What an operation takes, in steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Steps {
    count: usize,
    mean: Option<f64>,
    max: Option<u64>,
    ci95: Option<f64>,
}

impl From<Option<Overhead>> for Steps {
    fn from(overhead: Option<Overhead>) -> Self {
        overhead.map_or_else(Self::default, |Overhead { mean, max }| Self {
            count: mean.count,
            mean: Some(mean.mean),
            max: Some(max),
            ci95: Some(mean.ci95).filter(|width| width.is_finite()),
        })
    }
}

/// What groups of one size take. Half a confidence interval is known of two groups or more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeEntry {
    /// The size: before a split, after a join.
    pub size: u32,
    /// How many splits and barriers such groups did, whichever is more.
    pub count: usize,
    /// The mean of their splits.
    pub split_steps_mean: Option<f64>,
    /// The longest.
    pub split_steps_max: Option<u64>,
    /// Half the 95 % confidence interval of the mean.
    pub split_steps_ci95: Option<f64>,
    /// How many splits.
    pub split_count: usize,
    /// The mean of their barriers.
    pub barrier_steps_mean: Option<f64>,
    /// The longest.
    pub barrier_steps_max: Option<u64>,
    /// Half the 95 % confidence interval of the mean.
    pub barrier_steps_ci95: Option<f64>,
    /// How many barriers.
    pub barrier_count: usize,
    /// The mean of their joins.
    pub join_steps_mean: Option<f64>,
    /// The longest.
    pub join_steps_max: Option<u64>,
    /// Half the 95 % confidence interval of the mean.
    pub join_steps_ci95: Option<f64>,
    /// How many joins.
    pub join_count: usize,
}

impl From<&SizeRow> for SizeEntry {
    fn from(row: &SizeRow) -> Self {
        let [split, barrier, join] = [row.split, row.barrier, row.join].map(Steps::from);
        Self {
            size: row.sizes.1,
            count: split.count.max(barrier.count),
            split_steps_mean: split.mean,
            split_steps_max: split.max,
            split_steps_ci95: split.ci95,
            split_count: split.count,
            barrier_steps_mean: barrier.mean,
            barrier_steps_max: barrier.max,
            barrier_steps_ci95: barrier.ci95,
            barrier_count: barrier.count,
            join_steps_mean: join.mean,
            join_steps_max: join.max,
            join_steps_ci95: join.ci95,
            join_count: join.count,
        }
    }
}

/// What groups of one level take on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelEntry {
    /// How many splits deep they are.
    pub level: u32,
    /// How many of them there were, in all repetitions.
    pub groups: usize,
    /// The mean of their splits.
    pub split_steps_mean: Option<f64>,
    /// The mean of their barriers.
    pub barrier_steps_mean: Option<f64>,
    /// The mean of the joins that made them again.
    pub join_steps_mean: Option<f64>,
}

/// What was found, before it is put into form.
#[derive(Clone, Debug)]
pub struct Found {
    /// The method.
    pub method: &'static Method,
    /// Why it, if it was not named.
    pub why: Option<String>,
    /// All repetitions.
    pub experiment: Experiment,
    /// The first split; none if it came to a standstill.
    pub shown: Option<Shown>,
    /// What no method can beat.
    pub bound_cycles: u64,
}

impl GroupsAnswer {
    /// The answer of this job.
    pub fn new(job: &Job, machine: &Machine, found: Found) -> Self {
        let Found { method, why, experiment, shown, bound_cycles } = found;
        let shown_steps = shown.as_ref().map(|shown| shown.split_steps);
        let Shown { vertices, trees, messages, .. } = shown.unwrap_or_default();
        let ends = machine.dead_link_coordinates();
        let sent = experiment.sent();
        Self {
            format: 1,
            machine: machine.name().to_string(),
            dead: machine.dead_coordinates(),
            dead_links: ends,
            order: job.order.clone(),
            tree: method.tree,
            split: method.split,
            why,
            engine: job.engine.name(),
            buffers: machine.buffers(),
            lockstep: job.pace == Pace::Lockstep,
            contiguous: matches!(job.labels, Labels::Drawn { kind: Drawn::Contiguous, .. }),
            levels: job.levels(),
            unit: unit(machine),
            seed: job.seed,
            runs: job.repeat,
            by_size: experiment.by_size().iter().map(SizeEntry::from).collect(),
            by_level: by_level(job, &experiment),
            vertices,
            trees,
            messages,
            split_steps: shown_steps,
            messages_all: sent.into_iter().map(|(name, count)| (name.to_string(), count.into())).collect(),
            early_messages_max: experiment.rounds.iter().map(|ran| ran.early_most).max().unwrap_or(0),
            bytes_kept_max: experiment.bytes_kept_most,
            bound_cycles,
            simulated_cycles: experiment.cycles(),
            deadlock: experiment.deadlock().map(|ring| super::ends_of(machine, ring)),
        }
    }
}

/// What a cycle is called: a step where packets cost what they do in the model of Chochia 1996.
pub(super) fn unit(machine: &Machine) -> &'static str {
    if machine.costs() == machine.clone().in_packets().costs() { "steps" } else { "cycles" }
}

fn by_level(job: &Job, experiment: &Experiment) -> Vec<LevelEntry> {
    use super::program::Kind::{Barrier, Join, Split};
    let entry = |level| {
        let [split, barrier, join] = [Split, Barrier, Join]
            .map(|kind| Steps::from(experiment.overhead(kind, |sample| sample.level == level)));
        LevelEntry {
            level,
            groups: split.count.max(barrier.count),
            split_steps_mean: split.mean,
            barrier_steps_mean: barrier.mean,
            join_steps_mean: join.mean,
        }
    };
    (0..=job.levels()).map(entry).collect()
}
