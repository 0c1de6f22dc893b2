//! The queue before a channel: a pairing heap, woven into a table that knows the order.
//!
//! A message waits for at most one channel at a time, so its place in a heap is two entries of its own record and
//! nothing is allocated while a simulation runs. The root of a line is kept with its channel.

/// No message: the root of an empty line.
pub(super) const NONE: u32 = u32::MAX;

/// The place of a message in the line it waits in.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueSlot {
    child: u32,
    sibling: u32,
}

impl QueueSlot {
    /// In no line.
    pub(super) const NOWHERE: Self = Self { child: NONE, sibling: NONE };
}

/// A table of messages that can wait.
pub(super) trait Waiting {
    /// Whether message `a` is served before message `b`: a strict order.
    fn is_before(&self, a: u32, b: u32) -> bool;

    /// The place of a message.
    fn place(&mut self, message: u32) -> &mut QueueSlot;
}

/// Puts a message into the line with this root. O(1).
#[inline]
pub(super) fn push(table: &mut impl Waiting, root: &mut u32, message: u32) {
    *table.place(message) = QueueSlot::NOWHERE;
    *root = if *root == NONE { message } else { meld(table, *root, message) };
}

/// Takes the next message out of the line with this root. O(log waiting), amortised.
#[inline]
pub(super) fn pop(table: &mut impl Waiting, root: &mut u32) -> Option<u32> {
    let first = *root;
    if first == NONE {
        return None;
    }
    let child = table.place(first).child;
    *root = if child == NONE { NONE } else { meld_children(table, child) };
    Some(first)
}

/// One heap of two: the later root becomes a child of the earlier.
#[inline]
fn meld(table: &mut impl Waiting, a: u32, b: u32) -> u32 {
    let (winner, loser) = if table.is_before(a, b) { (a, b) } else { (b, a) };
    let before = std::mem::replace(&mut table.place(winner).child, loser);
    table.place(loser).sibling = before;
    winner
}

/// Melds siblings in pairs, then the pairs from the last to the first.
fn meld_children(table: &mut impl Waiting, mut next: u32) -> u32 {
    let mut pairs = NONE;
    while next != NONE {
        let (a, b) = (next, table.place(next).sibling);
        let pair = if b == NONE {
            next = NONE;
            a
        } else {
            next = table.place(b).sibling;
            meld(table, a, b)
        };
        table.place(pair).sibling = pairs;
        pairs = pair;
    }
    let mut heap = pairs;
    pairs = table.place(heap).sibling;
    while pairs != NONE {
        let before = table.place(pairs).sibling;
        heap = meld(table, heap, pairs);
        pairs = before;
    }
    heap
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    struct Table(Vec<(u64, QueueSlot)>);

    impl Waiting for Table {
        fn is_before(&self, a: u32, b: u32) -> bool {
            (self.0[a as usize].0, a) < (self.0[b as usize].0, b)
        }

        fn place(&mut self, message: u32) -> &mut QueueSlot {
            &mut self.0[message as usize].1
        }
    }

    proptest! {
        /// The standard library's heap is the second opinion.
        #[test]
        fn serves_in_order(steps in prop::collection::vec(prop::option::of(0u64..50), 1..200)) {
            let keys = steps.iter().map(|step| (step.unwrap_or(0), QueueSlot::NOWHERE));
            let (mut table, mut root, mut other) = (Table(keys.collect()), NONE, BinaryHeap::new());
            for (message, step) in (0u32..).zip(steps) {
                match step {
                    Some(key) => {
                        push(&mut table, &mut root, message);
                        other.push(Reverse((key, message)));
                    }
                    None => {
                        let expected = other.pop().map(|Reverse((_, message))| message);
                        prop_assert_eq!(pop(&mut table, &mut root), expected);
                    }
                }
            }
            while let Some(Reverse((_, message))) = other.pop() {
                prop_assert_eq!(pop(&mut table, &mut root), Some(message));
            }
            prop_assert_eq!(root, NONE);
        }
    }
}
