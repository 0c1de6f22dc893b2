//! Marks and dashes by which curves are told apart without their colours.

use super::{Attribute, Point, Px, Svg};

/// The dashes of a curve by its place among the others; the first is solid.
const DASHES: [&str; 6] = ["none", "9 5", "2 5", "12 4 2 4", "5 3", "12 4 2 4 2 4"];

/// How the curve in this place is dashed.
pub fn dashes(place: usize) -> &'static str {
    DASHES[place % DASHES.len()]
}

/// Draws the mark of the curve in this place: circle, square, triangle, diamond, or one of them upside down.
pub fn draw(svg: &mut Svg, place: usize, at: Point, class: &str, tip: Option<&str>) {
    let shape = match place % 6 {
        0 => return svg.circle(at, 4.0, class, tip),
        1 => "m-3.7 -3.7h7.4v7.4h-7.4z",
        2 => "m0 -5l4.9 8.6h-9.8z",
        3 => "m0 -5.2l5.2 5.2l-5.2 5.2l-5.2 -5.2z",
        4 => "m0 5l4.9 -8.6h-9.8z",
        _ => "m-5 -1.8h3.2v-3.2h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2z",
    };
    let data = format!("M{} {}{shape}", Px(at.x), Px(at.y));
    let attributes: [Attribute<'_>; 2] = [("d", &data), ("class", &class)];
    match tip {
        Some(tip) => svg.tipped("path", &attributes, tip),
        None => svg.leaf("path", &attributes),
    }
}
