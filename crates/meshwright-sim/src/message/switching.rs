//! Switching: the way of a message over the links it is given.
//!
//! | switching | a message holds a link | asks for the next |
//! |---|---|---|
//! | wormhole | from its head to its tail; blocked, it stands still on all of them (on a torus: on one class of each) | one head time later |
//! | cut-through | while head and bytes cross it | one head time later |
//! | store-and-forward | while start-up and bytes take | when it has crossed |
//!
//! A worm has no slack: where its head stops its tail stops, so a link is free when the bytes have passed it,
//! counted in the time the worm moves.

use super::flight::Flight;
use super::way::Cursor;
use super::witness::Witness;
use super::{Core, MessageEvent};
use meshwright_core::units::LinkId;
use meshwright_network::topology::Switching;

impl<W: Witness> Core<'_, W> {
    /// A message enters a link that serves in turn, at a time from now on.
    #[inline]
    pub(super) fn enter_in_turn(&mut self, link: LinkId, slot: u32, begin: u64) {
        let Flight { hops, left, body, asked, message, .. } = self.take_link(link, slot);
        if let Some(log) = self.witness.log() {
            let cause = if asked < begin { log.freed(link, begin) } else { None };
            log.given(message, link, [asked, begin], cause);
            log.released(link, message, begin + self.head + body);
        }
        if hops == 1 {
            self.leave(slot, begin + self.head + body);
        }
        if left == 0 {
            self.arrive(slot, begin + self.head);
        } else {
            self.events.push(begin + self.head, MessageEvent::Head(slot));
        }
    }

    /// Counts a link as taken and looks for the next.
    #[inline]
    fn take_link(&mut self, link: LinkId, slot: u32) -> Flight {
        if self.second.is_some() {
            self.note_wire(link, slot);
        }
        let flight = &mut self.flights[slot as usize];
        flight.hops += 1;
        flight.left -= 1;
        if flight.left > 0 && !flight.head.advance() {
            let at = self.network.target(self.date_line.link_of(link));
            let (to, above) = (self.messages[flight.message as usize].ends.1, self.date_line.above);
            flight.head = Cursor::after(&self.routes, above, flight.message, flight.hops, (at, to));
        }
        *flight
    }

    /// A message enters a link it was given.
    #[inline]
    pub(super) fn enter(&mut self, link: LinkId, slot: u32) {
        self.note_given(link, slot);
        let Flight { hops, left, body, asked, .. } = self.take_link(link, slot);
        if asked < self.now {
            self.channels.note_wait(self.date_line.link_of(link), self.now - asked);
        }
        match self.switching {
            Switching::Wormhole => {
                // The worm covers `length` links: when its head crosses this one, its tail leaves the one that
                // many before. A head without a body covers none, however fast it is.
                if u64::from(hops - 1) * self.head >= body {
                    let length = if body == 0 { 0 } else { body.div_ceil(self.head) };
                    self.release_tail(slot, self.now + body + self.head - length * self.head);
                }
                self.come_in(slot, self.now + self.head, left);
            }
            Switching::CutThrough => {
                let time = self.now + self.step + body;
                self.release_link(link, slot, time, hops == 1);
                self.come_in(slot, self.now + self.head, left);
            }
            Switching::StoreAndForward => {
                let crossed = self.now + self.step + body;
                self.release_link(link, slot, crossed, hops == 1);
                if left == 0 && crossed > self.now {
                    self.arrive(slot, crossed);
                } else {
                    self.events.push(crossed, MessageEvent::Head(slot));
                }
            }
        }
    }

    /// The head comes to the next node at a time. Is it the last and no port in between, its arrival is known now.
    #[inline]
    fn come_in(&mut self, slot: u32, time: u64, left: u32) {
        if left == 0 && time > self.now && self.ports.is_none() {
            self.arrive(slot, time);
        } else {
            self.events.push(time, MessageEvent::Head(slot));
        }
    }

    /// The head reaches its target at a time: the rest follows without a stop.
    pub(super) fn arrive(&mut self, slot: u32, time: u64) {
        let Flight { body, hops, left, message, .. } = *self.flight(slot);
        if self.tells_heads {
            self.events.push(time, MessageEvent::Came(message));
        }
        let end = match self.switching {
            Switching::Wormhole | Switching::CutThrough => time + body,
            Switching::StoreAndForward => time,
        };
        self.events.push(end, MessageEvent::Delivered(slot));
        if let Some(ports) = self.ports.filter(|_| hops + left > 0) {
            self.release(ports.ejection(self.messages[message as usize].ends.1), slot, end);
        }
        if self.switching == Switching::Wormhole {
            for behind in (0..u64::from(hops - self.flight(slot).tail_hops)).rev() {
                self.release_tail(slot, end - behind * self.head);
            }
        }
    }

    /// Frees the last link a worm stands on, at a time.
    fn release_tail(&mut self, slot: u32, time: u64) {
        let flight = &mut self.flights[slot as usize];
        let link = flight.tail.link;
        flight.tail_hops += 1;
        let Flight { tail_hops, hops, left, .. } = *flight;
        if tail_hops < hops + left && !flight.tail.advance() {
            let at = self.network.target(self.date_line.link_of(link));
            let (to, above) = (self.messages[flight.message as usize].ends.1, self.date_line.above);
            flight.tail = Cursor::after(&self.routes, above, flight.message, tail_hops, (at, to));
        }
        self.release_link(link, slot, time, tail_hops == 1);
    }

    /// Frees a link at a time; with the first one, the message has left its source.
    #[inline]
    fn release_link(&mut self, link: LinkId, slot: u32, time: u64, is_first: bool) {
        self.release(link, slot, time);
        if is_first {
            self.leave(slot, time);
        }
    }

    /// The last byte leaves the source at a time.
    fn leave(&mut self, slot: u32, time: u64) {
        let message = self.flight(slot).message;
        if let Some(log) = self.witness.log() {
            log.left(message);
        }
        if let Some(ports) = self.ports {
            self.release(ports.injection(self.messages[message as usize].ends.0), slot, time);
        }
        // A stored message has then crossed its first link, which is an event anyway.
        let is_event = self.switching == Switching::StoreAndForward || self.leaves_as_it_arrives(slot);
        if self.tells_sent && !is_event {
            self.events.push(time, MessageEvent::Sent(message));
        }
    }
}
