//! Rank-halving trees: the root is the middle rank, its sub-trees are built the same way from the ranks below and
//! above it.

/// The place of a rank in the rank-halving tree of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex {
    /// The rank of the parent; none for the root.
    pub parent: Option<u32>,
    /// The rank of the left child, whose sub-tree has smaller ranks.
    pub left: Option<u32>,
    /// The rank of the right child, whose sub-tree has larger ranks.
    pub right: Option<u32>,
    /// Edges from the root.
    pub depth: u32,
}

/// The rank in the middle of `first..end`: `first + floor((end - first) / 2)`.
pub fn middle(first: u32, end: u32) -> Option<u32> {
    (first < end).then(|| first + (end - first) / 2)
}

/// The rank of the root of a group of this size; none for an empty group.
pub fn root(size: u32) -> Option<u32> {
    middle(0, size)
}

/// Where a rank stands in the tree of a group of this size.
///
/// # Panics
///
/// When the rank is not below the size.
///
/// # Complexity
///
/// O(log size), no messages: every member finds its own place.
///
/// # Source
///
/// `chochia1996`, assertion 1 and the mapping of section 2, the ranks counted anew in each subset.
///
/// # Examples
///
/// ```
/// use meshwright_member::halving::{Vertex, place};
/// // Ranks 0..7: the root is 3, its children are 1 and 5.
/// assert_eq!(place(5, 7), Vertex { parent: Some(3), left: Some(4), right: Some(6), depth: 1 });
/// assert_eq!(place(0, 2), Vertex { parent: Some(1), left: None, right: None, depth: 1 });
/// ```
pub fn place(rank: u32, size: u32) -> Vertex {
    assert!(rank < size, "a rank is below the size of its group");
    let (mut first, mut end, mut parent, mut depth) = (0, size, None, 0);
    loop {
        let at = first + (end - first) / 2;
        if at == rank {
            return Vertex { parent, left: middle(first, at), right: middle(at + 1, end), depth };
        }
        if rank < at {
            end = at;
        } else {
            first = at + 1;
        }
        parent = Some(at);
        depth += 1;
    }
}
