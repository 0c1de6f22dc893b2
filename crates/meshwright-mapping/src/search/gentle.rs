//! Rounds that anneal the smooth stand-in, and rounds in which the judge is asked about every exchange.

use rand::RngExt;

use super::annealing::Annealing;
use super::rounds::Rounds;
use super::seats::FREE;
use super::smooth::Smooth;

/// The temperature at the end, as a part of that at the start.
const COOLED: f64 = 0.01;
/// Messages over links of at least this part of the busiest one's load are drawn more often.
const HOT: f64 = 0.75;
/// An exchange begins as often as not with a message over busy links, if there are such.
const HOT_OF_100: u32 = 50;
/// After so many exchanges for each message it is looked anew which these are.
const EXCHANGES_BETWEEN_HOT: u64 = 2;
/// An exchange asked of the judge may be worse by one part in so many at first, later by less.
const JUDGED_SLACK: u64 = 200;

/// How a round anneals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gentle {
    /// The power is 2 to this.
    doublings: u32,
    /// The temperature at the start: a typical exchange loses a few times as much where this is 1.
    heat: f64,
}

impl Gentle {
    /// Of the cycle with this number, from the best.
    pub(super) fn from_best(cycle: u64) -> Self {
        let powers = [1, 2, 1, 3, 0];
        let heats = [0.3, 1.0];
        Self { doublings: powers[(cycle % 5) as usize], heat: heats[(cycle / 5 % 2) as usize] }
    }

    /// Of the cycle with this number of a large job, from the best: at first downhill only, because a round may be broken off,
    /// and with the larger power first where messages are stored, as there the busiest link says the time.
    pub(super) fn of_large(cycle: u64, stores: bool) -> Self {
        let (powers, heats) = ([1, 2], [0.0, 0.02, 0.1]);
        let power = powers[((cycle + u64::from(stores)) % 2) as usize];
        Self { doublings: power, heat: heats[(cycle / 2).min(2) as usize] }
    }

    /// Of the cycle with this number, from elsewhere.
    pub(super) fn anew(cycle: u64) -> Self {
        let powers = [0, 1, 2];
        Self {
            doublings: powers[(cycle / 2 % 3) as usize],
            heat: if cycle.is_multiple_of(2) { 1.0 } else { 3.0 },
        }
    }
}

impl<'p> Rounds<'p, '_> {
    /// Anneals the smooth stand-in by exchanges, with about so many looks. While it cools, the judge is asked about what there
    /// is, as often as he may be; in the end about the best met, which is left in `node_of`.
    pub(super) fn anneal_gently(
        &mut self,
        smooth: &mut Smooth<'p>,
        node_of: &mut [u32],
        gentle: Gentle,
        budget: u64,
    ) {
        let job = smooth.placed().job();
        if job.ends.is_empty() {
            return;
        }
        smooth.reset(node_of, gentle.doublings);
        let messages = job.ends.len() as u64;
        let looks = 16 * messages / u64::from(job.tasks.max(1)) + 8;
        let exchanges = budget / looks;
        let typical = 2.0 * smooth.total() / (f64::from(1 << gentle.doublings) * messages as f64);
        let from = typical * gentle.heat;
        let mut heat = Annealing::new(from, from * COOLED, exchanges);
        let middle = from * COOLED.sqrt();
        let mut best = smooth.total();
        let mut hot = Vec::new();
        // The exchanges since the best placement: taken back in the end.
        let mut since: Vec<(u32, u32)> = Vec::new();
        for exchange in 0..exchanges {
            if !self.goes_on(looks) {
                break;
            }
            if (gentle.doublings > 1 || job.stores) && exchange % (EXCHANGES_BETWEEN_HOT * messages) == 0 {
                smooth.hot(HOT, &mut hot);
            }
            let message = self.draw_message(&hot, job.ends.len());
            let (a, b) = self.draw_around(job.ends[message], smooth.placed().node_of());
            if !self.may_exchange([a, b], [smooth.placed().task_at(a), smooth.placed().task_at(b)]) {
                continue;
            }
            let before = smooth.total();
            let after = smooth.exchange(a, b);
            if !heat.accepts(before, after, &mut self.rng) {
                smooth.undo();
                continue;
            }
            since.push((a, b));
            if after < best {
                best = after;
                since.clear();
            }
            if heat.now() < middle && self.found.is_due() {
                self.judge_now(smooth.placed().node_of());
            }
        }
        for &(a, b) in since.iter().rev() {
            smooth.exchange(a, b);
        }
        node_of.copy_from_slice(smooth.placed().node_of());
        self.judge_now(node_of);
    }

    /// Has a placement judged, whatever is predicted.
    fn judge_now(&mut self, node_of: &[u32]) {
        let ticks = self.full.cost(node_of).ticks;
        self.found.offer_now(ticks, node_of);
    }

    fn draw_message(&mut self, hot: &[u32], messages: usize) -> usize {
        if !hot.is_empty() && self.rng.random_range(0..100) < HOT_OF_100 {
            return hot[self.rng.random_range(0..hot.len())] as usize;
        }
        self.rng.random_range(0..messages)
    }

    /// Two nodes: that of a task of this message, and one near the other task, or near its own.
    fn draw_around(&mut self, (source, target): (u32, u32), node_of: &[u32]) -> (u32, u32) {
        let lot = self.rng.random_range(0..8);
        let (mover, other) = if lot % 2 == 0 { (source, target) } else { (target, source) };
        let (from, anchor) = (node_of[mover as usize], node_of[other as usize]);
        let start = if lot < 6 { anchor } else { from };
        (from, self.near.draw_near(start, from, &mut self.rng))
    }

    /// Exchanges tasks as long as the judge likes it, with about so many looks; at first he need not quite like it.
    pub(super) fn by_judge(&mut self, budget: u64) {
        let ends = &self.job.ends;
        if !self.found.has_judge() || ends.is_empty() {
            return;
        }
        let best = &self.found.best[0];
        let (mut now, mut node_of) = (best.judged, best.nodes.clone());
        let mut task_at = vec![FREE; self.domain.part_of_node.len()];
        node_of.iter().enumerate().for_each(|(task, &node)| task_at[node as usize] = task as u32);
        let asked = budget / self.found.price() + 1;
        for question in 0..asked {
            if !self.goes_on(self.found.price()) {
                return;
            }
            let ends = self.job.ends[self.rng.random_range(0..self.job.ends.len())];
            let (a, b) = self.draw_around(ends, &node_of);
            let [on_a, on_b] = [task_at[a as usize], task_at[b as usize]];
            if !self.may_exchange([a, b], [on_a, on_b]) {
                continue;
            }
            put(&mut node_of, &mut task_at, [(on_a, b), (on_b, a)]);
            let slack = now / JUDGED_SLACK * (asked - question) / asked;
            let judged = self.found.ask(&node_of, now.saturating_add(slack + 1));
            if judged <= now.saturating_add(slack) {
                now = judged;
                if self.found.would_keep(judged) {
                    let predicted = self.full.cost(&node_of).ticks;
                    self.found.keep(judged, predicted, &node_of);
                }
                continue;
            }
            put(&mut node_of, &mut task_at, [(on_a, a), (on_b, b)]);
        }
    }
}

/// Puts tasks, or none, on nodes.
fn put(node_of: &mut [u32], task_at: &mut [u32], places: [(u32, u32); 2]) {
    for (task, node) in places {
        task_at[node as usize] = task;
        if task != FREE {
            node_of[task as usize] = node;
        }
    }
}
