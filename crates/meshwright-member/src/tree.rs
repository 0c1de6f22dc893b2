//! The edges of a member in the tree of its group.

/// On which side of its parent's rank the sub-tree of a child lies, where a tree keeps an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// All its ranks are smaller.
    #[default]
    Left,
    /// All its ranks are larger.
    Right,
}

/// The edges of one member; N names a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges<'p, N> {
    /// Its parent; none at the root.
    pub parent: Option<N>,
    /// Its children. Where the tree keeps the order of ranks: in that order, first those on the left.
    pub children: &'p [(N, Side)],
}

impl<N: Copy> Edges<'_, N> {
    /// The child on this side, of a tree with at most one on each.
    pub fn child(&self, side: Side) -> Option<N> {
        self.children.iter().find(|child| child.1 == side).map(|child| child.0)
    }
}

/// What a member keeps of one group.
pub trait Place {
    /// The name of a node.
    type Node;

    /// The rank of the member in its group.
    fn rank(&self) -> u32;

    /// The size of the group.
    fn size(&self) -> u32;

    /// The edges of the member in the tree of its group.
    fn edges(&self) -> Edges<'_, Self::Node>;
}

/// The new neighbours of a member in a binary tree: its parent and its children, and of a root that of the other group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Neighbours<N> {
    /// Its parent; none at the root.
    pub parent: Option<N>,
    /// Its left child.
    pub left: Option<N>,
    /// Its right child.
    pub right: Option<N>,
    /// At a root: the root of the other group of the same split, if that has members.
    pub adjacent_root: Option<N>,
}
