//! The fit: coordinate descent with ever smaller factors, no randomness.

use super::constants::{Constants, FITTED};
use super::data::Row;
use super::steps::Steps;

/// The first factor by which a constant is changed, and the one at which the search ends.
const FACTORS: (f64, f64) = (1.3, 1.001);

/// Errors of fewer logarithmic units than this count by their square.
const SMALL: f64 = 0.1;

/// How badly constants explain measured times: errors of logarithms, small ones squared, so that no row outweighs the rest.
pub(crate) fn loss(rows: &[&Row], steps: &Steps, constants: &Constants) -> f64 {
    let of = |row: &&Row| {
        let error = libm::log(row.law?.time(row.bytes, steps, constants) / row.measured).abs();
        Some(if error > SMALL { error } else { error * error / (2.0 * SMALL) + SMALL / 2.0 })
    };
    rows.iter().filter_map(of).sum()
}

/// The constants with the least loss that single changes by a factor lead to.
pub(crate) fn fit(rows: &[&Row], steps: &Steps) -> Constants {
    let mut best = Constants::default();
    let mut least = loss(rows, steps, &best);
    let mut factor = FACTORS.0;
    while factor > FACTORS.1 {
        let mut moved = false;
        for constant in 0..FITTED {
            for by in [factor, 1.0 / factor] {
                let mut other = best;
                other.0[constant] *= by;
                let loss = loss(rows, steps, &other);
                if loss < least - 1e-9 {
                    (best, least, moved) = (other, loss, true);
                }
            }
        }
        if !moved {
            factor = factor.sqrt();
        }
    }
    best
}
