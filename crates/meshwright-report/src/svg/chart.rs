//! Curves of any kind: axes with round marks, several series, marks with words, a legend below.

pub use super::axes::Scale;

use super::axes::PlotAxes;
use super::path::Path;
use super::{Attribute, Point, Px, Svg, hues, mark, palette};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 618.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 360.0;

/// How a series is coloured.
#[derive(Clone, Copy)]
pub enum SeriesColour {
    /// One hue among others.
    Hue(usize),
    /// One step of a scale: its index and how many there are.
    Step(usize, usize),
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    Solid,
    Dashed,
    /// Only its points.
    Points,
    /// With the dashes and marks of this place among the others: told apart without colours.
    Kind(usize),
}

/// A curve, or a cloud of points.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub ink: SeriesColour,
    pub stroke: Stroke,
    /// Words for each point, where it has a mark; no marks if empty.
    pub tips: Vec<String>,
    /// Half the width of an interval around each point; none if empty.
    pub spread: Vec<f64>,
    /// A value of x beyond which it cannot be; a thin line down the chart.
    pub limit: Option<f64>,
}

impl Series {
    /// A curve without marks.
    pub fn curve(name: impl Into<String>, ink: SeriesColour, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points,
            ink,
            stroke: Stroke::Solid,
            tips: vec![],
            spread: vec![],
            limit: None,
        }
    }

    /// The same, drawn differently.
    pub fn stroked(mut self, stroke: Stroke) -> Self {
        self.stroke = stroke;
        self
    }
}

/// One axis: what it counts, in which unit, and how far it goes.
pub struct Axis {
    pub title: String,
    pub scale: Scale,
}

/// A chart: all series on two axes.
pub struct Chart {
    /// What it shows, in words.
    pub label: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Values of y that theory gives, with their words.
    pub references: Vec<(f64, String)>,
}

impl Chart {
    fn axes(&self) -> PlotAxes<'_> {
        PlotAxes {
            across: (LEFT, RIGHT),
            down: (TOP, BOTTOM),
            x: (self.x.scale, &self.x.title),
            y: (self.y.scale, &self.y.title),
            numbers: (9.0, 19.0),
            titles: (20.0, 38.0),
        }
    }

    /// The finished drawing.
    pub fn draw(&self) -> String {
        let mut svg = Svg::new(self.label.clone());
        let axes = self.axes();
        axes.draw(&mut svg, "frame");
        for (value, words) in &self.references {
            let y = axes.y(*value);
            if (TOP - 1.0..=BOTTOM).contains(&y) {
                svg.line(Point::new(LEFT, y), Point::new(RIGHT, y), "bound");
                svg.text(Point::new(RIGHT - 6.0, y - 6.0), "note end halo", words);
            }
        }
        self.series.iter().for_each(|series| series.draw(&mut svg, &axes));
        let legend = self.draw_legend(&mut svg, BOTTOM + 54.0);
        svg.finish(WIDTH, BOTTOM + 60.0 + legend)
    }

    /// The names of the series in columns; returns the height. One series needs no legend.
    fn draw_legend(&self, svg: &mut Svg, top: f64) -> f64 {
        if self.series.len() < 2 {
            return 0.0;
        }
        let longest = self.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let column = longest as f64 * 6.3 + 46.0;
        let columns = (((RIGHT - 12.0) / column) as usize).max(1);
        let rows = self.series.len().div_ceil(columns);
        for (i, series) in self.series.iter().enumerate() {
            let at = Point::new(14.0 + (i / rows) as f64 * column, top + (i % rows) as f64 * 18.0);
            if series.stroke == Stroke::Points {
                svg.circle(at.plus(11.0, 0.0), 4.0, &series.fill(), None);
            } else {
                let data = format!("M{} {}h22", Px(at.x), Px(at.y));
                series.stroke(svg, &data, "2.4", None);
                if let Stroke::Kind(place) = series.stroke {
                    mark::draw(svg, place, at.plus(11.0, 0.0), &series.fill(), None);
                }
            }
            svg.text(at.plus(29.0, 4.0), "note", &series.name);
        }
        rows as f64 * 18.0
    }
}

