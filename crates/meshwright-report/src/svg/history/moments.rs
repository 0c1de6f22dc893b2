//! The machine at some moments: every node in the colour of its group.

use super::super::path::Path;
use super::super::{Point, Svg};
use crate::wording::counted;
use meshwright_core::units::Cycles;
use meshwright_core::words::grouped;
use meshwright_groups::history::{Doing, History};
use meshwright_network::topology::{Machine, Topology};

/// A side longer than this is not drawn node by node.
const SIDE_MAX: u32 = 128;

/// Panels stand in rows of four.
const ABREAST: usize = 4;

/// The longer side of a panel aims at this.
const PANEL: f64 = 186.0;
const GAP: f64 = 24.0;
const MARGIN: f64 = 12.0;

/// The words above a panel.
const HEADING: f64 = 40.0;

/// So many moments, evenly spread over a run.
pub fn spread(history: &History, count: u64) -> Vec<Cycles> {
    (0..count)
        .map(|i| Cycles((history.end().0 as u128 * (2 * u128::from(i) + 1) / (2 * u128::from(count))) as u64))
        .collect()
}

/// A panel for each of these moments; none for a machine that is no plane or too large.
pub fn draw(machine: &Machine, history: &History, unit: &str, times: &[Cycles]) -> Option<String> {
    let (rows, columns) = match *machine.sides() {
        [rows, columns] => (rows, columns),
        [columns] => (1, columns),
        _ => return None,
    };
    if rows.max(columns) > SIDE_MAX || machine.nodes() != rows * columns {
        return None;
    }
    let pitch = (PANEL / f64::from(rows.max(columns))).floor().clamp(1.0, 40.0);
    let (across, down) = (f64::from(columns) * pitch, f64::from(rows) * pitch);
    let colours = super::colours(history);
    let mut svg = Svg::new(format!("{} at {}", machine.name(), counted(times.len() as u64, "moment")));
    // The words above a panel need their room also above a small machine.
    let step = (across.max(130.0) + GAP, down + HEADING);
    for (index, &time) in times.iter().enumerate() {
        let place = (index % ABREAST, index / ABREAST);
        let corner = Point::new(MARGIN + place.0 as f64 * step.0, HEADING + place.1 as f64 * step.1);
        let present = present(history, time);
        draw_heading(&mut svg, corner, history, &present, &format!("after {} {unit}", grouped(time.0)));
        draw_panel(&mut svg, corner, history, &present, &colours, (columns, pitch));
    }
    let abreast = times.len().min(ABREAST) as f64;
    let stacked = times.len().div_ceil(ABREAST) as f64;
    Some(svg.finish(2.0 * MARGIN + abreast * step.0 - GAP, stacked * step.1 + MARGIN))
}

/// What one node shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    group: u32,
    waits: bool,
    node: u32,
}

/// What all nodes that take part show, those that show the same one after the other.
fn present(history: &History, time: Cycles) -> Vec<Shown> {
    let groups = history.at(time);
    let of = |(member, group): (u32, u32)| {
        let span = history.spans(member).iter().find(|span| span.end > time);
        let waits = span.is_none_or(|span| span.doing == Doing::Wait);
        Shown { group, waits, node: history.members()[member as usize].0 }
    };
    let mut all: Vec<Shown> = (0..).zip(groups).map(of).collect();
    all.sort_unstable();
    all
}

fn draw_heading(svg: &mut Svg, corner: Point, history: &History, present: &[Shown], when: &str) {
    let groups = || present.chunk_by(|a, b| a.group == b.group);
    let alone = groups().filter(|same| history.groups()[same[0].group as usize].members.len() == 1).count();
    let mut words = counted(groups().count() as u64, "group");
    if alone > 0 {
        words += &format!(", {alone} alone");
    }
    svg.text(corner.plus(0.0, -20.0), "label", when);
    svg.text(corner.plus(0.0, -7.0), "axis", &words);
}

fn draw_panel(
    svg: &mut Svg,
    corner: Point,
    history: &History,
    present: &[Shown],
    colours: &[String],
    (columns, pitch): (u32, f64),
) {
    let side = pitch - if pitch >= 6.0 { 1.0 } else { 0.0 };
    for same in present.chunk_by(|a, b| (a.group, a.waits) == (b.group, b.waits)) {
        let mut path = Path::default();
        for &Shown { node, .. } in same {
            let (x, y) = (f64::from(node % columns) * pitch, f64::from(node / columns) * pitch);
            path.square(corner.plus(x, y), side);
        }
        let Shown { group, waits, .. } = same[0];
        let class = format!("fill {}{}", colours[group as usize], if waits { " waits" } else { "" });
        let life = &history.groups()[group as usize];
        let tip = format!("level {}: {}", life.level, counted(life.members.len() as u64, "member"));
        svg.tipped("path", &[("d", &path.data()), ("class", &class)], &tip);
    }
}
