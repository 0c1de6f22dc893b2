//! Date-line classes: two virtual channels on each link of a torus, so that worms never wait for each other in a ring.
//!
//! | what | rule |
//! |---|---|
//! | class | who has to cross the border of a ring is in the upper class up to and over it; all others, and from then on it, are in the lower |
//! | channel | each class of a link is a channel: one worm holds it from its head to its tail, and who asked first is next |
//! | wire | the link under both carries one worm that moves; where nobody is, who asked first comes on, whatever the class |
//! | pass | a worm that stands leaves the wires under it: who asks in the other class goes beside it |
//! | go on | who stood needs its next channel and, at once, all wires under it: it waits while somebody moves there |
//!
//! So a wire never carries two at a time. A worm waits for a channel of its class, or for a worm that moves. Channels of
//! these classes wait for each other in no ring, and who moves comes to a node: somebody always moves. Where all worms of a
//! link are in one class, all is as it is without classes.
//!
//! Within a moment, free links are given first, then those who stood take their wires, then others pass; each in the order of
//! the messages.
//!
//! # Source
//!
//! `dally1987`, section 4 (date-lines); `dally1992` (a blocked worm holds a virtual channel and not its wire).

use super::channel::Taken;
use super::way::Cursor;
use super::witness::Witness;
use super::{Core, MessageEvent};
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Switching, Topology};

/// No channel.
const NONE: LinkId = LinkId(u32::MAX);

/// What classes ask about the worm in a slot.
#[derive(Clone, Copy, Debug)]
struct Worm {
    /// Whether it moves; if not, it stands still on all its links.
    moves: bool,
    /// Whether it asked for a channel and was not given one.
    waits: bool,
    /// Whether somebody ever waited for it to stand.
    is_watched: bool,
    /// At least the number of its links that another holds in the other class.
    beside: u32,
    /// What it was given and cannot use before the wires under it are free.
    granted: LinkId,
}

/// A worm at its source.
const FRESH: Worm = Worm { moves: false, waits: false, is_watched: false, beside: 0, granted: NONE };

/// The classes of the links of a machine, and the worms in them.
#[derive(Debug, Default)]
pub(super) struct DateLine {
    /// How far the channels of the upper class lie above those of the lower, which are the links; 0 without classes.
    pub(super) above: u32,
    /// By slot.
    worms: Vec<Worm>,
    /// Who asked in this moment.
    stopped: Vec<u32>,
    /// Who was given its next channel and may find the wires under it free.
    ready: Vec<u32>,
    /// Channels on which somebody might pass.
    passages: Vec<LinkId>,
    /// How often somebody passed.
    pub(super) passes: u64,
}

/// Whether links have classes: where worms could wait for each other in a ring. Of a ring of three a way takes one link.
pub(crate) fn keeps_classes(machine: &Machine) -> bool {
    let are_worms = machine.switching() == Switching::Wormhole && machine.fabric().is_none();
    let grid = machine.whole_grid().filter(|_| are_worms);
    grid.is_some_and(|grid| grid.wraps() && grid.sides().iter().any(|&side| side > 3))
}

impl DateLine {
    /// The classes of a machine with so many links, second wires included.
    pub(super) fn of(machine: &Machine, links: u32) -> Self {
        Self { above: if keeps_classes(machine) { links } else { 0 }, ..Self::default() }
    }

    /// Whether there are classes.
    #[inline]
    pub(super) fn is_kept(&self) -> bool {
        self.above > 0
    }

    /// The link of a channel of either class.
    #[inline]
    pub(super) fn link_of(&self, channel: LinkId) -> LinkId {
        if channel.0 < self.above { channel } else { LinkId(channel.0 - self.above) }
    }

    /// The channel of the other class on the same link; none beside a port.
    #[inline]
    fn beside(&self, channel: LinkId) -> Option<LinkId> {
        match channel.0 {
            lower if lower < self.above => Some(LinkId(lower + self.above)),
            upper if upper < 2 * self.above => Some(LinkId(upper - self.above)),
            _ => None,
        }
    }

    /// A worm comes into a slot.
    #[inline]
    pub(super) fn admit(&mut self, slot: u32) {
        match self.worms.get_mut(slot as usize) {
            Some(worm) => *worm = FRESH,
            None => self.worms.push(FRESH),
        }
    }

