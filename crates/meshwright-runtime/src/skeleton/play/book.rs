//! What rank 0 knows of all ranks: who plays, who waits, who has ended.

use std::time::{Duration, Instant};

use super::wrong::Waiting;
use crate::transport::Wire;
use meshwright_core::units::Bytes;

/// What a rank says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It computes, or something came not long ago.
    Playing,
    /// Nothing has come for a long time: step, sender and tag of the first receive that waits.
    Waiting(u32, u32, u32),
    /// All of its steps have ended.
    Ended,
}

impl Wire for State {
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
pub(super) struct Book {
    states: Vec<State>,
    playing: usize,
    ended: usize,
    changed: Instant,
}

impl Book {
    /// All ranks play.
    pub(super) fn new(ranks: u32) -> Self {
        let states = vec![State::Playing; ranks as usize];
        Self { playing: states.len(), states, ended: 0, changed: Instant::now() }
    }

    /// Notes what a rank says.
    pub(super) fn note(&mut self, rank: u32, state: State) {
        let before = std::mem::replace(&mut self.states[rank as usize], state);
        let count = |wanted: State, number: &mut usize| {
            *number = *number + usize::from(state == wanted) - usize::from(before == wanted);
        };
        count(State::Playing, &mut self.playing);
        count(State::Ended, &mut self.ended);
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
        let first = self.states.iter().position(|state| matches!(state, State::Waiting(..)));
        let mut rank = first.map(|rank| rank as u32);
        while let Some(at) = rank.take() {
            let State::Waiting(step, from, tag) = self.states[at as usize] else { break };
            let sender_ended = self.states[from as usize] == State::Ended;
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
        let mut book = Book::new(4);
        assert!(!book.is_stuck(Duration::ZERO));
        book.note(3, State::Waiting(1, 1, 7));
        book.note(1, State::Waiting(5, 0, 8));
        book.note(2, State::Ended);
        assert!(!book.is_stuck(Duration::ZERO), "rank 0 still plays");
        book.note(0, State::Ended);
        assert!(book.is_stuck(Duration::ZERO) && !book.is_stuck(Duration::from_secs(60)) && !book.is_over());
        let chain = book.chain();
        assert_eq!(chain, [Waiting { rank: 1, step: 5, from: 0, tag: 8, sender_ended: true }]);
        book.note(1, State::Ended);
        book.note(3, State::Waiting(1, 0, 7));
        book.note(0, State::Waiting(0, 3, 9));
        let ranks: Vec<(u32, u32)> =
            book.chain().iter().map(|waiting| (waiting.rank, waiting.from)).collect();
        assert_eq!(ranks, [(0, 3), (3, 0)], "a circle is named once");
        book.note(3, State::Ended);
        book.note(0, State::Ended);
        assert!(book.is_over() && !book.is_stuck(Duration::ZERO));
    }
}
