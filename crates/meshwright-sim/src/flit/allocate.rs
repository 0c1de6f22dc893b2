//! Virtual-channel and switch allocation.
//!
//! Requests are sets of input channels, one machine word each; a round-robin arbiter is the first member at or
//! after its pointer.
//!
//! # Source
//!
//! `mckeown1999` (iSLIP: grant, accept, pointers move past accepted pairs only); `dally2004`, sections 19.4 and 16.4
//! (separable allocation, speculation).

use super::region::{FREE, LaneState, Region, Site};
use super::router::{Allocator, Stages};
use super::wiring::CHANNELS_MAX;
use meshwright_core::bits::Bits;

const SIZE: usize = CHANNELS_MAX as usize;

/// Requests and grants of the router that is being visited.
#[derive(Debug)]
pub(super) struct Scratch {
    /// By output port, the input channels that ask for it.
    want: [u64; SIZE],
    /// The same for heads that ask for the switch before they have a channel.
    early: [u64; SIZE],
    /// By input port, the output ports that grant it.
    granted: [u64; SIZE],
    /// Input channel and output port of the pairs that will cross the switch.
    winners: [(u8, u8); SIZE],
    count: usize,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { want: [0; SIZE], early: [0; SIZE], granted: [0; SIZE], winners: [(0, 0); SIZE], count: 0 }
    }
}

/// The first member of a set that is not empty, at or after `start`, around the end.
#[inline(always)]
pub(super) fn round_robin(set: u64, start: u32) -> u32 {
    let after = set & (u64::MAX << start);
    if after == 0 { set.trailing_zeros() } else { after.trailing_zeros() }
}

