//! Many repetitions: what splits, barriers and joins take, by the size of the group.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::job::{Drawn, Job, Labels};
use super::methods::{Method, Viewed, Visitor};
use super::program::{self, Kind, Ran, Sample, Stage};
use meshwright_core::budget;
use meshwright_core::error::Result;
use meshwright_core::statistics::{Estimate, estimate};
use meshwright_core::units::LinkId;
use meshwright_groups::Group;
use meshwright_network::topology::Machine;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// The mean with its confidence interval, in cycles.
    #[serde(flatten)]
    pub mean: Estimate,
    /// The greatest, in cycles.
    pub max: u64,
}

/// What groups of one size take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeRow {
    /// The least and the greatest size.
    pub sizes: (u32, u32),
    /// Their splits, by the size before.
    pub split: Option<Overhead>,
    /// Their barriers.
    pub barrier: Option<Overhead>,
    /// Their joins, by the size after.
    pub join: Option<Overhead>,
}

/// All repetitions under one method.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// What each repetition gave, in their order.
    pub rounds: Vec<Ran>,
    /// The kinds of packets in the order in which they are first sent, then `up`, `down` and `across` of passes.
    pub steps: Vec<&'static str>,
    /// The most bytes that one member kept of its groups in the first repetition.
    pub bytes_kept_most: usize,
}

/// Runs all repetitions on all threads; `finished` is called after each.
///
/// Each repetition draws from a stream of its own and results are collected in their order, so the answer is the same
/// however many threads there are.
///
/// # Errors
///
/// As for [`Job::group`] and [`program::run`].
///
/// # Source
///
/// `chochia1996`, section 5.
pub fn run(
    job: &Job,
    machine: &Machine,
    method: &Method,
    finished: &(dyn Fn() + Sync),
) -> Result<Experiment> {
    let group = job.group(machine)?;
    price(job, method, group.size())?;
    method.apply(job, machine, Repetitions { job, machine, group: &group, finished })
}

/// What a member keeps and what is recorded of it, at least; measured from 2^12 to 2^18 members.
const MEMBER_BYTES: u64 = 2 << 10;

/// What is recorded of a block of labels that a member passes on; measured with 2^12 and 2^14 members.
const BLOCK_BYTES: u64 = 128;

/// Refuses a repetition that does not fit into memory.
///
/// ```text
/// s members + (s - 1) ceil(s b / 64) blocks of labels that come down, for b bits of a label, under `mask`
/// ```
///
/// Labels that lie side by side come as runs, in few blocks, and are not counted.
fn price(job: &Job, method: &Method, size: u32) -> Result<()> {
    let width = |count: u32| u32::BITS - count.saturating_sub(1).leading_zeros();
    let bits = match &job.labels {
        Labels::Drawn { kind: Drawn::Scattered, .. } => 1,
        Labels::Drawn { kind: Drawn::Colours(colours), .. } => width(*colours),
        Labels::Drawn { kind: Drawn::Keyed { colours, keys }, .. } => width(*colours) + width(*keys),
        _ => 0,
    };
    let size = u64::from(size);
    let blocks = match method.split {
        "mask" => (size - 1).saturating_mul((size * u64::from(bits)).div_ceil(64)),
        _ => 0,
    };
    let bytes = (size * MEMBER_BYTES).saturating_add(blocks.saturating_mul(BLOCK_BYTES));
    budget::check("one repetition of these splits", bytes)
}

struct Repetitions<'a> {
    job: &'a Job,
    machine: &'a Machine,
    group: &'a Group,
    finished: &'a (dyn Fn() + Sync),
}

impl Visitor for Repetitions<'_> {
    type Output = Experiment;

    fn visit<S: Viewed>(self, scheme: &S) -> Result<Experiment> {
        let Self { job, machine, group, finished } = self;
        let run = |stage: &mut Stage<'_, S>, number| {
            let ran = stage.run(group, &job.round(group, number));
            finished();
            ran
        };
        let rounds = (0..job.repeat).into_par_iter();
        let rounds = rounds.map_init(|| Stage::new(scheme, job, machine), run).collect::<Result<_>>()?;
        let first = job.round(group, 0);
        let bytes_kept_most = program::bytes_kept_most(scheme, job, machine, group, &first)?;
        Ok(Experiment {
            rounds,
            bytes_kept_most,
            steps: S::STEPS.iter().copied().chain(["up", "down", "across"]).collect(),
        })
    }
}

impl Experiment {
    /// What groups take, size by size.
    pub fn by_size(&self) -> Vec<SizeRow> {
        self.binned(|size| (size, size))
    }

    /// What groups take, in bins of sizes: 1, 2, 3 to 4, 5 to 8, 9 to 16 and so on.
    pub fn by_doubling(&self) -> Vec<SizeRow> {
        self.binned(doubling)
    }

    /// What groups take, in bins of so many sizes; below that, in bins that double.
    pub fn by_bins_of(&self, width: u32) -> Vec<SizeRow> {
        self.binned(|size| match (size - 1) / width * width {
            0 => (doubling(size).0, doubling(size).1.min(width)),
            before => (before + 1, before + width),
        })
    }

    fn binned(&self, bin: impl Fn(u32) -> (u32, u32)) -> Vec<SizeRow> {
        let mut bins: BTreeMap<(u32, u32), [Vec<f64>; 3]> = BTreeMap::new();
        for sample in self.samples() {
            bins.entry(bin(sample.size)).or_default()[sample.kind as usize].push(sample.cycles as f64);
        }
        let row = |(sizes, [split, barrier, join]): (_, [Vec<f64>; 3])| SizeRow {
            sizes,
            split: overhead(&split),
            barrier: overhead(&barrier),
            join: overhead(&join),
        };
        bins.into_iter().map(row).collect()
    }

    /// What operations of this kind took the groups of these sizes at these levels.
    pub fn overhead(&self, kind: Kind, wanted: impl Fn(&Sample) -> bool) -> Option<Overhead> {
        let samples = self.samples().filter(|sample| sample.kind == kind && wanted(sample));
        overhead(&samples.map(|sample| sample.cycles as f64).collect::<Vec<_>>())
    }

    /// Every operation of every group.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.rounds.iter().flat_map(|ran| &ran.samples)
    }

    /// The time of all repetitions one after the other, in cycles.
    pub fn cycles(&self) -> u64 {
        self.rounds.iter().map(|ran| ran.cycles).sum()
    }

    /// The messages sent in all repetitions, by kind.
    pub fn sent(&self) -> Vec<(&'static str, u64)> {
        let sum = |kind| self.rounds.iter().map(|ran| ran.sent[kind]).sum();
        self.steps.iter().enumerate().map(|(kind, &name)| (name, sum(kind))).collect()
    }

    /// A ring of links whose messages waited for each other, if some repetition came to a standstill.
    pub fn deadlock(&self) -> Option<&[LinkId]> {
        self.rounds.iter().find_map(|ran| ran.deadlock.as_deref())
    }
}

/// The bin of a size: 1, 2, 3 to 4, 5 to 8 and so on.
fn doubling(size: u32) -> (u32, u32) {
    match size.next_power_of_two() {
        1 => (1, 1),
        most => (most / 2 + 1, most),
    }
}

fn overhead(values: &[f64]) -> Option<Overhead> {
    let max = values.iter().copied().max_by(f64::total_cmp)?;
    Some(Overhead { mean: estimate(values), max: max as u64 })
}
