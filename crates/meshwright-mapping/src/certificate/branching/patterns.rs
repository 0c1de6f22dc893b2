//! The different phases of a job, and what a link under their messages takes.

use std::collections::BTreeMap;

use crate::TaskGraph;
use meshwright_core::units::Bytes;
use meshwright_network::topology::{Costs, Switching};

/// Phases with the same messages, or with messages of one size between the same tasks.
pub(super) struct Pattern {
    /// Source, target, ticks on a link, ticks of a head; both 1 where all messages of a phase have one size.
    pub(super) messages: Vec<Message>,
    /// Ticks on a link and of a head for each 1, what the phase takes at least, how often there is such a phase.
    sizes: Vec<[u64; 4]>,
}

/// Source, target, ticks on a link, ticks of a head.
pub(super) type Message = (usize, usize, u64, u64);

/// A message on a link: what is before, its body, what is after.
pub(super) type OnLink = (u64, u64, u64);

/// Source, target and, where sizes differ, bytes.
type Between = (usize, usize, Option<u64>);

/// The patterns of a job.
pub(super) fn patterns(
    tasks: &TaskGraph,
    least: &[u64],
    switching: Switching,
    costs: &Costs,
) -> Vec<Pattern> {
    let occupied = |bytes: u64| match switching {
        Switching::StoreAndForward => {
            let whole = costs.startup_ticks() + costs.transfer_ticks(Bytes(bytes));
            (whole, whole)
        }
        Switching::Wormhole | Switching::CutThrough => {
            (costs.transfer_ticks(Bytes(bytes)) + costs.head_ticks(), costs.head_ticks())
        }
    };
    // Messages without their size, where all have the same; else with it.
    let mut found: BTreeMap<Vec<Between>, Vec<[u64; 4]>> = BTreeMap::new();
    for (phase, &least) in least.iter().enumerate() {
        let between = tasks.phase(phase).iter().filter(|edge| edge.source != edge.target);
        let mut messages: Vec<Between> =
            between.map(|edge| (edge.source as usize, edge.target as usize, Some(edge.bytes.0))).collect();
        messages.sort_unstable();
        let first = messages.first().map_or(Some(0), |message| message.2);
        let (mut body, mut step) = (1, 1);
        if messages.iter().all(|message| message.2 == first) {
            messages.iter_mut().for_each(|message| message.2 = None);
            (body, step) = occupied(first.unwrap_or(0));
        }
        let (sizes, times) = (found.entry(messages).or_default(), u64::from(tasks.repeats(phase)));
        match sizes.iter_mut().find(|size| size[..3] == [body, step, least]) {
            Some(size) => size[3] += times,
            None => sizes.push([body, step, least, times]),
        }
    }
    let pattern = |(messages, sizes): (Vec<Between>, Vec<[u64; 4]>)| {
        let message = |(source, target, bytes): (usize, usize, Option<u64>)| {
            let (body, step) = bytes.map_or((1, 1), occupied);
            (source, target, body, step)
        };
        Pattern { messages: messages.into_iter().map(message).collect(), sizes }
    };
    found.into_iter().map(pattern).collect()
}

impl Pattern {
    /// The ticks of its phases with these sums and surroundings on links.
    pub(super) fn ticks(&self, start: u64, on_links: &[(u64, u64)]) -> u64 {
        let one = |&[body, step, least, times]: &[u64; 4]| {
            let link = on_links.iter().map(|&(sum, around)| start + sum * body + around * step).max();
            times * least.max(link.unwrap_or(0))
        };
        self.sizes.iter().map(one).sum()
    }

    /// What a set of tasks, as bits, sends to others and hears from them.
    pub(super) fn crossing(&self, set: u32) -> [u64; 2] {
        let is_in = |task: usize| set >> task & 1 == 1;
        let sum = |from: bool, to: bool| {
            let crosses = |message: &&Message| is_in(message.0) == from && is_in(message.1) == to;
            self.messages.iter().filter(crosses).map(|message| message.2).sum()
        };
        [sum(true, false), sum(false, true)]
    }

    /// The ticks of its phases with so much over so many links; nothing where there is no link.
    pub(super) fn across(&self, start: u64, sums: [u64; 2], links: [u64; 2]) -> Option<u64> {
        let means = sums.iter().zip(links).filter(|(sum, _)| **sum > 0);
        let means: Option<Vec<(u64, u64)>> =
            means.map(|(sum, links)| (links > 0).then(|| (sum.div_ceil(links), 0))).collect();
        Some(self.ticks(start, &means?))
    }
}

/// The sums of bodies with what comes before and after, for every ρ and κ.
pub(super) fn sums(on: &mut [OnLink], found: &mut Vec<(u64, u64)>) {
    on.sort_unstable_by_key(|&(before, _, after)| (u64::MAX - after, before));
    for from in 0..on.len() {
        let (least_before, mut sum) = (on[from].0, 0);
        for &(before, body, after) in on.iter() {
            if before >= least_before {
                sum += body;
                found.push((sum, least_before + after));
            }
        }
    }
}
