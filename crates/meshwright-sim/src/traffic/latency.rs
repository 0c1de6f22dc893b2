//! Latencies of packets, exactly: every value is kept, so that percentiles are nearest ranks and sums are whole.

use std::collections::BTreeMap;

use meshwright_core::statistics::student_t95;

/// Latencies below this have a counter of their own in a flat table; longer ones are rare.
const DENSE: u64 = 1 << 16;

/// The distribution of packet latencies in cycles, with sums per batch for the confidence interval.
///
/// The measured interval is divided into batches of equal length by the creation time of the packets. The means
/// of long batches are nearly independent, which single latencies in a queue are not.
///
/// # Examples
///
/// ```
/// use meshwright_sim::traffic::Latencies;
/// let mut latencies = Latencies::new(2);
/// for (batch, latency) in [(0, 10), (0, 12), (1, 14), (1, 100)] {
///     latencies.record(batch, latency, 3);
/// }
/// assert_eq!((latencies.count(), latencies.mean(), latencies.max()), (4, 34.0, 100));
/// assert_eq!((latencies.percentile(50), latencies.percentile(99)), (12, 100));
/// assert_eq!(latencies.hops_mean(), 3.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    /// How many packets had each latency below [`DENSE`]; as long as the longest of them asks for.
    dense: Vec<u64>,
    /// The same for longer ones.
    sparse: BTreeMap<u64, u64>,
    batches: Vec<Batch>,
    hops: u128,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Batch {
    count: u64,
    sum: u128,
}

impl Latencies {
    /// No latencies yet, in so many batches.
    ///
    /// # Panics
    ///
    /// When there is no batch.
    pub fn new(batches: usize) -> Self {
        assert!(batches > 0, "latencies are recorded in at least one batch");
        Self { batches: vec![Batch::default(); batches], ..Self::default() }
    }

    /// Counts one packet: the batch it was created in, cycles from its creation to its last flit's arrival, links
    /// passed.
    ///
    /// # Panics
    ///
    /// When there is no such batch.
    ///
    /// # Complexity
    ///
    /// O(1) below 65,536 cycles, else O(log distinct latencies); memory grows with the longest latency below
    /// that limit and the number of distinct ones above.
    #[inline]
    pub fn record(&mut self, batch: usize, latency: u64, hops: u32) {
        if latency < DENSE {
            let index = latency as usize;
            if index >= self.dense.len() {
                self.dense.resize((index + 1).next_power_of_two(), 0);
            }
            self.dense[index] += 1;
        } else {
            *self.sparse.entry(latency).or_default() += 1;
        }
        let batch = &mut self.batches[batch];
        batch.count += 1;
        batch.sum += u128::from(latency);
        self.hops += u128::from(hops);
    }

