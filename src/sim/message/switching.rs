//! How a message moves over the links it is given.
//!
//! | switching | a message holds a link | asks for the next |
//! |---|---|---|
//! | wormhole | from its head to its tail; blocked, it stands still on all of them | one head time later |
//! | cut-through | while head and bytes cross it | one head time later |
//! | store-and-forward | while start-up and bytes take | when it has crossed |
//!
//! A worm has no slack: where its head stops its tail stops, so a link is free when the bytes have passed it,
//! counted in the time the worm moves.

use super::{Core, Event};
use crate::topology::Switching;
use crate::units::LinkId;

impl Core<'_> {
    /// A message enters a link it was given.
    pub(super) fn enter(&mut self, link: LinkId, message: u32) {
        let m = message as usize;
        let flight = &mut self.flights[m];
        flight.head_at = self.network.target(link);
        flight.hops += 1;
        let hops = u64::from(flight.hops);
        let (head, body) = (self.costs.head_ticks(), self.costs.transfer_ticks(self.messages[m].bytes));
        match self.switching {
            Switching::Wormhole => {
                self.agenda.push(self.now + head, Event::Head(message));
                // The worm covers `length` links: when its head crosses this one, its tail leaves the one
                // that many before. A head without a body covers none, however fast it is.
                let length = match head {
                    _ if body == 0 => 0,
                    0 => u64::MAX,
                    head => body.div_ceil(head),
                };
                if hops > length {
                    self.release_tail(message, self.now + body + head - length * head);
                }
            }
            Switching::CutThrough => {
                self.agenda.push(self.now + head, Event::Head(message));
                self.agenda.push(self.now + head + body, Event::Release(link));
            }
            Switching::StoreAndForward => {
                let crossed = self.now + self.costs.startup_ticks() + body;
                self.agenda.push(crossed, Event::Head(message));
                self.agenda.push(crossed, Event::Release(link));
            }
        }
    }

    /// The head has reached its target: the rest follows without a stop.
    pub(super) fn arrive(&mut self, message: u32) {
        let m = message as usize;
        let body = match self.switching {
            Switching::Wormhole | Switching::CutThrough => self.costs.transfer_ticks(self.messages[m].bytes),
            Switching::StoreAndForward => 0,
        };
        self.agenda.push(self.now + body, Event::Delivered(message));
        if self.switching == Switching::Wormhole {
            let head = self.costs.head_ticks();
            while self.flights[m].tail_hops < self.flights[m].hops {
                let behind = u64::from(self.flights[m].hops - self.flights[m].tail_hops - 1);
                self.release_tail(message, self.now + body - behind * head);
            }
        }
    }

    /// Frees the last link a worm stands on, at a time.
    fn release_tail(&mut self, message: u32, time: u64) {
        let m = message as usize;
        let flight = &mut self.flights[m];
        let link = self
            .routes
            .next(m, flight.tail_hops, flight.tail_at, self.messages[m].target)
            .expect("the tail follows the head");
        flight.tail_at = self.network.target(link);
        flight.tail_hops += 1;
        self.agenda.push(time, Event::Release(link));
    }
}
