//! Self-scheduling: the sources keep the load, and a node that runs out of work asks for the next chunk.

use std::collections::VecDeque;

use super::body::{Body, Hands, Policy, RETURNED, cut};
use super::{Case, Piece};
use meshwright_core::units::NodeId;

/// How large the next chunk is, of R grains that are left for P processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// R / P, rounded up.
    Guided,
    /// P chunks of R / (2 P) each, rounded up, then anew.
    Factoring,
    /// From N / (2 P) of the N at the beginning in equal steps down to 1.
    Trapezoid,
}

/// The sizes of the chunks, one after the other.
///
/// # Source
///
/// `polychronopoulos1987` (guided), `tzen1993` (trapezoid), `hummel1992` (factoring).
///
/// # Examples
///
/// ```
/// use meshwright_load::dynamic::{Rule, Sequence};
/// let mut left = 100;
/// let mut sequence = Sequence::new(Rule::Guided, 4, left);
/// let sizes: Vec<u64> = std::iter::from_fn(|| {
///     let size = sequence.next(left);
///     left -= size;
///     (size > 0).then_some(size)
/// }).collect();
/// assert_eq!(sizes, [25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Sequence {
    rule: Rule,
    processors: u64,
    /// Factoring: chunks of this size that are left; trapezoid: how much smaller the next one is.
    count: u64,
    size: u64,
}

impl Sequence {
    /// The chunks of so many grains.
    pub fn new(rule: Rule, processors: u64, grains: u64) -> Self {
        let processors = processors.max(1);
        let (mut count, mut size) = (0, 0);
        if rule == Rule::Trapezoid {
            size = (grains / (2 * processors)).max(1);
            let chunks = (2 * grains).div_ceil(size + 1);
            count = (size - 1) / chunks.saturating_sub(1).max(1);
        }
        Self { rule, processors, count, size }
    }

    /// The next chunk, of so many grains that are left; 0 for none.
    pub fn next(&mut self, left: u64) -> u64 {
        let size = match self.rule {
            Rule::Guided => left.div_ceil(self.processors),
            Rule::Factoring => {
                if self.count == 0 {
                    (self.count, self.size) = (self.processors, left.div_ceil(2 * self.processors));
                }
                self.count -= 1;
                self.size
            }
            Rule::Trapezoid => {
                let size = self.size;
                self.size = size.saturating_sub(self.count).max(1);
                size
            }
        };
        size.min(left)
    }
}

/// What is said in self-scheduling.
#[derive(Clone, Copy, Debug)]
pub enum CentralNote {
    /// A node wants a chunk; so many sources had none.
    Ask {
        /// The node.
        worker: NodeId,
        /// Sources that were asked before.
        tried: u32,
    },
    /// There is load at this source again: send on whoever waits.
    Call,
}

/// A node in self-scheduling; a source is one that has a pool.
#[derive(Debug)]
pub struct Central {
    rule: Rule,
    pool: VecDeque<Piece>,
    pooled: u64,
    sequence: Sequence,
    /// Who waits here for load.
    parked: VecDeque<NodeId>,
    has_asked: bool,
}

impl Central {
    /// The policy of a node.
    pub fn new(case: &Case<'_>, rule: Rule) -> Self {
        let sequence = Sequence::new(rule, case.workers().len() as u64, 0);
        Self { rule, pool: VecDeque::new(), pooled: 0, sequence, parked: VecDeque::new(), has_asked: false }
    }

    /// Hands a chunk to a node that asks, sends it on to the next source, or lets it wait.
    fn serve(&mut self, worker: NodeId, tried: u32, body: &mut Body<'_>, hands: &mut Hands<'_, CentralNote>) {
        let grain = body.case.grain;
        let mut left = self.sequence.next(self.pooled.div_ceil(grain)).saturating_mul(grain).min(self.pooled);
        if left > 0 {
            self.pooled -= left;
            let mut chunk = Vec::new();
            while left > 0 {
                let first = self.pool.front_mut().expect("the pool has as much");
                let piece = cut(first, left);
                if first.bytes == 0 {
                    self.pool.pop_front();
                }
                left -= piece.bytes;
                chunk.push(piece);
            }
            match worker == body.node {
                true => {
                    self.has_asked = false;
                    chunk.into_iter().for_each(|piece| body.take(piece));
                }
                false => body.send_many(worker, chunk, hands),
            }
            return;
        }
        let entries = &body.case.entries;
        if tried + 1 >= entries.len() as u32 {
            self.parked.push_back(worker);
            return;
        }
        let here = entries.iter().position(|&node| node == body.node).expect("only sources are asked");
        let next = entries[(here + 1) % entries.len()];
        body.tell(next, CentralNote::Ask { worker, tried: tried + 1 }, 1, hands);
    }
}

impl Policy for Central {
    type Note = CentralNote;

    fn arrived(&mut self, piece: Piece, body: &mut Body<'_>, hands: &mut Hands<'_, CentralNote>) {
        self.pool.push_back(piece);
        self.pooled += piece.bytes;
        let workers = body.case.workers().len() as u64;
        self.sequence = Sequence::new(self.rule, workers, self.pooled.div_ceil(body.case.grain));
        for worker in std::mem::take(&mut self.parked) {
            self.serve(worker, 0, body, hands);
        }
        let (case, node) = (body.case, body.node);
        for &other in case.entries.iter().filter(|&&other| other != node) {
            body.tell(other, CentralNote::Call, 1, hands);
        }
    }

    fn loaded(&mut self, piece: Piece, rest: u64, body: &mut Body<'_>, hands: &mut Hands<'_, CentralNote>) {
        if rest == RETURNED {
            return self.arrived(piece, body, hands);
        }
        body.take(piece);
        self.has_asked &= rest > 0;
    }

    fn noted(
        &mut self,
        from: NodeId,
        note: CentralNote,
        body: &mut Body<'_>,
        hands: &mut Hands<'_, CentralNote>,
    ) {
        match note {
            CentralNote::Ask { worker, tried } => self.serve(worker, tried, body, hands),
            CentralNote::Call => {
                for worker in std::mem::take(&mut self.parked) {
                    body.tell(from, CentralNote::Ask { worker, tried: 0 }, 1, hands);
                }
            }
        }
    }

    fn act(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, CentralNote>) {
        let is_source = body.case.entries.contains(&body.node);
        if body.is_dead {
            // What a processor that stopped had goes back to where loads come from.
            while let Some(piece) = body.give(u64::MAX) {
                match is_source {
                    true => self.arrived(piece, body, hands),
                    false => {
                        let home = body.case.arrivals[piece.job as usize].node;
                        body.send_back(home, piece, hands);
                    }
                }
            }
            return;
        }
        if body.stocked() > 0 || self.has_asked {
            return;
        }
        self.has_asked = true;
        match is_source {
            true => self.serve(body.node, 0, body, hands),
            false => {
                let nearest = body.case.entries.iter().min_by_key(|&&node| body.case.hops(node, body.node));
                let nearest = *nearest.expect("a case has loads");
                body.tell(nearest, CentralNote::Ask { worker: body.node, tried: 0 }, 1, hands);
            }
        }
    }
}
