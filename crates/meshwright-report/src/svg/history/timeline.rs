//! Time across, members down, every group a block in its colour, faded where members wait.

use super::super::axes::marks;
use super::super::path::Path;
use super::super::{Attribute, Point, Svg};
use super::raster::{Area, Raster};
use crate::wording::counted;
use meshwright_core::words::grouped;
use meshwright_core::words::short;
use meshwright_groups::history::{History, Life};

/// More members than this do not stand below each other; as many are taken, evenly.
const ROWS_MAX: usize = 480;

/// More groups than this are not told apart by pointing at them.
const TIPS_MAX: usize = 2000;

const LEFT: f64 = 58.0;
const WIDTH: f64 = 800.0;
const TOP: f64 = 44.0;

/// The room that a number needs.
const LABEL: Point = Point { x: 26.0, y: 14.0 };

/// How high the curve of the number of groups is, and the room above it.
const CURVE: f64 = 64.0;
const GAP: f64 = 42.0;

/// How the members are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberOrder {
    /// By rank in the first group.
    Ranks,
    /// So that groups stand together.
    Groups,
}

/// What is drawn.
#[derive(Clone, Copy)]
pub struct TimelineView<'a> {
    pub history: &'a History,
    /// The unit of time.
    pub unit: &'a str,
    pub rows: MemberOrder,
}

/// The frame of the blocks on paper.
struct Frame {
    column: f64,
    row: f64,
    bottom: f64,
}

impl Frame {
    fn at(&self, column: u32, row: u32) -> Point {
        Point::new(LEFT + f64::from(column) * self.column, TOP + f64::from(row) * self.row)
    }
}

/// The drawing, and how many members are drawn.
pub fn draw(view: &TimelineView<'_>) -> (String, usize) {
    let history = view.history;
    let mut order: Vec<u32> = match view.rows {
        MemberOrder::Ranks => (0..history.members().len() as u32).collect(),
        MemberOrder::Groups => history.together(),
    };
    if order.len() > ROWS_MAX {
        order = (0..ROWS_MAX).map(|row| order[row * order.len() / ROWS_MAX]).collect();
    }
    let columns = history.end().0.clamp(1, WIDTH as u64) as u32;
    let raster = Raster::of(history, &order, columns);
    let row = (520.0 / order.len() as f64).floor().clamp(1.0, 18.0);
    let frame = Frame { column: WIDTH / f64::from(columns), row, bottom: TOP + row * order.len() as f64 };
    let mut svg = Svg::new(format!("{} over time", counted(history.groups().len() as u64, "group")));
    draw_blocks(&mut svg, history, &raster, &frame);
    draw_seams(&mut svg, &raster, &frame);
    if view.rows == MemberOrder::Groups {
        draw_sizes(&mut svg, history, &order, &raster, &frame);
    }
    draw_axes(&mut svg, view, &frame);
    let bottom = draw_counts(&mut svg, history, columns, &frame);
    draw_key(&mut svg);
    (svg.finish(LEFT + WIDTH + 22.0, bottom), order.len())
}

fn words(life: &Life) -> String {
    let size = counted(life.members.len() as u64, "member");
    format!("level {}: {size}, from {} to {}", life.level, life.begin.0, life.end.0)
}

/// Round an area: down its right side and up its left one.
fn outline(path: &mut Path, area: &Area, frame: &Frame) {
    let mut corners: Vec<Point> = Vec::new();
    let mut add = |corner: Point| {
        // Of points in a row along a side only the ends count.
        match corners[..] {
            [.., before, last] if before.x == last.x && last.x == corner.x => corners.pop(),
            _ => None,
        };
        corners.push(corner);
    };
    for (row, &(_, end)) in (area.top..).zip(&area.rows) {
        add(frame.at(end, row));
        add(frame.at(end, row + 1));
    }
    for (row, &(first, _)) in (area.top..area.top + area.rows.len() as u32).zip(&area.rows).rev() {
        add(frame.at(first, row + 1));
        add(frame.at(first, row));
    }
    path.polygon(&corners);
}

