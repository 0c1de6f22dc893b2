//! New neighbours, and the position they make.

use crate::protocol::{Links, Position, Side};
use crate::{Group, rank_halving};
use meshwright_core::units::NodeId;

/// The new neighbours of a member; of the parent and the children all are found, of the adjacent root only by roots.
pub type Neighbours = meshwright_member::tree::Neighbours<NodeId>;

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
        Self::among(rank, group.size(), |rank| group.node(rank))
    }

    /// The position of a rank in a group of this size, where `node` says who has a rank; it has no adjacent root.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size of the group.
    ///
    /// # Complexity
    ///
    /// O(log s).
    pub fn among(rank: u32, size: u32, node: impl Fn(u32) -> NodeId) -> Self {
        let place = rank_halving::place(rank, size);
        let (parent, left, right) = (place.parent.map(&node), place.left.map(&node), place.right.map(&node));
        Self::beside(rank, size, Neighbours { parent, left, right, adjacent_root: None })
    }

    /// At the root: the root of the other group of the split that made this one, if that has members.
    pub fn adjacent_root(&self) -> Option<NodeId> {
        self.known().0
    }
}
