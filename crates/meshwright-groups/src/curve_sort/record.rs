//! What is sorted: labels as numbers of few bits.

use super::counting;
use crate::mask::Extent;
use crate::protocol::Label;
use meshwright_core::units::Bytes;

/// What one member brings to a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its colour and its key.
    pub label: Label,
    /// Where its node stands on the curve.
    pub step: u32,
    /// Its rank.
    pub rank: u32,
}

/// Records as numbers: each part as its excess over the least, in as many bits as the largest needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding {
    least: Label,
    colour: u32,
    key: u32,
    step: u32,
    rank: u32,
    size: u32,
}

/// The bits of a number from 0 to this one.
fn width(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

/// The low bits of a code, taken off.
fn split_off(code: &mut u128, bits: u32) -> u32 {
    let low = (*code & ((1 << bits) - 1)) as u32;
    *code >>= bits;
    low
}

/// So many bits as bytes.
fn bytes(bits: u32) -> Bytes {
    Bytes(u64::from(bits.div_ceil(8).max(1)))
}

impl Coding {
    /// Of `size` members with labels in this extent on a curve of so many steps; with ranks only where these differ from
    /// the order of the curve.
    pub fn new(extent: Extent, steps: u32, size: u32, is_reordered: bool) -> Self {
        let (colours, keys) = (extent.colours, extent.keys);
        Self {
            least: Label { colour: colours.0, key: keys.0 },
            colour: width(colours.1 - colours.0),
            key: width(keys.1 - keys.0),
            step: width(steps - 1),
            rank: if is_reordered { width(size - 1) } else { 0 },
            size: width(size),
        }
    }

    /// How many passes sort the colours by counting.
    pub fn passes(&self) -> u32 {
        counting::passes(self.colour)
    }

    /// The length of the counts of all digits.
    pub fn counts_bytes(&self) -> Bytes {
        self.bytes(0, 1 << counting::DIGIT.min(self.colour))
    }

    /// The length of a record on its way to a place.
    pub fn move_bytes(&self) -> Bytes {
        bytes(self.colour + self.step + self.key + self.rank + self.size)
    }

    /// Whether all colours are equal.
    pub fn has_one_colour(&self) -> bool {
        self.colour == 0
    }

    /// Whether the members of a new group may have other ranks than their places on the curve.
    pub fn reorders(&self) -> bool {
        self.key + self.rank > 0
    }

    /// As a number in the order of (colour, step).
    pub fn by_colour(&self, record: &Record) -> u128 {
        let Record { label, step, rank } = *record;
        let mut code = u128::from(label.colour - self.least.colour);
        for (number, bits) in [(step, self.step), (label.key - self.least.key, self.key), (rank, self.rank)] {
            code = code << bits | u128::from(number) & ((1 << bits) - 1);
        }
        code
    }

    /// The same record as a number in the order of (key, rank, step), without its colour.
    pub fn by_key(&self, mut code: u128) -> u128 {
        let rank = split_off(&mut code, self.rank);
        let key = split_off(&mut code, self.key);
        let step = split_off(&mut code, self.step);
        (u128::from(key) << self.rank | u128::from(rank)) << self.step | u128::from(step)
    }

    /// The colour, as its excess, and the step of a record by colour.
    pub fn colour_and_step(&self, mut code: u128) -> (u32, u32) {
        code >>= self.rank + self.key;
        let step = split_off(&mut code, self.step);
        (code as u32, step)
    }

    /// The step of a record by key.
    pub fn step_by_key(&self, mut code: u128) -> u32 {
        split_off(&mut code, self.step)
    }

    /// The length of a record by colour; without the colour, of one by key.
    pub fn record_bytes(&self, has_colour: bool) -> Bytes {
        bytes(self.step + self.key + self.rank + if has_colour { self.colour } else { 0 })
    }

    /// The length of a colour and a step.
    pub fn beside_bytes(&self) -> Bytes {
        bytes(self.colour + self.step)
    }

    /// The length of `nodes` nodes and `counts` ranks or sizes.
    pub fn bytes(&self, nodes: u32, counts: u32) -> Bytes {
        bytes(nodes * self.step + counts * self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_their_orders() {
        let label = |colour, key| Label { colour, key };
        let extent = Extent { colours: (3, 9), keys: (0, u32::MAX) };
        for is_reordered in [false, true] {
            let coding = Coding::new(extent, 64, 40, is_reordered);
            let mut all = Vec::new();
            for number in 0..40u32 {
                let key = number.wrapping_mul(2_654_435_761);
                all.push(Record { label: label(3 + number % 7, key), step: 63 - number, rank: number });
            }
            let mut by_colour = all.clone();
            by_colour.sort_by_key(|record| coding.by_colour(record));
            assert!(by_colour.is_sorted_by_key(|record| (record.label.colour, record.step)));
            let code = |record: &Record| coding.by_key(coding.by_colour(record));
            all.sort_by_key(code);
            assert!(all.is_sorted_by_key(|record| record.label.key));
            for record in &all {
                let (colour, step) = coding.colour_and_step(coding.by_colour(record));
                assert_eq!((colour + 3, step), (record.label.colour, record.step));
                assert_eq!(coding.step_by_key(code(record)), record.step);
            }
            assert_eq!(coding.record_bytes(true), Bytes(6), "41 bits, and 6 of the rank");
        }
        let widest = Extent { colours: (0, u32::MAX), keys: (0, u32::MAX) };
        let coding = Coding::new(widest, u32::MAX, u32::MAX, true);
        assert_eq!(coding.record_bytes(true), Bytes(16));
        let record = Record { label: label(u32::MAX, u32::MAX), step: u32::MAX - 1, rank: 7 };
        assert_eq!(coding.colour_and_step(coding.by_colour(&record)), (u32::MAX, u32::MAX - 1));
    }
}
