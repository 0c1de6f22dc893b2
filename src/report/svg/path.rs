//! Path data: many strokes in one element, written as short as SVG allows.

use std::fmt::Write;

use super::{Point, Px};

/// The `d` of a path under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    data: String,
}

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub(super) fn data(&self) -> &str {
        &self.data
    }

    pub(super) fn start(&mut self, at: Point) -> &mut Self {
        self.command('M', &[at])
    }

    pub(super) fn line(&mut self, to: Point) -> &mut Self {
        self.command('L', &[to])
    }

    pub(super) fn curve(&mut self, by: Point, to: Point) -> &mut Self {
        self.command('Q', &[by, to])
    }

    /// One straight stroke. Straight along an axis costs one number less, which is most strokes of a grid.
    pub(super) fn stroke(&mut self, from: Point, to: Point) -> &mut Self {
        self.start(from);
        if from.y == to.y {
            self.word(format_args!("H{}", Px(to.x)))
        } else if from.x == to.x {
            self.word(format_args!("V{}", Px(to.y)))
        } else {
            self.line(to)
        }
    }

    /// A square with its corner at the upper left.
    pub(super) fn square(&mut self, corner: Point, side: f64) -> &mut Self {
        let side = Px(side);
        self.start(corner).word(format_args!("h{side}v{side}h-{side}z"))
    }

    fn command(&mut self, letter: char, points: &[Point]) -> &mut Self {
        for (i, point) in points.iter().enumerate() {
            match i {
                0 => self.word(format_args!("{letter}{} {}", Px(point.x), Px(point.y))),
                _ => self.word(format_args!(" {} {}", Px(point.x), Px(point.y))),
            };
        }
        self
    }

    fn word(&mut self, what: std::fmt::Arguments<'_>) -> &mut Self {
        self.data.write_fmt(what).expect("writing to a string cannot fail");
        self
    }
}
