//! Path data: many strokes in one element, written as short as SVG allows.

use std::fmt::Write;

use super::Point;

/// A position in tenths of a pixel: steps between rounded positions add up without error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tenths {
    x: i64,
    y: i64,
}

impl Tenths {
    fn of(point: Point) -> Self {
        let round = |x: f64| if x.is_finite() { (x * 10.0).round() as i64 } else { 0 };
        Self { x: round(point.x), y: round(point.y) }
    }
}

/// The `d` of a path under construction. All commands are relative to where the pen stands.
#[derive(Clone, Debug, Default)]
pub struct Path {
    data: String,
    pen: Tenths,
}

impl Path {
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub fn data(&self) -> &str {
        &self.data
    }

    pub fn start(&mut self, at: Point) -> &mut Self {
        // The first move counts from the origin, where the pen is.
        self.go('m', &[at])
    }

    /// A line; along an axis it costs one number less, which is most strokes of a grid.
    pub fn line(&mut self, to: Point) -> &mut Self {
        let end = Tenths::of(to);
        let (x, y) = (end.x - self.pen.x, end.y - self.pen.y);
        match (x, y) {
            (_, 0) => self.command('h', &[x]),
            (0, _) => self.command('v', &[y]),
            _ => self.command('l', &[x, y]),
        }
        self.pen = end;
        self
    }

    pub fn curve(&mut self, by: Point, to: Point) -> &mut Self {
        self.go('q', &[by, to])
    }

    /// One straight stroke.
    pub fn stroke(&mut self, from: Point, to: Point) -> &mut Self {
        self.start(from).line(to)
    }

    /// A square with its corner at the upper left.
    pub fn square(&mut self, corner: Point, side: f64) -> &mut Self {
        self.start(corner);
        let side = Tenths::of(Point::new(side, 0.0)).x;
        self.command('h', &[side]);
        self.command('v', &[side]);
        self.command('h', &[-side]);
        // Closing takes the pen back to the corner.
        self.data.push('z');
        self
    }

    /// A rectangle with its corner at the upper left.
    pub fn rectangle(&mut self, corner: Point, width: f64, height: f64) -> &mut Self {
        self.start(corner);
        let Tenths { x, y } = Tenths::of(Point::new(width, height));
        self.command('h', &[x]);
        self.command('v', &[y]);
        self.command('h', &[-x]);
        self.data.push('z');
        self
    }

    /// A cross in a rectangle, from this share of its sides to the opposite one.
    pub fn cross(&mut self, corner: Point, (width, height): (f64, f64), share: f64) -> &mut Self {
        let at = |x: f64, y: f64| corner.plus(width * x, height * y);
        let far = 1.0 - share;
        self.stroke(at(share, share), at(far, far)).stroke(at(far, share), at(share, far))
    }

    /// A closed polygon.
    pub fn polygon(&mut self, corners: &[Point]) -> &mut Self {
        if let Some((&first, others)) = corners.split_first() {
            self.start(first);
            others.iter().for_each(|&corner| {
                self.line(corner);
            });
            self.data.push('z');
            self.pen = Tenths::of(first);
        }
        self
    }

    /// A command whose points are all relative to the pen, which ends up at the last.
    fn go(&mut self, letter: char, points: &[Point]) -> &mut Self {
        let pen = self.pen;
        let points: Vec<_> = points.iter().map(|&point| Tenths::of(point)).collect();
        let numbers: Vec<_> = points.iter().flat_map(|point| [point.x - pen.x, point.y - pen.y]).collect();
        self.command(letter, &numbers);
        self.pen = points.last().copied().unwrap_or(pen);
        self
    }

    fn command(&mut self, letter: char, tenths: &[i64]) {
        self.data.push(letter);
        for (i, &number) in tenths.iter().enumerate() {
            // A minus sign separates by itself.
            if i > 0 && number >= 0 {
                self.data.push(' ');
            }
            self.number(number);
        }
    }

    fn number(&mut self, tenths: i64) {
        let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        match (size / 10, size % 10) {
            (whole, 0) => write!(self.data, "{sign}{whole}"),
            (0, tenth) => write!(self.data, "{sign}.{tenth}"),
            (whole, tenth) => write!(self.data, "{sign}{whole}.{tenth}"),
        }
        .expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Point};

    #[test]
    fn strokes_are_relative_and_short() {
        let mut path = Path::default();
        path.stroke(Point::new(10.0, 20.04), Point::new(15.5, 20.0));
        path.stroke(Point::new(15.0, 18.0), Point::new(15.0, 17.5));
        path.square(Point::new(16.0, 17.5), 2.0).start(Point::new(0.0, 0.0));
        path.curve(Point::new(1.0, -1.0), Point::new(2.0, 0.0));
        assert_eq!(path.data(), "m10 20h5.5m-.5-2v-.5m1 0h2v2h-2zm-16-17.5q1-1 2 0");
    }
}
