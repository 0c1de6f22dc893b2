//! The packets of a contraction and their lengths.

use super::frame::{Centre, Extents, Frame, bits};
use super::heads::Head;
use crate::protocol::Side;
use meshwright_core::units::{Bytes, NodeId};

/// What members send each other during a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractionPacket {
    /// Up: the members of one colour below.
    Count {
        /// How many packets of this kind went before it.
        turn: u32,
        /// Whether it is the last.
        is_last: bool,
        /// Of whom.
        tally: Tally,
    },
    /// Down: what the members of one colour below need to know.
    Target {
        /// Which.
        colour: u32,
        /// What.
        target: GroupTarget,
    },
    /// Up: the root of the tree of one colour below.
    Head {
        /// Which.
        colour: u32,
        /// Who.
        head: Head,
    },
    /// To a member that is a head no more.
    Attach {
        /// Its parent; none for the root of the new group.
        parent: Option<NodeId>,
        /// How many children it has in the end.
        children: u32,
    },
    /// To a parent.
    Add(Child),
}

/// The members of one colour in a sub-tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Their colour.
    pub colour: u32,
    /// How many there are.
    pub count: u32,
    /// How far they reach.
    pub extents: Extents,
}

/// What the root tells the members of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTarget {
    /// How many members of the new group stand before the sub-tree.
    pub before: u32,
    /// The size of the new group.
    pub size: u32,
    /// Twice the middle of the new group.
    pub centre: Centre,
}

/// A child in a new tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Who.
    pub node: NodeId,
    /// On which side of its parent.
    pub side: Side,
    /// How many children the parent had before; later ones stand farther out.
    pub turn: u32,
}

impl ContractionPacket {
    /// Every kind, in the order in which they are first sent.
    pub const KINDS: &'static [&'static str] = &["count", "target", "head", "attach", "add"];

    /// The place of its kind in [`ContractionPacket::KINDS`].
    pub fn kind(&self) -> usize {
        match self {
            Self::Count { .. } => 0,
            Self::Target { .. } => 1,
            Self::Head { .. } => 2,
            Self::Attach { .. } => 3,
            Self::Add(_) => 4,
        }
    }

    /// Its length in whole words of 8 bytes, for a group of this size.
    ///
    /// Ranks, nodes and coordinates take the bits that hold the largest; colours, heights and turns are written with
    /// 8 bits for every 7. On 256 nodes and with colours below 2^14 every packet is one word.
    pub fn bytes(&self, frame: &Frame, size: u32) -> Bytes {
        let rank = bits(size);
        let bits = match self {
            Self::Count { turn, tally, .. } => {
                spelt(tally.colour) + spelt(*turn) + 1 + rank + frame.extent_bits()
            }
            Self::Target { colour, .. } => spelt(*colour) + 2 * rank + frame.centre_bits(),
            Self::Head { colour, head } => {
                spelt(*colour) + frame.node_bits() + spelt(head.height) + spelt(head.children)
            }
            Self::Attach { children, .. } => 1 + frame.node_bits() + spelt(*children),
            Self::Add(child) => 1 + frame.node_bits() + spelt(child.turn),
        };
        Bytes(8 * u64::from(bits.div_ceil(64)))
    }
}

/// The bits of a number of any size: 8 for every 7.
fn spelt(number: u32) -> u32 {
    8 * bits(number).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contraction::frame::Cut;
    use meshwright_network::topology::Grid;

    #[test]
    fn packets_are_one_word_on_256_nodes() {
        let frame = Frame::new(Grid::mesh(&[16, 16]).unwrap());
        let (colour, node) = ((1 << 14) - 1, NodeId(255));
        let extents = Extents::of(frame.numbers(node, &Cut::new()));
        let centre = extents.centre();
        let head = Head { node, height: 1 << 13, children: 255 };
        let packets = [
            ContractionPacket::Count {
                turn: 255,
                is_last: true,
                tally: Tally { colour, count: 256, extents },
            },
            ContractionPacket::Target { colour, target: GroupTarget { before: 255, size: 256, centre } },
            ContractionPacket::Head { colour, head },
            ContractionPacket::Attach { parent: Some(node), children: 255 },
            ContractionPacket::Add(Child { node, side: Side::Left, turn: 254 }),
        ];
        for (kind, packet) in packets.iter().enumerate() {
            assert_eq!((packet.kind(), packet.bytes(&frame, 256)), (kind, Bytes(8)), "{packet:?}");
        }
        // 16 + 16 + 1 + 20 + 44 bits on a million nodes.
        let frame = Frame::new(Grid::mesh(&[1000, 1000]).unwrap());
        assert_eq!(packets[0].bytes(&frame, 1_000_000), Bytes(16));
    }
}
