//! Who waits for a channel, and who is next: one pairing heap per channel, in two flat arrays.
//!
//! A message waits for at most one channel at a time, so its place in a heap is a pair of array entries and
//! nothing is allocated while a simulation runs.

/// No message.
const NONE: u32 = u32::MAX;

/// The waiting messages of all channels. The least `(key, message)` is served first.
#[derive(Clone, Debug)]
pub(super) struct WaitingLines {
    root: Vec<u32>,
    key: Vec<u64>,
    child: Vec<u32>,
    sibling: Vec<u32>,
}

impl WaitingLines {
    /// Empty lines for this many channels and messages.
    pub(super) fn new(channels: usize, messages: usize) -> Self {
        Self {
            root: vec![NONE; channels],
            key: vec![0; messages],
            child: vec![NONE; messages],
            sibling: vec![NONE; messages],
        }
    }

    /// Makes room for more messages.
    pub(super) fn grow(&mut self, messages: usize) {
        if messages > self.key.len() {
            self.key.resize(messages, 0);
            self.child.resize(messages, NONE);
            self.sibling.resize(messages, NONE);
        }
    }

    /// Whether nobody waits for a channel.
    #[inline]
    pub(super) fn is_empty(&self, channel: usize) -> bool {
        self.root[channel] == NONE
    }

    /// Puts a message into the line of a channel. O(1).
    #[inline]
    pub(super) fn push(&mut self, channel: usize, message: u32, key: u64) {
        let m = message as usize;
        (self.key[m], self.child[m], self.sibling[m]) = (key, NONE, NONE);
        self.root[channel] = self.meld(self.root[channel], message);
    }

    /// Takes the next message out of the line of a channel. O(log waiting), amortised.
    #[inline]
    pub(super) fn pop(&mut self, channel: usize) -> Option<u32> {
        let first = self.root[channel];
        if first == NONE {
            return None;
        }
        self.root[channel] = self.meld_children(self.child[first as usize]);
        Some(first)
    }

    /// One heap of two: the later root becomes a child of the earlier.
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return a.min(b);
        }
        let (a_first, b_first) = ((self.key[a as usize], a), (self.key[b as usize], b));
        let (winner, loser) = if a_first < b_first { (a, b) } else { (b, a) };
        self.sibling[loser as usize] = self.child[winner as usize];
        self.child[winner as usize] = loser;
        winner
    }

    /// Melds siblings in pairs, then the pairs from the last to the first.
    fn meld_children(&mut self, mut next: u32) -> u32 {
        let mut pairs = NONE;
        while next != NONE {
            let a = next;
            let b = self.sibling[a as usize];
            next = if b == NONE { NONE } else { self.sibling[b as usize] };
            self.sibling[a as usize] = NONE;
            if b != NONE {
                self.sibling[b as usize] = NONE;
            }
            let pair = self.meld(a, b);
            self.sibling[pair as usize] = pairs;
            pairs = pair;
        }
        let mut heap = NONE;
        while pairs != NONE {
            let before = self.sibling[pairs as usize];
            self.sibling[pairs as usize] = NONE;
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
            let mut lines = WaitingLines::new(1, steps.len());
            let mut other = BinaryHeap::new();
            for (message, step) in steps.into_iter().enumerate() {
                match step {
                    Some(key) => {
                        lines.push(0, message as u32, key);
                        other.push(Reverse((key, message as u32)));
                    }
                    None => prop_assert_eq!(lines.pop(0), other.pop().map(|Reverse((_, message))| message)),
                }
            }
            while let Some(Reverse((_, message))) = other.pop() {
                prop_assert_eq!(lines.pop(0), Some(message));
            }
            prop_assert!(lines.is_empty(0));
        }
    }
}
