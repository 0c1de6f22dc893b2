//! New neighbours, and the position they make.

use crate::protocol::{Links, Position, Side};
use crate::{Group, rank_halving};
use meshwright_core::units::NodeId;

/// The new neighbours of a member; of the parent and the children all are found, of the adjacent root only by roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Its parent; none at the root.
    pub parent: Option<NodeId>,
    /// Its left child.
    pub left: Option<NodeId>,
    /// Its right child.
    pub right: Option<NodeId>,
    /// At a root: the root of the other group of the same split, if that has members.
    pub adjacent_root: Option<NodeId>,
}

/// At a root: the root of the other group of the split that made this one, if that has members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjacentRoot(pub Option<NodeId>);

/// Four neighbours at most, whatever the size.
impl Position<AdjacentRoot> {
    /// A rank in a group of this size, and who its neighbours are.
    pub fn beside(rank: u32, size: u32, neighbours: Neighbours) -> Self {
        let Neighbours { parent, left, right, adjacent_root } = neighbours;
        let left = left.map(|node| (node, Side::Left));
        let right = right.map(|node| (node, Side::Right));
        let children = left.into_iter().chain(right).collect();
        Self::new(rank, size, Links { parent, children }, AdjacentRoot(adjacent_root))
    }

    /// The position of a rank in a group that every member knows; it has no adjacent root.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size of the group.
    ///
    /// # Complexity
    ///
    /// O(log s).
    pub fn in_group(group: &Group, rank: u32) -> Self {
        let place = rank_halving::place(rank, group.size());
        let node = |rank| group.node(rank);
        let (parent, left, right) = (place.parent.map(node), place.left.map(node), place.right.map(node));
        Self::beside(rank, group.size(), Neighbours { parent, left, right, adjacent_root: None })
    }

    /// At the root: the root of the other group of the split that made this one, if that has members.
    pub fn adjacent_root(&self) -> Option<NodeId> {
        self.known().0
    }
}
