//! Several values of one option: `0.01,0.1`, or `0.01..1/20`, twenty of them at equal distances.

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::quantity;

/// More values than this are a slip of the pen.
const VALUES_MAX: usize = 1000;

/// One value or several, in the order of the option.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values(pub(super) Vec<f64>);

impl Values {
    /// Reads them; each is a number or a fraction that is not negative.
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut values = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                Some((first, rest)) => values.extend(range(first, rest, part)?),
                None => values.push(quantity::number(part)?),
            }
        }
        for (at, value) in values.iter().enumerate() {
            if values[..at].contains(value) {
                return Err(Error::value("list of values", format!("{value} twice"), "each value once"));
            }
        }
        if values.len() > VALUES_MAX {
            return Err(Error::value("number of values", values.len(), format!("at most {VALUES_MAX}")));
        }
        Ok(Self(values))
    }
}

/// So many numbers at equal distances: `first..last/points`.
fn range(first: &str, rest: &str, whole: &str) -> Result<Vec<f64>> {
    let bad = || {
        let expected = "FIRST..LAST/POINTS, such as 0.01..1/20 for 20 values from 0.01 to 1";
        Error::value("range", format!("`{whole}`"), expected)
    };
    let (last, points) = rest.rsplit_once('/').ok_or_else(bad)?;
    let points: usize = points.trim().parse().map_err(|_| bad())?;
    let (first, last) = (quantity::number(first)?, quantity::number(last)?);
    if !(2..=VALUES_MAX).contains(&points) || first >= last {
        return Err(bad());
    }
    let step = (last - first) / (points - 1) as f64;
    let value = |at: usize| if at + 1 == points { last } else { rounded(first + step * at as f64) };
    Ok((0..points).map(value).collect())
}

/// To twelve digits: sums of steps are written as short as they are meant.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().expect("a number that was written")
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn lists_and_ranges_are_read() {
        let read = |text| Values::read(text).map(|values| values.0);
        assert_eq!(read("0.1").unwrap(), [0.1]);
        assert_eq!(read("1/10,1").unwrap(), [0.1, 1.0]);
        assert_eq!(read("0.1..0.5/5").unwrap(), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(read("0.01,1/10..1/2/2").unwrap(), [0.01, 0.1, 0.5]);
        for bad in ["", "a", "1,1", "1..", "1..2", "1..2/", "1..2/1", "2..1/5", "1..2/x", "-1", "0..1/2000"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
