//! One cycle of one router.

use super::super::allocate::round_robin;
use super::super::packet::NONE;
use super::super::region::FREE;
use super::super::router::Stages;
use super::super::wiring::pack;
use super::run::{Slots, Stream};
use super::{Net, Node, SenderPhase};
use meshwright_core::bits::Bits;

impl Net<'_> {
    /// One cycle of one router; whether it is to be visited in the next.
    #[inline(always)]
    pub(super) fn visit<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, node: u32) -> bool {
        let mut acted = false;
        let sources = u32::MAX << self.source;
        // Sources go first: with no delay their heads ask in this cycle.
        let full = at.dirty & sources;
        if full != 0 {
            at.dirty &= !sources;
            for source in Bits(u64::from(full)) {
                acted |=
                    if S::SINGLE { self.leave_source(at, node, source) } else { self.look(at, node, source) };
            }
        }
        let mut later = at.dirty & sources;
        let mut dirty = at.dirty & !sources;
        at.dirty = 0;
        if at.waiting != 0 {
            let (now, next, passed) = self.allocate(at, node);
            // Who has its channel only now tries in the next cycle, whatever else came in.
            dirty = (dirty | now) & !next;
            later |= next;
            acted |= passed || now | next != 0;
        }
        for local in Bits(u64::from(dirty)) {
            acted |= self.look(at, node, local);
        }
        at.dirty |= later;
        self.moved |= acted;
        at.dirty != 0 || acted && at.waiting != 0
    }

    /// Gives free channels to waiting heads: those that cross the switch now, and those that try in the next cycle.
    #[inline(always)]
    pub(super) fn allocate<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
    ) -> (u32, u32, bool) {
        let inputs = self.source;
        let stages = self.setup.router.stages;
        let next = |place: u32| if place + 1 == inputs { 0 } else { place as u8 + 1 };
        let (mut at_once, mut later, mut acted, mut rest) = (0u32, 0u32, false, at.waiting);
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let out = at.senders[first as usize].out;
            let mut want = 1u64 << first;
            // Mostly nobody else waits.
            for other in Bits(u64::from(rest)) {
                want |= u64::from(at.senders[other as usize].out == out) << other;
            }
            rest &= !(want as u32);
            if at.links[usize::from(out)].owner != FREE {
                continue;
            }
            let winner = round_robin(want, u32::from(at.links[usize::from(out)].grant));
            let mut crosses = stages == Stages::Combined;
            if stages == Stages::Speculative {
                let open = u32::from(out) >= self.degree
                    || at.links[usize::from(out)].slots.free(self.now as u32).0 > 0;
                if open {
                    // The switch has a pointer of its own: its grant is lost if it is not the same.
                    let granted = round_robin(want, u32::from(at.links[usize::from(out)].switch));
                    at.links[usize::from(out)].switch = next(granted);
                    crosses = granted == winner;
                }
            }
            let link = &mut at.links[usize::from(out)];
            link.owner = winner as u8;
            link.grant = next(winner);
            if stages == Stages::Speculative {
                // Every flit that crosses moves the pointer to the same place.
                link.switch = next(winner);
            }
            at.waiting &= !(1 << winner);
            if crosses && at.senders[winner as usize].stream.left() == 1 {
                let free = u32::from(out) >= self.degree
                    || at.links[usize::from(out)].slots.free(self.now as u32).0 > 0;
                if free {
                    at.links[usize::from(out)].owner = FREE;
                    self.pass(at, node, winner, u32::from(out));
                    acted = true;
                    continue;
                }
            }
            at.senders[winner as usize].phase = SenderPhase::Head;
            if crosses {
                at_once |= 1 << winner;
            } else {
                later |= 1 << winner;
            }
        }
        (at_once, later, acted)
    }

    /// A packet of one flit crosses in the cycle in which it is given a channel with a free slot.
    #[inline(always)]
    pub(super) fn pass<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
        out: u32,
    ) {
        let sender = &mut at.senders[local as usize];
        sender.phase = SenderPhase::Idle;
        sender.packets -= 1;
        let (more, slot, target) = (sender.packets > 0, sender.front, sender.target);
        let behind = if more { self.packets[slot].next } else { NONE };
        if out < self.degree {
            at.links[out as usize].slots.fill(1);
            self.flit_hops += 1;
            let word = self.peer(node, out);
            self.send_head(at, word, slot, target, self.delays.hop);
            if !self.is_here(word) {
                self.packets.remove(slot);
            }
        } else {
            self.come_out(slot, self.come_out);
        }
        if local < self.degree {
            let word = self.peer(node, local);
            self.send_credits(word, 1, self.delays.credit);
        } else {
            let word = pack(node, local + self.locals);
            self.send_credits(word, 1, self.delays.source_credit);
        }
        if more {
            self.next_packet(at, node, local, behind);
        }
    }
}
