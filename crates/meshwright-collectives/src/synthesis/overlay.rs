//! Overlay trees: each piece goes from member to member along a tree of its own, an edge of which is a message over as many links as the way
//! between the two has.
//!
//! Away from one member, to one, or both; where a piece comes together at several members these exchange their sums in between.
//! `gossip.rs` begins trees, `overlay_moves.rs` changes them, `settle_overlays.rs` says how many.

use std::fmt::{self, Display, Formatter};

use super::packing::chunks;
use crate::flow::{Flow, Mode, Transfer};
use crate::{Operation, Task};

/// Nobody: from whom a hub has a piece, and to whom it sends its sum.
pub(super) const NOBODY: u32 = u32::MAX;

/// A tree for each piece of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// How many members there are.
    pub members: u32,
    /// Pieces of each block.
    pub pieces: u32,
    /// By piece the members at which it comes together, and from which it goes out: as many of each.
    pub hubs: Vec<Vec<u32>>,
    /// By piece and member to whom it sends its sum; none where nothing is added up.
    pub up: Vec<u32>,
    /// By piece and member from whom it has the piece; none where that is nobody.
    pub down: Vec<u32>,
    /// By message its place in the order of sending, edges up and down that hubs do not have counted.
    pub turn: Vec<u32>,
    /// Whether every member has a part of each piece of its own: a message carries those of all below it.
    pub is_personalised: bool,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// The sum of a member, by piece and member.
    Up(usize),
    /// The piece for a member.
    Down(usize),
    /// Piece, and which of its hubs sends to which.
    Between(usize, usize, usize),
}

impl Display for Overlay {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let edges = self.up.len() + self.down.len();
        let (pieces, plural) = (self.hubs.len(), if self.hubs.len() == 1 { "" } else { "s" });
        write!(f, "overlay trees, {pieces} piece{plural}, {edges} edges")?;
        if self.many() > 1 { write!(f, ", {} members exchange each piece", self.many()) } else { Ok(()) }
    }
}

impl Overlay {
    /// Hubs of a piece.
    pub fn many(&self) -> usize {
        self.hubs[0].len()
    }

    /// How many messages there are, those of hubs up and down counted, which are none.
    pub fn messages(&self) -> usize {
        let many = self.many();
        self.up.len() + self.down.len() + if self.exchanges() { self.hubs.len() * many * many } else { 0 }
    }

    /// Whether hubs exchange.
    pub fn exchanges(&self) -> bool {
        !self.up.is_empty() && !self.down.is_empty() && self.many() > 1
    }

    /// What a message is.
    pub fn letter(&self, index: usize) -> Letter {
        if index < self.up.len() {
            return Letter::Up(index);
        }
        let index = index - self.up.len();
        if index < self.down.len() {
            return Letter::Down(index);
        }
        let (index, many) = (index - self.down.len(), self.many());
        Letter::Between(index / many / many, index / many % many, index % many)
    }

    /// The piece that a message carries.
    pub fn piece(&self, index: usize) -> usize {
        match self.letter(index) {
            Letter::Up(at) | Letter::Down(at) => at / self.members as usize,
            Letter::Between(piece, ..) => piece,
        }
    }

    /// The number of a message.
    pub fn index(&self, letter: Letter) -> usize {
        let many = self.many();
        match letter {
            Letter::Up(at) => at,
            Letter::Down(at) => self.up.len() + at,
            Letter::Between(piece, from, to) => {
                self.up.len() + self.down.len() + (piece * many + from) * many + to
            }
        }
    }

    /// The members between which a message goes; the same twice where there is none.
    pub fn ends(&self, letter: Letter) -> (u32, u32) {
        let member = |at: usize| at as u32 % self.members;
        let or = |other: u32, at: usize| if other == NOBODY { member(at) } else { other };
        match letter {
            Letter::Up(at) => (member(at), or(self.up[at], at)),
            Letter::Down(at) => (or(self.down[at], at), member(at)),
            Letter::Between(piece, from, to) => (self.hubs[piece][from], self.hubs[piece][to]),
        }
    }

    /// Numbers messages in this order: keys, each with its message.
    pub(super) fn turn_by(&mut self, mut order: Vec<(impl Ord, usize)>) {
        order.sort_unstable();
        self.turn = vec![0; order.len()];
        for (turn, (_, index)) in (0..).zip(order) {
            self.turn[index] = turn;
        }
    }

    /// Up before between before down.
    pub(super) fn phase(&self, letter: Letter) -> u32 {
        match letter {
            Letter::Up(_) => 0,
            Letter::Between(..) => 1,
            Letter::Down(_) => 2,
        }
    }

    /// Its flow.
    ///
    /// # Complexity
    ///
    /// O(messages × log messages).
    pub fn flow(&self, task: &Task<'_>) -> Flow {
        use Operation as O;
        let sums = !matches!(task.operation, O::Broadcast | O::AllGather | O::Scatter | O::Gather);
        let below = self.below();
        let mut flow = Flow::new(task.members(), chunks(task, self.pieces));
        let many = self.messages() as u32;
        let mut order: Vec<usize> = (0..self.messages()).collect();
        order.sort_by_key(|&index| self.turn[index]);
        for index in order {
            let letter = self.letter(index);
            let (source, target) = self.ends(letter);
            let step = match letter {
                Letter::Up(_) => self.turn[index],
                // Nobody hands on what comes from other hubs.
                Letter::Between(..) => many,
                Letter::Down(_) => many + 1 + self.turn[index],
            };
            let adds = sums && self.phase(letter) < 2;
            let mode = if adds { Mode::Combine } else { Mode::Copy };
            let transfer = Transfer::new(step, source, target, mode);
            match letter {
                Letter::Up(at) | Letter::Down(at) if self.is_personalised => {
                    flow.send(transfer, below[at].iter().copied());
                }
                _ => flow.send(transfer, [self.piece(index) as u32]),
            }
        }
        flow
    }

    /// A piece and member, and those above it in its tree up to a hub, where there is a tree in one direction.
    pub(super) fn above(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let over = if self.up.is_empty() { &self.down } else { &self.up };
        let row = at - at % self.members as usize;
        std::iter::successors(Some(at), move |&at| {
            Some(over[at]).filter(|&over| over != NOBODY).map(|over| row + over as usize)
        })
    }

    /// By piece and member the parts of all below it and its own, where there are parts.
    fn below(&self) -> Vec<Vec<u32>> {
        let many = if self.is_personalised { self.up.len() + self.down.len() } else { 0 };
        let mut below = vec![Vec::new(); many];
        for part in 0..many {
            self.above(part).for_each(|at| below[at].push(part as u32));
        }
        below
    }
}
