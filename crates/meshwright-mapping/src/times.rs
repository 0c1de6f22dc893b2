//! Communication times and slowdown of a placed computation, in the paper's units.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | T(E_C), small volume | [`Times::small`] | start-ups (c = 1) |
//! | T(E_C), large volume | [`Times::large`] | volumes of the root (b = 1) |
//! | S(M) | [`Times::over`] | ratio |
//!
//! The paper gives formulas for placements without contention. Here is the general form, in which a
//! message takes the time of the busiest link on its way; without contention both are the same.

use serde::Serialize;

use super::metrics::PhaseMetrics;
use meshwright_network::topology::Switching;

/// One figure for each regime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// Start-up dominates: in units of c.
    pub small: f64,
    /// Volume dominates: in units of b times the volume of the root (bytes, for a trace).
    pub large: f64,
    /// All terms kept, on this machine: in cycles. Exact without contention, a prediction with it.
    pub exact: f64,
    /// As `large`, as if no two messages met (the paper's formula).
    pub large_contention_free: f64,
    /// As `large`, each message waiting for all it meets: definition 7 made a time, W(E_i) + C_w(E_i) under wormhole
    /// and D_w(E_i) + C_w(E_i) under store-and-forward. Not an upper bound: who is waited for may wait, too.
    pub large_path_level: f64,
}

/// The times of a placed computation, phase by phase the slowest message.
///
/// ```text
///                     small              large                        exact
/// wormhole            1                  max load over links          c + b (load + d h)
/// store-and-forward   max(d, messages)   max(d, messages) W           max(d, messages) (c + b W)
/// ```
///
/// The second line is for messages of one size; of different sizes, `large` is the greater of the most bytes times
/// links of a message and the most bytes on a link. Under store-and-forward it is then a lower bound of the time
/// on these routes, in the limit in which volume dominates.
///
/// `scale[i]` turns bytes of phase i into the unit of `large`; `exact` is the link-level prediction. Only `exact`
/// knows of single ports.
///
/// # Source
///
/// `lo1990`, definition 8, eqs. (4), (7), (8); the terms for contention are ours.
pub fn times(switching: Switching, phases: &[PhaseMetrics], scale: &[f64], exact: f64) -> Times {
    let mut times = Times { exact, ..Times::default() };
    for (phase, scale) in phases.iter().zip(scale) {
        let repeats = f64::from(phase.repeats);
        // All its repetitions together.
        let scale = scale * repeats;
        let heaviest = phase.heaviest.0 as f64 * scale;
        let met = phase.weighted_contention as f64 * scale;
        match switching {
            Switching::Wormhole | Switching::CutThrough => {
                times.small += repeats;
                times.large += (phase.link_bytes as f64 * scale).max(heaviest);
                times.large_contention_free += heaviest;
                times.large_path_level += heaviest + met;
            }
            Switching::StoreAndForward => {
                let far = phase.weighted_dilation as f64 * scale;
                times.small += repeats * f64::from(phase.dilation.0.max(phase.link_load));
                times.large += far.max(phase.link_bytes as f64 * scale);
                times.large_contention_free += far;
                times.large_path_level += far + met;
            }
        }
    }
    times
}

impl Times {
    /// Every figure divided by its counterpart: communication slowdown when `other` is the perfect mapping.
    ///
    /// Nothing over nothing is 1: a job that sends nothing is not slowed down.
    ///
    /// # Source
    ///
    /// `lo1990`, definition 10.
    pub fn over(&self, other: &Self) -> Self {
        let ratio = |a: f64, b: f64| if a == b { 1.0 } else { a / b };
        Self {
            small: ratio(self.small, other.small),
            large: ratio(self.large, other.large),
            exact: ratio(self.exact, other.exact),
            large_contention_free: ratio(self.large_contention_free, other.large_contention_free),
            large_path_level: ratio(self.large_path_level, other.large_path_level),
        }
    }

    /// Figures that do not depend on contention: the same in every reading of the large-volume case.
    pub fn without_contention(small: f64, large: f64, exact: f64) -> Self {
        Self { small, large, exact, large_contention_free: large, large_path_level: large }
    }
}
