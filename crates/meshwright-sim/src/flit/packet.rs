//! The packets under way: a slab with a free list.

use meshwright_network::routing::relation::Header;

/// No packet.
pub(super) const NONE: u32 = u32::MAX;

/// A packet under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlitPacket {
    /// Where it goes and what it drew.
    pub(super) header: Header,
    /// Flits.
    pub(super) length: u32,
    /// Links its head has taken.
    pub(super) hops: u32,
    /// The next packet of the same source queue.
    pub(super) next: u32,
    /// Whose it is: the message of a schedule; the source of a packet of open-loop traffic.
    pub(super) tag: u32,
    /// The cycle it was made in.
    pub(super) born: u64,
}

/// Packets by slot.
#[derive(Debug, Default)]
pub(super) struct Packets {
    slots: Vec<FlitPacket>,
    free: Vec<u32>,
}

impl Packets {
    /// Keeps a packet and tells its slot.
    #[inline]
    pub(super) fn insert(&mut self, packet: FlitPacket) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = packet;
                slot
            }
            None => {
                self.slots.push(packet);
                self.slots.len() as u32 - 1
            }
        }
    }

    /// Gives a slot back.
    #[inline]
    pub(super) fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// How many packets are under way.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

impl std::ops::Index<u32> for Packets {
    type Output = FlitPacket;

    #[inline]
    fn index(&self, slot: u32) -> &FlitPacket {
        &self.slots[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for Packets {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut FlitPacket {
        &mut self.slots[slot as usize]
    }
}
