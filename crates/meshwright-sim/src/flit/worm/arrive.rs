//! Heads, runs and credits that come in.

use super::super::region::FREE;
use super::super::wiring::{pack, unpack};
use super::{Link, Net, Node, SenderPhase};
use meshwright_core::units::NodeId;

impl Net<'_> {
    #[inline(always)]
    pub(super) fn head_in<const P: usize>(&mut self, at: &mut Node<P>, word: u32, slot: u32, target: NodeId) {
        let (node, local) = unpack(word);
        let now = self.now as u32;
        let sender = &mut at.senders[local as usize];
        if self.length > 1 {
            sender.came.replace(now, self.length);
        }
        sender.packets += 1;
        let alone = sender.packets == 1;
        let behind = std::mem::replace(&mut sender.back, slot);
        if alone {
            sender.front = slot;
        } else {
            self.packets[behind].next = slot;
        }
        if alone {
            self.bring_front(at, node, local, target, 0);
        }
    }

    /// A packet has come to the front of its buffer; it can be routed after some cycles.
    #[inline(always)]
    pub(super) fn bring_front<const P: usize>(
        &mut self,
        at: &mut Node<P>,
        node: u32,
        local: u32,
        target: NodeId,
        after: u64,
    ) {
        let sender = &mut at.senders[local as usize];
        sender.left = self.length;
        sender.phase = SenderPhase::Routing;
        sender.target = target;
        // The route is the same whenever it is asked for.
        let port = self.axes.and_then(|axes| axes.port(NodeId(node), target));
        sender.out = port.map_or(self.degree, |port| port.0) as u8;
        match after + self.delays.first_try {
            0 => self.ask(at, node, local),
            delay => self.after(delay).routed.push(pack(node, local)),
        }
    }

    /// The tail before it has left: the next packet comes to the front and can be routed from the next cycle on.
    pub(super) fn next_packet<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32, slot: u32) {
        at.senders[local as usize].front = slot;
        let target = self.packets[slot].header.target;
        self.bring_front(at, node, local, target, 1);
    }

    #[inline(always)]
    pub(super) fn ask<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32) {
        at.senders[local as usize].phase = SenderPhase::Waiting;
        at.waiting |= 1 << local;
        self.wake(node);
    }

    #[inline(always)]
    pub(super) fn credits_in<const P: usize>(&mut self, at: &mut Node<P>, word: u32, length: u32) {
        let (node, out) = unpack(word);
        let now = self.now as u32;
        let link = &mut at.links[out as usize];
        if self.length > 1 {
            link.credits.replace(now, length);
        } else {
            link.credits.before = link.credits.before.wrapping_add(1);
        }
        let owner = link.owner;
        if owner != FREE {
            self.mark(at, node, u32::from(owner));
        } else if out == self.degree + 1 {
            self.mark(at, node, out);
        } else if at.waiting != 0 {
            self.wake(node);
        }
    }

    #[inline(always)]
    pub(super) fn run_in<const P: usize>(&mut self, at: &mut Node<P>, word: u32, length: u32) {
        let (node, local) = unpack(word);
        let now = self.now as u32;
        at.senders[local as usize].came.replace(now, length);
        self.mark(at, node, local);
    }

    /// Slots that can be filled at this cycle behind a link, and how many more credits come without a gap.
    #[inline(always)]
    pub(super) fn room(&self, link: &Link, sent: u32) -> (u32, u32) {
        let free = |count: u32| self.slots.wrapping_add(count).wrapping_sub(link.filled).wrapping_sub(sent);
        if self.length == 1 {
            return (free(link.credits.before), 0);
        }
        let now = self.now as u32;
        (free(link.credits.count(now)), link.credits.rest(now))
    }
}
