//! Figures 2 and 3: both mappings of B(0) to B(6), edges coloured by phase, the root a square.

use super::{phase_class, phase_legend};
use crate::lo1990::literal::{self, Arc, MeshPlace};
use meshwright_report::svg::{Point, Px, Svg};

/// The trees drawn: B(0) to B(6).
const N: u32 = 6;

/// From one node to the next.
const PITCH: f64 = 36.0;

/// Between two meshes.
const GAP: f64 = 44.0;

/// The panels of a row stand at one height.
const ROWS: [&[u32]; 2] = [&[0, 1, 2, 3, 4], &[5, 6]];

/// Figure 2: M_R.
pub(super) fn reflecting() -> String {
    figure("The reflecting mapping", &literal::reflecting(N))
}

/// Figure 3: M_G.
pub(super) fn growing() -> String {
    figure("The growing mapping", &literal::growing(&literal::reflecting(N)))
}

fn figure(name: &str, mappings: &[Vec<MeshPlace>]) -> String {
    let mut svg = Svg::new(format!("{name} of B(0) to B({N}), edges coloured by phase, the root a square"));
    let (mut top, mut width) = (30.0, 0.0f64);
    for row in ROWS {
        let mut left = 30.0;
        let mut height = 0.0f64;
        for &n in row {
            let (rows, columns) = (1u32 << (n / 2), 1u32 << n.div_ceil(2));
            panel(&mut svg, Point::new(left, top), n, &mappings[n as usize]);
            let right = f64::from(columns - 1) * PITCH;
            svg.text(
                Point::new(left + right / 2.0, top + f64::from(rows - 1) * PITCH + 40.0),
                "panel mid",
                &format!("B({n})"),
            );
            left += right + GAP;
            height = height.max(f64::from(rows - 1) * PITCH);
        }
        width = width.max(left - GAP + 30.0);
        top += height + 76.0;
    }
    let legend = phase_legend(&mut svg, Point::new(12.0, top - 14.0), width - 24.0, N);
    svg.finish(width, top + legend)
}

/// One mesh with its tree; `corner` is the node in the north-west.
fn panel(svg: &mut Svg, corner: Point, n: u32, places: &[MeshPlace]) {
    let at = |(row, column): MeshPlace| corner.plus(f64::from(column) * PITCH, f64::from(row) * PITCH);
    let tree = literal::tree(n);
    for (label, arc) in tree.iter().enumerate() {
        if let Some(Arc { parent, phase }) = arc {
            let (from, to) = (places[*parent as usize], places[label]);
            let links = from.0.abs_diff(to.0) + from.1.abs_diff(to.1);
            let class = format!("edge {}", phase_class(*phase, N));
            let tip = format!("phase {phase}: task {parent} to task {label}, {links} links");
            let data = curve(at(from), at(to), links);
            svg.tipped("path", &[("d", &data), ("class", &class), ("stroke-width", &2.2)], &tip);
        }
    }
    for (label, &place) in places.iter().enumerate() {
        let centre = at(place);
        if label + 1 == places.len() {
            svg.tile(centre, 14.0, "root", &format!("root: task {label}"));
            continue;
        }
        svg.circle(centre, 4.5, "hub", Some(&format!("task {label}")));
    }
}

/// A straight line to a neighbour; to a node further off a bow on the right hand of the way, past the nodes between.
fn curve(from: Point, to: Point, links: u32) -> String {
    let bow = if links > 1 { 0.62 + 0.02 * f64::from(links) } else { 0.0 };
    let length = from.distance(to).max(1.0);
    let (x, y) = ((to.x - from.x) / length, (to.y - from.y) / length);
    let control = from.towards(to, 0.5).plus(-y * bow * PITCH, x * bow * PITCH);
    format!("M{} {}Q{} {} {} {}", Px(from.x), Px(from.y), Px(control.x), Px(control.y), Px(to.x), Px(to.y))
}
