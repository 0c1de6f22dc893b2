//! Latency against load: measured points with their intervals, zero-load latency and bound as dashed lines.

use super::axis::marks;
use super::path::Path;
use super::{Attribute, Point, Px, Svg};
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

/// The two scales.
struct Scales {
    load_max: f64,
    latency_max: f64,
}

impl Scales {
    fn of(report: &SweepReport) -> Self {
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
        Self { load_max: greatest.max(bound.unwrap_or(0.0)) * 1.1, latency_max }
    }

    fn x(&self, load: f64) -> f64 {
        LEFT + load / self.load_max * (RIGHT - LEFT)
    }

    fn y(&self, latency: f64) -> f64 {
        BOTTOM - latency / self.latency_max * (BOTTOM - TOP)
    }

    fn at(&self, point: &point::Point) -> Point {
        Point::new(self.x(point.load), self.y(point.latency.mean))
    }
}

/// Draws the curve; `None` when there is no point.
pub fn draw(report: &SweepReport) -> Option<String> {
    if report.curve.points.is_empty() {
        return None;
    }
    let scales = Scales::of(report);
    let mut svg = Svg::new("Mean latency in cycles against offered load in flits per node and cycle");
    draw_axes(&mut svg, &scales);
    draw_references(&mut svg, report, &scales);
    draw_line(&mut svg, &report.curve.points, &scales);
    for point in &report.curve.points {
        draw_point(&mut svg, point, &scales);
    }
    draw_key(&mut svg, BOTTOM + 66.0, report.reference.bound_of);
    Some(svg.finish(WIDTH, BOTTOM + 88.0))
}

fn draw_axes(svg: &mut Svg, scales: &Scales) {
    for mark in marks(scales.latency_max) {
        let y = scales.y(mark);
        svg.line(Point::new(LEFT, y), Point::new(RIGHT, y), "ruler");
        svg.text(Point::new(LEFT - 10.0, y + 4.0), "axis end", &short(mark));
    }
    for mark in marks(scales.load_max) {
        let x = scales.x(mark);
        svg.line(Point::new(x, BOTTOM), Point::new(x, BOTTOM + 5.0), "frame");
        svg.text(Point::new(x, BOTTOM + 20.0), "axis mid", &short(mark));
    }
    svg.line(Point::new(LEFT, BOTTOM), Point::new(RIGHT, BOTTOM), "frame");
    svg.text(Point::new(12.0, TOP - 24.0), "note", "mean latency, cycles");
    svg.text(Point::new(RIGHT, BOTTOM + 40.0), "note end", "offered load, flits per node and cycle");
}

/// The zero-load latency, the bound, and where the network saturates; their words stand below the curve.
fn draw_references(svg: &mut Svg, report: &SweepReport, scales: &Scales) {
    if let Some(zero) = report.reference.zero_load_cycles {
        let y = scales.y(zero);
        svg.line(Point::new(LEFT, y), Point::new(RIGHT, y), "bound");
        let words = format!("T0 = {} cycles: no packet waits", short(zero));
        svg.text(Point::new(LEFT + 8.0, y + 16.0), "note halo", &words);
    }
    if let Some(bound) = report.reference.bound.filter(|&bound| bound <= scales.load_max) {
        let x = scales.x(bound);
        svg.line(Point::new(x, TOP - 8.0), Point::new(x, BOTTOM), "bound");
        svg.text(
            Point::new(x, TOP - 16.0),
            "note mid",
            &format!("bound {} of {}", short(bound), report.reference.bound_of),
        );
    }
    if let Some(Saturation { load, .. }) = report.curve.saturation.filter(|found| found.load > 0.0) {
        let x = scales.x(load);
        svg.line(Point::new(x, TOP - 8.0), Point::new(x, BOTTOM), "frame");
        let words = format!("carried up to {}", short(load));
        svg.text(Point::new(x - 7.0, BOTTOM - 10.0), "note end halo", &words);
    }
}

/// From point to point; dashed to the first one that is not carried, and cut off at the top.
fn draw_line(svg: &mut Svg, points: &[point::Point], scales: &Scales) {
    let (mut solid, mut dashed) = (Path::default(), Path::default());
    for pair in points.windows(2) {
        let (from, to) = (scales.at(&pair[0]), scales.at(&pair[1]));
        if from.y < TOP {
            continue;
        }
        let share = if to.y < TOP { (from.y - TOP) / (from.y - to.y) } else { 1.0 };
        let path = if pair[1].saturated { &mut dashed } else { &mut solid };
        path.stroke(from, from.towards(to, share));
    }
    for (path, class) in [(solid, "curve"), (dashed, "curve leap")] {
        if !path.is_empty() {
            svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
        }
    }
}

fn draw_point(svg: &mut Svg, point: &point::Point, scales: &Scales) {
    let at = scales.at(point);
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
        let (low, high) = (scales.y((latency.mean - half).max(0.0)), scales.y(latency.mean + half).max(TOP));
        svg.line(Point::new(at.x, low), Point::new(at.x, high), "whisker");
        // An interval that is cut off at the top has no end there.
        for y in [low, high].into_iter().filter(|&y| y > TOP) {
            svg.line(Point::new(at.x - 5.0, y), Point::new(at.x + 5.0, y), "whisker");
        }
    }
    let dot: [Attribute<'_>; 4] = [("cx", &Px(at.x)), ("cy", &Px(at.y)), ("r", &4), ("class", &"dot")];
    svg.tipped("circle", &dot, &tip);
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
    svg.leaf("circle", &[("cx", &Px(at(10.0).x)), ("cy", &Px(y)), ("r", &4), ("class", &"dot")]);
    svg.text(at(24.0).plus(0.0, 4.5), "note", "mean and its 95 % interval");
    draw_triangle(svg, at(236.0), "dot", "beyond the top");
    svg.text(at(250.0).plus(0.0, 4.5), "note", "beyond the top");
    draw_triangle(svg, at(368.0), "saturated", "not carried");
    svg.text(at(382.0).plus(0.0, 4.5), "note", "not carried: saturated");
    svg.line(at(546.0), at(574.0), "bound");
    svg.text(at(583.0).plus(0.0, 4.5), "note", &format!("T0 and bound of {bound_of}"));
}
