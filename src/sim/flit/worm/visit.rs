//! One cycle of one router.

use super::super::allocate::round_robin;
use super::super::packet::NONE;
use super::super::region::FREE;
use super::super::router::Stages;
use super::super::wiring::{pack, unpack};
use super::{Phase, Worms};

impl Worms<'_> {
    /// One cycle of one router; whether it is to be visited in the next.
    #[inline(always)]
    pub(super) fn visit(&mut self, node: u32) -> bool {
        let n = (node - self.first) as usize;
        let mut acted = false;
        let source = 1 << (self.degree + 1);
        // A source goes first: with no delay its head asks in this cycle.
        if self.dirty[n] & source != 0 {
            self.dirty[n] &= !source;
            acted |= self.look(node, self.degree + 1);
        }
        let mut later = self.dirty[n] & source;
        let mut dirty = self.dirty[n] & !source;
        self.dirty[n] = 0;
        if self.waiting[n] != 0 {
            let (now, next, passed) = self.allocate(node, self.waiting[n]);
            // Who has its channel only now tries in the next cycle, whatever else came in.
            dirty = (dirty | now) & !next;
            later |= next;
            acted |= passed || now | next != 0;
        }
        while dirty != 0 {
            let local = dirty.trailing_zeros();
            dirty &= dirty - 1;
            acted |= self.look(node, local);
        }
        self.dirty[n] |= later;
        self.moved |= acted;
        self.dirty[n] != 0 || acted && self.waiting[n] != 0
    }

    /// Gives free channels to waiting heads: those that cross the switch now, and those that try in the next cycle.
    #[inline(always)]
    pub(super) fn allocate(&mut self, node: u32, waiting: u32) -> (u32, u32, bool) {
        let (base, inputs) = (self.base(node), self.degree + 1);
        let stages = self.setup.router.stages;
        let next = |place: u32| if place + 1 == inputs { 0 } else { place as u8 + 1 };
        let n = (node - self.first) as usize;
        let (mut at_once, mut later, mut acted, mut rest) = (0u32, 0u32, false, waiting);
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let out = self.senders[base + first as usize].out;
            let mut want = 1u64 << first;
            let mut others = rest;
            while others != 0 {
                let other = others.trailing_zeros();
                others &= others - 1;
                want |= u64::from(self.senders[base + other as usize].out == out) << other;
            }
            rest &= !(want as u32);
            let place = base + usize::from(out);
            if self.links[place].owner != FREE {
                continue;
            }
            let winner = round_robin(want, u32::from(self.links[place].grant));
            let mut crosses = stages == Stages::Combined;
            if stages == Stages::Speculative {
                let open = u32::from(out) == self.degree || self.room(&self.links[place], 0).0 > 0;
                if open {
                    // The switch has a pointer of its own: its grant is lost if it is not the same.
                    let granted = round_robin(want, u32::from(self.links[place].switch));
                    self.links[place].switch = next(granted);
                    crosses = granted == winner;
                }
            }
            let link = &mut self.links[place];
            link.owner = winner as u8;
            link.grant = next(winner);
            if stages == Stages::Speculative {
                // Every flit that crosses moves the pointer to the same place.
                link.switch = next(winner);
            }
            self.waiting[n] &= !(1 << winner);
            if crosses && self.senders[base + winner as usize].left == 1 {
                let free = u32::from(out) == self.degree || self.room(&self.links[place], 0).0 > 0;
                if free {
                    self.links[place].owner = FREE;
                    self.pass(node, base, winner, u32::from(out));
                    acted = true;
                    continue;
                }
            }
            self.senders[base + winner as usize].phase = Phase::Head;
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
    pub(super) fn pass(&mut self, node: u32, base: usize, local: u32, out: u32) {
        let index = base + local as usize;
        let sender = &mut self.senders[index];
        sender.gone = sender.gone.wrapping_add(1);
        sender.phase = Phase::Idle;
        sender.packets -= 1;
        let (more, slot) = (sender.packets > 0, sender.front);
        let behind = if more { self.packets[slot].next } else { NONE };
        if out < self.degree {
            let link = &mut self.links[base + out as usize];
            link.filled = link.filled.wrapping_add(1);
            self.flit_hops += 1;
            self.packets[slot].hops += 1;
            let (next, port) = unpack(self.setup.wiring.peer(node, out));
            self.send_head(pack(next, port), slot, self.delays.hop);
            if !self.is_here(pack(next, port)) {
                self.packets.remove(slot);
            }
        } else {
            self.come_out(slot);
        }
        if local < self.degree {
            let (next, port) = unpack(self.setup.wiring.peer(node, local));
            self.send_credits(pack(next, port), 1, self.delays.credit);
        } else {
            let word = pack(node, self.degree + 1);
            self.send_credits(word, 1, self.delays.source_credit);
        }
        if more {
            self.next_packet(node, local, behind);
        }
    }
}
