//! The event queue: a wheel for the near future, a radix heap for the rest; times never go back.
//!
//! Time is cut into windows. Every moment of the present window has a list of its own; which lists have entries
//! is kept in bits, and emptied lists are used again. An entry beyond the window lies in the bucket of the highest
//! bit in which its time differs from the present, and is dealt out again only when all before it is over. So most
//! entries are written once and read once. All entries of one moment come out together, in the order they
//! were added.

use std::fmt::Debug;

/// Moments in a window; the lists in use stay in the nearest cache.
const WINDOW: usize = 1 << 12;

/// Bits of a moment within its window.
const WINDOW_BITS: u32 = WINDOW.trailing_zeros();

/// Lists with room for more entries are given back to the system: many moments may have one each.
const KEPT: usize = 1 << 12;

/// Entries to come, in order of their times.
#[derive(Clone, Debug)]
pub(super) struct EventQueue<T> {
    present: u64,
    /// The entries of each moment of the window.
    near: Box<[Vec<T>; WINDOW]>,
    /// Bit i of word w is set while moment 64 w + i has entries.
    occupied: [u64; WINDOW / 64],
    /// Bit w is set while word w is not 0.
    words: u64,
    /// Emptied lists.
    spare: Vec<Vec<T>>,
    /// Bucket b holds the times that differ from the present in bit `WINDOW_BITS + b` and in none above.
    later: Vec<Vec<(u64, T)>>,
    later_occupied: u64,
}

impl<T: Copy + Debug> EventQueue<T> {
    /// Nothing to come; the present is 0.
    pub(super) fn new() -> Self {
        let near = vec![Vec::new(); WINDOW].into_boxed_slice();
        Self {
            present: 0,
            near: near.try_into().expect("as many lists as moments"),
            occupied: [0; WINDOW / 64],
            words: 0,
            spare: Vec::new(),
            later: vec![Vec::new(); (u64::BITS - WINDOW_BITS) as usize],
            later_occupied: 0,
        }
    }

    /// Whether nothing is to come.
    pub(super) fn is_empty(&self) -> bool {
        self.words == 0 && self.later_occupied == 0
    }

    /// Whether entries were added to the present moment after it was handed out.
    #[inline]
    pub(super) fn has_more_now(&self) -> bool {
        !self.near[place(self.present)].is_empty()
    }

    /// Adds an entry.
    ///
    /// # Panics
    ///
    /// When its time lies before the present (in debug builds).
    #[inline]
    pub(super) fn push(&mut self, time: u64, entry: T) {
        debug_assert!(time >= self.present, "nothing happens before the present");
        let difference = (time ^ self.present) >> WINDOW_BITS;
        if difference != 0 {
            return self.push_later(difference, time, entry);
        }
        let place = place(time);
        if self.near[place].is_empty() {
            self.occupied[place / 64] |= 1 << (place % 64);
            self.words |= 1 << (place / 64);
            if self.near[place].capacity() == 0 {
                self.near[place] = self.spare.pop().unwrap_or_default();
            }
        }
        self.near[place].push(entry);
    }

    #[inline(never)]
    fn push_later(&mut self, difference: u64, time: u64, entry: T) {
        let bucket = u64::BITS - 1 - difference.leading_zeros();
        self.later_occupied |= 1 << bucket;
        self.later[bucket as usize].push((time, entry));
    }

    /// Moves to the next moment at which something happens and hands out all of it, in the order it was added.
    /// Returns the moment, or `None` when nothing is to come. `moment` is overwritten.
    pub(super) fn next(&mut self, moment: &mut Vec<T>) -> Option<u64> {
        if self.words == 0 {
            self.open_window()?;
        }
        let word = self.words.trailing_zeros() as usize;
        let place = 64 * word + self.occupied[word].trailing_zeros() as usize;
        self.present = self.present & !(WINDOW as u64 - 1) | place as u64;
        self.occupied[word] &= self.occupied[word] - 1;
        if self.occupied[word] == 0 {
            self.words &= self.words - 1;
        }
        let mut done = std::mem::replace(moment, std::mem::take(&mut self.near[place]));
        if (1..=KEPT).contains(&done.capacity()) {
            done.clear();
            self.spare.push(done);
        }
        Some(self.present)
    }

    /// Deals out the nearest bucket; `None` if there is none.
    fn open_window(&mut self) -> Option<()> {
        if self.later_occupied == 0 {
            return None;
        }
        let nearest = self.later_occupied.trailing_zeros() as usize;
        self.later_occupied &= self.later_occupied - 1;
        let mut dealt = std::mem::take(&mut self.later[nearest]);
        self.present = dealt.iter().map(|&(time, _)| time).min().expect("an occupied bucket has entries");
        // All go to lower buckets, so this one gets its list back.
        for (time, entry) in dealt.drain(..) {
            self.push(time, entry);
        }
        self.later[nearest] = dealt;
        Some(())
    }
}

/// The place of a moment in its window.
#[inline]
fn place(time: u64) -> usize {
    time as usize % WINDOW
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Within the window, around its end, and far beyond it.
    fn delays() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..40, 0u64..1000, (WINDOW as u64 - 2)..(WINDOW as u64 + 2), 0u64..1 << 40]
    }

    proptest! {
        /// A sorted map of lists is the second opinion.
        #[test]
        fn hands_out_moments_in_order_and_each_as_it_was_filled(steps in prop::collection::vec(prop::option::weighted(0.7, delays()), 1..300)) {
            let (mut events, mut map, mut moment) = (EventQueue::new(), BTreeMap::<u64, Vec<usize>>::new(), Vec::new());
            let mut now = 0;
            let mut check = |events: &mut EventQueue<usize>, map: &mut BTreeMap<u64, Vec<usize>>| {
                let expected = map.pop_first();
                let time = events.next(&mut moment);
                prop_assert_eq!(time.map(|time| (time, moment.clone())), expected);
                Ok(time)
            };
            for (entry, step) in steps.into_iter().enumerate() {
                match step {
                    Some(later) => {
                        events.push(now + later, entry);
                        map.entry(now + later).or_default().push(entry);
                    }
                    None => now = check(&mut events, &mut map)?.unwrap_or(now),
                }
            }
            while !events.is_empty() {
                check(&mut events, &mut map)?;
            }
            prop_assert!(map.is_empty());
        }
    }
}
