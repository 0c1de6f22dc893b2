//! The greatest of any run of numbers: maxima of blocks, of blocks of blocks, and so on.

/// Numbers in a block.
const BLOCK: usize = 8;

/// Maxima of the blocks of some numbers, level by level.
#[derive(Debug)]
pub(super) struct RangeMaxima<'n> {
    numbers: &'n [u64],
    levels: Vec<Vec<u64>>,
}

impl<'n> RangeMaxima<'n> {
    /// O(numbers).
    pub(super) fn new(numbers: &'n [u64]) -> Self {
        let most = |block: &[u64]| block.iter().copied().max().unwrap_or(0);
        let above = |below: &[u64]| below.chunks(BLOCK).map(most).collect::<Vec<u64>>();
        let mut levels: Vec<Vec<u64>> = Vec::new();
        let mut next = above(numbers);
        while next.len() > 1 {
            let higher = above(&next);
            levels.push(std::mem::replace(&mut next, higher));
        }
        Self { numbers, levels }
    }

    /// The greatest of the numbers from `first` to the one before `end`; 0 if there are none. O(log numbers).
    #[inline]
    pub(super) fn most(&self, mut first: usize, mut end: usize) -> u64 {
        let of = |numbers: &[u64]| numbers.iter().copied().max().unwrap_or(0);
        let (mut most, mut numbers) = (0, self.numbers);
        for level in &self.levels {
            let (after, before) = (first.div_ceil(BLOCK), end / BLOCK);
            if after >= before {
                break;
            }
            most = most.max(of(&numbers[first..after * BLOCK])).max(of(&numbers[before * BLOCK..end]));
            (first, end, numbers) = (after, before, level);
        }
        most.max(of(&numbers[first.min(end)..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_greatest_of_a_run_is_that_of_its_numbers(
            numbers in prop::collection::vec(0u64..1000, 0..700),
            ends in prop::collection::vec((0usize..700, 0usize..700), 1..50),
        ) {
            let maxima = RangeMaxima::new(&numbers);
            for (a, b) in ends {
                let (first, end) = (a.min(b).min(numbers.len()), a.max(b).min(numbers.len()));
                prop_assert_eq!(maxima.most(first, end), numbers[first..end].iter().copied().max().unwrap_or(0));
            }
        }
    }
}
