//! Work stealing: a node that runs out of work asks another for half of what waits there.

use rand::{Rng, RngExt};

use super::body::{Body, Hands, Policy};
use super::{Case, Piece};
use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};

/// Whom a thief asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victims {
    /// Anybody.
    Random,
    /// One of its neighbours.
    Nearest,
    /// Anybody at most 1 hop away, then 2, 4, 8 hops.
    Level,
}

/// What thieves and victims say.
#[derive(Clone, Copy, Debug)]
pub enum StealingNote {
    /// Give me half.
    Steal,
    /// Nothing to give.
    Nothing,
}

/// A thief asks so many in a row, then it pauses.
const ROUND: u32 = 4;

/// A node in work stealing.
///
/// It is given half of what waits, at most an equal share of the whole unless only neighbours are asked: more takes too long
/// on its way. It asks when its processor takes up its last grain. After every fourth refusal it pauses: for 1/16 of the time of a
/// grain, then twice as long, up to half a grain.
#[derive(Debug)]
pub struct Stealing {
    victims: Victims,
    /// What is drawn: the seed, the node and how often it has drawn.
    drawn: [u32; 4],
    /// All other nodes, the nearest first; none for [`Victims::Random`].
    order: Vec<NodeId>,
    has_asked: bool,
    is_waiting: bool,
    /// Refusals in a row.
    refused: u32,
}

impl Stealing {
    /// The policy of a node.
    pub fn new(case: &Case<'_>, node: NodeId, victims: Victims, seed: u64) -> Self {
        let mut order: Vec<NodeId> = case.machine().living().filter(|&other| other != node).collect();
        if victims != Victims::Random {
            order.sort_unstable_by_key(|&other| (case.hops(node, other), other));
        }
        let base = rng::stream(seed, "victims").next_u64();
        let drawn = [base as u32, (base >> 32) as u32, node.0, 0];
        Self { victims, drawn, order, has_asked: false, is_waiting: false, refused: 0 }
    }

    fn victim(&mut self, body: &Body<'_>) -> Option<NodeId> {
        let many = match self.victims {
            _ if self.order.is_empty() => return None,
            Victims::Nearest => {
                self.order.partition_point(|&other| body.case.hops(body.node, other) <= 1).max(1)
            }
            Victims::Random => self.order.len(),
            Victims::Level => {
                // Two of each level, then from the first one on.
                let levels = 1 + u16::BITS - (self.reach(body) - 1).leading_zeros();
                let hops = 1u16 << ((self.refused / 2) % levels).min(15);
                self.order.partition_point(|&other| body.case.hops(body.node, other) <= hops).max(1)
            }
        };
        self.drawn[3] = self.drawn[3].wrapping_add(1);
        Some(self.order[rng::numbered(&self.drawn).random_range(0..many)])
    }

    /// The hops to the farthest node.
    fn reach(&self, body: &Body<'_>) -> u16 {
        self.order.last().map_or(1, |&other| body.case.hops(body.node, other)).max(1)
    }
}

impl Policy for Stealing {
    type Note = StealingNote;

    fn loaded(&mut self, piece: Piece, rest: u64, body: &mut Body<'_>, _: &mut Hands<'_, StealingNote>) {
        body.take(piece);
        self.refused = 0;
        self.has_asked &= rest > 0;
    }

    fn noted(
        &mut self,
        from: NodeId,
        note: StealingNote,
        body: &mut Body<'_>,
        hands: &mut Hands<'_, StealingNote>,
    ) {
        if let StealingNote::Nothing = note {
            self.has_asked = false;
            self.refused += 1;
            if self.refused.is_multiple_of(ROUND) && !body.is_over() {
                self.is_waiting = true;
                let doubled = body.case.grain_cycles() << (self.refused / ROUND - 1).min(3);
                hands.alarm(Cycles((doubled / 16).max(1)), 0);
            }
            return;
        }
        let waits = body.stocked();
        let most = if self.victims == Victims::Nearest { waits } else { body.case.share_most() };
        let mut left = if body.is_dead { waits } else { waits / 2 }.min(most);
        let mut pieces = Vec::new();
        while left > 0 {
            let Some(piece) = body.give(left) else { break };
            left -= piece.bytes;
            pieces.push(piece);
        }
        match pieces.is_empty() {
            true => body.tell(from, StealingNote::Nothing, 1, hands),
            false => body.send_many(from, pieces, hands),
        }
    }

    fn alarm(&mut self, _: u32, _: &mut Body<'_>, _: &mut Hands<'_, StealingNote>) {
        self.is_waiting = false;
    }

    fn act(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, StealingNote>) {
        if body.stocked() > 0 || self.has_asked || self.is_waiting || body.is_dead || body.is_over() {
            return;
        }
        let Some(victim) = self.victim(body) else { return };
        self.has_asked = true;
        body.tell(victim, StealingNote::Steal, 1, hands);
    }
}
