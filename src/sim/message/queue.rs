//! Who waits for a channel, and who is next: one pairing heap per channel, all in one flat array.
//!
//! A message waits for at most one channel at a time, so its place in a heap is one array entry and nothing is
//! allocated while a simulation runs. The root of a line is kept with its channel.

/// No message: the root of an empty line.
pub(super) const NONE: u32 = u32::MAX;

/// The place of a message in the line it waits in.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    child: u32,
    sibling: u32,
}

/// The waiting messages of all channels. The least `(key, message)` is served first.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingLines {
    places: Vec<Place>,
}

impl WaitingLines {
    /// Makes room for more messages.
    pub(super) fn grow(&mut self, messages: usize) {
        if messages > self.places.len() {
            self.places.resize(messages, Place { key: 0, child: NONE, sibling: NONE });
        }
    }

    /// Puts a message into the line with this root. O(1).
    #[inline]
    pub(super) fn push(&mut self, root: &mut u32, message: u32, key: u64) {
        self.places[message as usize] = Place { key, child: NONE, sibling: NONE };
        *root = if *root == NONE { message } else { self.meld(*root, message) };
    }

    /// Takes the next message out of the line with this root. O(log waiting), amortised.
    #[inline]
    pub(super) fn pop(&mut self, root: &mut u32) -> Option<u32> {
        let first = *root;
        if first == NONE {
            return None;
        }
        let child = self.places[first as usize].child;
        *root = if child == NONE { NONE } else { self.meld_children(child) };
        Some(first)
    }

    /// One heap of two: the later root becomes a child of the earlier.
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        let (a_first, b_first) = ((self.places[a as usize].key, a), (self.places[b as usize].key, b));
        let (winner, loser) = if a_first < b_first { (a, b) } else { (b, a) };
        self.places[loser as usize].sibling = self.places[winner as usize].child;
        self.places[winner as usize].child = loser;
        winner
    }

    /// Melds siblings in pairs, then the pairs from the last to the first.
    fn meld_children(&mut self, mut next: u32) -> u32 {
        let mut pairs = NONE;
        while next != NONE {
            let (a, b) = (next, self.places[next as usize].sibling);
            let pair = if b == NONE {
                next = NONE;
                a
            } else {
                next = self.places[b as usize].sibling;
                self.meld(a, b)
            };
            self.places[pair as usize].sibling = pairs;
            pairs = pair;
        }
        let mut heap = pairs;
        pairs = self.places[heap as usize].sibling;
        while pairs != NONE {
            let before = self.places[pairs as usize].sibling;
            heap = self.meld(heap, pairs);
            pairs = before;
        }
        heap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    proptest! {
        /// The standard library's heap is the second opinion.
        #[test]
        fn serves_in_order(steps in prop::collection::vec(prop::option::of(0u64..50), 1..200)) {
            let (mut lines, mut root) = (WaitingLines::default(), NONE);
            lines.grow(steps.len());
            let mut other = BinaryHeap::new();
            for (message, step) in steps.into_iter().enumerate() {
                match step {
                    Some(key) => {
                        lines.push(&mut root, message as u32, key);
                        other.push(Reverse((key, message as u32)));
                    }
                    None => prop_assert_eq!(lines.pop(&mut root), other.pop().map(|Reverse((_, message))| message)),
                }
            }
            while let Some(Reverse((_, message))) = other.pop() {
                prop_assert_eq!(lines.pop(&mut root), Some(message));
            }
            prop_assert_eq!(root, NONE);
        }
    }
}
