//! The static optimum, once: every byte goes where the plan wants it, whatever happens.

use std::collections::VecDeque;

use super::body::{Body, Hands, Policy, cut};
use super::{Case, Piece};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Load that leaves over one link, message by message.
#[derive(Debug)]
struct Line {
    to: NodeId,
    queue: VecDeque<Piece>,
    is_busy: bool,
}

/// A node splits what comes in the proportions of the planned flow: to its own processor and to its links.
///
/// What enters is cut in these proportions; a message that comes from elsewhere goes on whole, to whom the proportions owe
/// most.
#[derive(Debug)]
pub struct Fixed {
    /// The part of the own processor, then those of the lines; they sum to 1.
    parts: Vec<f64>,
    owed: Vec<f64>,
    lines: Vec<Line>,
}

impl Fixed {
    /// The policy of a node.
    pub fn new(case: &Case<'_>, node: NodeId) -> Self {
        let machine = case.machine();
        let (mut parts, mut lines) = (vec![case.plan.node[node.index()]], Vec::new());
        for (link, to) in machine.neighbours(node) {
            let flow = case.plan.link[link.index()];
            if flow > 0.0 && machine.is_alive(to) {
                parts.push(flow);
                lines.push(Line { to, queue: VecDeque::new(), is_busy: false });
            }
        }
        let whole: f64 = parts.iter().sum();
        match whole > 0.0 {
            true => parts.iter_mut().for_each(|part| *part /= whole),
            false => parts[0] = 1.0,
        }
        Self { owed: vec![0.0; parts.len()], parts, lines }
    }

    /// Gives load to the own processor, or to a line.
    fn put(&mut self, direction: usize, piece: Piece, body: &mut Body<'_>) {
        self.owed[direction] -= piece.bytes as f64;
        match direction.checked_sub(1) {
            None => body.take(piece),
            Some(line) => self.lines[line].queue.push_back(piece),
        }
    }

    fn owe(&mut self, bytes: u64) {
        for (owed, part) in self.owed.iter_mut().zip(&self.parts) {
            *owed += bytes as f64 * part;
        }
    }
}

impl Policy for Fixed {
    type Note = ();

    fn arrived(&mut self, mut piece: Piece, body: &mut Body<'_>, _: &mut Hands<'_, ()>) {
        self.owe(piece.bytes);
        for direction in 1..self.parts.len() {
            let share = self.owed[direction].round().max(0.0) as u64;
            let part = cut(&mut piece, share);
            self.put(direction, part, body);
        }
        self.put(0, piece, body);
    }

    fn loaded(&mut self, piece: Piece, _: u64, body: &mut Body<'_>, _: &mut Hands<'_, ()>) {
        self.owe(piece.bytes);
        let most = (0..self.parts.len()).rev().max_by(|&a, &b| self.owed[a].total_cmp(&self.owed[b]));
        self.put(most.unwrap_or(0), piece, body);
    }

    fn noted(&mut self, _: NodeId, (): (), _: &mut Body<'_>, _: &mut Hands<'_, ()>) {}

    fn sent(&mut self, token: u32, _: &mut Body<'_>, _: &mut Hands<'_, ()>) {
        self.lines[token as usize].is_busy = false;
    }

    fn act(&mut self, body: &mut Body<'_>, hands: &mut Hands<'_, ()>) {
        for (token, line) in (0u32..).zip(&mut self.lines) {
            let Some(first) = line.queue.front_mut().filter(|_| !line.is_busy) else { continue };
            let piece = cut(first, body.case.grain);
            if first.bytes == 0 {
                line.queue.pop_front();
            }
            line.is_busy = true;
            body.send(line.to, piece, 0, token, hands);
        }
    }
}
