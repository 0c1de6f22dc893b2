//! What happens when: a wheel for the near future, a radix heap for the rest; times never go back.
//!
//! Time is cut into windows. Every moment of the present window has a slot of its own, a chain of blocks that are
//! used again and again; which slots have entries is kept in bits. An entry beyond the window lies in the bucket of
//! the highest bit in which its time differs from the present, and is dealt out again only when all before it
//! is over. So most entries are written once and read once. All entries of one moment come out together, in
//! the order they were added.

use std::fmt::Debug;

/// Moments in a window; the slots in use stay in the nearest cache.
const WINDOW: u64 = 1 << 12;

/// Bits of a moment within its window.
const WINDOW_BITS: u32 = WINDOW.trailing_zeros();

/// Entries in a block: with eight bytes each, a block is two cache lines.
const BLOCK: usize = 15;

/// No block.
const NONE: u32 = u32::MAX;

/// Some entries of one moment.
#[derive(Clone, Copy, Debug)]
struct Block<T> {
    next: u32,
    used: u32,
    entries: [T; BLOCK],
}

/// The blocks of one moment; of no meaning while its bit is not set.
#[derive(Clone, Copy, Debug)]
struct Slot {
    first: u32,
    last: u32,
}

/// Entries to come, in order of their times.
#[derive(Clone, Debug)]
pub(super) struct Agenda<T> {
    present: u64,
    slots: Vec<Slot>,
    /// Bit i of word w is set while slot 64 w + i has entries.
    occupied: [u64; WINDOW as usize / 64],
    /// Bit w is set while word w is not 0.
    words: u64,
    blocks: Vec<Block<T>>,
    unused: u32,
    /// Bucket b holds the times that differ from the present in bit `WINDOW_BITS + b` and in none above.
    later: Vec<Vec<(u64, T)>>,
    later_occupied: u64,
    dealt: Vec<(u64, T)>,
}

impl<T: Copy + Debug> Agenda<T> {
    /// Nothing to come; the present is 0.
    pub(super) fn new() -> Self {
        Self {
            present: 0,
            slots: vec![Slot { first: NONE, last: NONE }; WINDOW as usize],
            occupied: [0; WINDOW as usize / 64],
            words: 0,
            blocks: Vec::new(),
            unused: NONE,
            later: vec![Vec::new(); (u64::BITS - WINDOW_BITS) as usize],
            later_occupied: 0,
            dealt: Vec::new(),
        }
    }

    /// Whether nothing is to come.
    pub(super) fn is_empty(&self) -> bool {
        self.words == 0 && self.later_occupied == 0
    }

    /// Whether entries were added to the present moment after it was handed out.
    #[inline]
    pub(super) fn has_more_now(&self) -> bool {
        let slot = slot(self.present);
        self.occupied[slot / 64] >> (slot % 64) & 1 == 1
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
        if difference == 0 {
            self.push_near(slot(time), entry);
        } else {
            let bucket = u64::BITS - 1 - difference.leading_zeros();
            self.later_occupied |= 1 << bucket;
            self.later[bucket as usize].push((time, entry));
        }
    }

    /// Moves to the next moment at which something happens and hands out all of it, in the order it was added.
    /// Returns the moment, or `None` when nothing is to come. `moment` is overwritten.
    pub(super) fn next(&mut self, moment: &mut Vec<T>) -> Option<u64> {
        moment.clear();
        if self.words == 0 {
            self.open_window()?;
        }
        let word = self.words.trailing_zeros() as usize;
        let slot = 64 * word + self.occupied[word].trailing_zeros() as usize;
        self.present = self.present & !(WINDOW - 1) | slot as u64;
        self.occupied[word] &= self.occupied[word] - 1;
        if self.occupied[word] == 0 {
            self.words &= self.words - 1;
        }
        let Slot { first, last } = self.slots[slot];
        let mut block = first;
        while block != NONE {
            let Block { next, used, entries } = &self.blocks[block as usize];
            moment.extend_from_slice(&entries[..*used as usize]);
            block = *next;
        }
        self.blocks[last as usize].next = self.unused;
        self.unused = first;
        Some(self.present)
    }

    /// Deals out the nearest bucket; `None` if there is none.
    fn open_window(&mut self) -> Option<()> {
        if self.later_occupied == 0 {
            return None;
        }
        let nearest = self.later_occupied.trailing_zeros() as usize;
        self.later_occupied &= self.later_occupied - 1;
        let mut dealt = std::mem::take(&mut self.dealt);
        std::mem::swap(&mut dealt, &mut self.later[nearest]);
        self.present = dealt.iter().map(|&(time, _)| time).min().expect("an occupied bucket has entries");
        for (time, entry) in dealt.drain(..) {
            self.push(time, entry);
        }
        self.dealt = dealt;
        Some(())
    }

    #[inline]
    fn push_near(&mut self, slot: usize, entry: T) {
        let bit = 1 << (slot % 64);
        if self.occupied[slot / 64] & bit == 0 {
            self.occupied[slot / 64] |= bit;
            self.words |= 1 << (slot / 64);
            let block = self.block(entry);
            self.slots[slot] = Slot { first: block, last: block };
            return;
        }
        let last = self.slots[slot].last;
        let block = &mut self.blocks[last as usize];
        if (block.used as usize) < BLOCK {
            block.entries[block.used as usize] = entry;
            block.used += 1;
        } else {
            let next = self.block(entry);
            self.blocks[last as usize].next = next;
            self.slots[slot].last = next;
        }
    }

    /// A block with one entry.
    #[inline]
    fn block(&mut self, entry: T) -> u32 {
        let index = self.unused;
        if index == NONE {
            self.blocks.push(Block { next: NONE, used: 1, entries: [entry; BLOCK] });
            return self.blocks.len() as u32 - 1;
        }
        let block = &mut self.blocks[index as usize];
        self.unused = block.next;
        (block.next, block.used, block.entries[0]) = (NONE, 1, entry);
        index
    }
}

/// The slot of a moment of the present window.
#[inline]
fn slot(time: u64) -> usize {
    (time & (WINDOW - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Within the window, around its end, and far beyond it.
    fn delays() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..40, 0u64..1000, (WINDOW - 2)..(WINDOW + 2), 0u64..1 << 40]
    }

    proptest! {
        /// A sorted map of lists is the second opinion.
        #[test]
        fn hands_out_moments_in_order_and_each_as_it_was_filled(steps in prop::collection::vec(prop::option::weighted(0.7, delays()), 1..300)) {
            let (mut agenda, mut map, mut moment) = (Agenda::new(), BTreeMap::<u64, Vec<usize>>::new(), Vec::new());
            let mut now = 0;
            let mut check = |agenda: &mut Agenda<usize>, map: &mut BTreeMap<u64, Vec<usize>>| {
                let expected = map.pop_first();
                let time = agenda.next(&mut moment);
                prop_assert_eq!(time.map(|time| (time, moment.clone())), expected);
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
