//! Latency against load: measured points with their intervals, zero-load latency and bound as dashed lines.

use super::axes::{PlotAxes, Scale};
use super::path::Path;
use super::{Point, Px, Svg};
use meshwright_core::words::short;
use meshwright_sim::point::{self, SweepReport};
use meshwright_sim::sweep::Saturation;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 836.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 404.0;

/// A bound beyond this many times the greatest load is told, not drawn: it would squeeze the points.
const BOUND_DRAWN_MAX: f64 = 2.0;

/// Latencies are drawn as far as carried points reach, within these multiples of the zero-load latency: the knee is
/// to be seen, and latencies near saturation know no end.
const LATENCY_DRAWN: (f64, f64) = (2.0, 5.0);

/// Half of what a letter of a note takes.
const HALF_LETTER: f64 = 3.7;

/// The axes: how far loads and latencies go.
fn axes(report: &SweepReport) -> PlotAxes<'static> {
    let points = &report.curve.points;
    let greatest = points.last().map_or(1.0, |point| point.load);
    let bound = report.reference.bound.filter(|&bound| bound <= BOUND_DRAWN_MAX * greatest);
    let carried = points.iter().filter(|point| !point.saturated);
    let reached = carried.map(|point| point.latency.mean + point.latency.ci95.unwrap_or(0.0));
    let zero = report.reference.zero_load_cycles.unwrap_or(0.0);
    let reached = reached.fold(0.0, f64::max) * 1.06;
    // Where nothing is known of the zero load, or nothing is carried, the first point sets the scale.
    let first = points.first().map_or(1.0, |point| point.latency.mean).max(1.0);
    let latency_max = match (zero > 0.0, reached > 0.0) {
        (true, _) => reached.clamp(LATENCY_DRAWN.0 * zero, LATENCY_DRAWN.1 * zero),
        (false, true) => reached.min(LATENCY_DRAWN.1 * first),
        (false, false) => 1.5 * first,
    };
    let load_max = greatest.max(bound.unwrap_or(0.0)) * 1.1;
    PlotAxes {
        across: (LEFT, RIGHT),
        down: (TOP, BOTTOM),
        x: (Scale::Linear(load_max), "offered load, flits per node and cycle"),
        y: (Scale::Linear(latency_max), "mean latency, cycles"),
        numbers: (10.0, 20.0),
        titles: (24.0, 40.0),
    }
}

fn place(axes: &PlotAxes<'_>, point: &point::Point) -> Point {
    axes.at(point.load, point.latency.mean)
}

/// Draws the curve; `None` when there is no point.
pub fn draw(report: &SweepReport) -> Option<String> {
    if report.curve.points.is_empty() {
        return None;
    }
    let axes = axes(report);
    let mut svg = Svg::new("Mean latency in cycles against offered load in flits per node and cycle");
    axes.draw(&mut svg, "ruler");
    draw_references(&mut svg, report, &axes);
    draw_line(&mut svg, &report.curve.points, &axes);
    for point in &report.curve.points {
        draw_point(&mut svg, point, &axes);
    }
    draw_key(&mut svg, BOTTOM + 66.0, report.reference.bound_of);
    Some(svg.finish(WIDTH, BOTTOM + 88.0))
}

/// The zero-load latency, the bound, and where the network saturates; their words stand below the curve.
fn draw_references(svg: &mut Svg, report: &SweepReport, axes: &PlotAxes<'_>) {
    if let Some(zero) = report.reference.zero_load_cycles {
        let y = axes.y(zero);
        svg.line(Point::new(LEFT, y), Point::new(RIGHT, y), "bound");
        let words = format!("T0 = {} cycles: no packet waits", short(zero));
        svg.text(Point::new(LEFT + 8.0, y + 16.0), "note halo", &words);
    }
    if let Some(bound) = report.reference.bound.filter(|&bound| bound <= axes.x.0.most()) {
        let x = axes.x(bound);
        svg.line(Point::new(x, TOP - 8.0), Point::new(x, BOTTOM), "bound");
        let words = format!("bound {} of {}", short(bound), report.reference.bound_of);
        // In the middle above its line, unless it would leave the drawing.
        let is_inside = x + words.len() as f64 * HALF_LETTER < WIDTH;
        let (end, class) = if is_inside { (x, "note mid") } else { (RIGHT, "note end") };
        svg.text(Point::new(end, TOP - 16.0), class, &words);
    }
    if let Some(Saturation { load, .. }) = report.curve.saturation.filter(|found| found.load > 0.0) {
        let x = axes.x(load);
        svg.line(Point::new(x, TOP - 8.0), Point::new(x, BOTTOM), "frame");
        let words = format!("carried up to {}", short(load));
        svg.text(Point::new(x - 7.0, BOTTOM - 10.0), "note end halo", &words);
    }
}

