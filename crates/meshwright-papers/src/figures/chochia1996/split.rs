//! Figure 6: a split with its functions.

use crate::chochia1996::definition::evaluate;
use meshwright_groups::rank_halving::place;
use meshwright_groups::rank_split::functions::{Functions, PerState};
use meshwright_report::svg::{Point, Svg, hues};

const SIZE: u32 = 10;
const COLUMN: f64 = 84.0;
const LEVEL: f64 = 122.0;

/// A pair of values as the paper writes them.
fn pair(values: PerState) -> String {
    format!("{}, {}", values[0], values[1])
}

/// The same, where minus infinity is a star.
fn maxima(values: [Option<u32>; 2]) -> String {
    let word = |value: Option<u32>| value.map_or("*".to_string(), |rank| rank.to_string());
    format!("{}, {}", word(values[0]), word(values[1]))
}

/// The tree of these ranks of the first group, at the columns given; words below each vertex.
fn draw(
    svg: &mut Svg,
    top: f64,
    level: f64,
    members: &[u32],
    state: impl Fn(u32) -> u8,
    words: impl Fn(u32) -> Vec<String>,
) {
    let size = members.len() as u32;
    let at = |rank: u32| {
        let column = f64::from(members[rank as usize]);
        Point::new(56.0 + column * COLUMN, top + f64::from(place(rank, size).depth) * level)
    };
    for rank in 0..size {
        if let Some(parent) = place(rank, size).parent {
            svg.line(at(parent), at(rank), "frame");
        }
    }
    for rank in 0..size {
        let (old, centre) = (members[rank as usize], at(rank));
        let class = format!("cell {}", hues::class(usize::from(state(old)), 3));
        svg.circle(centre, 15.0, &class, Some(&format!("rank {rank}, state {}", state(old))));
        let word = if size == SIZE { rank.to_string() } else { format!("{rank} ({old})") };
        svg.text(centre.plus(0.0, 4.0), "label mid", &word);
        for (i, line) in words(rank).iter().enumerate() {
            svg.text(centre.plus(0.0, 29.0 + 13.0 * i as f64), "note mid halo", line);
        }
    }
}

/// What a vertex knows, line by line.
fn known(own: &Functions) -> Vec<String> {
    vec![
        format!("fL {}", pair(own.left)),
        format!("fR {}", pair(own.right)),
        format!("b {}", pair(own.before)),
        format!("mL {}", maxima(own.max_left)),
        format!("mR {}", maxima(own.max_right)),
    ]
}

/// Figure 6.
pub(super) fn example() -> String {
    let states: Vec<u8> = (0..SIZE).map(|rank| u8::from(rank % 2 == 0)).collect();
    let functions = evaluate(&states);
    let mut svg = Svg::new("A group of ten with its functions, and the two groups it splits into");
    let state = |old: u32| states[old as usize];
    let all: Vec<u32> = (0..SIZE).collect();
    svg.text(Point::new(12.0, 24.0), "panel", "a: before the split");
    draw(&mut svg, 44.0, LEVEL, &all, state, |rank| known(&functions[rank as usize]));
    let below = 44.0 + 4.0 * LEVEL + 6.0;
    for (x, letter) in [(0u8, "b"), (1, "c")] {
        let members: Vec<u32> = all.iter().copied().filter(|&old| state(old) == x).collect();
        let top = below + f64::from(x) * 196.0;
        let total = members.len();
        svg.text(Point::new(12.0, top), "panel", &format!("{letter}: state {x}, t = {total}"));
        draw(&mut svg, top + 22.0, 58.0, &members, state, |_| Vec::new());
    }
    svg.finish(56.0 + f64::from(SIZE) * COLUMN, below + 2.0 * 196.0)
}
