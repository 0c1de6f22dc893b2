//! Colours without an order: each source or curve has a hue, and a hue has shades.
//!
//! Drawings name a colour (`c0` to `c47`): hue times [`SHADES`] plus shade. Shade 0 is the strongest; the last one is
//! near the paper, white or black.

use std::fmt::Write;

/// How many hues there are.
pub const HUES: usize = 8;

/// How many shades a hue has.
pub const SHADES: usize = 6;

/// Hues that colour-blind eyes tell apart, for light paper: blue, orange, green, purple, vermilion, sky, olive, indigo.
///
/// # Source
///
/// `okabe2008` for the first six, olive and indigo added.
const ON_LIGHT: [[u8; 3]; HUES] = [
    [0x00, 0x72, 0xb2],
    [0xe6, 0x9f, 0x00],
    [0x00, 0x8f, 0x68],
    [0xc0, 0x62, 0x98],
    [0xd5, 0x5e, 0x00],
    [0x44, 0xa8, 0xe0],
    [0x86, 0x86, 0x25],
    [0x4b, 0x3a, 0x9e],
];

/// The same hues for dark paper.
const ON_DARK: [[u8; 3]; HUES] = [
    [0x3a, 0x9b, 0xdc],
    [0xf0, 0xb4, 0x3c],
    [0x2f, 0xbf, 0x94],
    [0xdd, 0x8c, 0xbd],
    [0xf2, 0x86, 0x3c],
    [0x8f, 0xd0, 0xf7],
    [0xb9, 0xb9, 0x52],
    [0x98, 0x8a, 0xec],
];

/// The papers the shades fade into.
const PAPERS: [[u8; 3]; 2] = [[0xff, 0xff, 0xff], [0x19, 0x1d, 0x22]];

/// How much of the hue is left in the last shade.
const FAINTEST: f64 = 0.3;

/// The class of a hue in a shade; both are cut to those there are.
pub fn class(hue: usize, shade: usize) -> String {
    format!("c{}", hue % HUES * SHADES + shade.min(SHADES - 1))
}

/// The shade of a depth, evenly spread over the depths there are.
pub fn shade(depth: u32, deepest: u32) -> usize {
    (u64::from(depth.min(deepest)) * (SHADES as u64 - 1)).div_ceil(u64::from(deepest.max(1))) as usize
}

/// The variables that give each colour its value, for light and for dark paper.
pub fn css() -> String {
    let variables = |colours: Vec<String>| -> String {
        colours.iter().enumerate().map(|(i, colour)| format!("--c{i}:{colour};")).collect()
    };
    let mut css = format!(":root{{{}}}", variables(light()));
    let dark = variables(colours(&ON_DARK, PAPERS[1]));
    write!(css, "@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}")
        .expect("writing to a string cannot fail");
    for i in 0..HUES * SHADES {
        write!(css, ".c{i}{{--c:var(--c{i})}}").expect("writing to a string cannot fail");
    }
    css
}

/// The colours for light paper, in the order of their classes.
pub fn light() -> Vec<String> {
    colours(&ON_LIGHT, PAPERS[0])
}

fn colours(hues: &[[u8; 3]; HUES], paper: [u8; 3]) -> Vec<String> {
    let shaded = |hue: &[u8; 3], shade: usize| {
        let share = 1.0 - (1.0 - FAINTEST) * shade as f64 / (SHADES - 1) as f64;
        let [red, green, blue] = std::array::from_fn(|i| {
            (f64::from(hue[i]) * share + f64::from(paper[i]) * (1.0 - share)).round() as u8
        });
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    hues.iter().flat_map(|hue| (0..SHADES).map(move |shade| shaded(hue, shade))).collect()
}

/// A hue for each of `count` areas, such that neighbours differ where eight hues are enough for that.
///
/// As long as there is a hue for each, area i has hue i. Beyond that each area takes, in order, the hue that no
/// neighbour has and fewest others have.
///
/// # Complexity
///
/// O(count + pairs) time and memory.
pub fn assign(count: usize, neighbours: &[(u32, u32)]) -> Vec<u8> {
    if count <= HUES {
        return (0..count as u8).collect();
    }
    let mut beside = vec![Vec::new(); count];
    for &(a, b) in neighbours {
        beside[a as usize].push(b);
        beside[b as usize].push(a);
    }
    const NONE: u8 = u8::MAX;
    let (mut hues, mut used) = (vec![NONE; count], [0u32; HUES]);
    for area in smallest_last(&beside) {
        let mut taken = [0u32; HUES];
        beside[area].iter().filter(|&&other| hues[other as usize] != NONE).for_each(|&other| {
            taken[usize::from(hues[other as usize])] += 1;
        });
        let best = (0..HUES).min_by_key(|&hue| (taken[hue], used[hue], hue)).expect("there are hues");
        hues[area] = best as u8;
        used[best] += 1;
    }
    hues
}

/// The areas so that each has few neighbours before it: at most five on a plane.
fn smallest_last(beside: &[Vec<u32>]) -> Vec<usize> {
    let mut degree: Vec<usize> = beside.iter().map(Vec::len).collect();
    let most = degree.iter().copied().max().unwrap_or(0);
    let mut buckets = vec![Vec::new(); most + 1];
    (0..beside.len()).rev().for_each(|area| buckets[degree[area]].push(area));
    let (mut order, mut out) = (Vec::with_capacity(beside.len()), vec![false; beside.len()]);
    let mut lowest = 0;
    while order.len() < beside.len() {
        let Some(area) = buckets[lowest].pop() else {
            lowest += 1;
            continue;
        };
        if out[area] || degree[area] != lowest {
            continue;
        }
        out[area] = true;
        order.push(area);
        for &other in beside[area].iter().filter(|&&other| !out[other as usize]) {
            degree[other as usize] -= 1;
            buckets[degree[other as usize]].push(other as usize);
            lowest = lowest.min(degree[other as usize]);
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::{HUES, SHADES, assign, css, shade};

    #[test]
    fn neighbours_on_a_plane_differ() {
        // A triangulated sheet of 30 x 30 areas: every inner one has six neighbours.
        let side = 30u32;
        let mut pairs = vec![];
        for i in 0..side * side {
            let (row, column) = (i / side, i % side);
            if column + 1 < side {
                pairs.push((i, i + 1));
            }
            if row + 1 < side {
                pairs.push((i, i + side));
                if column + 1 < side {
                    pairs.push((i, i + side + 1));
                }
            }
        }
        let hues = assign((side * side) as usize, &pairs);
        assert!(pairs.iter().all(|&(a, b)| hues[a as usize] != hues[b as usize]));
        assert!((0..HUES as u8).all(|hue| hues.contains(&hue)), "all hues are used");
        assert_eq!(assign(3, &[(0, 1)]), [0, 1, 2]);
        // More mutual neighbours than hues: each has one all the same.
        let all: Vec<(u32, u32)> = (0..12).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
        assert!(assign(12, &all).iter().all(|&hue| usize::from(hue) < HUES));
    }

    #[test]
    fn shades_fade_with_the_depth() {
        assert_eq!((shade(0, 9), shade(9, 9), shade(0, 0), shade(7, 0)), (0, SHADES - 1, 0, 0));
        assert!((0..9).all(|depth| shade(depth, 9) <= shade(depth + 1, 9)));
        assert!(css().contains("--c0:#0072b2;") && css().contains(".c47{--c:var(--c47)}"));
    }
}
