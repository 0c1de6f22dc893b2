//! Sets of block numbers as ranges.

/// A set of numbers: increasing ranges that do not touch each other, first and end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    /// The set of these ranges, in any order; they may overlap.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, end) in ranges {
            match all.last_mut() {
                Some((_, before)) if *before >= first => *before = end.max(*before),
                _ => all.push((first, end)),
            }
        }
        Self(all)
    }

    /// The ranges.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// How many numbers there are.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(first, end)| end - first).sum()
    }

    /// Both together.
    pub fn with(&self, other: &Self) -> Self {
        Self::new([self.0.as_slice(), &other.0].concat())
    }

    /// What is not in the other.
    ///
    /// # Complexity
    ///
    /// O(ranges of both).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::ranges::Ranges;
    /// let (all, some) = (Ranges::new(vec![(0, 4), (4, 9)]), Ranges::new(vec![(2, 3), (7, 12)]));
    /// assert_eq!(all.without(&some).ranges(), [(0, 2), (3, 7)]);
    /// assert_eq!(all.with(&some).ranges(), [(0, 12)]);
    /// ```
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Vec::with_capacity(self.0.len());
        let mut at = 0;
        for &(mut first, end) in &self.0 {
            while other.0.get(at).is_some_and(|hole| hole.1 <= first) {
                at += 1;
            }
            for &(hole, after) in other.0[at..].iter().take_while(|hole| hole.0 < end) {
                if first < hole {
                    left.push((first, hole));
                }
                first = after;
            }
            if first < end {
                left.push((first, end));
            }
        }
        Self(left)
    }
}
