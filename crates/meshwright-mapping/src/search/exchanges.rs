//! Annealing by exchanges of two tasks, or of a task and a free node, and by turns of blocks.

use rand::RngExt;
use rand_xoshiro::SplitMix64;

use super::annealing::Annealing;
use super::full::Cost;
use super::rounds::Rounds;
use super::shapes::Shapes;
use super::state::SearchState;
use meshwright_core::csr::Csr;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// The annealings by turns of a round: each begins at the points of its start divided by this.
const TURN_COOLNESS: [f64; 4] = [300.0, 1000.0, 3000.0, 10_000.0];
/// Exact costs take longer than an exchange, so that not every better placement of an annealing gets one.
const STEPS_BETWEEN_OFFERS: u64 = 300;

/// The nodes next to each node.
pub(super) struct Adjacency(Csr<u32>);

impl Adjacency {
    pub(super) fn new(machine: &Machine) -> Self {
        let mut nodes = Csr::default();
        for node in (0..machine.nodes()).map(NodeId) {
            nodes.push_row(machine.neighbours(node).map(|(_, next)| next.0));
        }
        Self(nodes)
    }

    /// A neighbour drawn by lot; the node itself if it has none.
    fn draw(&self, node: u32, rng: &mut SplitMix64) -> u32 {
        let neighbours = self.0.row(node as usize);
        if neighbours.is_empty() { node } else { neighbours[rng.random_range(0..neighbours.len())] }
    }

    /// A node near another one: next to it, or next to a neighbour of it.
    pub(super) fn draw_near(&self, start: u32, from: u32, rng: &mut SplitMix64) -> u32 {
        let mut to = self.draw(start, rng);
        if rng.random_range(0..3) == 0 || to == from {
            to = self.draw(to, rng);
        }
        to
    }
}

impl<'p> Rounds<'p, '_> {
    /// Anneals by turns of blocks, several times from the same placement; the best one met is left in `node_of`.
    pub(super) fn turn_blocks(&mut self, shapes: &Shapes, node_of: &mut Vec<u32>, turns: u64) {
        let start = (self.joint.cost(node_of), node_of.clone());
        let looks = (self.joint.job().ends.len() * 8 + node_of.len()) as u64;
        let (mut turned, mut task_at) = (node_of.clone(), Vec::new());
        let mut best = start.clone();
        self.offer_exactly(node_of);
        for coolness in TURN_COOLNESS {
            let mut now = start.0;
            node_of.copy_from_slice(&start.1);
            let mut heat = Annealing::new(now.points as f64 / coolness, now.points as f64 / 50_000.0, turns);
            for _ in 0..turns {
                if !self.goes_on(looks) {
                    break;
                }
                shapes.apply(&shapes.draw(&mut self.rng), node_of, &mut turned);
                self.domain.settle(&mut turned, &mut task_at);
                let cost: Cost = self.joint.cost(&turned);
                if heat.accepts(now.points as f64, cost.points as f64, &mut self.rng) {
                    now = cost;
                    std::mem::swap(node_of, &mut turned);
                    if (now.ticks, now.points) < (best.0.ticks, best.0.points) {
                        best.0 = now;
                        best.1.copy_from_slice(node_of);
                        self.offer_exactly(node_of);
                    }
                }
            }
        }
        *node_of = best.1;
    }

    /// Remembers a placement if its exact cost is among the best.
    fn offer_exactly(&mut self, node_of: &[u32]) {
        let ticks = self.full.cost(node_of).ticks;
        self.found.offer(ticks, node_of);
    }

    /// Anneals by exchanges of two tasks, or of a task and a free node.
    pub(super) fn exchange_tasks(
        &mut self,
        state: &mut SearchState<'p>,
        node_of: &mut [u32],
        exchanges: u64,
        coolness: f64,
    ) {
        let job = state.placed().job();
        if job.ends.is_empty() {
            return;
        }
        state.reset(node_of);
        let start = state.total() as f64 / job.phases() as f64;
        let mut heat = Annealing::new(start / coolness, start / 2000.0, exchanges);
        let looks = (8 * job.ends.len() / job.tasks.max(1) as usize + 8) as u64;
        let mut best = state.total();
        let mut next_offer = self.steps;
        // The exchanges since the best placement: taken back in the end.
        let mut since: Vec<(u32, u32)> = Vec::new();
        for _ in 0..exchanges {
            if !self.goes_on(looks) {
                break;
            }
            let (a, b) = self.draw_exchange(state);
            if !self.may_exchange([a, b], [state.placed().task_at(a), state.placed().task_at(b)]) {
                continue;
            }
            let before = state.total();
            let after = state.exchange(a, b);
            if !heat.accepts(before as f64, after as f64, &mut self.rng) {
                state.undo();
                continue;
            }
            since.push((a, b));
            let worth_it = after < best || self.found.wants_more();
            if after < best {
                best = after;
                since.clear();
            }
            if worth_it && self.steps >= next_offer {
                next_offer = self.steps + STEPS_BETWEEN_OFFERS;
                self.offer_exactly(state.placed().node_of());
            }
        }
        for &(a, b) in since.iter().rev() {
            state.exchange(a, b);
        }
        node_of.copy_from_slice(state.placed().node_of());
        self.offer_exactly(node_of);
    }

    /// Whether what is on two nodes may change places.
    pub(super) fn may_exchange(&self, [a, b]: [u32; 2], [on_a, on_b]: [u32; 2]) -> bool {
        a != b
            && on_a != on_b
            && self.domain.may_leave(on_a)
            && self.domain.may_leave(on_b)
            && self.domain.part_of_node[a as usize] == self.domain.part_of_node[b as usize]
    }

    /// Two nodes: mostly that of a task that hurts and one near the task it talks to.
    fn draw_exchange(&mut self, state: &SearchState<'p>) -> (u32, u32) {
        let job = state.placed().job();
        let lot = self.rng.random_range(0..100);
        let message = match lot {
            0..40 => self.draw_worst(state),
            _ => self.rng.random_range(0..job.ends.len()),
        };
        let (source, target) = job.ends[message];
        let (mover, other) =
            if self.rng.random_range(0..2) == 0 { (source, target) } else { (target, source) };
        let node_of = state.placed().node_of();
        let (from, anchor) = (node_of[mover as usize], node_of[other as usize]);
        let start = if lot < 80 { anchor } else { from };
        (from, self.near.draw_near(start, from, &mut self.rng))
    }

    /// A message of some phase that has the longest way there, or crosses the busiest link.
    fn draw_worst(&mut self, state: &SearchState<'p>) -> usize {
        let job = state.placed().job();
        let phase = self.rng.random_range(0..job.phases());
        let messages = job.messages(phase);
        if messages.is_empty() {
            return self.rng.random_range(0..job.ends.len());
        }
        let from = self.rng.random_range(0..messages.len());
        if state.is_link_bound(phase) {
            return state.crossing(phase, from, 16).unwrap_or(messages.start + from);
        }
        messages.start + state.longest(phase, from)
    }
}
