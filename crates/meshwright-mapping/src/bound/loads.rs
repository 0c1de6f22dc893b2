//! What messages between different tasks occupy links for, and who shares how much with whom.
//!
//! Nothing is stored of a message but its index: a job of a million tasks has some millions of them.

use super::graph::Terrain;
use crate::TaskGraph;
use crate::certificate::Side;
use crate::task_graph::Edge;
use meshwright_core::csr::Csr;
use meshwright_network::topology::Costs;

/// The messages between different tasks of some phases, each with the ticks for which it occupies a link.
pub(super) struct Loads<'a> {
    edges: &'a [Edge],
    /// Up to which edge each counts so often.
    times: Vec<(usize, u128)>,
    costs: &'a Costs,
    /// What a message takes on a link before its bytes.
    stored: u128,
}

impl<'a> Loads<'a> {
    /// Of one phase, run once.
    pub(super) fn of_phase(graph: &'a TaskGraph, index: usize, costs: &'a Costs, stored: u128) -> Self {
        let edges = graph.phase(index);
        Self { edges, times: vec![(edges.len(), 1)], costs, stored }
    }

    /// Of all phases, each as often as it runs.
    pub(super) fn of_all(graph: &'a TaskGraph, costs: &'a Costs, stored: u128) -> Self {
        let (mut end, mut times): (usize, Vec<(usize, u128)>) = (0, Vec::new());
        for (index, &repeats) in graph.all_repeats().iter().enumerate() {
            end += graph.phase(index).len();
            match times.last_mut() {
                Some((before, same)) if *same == u128::from(repeats) => *before = end,
                _ => times.push((end, repeats.into())),
            }
        }
        Self { edges: graph.edges(), times, costs, stored }
    }

    /// The ticks of the message with this index.
    #[inline]
    fn load(&self, index: usize) -> u128 {
        let once = u128::from(self.costs.transfer_ticks(self.edges[index].bytes)) + self.stored;
        match self.times[..] {
            [(_, times)] => once * times,
            _ => once * self.times[self.times.partition_point(|&(end, _)| end <= index)].1,
        }
    }

    /// The indices of messages between different tasks.
    fn between(&self) -> impl Iterator<Item = usize> + Clone {
        let is_between = |index: &usize| self.edges[*index].source != self.edges[*index].target;
        (0..self.edges.len()).filter(is_between)
    }

    /// Source, target, ticks on a link.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, u128)> {
        self.between().map(|index| (self.edges[index].source, self.edges[index].target, self.load(index)))
    }

    /// Whether no message is between different tasks.
    pub(super) fn is_empty(&self) -> bool {
        self.between().next().is_none()
    }

    /// What each task sends or hears, in increasing order.
    pub(super) fn totals(&self, tasks: usize, side: Side) -> Vec<u128> {
        let mut totals = vec![0; tasks];
        for (source, target, load) in self.iter() {
            totals[if side == Side::Sent { source } else { target } as usize] += load;
        }
        totals.sort_unstable();
        totals
    }

    /// What divides all loads; 0 if there are none.
    pub(super) fn divisor(&self) -> u128 {
        let (mut divisor, mut last) = (0, 0);
        for (_, _, load) in self.iter() {
            // Most loads are like the one before.
            if load != last {
                (divisor, last) = (gcd(divisor, load), load);
            }
        }
        divisor
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// By task the messages it shares with others.
pub(super) struct Partners<'a> {
    loads: &'a Loads<'a>,
    messages: Csr<u32>,
}

impl<'a> Partners<'a> {
    /// Of those it sends, or of those it hears.
    pub(super) fn on(loads: &'a Loads<'a>, tasks: usize, side: Side) -> Self {
        let own = |index: usize| {
            let Edge { source, target, .. } = loads.edges[index];
            (if side == Side::Sent { source } else { target } as usize, index as u32)
        };
        Self { loads, messages: Csr::from_pairs(tasks, loads.between().map(own)) }
    }

    /// Of both.
    ///
    /// # Complexity
    ///
    /// O(tasks + messages), with eight bytes for each message.
    pub(super) fn both(loads: &'a Loads<'a>, tasks: usize) -> Self {
        let ends = |index: usize| {
            let Edge { source, target, .. } = loads.edges[index];
            [(source as usize, index as u32), (target as usize, index as u32)]
        };
        Self { loads, messages: Csr::from_pairs(tasks, loads.between().flat_map(ends)) }
    }

    /// Calls `visit` for each task that has partners, with what it shares with each of them, the heaviest first; `join` makes
    /// one load of two with one partner.
    pub(super) fn for_each(&self, join: impl Fn(u128, u128) -> u128, mut visit: impl FnMut(u32, &[u128])) {
        let (mut own, mut joined): (Vec<(u32, u128)>, Vec<u128>) = (Vec::new(), Vec::new());
        for (task, messages) in (0u32..).zip(self.messages.rows()).filter(|(_, row)| !row.is_empty()) {
            let partner = |&index: &u32| {
                let Edge { source, target, .. } = self.loads.edges[index as usize];
                (source ^ target ^ task, self.loads.load(index as usize))
            };
            own.clear();
            own.extend(messages.iter().map(partner));
            own.sort_unstable_by_key(|&(partner, _)| partner);
            joined.clear();
            let with =
                |one: &[(u32, u128)]| one[1..].iter().fold(one[0].1, |sum, &(_, load)| join(sum, load));
            joined.extend(own.chunk_by(|a, b| a.0 == b.0).map(with));
            joined.sort_unstable_by(|a, b| b.cmp(a));
            visit(task, &joined);
        }
    }
}

impl Terrain {
    /// The least distance to each partner, the nearest first.
    pub(super) fn distances(&self) -> impl Iterator<Item = usize> {
        let mut hops = 0;
        (2..).map(move |nodes: u64| {
            while self.balls.get(hops).is_some_and(|&within| within < nodes) {
                hops += 1;
            }
            hops
        })
    }
}
