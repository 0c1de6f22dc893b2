//! Figure 1: the binomial trees with their labels, edges coloured by phase.

use super::{phase_class, phase_legend};
use crate::lo1990::literal::{self, Arc};
use meshwright_report::svg::{Point, Px, Svg};

/// The trees drawn: B(0) to B(4).
const N: u32 = 4;

/// From one leaf to the next, and from one level to the next.
const PITCH: Point = Point { x: 42.0, y: 62.0 };

/// Between two trees.
const GAP: f64 = 34.0;

/// B(0) to B(4) side by side, larger children to the left.
pub(super) fn trees() -> String {
    let mut svg = Svg::new("The binomial trees B(0) to B(4), tasks in postorder, edges coloured by phase");
    let mut left = 24.0;
    let bottom = 34.0 + f64::from(N) * PITCH.y;
    for n in 0..=N {
        let tree = literal::tree(n);
        let places = places(&tree);
        let at = |label: usize| {
            Point::new(left + places[label].0 * PITCH.x, 34.0 + f64::from(places[label].1) * PITCH.y)
        };
        for (label, arc) in tree.iter().enumerate() {
            if let Some(Arc { parent, phase }) = arc {
                draw_edge(&mut svg, at(*parent as usize), at(label), *phase);
            }
        }
        for label in 0..tree.len() {
            draw_task(&mut svg, at(label), label, label + 1 == tree.len());
        }
        let columns = places.iter().fold(0.0, |most, place| place.0.max(most));
        svg.text(
            Point::new(left + columns * PITCH.x / 2.0, 34.0 + f64::from(n) * PITCH.y + 42.0),
            "panel mid",
            &format!("B({n})"),
        );
        left += columns * PITCH.x + PITCH.x / 2.0 + GAP;
    }
    let width = left - GAP + 4.0;
    let legend = phase_legend(&mut svg, Point::new(12.0, bottom + 66.0), width, N);
    svg.finish(width, bottom + 74.0 + legend)
}

/// Column and level of each task: a leaf has a column of its own, a parent that of its smallest child.
fn places(tree: &[Option<Arc>]) -> Vec<(f64, u32)> {
    let mut places = vec![(0.0, 0); tree.len()];
    let mut leaves = 0.0;
    for label in 0..tree.len() {
        // In postorder the smallest child comes right before its parent; a task with an even label is a leaf.
        if label % 2 == 0 {
            places[label].0 = leaves;
            leaves += 1.0;
        } else {
            places[label].0 = places[label - 1].0;
        }
    }
    for label in (0..tree.len()).rev() {
        if let Some(arc) = tree[label] {
            places[label].1 = places[arc.parent as usize].1 + 1;
        }
    }
    places
}

fn draw_edge(svg: &mut Svg, from: Point, to: Point, phase: u32) {
    let class = format!("edge {}", phase_class(phase, N));
    let data = format!("M{} {}L{} {}", Px(from.x), Px(from.y), Px(to.x), Px(to.y));
    svg.tipped("path", &[("d", &data), ("class", &class), ("stroke-width", &2.6)], &format!("phase {phase}"));
}

fn draw_task(svg: &mut Svg, at: Point, label: usize, root: bool) {
    if root {
        svg.tile(at, 26.0, "root", &format!("root: task {label}"));
    } else {
        svg.circle(at, 13.0, "tile", Some(&format!("task {label}")));
    }
    svg.text(at.plus(0.0, 4.0), "label mid", &label.to_string());
}
