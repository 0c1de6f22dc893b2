//! Batcher's odd-even merge sort as a list of rounds: with whom a place is compared in each.

/// One round: blocks of `2^(merge + 1)` places are merged, and places `2^stride` apart are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    merge: u8,
    stride: u8,
}

impl Round {
    /// The first round of every network.
    pub const FIRST: Self = Self { merge: 0, stride: 0 };

    /// The number of the round, from 0 on: `merge (merge + 1) / 2 + merge - stride`.
    pub fn number(self) -> u16 {
        let merge = u16::from(self.merge);
        merge * (merge + 1) / 2 + merge - u16::from(self.stride)
    }

    /// The round after this one.
    pub fn next(self) -> Self {
        match self.stride {
            0 => Self { merge: self.merge + 1, stride: self.merge + 1 },
            stride => Self { stride: stride - 1, ..self },
        }
    }

    /// Whether all places below the size are sorted before this round.
    pub fn is_over(self, size: u32) -> bool {
        u64::from(size) <= 1 << self.merge
    }

    /// log2 of how far apart the two places are that are compared.
    pub fn stride(self) -> usize {
        self.stride.into()
    }

    /// The place that is compared with this one, if there is one: the smaller of the two takes the smaller record.
    ///
    /// Places from `size` on hold records larger than any, which no round moves: they are left out.
    ///
    /// # Source
    ///
    /// `batcher1968`: the odd-even merging network, unrolled.
    pub fn partner(self, place: u32, size: u32) -> Option<u32> {
        let stride = 1 << self.stride;
        // A merge begins with places in different halves of a block, and goes on across the middles between them.
        let is_lower = (place & stride == 0) == (self.stride == self.merge);
        let other = if is_lower { place.checked_add(stride)? } else { place.checked_sub(stride)? };
        let block = |place: u32| u64::from(place) >> (self.merge + 1);
        (other < size && block(other) == block(place)).then_some(other)
    }
}

/// How many rounds sort so many places: L (L + 1) / 2 with `L = ceil(log2 s)`.
pub fn rounds(size: u32) -> u32 {
    let merges = size.max(1).next_power_of_two().trailing_zeros();
    merges * (merges + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use rand::RngExt;

    fn sorted(mut records: Vec<u32>) -> Vec<u32> {
        let size = records.len() as u32;
        let (mut round, mut count) = (Round::FIRST, 0);
        while !round.is_over(size) {
            assert_eq!(u32::from(round.number()), count);
            for place in 0..size {
                let Some(other) = round.partner(place, size) else { continue };
                assert_eq!(round.partner(other, size), Some(place), "{round:?}: both know");
                assert_eq!(other.abs_diff(place), 1 << round.stride());
                if place < other && records[place as usize] > records[other as usize] {
                    records.swap(place as usize, other as usize);
                }
            }
            (round, count) = (round.next(), count + 1);
        }
        assert_eq!(count, rounds(size));
        records
    }

    #[test]
    fn every_list_of_zeros_and_ones_is_sorted() {
        // A network that sorts these sorts everything.
        for size in 0..=13u32 {
            for bits in 0..1u32 << size {
                let found = sorted((0..size).map(|place| bits >> place & 1).collect());
                assert!(found.is_sorted(), "{bits:b} of {size}");
            }
        }
    }

    #[test]
    fn random_lists_are_sorted() {
        let mut draws = rng::stream(1, "network");
        for size in [100, 255, 256, 257, 1000] {
            let records: Vec<u32> = (0..size).map(|_| draws.random_range(0..size)).collect();
            let mut expected = records.clone();
            expected.sort_unstable();
            assert_eq!(sorted(records), expected);
        }
    }
}
