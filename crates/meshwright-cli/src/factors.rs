//! Whole numbers on the command line: one, several with commas between, `1KB..1GB` by factors of four, `1KB..1GB/9` at equal factors.

use meshwright_core::{Error, Result};

/// More values than this are a slip of the pen.
const VALUES_MAX: usize = 64;

/// From one value of a range to the next, if nobody says how many there are.
const FACTOR: u64 = 4;

/// The values of a text, in increasing order, each read by `read`; `what` they are, and an `example` of a range.
pub(super) fn values(
    text: &str,
    [what, example]: [&'static str; 2],
    read: &dyn Fn(&str) -> Result<u64>,
) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            Some((first, rest)) => {
                let bad = || {
                    let expected = format!(
                        "FIRST..LAST by factors of four, such as {example}, or FIRST..LAST/POINTS at equal factors, both above 0"
                    );
                    Error::value(what, format!("`{part}`"), expected)
                };
                values.extend(range(first, rest, &bad, read)?);
            }
            None => values.push(read(part)?),
        }
    }
    values.sort_unstable();
    values.dedup();
    if values.len() > VALUES_MAX {
        return Err(Error::value("number of values", values.len(), format!("at most {VALUES_MAX}")));
    }
    Ok(values)
}

/// The values from first to last, both among them.
fn range(
    first: &str,
    rest: &str,
    bad: &dyn Fn() -> Error,
    read: &dyn Fn(&str) -> Result<u64>,
) -> Result<Vec<u64>> {
    let (last, points) = match rest.rsplit_once('/') {
        Some((last, points)) => (last, Some(points.trim().parse::<usize>().map_err(|_| bad())?)),
        None => (rest, None),
    };
    let (first, last) = (read(first)?, read(last)?);
    if first >= last || first == 0 || points.is_some_and(|points| !(2..=VALUES_MAX).contains(&points)) {
        return Err(bad());
    }
    let Some(points) = points else {
        let powers = std::iter::successors(Some(first), |&value| value.checked_mul(FACTOR));
        return Ok(powers.take_while(|&value| value < last).chain([last]).collect());
    };
    let ratio = last as f64 / first as f64;
    let value = |at: usize| (first as f64 * ratio.powf(at as f64 / (points - 1) as f64)).round() as u64;
    Ok((0..points).map(value).collect())
}
