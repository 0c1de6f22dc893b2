//! The most that messages one after the other can gain, by the time that is left.

use std::collections::VecDeque;

/// Moments, `step` apart.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) per_startup: usize,
    pub(super) step: f64,
    pub(super) moments: usize,
}

/// Messages one after the other over a link, or out of a port.
pub(super) struct Lane {
    /// Where they may go to.
    to: Vec<usize>,
    /// Whether that is one node, which works off all of them.
    is_link: bool,
    /// What fits into one message, and the least time of the whole load on a link.
    room: f64,
    time: f64,
    /// What is gained with each part of a load, and lost with each message.
    kept: f64,
    cost: f64,
    /// By moment, the most that can be gained from then on.
    gains: Vec<f64>,
    /// Of a port: moments at which a message of what there is time for ends, those behind the best left out; none below `first`.
    ends: VecDeque<(usize, f64)>,
    /// The first moment at which a message ends that carries no more than can be made use of.
    first: usize,
}

impl Lane {
    pub(super) fn of_link(to: usize, time: f64) -> Self {
        Self {
            to: vec![to],
            is_link: true,
            room: f64::INFINITY,
            time,
            kept: 1.0,
            cost: 0.0,
            gains: Vec::new(),
            ends: VecDeque::new(),
            first: 0,
        }
    }

    /// Out of a port to any of these places; of what a message carries so much is gained, less what it costs.
    pub(super) fn of_port(to: Vec<usize>, time: f64, room: f64, (kept, cost): (f64, f64)) -> Self {
        Self { to, is_link: false, room, kept, cost, ..Self::of_link(0, time) }
    }

    /// The most that can be gained if the next message begins at this moment or later.
    pub(super) fn advance(
        &mut self,
        moment: usize,
        Grid { per_startup, step, .. }: Grid,
        brings: &[Vec<f64>],
    ) -> f64 {
        let mut best = self.gains.last().copied().unwrap_or(0.0);
        if let Some(latest) = moment.checked_sub(per_startup)
            && !self.to.is_empty()
            && self.kept > 0.0
        {
            let most =
                |end: usize| self.to.iter().map(|&to| brings[to][end]).fold(0.0, f64::max).min(self.room);
            // A message that ends at a moment ends after the one before: a step is what it may have gained.
            let fits = |end: usize| (latest + 1 - end) as f64 * step / self.time;
            let later = |end: usize| if self.is_link { self.gains[end] } else { 0.0 };
            while self.first <= latest && most(self.first) < fits(self.first) + later(self.first) {
                self.first += 1;
            }
            let first = self.first;
            if let Some(end) = first.checked_sub(1) {
                let later = if self.is_link { 0.0 } else { self.gains[end] };
                best = best.max(most(end) * self.kept + later - self.cost);
            }
            if self.is_link {
                best = best.max(if first <= latest { fits(first) + self.gains[first] } else { 0.0 });
            } else {
                best = best.max(self.fitting(latest, step) - self.cost);
            }
        }
        self.gains.push(best);
        best
    }

    /// The most that can be gained with a message of what there is time for, which ends at the latest then.
    fn fitting(&mut self, latest: usize, step: f64) -> f64 {
        let slope = if self.time > 0.0 { step / self.time * self.kept } else { 0.0 };
        let value = self.gains[latest] - latest as f64 * slope;
        while self.ends.back().is_some_and(|&(_, other)| other <= value) {
            self.ends.pop_back();
        }
        self.ends.push_back((latest, value));
        while self.ends.front().is_some_and(|&(end, _)| end < self.first) {
            self.ends.pop_front();
        }
        self.ends.front().map_or(0.0, |&(_, value)| value + (latest + 1) as f64 * slope)
    }
}
