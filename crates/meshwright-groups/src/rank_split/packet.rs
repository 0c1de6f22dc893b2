//! The packets of a split, eight bytes each.

use meshwright_core::units::NodeId;

/// A message of the split. Each fits 8 bytes.
pub type RankSplitPacket = meshwright_member::packet::RankSplitPacket<NodeId>;