/// Every group: where its members take part in something, and where they wait.
fn draw_blocks(svg: &mut Svg, history: &History, raster: &Raster, frame: &Frame) {
    let mut paths = vec![[Path::default(), Path::default()]; history.groups().len()];
    for area in raster.areas() {
        outline(&mut paths[area.group as usize][usize::from(area.waits)], &area, frame);
    }
    let is_tipped = paths.len() <= TIPS_MAX;
    for ((life, colour), paths) in history.groups().iter().zip(super::colours(history)).zip(&paths) {
        for (path, waits) in paths.iter().zip(["", " waits"]).filter(|(path, _)| !path.is_empty()) {
            let class = format!("fill {colour}{waits}");
            let attributes: [Attribute<'_>; 2] = [("d", &path.data()), ("class", &class)];
            match is_tipped {
                true => svg.tipped("path", &attributes, &words(life)),
                false => svg.leaf("path", &attributes),
            }
        }
    }
}

/// Lines between groups: where one ends below another, and where members go from one to another.
fn draw_seams(svg: &mut Svg, raster: &Raster, frame: &Frame) {
    let mut path = Path::default();
    let mut above: Vec<u32> = Vec::new();
    for row in 0..raster.rows.len() {
        let groups = raster.groups(row);
        let at = row as u32;
        let mut column = 0;
        while row > 0 && column < raster.columns as usize {
            let first = column;
            while column < groups.len() && groups[column] != above[column] {
                column += 1;
            }
            if column > first {
                path.stroke(frame.at(first as u32, at), frame.at(column as u32, at));
            }
            column += 1;
        }
        for run in raster.rows[row].windows(2).filter(|pair| pair[0].group != pair[1].group) {
            path.stroke(frame.at(run[1].first, at), frame.at(run[1].first, at + 1));
        }
        above = groups;
    }
    svg.leaf("path", &[("d", &path.data()), ("class", &"seam")]);
}

/// How many members a group has, at its beginning, where there is room.
fn draw_sizes(svg: &mut Svg, history: &History, order: &[u32], raster: &Raster, frame: &Frame) {
    let mut place = vec![None; history.members().len()];
    (0..).zip(order).for_each(|(row, &member)| place[member as usize] = Some(row));
    for (index, life) in (0..).zip(history.groups()) {
        let mut rows: Vec<u32> = life.members.iter().filter_map(|&member| place[member as usize]).collect();
        rows.sort_unstable();
        let [Some(&first), Some(&last)] = [rows.first(), rows.last()] else { continue };
        // A group that was split from one that had been split before need not stand together.
        let is_whole = (last - first) as usize == rows.len() - 1;
        let middle = (first + last) / 2;
        let mut runs = raster.rows[middle as usize].iter().skip_while(|run| run.group != index);
        let Some(start) = runs.next() else { continue };
        let end = runs.take_while(|run| run.group == index).last().map_or(start.end, |run| run.end);
        let height = f64::from(last - first + 1) * frame.row;
        if is_whole && height >= LABEL.y && f64::from(end - start.first) * frame.column >= LABEL.x {
            let at = frame.at(start.first, first).plus(3.0, height / 2.0 + 4.0);
            svg.text(at, "label boxed", &grouped(life.members.len() as u64));
        }
    }
}

fn draw_axes(svg: &mut Svg, view: &TimelineView<'_>, frame: &Frame) {
    let end = view.history.end().0.max(1) as f64;
    for mark in marks(end) {
        let x = LEFT + mark / end * WIDTH;
        svg.line(Point::new(x, frame.bottom), Point::new(x, frame.bottom + 4.0), "frame");
        svg.text(Point::new(x, frame.bottom + 17.0), "axis mid", &short(mark));
    }
    let unit = format!("time, {}", view.unit);
    svg.text(Point::new(LEFT + WIDTH, frame.bottom + 32.0), "note end", &unit);
    let words = match view.rows {
        MemberOrder::Ranks => "← members by rank",
        MemberOrder::Groups => "← members, those of a group together",
    };
    svg.upwards(Point::new(LEFT - 12.0, TOP), words);
}

/// How many groups there are, the most in each column; where the drawing ends.
fn draw_counts(svg: &mut Svg, history: &History, columns: u32, frame: &Frame) -> f64 {
    let end = history.end().0.max(1);
    let mut counts = vec![0; columns as usize];
    let steps = history.counts();
    for (index, &(from, count)) in steps.iter().enumerate() {
        let until = steps.get(index + 1).map_or(end, |(next, _)| next.0);
        let column = |time: u64| (u128::from(time) * u128::from(columns) / u128::from(end)) as usize;
        let last = column(until.saturating_sub(1)).min(counts.len() - 1);
        for most in counts.iter_mut().take(last + 1).skip(column(from.0)) {
            *most = count.max(*most);
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let (top, bottom) = (frame.bottom + GAP, frame.bottom + GAP + CURVE);
    let height = |count: u32| bottom - CURVE * f64::from(count) / f64::from(most);
    let x = |column: u32| LEFT + f64::from(column) * frame.column;
    let mut path = Path::default();
    path.start(Point::new(LEFT, bottom));
    let mut column = 0;
    for same in counts.chunk_by(|a, b| a == b) {
        path.line(Point::new(x(column), height(same[0])));
        column += same.len() as u32;
        path.line(Point::new(x(column), height(same[0])));
    }
    path.line(Point::new(LEFT + WIDTH, bottom));
    svg.leaf("path", &[("d", &path.data()), ("class", &"crowd")]);
    svg.line(Point::new(LEFT, bottom), Point::new(LEFT + WIDTH, bottom), "frame");
    svg.text(Point::new(LEFT - 8.0, top + 8.0), "axis end", &most.to_string());
    svg.text(Point::new(LEFT - 8.0, bottom + 4.0), "axis end", "0");
    svg.text(Point::new(LEFT, top - 8.0), "note", "groups at a time");
    bottom + 12.0
}

/// What is faded and what is not.
fn draw_key(svg: &mut Svg) {
    let colour = super::palette::class(1, 3);
    for (x, waits, words) in [
        (LEFT, "", "takes part or computes"),
        (LEFT + 186.0, " waits", "waits for others of its group, or for the other branches"),
    ] {
        let class = format!("fill {colour}{waits}");
        svg.rectangle(Point::new(x, 14.0), (22.0, 11.0), &class, None);
        svg.text(Point::new(x + 30.0, 24.0), "note", words);
    }
}
