//! Allocation with one virtual channel: whoever holds an output channel has the output port to itself, so the
//! switch needs no arbitration of its own. Bit for bit what the general allocation does.

use super::region::{FREE, Region, Site, State};
use super::router::Stages;

impl Region<'_> {
    /// Allocates channels of one router and sends whoever holds one; whether anything was granted.
    #[inline(always)]
    pub(super) fn allocate_single(&mut self, site: Site) -> bool {
        let stages = self.setup.router.stages;
        let mut ready = self.ready[site.index];
        let waiting = self.waiting[site.index];
        let mut acted = false;
        if waiting != 0 {
            if self.setup.relation.adaptive() {
                let mut rest = waiting;
                while rest != 0 {
                    self.select(site, rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
            let (got, early) = self.single_channels(site, waiting, stages == Stages::Speculative);
            acted = got;
            ready = if stages == Stages::Combined { self.ready[site.index] } else { ready | early };
        }
        acted |= ready != 0;
        while ready != 0 {
            self.send(site, ready.trailing_zeros());
            ready &= ready - 1;
        }
        acted
    }

    /// Gives free output channels to waiting heads: whether any was given, and the heads that cross the switch in
    /// the same cycle because they asked for both at once.
    #[inline(always)]
    fn single_channels(&mut self, site: Site, waiting: u64, speculative: bool) -> (bool, u64) {
        let (mut got, mut early) = (false, 0u64);
        let mut rest = waiting;
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let out = self.lanes[self.lanes_of(site) + first as usize].out;
            let mut want = 1u64 << first;
            let mut others = rest;
            while others != 0 {
                let other = others.trailing_zeros();
                others &= others - 1;
                want |= u64::from(self.lanes[self.lanes_of(site) + other as usize].out == out) << other;
            }
            rest &= !want;
            let out = u32::from(out);
            let channel = self.channels[self.channels_of(site) + out as usize];
            let (network, slots) = (out < self.degree, channel.credits > 0);
            if channel.owner != FREE || network && self.whole && !slots {
                continue;
            }
            got = true;
            let winner = super::allocate::round_robin(want, u32::from(channel.grant));
            if speculative && (slots || !network) {
                // The switch has a pointer of its own: its grant is lost if it is not the same.
                let port = self.outputs_of(site) + out as usize;
                let pointer = &mut self.grant[port];
                let crosses = super::allocate::round_robin(want, u32::from(*pointer));
                *pointer = if crosses + 1 == self.degree + self.locals { 0 } else { crosses as u8 + 1 };
                early |= u64::from(crosses == winner) << winner;
            }
            self.assign(site, winner, out, 0);
        }
        debug_assert!(early & !waiting == 0, "only heads ask early");
        debug_assert!(
            (0..64)
                .filter(|lane| early >> lane & 1 == 1)
                .all(|lane| self.lanes[self.lanes_of(site) + lane].state == State::Head),
            "who crosses early has its channel"
        );
        (got, early)
    }
}
