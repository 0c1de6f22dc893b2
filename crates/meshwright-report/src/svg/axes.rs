//! Two axes on paper: scales, round marks along them, their titles.

use super::{Point, Svg};
use meshwright_core::words::{magnitude, short};

/// How an axis is divided.
#[derive(Clone, Copy)]
pub enum Scale {
    /// From 0 to the greatest value.
    Linear(f64),
    /// From a value below 0 to one above.
    Between(f64, f64),
    /// From one power of two to another, by their exponents: equal ways are equal factors.
    Doubling(f64, f64),
}

/// So many marks stand on a scale of powers of two at most, beside the first.
const DOUBLING_MARKS_MAX: f64 = 10.0;

impl Scale {
    /// A linear scale that holds all of these values.
    pub fn linear(values: impl Iterator<Item = f64>) -> Self {
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self::Linear(if most > 0.0 { most * 1.04 } else { 1.0 })
    }

    /// A linear scale from the least of these values or 0 to the greatest.
    pub fn between(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = values
            .filter(|value| value.is_finite())
            .fold((0.0f64, 0.0f64), |(least, most), value| (least.min(value), most.max(value)));
        if least < most { Self::Between(least * 1.04, most * 1.04) } else { Self::Between(-1.0, 1.0) }
    }

    /// A scale of powers of two that holds all of these values, which are greater than 0.
    pub fn doubling(values: impl Iterator<Item = f64>) -> Self {
        let exponents = values.filter(|value| value.is_finite() && *value > 0.0).map(libm::log2);
        let (least, most) = exponents
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), e| (least.min(e), most.max(e)));
        if least <= most {
            Self::Doubling(least.floor(), most.ceil().max(least.floor() + 1.0))
        } else {
            Self::Doubling(0.0, 1.0)
        }
    }

    /// The place of a value, from 0 to 1 where it lies on the axis.
    pub fn share(self, value: f64) -> f64 {
        match self {
            Self::Linear(most) => value / most,
            Self::Between(least, most) => (value - least) / (most - least),
            Self::Doubling(least, most) => (libm::log2(value) - least) / (most - least),
        }
    }

    /// The greatest value.
    pub fn most(self) -> f64 {
        match self {
            Self::Linear(most) | Self::Between(_, most) => most,
            Self::Doubling(_, most) => libm::exp2(most),
        }
    }

    /// Where marks stand.
    pub fn marks(self) -> Vec<f64> {
        match self {
            Self::Linear(most) => marks(most).collect(),
            Self::Between(least, most) => {
                let above: Vec<f64> = marks(most.max(-least)).collect();
                let below = above.iter().skip(1).rev().map(|mark| -mark);
                below.chain(above.iter().copied()).filter(|mark| (least..=most).contains(mark)).collect()
            }
            Self::Doubling(least, most) => {
                let step = ((most - least) / DOUBLING_MARKS_MAX).ceil().max(1.0);
                let exponents = (0u32..).map(|mark| least + f64::from(mark) * step);
                exponents.take_while(|exponent| *exponent <= most).map(libm::exp2).collect()
            }
        }
    }
}

/// Two axes on paper.
pub(super) struct PlotAxes<'a> {
    /// From where to where the axis of x goes, and that of y.
    pub across: (f64, f64),
    pub down: (f64, f64),
    /// What the axes count, and in which unit.
    pub x: (Scale, &'a str),
    pub y: (Scale, &'a str),
    /// How far numbers are from the axis of y, and from that of x.
    pub numbers: (f64, f64),
    /// How far the title of y stands above, and that of x below.
    pub titles: (f64, f64),
}

impl PlotAxes<'_> {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.across.0 + self.x.0.share(value) * (self.across.1 - self.across.0)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.down.1 - self.y.0.share(value) * (self.down.1 - self.down.0)
    }

    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        Point::new(self.x(x), self.y(y))
    }

    /// Draws marks, numbers and titles; the class is that of the line at 0 of y.
    pub(super) fn draw(&self, svg: &mut Svg, zero: &str) {
        let ((left, right), (top, bottom)) = (self.across, self.down);
        for mark in self.y.0.marks() {
            let y = self.y(mark);
            let class = if mark == 0.0 { zero } else { "ruler" };
            svg.line(Point::new(left, y), Point::new(right, y), class);
            svg.text(Point::new(left - self.numbers.0, y + 4.0), "axis end", &short(mark));
        }
        for mark in self.x.0.marks() {
            let x = self.x(mark);
            svg.line(Point::new(x, bottom), Point::new(x, bottom + 5.0), "frame");
            svg.text(Point::new(x, bottom + self.numbers.1), "axis mid", &short(mark));
        }
        svg.line(Point::new(left, bottom), Point::new(right, bottom), "frame");
        svg.text(Point::new(12.0, top - self.titles.0), "note", self.y.1);
        svg.text(Point::new(right, bottom + self.titles.1), "note end", self.x.1);
    }
}

/// From 0, in steps of 1, 2 or 5 times a power of ten, at most eight.
pub(super) fn marks(greatest: f64) -> impl Iterator<Item = f64> + use<> {
    let power = power_of_ten(magnitude(greatest / 8.0));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| greatest / step <= 8.0).unwrap_or(greatest);
    (0..=(greatest / step) as u32).map(move |i| f64::from(i) * step)
}

fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten in decimal form")
}

#[cfg(test)]
mod tests {
    use super::{Scale, marks};
    use meshwright_core::words::short;

    #[test]
    fn axes_have_few_round_marks() {
        for greatest in [0.001, 0.0275, 0.11, 0.25, 1.1, 7.0, 99.0, 12_345.0] {
            let all: Vec<f64> = marks(greatest).collect();
            assert!((4..=9).contains(&all.len()), "{greatest}: {all:?}");
            assert!(all.iter().all(|&mark| mark <= greatest && short(mark).len() <= 6), "{all:?}");
        }
    }

    #[test]
    fn scales_hold_all_values() {
        let scale = Scale::between([-2.0, 5.0, f64::NAN].into_iter());
        assert!(scale.share(-2.0) > 0.0 && scale.share(5.0) < 1.0);
        assert!(scale.marks().contains(&0.0) && scale.marks().iter().any(|&mark| mark < 0.0));
        assert_eq!(Scale::linear([0.0].into_iter()).share(0.5), 0.5);
    }
}
