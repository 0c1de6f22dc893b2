//! Allocation with one virtual channel: whoever holds an output channel has the output port to itself, so the
//! switch needs no arbitration of its own. Bit for bit what the general allocation does.

use super::allocate::round_robin;
use super::region::{FREE, LaneState, Region, Site};
use super::router::Stages;
use meshwright_core::bits::Bits;

/// The place after this one in a circle.
#[inline(always)]
fn next(place: u32, size: u32) -> u8 {
    if place + 1 == size { 0 } else { place as u8 + 1 }
}

impl Region<'_> {
    /// Allocates channels of one router and sends whoever holds one; whether anything was granted.
    #[inline(always)]
    pub(super) fn allocate_single(&mut self, site: Site) -> bool {
        let stages = self.setup.router.stages;
        let mut ready = self.ready[site.index];
        let waiting = self.waiting[site.index];
        let mut acted = false;
        if waiting != 0 {
            self.select_all(site);
            let (got, early) = self.single_channels(site, waiting, stages == Stages::Speculative);
            acted = got;
            ready = if stages == Stages::Combined { self.ready[site.index] } else { ready | early };
        }
        if stages == Stages::Speculative {
            self.pass_switch_pointers(site, self.ready[site.index] & ready);
        }
        acted |= ready != 0;
        for local in Bits(ready) {
            self.send(site, local);
        }
        acted
    }

    /// Moves the switch pointers past the lanes that cross without competition.
    fn pass_switch_pointers(&mut self, site: Site, lanes: u64) {
        for local in Bits(lanes) {
            let out = usize::from(self.lanes[self.lanes_of(site) + local as usize].out);
            let port = self.outputs_of(site) + out;
            self.grant[port] = next(local, self.degree + self.locals);
        }
    }

    /// Gives free output channels to waiting heads: whether any was given, and the heads that cross the switch in
    /// the same cycle because they asked for both at once.
    #[inline(always)]
    fn single_channels(&mut self, site: Site, waiting: u64, speculative: bool) -> (bool, u64) {
        let (mut got, mut early) = (false, 0u64);
        let inputs = self.degree + self.locals;
        let at_once = self.setup.router.stages == Stages::Combined;
        let mut rest = waiting;
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let out = self.lanes[self.lanes_of(site) + first as usize].out;
            let mut want = 1u64 << first;
            for other in Bits(rest) {
                want |= u64::from(self.lanes[self.lanes_of(site) + other as usize].out == out) << other;
            }
            rest &= !want;
            let out = u32::from(out);
            let channel = self.channels[self.channels_of(site) + out as usize];
            let winner = round_robin(want, u32::from(channel.grant));
            let (network, slots) = (out < self.degree, channel.credits > 0);
            if channel.owner != FREE || network && self.whole && !slots {
                continue;
            }
            got = true;
            let mut crosses = at_once;
            if speculative && (slots || !network) {
                // The switch has a pointer of its own: its grant is lost if it is not the same.
                let port = self.outputs_of(site) + out as usize;
                let pointer = &mut self.grant[port];
                let granted = round_robin(want, u32::from(*pointer));
                *pointer = next(granted, inputs);
                crosses = granted == winner;
            }
            if crosses && (slots || !network) && self.lanes[self.lanes_of(site) + winner as usize].left == 1 {
                let index = self.channels_of(site) + out as usize;
                self.channels[index].grant = next(winner, inputs);
                self.send_only_flit(site, winner, out);
                continue;
            }
            early |= u64::from(speculative && crosses) << winner;
            self.assign(site, winner, out, 0);
        }
        debug_assert!(early & !waiting == 0, "only heads ask early");
        debug_assert!(
            (0..64)
                .filter(|lane| early >> lane & 1 == 1)
                .all(|lane| self.lanes[self.lanes_of(site) + lane].state == LaneState::Head),
            "who crosses early has its channel"
        );
        (got, early)
    }
}
