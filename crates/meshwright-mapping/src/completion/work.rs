//! The work of divide and conquer: cycles of dividing, solving and combining, as functions of the size.

use std::fmt;

use crate::divide::Preset;
use meshwright_core::error::{Error, Result};
use meshwright_core::find_or;
use meshwright_schedule::CALC_MAX;

/// How work grows with the number of elements n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// 1: the same for every size.
    Constant,
    /// n.
    Linear,
    /// n log2 n.
    LinearLog,
    /// n^(3/2).
    ThreeHalves,
    /// n^2.
    Quadratic,
    /// n^3.
    Cubic,
}

/// Every growth by what stands behind its factor on the command line.
pub const GROWTHS: &[(&str, Growth)] = &[
    ("", Growth::Constant),
    ("n", Growth::Linear),
    ("nlogn", Growth::LinearLog),
    ("n^1.5", Growth::ThreeHalves),
    ("n^2", Growth::Quadratic),
    ("n^3", Growth::Cubic),
];

impl Growth {
    /// The work on n elements, in units of the factor; nothing of a logarithm below one element.
    ///
    /// ```
    /// use meshwright_mapping::completion::Growth;
    /// assert_eq!([1.0, 8.0].map(|n| Growth::LinearLog.of(n)), [0.0, 24.0]);
    /// ```
    pub fn of(self, n: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Linear => n,
            Self::LinearLog => n * libm::log2(n.max(1.0)),
            Self::ThreeHalves => n * libm::sqrt(n),
            Self::Quadratic => n * n,
            Self::Cubic => n * n * n,
        }
    }
}

/// One summand of a [`Form`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Cycles.
    pub factor: f64,
    /// Times this.
    pub growth: Growth,
}

/// Cycles of a step as a function of its number of elements: a sum of terms, at least 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    terms: Vec<Term>,
}

impl Form {
    /// The sum of these terms, each times `unit`.
    pub fn new(terms: &[Term], unit: f64) -> Self {
        let term = |term: &Term| Term { factor: term.factor * unit, ..*term };
        Self { terms: terms.iter().map(term).filter(|term| term.factor != 0.0).collect() }
    }

    /// Reads `2nlogn`, `200+1.5n`, `n^2`: factors, and behind them one of [`GROWTHS`].
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for anything else, and for a factor that is negative or infinite.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::completion::Form;
    /// let form = Form::parse("200+1.5n")?;
    /// assert_eq!((form.cycles(10.0)?, form.to_string()), (215, "200 + 1.5 n".to_string()));
    /// assert!(Form::parse("2m").is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let bad = |part: &str| {
            let expected =
                "a sum of cycles such as 200+1.5n or 2nlogn, with n, nlogn, n^1.5, n^2 or n^3 for n elements";
            Error::value("work", format!("`{part}`"), expected)
        };
        let term = |part: &str| {
            let part = part.trim();
            let end = part.find('n').unwrap_or(part.len());
            let (factor, growth) = part.split_at(end);
            let growth = find_or(growth, GROWTHS, |entry| entry.0, |_| bad(part))?.1;
            let factor = match factor.trim().trim_end_matches('*') {
                "" if end < part.len() => 1.0,
                factor => factor.trim().parse::<f64>().map_err(|_| bad(part))?,
            };
            if factor >= 0.0 && factor.is_finite() { Ok(Term { factor, growth }) } else { Err(bad(part)) }
        };
        let terms = text.split('+').map(term).collect::<Result<Vec<Term>>>()?;
        Ok(Self::new(&terms, 1.0))
    }

    /// The work on n elements, in cycles and not rounded.
    pub fn exact(&self, n: f64) -> f64 {
        self.terms.iter().map(|term| term.factor * term.growth.of(n)).sum::<f64>().max(0.0)
    }

    /// The work on n elements, rounded to whole cycles.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when it is longer than [`CALC_MAX`].
    pub fn cycles(&self, n: f64) -> Result<u64> {
        whole_cycles(self.exact(n))
    }
}

/// A computation in whole cycles, if it is not too long.
pub(super) fn whole_cycles(cycles: f64) -> Result<u64> {
    if cycles <= CALC_MAX.0 as f64 {
        return Ok(cycles.round() as u64);
    }
    Err(Error::TooLarge {
        what: "the work of one task",
        needed: format!("{cycles:.3e} cycles"),
        limit: format!("{} cycles", CALC_MAX.0),
    })
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (index, Term { factor, growth }) in self.terms.iter().enumerate() {
            let sign = match (index, *factor < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let growth = match growth {
                Growth::Constant => "",
                Growth::Linear => " n",
                Growth::LinearLog => " n log2 n",
                Growth::ThreeHalves => " n^1.5",
                Growth::Quadratic => " n^2",
                Growth::Cubic => " n^3",
            };
            write!(f, "{sign}{}{growth}", factor.abs())?;
        }
        Ok(())
    }
}

/// The work of a computation at each of the paper's steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Dividing n elements into two parts.
    pub divide: Form,
    /// Solving n elements without dividing them.
    pub leaf: Form,
    /// Combining two results into that of n elements.
    pub combine: Form,
}

/// The work of a computation in units of one operation: what `--work W` multiplies.
#[derive(Clone, Copy, Debug)]
pub struct UnitWork {
    /// As [`Work::divide`].
    pub divide: &'static [Term],
    /// As [`Work::leaf`].
    pub leaf: &'static [Term],
    /// As [`Work::combine`].
    pub combine: &'static [Term],
}

const fn term(factor: f64, growth: Growth) -> Term {
    Term { factor, growth }
}

