//! A sender begins, goes on, breaks off or ends with its tail.

use super::super::fabric::Crossing;
use super::super::packet::NONE;
use super::super::region::FREE;
use super::super::wiring::{pack, unpack};
use super::{AHEAD, Net, Node, SenderPhase};
use meshwright_core::units::NodeId;

impl Net<'_> {
    /// Looks at a sender: lets it begin, go on or stop.
    #[inline(never)]
    pub(super) fn look<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32) -> bool {
        let now = self.now as u32;
        let source = local == self.degree + 1;
        if source && at.senders[local as usize].phase == SenderPhase::Idle && !self.next_of_queue(at, node) {
            return false;
        }
        let sender = at.senders[local as usize];
        if !matches!(sender.phase, SenderPhase::Head | SenderPhase::Stands | SenderPhase::Sends) {
            return false;
        }
        let out = u32::from(sender.out);
        let sends = sender.phase == SenderPhase::Sends;
        let sent = if sends { now.wrapping_sub(sender.begin) } else { 0 };
        let left = sender.left - sent;
        let (flits, more) = if source {
            (left, 0)
        } else if self.length == 1 {
            (u32::from(sender.packets), 0)
        } else {
            (sender.came.count(now).wrapping_sub(sender.gone).wrapping_sub(sent), sender.came.rest(now))
        };
        let (free, credits) =
            if out == self.degree { (left, 0) } else { self.room(&at.links[out as usize], sent) };
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
            sender.begin = now;
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
        if !sends || at.senders[local as usize].plan != plan {
            at.senders[local as usize].plan = plan;
            self.planned += 1;
            self.plans.at(u64::from(plan)).push(pack(node, local));
        }
        true
    }

    /// The source queue's next packet of one flit leaves if there is a slot; whether it did.
    #[inline(always)]
    pub(super) fn leave_source<const P: usize>(&mut self, at: &mut Node<P>, node: u32) -> bool {
        let (slot, _) = at.queue;
        let link = &mut at.links[self.degree as usize + 1];
        let free = self.slots.wrapping_add(link.credits.before).wrapping_sub(link.filled);
        if slot == NONE || self.held || free == 0 {
            return false;
        }
        link.filled = link.filled.wrapping_add(1);
        let packet = &mut self.packets[slot];
        let target = packet.header.target;
        packet.hops = self.axes.map_or(0, |axes| axes.hops(NodeId(node), target));
        // Read before the packet is handed on.
        at.queue.0 = packet.next;
        if at.queue.0 != NONE {
            at.dirty |= 1 << (self.degree + 1);
        }
        self.send_head(at, pack(node, self.degree), slot, target, self.delays.injection);
        true
    }

    /// The source queue's next packet takes its channel if there is a slot.
    pub(super) fn next_of_queue<const P: usize>(&mut self, at: &mut Node<P>, node: u32) -> bool {
        let (slot, _) = at.queue;
        let link = &at.links[self.degree as usize + 1];
        if slot == NONE || self.held {
            return false;
        }
        let (free, credits) = self.room(link, 0);
        if free == 0 {
            at.dirty |= u32::from(credits > 0) << (self.degree + 1);
            return false;
        }
        at.links[self.degree as usize + 1].owner = self.degree as u8 + 1;
        let sender = &mut at.senders[self.degree as usize + 1];
        sender.left = self.length;
        let packet = &mut self.packets[slot];
        sender.target = packet.header.target;
        // The way is a shortest one: its length is known before it is gone.
        packet.hops = self.axes.map_or(0, |axes| axes.hops(NodeId(node), sender.target));
        sender.out = self.degree as u8 + 1;
        sender.phase = SenderPhase::Head;
        true
    }

    /// The packet in front of a sender.
    #[inline(always)]
    pub(super) fn front<const P: usize>(&self, at: &Node<P>, local: u32) -> u32 {
        if local == self.degree + 1 {
            return at.queue.0;
        }
        at.senders[local as usize].front
    }

    /// Where the flits of a sender go and after how many cycles; nowhere if they come out.
    #[inline(always)]
    pub(super) fn downstream<const P: usize>(&self, at: &Node<P>, node: u32, out: u32) -> Option<(u32, u64)> {
        match out {
            _ if out < self.degree => {
                let (next, port) = unpack(at.peers[out as usize]);
                Some((pack(next, port), self.delays.hop))
            }
            _ if out == self.degree => None,
            _ => Some((pack(node, self.degree), self.delays.injection)),
        }
    }

    /// Where the credits of a sender go and after how many cycles; nowhere from a source queue.
    #[inline(always)]
    pub(super) fn upstream<const P: usize>(&self, at: &Node<P>, node: u32, local: u32) -> Option<(u32, u64)> {
        match local {
            _ if local < self.degree => {
                let (next, port) = unpack(at.peers[local as usize]);
                Some((pack(next, port), self.delays.credit))
            }
            _ if local == self.degree => Some((pack(node, self.degree + 1), self.delays.source_credit)),
            _ => None,
        }
    }

    /// A run begins: both ends of the way are told.
    #[inline(always)]
    pub(super) fn begin<const P: usize>(
        &mut self,
        at: &mut Node<P>,
        node: u32,
        local: u32,
        left: u32,
        head: bool,
    ) {
        let sender = &at.senders[local as usize];
        let (out, target) = (u32::from(sender.out), sender.target);
        if let Some((word, delay)) = self.downstream(at, node, out) {
            if head {
                let slot = self.front(at, local);
                self.send_head(at, word, slot, target, delay);
            } else {
                self.send_run(at, word, left, delay);
            }
        }
        if let Some((word, delay)) = self.upstream(at, node, local) {
            self.send_credits(word, left, delay);
        }
    }

    #[inline(always)]
    pub(super) fn is_here(&self, word: u32) -> bool {
        (self.first..self.last).contains(&unpack(word).0)
    }

    #[inline(always)]
    pub(super) fn send_head<const P: usize>(
        &mut self,
        at: &mut Node<P>,
        word: u32,
        slot: u32,
        target: NodeId,
        delay: u64,
    ) {
        if delay == 0 {
            self.head_in(at, word, slot, target);
        } else if self.is_here(word) {
            self.after(delay).heads.push((word, slot, target));
        } else {
            self.outbox.push((self.now + delay, Crossing::Head(word, self.packets[slot])));
        }
    }

    #[inline(always)]
    pub(super) fn send_run<const P: usize>(&mut self, at: &mut Node<P>, word: u32, length: u32, delay: u64) {
        if delay == 0 {
            self.run_in(at, word, length);
        } else if self.is_here(word) {
            self.after(delay).runs.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Run(word, length)));
        }
    }

    #[inline(always)]
    pub(super) fn send_credits(&mut self, word: u32, length: u32, delay: u64) {
        if self.is_here(word) {
            self.after(delay).credits.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Credits(word, length)));
        }
    }

    /// A run breaks off before its tail.
    pub(super) fn stop<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32, sent: u32) {
        let out = self.settle(at, local, sent);
        at.senders[local as usize].phase = SenderPhase::Stands;
        if let Some((word, delay)) = self.downstream(at, node, out) {
            self.send_run(at, word, 0, delay);
        }
        if let Some((word, delay)) = self.upstream(at, node, local) {
            self.send_credits(word, 0, delay);
        }
    }

    /// Books the flits of a run; returns the output.
    #[inline(always)]
    pub(super) fn settle<const P: usize>(&mut self, at: &mut Node<P>, local: u32, sent: u32) -> u32 {
        let sender = &mut at.senders[local as usize];
        sender.left -= sent;
        sender.gone = sender.gone.wrapping_add(sent);
        let out = u32::from(sender.out);
        let link = &mut at.links[out as usize];
        link.filled = link.filled.wrapping_add(sent);
        if out < self.degree {
            self.flit_hops += u64::from(sent);
        }
        out
    }

    /// The tail leaves in this cycle.
    #[inline(always)]
    pub(super) fn finish<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32) {
        let left = at.senders[local as usize].left;
        let slot = self.front(at, local);
        // Read before the packet is handed on.
        let next = self.packets[slot].next;
        let out = self.settle(at, local, left);
        at.links[out as usize].owner = FREE;
        if out == self.degree {
            self.come_out(slot);
        } else if out < self.degree && !self.is_here(at.peers[out as usize]) {
            self.packets.remove(slot);
        }
        at.senders[local as usize].phase = SenderPhase::Idle;
        if local == self.degree + 1 {
            let queue = &mut at.queue;
            queue.0 = next;
            if queue.0 != NONE {
                // The next packet can leave in the next cycle.
                at.dirty |= 1 << local;
            }
            return;
        }
        let sender = &mut at.senders[local as usize];
        sender.packets -= 1;
        if sender.packets > 0 {
            self.next_packet(at, node, local, next);
        }
    }

    pub(super) fn come_out(&mut self, slot: u32) {
        self.after(self.come_out).ejected.push(slot);
    }
}
