//! A sender begins, goes on, breaks off or ends with its tail.

use super::super::fabric::Crossing;
use super::super::packet::NONE;
use super::super::region::FREE;
use super::super::wiring::{pack, unpack};
use super::run::{Slots, Stream};
use super::{AHEAD, Net, Node, Sender, SenderPhase, WormEvents};
use meshwright_core::units::NodeId;

impl Net<'_> {
    /// Looks at a sender: lets it begin, go on or stop.
    #[inline(never)]
    pub(super) fn look<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
    ) -> bool {
        let now = self.now as u32;
        let source = local >= self.source;
        if source
            && at.senders[local as usize].phase == SenderPhase::Idle
            && !self.next_of_queue(at, node, local)
        {
            return false;
        }
        let sender = at.senders[local as usize];
        if !matches!(sender.phase, SenderPhase::Head | SenderPhase::Stands | SenderPhase::Sends) {
            return false;
        }
        let out = u32::from(sender.out);
        let sends = sender.phase == SenderPhase::Sends;
        let sent = if sends { now.wrapping_sub(sender.stream.begin()) } else { 0 };
        let left = sender.stream.left() - sent;
        let (flits, more) = if source {
            (left, 0)
        } else {
            let (flits, more) = sender.stream.came(now);
            (u32::from((flits as u16).wrapping_sub(sent as u16)), more)
        };
        let (free, credits) = if self.comes_out(out) {
            (left, 0)
        } else {
            let (free, credits) = at.links[out as usize].slots.free(now);
            (u32::from((free as u16).wrapping_sub(sent as u16)), credits)
        };
        if flits == 0 || free == 0 {
            if sends {
                self.stop(at, node, local, sent);
            } else if flits > 0 && credits > 0 {
                // A credit of a run that began for somebody else comes in the next cycle.
                at.dirty |= 1 << local;
            }
            return sends;
        }
        let all = left.min(flits + more).min(free + credits);
        let sender = &mut at.senders[local as usize];
        if !sends {
            let head = sender.phase == SenderPhase::Head;
            sender.stream.set_begin(now);
            sender.phase = SenderPhase::Sends;
            self.begin(at, node, local, left, head);
        }
        if all == left && left == 1 {
            self.finish(at, node, local);
            return true;
        }
        // The tail itself is looked at; else the cycle after the last one that is sure.
        let ahead = if all == left { left - 1 } else { all }.min(AHEAD);
        let plan = now.wrapping_add(ahead);
        if !sends || !at.senders[local as usize].stream.is_planned(plan) {
            at.senders[local as usize].stream.set_plan(plan);
            self.parts.here.planned += 1;
            self.parts.here.plans.at(u64::from(plan)).push(pack(node, local));
        }
        true
    }

    /// Whether flits that leave by this output are at their target.
    #[inline(always)]
    pub(super) fn comes_out(&self, out: u32) -> bool {
        (self.degree..self.source).contains(&out) || out == self.drain
    }

    /// A source queue's next packet of one flit leaves if there is a slot; whether it did.
    #[inline(always)]
    pub(super) fn leave_source<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        source: u32,
    ) -> bool {
        let slot = at.senders[source as usize].front;
        let slots = &mut at.links[source as usize].slots;
        if slot == NONE || self.held || slots.free(self.now as u32).0 == 0 {
            return false;
        }
        slots.fill(1);
        let packet = &mut self.packets[slot];
        let (target, next) = (packet.header.target, packet.next);
        packet.hops = self.axes.map_or(0, |axes| axes.hops(NodeId(node), target));
        at.senders[source as usize].front = next;
        at.dirty |= u32::from(next != NONE) << source;
        self.send_head(at, pack(node, source - self.locals), slot, target, self.delays.injection);
        true
    }

    /// A source queue's next packet takes its channel if there is a slot.
    pub(super) fn next_of_queue<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        source: u32,
    ) -> bool {
        let slot = at.senders[source as usize].front;
        if slot == NONE || self.held {
            return false;
        }
        let (free, credits) = at.links[source as usize].slots.free(self.now as u32);
        if free == 0 {
            at.dirty |= u32::from(credits > 0) << source;
            return false;
        }
        at.links[source as usize].owner = source as u8;
        let sender = &mut at.senders[source as usize];
        sender.stream.bring(self.length);
        let packet = &mut self.packets[slot];
        sender.target = packet.header.target;
        // The way is a shortest one: its length is known before it is gone.
        packet.hops = self.axes.map_or(0, |axes| axes.hops(NodeId(node), sender.target));
        sender.out = source as u8;
        sender.phase = SenderPhase::Head;
        true
    }

    /// Where the flits of a sender go and after how many cycles; nowhere if they come out.
    #[inline(always)]
    pub(super) fn downstream(&self, node: u32, out: u32) -> Option<(u32, u64)> {
        match out {
            _ if out < self.degree => Some((self.peer(node, out), self.delays.hop)),
            _ if self.comes_out(out) => None,
            _ => Some((pack(node, out - self.locals), self.delays.injection)),
        }
    }

    /// Where the credits of a sender go and after how many cycles; nowhere from a source queue.
    #[inline(always)]
    pub(super) fn upstream(&self, node: u32, local: u32) -> Option<(u32, u64)> {
        match local {
            _ if local < self.degree => Some((self.peer(node, local), self.delays.credit)),
            _ if local < self.source => Some((pack(node, local + self.locals), self.delays.source_credit)),
            _ => None,
        }
    }

    /// A run begins: both ends of the way are told.
    #[inline(always)]
    pub(super) fn begin<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
        left: u32,
        head: bool,
    ) {
        let sender = &at.senders[local as usize];
        let (out, target) = (u32::from(sender.out), sender.target);
        if let Some((word, delay)) = self.downstream(node, out) {
            if head {
                let slot = sender.front;
                self.send_head(at, word, slot, target, delay);
            } else {
                self.send_run(at, word, left, delay);
            }
        }
        if let Some((word, delay)) = self.upstream(node, local) {
            self.send_credits(word, left, delay);
        }
    }

    #[inline(always)]
    pub(super) fn is_here(&self, word: u32) -> bool {
        (self.first..self.last).contains(&unpack(word).0)
    }

    /// The events of a cycle to come of some node of the region.
    #[inline(always)]
    fn sent_to(&mut self, word: u32, delay: u64) -> &mut WormEvents {
        self.parts.of(unpack(word).0).wheel.at(self.now + delay)
    }

    #[inline(always)]
    pub(super) fn send_head<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        word: u32,
        slot: u32,
        target: NodeId,
        delay: u64,
    ) {
        if delay == 0 {
            self.head_in(at, word, slot, target);
        } else if self.is_here(word) {
            self.sent_to(word, delay).heads.push((word, slot, target));
        } else {
            self.outbox.push((self.now + delay, Crossing::Head(word, self.packets[slot])));
        }
    }

    #[inline(always)]
    pub(super) fn send_run<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        word: u32,
        length: u32,
        delay: u64,
    ) {
        if delay == 0 {
            self.run_in(at, word, length);
        } else if self.is_here(word) {
            self.sent_to(word, delay).runs.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Run(word, length)));
        }
    }

    #[inline(always)]
    pub(super) fn send_credits(&mut self, word: u32, length: u32, delay: u64) {
        if self.is_here(word) {
            self.sent_to(word, delay).credits.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Credits(word, length)));
        }
    }

    /// A run breaks off before its tail.
    pub(super) fn stop<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        node: u32,
        local: u32,
        sent: u32,
    ) {
        let out = self.settle(at, local, sent);
        at.senders[local as usize].phase = SenderPhase::Stands;
        if let Some((word, delay)) = self.downstream(node, out) {
            self.send_run(at, word, 0, delay);
        }
        if let Some((word, delay)) = self.upstream(node, local) {
            self.send_credits(word, 0, delay);
        }
    }

    /// Books the flits of a run; returns the output.
    #[inline(always)]
    pub(super) fn settle<S: Stream, const P: usize>(
        &mut self,
        at: &mut Node<S, P>,
        local: u32,
        sent: u32,
    ) -> u32 {
        let sender = &mut at.senders[local as usize];
        sender.stream.book(sent);
        let out = u32::from(sender.out);
        if !self.comes_out(out) {
            at.links[out as usize].slots.fill(sent);
        }
        if out < self.degree {
            self.flit_hops += u64::from(sent);
        }
        out
    }

    /// The tail leaves in this cycle.
    #[inline(always)]
    pub(super) fn finish<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, node: u32, local: u32) {
        let Sender { stream, front: slot, .. } = at.senders[local as usize];
        // Read before the packet is handed on.
        let next = self.packets[slot].next;
        let out = self.settle(at, local, stream.left());
        if out == self.drain {
            self.come_out(slot, self.drained);
        } else {
            at.links[out as usize].owner = FREE;
            if self.comes_out(out) {
                self.come_out(slot, self.come_out);
            } else if out < self.degree && !self.is_here(self.peer(node, out)) {
                self.packets.remove(slot);
            }
        }
        let sender = &mut at.senders[local as usize];
        sender.phase = SenderPhase::Idle;
        if local >= self.source {
            sender.front = next;
            // The next packet can leave in the next cycle.
            at.dirty |= u32::from(next != NONE) << local;
            return;
        }
        sender.packets -= 1;
        if sender.packets > 0 {
            self.next_packet(at, node, local, next);
        }
    }

    #[inline(always)]
    pub(super) fn come_out(&mut self, slot: u32, delay: u64) {
        if delay == 0 {
            self.delivered.push(slot);
        } else {
            self.after(delay).ejected.push(slot);
        }
    }
}