    /// A worm asks for a channel: it moves on in this moment, or stands.
    #[inline]
    pub(super) fn stop(&mut self, slot: u32) {
        self.worms[slot as usize].waits = true;
        self.stopped.push(slot);
    }

    /// Whether a worm was given a channel and waits for wires.
    #[inline]
    fn is_ready(&self, slot: u32) -> bool {
        self.worms[slot as usize].granted != NONE
    }
}

impl<W: Witness> Core<'_, W> {
    #[inline]
    fn worm(&mut self, slot: u32) -> &mut Worm {
        &mut self.date_line.worms[slot as usize]
    }

    /// Whether somebody waits for the wire under a channel that is given back.
    #[inline]
    pub(super) fn is_awaited_beside(&self, channel: LinkId) -> bool {
        let Some(beside) = self.date_line.beside(channel) else { return false };
        let is_ready = |slot| self.date_line.is_ready(slot);
        self.channels.first(beside).is_some() || self.channels.holder(beside).is_some_and(is_ready)
    }

    /// A channel became free: who waits for the wire under it may have it.
    pub(super) fn wake_beside(&mut self, channel: LinkId) {
        let Some(beside) = self.date_line.beside(channel) else { return };
        match self.channels.taken(beside, self.now) {
            Taken::Not if self.channels.first(beside).is_some() => self.channels.asked_for.push(beside),
            Taken::By(slot) if self.date_line.is_ready(slot) => self.date_line.ready.push(slot),
            _ => {}
        }
    }

    /// Gives what was asked for in this moment.
    pub(super) fn give_in_classes(&mut self, round: &mut Vec<LinkId>, given: &mut Vec<(LinkId, u32)>) {
        while !self.channels.asked_for.is_empty() {
            std::mem::swap(round, &mut self.channels.asked_for);
            for channel in round.drain(..) {
                given.extend(self.give_free(channel));
            }
            for (channel, slot) in given.drain(..) {
                let worm = self.worm(slot);
                worm.waits = false;
                // The wires under a worm that moved up to now are its own.
                if worm.moves || worm.beside == 0 {
                    self.go(channel, slot);
                } else {
                    worm.granted = channel;
                    self.date_line.ready.push(slot);
                }
            }
        }
        let mut stopped = std::mem::take(&mut self.date_line.stopped);
        for slot in stopped.drain(..) {
            if self.worm(slot).waits {
                self.stand(slot);
            }
        }
        self.date_line.stopped = stopped;
        self.go_on();
        self.pass();
    }

    /// Gives a link on which nobody is to the first of both lines, or a port; tells which channel, and to whom.
    #[inline]
    fn give_free(&mut self, channel: LinkId) -> Option<(LinkId, u32)> {
        let Some(beside) = self.date_line.beside(channel) else {
            return Some((channel, self.channels.give(channel, self.now, &mut self.flights)?));
        };
        let first = self.channels.first(channel)?;
        if self.channels.taken(channel, self.now) != Taken::Not {
            return None;
        }
        match self.channels.taken(beside, self.now) {
            Taken::Not => {
                let other = self.channels.first(beside);
                let is_earlier = |other: u32| {
                    let [a, b] = [other, first].map(|slot| self.flight(slot));
                    (a.asked, a.message) < (b.asked, b.message)
                };
                let [next, later] = match other.is_some_and(is_earlier) {
                    true => [beside, channel],
                    false => [channel, beside],
                };
                let slot = self.channels.give(next, self.now, &mut self.flights)?;
                if other.is_some() {
                    self.worm(slot).is_watched = true;
                    self.date_line.passages.push(later);
                }
                Some((next, slot))
            }
            Taken::Until(time) => {
                self.events.push(time, MessageEvent::Free(beside));
                None
            }
            Taken::By(holder) => {
                self.worm(holder).is_watched = true;
                self.date_line.passages.push(channel);
                None
            }
        }
    }

    /// The grant whose message lets a message have a channel now: it left the channel or the other one on a wire that the
    /// message needs, or stands there from now on.
    pub(super) fn cause(&mut self, channel: LinkId, slot: u32) -> Option<u32> {
        let mut cause = self.leaves(channel, slot);
        if self.date_line.is_kept() {
            self.for_each_channel(slot, |core, under| cause = cause.or_else(|| core.leaves(under, slot)));
        }
        cause
    }

    /// The grant whose message leaves the wire under a channel to the worm in a slot now.
    fn leaves(&mut self, channel: LinkId, slot: u32) -> Option<u32> {
        let (now, beside) = (self.now, self.date_line.beside(channel));
        let stands = beside.and_then(|beside| match self.channels.taken(beside, now) {
            Taken::By(other) if other != slot && !self.worm(other).moves => Some(*self.flight(other)),
            _ => None,
        });
        let log = self.witness.log()?;
        let left = log.freed(channel, now).or_else(|| log.freed(beside?, now));
        left.or_else(|| {
            stands.filter(|flight| flight.asked == now).and_then(|flight| log.latest(flight.message))
        })
    }

    /// A worm moves on over a channel it was given.
    #[inline]
    fn go(&mut self, channel: LinkId, slot: u32) {
        self.worm(slot).moves = true;
        self.use_channel(channel, slot);
    }

    /// A worm stands from now on: others may have the wires under it.
    fn stand(&mut self, slot: u32) {
        self.worm(slot).moves = false;
        let Worm { is_watched, beside, .. } = *self.worm(slot);
        if beside == 0 && !is_watched {
            return;
        }
        self.for_each_channel(slot, |core, channel| {
            let Some(beside) = core.date_line.beside(channel) else { return };
            match core.channels.taken(beside, core.now) {
                Taken::Not if core.channels.first(beside).is_some() => core.date_line.passages.push(beside),
                Taken::By(other) if core.date_line.is_ready(other) => core.date_line.ready.push(other),
                _ => {}
            }
        });
    }

    /// Calls `visit` with each channel a worm that stands is on.
    fn for_each_channel(&mut self, slot: u32, mut visit: impl FnMut(&mut Self, LinkId)) {
        let mut flight = *self.flight(slot);
        while flight.tail_hops < flight.hops {
            let channel = flight.tail.link;
            visit(self, channel);
            flight.tail_hops += 1;
            if flight.tail_hops < flight.hops && !flight.tail.advance() {
                let at = self.network.target(self.date_line.link_of(channel));
                let (to, above) = (self.messages[flight.message as usize].ends.1, self.date_line.above);
                flight.tail = Cursor::after(&self.routes, above, flight.message, flight.tail_hops, (at, to));
            }
        }
    }

    /// Worms that stood and were given their next channels go on where the wires under them are free.
    fn go_on(&mut self) {
        let mut ready = std::mem::take(&mut self.date_line.ready);
        ready.sort_unstable_by_key(|&slot| self.flight(slot).message);
        ready.dedup();
        for slot in ready.drain(..) {
            self.go_if_free(slot);
        }
        self.date_line.ready = ready;
    }

    /// A worm that was given its next channel goes on if nobody moves on the wires under it and on the next.
    fn go_if_free(&mut self, slot: u32) {
        let granted = self.worm(slot).granted;
        let (mut others, mut is_free) = (0, granted != NONE);
        let mut look = |core: &mut Self, channel: LinkId| {
            let Some(beside) = core.date_line.beside(channel) else { return };
            match core.channels.taken(beside, core.now) {
                Taken::Not => return,
                Taken::Until(time) => {
                    core.events.push(time, MessageEvent::Free(beside));
                    is_free = false;
                }
                Taken::By(other) => is_free &= !core.worm(other).moves,
            }
            others += 1;
        };
        look(self, granted);
        self.for_each_channel(slot, look);
        self.worm(slot).beside = others;
        if is_free {
            self.worm(slot).granted = NONE;
            self.go(granted, slot);
        }
    }

    /// Lets worms pass those that stand in the other class.
    fn pass(&mut self) {
        let mut passages = std::mem::take(&mut self.date_line.passages);
        passages.sort_unstable_by_key(|&channel| {
            let first = self.channels.first(channel);
            (first.map(|slot| self.flight(slot).message), channel)
        });
        passages.dedup();
        for channel in passages.drain(..) {
            let Some(beside) = self.date_line.beside(channel) else { continue };
            let is_free = self.channels.taken(channel, self.now) == Taken::Not;
            let Taken::By(other) = self.channels.taken(beside, self.now) else { continue };
            if !is_free || self.worm(other).moves {
                continue;
            }
            let Some(slot) = self.channels.give(channel, self.now, &mut self.flights) else { continue };
            self.date_line.passes += 1;
            self.worm(other).beside += 1;
            let worm = self.worm(slot);
            (worm.waits, worm.granted) = (false, channel);
            self.go_if_free(slot);
        }
        self.date_line.passages = passages;
    }
}
