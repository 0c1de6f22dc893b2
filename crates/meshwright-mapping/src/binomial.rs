//! The binomial tree: the task graph of divide and conquer.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | B(n) | labels 0 to 2^n - 1 | |
//! | n | `n` | phases |
//!
//! Tasks carry 0-based postorder labels, children in decreasing size; the root is 2^n - 1. With t(x) the
//! number of trailing 1-bits of x: `parent(x) = x | (x + 1)`, `phase(x) = n - t(x)`, and the subtree of x
//! is B(t(x)), the labels x - 2^t(x) + 1 ..= x.

use crate::{Divide, Shape, TaskGraph, divide};
use meshwright_core::error::Result;
use meshwright_core::units::Bytes;

/// The largest n accepted: 16 million tasks.
pub const N_MAX: u32 = 24;

/// The parent of a task other than the root.
///
/// ```
/// use meshwright_mapping::binomial::{parent, phase};
/// assert_eq!((parent(5), phase(4, 5)), (7, 3)); // B(4): 5 is a child of 7, reached in phase 3
/// ```
pub fn parent(label: u32) -> u32 {
    label | (label + 1)
}

/// The phase in which a task other than the root of B(n) receives its problem, from 1 to n.
pub fn phase(n: u32, label: u32) -> u32 {
    n - label.trailing_ones()
}

/// The tasks of B(n) that are reached in phase i, in increasing order: they end in a 0 and n - i ones.
pub(crate) fn children(n: u32, phase: u32) -> impl Iterator<Item = u32> {
    ((1u32 << (n - phase)) - 1..1 << n).step_by(1 << (n - phase + 1))
}

impl TaskGraph {
    /// Divide and conquer on the binomial tree of 2^n tasks, with one byte at the root until a volume is given.
    pub fn binomial(n: u32) -> Divide {
        Divide { shape: Shape::Binomial(n), alpha: None, combine_alpha: None, volume: Bytes(1) }
    }
}

impl Divide {
    /// The same job with another volume at the root.
    pub fn volume(self, volume: Bytes) -> Self {
        Self { volume, ..self }
    }

    /// The tasks of the job when each node sends this share of its volume to each child, and no results come back.
    ///
    /// # Errors
    ///
    /// As for [`divide::task_graph`].
    pub fn sending(self, alpha: f64) -> Result<TaskGraph> {
        divide::task_graph(&Self { alpha: Some(alpha), ..self })
    }

    /// As [`Self::sending`] one half: the data of a sort, of which each node keeps as much as it sends.
    ///
    /// # Errors
    ///
    /// As for [`divide::task_graph`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::KiB;
    /// use meshwright_mapping::TaskGraph;
    /// let tasks = TaskGraph::binomial(6).volume(KiB(64)).halving()?;
    /// assert_eq!((tasks.tasks, tasks.phases(), tasks.phase(0)[0].bytes), (64, 6, KiB(32)));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn halving(self) -> Result<TaskGraph> {
        self.sending(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Definition 1, literally: two copies of B(n-1), the root of the second is the root of the whole.
    fn definition(n: u32) -> Vec<Option<(u32, u32)>> {
        if n == 0 {
            return vec![None];
        }
        let copy = definition(n - 1);
        let half = copy.len() as u32;
        // The new edge is used in phase 1; every phase of the copies comes one later.
        let later = |shift: u32| move |entry: &Option<(u32, u32)>| entry.map(|(p, i)| (p + shift, i + 1));
        let mut tree: Vec<_> = copy.iter().map(later(0)).chain(copy.iter().map(later(half))).collect();
        tree[half as usize - 1] = Some((2 * half - 1, 1));
        tree
    }

    #[test]
    fn labels_parents_and_phases_follow_definition_1() {
        for n in 0..=12 {
            for (label, entry) in definition(n).into_iter().enumerate() {
                let label = label as u32;
                let formula = (label + 1 < 1 << n).then(|| (parent(label), phase(n, label)));
                assert_eq!(formula, entry, "task {label} of B({n})");
            }
        }
    }
}
