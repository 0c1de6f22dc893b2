//! The progress of all ranks as rank 0 knows it: who is at work, who waits, who has ended.

use std::time::{Duration, Instant};

use super::wrong::Waiting;
use crate::transport::Wire;
use meshwright_core::units::Bytes;

/// What a rank says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RankState {
    /// It computes, or something came not long ago.
    Playing,
    /// Nothing has come for a long time: step, sender and tag of the first receive that waits.
    Waiting(u32, u32, u32),
    /// All of its steps have ended.
    Ended,
}

impl Wire for RankState {
    fn volume(&self) -> Bytes {
        Bytes(16)
    }

    fn write(&self, out: &mut Vec<u8>) {
        let (kind, rest) = match *self {
            Self::Playing => (0, (0, 0, 0)),
            Self::Waiting(step, from, tag) => (1, (step, from, tag)),
            Self::Ended => (2, (0, 0, 0)),
        };
        (kind, rest).write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        match <(u32, (u32, u32, u32))>::read(from)? {
            (0, _) => Some(Self::Playing),
            (1, (step, from, tag)) => Some(Self::Waiting(step, from, tag)),
            (2, _) => Some(Self::Ended),
            _ => None,
        }
    }
}

/// The states of all ranks.
pub(super) struct Progress {
    states: Vec<RankState>,
    playing: usize,
    ended: usize,
    changed: Instant,
}

impl Progress {
    /// All ranks execute.
    pub(super) fn new(ranks: u32) -> Self {
        let states = vec![RankState::Playing; ranks as usize];
        Self { playing: states.len(), states, ended: 0, changed: Instant::now() }
    }

    /// Notes what a rank says.
    pub(super) fn note(&mut self, rank: u32, state: RankState) {
        let before = std::mem::replace(&mut self.states[rank as usize], state);
        let count = |wanted: RankState, number: &mut usize| {
            *number = *number + usize::from(state == wanted) - usize::from(before == wanted);
        };
        count(RankState::Playing, &mut self.playing);
        count(RankState::Ended, &mut self.ended);
        self.changed = Instant::now();
    }

    /// Whether all steps of all ranks have ended.
    pub(super) fn is_over(&self) -> bool {
        self.ended == self.states.len()
    }

    /// Whether every rank has ended or waits, and none has said otherwise for this long.
    pub(super) fn is_stuck(&self, patience: Duration) -> bool {
        self.playing == 0 && !self.is_over() && self.changed.elapsed() >= patience
    }

    /// From the first rank that waits, who waits for whom, as far as it goes: the last sender has ended, or waits itself
    /// for one that was named already.
    pub(super) fn chain(&self) -> Vec<Waiting> {
        let mut chain: Vec<Waiting> = Vec::new();
        let first = self.states.iter().position(|state| matches!(state, RankState::Waiting(..)));
        let mut rank = first.map(|rank| rank as u32);
        while let Some(at) = rank.take() {
            let RankState::Waiting(step, from, tag) = self.states[at as usize] else { break };
            let sender_ended = self.states[from as usize] == RankState::Ended;
            chain.push(Waiting { rank: at, step, from, tag, sender_ended });
            rank = (!chain.iter().any(|waiting| waiting.rank == from)).then_some(from);
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_ends_at_who_does_not_wait() {
        let mut progress = Progress::new(4);
        assert!(!progress.is_stuck(Duration::ZERO));
        progress.note(3, RankState::Waiting(1, 1, 7));
        progress.note(1, RankState::Waiting(5, 0, 8));
        progress.note(2, RankState::Ended);
        assert!(!progress.is_stuck(Duration::ZERO), "rank 0 is still at work");
        progress.note(0, RankState::Ended);
        assert!(
            progress.is_stuck(Duration::ZERO)
                && !progress.is_stuck(Duration::from_secs(60))
                && !progress.is_over()
        );
        let chain = progress.chain();
        assert_eq!(chain, [Waiting { rank: 1, step: 5, from: 0, tag: 8, sender_ended: true }]);
        progress.note(1, RankState::Ended);
        progress.note(3, RankState::Waiting(1, 0, 7));
        progress.note(0, RankState::Waiting(0, 3, 9));
        let ranks: Vec<(u32, u32)> =
            progress.chain().iter().map(|waiting| (waiting.rank, waiting.from)).collect();
        assert_eq!(ranks, [(0, 3), (3, 0)], "a circle is named once");
        progress.note(3, RankState::Ended);
        progress.note(0, RankState::Ended);
        assert!(progress.is_over() && !progress.is_stuck(Duration::ZERO));
    }
}
