//! The temperature of an annealing.

use rand::RngExt;
use rand_xoshiro::SplitMix64;

/// A temperature that falls evenly in its logarithm from step to step.
///
/// # Source
///
/// `kirkpatrick1983`.
pub(super) struct Annealing {
    points: f64,
    factor: f64,
}

impl Annealing {
    /// From one temperature to another in so many steps.
    pub(super) fn new(from: f64, to: f64, steps: u64) -> Self {
        let (from, to) = (from.max(1e-9), to.max(1e-12));
        Self { points: from, factor: libm::exp(libm::log(to / from) / steps.max(1) as f64) }
    }

    /// Whether to go from one number of points to another.
    pub(super) fn accepts(&mut self, before: f64, after: f64, rng: &mut SplitMix64) -> bool {
        self.points *= self.factor;
        if after <= before {
            return true;
        }
        let loss = (after - before) / self.points;
        loss < 30.0 && rng.random::<f64>() < libm::exp(-loss)
    }

    /// How far it has fallen: the temperature now.
    pub(super) fn now(&self) -> f64 {
        self.points
    }
}
