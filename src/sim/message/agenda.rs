//! What happens when: a radix heap over times that never go back.
//!
//! Entries lie in the bucket of the highest bit in which their time differs from the present. Only when the
//! present moves on is one bucket dealt out again, so every entry moves at most 64 times, mostly once or
//! twice, and always in order through memory. All entries of one moment come out together.

use std::fmt::Debug;

/// Entries to come, in order of their times.
#[derive(Clone, Debug)]
pub(super) struct Agenda<T> {
    present: u64,
    buckets: Vec<Vec<(u64, T)>>,
    /// Bit i is set while bucket i has entries.
    occupied: u128,
}

impl<T: Copy + Debug> Agenda<T> {
    /// Nothing to come; the present is 0.
    pub(super) fn new() -> Self {
        Self { present: 0, buckets: vec![Vec::new(); 65], occupied: 0 }
    }

    /// Whether nothing is to come.
    pub(super) fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Starts again at time 0.
    ///
    /// # Panics
    ///
    /// When something is still to come.
    pub(super) fn restart(&mut self) {
        assert!(self.is_empty(), "nothing of the run before is left");
        self.present = 0;
    }

    /// Whether entries were added to the present moment after it was handed out.
    #[inline]
    pub(super) fn has_more_now(&self) -> bool {
        self.occupied & 1 == 1
    }

    /// Adds an entry.
    ///
    /// # Panics
    ///
    /// When its time lies before the present (in debug builds).
    #[inline]
    pub(super) fn push(&mut self, time: u64, entry: T) {
        debug_assert!(time >= self.present, "nothing happens before the present");
        let bucket = self.bucket(time);
        self.occupied |= 1 << bucket;
        self.buckets[bucket].push((time, entry));
    }

    /// Moves to the next moment at which something happens and hands out all of it, in the order it was added.
    /// Returns the moment, or `None` when nothing is to come. `moment` is overwritten.
    pub(super) fn next(&mut self, moment: &mut Vec<(u64, T)>) -> Option<u64> {
        moment.clear();
        if self.is_empty() {
            return None;
        }
        let lowest = self.occupied.trailing_zeros() as usize;
        self.occupied &= !(1 << lowest);
        std::mem::swap(moment, &mut self.buckets[lowest]);
        if lowest > 0 {
            self.present =
                moment.iter().map(|&(time, _)| time).min().expect("an occupied bucket has entries");
            let present = self.present;
            // Later entries go to lower buckets; those of the present stay, in their order.
            for &(time, entry) in moment.iter().filter(|&&(time, _)| time != present) {
                self.push(time, entry);
            }
            moment.retain(|&(time, _)| time == present);
        }
        Some(self.present)
    }

    #[inline]
    fn bucket(&self, time: u64) -> usize {
        (u64::BITS - (time ^ self.present).leading_zeros()) as usize
    }
}

impl<T: Copy + Debug> Default for Agenda<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// A sorted map of lists is the second opinion.
        #[test]
        fn hands_out_moments_in_order_and_each_as_it_was_filled(steps in prop::collection::vec(prop::option::weighted(0.7, 0u64..1000), 1..200)) {
            let (mut agenda, mut map, mut moment) = (Agenda::new(), BTreeMap::<u64, Vec<usize>>::new(), Vec::new());
            let mut now = 0;
            let mut check = |agenda: &mut Agenda<usize>, map: &mut BTreeMap<u64, Vec<usize>>| {
                let expected = map.pop_first();
                let time = agenda.next(&mut moment);
                let entries: Vec<usize> = moment.iter().map(|&(_, entry)| entry).collect();
                prop_assert_eq!(time.map(|time| (time, entries)), expected);
                Ok(time)
            };
            for (entry, step) in steps.into_iter().enumerate() {
                match step {
                    Some(later) => {
                        agenda.push(now + later, entry);
                        map.entry(now + later).or_default().push(entry);
                    }
                    None => now = check(&mut agenda, &mut map)?.unwrap_or(now),
                }
            }
            while !agenda.is_empty() {
                check(&mut agenda, &mut map)?;
            }
            prop_assert!(map.is_empty());
        }
    }
}
