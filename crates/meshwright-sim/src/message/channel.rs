//! Channels: links, and the ports of one-port nodes. Who holds one, until when, and who asks for it.

use std::cmp::Reverse;

use super::flight::{ChannelQueue, Flight};
use super::queue::{self, QueueSlot};
use meshwright_core::units::LinkId;

/// The time from which a channel is free while nobody knows it yet.
const HELD: u64 = u64::MAX;

/// One channel.
#[derive(Clone, Copy, Debug)]
struct ChannelState {
    /// From when on it is free.
    free_at: u64,
    /// The slot of who was given it last.
    holder: u32,
    /// The line before it, of slots.
    line: u32,
}

/// Whether a channel is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is free.
    Not,
    /// Until this time.
    Until(u64),
    /// By this slot, nobody knows how long.
    By(u32),
}

/// All channels, those asked for and the waiting times.
#[derive(Debug)]
pub(super) struct Channels {
    channels: Vec<ChannelState>,
    /// The channels below this one serve the message with the farthest to go first.
    farthest_first: u32,
    /// Channels that may be given at the end of the moment.
    pub(super) asked_for: Vec<LinkId>,
    /// Ticks of waiting per channel; empty while nobody waited.
    waited: Vec<u64>,
    /// A link and the second wire beside it, which has no line of its own: who is first in that of the link takes either.
    wires: Option<[LinkId; 2]>,
}

impl Channels {
    /// This many channels, all free; those below `farthest_first` serve the message with the farthest to go first.
    pub(super) fn new(channels: usize, farthest_first: u32) -> Self {
        let free = ChannelState { free_at: 0, holder: u32::MAX, line: queue::NONE };
        let (asked_for, waited) = (Vec::new(), Vec::new());
        Self { channels: vec![free; channels], farthest_first, asked_for, waited, wires: None }
    }

    /// With a second wire beside a link.
    pub(super) fn with_wires(mut self, wires: Option<[LinkId; 2]>) -> Self {
        self.wires = wires;
        self
    }

    /// The channel in whose line one waits for a channel, and the one of both wires that is free first.
    #[inline]
    fn line_and_wire(&self, channel: LinkId) -> (LinkId, LinkId) {
        match self.wires {
            Some([first, second]) if channel == first || channel == second => {
                let free_at = |wire: LinkId| self.channels[wire.index()].free_at;
                (first, if free_at(second) < free_at(first) { second } else { first })
            }
            _ => (channel, channel),
        }
    }

    /// Puts a message into the line of a channel. Returns which wire becomes free and when, if that is known and nobody was
    /// waiting for it before.
    #[inline]
    pub(super) fn ask(
        &mut self,
        channel: LinkId,
        slot: u32,
        now: u64,
        flights: &mut [Flight],
    ) -> Option<(LinkId, u64)> {
        let farthest_first = channel.0 < self.farthest_first;
        let wire = self.line_and_wire(channel).1;
        let free_at = self.channels[wire.index()].free_at;
        let line = &mut self.channels[channel.index()].line;
        if *line != queue::NONE {
            queue::push(&mut ChannelQueue { flights, farthest_first }, line, slot);
            return None;
        }
        flights[slot as usize].place = QueueSlot::NOWHERE;
        *line = slot;
        if free_at <= now {
            self.asked_for.push(channel);
            return None;
        }
        (free_at != HELD).then_some((wire, free_at))
    }

    /// Puts a message into the line of a channel that serves in turn: [`Channels::book`] follows in this moment.
    #[inline]
    pub(super) fn ask_in_turn(&mut self, channel: LinkId, slot: u32, flights: &mut [Flight]) {
        let ChannelState { line, .. } = &mut self.channels[channel.index()];
        if *line != queue::NONE {
            return queue::push(&mut ChannelQueue { flights, farthest_first: false }, line, slot);
        }
        flights[slot as usize].place = QueueSlot::NOWHERE;
        *line = slot;
        self.asked_for.push(channel);
    }

    /// Gives a channel that serves in turn to the next who asked in this moment, for `head` and its body. Returns the
    /// wire, its slot and when it begins: those who asked before are through by then, and nobody can come between.
    #[inline]
    pub(super) fn book(
        &mut self,
        channel: LinkId,
        now: u64,
        head: u64,
        flights: &mut [Flight],
    ) -> Option<(LinkId, u32, u64)> {
        let line = &mut self.channels[channel.index()].line;
        let slot = queue::pop(&mut ChannelQueue { flights, farthest_first: false }, line)?;
        let wire = self.line_and_wire(channel).1;
        let free_at = &mut self.channels[wire.index()].free_at;
        let begin = now.max(*free_at);
        *free_at = begin + head + flights[slot as usize].body;
        if begin > now {
            self.note_wait(channel, begin - now);
        }
        Some((wire, slot, begin))
    }