    /// Adds the packets that another thread counted; the order of merging changes nothing.
    ///
    /// # Panics
    ///
    /// When the numbers of batches differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.batches.len(), other.batches.len(), "merged latencies have the same batches");
        if self.dense.len() < other.dense.len() {
            self.dense.resize(other.dense.len(), 0);
        }
        for (mine, theirs) in self.dense.iter_mut().zip(&other.dense) {
            *mine += theirs;
        }
        for (&latency, &count) in &other.sparse {
            *self.sparse.entry(latency).or_default() += count;
        }
        for (mine, theirs) in self.batches.iter_mut().zip(&other.batches) {
            mine.count += theirs.count;
            mine.sum += theirs.sum;
        }
        self.hops += other.hops;
    }

    /// How many packets.
    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.count).sum()
    }

    /// The mean latency in cycles; 0 of no packet.
    pub fn mean(&self) -> f64 {
        let sum: u128 = self.batches.iter().map(|batch| batch.sum).sum();
        mean(sum, self.count())
    }

    /// The mean number of links; 0 of no packet.
    pub fn hops_mean(&self) -> f64 {
        mean(self.hops, self.count())
    }

    /// Half the width of the 95 % confidence interval of the mean, in cycles, by batch means.
    ///
    /// ```text
    /// t(0.975, B - 1) * sqrt( sum (m_i - m)^2 / ((B - 1) B) )
    /// ```
    ///
    /// m_i are the means of the B batches with packets, m is their mean. With fewer than two such batches nothing
    /// is known about the spread, and there is no interval.
    ///
    /// # Source
    ///
    /// `law2015`, section 9.5.3 (batch means).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::traffic::Latencies;
    /// let mut latencies = Latencies::new(2);
    /// latencies.record(0, 10, 1);
    /// assert_eq!(latencies.ci95(), None);
    /// latencies.record(1, 12, 1);
    /// // Two means, one from their mean each: t(0.975, 1) = 12.706.
    /// assert!((latencies.ci95().expect("two batches") - 12.706).abs() < 1e-3);
    /// ```
    pub fn ci95(&self) -> Option<f64> {
        let full = || self.batches.iter().filter(|batch| batch.count > 0);
        let batches = full().count();
        if batches < 2 {
            return None;
        }
        let number = batches as f64;
        let means = || full().map(|batch| mean(batch.sum, batch.count));
        let centre = means().sum::<f64>() / number;
        let squares: f64 = means().map(|mean| (mean - centre).powi(2)).sum();
        Some(student_t95(batches - 1) * (squares / ((number - 1.0) * number)).sqrt())
    }

    /// The least latency that at least `percent` of a hundred packets do not exceed; 0 of no packet.
    ///
    /// # Panics
    ///
    /// When `percent` is not from 1 to 100.
    ///
    /// # Complexity
    ///
    /// O(distinct latencies).
    pub fn percentile(&self, percent: u32) -> u64 {
        assert!((1..=100).contains(&percent), "a percentile lies between 1 and 100");
        let rank = (u128::from(self.count()) * u128::from(percent)).div_ceil(100);
        let mut passed = 0u128;
        let reached = self.values().find(|&(_, count)| {
            passed += u128::from(count);
            passed >= rank
        });
        reached.map_or(0, |(latency, _)| latency)
    }

    /// The longest latency; 0 of no packet.
    pub fn max(&self) -> u64 {
        self.percentile(100)
    }

    /// Every latency that occurred with its count, in increasing order.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let dense = self.dense.iter().enumerate().map(|(latency, &count)| (latency as u64, count));
        let sparse = self.sparse.iter().map(|(&latency, &count)| (latency, count));
        dense.chain(sparse).filter(|&(_, count)| count > 0)
    }
}

fn mean(sum: u128, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition on a sorted list, with values on both sides of the dense table.
    #[test]
    fn percentiles_are_nearest_ranks_and_merging_is_counting() {
        let values: Vec<u64> = (0..1000u64).map(|i| (i * i * 7919) % 131_072).collect();
        let mut whole = Latencies::new(4);
        let mut parts = [Latencies::new(4), Latencies::new(4)];
        for (i, &value) in values.iter().enumerate() {
            whole.record(i % 4, value, i as u32);
            parts[usize::from(value > 500)].record(i % 4, value, i as u32);
        }
        let [mut merged, other] = parts;
        merged.merge(&other);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for percent in [1, 50, 99, 100] {
            let rank = (sorted.len() * percent).div_ceil(100);
            assert_eq!(whole.percentile(percent as u32), sorted[rank - 1]);
            assert_eq!(merged.percentile(percent as u32), sorted[rank - 1]);
        }
        assert_eq!(whole.max(), *sorted.last().unwrap());
        assert!(sorted.iter().any(|&value| value >= DENSE), "the tail is tried");
        assert_eq!(whole.mean(), sorted.iter().sum::<u64>() as f64 / 1000.0);
        assert_eq!(whole.hops_mean(), 499.5);
        assert_eq!((merged.mean(), merged.ci95(), merged.count()), (whole.mean(), whole.ci95(), 1000));
        assert!(merged.values().eq(whole.values()));
    }

    #[test]
    fn nothing_measured_is_no_number_but_zero() {
        let none = Latencies::new(3);
        assert_eq!((none.count(), none.mean(), none.hops_mean(), none.max()), (0, 0.0, 0.0, 0));
        assert_eq!((none.percentile(50), none.ci95()), (0, None));
    }
}
