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
use crate::error::{Error, Result};
use crate::units::Bytes;

/// The largest n accepted: 16 million tasks.
pub const N_MAX: u32 = 24;

/// The phased task graph of CBT(n): n - 1 levels of two phases down, and as many up when there is a combine stage.
///
/// Both children of a task of depth d get volume * alpha^(d+1).
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
/// use meshwright::{mapping::complete_binary::task_graph, units::Bytes};
/// let tree = task_graph(3, 0.5, None, Bytes(64))?;
/// assert_eq!((tree.tasks, tree.phases()), (7, 4));
/// // The root, task 6, sends half of its volume to each child; it keeps nothing.
/// assert_eq!((tree.phase(0)[0].target, tree.phase(1)[0].target), (2, 5));
/// assert_eq!(tree.phase(1)[0].bytes, Bytes(32));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn task_graph(n: u32, alpha: f64, combine_alpha: Option<f64>, volume: Bytes) -> Result<TaskGraph> {
    if !(1..=N_MAX).contains(&n) {
        return Err(Error::value("n of the complete binary tree", n, format!("1 to {N_MAX}")));
    }
    Divide { shape: Shape::Binomial(n), alpha: Some(alpha), combine_alpha, volume }.check()?;
    let tasks = (1u32 << n) - 1;
    let last = 4 * (n - 1);
    let mut edges = Vec::with_capacity(2 * tasks as usize);
    // The roots of the subtrees of one depth, from left to right.
    let mut level = vec![tasks - 1];
    for depth in 1..n {
        let half = 1u32 << (n - depth);
        let size = bytes(alpha, depth, volume);
        let back = combine_alpha.map(|alpha| bytes(alpha, depth, volume));
        for (phase, distance) in [(2 * depth - 1, half), (2 * depth, 1)] {
            for &parent in &level {
                let child = parent - distance;
                edges.push((phase, Edge { source: parent, target: child, bytes: size }));
                if let Some(bytes) = back {
                    edges.push((last + 1 - phase, Edge { source: child, target: parent, bytes }));
                }
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
            let tree = task_graph(n, 1.0, Some(0.5), Bytes(1 << 8)).unwrap();
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
        assert!(task_graph(0, 0.5, None, Bytes(1)).is_err() && task_graph(25, 0.5, None, Bytes(1)).is_err());
        assert!(task_graph(3, 0.0, None, Bytes(1)).is_err());
    }
}
