//! Colours in an order the eye reads as an order, for colour-blind eyes as well.
//!
//! Drawings name a step (`k0` to `k23`); the page's style gives each step its colour, once for light and once
//! for dark paper. Step 0 is the strongest on both: dark violet on white, yellow on black.

use std::fmt::Write;

/// How many colours there are.
pub const STEPS: usize = 24;

/// Viridis at ten even distances, from dark violet to yellow.
///
/// # Source
///
/// `viridis`: N. Smith, S. van der Walt, the default colour map of matplotlib (CC0), rounded to 8 bits.
const VIRIDIS: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// The part of the map that is legible on white: its yellow end is not.
const ON_LIGHT: (f64, f64) = (0.0, 0.80);

/// The part that is legible on black, strongest first: its violet end is not.
const ON_DARK: (f64, f64) = (1.0, 0.36);

/// The class of item `index` of `count`, the first one strongest.
pub fn class(index: usize, count: usize) -> String {
    format!("k{}", step(index, count))
}

/// The class of an amount, the greatest one strongest.
pub fn class_of_amount(amount: u64, greatest: u64) -> String {
    format!("k{}", level(amount, greatest))
}

/// The step of an amount: 0 for the greatest.
pub fn level(amount: u64, greatest: u64) -> usize {
    let share = amount.min(greatest) as f64 / greatest.max(1) as f64;
    ((1.0 - share) * (STEPS - 1) as f64).round() as usize
}

/// The step of item `index` of `count`, spread over the whole map.
pub fn step(index: usize, count: usize) -> usize {
    match count {
        0 | 1 => 0,
        _ => index.min(count - 1) * (STEPS - 1) / (count - 1),
    }
}

/// The variables that give each step its colour, for light and for dark paper.
pub fn css() -> String {
    let mut css = format!(":root{{{}}}", variables(ON_LIGHT));
    write!(css, "@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}", variables(ON_DARK))
        .expect("writing to a string cannot fail");
    for step in 0..STEPS {
        write!(css, ".k{step}{{--k:var(--v{step})}}").expect("writing to a string cannot fail");
    }
    css
}

/// The colours for light paper, step by step.
pub fn light() -> impl Iterator<Item = String> {
    colours(ON_LIGHT)
}

fn variables(part: (f64, f64)) -> String {
    colours(part).enumerate().map(|(step, colour)| format!("--v{step}:{colour};")).collect()
}

fn colours((first, last): (f64, f64)) -> impl Iterator<Item = String> {
    (0..STEPS).map(move |step| {
        let [red, green, blue] = colour(first + (last - first) * step as f64 / (STEPS - 1) as f64);
        format!("#{red:02x}{green:02x}{blue:02x}")
    })
}

/// The map at a position from 0 to 1, interpolated between its anchors.
fn colour(position: f64) -> [u8; 3] {
    let scaled = position.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (scaled as usize).min(VIRIDIS.len() - 2);
    let share = scaled - low as f64;
    std::array::from_fn(|channel| {
        let (a, b) = (f64::from(VIRIDIS[low][channel]), f64::from(VIRIDIS[low + 1][channel]));
        (a + (b - a) * share).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::{STEPS, colour, level, step};

    #[test]
    fn the_ends_of_the_map_are_its_anchors() {
        assert_eq!(colour(0.0), [0x44, 0x01, 0x54]);
        assert_eq!(colour(1.0), [0xfd, 0xe7, 0x25]);
    }

    #[test]
    fn every_count_and_amount_has_a_step() {
        for count in [0, 1, 2, 24, 228] {
            assert!((0..count.max(1)).all(|index| step(index, count) < STEPS));
        }
        assert_eq!((step(0, 228), step(227, 228)), (0, STEPS - 1));
        assert_eq!((level(7, 7), level(0, 7), level(0, 0)), (0, STEPS - 1, STEPS - 1));
    }
}
