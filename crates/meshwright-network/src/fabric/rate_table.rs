//! Bandwidth by message size.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Ratio};

/// The most bytes per cycle that a message of a size ever gets, linear between the sizes of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateTable {
    /// Sizes in bytes, growing, with the rate in bytes per cycle.
    points: Vec<(u64, f64)>,
}

impl RateTable {
    /// A table; below its first and beyond its last size the rate is that of the nearest.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when sizes do not grow or a rate is 0.
    pub fn new(points: &[(Bytes, Ratio)]) -> Result<Self> {
        if let Some(pair) = points.windows(2).find(|pair| pair[0].0.0 >= pair[1].0.0) {
            return Err(Error::value("a size of the rate table", pair[1].0.0, "sizes that grow"));
        }
        let point = |&(size, rate): &(Bytes, Ratio)| Ok((size.0, super::positive("rate of a size", rate)?));
        Ok(Self { points: points.iter().map(point).collect::<Result<_>>()? })
    }

    /// The rate for messages of this size; infinite if the table is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Bytes, Ratio};
    /// use meshwright_network::fabric::RateTable;
    /// let table = RateTable::new(&[(Bytes(128), Ratio::whole(6)), (Bytes(256), Ratio::whole(10))])?;
    /// assert_eq!([64, 192, 4096].map(|size| table.rate(Bytes(size))), [6.0, 8.0, 10.0]);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn rate(&self, size: Bytes) -> f64 {
        let after = self.points.partition_point(|&(bytes, _)| bytes < size.0);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (None, None) => f64::INFINITY,
            (Some((_, rate)), None) | (None, Some(&(_, rate))) => rate,
            (Some((low, slow)), Some(&(high, fast))) => {
                slow + (fast - slow) * (size.0 - low) as f64 / (high - low) as f64
            }
        }
    }

    /// The points of the table.
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points
    }
}
