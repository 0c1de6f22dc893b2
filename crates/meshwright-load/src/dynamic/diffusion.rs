//! Diffusion: every node tells its neighbours how much waits, and who has more gives some of the difference.

use super::Case;
use super::body::{Body, Hands, Policy};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::topology::Topology;

/// How much waits at a node.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// The time it would take there, in cycles; infinite where the processor has stopped.
    time: f64,
    /// Bytes a cycle there.
    rate: f64,
}

/// A node in diffusion.
///
/// ```text
/// from v to u:  (l_v - l_u) / (d + 1) times the lesser rate of the two
/// ```
///
/// l is the time in which a node has worked off what waits there, d the most neighbours of any node. Levels are told
/// four times in the time of a grain.
///
/// # Source
///
/// `cybenko1989`: first-order diffusion; it converges as the matrix 1 - L / (d + 1), L the Laplacian.
#[derive(Debug)]
pub struct Diffusion {
    lines: Vec<(NodeId, bool)>,
    degree: f64,
}

impl Diffusion {
    /// The policy of a node.
    pub fn new(case: &Case<'_>, node: NodeId) -> Self {
        let machine = case.machine();
        let lines = machine.neighbours(node).map(|(_, to)| to).filter(|&to| machine.is_alive(to));
        let degree = machine.living().map(|node| machine.neighbours(node).count()).max().unwrap_or(0);
        Self { lines: lines.map(|to| (to, false)).collect(), degree: degree as f64 }
    }

    fn level(body: &Body<'_>, now: Cycles) -> Level {
        let case = body.case;
        let alone = case.scale.unit_cycles() / case.scale.bytes() as f64;
        let rate = body.speed_now(now) / (alone * case.scale.problem().work(body.node));
        let time = if rate > 0.0 { body.stocked() as f64 / rate } else { f64::INFINITY };
        Level { time, rate }
    }

    fn period(body: &Body<'_>) -> Cycles {
        Cycles((body.case.grain_cycles() / 4).max(1))
    }
}

/// What one step of diffusion moves between two nodes with these levels and rates.
pub(super) fn moved(own: (f64, f64), other: (f64, f64), degree: f64) -> f64 {
    ((own.0 - other.0) / (degree + 1.0) * own.1.min(other.1)).max(0.0)
}

impl Policy for Diffusion {
    type Note = Level;

    fn start(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, Level>) {
        hands.alarm(Self::period(body), 0);
    }

    fn noted(&mut self, from: NodeId, other: Level, body: &mut Body<'_>, hands: &mut Hands<'_, Level>) {
        let token = self.lines.iter().position(|&(to, _)| to == from).expect("it is a neighbour");
        let waits = body.stocked();
        if self.lines[token].1 || waits == 0 || other.rate <= 0.0 {
            return;
        }
        let own = Self::level(body, hands.now());
        let amount = match own.rate > 0.0 {
            true => moved((own.time, own.rate), (other.time, other.rate), self.degree) as u64,
            false => waits.div_ceil(self.lines.len() as u64),
        };
        let least = if body.is_dead { 1 } else { (body.case.grain / 4).max(1) };
        if amount < least {
            return;
        }
        let mut left = amount.min(waits);
        let mut pieces = Vec::new();
        while left > 0 {
            let Some(mut piece) = body.give(left) else { break };
            left -= piece.bytes;
            while piece.bytes > 0 {
                pieces.push(super::body::cut(&mut piece, body.case.message_most()));
            }
        }
        // The line is free again when the last of them has left.
        self.lines[token].1 = true;
        let last = pieces.len() - 1;
        for (at, piece) in pieces.into_iter().enumerate() {
            let token = if at == last { token as u32 } else { super::body::NO_TOKEN };
            body.send(from, piece, 0, token, hands);
        }
    }

    fn sent(&mut self, token: u32, _: &mut Body<'_>, _: &mut Hands<'_, Level>) {
        self.lines[token as usize].1 = false;
    }

    fn alarm(&mut self, _: u32, body: &mut Body<'_>, hands: &mut Hands<'_, Level>) {
        if body.is_over() {
            return;
        }
        let level = Self::level(body, hands.now());
        for &(to, _) in &self.lines {
            body.tell(to, level, 1, hands);
        }
        hands.alarm(Self::period(body), 0);
    }
}