impl Region<'_> {
    /// Allocates channels and the switch of one router and sends the winners; whether anything was granted.
    pub(super) fn allocate(&mut self, site: Site) -> bool {
        self.scratch.count = 0;
        self.select_all(site);
        let got_channel = match self.setup.router.stages {
            Stages::Combined => {
                let got = self.allocate_channels(site);
                self.allocate_switch(site, false);
                got
            }
            stages => {
                self.allocate_switch(site, stages == Stages::Speculative);
                self.allocate_channels(site)
            }
        };
        let base = self.lanes_of(site);
        for winner in 0..self.scratch.count {
            let (local, out) = self.scratch.winners[winner];
            let lane = &self.lanes[base + usize::from(local)];
            // A speculative grant is lost without a channel of that port, and without a slot behind it.
            let has = matches!(lane.state, LaneState::Head | LaneState::Body) && lane.out == out;
            if has && self.may_send(site, u32::from(out), u32::from(lane.channel)) {
                self.send(site, u32::from(local));
            }
        }
        got_channel || self.scratch.count > 0
    }

    /// Free channels of an output port; where packets move whole, only those with a slot.
    #[inline(always)]
    fn free_channels(&self, site: Site, out: u32) -> u64 {
        let port = self.outputs_of(site) + out as usize;
        if !self.whole && self.vcs > 1 {
            return u64::from(self.free[port]);
        }
        let first = self.channels_of(site) + (out * self.vcs) as usize;
        let needs_slot = self.whole && out < self.degree;
        let mut free = 0;
        for (channel, state) in self.channels[first..first + self.vcs as usize].iter().enumerate() {
            if state.owner == FREE && (!needs_slot || state.credits > 0) {
                free |= 1 << channel;
            }
        }
        free
    }

    /// The channels of a port that a waiting lane may take: those of its class; any of an ejection port.
    #[inline]
    fn allowed(&self, index: usize) -> u64 {
        let lane = &self.lanes[index];
        if u32::from(lane.out) < self.degree {
            self.setup.classes[usize::from(lane.channel)]
        } else {
            u64::MAX
        }
    }

    /// Lets adaptive packets ask anew.
    #[inline(always)]
    pub(super) fn select_all(&mut self, site: Site) {
        if self.adaptive {
            self.select_waiting(site);
        }
    }

    fn select_waiting(&mut self, site: Site) {
        for local in Bits(self.waiting[site.index]) {
            self.select(site, local);
        }
    }

    /// Lets an adaptive packet ask for the port with the most free slots, the escape only if no other is free.
    fn select(&mut self, site: Site, local: u32) {
        let index = self.lanes_of(site) + local as usize;
        self.choose(site, local, self.front(index));
        let Some(preferred) = self.choices.as_slice().first().map(|choice| choice.class) else { return };
        let mut best = None;
        for choice in self.choices.as_slice() {
            let free =
                self.free_channels(site, choice.port.0) & self.setup.classes[usize::from(choice.class)];
            if free == 0 {
                continue;
            }
            let first = self.channels_of(site) + (choice.port.0 * self.vcs) as usize;
            let slots: u32 = Bits(free).map(|c| u32::from(self.channels[first + c as usize].credits)).sum();
            let merit = (choice.class == preferred, slots);
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, *choice));
            }
        }
        if let Some((_, choice)) = best {
            let lane = &mut self.lanes[index];
            (lane.out, lane.channel) = (choice.port.0 as u8, choice.class);
        }
    }

    /// Gives output channels to waiting heads; whether any got one.
    fn allocate_channels(&mut self, site: Site) -> bool {
        let waiting = self.waiting[site.index];
        if waiting == 0 {
            return false;
        }
        let base = self.lanes_of(site);
        if waiting.is_power_of_two() {
            let local = waiting.trailing_zeros();
            let out = u32::from(self.lanes[base + local as usize].out);
            let free = self.free_channels(site, out);
            return free != 0 && self.only_request(site, local, out, free);
        }
        let mut ports = 0u64;
        for local in Bits(waiting) {
            let out = self.lanes[base + local as usize].out;
            self.scratch.want[usize::from(out)] |= 1 << local;
            ports |= 1 << out;
        }
        let mut any = false;
        for out in Bits(ports) {
            let want = std::mem::take(&mut self.scratch.want[out as usize]);
            let free = self.free_channels(site, out);
            if free == 0 {
                continue;
            }
            if want.is_power_of_two() {
                any |= self.only_request(site, want.trailing_zeros(), out, free);
                continue;
            }
            any |= match self.setup.router.allocator {
                Allocator::Islip => self.islip_channels(site, out, want, free),
                Allocator::Separable => self.separable_channels(site, out, want, free),
            };
        }
        any
    }

    /// Gives a channel to the only lane that asks for a port; whether there was one of its class.
    #[inline(always)]
    fn only_request(&mut self, site: Site, local: u32, out: u32, free: u64) -> bool {
        let index = self.lanes_of(site) + local as usize;
        let allowed = free & self.allowed(index);
        if allowed != 0 {
            let channel = self.accepted(index, out, allowed);
            self.assign(site, local, out, channel);
        }
        allowed != 0
    }

    /// The channel a lane accepts of those offered.
    #[inline]
    fn accepted(&self, index: usize, out: u32, offered: u64) -> u32 {
        let pointer = u32::from(self.lanes[index].accept);
        let start = pointer.checked_sub(out * self.vcs).filter(|&start| start < self.vcs).unwrap_or(0);
        round_robin(offered, start)
    }

    /// Each free channel grants one lane, each lane accepts one grant.
    fn islip_channels(&mut self, site: Site, out: u32, want: u64, free: u64) -> bool {
        let (base, channels) = (self.lanes_of(site), self.channels_of(site) + (out * self.vcs) as usize);
        let mut offers = [0u64; SIZE];
        let mut granted = 0u64;
        for channel in Bits(free) {
            let fits = |local: &u32| self.allowed(base + *local as usize) >> channel & 1 == 1;
            let set = if self.setup.classes.len() == 1 && !self.is_ejection(out) {
                want
            } else {
                Bits(want).filter(fits).fold(0, |set, local| set | 1 << local)
            };
            if set != 0 {
                let local = round_robin(set, u32::from(self.channels[channels + channel as usize].grant));
                offers[local as usize] |= 1 << channel;
                granted |= 1 << local;
            }
        }
        for local in Bits(granted) {
            let channel = self.accepted(base + local as usize, out, offers[local as usize]);
            self.assign(site, local, out, channel);
        }
        granted != 0
    }

    /// Each lane asks for one free channel, each channel grants one lane.
    fn separable_channels(&mut self, site: Site, out: u32, want: u64, free: u64) -> bool {
        let (base, channels) = (self.lanes_of(site), self.channels_of(site) + (out * self.vcs) as usize);
        let mut asked = [0u64; SIZE];
        let mut any = 0u64;
        for local in Bits(want) {
            let allowed = free & self.allowed(base + local as usize);
            if allowed != 0 {
                let channel = self.accepted(base + local as usize, out, allowed);
                asked[channel as usize] |= 1 << local;
                any |= 1 << channel;
            }
        }
        for channel in Bits(any) {
            let pointer = self.channels[channels + channel as usize].grant;
            let local = round_robin(asked[channel as usize], u32::from(pointer));
            self.assign(site, local, out, channel);
        }
        any != 0
    }

    #[inline]
    fn is_ejection(&self, out: u32) -> bool {
        out >= self.degree
    }

    /// A waiting head gets an output channel.
    #[inline(always)]
    pub(super) fn assign(&mut self, site: Site, local: u32, out: u32, channel: u32) {
        let inputs = (self.degree + self.locals) * self.vcs;
        let outputs = (self.degree + 2 * self.locals) * self.vcs;
        let place = out * self.vcs + channel;
        let takes_slot = self.whole && out < self.degree;
        let index = self.channels_of(site) + place as usize;
        if self.vcs > 1 {
            let port = self.outputs_of(site) + out as usize;
            self.free[port] &= !(1 << channel);
        }
        let state = &mut self.channels[index];
        state.owner = local as u8;
        state.grant = if local + 1 == inputs { 0 } else { local as u8 + 1 };
        if takes_slot {
            state.credits -= 1;
        }
        let lane_index = self.lanes_of(site) + local as usize;
        let lane = &mut self.lanes[lane_index];
        lane.out = out as u8;
        lane.channel = channel as u8;
        lane.state = LaneState::Head;
        lane.accept = if place + 1 == outputs { 0 } else { place as u8 + 1 };
        let n = site.index;
        self.waiting[n] &= !(1 << local);
        if self.may_send(site, out, channel) {
            self.ready[n] |= 1 << local;
        }
    }

    /// Matches input channels with output ports; the winners are in the scratch.
    #[inline]
    fn allocate_switch(&mut self, site: Site, speculative: bool) {
        let ready = self.ready[site.index];
        let early = speculative && self.waiting[site.index] != 0;
        if !early && self.nobody_competes(site, ready) {
            // Every arbiter chooses the one that asks.
            let base = self.lanes_of(site);
            for local in Bits(ready) {
                let out = u32::from(self.lanes[base + local as usize].out);
                self.win(site, local, self.port(local), out);
            }
        } else {
            self.match_ports(site, speculative);
        }
    }

    /// Whether lanes go from different input ports to different output ports.
    #[inline(always)]
    fn nobody_competes(&self, site: Site, lanes: u64) -> bool {
        let base = self.lanes_of(site);
        let (mut inputs, mut outputs, mut compete) = (0u64, 0u64, false);
        for local in Bits(lanes) {
            let input = 1 << self.port(local);
            let output = 1 << self.lanes[base + local as usize].out;
            compete |= inputs & input | outputs & output != 0;
            inputs |= input;
            outputs |= output;
        }
        !compete
    }

    /// The same with competition.
    fn match_ports(&mut self, site: Site, speculative: bool) {
        let base = self.lanes_of(site);
        let mut ports = 0u64;
        for local in Bits(self.ready[site.index]) {
            let out = self.lanes[base + local as usize].out;
            self.scratch.want[usize::from(out)] |= 1 << local;
            ports |= 1 << out;
        }
        if speculative {
            for local in Bits(self.waiting[site.index]) {
                let out = u32::from(self.lanes[base + local as usize].out);
                if self.has_room(site, base + local as usize, out) {
                    self.scratch.early[out as usize] |= 1 << local;
                    ports |= 1 << out;
                }
            }
        }
        if ports == 0 {
            return;
        }
        match self.setup.router.allocator {
            Allocator::Islip => self.islip_switch(site, ports),
            Allocator::Separable => self.separable_switch(site, ports),
        }
        for out in Bits(ports) {
            self.scratch.want[out as usize] = 0;
            self.scratch.early[out as usize] = 0;
        }
    }

    /// Whether a free channel of the port has a slot, so that asking early makes sense.
    fn has_room(&self, site: Site, index: usize, out: u32) -> bool {
        let free = self.free_channels(site, out) & self.allowed(index);
        let first = self.channels_of(site) + (out * self.vcs) as usize;
        self.is_ejection(out) && free != 0
            || Bits(free).any(|channel| self.channels[first + channel as usize].credits > 0)
    }

    /// The channel of an input port that goes for an output: one that has its channel before one that asks early.
    #[inline]
    fn channel_of(&self, out: u32, port: u32, rotate: u32) -> u32 {
        let mask = (u64::MAX >> (u64::BITS - self.vcs)) << (port * self.vcs);
        let (want, early) = (self.scratch.want[out as usize] & mask, self.scratch.early[out as usize] & mask);
        round_robin(if want == 0 { early } else { want }, port * self.vcs + rotate)
    }

    /// Notes a pair and moves the pointers past it.
    #[inline(always)]
    fn win(&mut self, site: Site, local: u32, port: u32, out: u32) {
        let (input, output) = (self.inputs_of(site) + port as usize, self.outputs_of(site) + out as usize);
        let next = |value: u32, size: u32| if value + 1 == size { 0 } else { value as u8 + 1 };
        self.grant[output] = next(port, self.degree + self.locals);
        self.accept[input] = next(out, self.degree + 2 * self.locals);
        self.rotate[input] = next(local - port * self.vcs, self.vcs);
        self.scratch.winners[self.scratch.count] = (local as u8, out as u8);
        self.scratch.count += 1;
    }

    fn islip_switch(&mut self, site: Site, ports: u64) {
        let (input, output) = (self.inputs_of(site), self.outputs_of(site));
        let mut inputs = 0u64;
        for out in Bits(ports) {
            let set = self.scratch.want[out as usize] | self.scratch.early[out as usize];
            let start = u32::from(self.grant[output + out as usize]) * self.vcs;
            let local = round_robin(set, start);
            let port = self.port(local);
            self.scratch.granted[port as usize] |= 1 << out;
            inputs |= 1 << port;
        }
        for port in Bits(inputs) {
            let offers = std::mem::take(&mut self.scratch.granted[port as usize]);
            let out = round_robin(offers, u32::from(self.accept[input + port as usize]));
            let local = self.channel_of(out, port, u32::from(self.rotate[input + port as usize]));
            self.win(site, local, port, out);
        }
    }

    fn separable_switch(&mut self, site: Site, ports: u64) {
        let (input, output) = (self.inputs_of(site), self.outputs_of(site));
        let (mut all, mut late) = (0u64, 0u64);
        for out in Bits(ports) {
            all |= self.scratch.want[out as usize] | self.scratch.early[out as usize];
            late |= self.scratch.want[out as usize];
        }
        // Each input port sends one of its channels forward.
        let mut outs = 0u64;
        let base = self.lanes_of(site);
        for port in 0..self.degree + self.locals {
            let mask = (u64::MAX >> (u64::BITS - self.vcs)) << (port * self.vcs);
            let set = if late & mask == 0 { all & mask } else { late & mask };
            if set == 0 {
                continue;
            }
            let rotate = u32::from(self.rotate[input + port as usize]);
            let local = round_robin(set, port * self.vcs + rotate);
            let out = self.lanes[base + local as usize].out;
            self.scratch.granted[usize::from(out)] |= 1 << local;
            outs |= 1 << out;
        }
        for out in Bits(outs) {
            let set = std::mem::take(&mut self.scratch.granted[out as usize]);
            let local = round_robin(set, u32::from(self.grant[output + out as usize]) * self.vcs);
            self.win(site, local, self.port(local), out);
        }
    }
}
