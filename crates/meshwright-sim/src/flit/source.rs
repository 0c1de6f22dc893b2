//! Source queues: packets that wait at their node, and how they get into the router.

use super::packet::{FlitPacket, NONE};
use super::region::{FREE, Region, Site};
use super::wiring::pack;

/// The queue of a node's injection port.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceQueue {
    head: u32,
    tail: u32,
    /// Flits of the first packet that have not left; 0 when its head has no channel yet.
    left: u32,
    channel: u8,
}

impl SourceQueue {
    /// Nothing to send.
    pub(super) const EMPTY: Self = Self { head: NONE, tail: NONE, left: 0, channel: 0 };

    /// Flits that have not left, counted anew.
    #[cfg(test)]
    pub(super) fn flits(&self, packets: &super::packet::Packets) -> u64 {
        let (mut sum, mut slot, mut left) = (0, self.head, self.left);
        while slot != NONE {
            sum += u64::from(if left > 0 { left } else { packets[slot].length });
            (slot, left) = (packets[slot].next, 0);
        }
        sum
    }
}

impl Region<'_> {
    /// Queues a packet at a node's injection port.
    pub(super) fn enqueue(&mut self, node: u32, port: u32, packet: FlitPacket) {
        let slot = self.packets.insert(packet);
        let index = self.sources_of(self.site(node)) + port as usize;
        let source = &mut self.sources[index];
        if source.head == NONE {
            source.head = slot;
        } else {
            self.packets[source.tail].next = slot;
        }
        source.tail = slot;
        self.wake(node);
    }

    /// Moves one flit from each source queue into the router: whether any moved, and whether any is left.
    #[inline(always)]
    pub(super) fn inject(&mut self, site: Site) -> (bool, bool) {
        let (mut moved, mut more) = (false, false);
        for port in 0..self.locals {
            let index = self.sources_of(site) + port as usize;
            if self.sources[index].head != NONE {
                moved |= self.inject_flit(site, index, port);
                more |= self.sources[index].head != NONE;
            }
        }
        (moved, more)
    }

    fn inject_flit(&mut self, site: Site, index: usize, port: u32) -> bool {
        let channels = self.channels_of(site) + ((self.degree + self.locals + port) * self.vcs) as usize;
        let mut source = self.sources[index];
        let head = source.left == 0;
        if head {
            if self.held {
                return false;
            }
            // The next channel in turn that nobody holds and that has room.
            let mut turn = u32::from(source.channel);
            let mut tries = 0;
            loop {
                turn = if turn + 1 == self.vcs { 0 } else { turn + 1 };
                let channel = &self.channels[channels + turn as usize];
                if channel.owner == FREE && channel.credits > 0 {
                    break;
                }
                tries += 1;
                if tries == self.vcs {
                    return false;
                }
            }
            source.channel = turn as u8;
            source.left = self.packets[source.head].length;
        }
        let channel = &mut self.channels[channels + usize::from(source.channel)];
        if head || !self.whole {
            if channel.credits == 0 {
                return false;
            }
            channel.credits -= 1;
        }
        source.left -= 1;
        // A mark only: no lane of this router holds the channel of a source.
        channel.owner = if source.left == 0 { FREE } else { 0 };
        let local = (self.degree + port) * self.vcs + u32::from(source.channel);
        let slot = source.head;
        if source.left == 0 {
            source.head = self.packets[slot].next;
        }
        self.sources[index] = source;
        let word = pack(site.node, local);
        match (self.delays.injection, head) {
            (0, true) => self.head_in(site, local, slot),
            (0, false) => self.body_in(site, local),
            (delay, true) => self.parts.here.wheel.at(self.now + delay).heads.push((word, slot)),
            (delay, false) => self.parts.here.wheel.at(self.now + delay).bodies.push(word),
        }
        true
    }
}
