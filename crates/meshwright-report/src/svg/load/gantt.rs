//! Timing diagrams: a row for each processor or layer, what it receives above its axis, what it computes below.

use super::super::axes::marks;
use super::super::path::Path;
use super::super::{Point, Px, Svg, hues};
use meshwright_core::words::short;

const WIDTH: f64 = 860.0;
const RIGHT: f64 = 838.0;
const TOP: f64 = 46.0;

/// From row to row, and the same for a port, which only sends.
const ROW: f64 = 36.0;
const PORT: f64 = 22.0;

/// More stretches than this in a row are not told apart.
const SPANS_MAX: usize = 24;

/// How high a bar is.
const BAR: f64 = 13.0;

/// A stretch of time in which something is done.
#[derive(Clone, Debug)]
pub struct Span {
    pub start: f64,
    pub end: f64,
    /// The index of the source it is done for.
    pub source: usize,
    /// What is written into the bar where there is room.
    pub mark: String,
    /// What is done, in words.
    pub words: String,
}

/// One processor, layer or port.
#[derive(Clone, Debug, Default)]
pub struct GanttRow {
    pub name: String,
    /// What comes in, or what a port sends.
    pub communication: Vec<Span>,
    pub computing: Vec<Span>,
    /// When the load of a source is there.
    pub release: Option<f64>,
    /// Whether this is a port of a source, which computes nothing.
    pub port: bool,
}

/// A timing diagram.
#[derive(Clone, Debug)]
pub struct Gantt {
    /// What it shows, in words.
    pub label: String,
    /// The unit of time.
    pub unit: String,
    pub rows: Vec<GanttRow>,
    /// When all is done.
    pub finish: f64,
    /// Whether that is only promised.
    pub promised: bool,
    /// When all can be done at the earliest, if that is known.
    pub bound: Option<f64>,
}

impl Gantt {
    /// The finished drawing.
    pub fn draw(&self) -> String {
        let mut svg = Svg::new(self.label.clone());
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let frame = Frame {
            left: (longest as f64 * 6.6 + 26.0).max(66.0),
            most: self.finish.max(self.bound.unwrap_or(0.0)).max(1e-12) * 1.03,
        };
        let height: f64 = self.rows.iter().map(GanttRow::height).sum();
        let bottom = TOP + height + 6.0;
        for mark in marks(frame.most) {
            let x = frame.x(mark);
            svg.line(Point::new(x, TOP), Point::new(x, bottom), "ruler");
            svg.text(Point::new(x, bottom + 17.0), "axis mid", &short(mark));
        }
        let mut y = TOP;
        for row in &self.rows {
            draw_row(&mut svg, &frame, row, y);
            y += row.height();
        }
        svg.line(Point::new(frame.left, bottom), Point::new(RIGHT, bottom), "frame");
        svg.text(Point::new(RIGHT, bottom + 36.0), "note end", &format!("time, {}", self.unit));
        let x = frame.x(self.finish);
        svg.line(Point::new(x, TOP - 6.0), Point::new(x, bottom), "finish");
        svg.text(
            Point::new(x.max(frame.left + 180.0), TOP - 12.0),
            "note end",
            &format!(
                "{} {}",
                if self.promised { "promised to be done at" } else { "all done at" },
                short(self.finish)
            ),
        );
        // A bound that coincides with the end says nothing new.
        if let Some(bound) = self.bound.filter(|bound| (bound - self.finish).abs() > 1e-9 * self.finish) {
            let x = frame.x(bound);
            svg.line(Point::new(x, TOP - 6.0), Point::new(x, bottom), "bound");
            // A line above the words on the end, so that the two never meet.
            let words = format!("no schedule is done before {}", short(bound));
            svg.text(Point::new(x.max(frame.left + 180.0), TOP - 28.0), "note end", &words);
        }
        draw_key(
            &mut svg,
            bottom + 32.0,
            self.rows.iter().any(|row| row.release.is_some_and(|time| time > 0.0)),
        );
        svg.finish(WIDTH, bottom + 48.0)
    }
}