impl Series {
    fn draw(&self, svg: &mut Svg, axes: &PlotAxes<'_>) {
        let class = self.class();
        self.draw_limit(svg, axes);
        let points: Vec<Point> = self.points.iter().map(|&(x, y)| axes.at(x, y)).collect();
        let path = if self.stroke == Stroke::Points { Path::default() } else { clipped(&points) };
        if !path.is_empty() {
            self.stroke(svg, path.data(), "2", Some(&self.name));
        }
        for ((_, y), (at, half)) in self.points.iter().zip(points.iter().zip(&self.spread)) {
            let ends = [y - half, y + half].map(|y| axes.y(y));
            svg.line(Point::new(at.x, ends[0].min(BOTTOM)), Point::new(at.x, ends[1].max(TOP)), &class);
        }
        let fill = self.fill();
        for (&at, tip) in points.iter().zip(&self.tips) {
            match self.stroke {
                // What lies beyond the frame has no place in it.
                Stroke::Kind(_) if at.y < TOP => {}
                Stroke::Kind(place) => mark::draw(svg, place, at, &fill, Some(tip)),
                _ => svg.circle(at, 4.0, &fill, Some(tip)),
            }
        }
    }

    /// A line in the manner of this series, which may show a tip when pointed at.
    fn stroke(&self, svg: &mut Svg, data: &str, width: &str, tip: Option<&str>) {
        let (class, dashes) = (self.class(), self.dashes());
        let mut attributes: Vec<Attribute<'_>> =
            vec![("d", &data), ("class", &class), ("stroke-width", &width)];
        attributes
            .extend(dashes.as_ref().map(|dashes| ("stroke-dasharray", dashes as &dyn std::fmt::Display)));
        match tip {
            Some(tip) => svg.tipped("path", &attributes, tip),
            None => svg.leaf("path", &attributes),
        }
    }

    /// The limit, if there is one and it lies on the axis.
    fn draw_limit(&self, svg: &mut Svg, axes: &PlotAxes<'_>) {
        let Some(x) = self.limit.map(|limit| axes.x(limit)).filter(|x| (LEFT..=RIGHT).contains(x)) else {
            return;
        };
        let data = format!("M{} {}V{}", Px(x), Px(TOP - 8.0), Px(BOTTOM));
        let (class, dashes) = (format!("{} limit", self.class()), self.dashes().unwrap_or("none"));
        let attributes: [Attribute<'_>; 3] = [("d", &data), ("class", &class), ("stroke-dasharray", &dashes)];
        svg.tipped("path", &attributes, &format!("bound of {}", self.name));
    }

    fn dashes(&self) -> Option<&'static str> {
        match self.stroke {
            Stroke::Kind(place) => Some(mark::dashes(place)),
            _ => None,
        }
    }

    fn class(&self) -> String {
        let leap = if self.stroke == Stroke::Dashed { " leap" } else { "" };
        match self.ink {
            SeriesColour::Hue(hue) => format!("series {}{leap}", hues::class(hue, 0)),
            SeriesColour::Step(index, count) => format!("edge {}{leap}", palette::class(index, count)),
        }
    }

    fn fill(&self) -> String {
        match self.ink {
            SeriesColour::Hue(hue) => format!("point {}", hues::class(hue, 0)),
            SeriesColour::Step(index, count) => format!("fill {}", palette::class(index, count)),
        }
    }
}

/// From point to point, cut off at the frame above and below.
fn clipped(points: &[Point]) -> Path {
    let mut path = Path::default();
    let mut pen: Option<Point> = None;
    let inside = |point: Point| (TOP - 0.05..=BOTTOM + 0.05).contains(&point.y);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if !(inside(a) || inside(b)) {
            pen = None;
            continue;
        }
        // The point between two at the height of the frame that the outer one lies beyond.
        let edge = |outer: Point, other: Point| {
            let y = outer.y.clamp(TOP, BOTTOM);
            outer.towards(other, (y - outer.y) / (other.y - outer.y))
        };
        let from = if inside(a) { a } else { edge(a, b) };
        let to = if inside(b) { b } else { edge(b, a) };
        if pen != Some(from) {
            path.start(from);
        }
        path.line(to);
        pen = Some(to);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_end_at_the_frame() {
        let at = |x: f64, y: f64| Point::new(x, y);
        let path = clipped(&[at(0.0, 100.0), at(10.0, 100.0), at(20.0, 0.0), at(30.0, 100.0)]);
        // Up to the frame at y = 40, then from there on again.
        assert_eq!(path.data(), "m0 100h10l6-60m8 0l6 60");
        assert!(clipped(&[at(0.0, 0.0), at(9.0, 1.0)]).is_empty());
    }
}
