//! What members send each other while they sort.

use super::counting::Counts;
use super::network::Round;
use crate::mask::Extent;
use crate::protocol::Side;
use meshwright_core::units::NodeId;

/// Which of the two sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By colour and place on the curve: it makes the groups.
    ByColour,
    /// By key and old rank, inside a group.
    ByKey,
}

/// A new place on the curve and the nodes beside it there and in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The place among the members of the new group.
    pub place: u32,
    /// How many these are.
    pub size: u32,
    /// Who has the places before and after.
    pub beside: [Option<NodeId>; 2],
    /// The parent, the left and the right child in the tree.
    pub links: [Option<NodeId>; 3],
}

/// What members send each other during a split.
#[derive(Clone, Debug)]
pub enum SortPacket {
    /// Up: between which values the labels of a sub-tree lie.
    Extent(Extent),
    /// Down: between which values all labels lie.
    Width(Extent),
    /// Who is `2^level` places before or after.
    Finger(u8, Side, NodeId),
    /// Up: how many records of every digit a sub-tree has.
    Counts(Box<Counts>),
    /// Down: where the first record of every digit in a sub-tree goes.
    Before(Box<Counts>),
    /// A record of a pass by digits on its way to a place.
    Move(u32, u32, u128),
    /// A record, to the place it is compared with.
    Compare(Sort, Round, u128),
    /// A sorted record, to the next place before or after, which finds it on this side.
    Beside(Side, u128),
    /// Up: the last place of a sub-tree that begins a group and the first that ends one.
    Ends([Option<u32>; 2]),
    /// Down: the last place before the sub-tree that begins a group and the first behind it that ends one.
    Around([u32; 2]),
    /// Who holds the record of the parent, the left or the right child, by index in [`Seat::links`].
    Edge(u8, NodeId),
    /// To a member: its place in the new group.
    Seat(Seat),
    /// To a member: its new rank.
    Rank(u32),
}

impl SortPacket {
    /// The names of the kinds.
    pub const STEPS: &'static [&'static str] = &[
        "extent", "width", "finger", "counts", "before", "move", "compare", "beside", "ends", "around",
        "edge", "seat", "rank",
    ];

    /// The index of the kind in [`SortPacket::STEPS`].
    pub fn step(&self) -> usize {
        match self {
            Self::Extent(_) => 0,
            Self::Width(_) => 1,
            Self::Finger(..) => 2,
            Self::Counts(_) => 3,
            Self::Before(_) => 4,
            Self::Move(..) => 5,
            Self::Compare(..) => 6,
            Self::Beside(..) => 7,
            Self::Ends(_) => 8,
            Self::Around(_) => 9,
            Self::Edge(..) => 10,
            Self::Seat(_) => 11,
            Self::Rank(_) => 12,
        }
    }
}
