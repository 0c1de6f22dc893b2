//! One try: all is to be done by a given time, and who gets how much follows.

use super::{Home, MessagePath, work};
use crate::installments::record::{Installments, Programs, Record, most_waiting};
use crate::installments::scale::Scale;
use crate::installments::streams::CarryingLink;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::Topology;

/// Who gets how much if all is to be done by `end`.
pub(super) struct Round<'a, 'p, 'm> {
    pub(super) scale: &'a Scale<'p, 'm>,
    pub(super) homes: &'a [Home],
    /// How far a message may go, in links.
    pub(super) reach: u32,
    /// In ticks.
    pub(super) end: u64,
}

/// What a try has come to.
pub(super) struct RoundState {
    /// By link id, when it is free, in ticks.
    free: Vec<u64>,
    /// By node id, whether it has got a message; what it works off, in bytes.
    served: Vec<bool>,
    worked: Vec<u64>,
    messages: u64,
    /// When the last work ends, in ticks.
    last: u64,
    /// By node and tick: a message to be sent on is there, or has left.
    relayed: Vec<(u32, u64, i64)>,
}

impl RoundState {
    /// The most messages that wait at one node at a time to be sent on.
    fn waiting_max(&mut self) -> u64 {
        self.relayed.sort_unstable();
        let count = |of_node: &[(u32, u64, i64)]| most_waiting(of_node.iter().map(|(_, _, change)| *change));
        self.relayed.chunk_by(|a, b| a.0 == b.0).map(count).max().unwrap_or(0)
    }
}

