//! Heads, runs and credits that come in.

use super::super::region::FREE;
use super::super::wiring::{pack, unpack};
use super::run::{Slots, Stream};
use super::{Net, Node, SenderPhase};
use meshwright_core::units::NodeId;

impl Net<'_> {
    #[inline(always)]
    pub(super) fn head_in<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        word: u32,
        slot: u32,
        target: NodeId,
    ) {
        let (node, local) = unpack(word);
        let now = self.now as u32;
        let sender = &mut at.senders[local as usize];
        sender.stream.comes(now, self.length);
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
    pub(super) fn bring_front<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
        target: NodeId,
        after: u64,
    ) {
        let sender = &mut at.senders[local as usize];
        sender.stream.bring(self.length);
        sender.phase = SenderPhase::Routing;
        sender.target = target;
        // The route is the same whenever it is asked for.
        let port = self.axes.and_then(|axes| axes.port(NodeId(node), target));
        sender.out = match port {
            Some(port) => port.0 as u8,
            None if self.direct && after == 0 => {
                self.drain(at, node, local);
                return;
            }
            None => (self.degree + self.beside(local)) as u8,
        };
        match after + self.delays.first_try {
            0 => self.ask(at, node, local),
            delay => self.after(delay).routed.push(pack(node, local)),
        }
    }

    /// The ejection port beside an input.
    #[inline(always)]
    fn beside(&self, local: u32) -> u32 {
        if self.locals == 1 {
            0
        } else if local < self.degree {
            local
        } else {
            local - self.degree
        }
    }

    /// A packet at its target comes out flit by flit as it comes in.
    #[inline(always)]
    fn drain<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, node: u32, local: u32) {
        let sender = &mut at.senders[local as usize];
        if !S::SINGLE {
            sender.phase = SenderPhase::Head;
            sender.out = self.drain as u8;
            self.mark(at, node, local);
            return;
        }
        let slot = sender.front;
        sender.phase = SenderPhase::Idle;
        sender.packets -= 1;
        if let Some((word, delay)) = self.upstream(node, local) {
            self.send_credits(word, 1, delay);
        }
        self.come_out(slot, self.drained);
    }

    /// The tail before it has left: the next packet comes to the front and can be routed from the next cycle on.
    pub(super) fn next_packet<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
        slot: u32,
    ) {
        at.senders[local as usize].front = slot;
        let target = self.packets[slot].header.target;
        self.bring_front(at, node, local, target, 1);
    }

    #[inline(always)]
    pub(super) fn ask<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, node: u32, local: u32) {
        at.senders[local as usize].phase = SenderPhase::Waiting;
        at.waiting |= 1 << local;
        self.wake(node);
    }

    #[inline(always)]
    pub(super) fn credits_in<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        word: u32,
        length: u32,
    ) {
        let (node, out) = unpack(word);
        let now = self.now as u32;
        let link = &mut at.links[out as usize];
        link.slots.comes(now, length);
        let owner = link.owner;
        if owner != FREE {
            self.mark(at, node, u32::from(owner));
        } else if out >= self.source {
            self.mark(at, node, out);
        } else if at.waiting != 0 {
            self.wake(node);
        }
    }

    #[inline(always)]
    pub(super) fn run_in<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, word: u32, length: u32) {
        let (node, local) = unpack(word);
        let now = self.now as u32;
        at.senders[local as usize].stream.comes(now, length);
        self.mark(at, node, local);
    }
}