/// One operation for each element.
const EACH: &[Term] = &[term(1.0, Growth::Linear)];
/// One operation for each pair of values on the way to a single one.
const PAIRS: &[Term] = &[term(1.0, Growth::Linear), term(-1.0, Growth::Constant)];
const ONE: &[Term] = &[term(1.0, Growth::Constant)];

impl UnitWork {
    /// Everyone works on an own part: an operation for each element.
    pub const PARTS: Self = Self { divide: &[], leaf: EACH, combine: &[] };
    /// n values become one: n - 1 operations, wherever they are done.
    pub const VALUES: Self = Self { divide: &[], leaf: PAIRS, combine: ONE };
    /// Merge sort: n log2 n comparisons at a leaf, n where two lists are merged; n log2 n in all, however deep.
    pub const SORT: Self = Self { divide: &[], leaf: &[term(1.0, Growth::LinearLog)], combine: EACH };
    /// The n (n - 1) / 2 pairs of n vertices, nearly n^2 / 2: a leaf looks at all of its own, and whoever halves n vertices at the
    /// n^2 / 4 between the halves.
    pub const MATRIX: Self = Self {
        divide: &[term(0.25, Growth::Quadratic)],
        leaf: &[term(0.5, Growth::Quadratic)],
        combine: &[],
    };
}

impl Work {
    /// The work of a well-known computation whose operation takes `unit` cycles.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::completion::Work;
    /// use meshwright_mapping::divide::PRESETS;
    /// let sort = PRESETS.iter().find(|preset| preset.name == "merge-sort").unwrap();
    /// let work = Work::of(sort, 3.0);
    /// // Two halves and their merging are as much work as the whole.
    /// assert_eq!(2 * work.leaf.cycles(32.0)? + work.combine.cycles(64.0)?, work.leaf.cycles(64.0)?);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn of(preset: &Preset, unit: f64) -> Self {
        let UnitWork { divide, leaf, combine } = preset.work;
        Self {
            divide: Form::new(divide, unit),
            leaf: Form::new(leaf, unit),
            combine: Form::new(combine, unit),
        }
    }

    /// The work as the command line says it: one number, the cycles of an operation of the preset (without a preset, of each
    /// element at a leaf), or forms by step, as in `leaf=2nlogn,combine=3n`.
    ///
    /// # Errors
    ///
    /// As for [`Form::parse`], and for another step than `divide`, `leaf` and `combine`, or one that is given twice.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::completion::{Form, Work};
    /// let work = Work::parse("leaf=2nlogn,combine=3n", None)?;
    /// assert_eq!((work.combine, work.divide), (Form::parse("3n")?, Form::default()));
    /// assert_eq!(Work::parse("5", None)?.leaf, Form::parse("5n")?);
    /// assert!(Work::parse("leaves=2", None).is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn parse(text: &str, preset: Option<&Preset>) -> Result<Self> {
        if !text.contains('=') {
            let expected = "cycles of an operation, such as 12, or forms by step, as in leaf=2nlogn,combine=3n,divide=100";
            let unit = text.trim().parse::<f64>().ok().filter(|unit| *unit >= 0.0 && unit.is_finite());
            let unit = unit.ok_or_else(|| Error::value("work", format!("`{text}`"), expected))?;
            let parts = Self { leaf: Form::new(EACH, unit), ..Self::default() };
            return Ok(preset.map_or(parts, |preset| Self::of(preset, unit)));
        }
        let mut steps: [(&str, Option<Form>); 3] = [("divide", None), ("leaf", None), ("combine", None)];
        for part in text.split(',') {
            let expected = "divide=, leaf= and combine= with a form each, such as leaf=2nlogn,combine=3n";
            let bad = || Error::value("work", format!("`{part}`"), expected);
            let (name, form) = part.split_once('=').ok_or_else(bad)?;
            let step = steps.iter_mut().find(|(step, form)| *step == name.trim() && form.is_none());
            step.ok_or_else(bad)?.1 = Some(Form::parse(form)?);
        }
        let [divide, leaf, combine] = steps.map(|(_, form)| form.unwrap_or_default());
        Ok(Self { divide, leaf, combine })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::divide::PRESETS;

    #[test]
    fn forms_are_read_as_they_are_shown() {
        for (text, shown) in [
            ("12", "12"),
            ("n", "1 n"),
            ("0.25nlogn+7", "0.25 n log2 n + 7"),
            ("2*n^1.5+n^3", "2 n^1.5 + 1 n^3"),
            ("0", "0"),
        ] {
            assert_eq!(Form::parse(text).unwrap().to_string(), shown);
        }
        for text in ["", "+", "n+", "nn", "-3n", "infn", "nan", "3n^4", "3 bytes"] {
            assert!(Form::parse(text).is_err(), "{text}");
        }
        for text in ["", "x", "-1", "inf", "leaf=", "leaf=1,leaf=2", "leaf=1,2"] {
            assert!(Work::parse(text, None).is_err(), "{text}");
        }
    }

    /// However deep a problem is divided, the operations are the same.
    #[test]
    fn work_is_conserved() {
        for preset in PRESETS {
            let name = preset.name;
            let Work { divide, leaf, combine } = Work::of(preset, 6.0);
            for depth in 0..=8 {
                let leaves = f64::from(1 << depth) * leaf.exact(f64::from(1 << (10 - depth)));
                let inner = |i: i32| {
                    let n = f64::from(1 << (10 - i));
                    f64::from(1 << i) * (divide.exact(n) + combine.exact(n))
                };
                assert_eq!(
                    leaves + (0..depth).map(inner).sum::<f64>(),
                    leaf.exact(1024.0),
                    "{name}, {depth}"
                );
            }
        }
    }
}
