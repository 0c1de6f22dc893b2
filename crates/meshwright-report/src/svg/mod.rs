//! A small writer of SVG, and the drawings made with it.
//!
//! | file | what |
//! |---|---|
//! | this one | points, and the writer |
//! | `placement`, `messages` | who sits where, and who sends to whom |
//! | `matrix` | how much each node sends to each other |
//! | `lanes`, `route` | messages along their links, side by side; as curves where that cannot be drawn |
//! | `heat`, `blocks` | link loads: node by node, and of machines too large for that |
//! | `bars` | all methods beside each other |
//! | `curve` | latency against load |
//! | `chart`, `surface` | curves of any kind; a value over two variables |
//! | `regimes` | who wins over two variables |
//! | `axes` | two axes on paper, with scales and round marks |
//! | `load` | divisible load: cells, flow, timing |
//! | `history` | groups over time |
//! | `layout` | where nodes and links are on paper |
//! | `grid_plan` | a machine in tiles: of a node each, or of a block of them |
//! | `legend`, `path` | the words below, and strokes written short |
//! | `palette`, `hues` | colours in an order, and colours without one |
//!
//! Ink is named by class, and the classes are coloured by variables of the page: the same drawing is then
//! legible on paper, on a light screen and on a dark one.

mod axes;
pub mod bars;
pub mod blocks;
pub mod chart;
pub mod curve;
mod grid_plan;
pub mod heat;
pub mod history;
pub mod hues;
mod lanes;
mod layout;
pub mod legend;
pub mod load;
pub mod mark;
pub mod matrix;
mod messages;
pub mod palette;
mod path;
pub mod placement;
pub mod regimes;
mod route;
pub mod surface;

use std::fmt::{self, Display, Write};

pub use layout::Layout;

use meshwright_core::text::harmless;
use path::Path;

/// The words of a legend need this much, also below a small machine.
pub const DRAWING_WIDTH_MIN: f64 = 500.0;

/// A point of a drawing, in pixels at its natural size, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn plus(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y }
    }

    pub fn shifted(self, by: Self) -> Self {
        self.plus(by.x, by.y)
    }

    /// The point at this share of the way to another.
    pub fn towards(self, other: Self, share: f64) -> Self {
        self.plus((other.x - self.x) * share, (other.y - self.y) * share)
    }

    pub fn distance(self, other: Self) -> f64 {
        (other.x - self.x).hypot(other.y - self.y)
    }
}

/// A coordinate with one decimal at most, the same on every machine; never infinite.
#[derive(Clone, Copy)]
pub struct Px(pub f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = if self.0.is_finite() { (self.0 * 10.0).round() as i64 } else { 0 };
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{}", tenths as f64 / 10.0),
        }
    }
}

/// Escapes what has a meaning in markup, and what is an order; XML has no way to write most of those.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in harmless(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// An attribute of an element: its name and what is written between the quotes.
pub type Attribute<'a> = (&'static str, &'a dyn Display);

/// A drawing under construction; elements appear in the order they are added.
pub struct Svg {
    text: String,
    label: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// An empty drawing; `label` says in words what it shows.
    pub fn new(label: impl Into<String>) -> Self {
        Self { text: String::new(), label: label.into(), open: vec![] }
    }

