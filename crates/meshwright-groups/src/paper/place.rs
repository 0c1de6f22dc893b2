//! What a member keeps of its group.

use crate::protocol::{Links, Side};
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

/// The place of a member in its group: four neighbours at most, whatever the size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    rank: u32,
    size: u32,
    links: Links,
    adjacent_root: Option<NodeId>,
}

impl Place {
    /// A rank in a group of this size, and who its neighbours are.
    pub fn new(rank: u32, size: u32, neighbours: Neighbours) -> Self {
        let Neighbours { parent, left, right, adjacent_root } = neighbours;
        let left = left.map(|node| (node, Side::Left));
        let right = right.map(|node| (node, Side::Right));
        let children = left.into_iter().chain(right).collect();
        Self { rank, size, links: Links { parent, children }, adjacent_root }
    }

    /// The place of a rank in a group that every member knows; it has no adjacent root.
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
        Self::new(rank, group.size(), Neighbours { parent, left, right, adjacent_root: None })
    }

    /// The same place beside an adjacent group with this root.
    pub fn beside(self, adjacent_root: Option<NodeId>) -> Self {
        Self { adjacent_root, ..self }
    }

    /// The rank of the member in its group.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The size of the group.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The edges of the member in the tree of its group.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// At the root: the root of the other group of the split that made this one, if that has members.
    pub fn adjacent_root(&self) -> Option<NodeId> {
        self.adjacent_root
    }

    /// The memory it takes, in bytes.
    pub fn bytes_kept(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.links.children[..])
    }
}