    /// Notes from when on a channel is free; whether [`Channels::becomes_free`] must be called then.
    #[inline]
    pub(super) fn release(&mut self, channel: LinkId, time: u64, now: u64) -> bool {
        let line = self.channels[self.line_and_wire(channel).0.index()].line;
        let ChannelState { free_at, .. } = &mut self.channels[channel.index()];
        debug_assert!(*free_at == HELD && time >= now, "only what is held is released");
        // What is given and released within one moment is free for those who ask after it.
        if time == now {
            return true;
        }
        *free_at = time;
        line != queue::NONE
    }

    /// A channel becomes free now.
    #[inline]
    pub(super) fn becomes_free(&mut self, channel: LinkId, now: u64) {
        self.channels[channel.index()].free_at = now;
        let line = self.line_and_wire(channel).0;
        if self.channels[line.index()].line != queue::NONE {
            self.asked_for.push(line);
        }
    }

    /// Gives a link that may have a second wire to the first in its line, if a wire is free; which one, and to whom. Whoever
    /// is next in line asks again.
    #[inline]
    pub(super) fn give_wire(
        &mut self,
        channel: LinkId,
        now: u64,
        flights: &mut [Flight],
    ) -> Option<(LinkId, u32)> {
        let (line, wire) = self.line_and_wire(channel);
        if wire == line {
            let slot = self.give(line, now, flights)?;
            let is_free = self.channels[self.line_and_wire(line).1.index()].free_at <= now;
            if self.wires.is_some() && is_free && self.channels[line.index()].line != queue::NONE {
                self.asked_for.push(line);
            }
            return Some((line, slot));
        }
        if self.channels[wire.index()].free_at > now {
            return None;
        }
        let farthest_first = line.0 < self.farthest_first;
        let waiting = &mut self.channels[line.index()].line;
        let slot = queue::pop(&mut ChannelQueue { flights, farthest_first }, waiting)?;
        let ChannelState { free_at, holder, .. } = &mut self.channels[wire.index()];
        (*free_at, *holder) = (HELD, slot);
        Some((wire, slot))
    }

    /// Gives a channel, if it is free, to the first in its line.
    #[inline]
    pub(super) fn give(&mut self, channel: LinkId, now: u64, flights: &mut [Flight]) -> Option<u32> {
        let farthest_first = channel.0 < self.farthest_first;
        let ChannelState { free_at, holder, line } = &mut self.channels[channel.index()];
        if *free_at > now {
            return None;
        }
        let slot = queue::pop(&mut ChannelQueue { flights, farthest_first }, line)?;
        (*free_at, *holder) = (HELD, slot);
        Some(slot)
    }

    /// Until when a channel is taken, as far as that is known.
    #[inline]
    pub(super) fn taken(&self, channel: LinkId, now: u64) -> Taken {
        let ChannelState { free_at, holder, .. } = self.channels[channel.index()];
        match free_at {
            HELD => Taken::By(holder),
            _ if free_at > now => Taken::Until(free_at),
            _ => Taken::Not,
        }
    }

    /// The slot of the first in the line of a channel.
    #[inline]
    pub(super) fn first(&self, channel: LinkId) -> Option<u32> {
        let line = self.channels[channel.index()].line;
        (line != queue::NONE).then_some(line)
    }

    /// Who holds a channel without a known end.
    pub(super) fn holder(&self, channel: LinkId) -> Option<u32> {
        let ChannelState { free_at, holder, .. } = self.channels[channel.index()];
        (free_at == HELD).then_some(holder)
    }

    /// Adds to the waiting time for a channel.
    #[inline]
    pub(super) fn note_wait(&mut self, channel: LinkId, ticks: u64) {
        if self.waited.is_empty() {
            self.waited = vec![0; self.channels.len()];
        }
        self.waited[channel.index()] += ticks;
    }

    /// Sets all waiting times to 0.
    pub(super) fn forget_waits(&mut self) {
        self.waited.clear();
    }

    /// Of the first `links` channels the one waited for the longest, and the ticks added up; of equal ones the lowest.
    pub(super) fn longest_wait(&self, links: usize) -> Option<(LinkId, u64)> {
        let waits = (0u32..).map(LinkId).zip(self.waited.iter().copied()).take(links);
        waits.filter(|&(_, ticks)| ticks > 0).max_by_key(|&(link, ticks)| (ticks, Reverse(link)))
    }
}
