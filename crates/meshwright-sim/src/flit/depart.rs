//! Switch traversal: a flit is granted the switch and leaves.

use super::fabric::Crossing;
use super::packet::NONE;
use super::region::{FREE, LaneState, Region, Site};
use super::router::Stages;
use super::wiring::{pack, unpack};

impl Region<'_> {
    /// Sends the flit in front of a lane through the switch.
    #[inline(always)]
    pub(super) fn send(&mut self, site: Site, local: u32) {
        let index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[index];
        let (out, channel) = (u32::from(lane.out), u32::from(lane.channel));
        let head = lane.state == LaneState::Head;
        lane.flits -= 1;
        lane.left -= 1;
        lane.state = LaneState::Body;
        let (tail, empty) = (lane.left == 0, lane.flits == 0);
        let held = self.channels_of(site) + (out * self.vcs + channel) as usize;
        let mut stuck = empty;
        if out < self.degree && !self.whole {
            let state = &mut self.channels[held];
            state.credits -= 1;
            stuck |= state.credits == 0;
        }
        if tail {
            self.channels[held].owner = FREE;
            if self.vcs > 1 {
                let port = self.outputs_of(site) + out as usize;
                self.free[port] |= 1 << channel;
            }
        }
        if tail || stuck {
            self.ready[site.index] &= !(1 << local);
        }
        self.cross(site, local, (out, channel), head, tail);
    }

    /// Sends a packet of one flit that waits for a channel with a free slot: it holds the channel for this cycle
    /// only.
    #[inline(always)]
    pub(super) fn send_only_flit(&mut self, site: Site, local: u32, out: u32) {
        let index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[index];
        lane.flits -= 1;
        lane.left = 0;
        if out < self.degree {
            let held = self.channels_of(site) + out as usize;
            self.channels[held].credits -= 1;
        }
        self.waiting[site.index] &= !(1 << local);
        self.cross(site, local, (out, 0), true, true);
    }

    /// A flit crosses the switch; behind a tail the next packet comes to the front.
    #[inline(always)]
    fn cross(&mut self, site: Site, local: u32, (out, channel): (u32, u32), head: bool, tail: bool) {
        let index = self.lanes_of(site) + local as usize;
        let slot = if head || tail { self.front(index) } else { NONE };
        if out < self.degree {
            self.flit_hops += 1;
            if self.waits.is_some() {
                self.observe(site, local, out, head.then_some(index), tail.then_some(slot));
            }
            self.forward(site, (out, channel), slot, head, tail);
        } else if tail {
            self.come_out(slot, self.delays.eject.max(1));
        }
        if tail || !self.whole {
            self.give_credit(site, local);
        }
        if tail {
            self.pop(index);
            if self.lanes[index].packets > 0 {
                self.bring_front(site, local, self.front(index), self.now + 1);
            } else {
                self.lanes[index].state = LaneState::Idle;
            }
        }
    }

    /// Notes how long a head waited and when a tail leaves its source, for workloads that ask.
    fn observe(&mut self, site: Site, local: u32, out: u32, head: Option<usize>, tail: Option<u32>) {
        if let (Some(index), Some(waits)) = (head, &mut self.waits) {
            let least = u64::from(self.setup.router.stages == Stages::Separate);
            let port = site.index * self.degree as usize + out as usize;
            waits.cycles[port] += self.now - waits.since[index] - least;
        }
        if let Some(slot) = tail.filter(|_| local >= self.degree * self.vcs) {
            let tag = self.packets[slot].tag;
            self.parts.here.wheel.at(self.now + self.delays.hop).sent.push(tag);
        }
    }

    /// Puts a flit on a link.
    #[inline(always)]
    fn forward(&mut self, site: Site, (out, channel): (u32, u32), slot: u32, head: bool, tail: bool) {
        let (next, port) = unpack(self.setup.wiring.peer(site.node, out));
        let word = pack(next, port * self.vcs + channel);
        let at = self.now + self.delays.hop;
        if head {
            self.packets[slot].hops += 1;
        }
        if (self.first..self.last).contains(&next) {
            let moment = self.parts.of(next).wheel.at(at);
            if head {
                moment.heads.push((word, slot));
            } else {
                moment.bodies.push(word);
            }
            return;
        }
        let crossing = if head { Crossing::Head(word, self.packets[slot]) } else { Crossing::Body(word) };
        self.outbox.push((at, crossing));
        if tail {
            self.packets.remove(slot);
        }
    }

    /// Tells whoever feeds an input channel that a slot is free.
    #[inline(always)]
    pub(super) fn give_credit(&mut self, site: Site, local: u32) {
        let port = self.port(local);
        let channel = local - port * self.vcs;
        if port < self.degree {
            let (next, back) = unpack(self.setup.wiring.peer(site.node, port));
            let at = self.now + self.delays.credit;
            let word = pack(next, back * self.vcs + channel);
            if (self.first..self.last).contains(&next) {
                self.parts.of(next).wheel.at(at).credits.push(word);
            } else {
                self.outbox.push((at, Crossing::Credit(word)));
            }
        } else {
            let word = pack(site.node, (port + self.locals) * self.vcs + channel);
            self.parts.here.wheel.at(self.now + self.delays.source_credit).credits.push(word);
        }
    }

    /// Takes the packet in front out of the ring.
    #[inline(always)]
    pub(super) fn pop(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        lane.packets -= 1;
        lane.first = if u32::from(lane.first) + 1 == self.slots { 0 } else { lane.first + 1 };
    }

    /// The tail of a packet comes out after some cycles.
    pub(super) fn come_out(&mut self, slot: u32, delay: u64) {
        let packet = &self.packets[slot];
        let missing = self.setup.router.shortest_packet.saturating_sub(packet.length);
        match delay + u64::from(missing) {
            0 => self.delivered.push(slot),
            delay => self.parts.here.wheel.at(self.now + delay).ejected.push(slot),
        }
    }
}
