//! The steps of algorithms on a job's machine: the busiest link and the longest way of each.

use super::machine::Job;
use super::peers::{FAMILIES, Family, exchanges, renumbered, tree};

/// Messages that run at once.
pub(crate) struct Step {
    /// How many of them share the busiest link or port.
    pub(crate) messages: f64,
    /// The links of the longest way.
    pub(crate) hops: f64,
    /// How many of them each resource of the machine carries.
    uses: Vec<u32>,
}

impl Step {
    fn new(job: &Job, pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let (mut uses, mut hops) = (vec![0; job.fabric.rates().len()], 0);
        for (from, to) in pairs {
            let (from, to) = (job.embedding.node(from), job.embedding.node(to));
            hops = hops.max(job.fabric.route(0, from, to, |resource| uses[resource as usize] += 1));
        }
        let busiest = uses.iter().copied().max().unwrap_or(0);
        Self { messages: busiest.into(), hops: hops.into(), uses }
    }
}

/// The steps of everything that algorithms do, on one machine.
pub(crate) struct Steps {
    /// How many ranks there are.
    pub(crate) ranks: f64,
    /// Microseconds of a head over a link.
    pub(crate) hop: f64,
    /// Bytes a link carries in a microsecond.
    pub(crate) rate: f64,
    exchanges: [Vec<Step>; 2],
    trees: [Vec<Step>; 2],
    renumbered: [Step; 2],
    /// Ranks whose numbers differ in one bit, the lowest first.
    pub(crate) bits: Vec<Step>,
    /// From each rank to the one 1, 2, 4, … before it.
    pub(crate) shifts: Vec<Step>,
    /// From each rank to the next.
    pub(crate) next: Step,
    /// From rank 0 to every rank.
    pub(crate) scatter: Step,
}

impl Steps {
    /// Sends every message of every step over the machine.
    pub(crate) fn new(job: &Job) -> Self {
        let ranks = job.ranks() as u32;
        let shape = job.embedding.shape();
        let to_peers = |peers: &Vec<u32>| Step::new(job, (0..).zip(peers.iter().copied()));
        let of = |family| exchanges(shape, family);
        let powers = || (0..ranks.trailing_zeros()).map(|bit| 1u32 << bit);
        let bits = powers().map(|bit| Step::new(job, (0..ranks).map(|rank| (rank, rank ^ bit))));
        let shifts =
            powers().map(|by| Step::new(job, (0..ranks).map(|rank| (rank, (rank + ranks - by) % ranks))));
        Self {
            ranks: ranks.into(),
            hop: job.hop(),
            rate: job.rate(),
            exchanges: FAMILIES.map(|family| of(family).iter().map(to_peers).collect()),
            trees: FAMILIES.map(|family| {
                tree(&of(family)).into_iter().map(|step| Step::new(job, step.into_iter())).collect()
            }),
            renumbered: FAMILIES.map(|family| Step::new(job, renumbered(&of(family)).into_iter().zip(0..))),
            bits: bits.collect(),
            shifts: shifts.collect(),
            next: Step::new(job, (0..ranks).map(|rank| (rank, (rank + 1) % ranks))),
            scatter: Step::new(job, (0..ranks).map(|rank| (0, rank))),
        }
    }

    /// All ranks with their peers, nearest first.
    pub(crate) fn exchanges(&self, family: Family) -> &[Step] {
        &self.exchanges[family as usize]
    }

    /// A broadcast, farthest first.
    pub(crate) fn tree(&self, family: Family) -> &[Step] {
        &self.trees[family as usize]
    }

    /// From each rank in the new numbering to the old.
    pub(crate) fn renumbered(&self, family: Family) -> &Step {
        &self.renumbered[family as usize]
    }

    /// The sum over steps of the messages on the busiest link.
    pub(crate) fn busiest_sum(&self, family: Family) -> f64 {
        self.exchanges(family).iter().map(|step| step.messages).sum()
    }
}

/// The most that a resource carries of steps whose messages have these sizes.
pub(crate) fn busiest(steps: &[(&Step, f64)]) -> f64 {
    let resources = steps.first().map_or(0, |(step, _)| step.uses.len());
    let mut carried = vec![0.0; resources];
    for (step, size) in steps {
        carried.iter_mut().zip(&step.uses).for_each(|(carried, &uses)| *carried += size * f64::from(uses));
    }
    carried.into_iter().fold(0.0, f64::max)
}
