//! Pieces that meet at a few members, spread over a box so that all are near to one and the members that meet are near to each other.
//!
//! Every member sends a piece to one of k points, the points exchange their sums, and each sends the result to those that take it from there: three
//! rounds. Where points form groups they exchange within these first, then with one of every other group: four rounds. A few first pieces have points
//! of their own; those of all others are their images under a [symmetry](super::symmetry) of the box. [`super::settle_points`] looks for points.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};

use super::symmetry::Symmetry;
use crate::flow::{Block, Flow, share};
use crate::{Operation, Task};

/// Numbers of rounds: to a point, within groups, between groups, from a point.
pub const ROUNDS: usize = 4;

/// Where the pieces of a vector meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The pieces but for the first.
    pub symmetry: Symmetry,
    /// How many points in a row form a group; with 1 they exchange at once.
    pub group: u32,
    /// By first piece where it meets: no member twice.
    pub points: Vec<Vec<u32>>,
    /// By first piece and member which point it sends to; a point to itself.
    pub up: Vec<Vec<u32>>,
    /// The same from which it takes the result.
    pub down: Vec<Vec<u32>>,
    /// By message its place in the order of sending.
    pub turn: Vec<u32>,
}

impl Display for Spread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = |all: &Vec<u32>| all.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let pieces: Vec<String> = self.points.iter().map(words).collect();
        write!(f, "meetings at {}, {}", pieces.join(" / "), self.symmetry)?;
        if self.group > 1 { write!(f, ", in groups of {}", self.group) } else { Ok(()) }
    }
}

/// A message of a first piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The first piece.
    pub piece: usize,
    /// Below [`ROUNDS`].
    pub round: usize,
    /// The point that sends, or the member in the first round.
    pub from: usize,
    /// The point that receives, or the member in the last round.
    pub to: usize,
}

impl Spread {
    /// Points of a piece.
    pub fn many(&self) -> usize {
        self.points[0].len()
    }

    /// Messages of a first piece before each round, and all: some of them from a member to itself.
    pub fn rounds(&self) -> [usize; ROUNDS + 1] {
        let (members, many, group) = (self.up[0].len(), self.many(), self.group as usize);
        let within = members + many * group;
        let between = within + many * (many / group);
        [0, members, within, between, between + members]
    }

    /// Messages of all first pieces.
    pub fn messages(&self) -> usize {
        self.rounds()[ROUNDS] * self.points.len()
    }

    /// What a message is.
    pub fn letter(&self, index: usize) -> Letter {
        let rounds = self.rounds();
        let (piece, at) = (index / rounds[ROUNDS], index % rounds[ROUNDS]);
        let round = (1..ROUNDS).take_while(|&round| at >= rounds[round]).count();
        let (at, group) = (at - rounds[round], self.group as usize);
        let groups = self.many() / group;
        let (from, to) = match round {
            0 => (at, self.up[piece][at] as usize),
            1 => (at / group, at / group / group * group + at % group),
            2 => (at / groups, at % groups * group + at / groups % group),
            _ => (self.down[piece][at] as usize, at),
        };
        Letter { piece, round, from, to }
    }

    /// The members from which and to which a message goes.
    pub fn ends(&self, letter: Letter) -> (u32, u32) {
        let points = &self.points[letter.piece];
        match letter.round {
            0 => (letter.from as u32, points[letter.to]),
            3 => (points[letter.from], letter.to as u32),
            _ => (points[letter.from], points[letter.to]),
        }
    }

    /// Its flow.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box, and for other operations than all-reduce and barrier.
    ///
    /// # Complexity
    ///
    /// O(pieces (members + k²)), k points.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let grid = task.grid("a meeting")?;
        if !matches!(task.operation, Operation::AllReduce | Operation::Barrier) {
            return Err(Error::not_applicable("a meeting", "it is a way to do an all-reduce"));
        }
        let images = self.symmetry.images(grid);
        let whole = task.blocks()[0];
        let pieces = (images.len() * self.points.len()) as u32;
        let part = |k| Block { bytes: share(whole.bytes, pieces, k), ..whole };
        let mut flow = Flow::new(task.members(), (0..pieces).map(part).collect());
        let mut order: Vec<usize> = (0..self.messages()).collect();
        order.sort_by_key(|&index| self.turn[index]);
        for letter in order.into_iter().map(|index| self.letter(index)) {
            let (from, to) = self.ends(letter);
            for (image, which) in images.iter().zip(0..) {
                let piece = (letter.piece * images.len() + which) as u32;
                let (from, to, step) = (image[from as usize], image[to as usize], letter.round as u32);
                match letter.round {
                    3 => flow.copy(step, from, to, [piece]),
                    _ => flow.combine(step, from, to, [piece]),
                }
            }
        }
        Ok(flow)
    }
}
