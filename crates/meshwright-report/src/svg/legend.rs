//! Legends: the meaning of colours and widths, below a drawing.

use super::palette::{self, STEPS};
use super::{Point, Px, Svg};
use crate::wording::{counted, link};
use meshwright_core::units::NodeId;
use meshwright_core::words::grouped;
use meshwright_network::topology::Machine;
use meshwright_verdict::LinkUse;

/// One colour and width with its words.
pub struct LegendEntry {
    pub class: String,
    pub stroke: f64,
    pub text: String,
}

/// Draws entries in columns and returns the height they take.
pub fn list(svg: &mut Svg, at: Point, width: f64, entries: &[LegendEntry]) -> f64 {
    let longest = entries.iter().map(|entry| entry.text.chars().count()).max().unwrap_or(0);
    let column = longest as f64 * 6.4 + 46.0;
    let columns = ((width / column) as usize).max(1);
    let rows = entries.len().div_ceil(columns);
    for (i, entry) in entries.iter().enumerate() {
        // Down the columns, as one reads a list.
        let (x, y) = ((i / rows) as f64 * column, (i % rows) as f64 * 18.0 + 9.0);
        let class = format!("edge {}", entry.class);
        svg.leaf(
            "path",
            &[
                ("d", &format!("M{} {}h22", Px(at.x + x), Px(at.y + y))),
                ("class", &class),
                ("stroke-width", &Px(entry.stroke.max(1.5))),
            ],
        );
        svg.text(at.plus(x + 29.0, y + 4.0), "note", &entry.text);
    }
    rows as f64 * 18.0
}

/// Which end of a bar is the strong one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strong {
    First,
    Last,
}

/// Draws the whole palette as a bar with words at both ends; returns the height.
pub fn bar(svg: &mut Svg, at: Point, strong: Strong, ends: [&str; 2]) -> f64 {
    let step = 8.0;
    let left = ends[0].chars().count() as f64 * 7.6 + 6.0;
    svg.text(at.plus(left - 6.0, 13.0), "note end", ends[0]);
    for i in 0..STEPS {
        let index = if strong == Strong::First { i } else { STEPS - 1 - i };
        let class = format!("fill {}", palette::class(index, STEPS));
        let x = at.x + left + i as f64 * step;
        svg.rectangle(Point::new(x, at.y + 3.0), (8.5, 12.0), &class, None);
    }
    let end = left + STEPS as f64 * step + 8.0;
    svg.text(at.plus(end, 13.0), "note", ends[1]);
    20.0
}

/// A ring around a place of a drawing.
pub fn ring(svg: &mut Svg, at: Point, radius: f64) {
    svg.circle(at, radius, "ring", None);
}

/// Says what the ring in the drawing stands for and how many links are as busy; returns the height.
pub fn hottest(svg: &mut Svg, machine: &Machine, hottest: &LinkUse, link_busy: &[u64], at: Point) -> f64 {
    let ends = link(machine, NodeId(hottest.from), NodeId(hottest.to));
    ring(svg, at.plus(7.0, 9.0), 6.0);
    let (busy, messages) = (counted(hottest.busy_cycles, "cycle"), counted(hottest.messages, "message"));
    let mut words = format!("busiest link {ends}: {busy} in {messages}");
    match link_busy.iter().filter(|&&busy| busy == hottest.busy_cycles).count() {
        0 | 1 => {}
        2 => words.push_str("; one other is as busy"),
        equals => words.push_str(&format!("; {} others are as busy", grouped(equals as u64 - 1))),
    }
    svg.text(at.plus(20.0, 13.0), "note", &words);
    20.0
}
