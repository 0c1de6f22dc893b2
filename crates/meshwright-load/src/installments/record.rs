//! Records of the steps of a timetable: a schedule, or nothing while only the time is asked for.

use super::streams::CarryingLink;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_schedule::{Awaits, Dependency, Op, Rank, Schedule};

/// A flow in installments.
#[derive(Clone, Debug)]
pub struct Installments {
    /// What every node sends, receives and works off.
    pub schedule: Schedule,
    /// How many messages there are; each goes over one link.
    pub messages: u64,
    /// How many nodes work off something.
    pub processors: usize,
    /// When all is done, in cycles.
    pub predicted_cycles: u64,
    /// When all is done, in units of w Tcp.
    pub makespan: f64,
    /// The shares of the installments.
    pub installments: Vec<f64>,
    /// By node id, the share of the whole load it works off.
    pub shares: Vec<f64>,
    /// The most messages that wait at one node at a time, to be sent on or taken up by its processor.
    pub waiting_max: u64,
}

/// Is told every step.
pub(super) trait Record {
    /// A message over a link, after these steps of the node it leaves; returns the step in which it is received.
    fn send(&mut self, channel: CarryingLink, message: Bytes, after: impl Iterator<Item = u32>) -> u32;

    /// Work on a node after these steps of it; returns the step it is.
    fn work(&mut self, node: NodeId, cycles: Cycles, after: impl Iterator<Item = u32>) -> u32;

    /// The processor of a node does nothing for a while; returns the step that ends then, if there is one.
    fn wait(&mut self, node: NodeId, cycles: Cycles) -> Option<u32>;
}

/// The most messages that wait at a time, of changes at moments in increasing order.
pub(super) fn most_waiting(changes: impl Iterator<Item = i64>) -> u64 {
    let (mut waiting, mut most) = (0, 0);
    for change in changes {
        waiting += change;
        most = most.max(waiting);
    }
    most as u64
}

/// Forgets everything.
pub(super) struct Nothing;

impl Record for Nothing {
    fn send(&mut self, _: CarryingLink, _: Bytes, _: impl Iterator<Item = u32>) -> u32 {
        0
    }

    fn work(&mut self, _: NodeId, _: Cycles, _: impl Iterator<Item = u32>) -> u32 {
        0
    }

    fn wait(&mut self, _: NodeId, _: Cycles) -> Option<u32> {
        None
    }
}

/// Writes the programs of all nodes.
pub(super) struct Programs {
    schedule: Schedule,
    /// By link id the step of its last message, and how many it had.
    last_send: Vec<Option<u32>>,
    sent: Vec<u32>,
    /// By node id the last step of its processor.
    last_work: Vec<Option<u32>>,
    /// By node id the last step of its clock, and when that ends; empty while no clock is wanted.
    clocks: Vec<(Option<u32>, Cycles)>,
}

/// The processor that is a clock: its computations are no work.
pub const CLOCK: u8 = 1;

impl Programs {
    /// Empty programs for this many nodes and links.
    pub(super) fn new(nodes: u32, links: u32) -> Self {
        Self {
            schedule: Schedule { ranks: vec![Rank::default(); nodes as usize] },
            last_send: vec![None; links as usize],
            sent: vec![0; links as usize],
            last_work: vec![None; nodes as usize],
            clocks: Vec::new(),
        }
    }

    /// The step of a node that ends at a moment, not before any it was asked for before: its clock.
    pub(super) fn clock(&mut self, node: NodeId, until: Cycles) -> u32 {
        self.clocks.resize(self.schedule.ranks.len(), (None, Cycles(0)));
        let (last, at) = &mut self.clocks[node.index()];
        if let Some(step) = last.filter(|_| *at == until) {
            return step;
        }
        let rank = &mut self.schedule.ranks[node.index()];
        let op = Op::Calc { cycles: Cycles(until.0 - at.0) };
        let step = append(rank, op, last.iter().copied());
        rank.processors.resize(rank.ops.len(), 0);
        rank.processors[step as usize] = CLOCK;
        (*last, *at) = (Some(step), until);
        step
    }

    /// What was written.
    pub(super) fn into_schedule(mut self) -> Schedule {
        let clocked = self.schedule.ranks.iter_mut().filter(|rank| !rank.processors.is_empty());
        clocked.for_each(|rank| rank.processors.resize(rank.ops.len(), 0));
        self.schedule
    }
}

/// Appends a step that waits for the ends of others; returns its number.
fn append(rank: &mut Rank, op: Op, after: impl Iterator<Item = u32>) -> u32 {
    let step = rank.ops.len() as u32;
    rank.ops.push(op);
    rank.dependencies.extend(after.map(|on| Dependency { step, on, awaits: Awaits::End }));
    step
}

impl Record for Programs {
    fn send(&mut self, channel: CarryingLink, message: Bytes, after: impl Iterator<Item = u32>) -> u32 {
        let CarryingLink { link, from, to } = channel;
        let tag = self.sent[link.index()];
        self.sent[link.index()] += 1;
        let before = self.last_send[link.index()];
        let send = Op::Send { peer: to, bytes: message, tag };
        let step = append(&mut self.schedule.ranks[from.index()], send, before.into_iter().chain(after));
        self.last_send[link.index()] = Some(step);
        let receive = Op::Recv { peer: from, bytes: message, tag };
        append(&mut self.schedule.ranks[to.index()], receive, std::iter::empty())
    }

    fn work(&mut self, node: NodeId, cycles: Cycles, after: impl Iterator<Item = u32>) -> u32 {
        let before = self.last_work[node.index()];
        let rank = &mut self.schedule.ranks[node.index()];
        let step = append(rank, Op::Calc { cycles }, before.into_iter().chain(after));
        self.last_work[node.index()] = Some(step);
        step
    }

    fn wait(&mut self, node: NodeId, cycles: Cycles) -> Option<u32> {
        if cycles.0 > 0 {
            self.work(node, cycles, std::iter::empty());
        }
        self.last_work[node.index()]
    }
}