impl Round<'_, '_, '_> {
    /// Sends everything; none if that is not possible in time.
    pub(super) fn run(&self, record: &mut impl Record) -> Option<RoundState> {
        let machine = self.scale.problem().machine();
        let nodes = machine.nodes() as usize;
        let mut state = RoundState {
            free: vec![0; machine.links() as usize],
            served: vec![false; nodes],
            worked: vec![0; nodes],
            messages: 0,
            last: 0,
            relayed: Vec::new(),
        };
        let kept: Vec<Vec<u64>> = self.homes.iter().map(|home| self.keep(home)).collect();
        let mut left: Vec<Vec<u64>> = Vec::new();
        for (home, kept) in self.homes.iter().zip(&kept) {
            left.push(home.loads.iter().zip(kept).map(|(&(_, bytes), kept)| bytes - kept).collect());
        }
        let steps = self.releases(&kept, &mut state, record);
        for is_own in [true, false] {
            for (index, home) in self.homes.iter().enumerate() {
                let mut at = 0;
                for way in home.ways.iter().filter(|way| way.is_own == is_own) {
                    while at < left[index].len() && left[index][at] == 0 {
                        at += 1;
                    }
                    if at == left[index].len() {
                        break;
                    }
                    if way.links.len() as u32 > self.reach || state.served[way.node.index()] {
                        continue;
                    }
                    let bytes = self.size(way, steps[index][at].0, left[index][at], &state.free);
                    if bytes > 0 {
                        left[index][at] -= bytes;
                        self.send(way, steps[index][at], bytes, &mut state, record);
                    }
                }
            }
        }
        (left.iter().flatten().all(|&left| left == 0) && state.last <= self.end).then_some(state)
    }

    /// What a node keeps of each of its loads: as much as it can work off in time, of the latest first.
    fn keep(&self, home: &Home) -> Vec<u64> {
        let mut kept = vec![0; home.loads.len()];
        if !self.scale.problem().work(home.node).is_finite() {
            return kept;
        }
        let mut until = self.end;
        for (kept, &(release, bytes)) in kept.iter_mut().zip(&home.loads).rev() {
            let time = until.saturating_sub(release);
            *kept = self.fitting(bytes, time, |bytes| work(self.scale, home.node, bytes));
            until -= work(self.scale, home.node, *kept).min(until);
        }
        kept
    }

    /// The most bytes, up to `most`, that take no more time than this.
    fn fitting(&self, most: u64, time: u64, takes: impl Fn(u64) -> u64) -> u64 {
        let all = takes(most);
        if all <= time {
            return most;
        }
        // All but rounding is in proportion.
        let mut bytes = (most as f64 * (time as f64 / all as f64)).ceil() as u64;
        while bytes > 0 && takes(bytes) > time {
            bytes -= 1;
        }
        bytes
    }

    /// The processors of the sources wait for their loads and work on what is kept; of each load when it can be sent, in
    /// ticks, and after which step.
    fn releases(
        &self,
        kept: &[Vec<u64>],
        state: &mut RoundState,
        record: &mut impl Record,
    ) -> Vec<Vec<(u64, Option<u32>)>> {
        let per_cycle = self.scale.costs().ticks_per_cycle();
        let mut all = Vec::new();
        for (home, kept) in self.homes.iter().zip(kept) {
            let (mut free, mut steps) = (0u64, Vec::new());
            for (&(release, _), &bytes) in home.loads.iter().zip(kept) {
                let wait = release.saturating_sub(free);
                let step = record.wait(home.node, Cycles(wait / per_cycle));
                free = free.max(release);
                // A load that comes while its processor is busy is sent when that has ended.
                steps.push(if release == 0 { (0, None) } else { (free, step) });
                if bytes > 0 {
                    record.work(home.node, self.scale.work(home.node, bytes), std::iter::empty());
                    free += work(self.scale, home.node, bytes);
                    state.worked[home.node.index()] += bytes;
                    state.last = state.last.max(free);
                }
            }
            all.push(steps);
        }
        all
    }

    /// When a message of so many bytes is worked off, in ticks, and how many more ticks a byte more takes.
    fn done(&self, way: &MessagePath, from: u64, bytes: u64, free: &[u64]) -> (u64, f64) {
        let (mut at, mut slope) = (from, 0.0);
        for &link in &way.links {
            let message = self.scale.message(link, bytes);
            let ticks = self.scale.message_ticks(message);
            if free[link.index()] > at {
                (at, slope) = (free[link.index()], 0.0);
            }
            at += ticks;
            slope += ticks.saturating_sub(self.scale.message_ticks(Bytes(0))) as f64 / bytes as f64;
        }
        let takes = work(self.scale, way.node, bytes);
        (at + takes, slope + takes as f64 / bytes as f64)
    }

    /// The most bytes, up to `most`, that can be worked off at the end of this way in time: the end of the work is a
    /// convex function of them, so Newton's steps come down to it from above.
    fn size(&self, way: &MessagePath, from: u64, most: u64, free: &[u64]) -> u64 {
        let mut bytes = most;
        loop {
            let (done, slope) = self.done(way, from, bytes, free);
            if done <= self.end {
                return bytes;
            }
            let down = ((done - self.end) as f64 / slope).floor() as u64;
            bytes = bytes.saturating_sub(down.max(1));
            if bytes == 0 {
                return 0;
            }
        }
    }

    fn send(
        &self,
        way: &MessagePath,
        (from, step): (u64, Option<u32>),
        bytes: u64,
        state: &mut RoundState,
        record: &mut impl Record,
    ) {
        let machine = self.scale.problem().machine();
        let (mut at, mut arrived, mut step) = (from, from, step);
        for &link in &way.links {
            let to = machine.target(link).expect("a link of a way leads somewhere");
            let channel = CarryingLink { link, from: machine.source(link), to };
            let message = self.scale.message(link, bytes);
            step = Some(record.send(channel, message, step.into_iter()));
            at = at.max(state.free[link.index()]) + self.scale.message_ticks(message);
            if link != way.links[0] {
                let relay = machine.source(link).0;
                state.relayed.extend([(relay, arrived, 1), (relay, at, -1)]);
            }
            (state.free[link.index()], arrived) = (at, at);
            state.messages += 1;
        }
        record.work(way.node, self.scale.work(way.node, bytes), step.into_iter());
        state.served[way.node.index()] = true;
        state.worked[way.node.index()] += bytes;
        state.last = state.last.max(at + work(self.scale, way.node, bytes));
    }

    /// The schedule of this try.
    pub(super) fn write(&self) -> Installments {
        let machine = self.scale.problem().machine();
        let mut programs = Programs::new(machine.nodes(), machine.links());
        let mut state = self.run(&mut programs).expect("it was tried");
        let bytes = self.scale.bytes() as f64;
        Installments {
            schedule: programs.into_schedule(),
            messages: state.messages,
            processors: state.worked.iter().filter(|&&bytes| bytes > 0).count(),
            predicted_cycles: self.scale.costs().cycles(state.last).0,
            makespan: self.scale.units_of_ticks(state.last),
            installments: vec![1.0],
            shares: state.worked.iter().map(|&worked| worked as f64 / bytes).collect(),
            waiting_max: state.waiting_max(),
        }
    }
}
