//! The packets of a split, eight bytes each.

use crate::functions::PerState;
use crate::routing::Routed;

/// A message of the split. Each fits 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankSplitPacket<N> {
    /// Step 1, up: how many vertices of each state the sub-tree of the sender has.
    Forward(PerState),
    /// Step 1, down. State 1 is what is missing to numbers the receiver knows: the size of the group, and how many
    /// vertices stand before its sub-tree.
    Backward {
        /// t^0.
        total: u32,
        /// s_z^0: vertices in state 0 before the sub-tree of the receiver.
        before: u32,
    },
    /// Step 2, up: all vertices of the sub-tree have their functions.
    Partial,
    /// Step 4, along the tree.
    Routing(Routed<N>),
    /// Step 5, up: all vertices of the sub-tree have heard of all their new neighbours.
    Gather,
    /// Step 5, down: all vertices have.
    Release,
}

impl<N> RankSplitPacket<N> {
    /// The names of the kinds, in the order of [`RankSplitPacket::step`].
    pub const STEPS: &'static [&'static str] =
        &["forward", "backward", "partial", "routing", "gather", "release"];

    /// The bytes of every packet: two words of 32 bits.
    pub const BYTES: u64 = 8;

    /// The index of its kind in [`RankSplitPacket::STEPS`].
    pub fn step(&self) -> usize {
        match self {
            Self::Forward(_) => 0,
            Self::Backward { .. } => 1,
            Self::Partial => 2,
            Self::Routing(_) => 3,
            Self::Gather => 4,
            Self::Release => 5,
        }
    }
}
