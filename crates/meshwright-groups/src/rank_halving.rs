//! Rank-halving trees: the root is the middle rank, its sub-trees are built the same way from the ranks below and
//! above it.

use super::tree::Tree;

pub use meshwright_member::halving::{Vertex, middle, place, root};

/// The whole tree of a group of this size.
///
/// # Complexity
///
/// O(size).
///
/// # Panics
///
/// When the group is empty.
pub fn tree(size: u32) -> Tree {
    let root = root(size).expect("a group has members");
    let mut parent = vec![Tree::NONE; size as usize];
    let mut open = vec![(0, size)];
    while let Some((first, end)) = open.pop() {
        let at = first + (end - first) / 2;
        for part in [(first, at), (at + 1, end)] {
            if let Some(child) = middle(part.0, part.1) {
                parent[child as usize] = at;
                open.push(part);
            }
        }
    }
    Tree::new(root, parent)
}
