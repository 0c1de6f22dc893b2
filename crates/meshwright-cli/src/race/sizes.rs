//! What `--bytes` says: `1MB`, `1KB,64KB,1MB`, `1KB..1GB` by factors of four, `1KB..1GB/9` at equal factors.

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::quantity;

/// More sizes than this are a slip of the pen.
const SIZES_MAX: usize = 64;

/// From one size of a range to the next, if nobody says how many there are.
const FACTOR: u64 = 4;

/// One size or several, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes(pub(super) Vec<u64>);

impl Sizes {
    /// Reads them.
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                Some((first, rest)) => sizes.extend(range(first, rest, part)?),
                None => sizes.push(quantity::bytes(part)?.0),
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() > SIZES_MAX {
            return Err(Error::value("number of sizes", sizes.len(), format!("at most {SIZES_MAX}")));
        }
        Ok(Self(sizes))
    }
}

/// The sizes from first to last, both among them.
fn range(first: &str, rest: &str, whole: &str) -> Result<Vec<u64>> {
    let bad = || {
        let expected = "FIRST..LAST by factors of four, such as 1KB..1GB, or FIRST..LAST/POINTS";
        Error::value("range of sizes", format!("`{whole}`"), expected)
    };
    let (last, points) = match rest.rsplit_once('/') {
        Some((last, points)) => (last, Some(points.trim().parse::<usize>().map_err(|_| bad())?)),
        None => (rest, None),
    };
    let (first, last) = (quantity::bytes(first)?.0, quantity::bytes(last)?.0);
    if first >= last || points.is_some_and(|points| !(2..=SIZES_MAX).contains(&points)) {
        return Err(bad());
    }
    let Some(points) = points else {
        let powers = std::iter::successors(Some(first), |&size| size.checked_mul(FACTOR));
        return Ok(powers.take_while(|&size| size < last).chain([last]).collect());
    };
    let ratio = last as f64 / first as f64;
    let size = |at: usize| (first as f64 * ratio.powf(at as f64 / (points - 1) as f64)).round() as u64;
    Ok((0..points).map(size).collect())
}

#[cfg(test)]
mod tests {
    use super::Sizes;

    #[test]
    fn lists_and_ranges_are_read() {
        let read = |text| Sizes::read(text).map(|sizes| sizes.0);
        assert_eq!(read("1MB").unwrap(), [1_000_000]);
        assert_eq!(read("64KiB,1KB").unwrap(), [1000, 65536]);
        assert_eq!(read("1KB..100KB").unwrap(), [1000, 4000, 16000, 64000, 100_000]);
        assert_eq!(read("1KB..1MB/4").unwrap(), [1000, 10_000, 100_000, 1_000_000]);
        for bad in ["", "x", "0", "1KB..", "1KB..1KB", "2KB..1KB", "1KB..1MB/1", "1KB..1MB/x", "1KB..1MB/65"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
