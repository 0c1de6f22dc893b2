//! Round marks along an axis.

use meshwright_core::words::magnitude;

/// From 0, in steps of 1, 2 or 5 times a power of ten, at most eight.
pub(super) fn marks(greatest: f64) -> impl Iterator<Item = f64> + use<> {
    let power = power_of_ten(magnitude(greatest / 8.0));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| greatest / step <= 8.0).unwrap_or(greatest);
    (0..=(greatest / step) as u32).map(move |i| f64::from(i) * step)
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten in decimal form")
}

#[cfg(test)]
mod tests {
    use super::marks;
    use meshwright_core::words::short;

    #[test]
    fn axes_have_few_round_marks() {
        for greatest in [0.001, 0.0275, 0.11, 0.25, 1.1, 7.0, 99.0, 12_345.0] {
            let all: Vec<f64> = marks(greatest).collect();
            assert!((4..=9).contains(&all.len()), "{greatest}: {all:?}");
            assert!(all.iter().all(|&mark| mark <= greatest && short(mark).len() <= 6), "{all:?}");
        }
    }
}
