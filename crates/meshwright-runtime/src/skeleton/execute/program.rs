//! The program of one rank while it runs: which step lets which begin.

use std::collections::{BTreeMap, VecDeque};

use meshwright_core::csr::Csr;
use meshwright_schedule::{Dependency, Op, Rank};

/// By peer, tag and sequence of a message the step that receives it.
type Receives = BTreeMap<(u32, u32, u32), u32>;

/// What is still to be done.
pub(super) struct RankProgram {
    /// By step, how many starts and ends it still waits for.
    missing: Vec<u32>,
    /// The steps that wait for a step's start, then those that wait for its end; by step.
    waiting: Csr<u32>,
    /// Steps that may begin, first ready, first begun.
    ready: VecDeque<u32>,
    unfinished: usize,
    /// By step, how many messages of its kind with its peer and tag stand before it.
    pub(super) sequence: Vec<u32>,
    /// Of messages that have not come.
    receives: Receives,
}

impl RankProgram {
    /// Before the first step.
    pub(super) fn new(rank: &Rank) -> Self {
        let steps = rank.ops.len();
        let mut missing = vec![0; steps];
        for dependency in &rank.dependencies {
            missing[dependency.step as usize] += 1;
        }
        let waits = |dependency: &Dependency| {
            (2 * dependency.on as usize + usize::from(!dependency.awaits.is_start()), dependency.step)
        };
        let waiting = Csr::from_pairs(2 * steps, rank.dependencies.iter().map(waits));
        let ready = (0..).zip(&missing).filter(|(_, missing)| **missing == 0).map(|(step, _)| step).collect();
        let (sequence, receives) = numbered(rank);
        Self { missing, waiting, ready, unfinished: steps, sequence, receives }
    }

    /// The next step that may begin.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.ready.pop_front()
    }

    /// A step has begun.
    pub(super) fn begun(&mut self, step: u32) {
        self.release(2 * step as usize);
    }

    /// A step has ended.
    pub(super) fn ended(&mut self, step: u32) {
        self.unfinished -= 1;
        self.release(2 * step as usize + 1);
    }

    fn release(&mut self, row: usize) {
        for &step in self.waiting.row(row) {
            let missing = &mut self.missing[step as usize];
            *missing -= 1;
            if *missing == 0 {
                self.ready.push_back(step);
            }
        }
    }

    /// Whether every step has ended.
    pub(super) fn is_over(&self) -> bool {
        self.unfinished == 0
    }

    /// The step that receives a message, once: a second one of this name has no step.
    pub(super) fn take(&mut self, peer: u32, tag: u32, sequence: u32) -> Option<u32> {
        self.receives.remove(&(peer, tag, sequence))
    }
}

/// The k-th send to a rank with a tag meets the k-th such receive there, in the order of the steps.
fn numbered(rank: &Rank) -> (Vec<u32>, Receives) {
    let mut counts: BTreeMap<(bool, u32, u32), u32> = BTreeMap::new();
    let mut receives = BTreeMap::new();
    let number = |(step, op): (u32, &Op)| {
        let (is_send, peer, tag) = match *op {
            Op::Send { peer, tag, .. } => (true, peer.0, tag),
            Op::Recv { peer, tag, .. } => (false, peer.0, tag),
            Op::Calc { .. } => return 0,
        };
        let count = counts.entry((is_send, peer, tag)).or_default();
        let sequence = *count;
        *count += 1;
        if !is_send {
            receives.insert((peer, tag, sequence), step);
        }
        sequence
    };
    let sequence = (0..).zip(&rank.ops).map(number).collect();
    (sequence, receives)
}