/// From point to point; dashed to the first one that is not carried, and cut off at the top.
fn draw_line(svg: &mut Svg, points: &[point::Point], axes: &PlotAxes<'_>) {
    let (mut solid, mut dashed) = (Path::default(), Path::default());
    for pair in points.windows(2) {
        let (from, to) = (place(axes, &pair[0]), place(axes, &pair[1]));
        if from.y < TOP {
            continue;
        }
        let share = if to.y < TOP { (from.y - TOP) / (from.y - to.y) } else { 1.0 };
        let path = if pair[1].saturated { &mut dashed } else { &mut solid };
        path.stroke(from, from.towards(to, share));
    }
    svg.path(&solid, "curve");
    svg.path(&dashed, "curve leap");
}

fn draw_point(svg: &mut Svg, point: &point::Point, axes: &PlotAxes<'_>) {
    let at = place(axes, point);
    let latency = &point.latency;
    let interval = latency.ci95.map_or(String::new(), |half| format!(" ± {}", short(half)));
    let tip = format!(
        "load {}: mean latency {}{interval} cycles, accepted {}{}",
        short(point.load),
        short(latency.mean),
        short(point.accepted),
        if point.saturated { ", not carried" } else { "" }
    );
    if point.saturated || at.y < TOP {
        let class = if point.saturated { "saturated" } else { "dot" };
        draw_triangle(svg, Point::new(at.x, at.y.max(TOP)), class, &tip);
        return;
    }
    if let Some(half) = latency.ci95 {
        let (low, high) = (axes.y((latency.mean - half).max(0.0)), axes.y(latency.mean + half).max(TOP));
        svg.line(Point::new(at.x, low), Point::new(at.x, high), "whisker");
        // An interval that is cut off at the top has no end there.
        for y in [low, high].into_iter().filter(|&y| y > TOP) {
            svg.line(Point::new(at.x - 5.0, y), Point::new(at.x + 5.0, y), "whisker");
        }
    }
    svg.circle(at, 4.0, "dot", Some(&tip));
}

/// A triangle that points up.
fn draw_triangle(svg: &mut Svg, at: Point, class: &str, tip: &str) {
    let data = format!("M{} {}l6.5 11h-13z", Px(at.x), Px(at.y - 7.0));
    svg.tipped("path", &[("d", &data), ("class", &class)], tip);
}

fn draw_key(svg: &mut Svg, y: f64, bound_of: &str) {
    let at = |x: f64| Point::new(LEFT + x, y);
    svg.line(at(10.0).plus(0.0, -9.0), at(10.0).plus(0.0, 9.0), "whisker");
    for end in [-9.0, 9.0] {
        svg.line(at(5.0).plus(0.0, end), at(15.0).plus(0.0, end), "whisker");
    }
    svg.circle(at(10.0), 4.0, "dot", None);
    svg.text(at(24.0).plus(0.0, 4.5), "note", "mean and its 95 % interval");
    draw_triangle(svg, at(236.0), "dot", "beyond the top");
    svg.text(at(250.0).plus(0.0, 4.5), "note", "beyond the top");
    draw_triangle(svg, at(368.0), "saturated", "not carried");
    svg.text(at(382.0).plus(0.0, 4.5), "note", "not carried: saturated");
    svg.line(at(546.0), at(574.0), "bound");
    svg.text(at(583.0).plus(0.0, 4.5), "note", &format!("T0 and bound of {bound_of}"));
}
