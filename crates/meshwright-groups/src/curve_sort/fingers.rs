//! Who is a power of two of places away, before and after.

use super::packet::SortPacket;
use crate::protocol::{Outbox, Side};
use meshwright_core::units::{Bytes, NodeId};

/// Not known yet, or not there.
const NONE: NodeId = NodeId(u32::MAX);

/// The nodes `2^j` places before and after a member, as far as there are any: `2 ceil(log2 s)` of them.
///
/// Who knows both at one level tells each about the other: they are `2^(j+1)` places apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingers {
    /// By level before and after.
    nodes: Vec<[NodeId; 2]>,
}

impl Fingers {
    /// Of a member of a group of this size, before it has heard of anybody.
    pub fn new(size: u32) -> Self {
        let levels = size.max(1).next_power_of_two().trailing_zeros();
        Self { nodes: vec![[NONE; 2]; levels as usize] }
    }

    /// Of a place among members whose nodes all stand in a list: nobody has to be asked.
    pub fn among(nodes: impl Fn(u32) -> NodeId, place: u32, size: u32) -> Self {
        let mut all = Self::new(size);
        for (level, pair) in all.nodes.iter_mut().enumerate() {
            let far = 1 << level;
            let before = place.checked_sub(far);
            let after = place.checked_add(far).filter(|&after| after < size);
            *pair = [before, after].map(|place| place.map_or(NONE, &nodes));
        }
        all
    }

    /// The node `2^level` places away, once it is known.
    pub fn at(&self, level: usize, side: Side) -> Option<NodeId> {
        Some(self.nodes[level][side as usize]).filter(|&node| node != NONE)
    }

    /// Hears of a node; those of the next level are told.
    pub fn learn(
        &mut self,
        level: usize,
        side: Side,
        node: NodeId,
        bytes: Bytes,
        out: &mut Outbox<SortPacket>,
    ) {
        self.nodes[level][side as usize] = node;
        let [before, after] = self.nodes[level];
        if before != NONE && after != NONE && level + 1 < self.nodes.len() {
            let next = level as u8 + 1;
            out.send(after, bytes, SortPacket::Finger(next, Side::Left, before));
            out.send(before, bytes, SortPacket::Finger(next, Side::Right, after));
        }
    }

    /// The memory they take, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.nodes[..])
    }
}