impl GanttRow {
    fn height(&self) -> f64 {
        if self.port { PORT } else { ROW }
    }
}

/// The scale of time.
struct Frame {
    left: f64,
    most: f64,
}

impl Frame {
    fn x(&self, time: f64) -> f64 {
        self.left + time / self.most * (RIGHT - self.left)
    }
}

fn draw_row(svg: &mut Svg, frame: &Frame, row: &GanttRow, top: f64) {
    let axis = top + if row.port { PORT - 4.0 } else { ROW / 2.0 };
    svg.text(Point::new(frame.left - 10.0, axis + if row.port { -3.0 } else { 4.0 }), "axis end", &row.name);
    for (spans, top, shade) in [(&row.communication, axis - BAR - 0.5, 3), (&row.computing, axis + 0.5, 0)] {
        match spans.len() > SPANS_MAX {
            true => draw_many(svg, frame, spans, top, shade),
            false => spans.iter().for_each(|span| draw_bar(svg, frame, span, top, shade)),
        }
    }
    svg.line(Point::new(frame.left, axis), Point::new(RIGHT, axis), "frame");
    if let Some(release) = row.release.filter(|&release| release > 0.0) {
        let data = format!("M{} {}l5.5 -9h-11z", Px(frame.x(release)), Px(axis));
        svg.tipped(
            "path",
            &[("d", &data), ("class", &"release")],
            &format!("the load is there at {}", short(release)),
        );
    }
}

/// Many stretches as one element; what lies nearer than can be seen is drawn as one bar.
fn draw_many(svg: &mut Svg, frame: &Frame, spans: &[Span], top: f64, shade: usize) {
    let mut ends: Vec<(f64, f64)> =
        spans.iter().map(|span| (frame.x(span.start), frame.x(span.end))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut path = Path::default();
    let mut pen = ends[0];
    for &(left, right) in &ends[1..] {
        if left < pen.1 + 0.5 {
            pen.1 = pen.1.max(right);
        } else {
            path.rectangle(Point::new(pen.0, top), (pen.1 - pen.0).max(0.6), BAR);
            pen = (left, right);
        }
    }
    path.rectangle(Point::new(pen.0, top), (pen.1 - pen.0).max(0.6), BAR);
    let class = format!("cell {}", hues::class(spans[0].source, shade));
    let tip = format!("{}, {} times", spans[0].words, spans.len());
    svg.tipped("path", &[("d", &path.data()), ("class", &class)], &tip);
}

fn draw_bar(svg: &mut Svg, frame: &Frame, span: &Span, top: f64, shade: usize) {
    let (left, right) = (frame.x(span.start), frame.x(span.end));
    let class = format!("cell stripe {}", hues::class(span.source, shade));
    let width = (right - left).max(0.6);
    let tip = format!("{}: {} to {}", span.words, short(span.start), short(span.end));
    svg.rectangle(Point::new(left, top), (width, BAR), &class, Some(&tip));
    if !span.mark.is_empty() && span.mark.chars().count() as f64 * 6.4 + 6.0 < width {
        let class = if shade == 0 { "in-bar mid" } else { "on-bar mid" };
        svg.text(Point::new((left + right) / 2.0, top + BAR - 3.0), class, &span.mark);
    }
}

fn draw_key(svg: &mut Svg, y: f64, releases: bool) {
    for (x, shade, words) in [(14.0, 3, "above: receives or sends"), (206.0, 0, "below: computes")] {
        let class = format!("cell {}", hues::class(0, shade));
        svg.rectangle(Point::new(x, y - 6.0), (22.0, 11.0), &class, None);
        svg.text(Point::new(x + 30.0, y + 4.0), "note", words);
    }
    if releases {
        svg.leaf("path", &[("d", &format!("M356 {}l5.5 -9h-11z", Px(y + 4.0))), ("class", &"release")]);
        svg.text(Point::new(370.0, y + 4.0), "note", "the load is there");
    }
}
