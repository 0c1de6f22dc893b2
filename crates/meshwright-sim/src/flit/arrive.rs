//! Flits and credits that come in.

use super::region::{FREE, LaneState, Region, Site};
use super::wiring::pack;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Switching;

impl Region<'_> {
    #[inline(always)]
    pub(super) fn credit_in(&mut self, site: Site, local: u32) {
        let index = self.channels_of(site) + local as usize;
        let channel = &mut self.channels[index];
        channel.credits += 1;
        let owner = channel.owner;
        // The channel of a source is held by no lane; there the owner is only a mark.
        if owner != FREE && !self.whole && local < self.degree * self.vcs {
            let lane = &self.lanes[self.lanes_of(site) + usize::from(owner)];
            self.ready[site.index] |= u64::from(lane.flits > 0) << owner;
        }
        // Nothing to send: nothing to do. A source always has something if it lacked a slot.
        let source = local >= (self.degree + self.locals) * self.vcs;
        if source || self.ready[site.index] | self.waiting[site.index] != 0 {
            self.wake(site.node);
        }
    }

    #[inline(always)]
    pub(super) fn body_in(&mut self, site: Site, local: u32) {
        let index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[index];
        lane.flits += 1;
        match lane.state {
            LaneState::Body if lane.flits == 1 => {
                let (out, channel) = (u32::from(lane.out), u32::from(lane.channel));
                if self.may_send(site, out, channel) {
                    self.ready[site.index] |= 1 << local;
                    self.wake(site.node);
                }
            }
            LaneState::Draining => self.drain(site, local),
            LaneState::Filling if lane.flits == lane.left => {
                self.route_later(site, local, self.now + self.delays.first_try);
            }
            _ => {}
        }
    }

    /// Whether a lane that holds this output channel has a slot to send to.
    #[inline(always)]
    pub(super) fn may_send(&self, site: Site, out: u32, channel: u32) -> bool {
        self.whole
            || out >= self.degree
            || self.channels[self.channels_of(site) + (out * self.vcs + channel) as usize].credits > 0
    }

    #[inline(always)]
    pub(super) fn head_in(&mut self, site: Site, local: u32, slot: u32) {
        let index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[index];
        let place = u32::from(lane.first) + u32::from(lane.packets);
        let place = if place >= self.slots { place - self.slots } else { place };
        self.rings[index * self.slots as usize + place as usize] = slot;
        lane.packets += 1;
        lane.flits += 1;
        if lane.packets == 1 {
            self.bring_front(site, local, slot, self.now);
        }
    }

    /// The slot of the packet in front of a lane.
    #[inline(always)]
    pub(super) fn front(&self, index: usize) -> u32 {
        self.rings[index * self.slots as usize + usize::from(self.lanes[index].first)]
    }

    /// A packet has come to the front of its lane and can be routed from `from` on.
    #[inline(always)]
    pub(super) fn bring_front(&mut self, site: Site, local: u32, slot: u32, from: u64) {
        let index = self.lanes_of(site) + local as usize;
        let length = self.packets[slot].length;
        let lane = &mut self.lanes[index];
        lane.left = length;
        lane.state = LaneState::Routing;
        if self.direct && lane.flits == 1 && from == self.now {
            self.choose(site, local, slot);
            if self.choices.as_slice().is_empty() {
                self.lanes[index].state = LaneState::Draining;
                self.drain(site, local);
                return;
            }
        }
        if self.setup.switching == Switching::StoreAndForward && local < self.degree * self.vcs {
            self.choose(site, local, slot);
            if self.choices.as_slice().is_empty() {
                // What has come for good is not stored once more.
                return self.route_later(site, local, from + self.delays.last_try);
            }
            let lane = &mut self.lanes[index];
            if lane.flits < lane.left {
                lane.state = LaneState::Filling;
                return;
            }
        }
        self.route_later(site, local, from + self.delays.first_try);
    }

    /// Lets the packet in front ask for a channel at a cycle.
    #[inline(always)]
    fn route_later(&mut self, site: Site, local: u32, at: u64) {
        let index = self.lanes_of(site) + local as usize;
        self.lanes[index].state = LaneState::Routing;
        if at <= self.now {
            self.ask(site, local);
        } else {
            self.parts.here.wheel.at(at).routed.push(pack(site.node, local));
        }
    }

    /// Lists the channels the packet in front may take.
    #[inline(always)]
    pub(super) fn choose(&mut self, site: Site, local: u32, slot: u32) {
        let port = self.port(local);
        let wanted = self.asks_arrival && port < self.degree;
        let arrived = wanted.then(|| self.setup.wiring.incoming(site.node, port));
        let header = &mut self.packets[slot].header;
        self.setup.relation.choose(NodeId(site.node), arrived, header, &mut self.choices);
    }

    /// The route is found: the packet in front asks for an output channel.
    #[inline(always)]
    pub(super) fn ask(&mut self, site: Site, local: u32) {
        let index = self.lanes_of(site) + local as usize;
        let slot = self.front(index);
        let way = match self.axes {
            Some(axes) => {
                axes.port(NodeId(site.node), self.packets[slot].header.target).map(|port| (port, 0))
            }
            None => {
                self.choose(site, local, slot);
                self.choices.as_slice().first().map(|choice| (choice.port, choice.class))
            }
        };
        // With a port for each link a packet comes out beside the link it came by.
        let beside = if self.locals == 1 { 0 } else { self.port(local) % self.degree };
        let lane = &mut self.lanes[index];
        lane.state = LaneState::Waiting;
        (lane.out, lane.channel) = match way {
            Some((port, class)) => (port.0 as u8, class),
            None => ((self.degree + beside) as u8, 0),
        };
        if let Some(waits) = &mut self.waits {
            waits.since[index] = self.now;
        }
        self.waiting[site.index] |= 1 << local;
        self.wake(site.node);
    }

    /// A flit comes out as it comes in.
    fn drain(&mut self, site: Site, local: u32) {
        let index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[index];
        lane.flits -= 1;
        lane.left -= 1;
        let tail = lane.left == 0;
        if tail {
            let slot = self.front(index);
            self.pop(index);
            self.lanes[index].state = LaneState::Idle;
            self.come_out(slot, self.delays.eject);
        }
        if tail || !self.whole {
            self.give_credit(site, local);
        }
        self.moved = true;
    }
}
