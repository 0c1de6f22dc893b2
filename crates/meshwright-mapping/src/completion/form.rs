//! Cycles of a step as a function of the number of elements.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
