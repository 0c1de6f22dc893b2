//! Figure 4: where the points of the proof of Lemma 3 are, and which lengths are equal.

use super::phase_class;
use crate::lo1990::reflecting::{ProofPoints, proof_points};
use meshwright_report::svg::{Point, Px, Svg};

/// The mapping drawn: M_R(B(8)) on 16 x 16 nodes.
const K: u32 = 4;

/// From one node to the next.
const PITCH: f64 = 34.0;

/// The node in the north-west.
const CORNER: Point = Point { x: 44.0, y: 40.0 };

/// The square of M_R(B(2k)) with its quadrants and diagonals, the points A to F and I, and the lengths between them.
pub(super) fn proof() -> String {
    let points = proof_points(K);
    let side = 1u32 << K;
    let mut svg = Svg::new("The lengths in the proof of Lemma 3, on the reflecting mapping of B(8)");
    draw_square(&mut svg, side);
    let [_, b, c, _, _, f] = points.columns;
    let row = points.row;
    // IF belongs to phase 1, CF to phase 2, BC to phase 4: the joint of two eighths.
    draw_joint(&mut svg, node(f, points.root_row), node(f, row), 1, "phase 1: the two halves B(7)");
    draw_joint(&mut svg, node(f, row), node(c, row), 2, "phase 2: the two quadrants B(6) of a half");
    draw_joint(&mut svg, node(c, row), node(b, row), 4, "phase 4: two B(4) of a quadrant");
    draw_lengths(&mut svg, &points);
    draw_points(&mut svg, &points);
    let bottom = CORNER.y + f64::from(side - 1) * PITCH;
    let width = CORNER.x + f64::from(side - 1) * PITCH + 40.0;
    svg.text(
        Point::new(CORNER.x - 14.0, bottom + 44.0),
        "note",
        "AB = CD = EF, so AE = BF, and CF = AE − BC: J(4) = 2³ − J(3) = 8 − 3 = 5; IF = CF",
    );
    svg.finish(width, bottom + 62.0)
}

fn node(column: u32, row: u32) -> Point {
    CORNER.plus(f64::from(column) * PITCH, f64::from(row) * PITCH)
}

fn draw_square(svg: &mut Svg, side: u32) {
    let last = side - 1;
    let middle = f64::from(last) / 2.0 * PITCH;
    let edge = f64::from(last) * PITCH + 18.0;
    svg.line(CORNER.plus(middle, -18.0), CORNER.plus(middle, edge), "ruler");
    svg.line(CORNER.plus(-18.0, middle), CORNER.plus(edge, middle), "ruler");
    svg.line(node(0, 0), node(last, last), "diagonal");
    svg.line(node(0, last), node(last, 0), "diagonal");
    for index in 0..side {
        svg.text(node(index, 0).plus(0.0, -24.0), "axis mid", &index.to_string());
        svg.text(node(0, index).plus(-24.0, 4.0), "axis end", &index.to_string());
        for row in 0..side {
            let at = node(index, row);
            svg.circle(at, 2.6, "node", None);
        }
    }
}

fn draw_joint(svg: &mut Svg, from: Point, to: Point, phase: u32, tip: &str) {
    let class = format!("joint {}", phase_class(phase, 2 * K));
    let data = format!("M{} {}L{} {}", Px(from.x), Px(from.y), Px(to.x), Px(to.y));
    svg.tipped("path", &[("d", &data), ("class", &class)], tip);
}

/// A line with ends beside two nodes, its words in the middle.
fn draw_span(svg: &mut Svg, from: Point, to: Point, words: &str) {
    let ends: Vec<String> = if from.y == to.y {
        [from, to].iter().map(|end| format!("M{} {}v8", Px(end.x), Px(end.y - 4.0))).collect()
    } else {
        [from, to].iter().map(|end| format!("M{} {}h8", Px(end.x - 4.0), Px(end.y))).collect()
    };
    let line = format!("M{} {}L{} {}", Px(from.x), Px(from.y), Px(to.x), Px(to.y));
    svg.leaf("path", &[("d", &(line + &ends.concat())), ("class", &"span")]);
    let middle = from.towards(to, 0.5);
    if from.y == to.y {
        svg.text(middle.plus(0.0, 4.0), "length mid", words);
    } else {
        svg.text(middle.plus(10.0, 4.0), "length", words);
    }
}

fn draw_lengths(svg: &mut Svg, points: &ProofPoints) {
    let [a, b, c, d, e, f] = points.columns;
    let row = points.row;
    let across = |svg: &mut Svg, from: u32, to: u32, line: f64, name: &str| {
        let at = |column| node(column, row).plus(0.0, line * PITCH);
        draw_span(svg, at(from), at(to), &format!("{name} = {}", to - from));
    };
    across(svg, a, e, -1.5, "AE");
    across(svg, b, f, -2.5, "BF");
    across(svg, a, b, 1.35, "AB");
    across(svg, b, c, 1.35, "BC");
    across(svg, c, d, 1.35, "CD");
    across(svg, e, f, 1.35, "EF");
    across(svg, c, f, 2.15, "CF");
    across(svg, a, d, 2.95, "AD");
    let right = |row: u32| node(f, row).plus(PITCH * 0.9, 0.0);
    draw_span(svg, right(row), right(points.root_row), &format!("IF = {}", points.root_row - row));
}

fn draw_points(svg: &mut Svg, points: &ProofPoints) {
    for (letter, &column) in ["A", "B", "C", "D", "E", "F"].into_iter().zip(&points.columns) {
        let at = node(column, points.row);
        svg.circle(at, 5.5, "hub", Some(&format!("{letter}: row {}, column {column}", points.row)));
        svg.text(at.plus(0.0, -11.0), "letter mid", letter);
    }
    let root = node(points.columns[5], points.root_row);
    svg.tile(
        root,
        15.0,
        "root",
        &format!("I, the root: row {}, column {}", points.root_row, points.columns[5]),
    );
    svg.text(root.plus(-12.0, 22.0), "letter end", "I");
}
