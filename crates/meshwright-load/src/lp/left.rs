//! What can still be done with load that is sent when so much time is left.

use super::few::{COUNTS_MAX, hull};
use super::model::Model;
use meshwright_core::units::NodeId;

/// Moments that are told apart until the least end: on large machines, and on small ones.
const STEPS: [usize; 2] = [400, 1600];

/// How many moments of all wires together are enough.
const MOMENTS: usize = 64_000;

/// Ends up to so many times the least are looked at.
const ENDS: usize = 3;

/// So many lines above a curve over time.
const LINES_MAX: usize = 4;

/// For every time left, in steps, the most load that can be made use of.
///
/// ```text
/// C_e(x) = (x - b_v)+ / w_v + sum over links o out of v, not to u, of G_o(x)           for a link e = u -> v
/// G_e(n, x) = max over y of min(C_e(x'), y + G_e(n - 1, x')),   x' = x - l - z_e y
/// ```
///
/// C_e(x) is what a node can work off and send on of a message that it has when x is left; G_e(n, x) what n messages can bring
/// that begin with x left on their link: the first is there with x' left, and it and all later ones are used after that.
/// G_e(x) allows any number. Between two steps the greater value is taken, so nothing is too small.
pub(super) struct Left {
    step: f64,
    steps: usize,
    /// By wire, for 0 .. [`COUNTS_MAX`] messages and any number, by time left.
    sent: Vec<Vec<Vec<f64>>>,
    /// The same for what the node at the end works off itself.
    worked: Vec<Vec<Vec<f64>>>,
}

impl Left {
    /// For all times up to three times `least`; by node b, how long before the end it must be ready. None where start-ups are so
    /// short that there would be too many steps.
    pub(super) fn new(model: &Model<'_>, startup: f64, late: &[f64], least: f64) -> Option<Self> {
        // What comes after a message was found before.
        let many = (MOMENTS / model.wires.len().max(1)).clamp(STEPS[0], STEPS[1]);
        let steps = ((least / startup).ceil() as usize).max(many);
        if steps > STEPS[1] {
            return None;
        }
        let (step, steps) = (least / steps as f64, ENDS * steps);
        let none = vec![vec![0.0; steps + 1]; COUNTS_MAX + 2];
        let (mut sent, mut worked) = (vec![none.clone(); model.wires.len()], vec![none; model.wires.len()]);
        let mut can = vec![vec![0.0; steps + 1]; model.wires.len()];
        let returns = model.variant.memory.is_some();
        let works = |node: usize, time: f64| match time - late[node] {
            time if time > 0.0 => time / model.problem.work(NodeId(node as u32)),
            _ => 0.0,
        };
        let own: Vec<Vec<f64>> = (0..model.nodes())
            .map(|node| (0..=steps).map(|at| works(node, at as f64 * step)).collect())
            .collect();
        let mut turns = vec![[[0; 2]; COUNTS_MAX + 2]; model.wires.len()];
        for at in 0..=steps {
            for (index, wire) in model.wires.iter().enumerate() {
                let task = Task { step, startup, wire: wire.time, at };
                let to = wire.to.index();
                for count in 1..COUNTS_MAX + 2 {
                    let before = if count <= COUNTS_MAX { count - 1 } else { count };
                    let [of_sent, of_worked] = &mut turns[index][count];
                    sent[index][count][at] = task.most(&can[index], &sent[index][before], of_sent);
                    worked[index][count][at] = task.most(&own[to], &worked[index][before], of_worked);
                }
            }
            for (index, wire) in model.wires.iter().enumerate() {
                let to = wire.to.index();
                let on = model.leaving[to].iter().filter(|&&on| returns || model.wires[on].to != wire.from);
                can[index][at] = own[to][at] + on.map(|&on| sent[on][COUNTS_MAX + 1][at]).sum::<f64>();
            }
        }
        Some(Self { step, steps, sent, worked })
    }

    fn at(&self, left: f64) -> usize {
        ((left / self.step - 1e-9).ceil().max(0.0) as usize).min(self.steps)
    }

    /// Whether so much time is looked at.
    pub(super) fn reaches(&self, end: f64) -> bool {
        end <= self.steps as f64 * self.step
    }

    /// By number of messages, and then for any number, what can be sent over a wire.
    pub(super) fn sent(&self, wire: usize, left: f64) -> Vec<f64> {
        self.sent[wire].iter().map(|values| values[self.at(left)]).collect()
    }

    /// The same for what is worked off at its end.
    pub(super) fn worked(&self, wire: usize, left: f64) -> Vec<f64> {
        self.worked[wire].iter().map(|values| values[self.at(left)]).collect()
    }

    /// Lines above what any number of messages over a wire can bring, by the time left, up to `longest`.
    pub(super) fn sent_by_time(&self, wire: usize, longest: f64) -> Vec<(f64, f64)> {
        let values = self.sent[wire][COUNTS_MAX + 1][..=self.at(longest)].iter().enumerate().skip(1);
        // The value of a step is that of all times since the step before.
        let mut points: Vec<_> = values.map(|(at, &value)| ((at - 1) as f64 * self.step, value)).collect();
        if points.is_empty() {
            points.push((0.0, 0.0));
        }
        let mut lines = hull(&points);
        lines.truncate(LINES_MAX);
        lines
    }
}

/// A first message, and what comes after it.
struct Task {
    step: f64,
    startup: f64,
    wire: f64,
    at: usize,
}

impl Task {
    /// The most that it and later ones can bring; `turn` is kept from one step of the time left to the next.
    ///
    /// With more time left after it more can be used, and it and those after it bring no more: the lesser of the two is
    /// greatest where they cross. Between two steps it is no more than the greater of the two at either. The longer the
    /// time, the later they cross.
    ///
    /// # Complexity
    ///
    /// O(1) on average over all steps.
    fn most(&self, can: &[f64], later: &[f64], turn: &mut usize) -> f64 {
        let begun = self.at as f64 * self.step - self.startup;
        if begun < 0.0 {
            return 0.0;
        }
        let both = |at: usize| {
            let time = begun - at as f64 * self.step;
            let size = if time > 0.0 { time / self.wire } else { 0.0 };
            (can[at], size + later[at])
        };
        // The last step that is over before it begins.
        let last = (begun / self.step).ceil() as usize;
        let mut best = f64::INFINITY;
        for at in turn.saturating_sub(1)..=last {
            let (used, brought) = both(at);
            (best, *turn) = (best.min(used.max(brought)), at);
            if used >= brought {
                break;
            }
        }
        best
    }
}
