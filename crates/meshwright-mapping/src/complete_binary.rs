//! The complete binary tree: divide and conquer in which whoever divides a problem solves no part of it.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | CBT(n) | [`task_graph`] | 2^n - 1 tasks |
//!
//! Tasks carry 0-based postorder labels; the root is 2^n - 2. A task over a subtree of 2^h - 1 tasks has the children
//! `label - 2^(h-1)` and `label - 1`. Each level takes two phases: every task that divides sends to one child, then to
//! the other.
//!
//! # Source
//!
//! `lo1990`, section 3.

use super::divide::{Divide, Shape, bytes};
use super::task_graph::{Edge, TaskGraph};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;

/// The largest n accepted: 16 million tasks.
pub const N_MAX: u32 = 24;

/// The phased task graph of CBT(n): n - 1 levels of two phases each down, up, or down and then up.
///
/// Both children of a task of depth d get volume * alpha^(d+1); the combine stage runs the phases backwards.
///
/// # Errors
///
/// [`Error::Value`] when n lies outside 1 to [`N_MAX`], and as for [`Divide::check`].
///
/// # Complexity
///
/// O(tasks).
///
/// # Examples
///
/// ```
/// use meshwright_mapping::complete_binary::task_graph;
/// use meshwright_core::units::Bytes;
/// let tree = task_graph(3, Some(0.5), None, Bytes(64))?;
/// assert_eq!((tree.tasks, tree.phases()), (7, 4));
/// // The root, task 6, sends half of its volume to each child; it keeps nothing.
/// assert_eq!((tree.phase(0)[0].target, tree.phase(1)[0].target), (2, 5));
/// assert_eq!(tree.phase(1)[0].bytes, Bytes(32));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn task_graph(
    n: u32,
    alpha: Option<f64>,
    combine_alpha: Option<f64>,
    volume: Bytes,
) -> Result<TaskGraph> {
    if !(1..=N_MAX).contains(&n) {
        return Err(Error::value("n of the complete binary tree", n, format!("1 to {N_MAX}")));
    }
    let job = Divide { shape: Shape::Binomial(n), alpha, combine_alpha, volume };
    job.check()?;
    let tasks = (1u32 << n) - 1;
    let last = 2 * (n - 1) * job.stages().count() as u32;
    let mut edges = Vec::with_capacity(job.stages().count() * tasks as usize);
    // The roots of the subtrees of one depth, from left to right.
    let mut level = vec![tasks - 1];
    for depth in 1..n {
        let half = 1u32 << (n - depth);
        let size = |share| bytes(share, depth, volume);
        let (down, up) = (alpha.map(size), combine_alpha.map(size));
        for (phase, distance) in [(2 * depth - 1, half), (2 * depth, 1)] {
            for &parent in &level {
                let child = parent - distance;
                let there = down.map(|bytes| (phase, Edge { source: parent, target: child, bytes }));
                let back = up.map(|bytes| (last + 1 - phase, Edge { source: child, target: parent, bytes }));
                edges.extend(there.into_iter().chain(back));
            }
        }
        level = level.iter().flat_map(|&parent| [parent - half, parent - 1]).collect();
    }
    TaskGraph::new(format!("complete-binary:{n}"), tasks, edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Children by the definition: a root over two complete trees, numbered after both of them.
    fn children(n: u32, first: u32, found: &mut Vec<(u32, u32, u32)>, depth: u32) -> u32 {
        if n == 1 {
            return first;
        }
        let left = children(n - 1, first, found, depth + 1);
        let right = children(n - 1, left + 1, found, depth + 1);
        found.extend([(right + 1, left, depth), (right + 1, right, depth)]);
        right + 1
    }

    #[test]
    fn every_task_but_the_root_hears_from_its_parent_once() {
        for n in 1..=8 {
            let tree = task_graph(n, Some(1.0), Some(0.5), Bytes(1 << 8)).unwrap();
            let mut expected = Vec::new();
            assert_eq!(children(n, 0, &mut expected, 1), tree.tasks - 1);
            let mut down = Vec::new();
            for index in 0..tree.phases() {
                let level = tree.number(index).div_ceil(2);
                for edge in tree.phase(index).iter().filter(|edge| edge.source > edge.target) {
                    down.push((edge.source, edge.target, level));
                    let up = tree.phase(tree.phases() - 1 - index);
                    assert!(up.iter().any(|e| (e.source, e.target) == (edge.target, edge.source)));
                    assert!(up.iter().all(|e| e.bytes.0 == 1 << (8 - level)), "half of it comes back");
                }
            }
            expected.sort_unstable();
            down.sort_unstable();
            assert_eq!(down, expected, "CBT({n})");
        }
        let up = task_graph(3, None, Some(1.0), Bytes(1)).unwrap();
        assert_eq!((up.phases(), up.number(0), up.phase(0)[0].target), (4, 1, 2), "the leaves begin");
        for (n, alpha) in [(0, Some(0.5)), (25, Some(0.5)), (3, Some(0.0)), (3, None)] {
            assert!(task_graph(n, alpha, None, Bytes(1)).is_err(), "{n}, {alpha:?}");
        }
    }
}
