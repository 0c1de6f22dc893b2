//! What happens where a time falls below its proven bound.

use std::fmt::Display;

use meshwright_core::error::{Contradiction, Error, Result};

/// Lets through what is no faster than its bound; both times have the unit.
///
/// # Errors
///
/// [`Error::Contradiction`] with both numbers and the seed: one of them is wrong, so no verdict can rest on them. What
/// stands beside is not concerned.
pub(crate) fn not_below<T: PartialOrd + Display>(
    bound: T,
    time: T,
    unit: &str,
    what: &str,
    seed: Option<u64>,
) -> Result<()> {
    if time >= bound {
        return Ok(());
    }
    let [time, bound] = [time, bound].map(|value| format!("{value} {unit}"));
    Err(Error::Contradiction(Box::new(Contradiction { what: what.to_string(), time, bound, seed })))
}

#[cfg(test)]
mod tests {
    use super::not_below;

    /// R1: both numbers and the seed are told; what is not ordered (no number) is no proof either.
    #[test]
    fn what_is_faster_than_its_bound_is_told_with_both_numbers() {
        assert!(not_below(4, 4, "cycles", "mask", Some(7)).is_ok());
        let told = not_below(4, 3, "cycles", "mask", Some(7)).unwrap_err().to_string();
        let expected = "mask takes 3 cycles, and a proof says that nothing takes less than 4 cycles: one of the two \
                        is wrong (seed 7)";
        assert_eq!(told, expected);
        assert!(not_below(1.0, f64::NAN, "units", "optimum", None).is_err());
    }
}
