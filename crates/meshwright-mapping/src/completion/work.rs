//! The work of divide and conquer: what dividing, solving and combining take, by computation.

use super::form::{Form, Growth, Term};
use crate::divide::Preset;
use meshwright_core::error::{Error, Result};

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
    fn other_words_are_no_work() {
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