    /// Opens an element, to be closed by [`Svg::close`].
    pub fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push('>');
        self.open.push(name);
    }

    /// Closes the element opened last.
    pub fn close(&mut self) {
        let name = self.open.pop().expect("each close has its open");
        self.push(format_args!("</{name}>"));
    }

    /// An element without content.
    pub fn leaf(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push_str("/>");
    }

    /// An element that shows `tip` when pointed at.
    pub fn tipped(&mut self, name: &'static str, attributes: &[Attribute<'_>], tip: &str) {
        self.start(name, attributes);
        self.push(format_args!("><title>{}</title></{name}>", escape(tip)));
    }

    /// The words shown when the element opened last is pointed at.
    pub fn title(&mut self, tip: &str) {
        self.push(format_args!("<title>{}</title>", escape(tip)));
    }

    /// A square with round corners around a point, which shows `tip` when pointed at.
    pub fn tile(&mut self, centre: Point, side: f64, class: &str, tip: &str) {
        let corner = centre.plus(-side / 2.0, -side / 2.0);
        self.rounded(corner, (side, side), (side * 0.16).max(1.0), class, Some(tip));
    }

    /// A rectangle with round corners of this radius.
    fn rounded(&mut self, corner: Point, size: (f64, f64), radius: f64, class: &str, tip: Option<&str>) {
        let (x, y, width, height, rx) = (Px(corner.x), Px(corner.y), Px(size.0), Px(size.1), Px(radius));
        let attributes: [Attribute<'_>; 6] =
            [("x", &x), ("y", &y), ("width", &width), ("height", &height), ("rx", &rx), ("class", &class)];
        self.leaf_or_tipped("rect", &attributes, tip);
    }

    /// A circle around a point, which may show a tip when pointed at.
    pub fn circle(&mut self, at: Point, radius: f64, class: &str, tip: Option<&str>) {
        let attributes: [Attribute<'_>; 4] =
            [("cx", &Px(at.x)), ("cy", &Px(at.y)), ("r", &Px(radius)), ("class", &class)];
        self.leaf_or_tipped("circle", &attributes, tip);
    }

    /// A rectangle by its upper left corner, its width and its height, which may show a tip when pointed at.
    pub fn rectangle(&mut self, corner: Point, (width, height): (f64, f64), class: &str, tip: Option<&str>) {
        let (x, y, width, height) = (Px(corner.x), Px(corner.y), Px(width), Px(height));
        let attributes: [Attribute<'_>; 5] =
            [("x", &x), ("y", &y), ("width", &width), ("height", &height), ("class", &class)];
        self.leaf_or_tipped("rect", &attributes, tip);
    }

    fn leaf_or_tipped(&mut self, name: &'static str, attributes: &[Attribute<'_>], tip: Option<&str>) {
        match tip {
            Some(tip) => self.tipped(name, attributes, tip),
            None => self.leaf(name, attributes),
        }
    }

    /// A path, unless it is empty.
    pub fn path(&mut self, path: &Path, class: &str) {
        if !path.is_empty() {
            self.leaf("path", &[("d", &path.data()), ("class", &class)]);
        }
    }

    /// Paths in the colours of the palette, strongest first, then others; those that are empty are left out.
    fn fills<const N: usize>(&mut self, strengths: &[Path], others: [(&Path, &str); N]) {
        for (step, path) in strengths.iter().enumerate() {
            self.path(path, &format!("fill k{step}"));
        }
        others.iter().for_each(|(path, class)| self.path(path, class));
    }

    /// The title of an axis that goes down, written upwards.
    fn upwards(&mut self, at: Point, words: &str) {
        self.open("g", &[("transform", &format!("translate({} {})rotate(-90)", at.x, at.y))]);
        self.text(Point::new(0.0, 0.0), "axis end", words);
        self.close();
    }

    /// Text at a point; the class says how it is set.
    pub fn text(&mut self, at: Point, class: &str, text: &str) {
        self.start("text", &[("x", &Px(at.x)), ("y", &Px(at.y)), ("class", &class)]);
        self.push(format_args!(">{}</text>", escape(text)));
    }

    /// A line between two points.
    pub fn line(&mut self, from: Point, to: Point, class: &str) {
        let ends: [Attribute<'_>; 5] = [
            ("x1", &Px(from.x)),
            ("y1", &Px(from.y)),
            ("x2", &Px(to.x)),
            ("y2", &Px(to.y)),
            ("class", &class),
        ];
        self.leaf("line", &ends);
    }

    /// The finished drawing, of this natural size.
    pub fn finish(mut self, width: f64, height: f64) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        let (width, height) = (Px(width.ceil()), Px(height.ceil()));
        format!(
            r#"<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{}">{}</svg>"#,
            escape(&self.label),
            self.text
        )
    }

    fn start(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        self.push(format_args!("<{name}"));
        for (attribute, value) in attributes {
            let value = escape(&value.to_string());
            self.push(format_args!(" {attribute}=\"{value}\""));
        }
    }

    fn push(&mut self, what: fmt::Arguments<'_>) {
        self.text.write_fmt(what).expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::{Point, Px, Svg};

    #[test]
    fn markup_in_a_name_stays_text() {
        let mut svg = Svg::new("<a> & \"b\"");
        svg.text(Point::new(1.0, 2.25), "small", "x < y & z\u{1}");
        let text = svg.finish(10.0, 10.0);
        assert!(text.contains("aria-label=\"&lt;a&gt; &amp; &quot;b&quot;\""));
        assert!(text.contains(">x &lt; y &amp; z\\u{1}</text>"));
    }

    #[test]
    fn coordinates_are_short_and_finite() {
        let written: Vec<_> =
            [0.0, -0.04, 2.5, -2.55, f64::NAN, f64::INFINITY].iter().map(|&x| Px(x).to_string()).collect();
        assert_eq!(written, ["0", "0", "2.5", "-2.6", "0", "0"]);
    }
}
