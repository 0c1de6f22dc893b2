//! Rows of numbers whose greatest one is always known, and a smooth stand-in for it.
//!
//! Over every row stands a tree in which a node is the greatest of its 16 children. A changed number passes up as far
//! as it changes a maximum, mostly one step. Besides, each row keeps the sum of the fourth powers of its
//! numbers, in whole quanta, so that no rounding error builds up: its fourth root falls with every number that
//! falls, while the greatest stays the same until the last of its equals has gone.

const FAN: usize = 16;
/// A row of 2^30 numbers has 7 levels below its top.
const LEVELS: usize = 8;
/// No quantum count is larger than this: 2^31 numbers to the fourth power still fit into 128 bits.
const QUANTA_MAX: u64 = 1 << 24;

#[derive(Clone, Debug)]
struct MaximaRow {
    starts: [usize; LEVELS],
    depth: usize,
    length: usize,
    shift: u32,
    powers: u128,
}

/// Rows of numbers with their maxima.
#[derive(Clone, Debug)]
pub(super) struct Maxima {
    cells: Vec<u64>,
    rows: Vec<MaximaRow>,
}

/// The fourth root of `powers` quanta, in units.
pub(super) fn fourth_root(powers: u128, shift: u32) -> f64 {
    (powers as f64).sqrt().sqrt() * (1u64 << shift) as f64
}

/// The quantum of a row whose numbers are sums of parts of about `part`: parts have some thousand quanta.
pub(super) fn quantum(part: u64) -> u32 {
    (64 - part.leading_zeros()).saturating_sub(10)
}

/// A number in quanta, to the fourth power.
pub(super) fn fourth_power(number: u64, shift: u32) -> u128 {
    let quanta = u128::from((number >> shift).min(QUANTA_MAX));
    quanta * quanta * quanta * quanta
}

impl Maxima {
    /// Rows of zeros: for each its length and the usual size of a part of its numbers.
    pub(super) fn new(rows: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut cells = 0;
        let mut row = |(length, part): (usize, u64)| {
            let (mut starts, mut depth, mut level) = ([0; LEVELS], 0, length.max(1));
            loop {
                starts[depth] = cells;
                cells += level.next_multiple_of(FAN);
                if level == 1 {
                    break;
                }
                level = level.div_ceil(FAN);
                depth += 1;
            }
            MaximaRow { starts, depth, length, shift: quantum(part), powers: 0 }
        };
        let rows = rows.map(&mut row).collect();
        Self { cells: vec![0; cells], rows }
    }

    /// Makes every number 0.
    pub(super) fn clear(&mut self) {
        self.cells.fill(0);
        self.rows.iter_mut().for_each(|row| row.powers = 0);
    }

    /// A number.
    #[inline]
    pub(super) fn get(&self, row: usize, index: usize) -> u64 {
        self.cells[self.rows[row].starts[0] + index]
    }

    /// Changes a number.
    #[inline]
    pub(super) fn set(&mut self, row: usize, index: usize, number: u64) {
        let row = &mut self.rows[row];
        let (mut at, mut new) = (index, number);
        let mut old = std::mem::replace(&mut self.cells[row.starts[0] + at], new);
        if old == new {
            return;
        }
        row.powers = row.powers + fourth_power(new, row.shift) - fourth_power(old, row.shift);
        for level in 0..row.depth {
            let parent = row.starts[level + 1] + at / FAN;
            let before = self.cells[parent];
            if new < before && old < before {
                return;
            }
            if new < before {
                let first = row.starts[level] + at / FAN * FAN;
                new = self.cells[first..first + FAN].iter().copied().max().unwrap_or(0);
            }
            if new == before {
                return;
            }
            self.cells[parent] = new;
            (old, at) = (before, at / FAN);
        }
    }

    /// The greatest number of a row.
    #[inline]
    pub(super) fn max(&self, row: usize) -> u64 {
        self.cells[self.rows[row].starts[self.rows[row].depth]]
    }

    /// Where the greatest number of a row stands, the first one at or after `from`, going round.
    pub(super) fn place_of_max(&self, row: usize, from: usize) -> usize {
        let max = self.max(row);
        let MaximaRow { starts, length, .. } = self.rows[row];
        let numbers = &self.cells[starts[0]..starts[0] + length];
        let found = |numbers: &[u64]| numbers.iter().position(|&number| number == max);
        found(&numbers[from..]).map(|place| place + from).or_else(|| found(&numbers[..from])).unwrap_or(0)
    }

    /// The fourth root of the sum of fourth powers of a row: at least its maximum, up to quanta.
    #[inline]
    pub(super) fn smooth(&self, row: usize) -> f64 {
        fourth_root(self.rows[row].powers, self.rows[row].shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn maxima_and_powers_stay_right() {
        let lengths = [1usize, 15, 16, 17, 300, 5000];
        let mut maxima = Maxima::new(lengths.iter().map(|&length| (length, 1 << 12)));
        let mut plain: Vec<Vec<u64>> = lengths.iter().map(|&length| vec![0; length]).collect();
        let mut rng = meshwright_core::rng::stream(1, "maxima");
        for _ in 0..20_000 {
            let row = rng.random_range(0..lengths.len());
            let index = rng.random_range(0..lengths[row]);
            let number = rng.random_range(0..6) * 1000;
            maxima.set(row, index, number);
            plain[row][index] = number;
            let greatest = *plain[row].iter().max().unwrap();
            assert_eq!(maxima.max(row), greatest);
            assert_eq!(plain[row][maxima.place_of_max(row, index)], greatest);
        }
        for (row, numbers) in plain.iter().enumerate() {
            let powers: u128 = numbers.iter().map(|&number| fourth_power(number, quantum(1 << 12))).sum();
            assert_eq!(maxima.smooth(row).to_bits(), fourth_root(powers, quantum(1 << 12)).to_bits());
            assert!(
                maxima.smooth(row) + 8.0 >= maxima.max(row) as f64,
                "at least the maximum, up to a quantum"
            );
        }
    }
}
