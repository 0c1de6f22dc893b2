//! Round marks along an axis, and numbers written short.

/// From 0, in steps of 1, 2 or 5 times a power of ten, at most eight.
pub(super) fn marks(greatest: f64) -> impl Iterator<Item = f64> + use<> {
    let power = power_of_ten(magnitude(greatest / 8.0));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| greatest / step <= 8.0).unwrap_or(greatest);
    (0..=(greatest / step) as u32).map(move |i| f64::from(i) * step)
}

/// Four significant digits, without what follows no more.
pub fn written(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return "0".to_string();
    }
    let decimals = (3 - magnitude(number)).clamp(0, 9) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// The exponent of the first digit, read from the decimal form: logarithms differ between machines.
fn magnitude(number: f64) -> i32 {
    let text = format!("{number:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten in decimal form")
}

#[cfg(test)]
mod tests {
    use super::{marks, written};

    #[test]
    fn axes_have_few_round_marks() {
        for greatest in [0.001, 0.0275, 0.11, 0.25, 1.1, 7.0, 99.0, 12_345.0] {
            let all: Vec<f64> = marks(greatest).collect();
            assert!((4..=9).contains(&all.len()), "{greatest}: {all:?}");
            assert!(all.iter().all(|&mark| mark <= greatest && written(mark).len() <= 6), "{all:?}");
        }
    }

    #[test]
    fn numbers_have_four_digits() {
        let shown = [0.0, 0.1, 0.123_45, 60.234, 1234.5, 0.25].map(written);
        assert_eq!(shown, ["0", "0.1", "0.1235", "60.23", "1234", "0.25"]);
    }
}
