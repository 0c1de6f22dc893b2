//! The event-driven core: messages ask for channels, hold them and release them.
//!
//! | switching | a message holds a link | asks for the next |
//! |---|---|---|
//! | wormhole | from its head to its tail; blocked, it stands still on all of them | one head time later |
//! | cut-through | while head and bytes cross it | one head time later |
//! | store-and-forward | while start-up and bytes take | when it has crossed |
//!
//! A worm has no slack: where its head stops its tail stops, so a link is free when the bytes have passed it,
//! counted in the time the worm moves. A free link serves the message that asked first (wormhole,
//! cut-through), or the one with the farthest to go (store-and-forward); of equal ones the lower index.
//!
//! Everything that happens at one moment is collected before links are granted, so no result depends on the
//! order in which simultaneous events are looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::network::Network;
use super::queue::WaitingLines;
use crate::routing::Routes;
use crate::schedule::Message;
use crate::topology::{Costs, Machine, Switching, Topology};
use crate::units::{LinkId, NodeId};

/// No message.
const FREE: u32 = u32::MAX;

/// What a run of the core is about: messages and their routes.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// The messages, by index.
    pub messages: &'b [Message],
    /// Their routes.
    pub routes: &'b Routes<'b>,
}

/// Told what happens, and free to start more. Times are in ticks.
pub trait Driver {
    /// The last byte of a message has left its source.
    fn sent(&mut self, core: &mut Core<'_>, message: u32);
    /// The last byte of a message has reached its target.
    fn delivered(&mut self, core: &mut Core<'_>, message: u32);
    /// A timer has run out.
    fn timer(&mut self, core: &mut Core<'_>, id: u32);
}

/// One message on its way.
#[derive(Clone, Copy, Debug)]
struct Flight {
    head_at: NodeId,
    hops: u32,
    tail_at: NodeId,
    tail_hops: u32,
    released: u32,
    asked: u64,
}

/// Something that happens at a moment; the order of the variants is the order at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Release(LinkId),
    Head(u32),
    Delivered(u32),
    Timer(u32),
}

/// Channels, the messages on them and the events to come.
#[derive(Debug)]
pub struct Core<'n> {
    network: &'n Network,
    switching: Switching,
    costs: Costs,
    now: u64,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    holder: Vec<u32>,
    lines: WaitingLines,
    flights: Vec<Flight>,
    asked_for: Vec<LinkId>,
    waited: Vec<u64>,
}

impl<'n> Core<'n> {
    /// All channels free, nothing on the way.
    pub fn new(network: &'n Network, machine: &Machine) -> Self {
        Self {
            network,
            switching: machine.switching,
            costs: machine.costs,
            now: 0,
            events: BinaryHeap::new(),
            holder: vec![FREE; machine.links() as usize],
            lines: WaitingLines::new(machine.links() as usize, 0),
            flights: Vec::new(),
            asked_for: Vec::new(),
            waited: Vec::new(),
        }
    }

    /// The present moment, in ticks.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How long messages have waited for a link since the last [`Core::load`], in ticks.
    pub fn waited(&self, link: LinkId) -> u64 {
        self.waited.get(link.index()).copied().unwrap_or(0)
    }

    /// Whether any message has waited since the last [`Core::load`].
    pub fn anyone_waited(&self) -> bool {
        !self.waited.is_empty()
    }

    /// Prepares for a batch at time 0.
    ///
    /// # Panics
    ///
    /// When messages of the batch before are still on the way (it ended in a deadlock).
    pub fn load(&mut self, batch: Batch<'_>) {
        assert!(self.events.is_empty() && self.asked_for.is_empty(), "the batch before has ended");
        self.now = 0;
        self.waited.clear();
        self.lines.grow(batch.messages.len());
        self.flights.clear();
        self.flights.extend(batch.messages.iter().map(|message| Flight {
            head_at: message.source,
            hops: 0,
            tail_at: message.source,
            tail_hops: 0,
            released: 0,
            asked: 0,
        }));
    }

    /// Hands a message to the network now or later.
    pub fn start(&mut self, message: u32, time: u64) {
        // Under store-and-forward the start-up is paid at every node, as part of each hop.
        let startup = match self.switching {
            Switching::Wormhole | Switching::CutThrough => self.costs.startup_ticks(),
            Switching::StoreAndForward => 0,
        };
        self.events.push(Reverse((time + startup, Event::Head(message))));
    }

    /// Calls [`Driver::timer`] with this id at a time.
    pub fn set_timer(&mut self, id: u32, time: u64) {
        self.events.push(Reverse((time, Event::Timer(id))));
    }

    /// Runs until nothing happens any more: everything is delivered, or what is left waits in a ring.
    pub fn run(&mut self, batch: Batch<'_>, driver: &mut impl Driver) {
        let mut granting = Vec::new();
        while let Some(&Reverse((time, _))) = self.events.peek() {
            self.now = time;
            while let Some(&Reverse((at, event))) = self.events.peek()
                && at == time
            {
                self.events.pop();
                self.handle(event, batch, driver);
            }
            std::mem::swap(&mut granting, &mut self.asked_for);
            for link in granting.drain(..) {
                if self.holder[link.index()] == FREE
                    && let Some(message) = self.lines.pop(link.index())
                {
                    self.grant(link, message, batch);
                }
            }
        }
    }

    fn handle(&mut self, event: Event, batch: Batch<'_>, driver: &mut impl Driver) {
        match event {
            Event::Release(link) => {
                let message = std::mem::replace(&mut self.holder[link.index()], FREE);
                if !self.lines.is_empty(link.index()) {
                    self.asked_for.push(link);
                }
                let flight = &mut self.flights[message as usize];
                flight.released += 1;
                if flight.released == 1 {
                    driver.sent(self, message);
                }
            }
            Event::Head(message) => self.head(message, batch),
            Event::Delivered(message) => {
                if self.flights[message as usize].hops == 0 {
                    driver.sent(self, message);
                }
                driver.delivered(self, message);
            }
            Event::Timer(id) => driver.timer(self, id),
        }
    }

    /// The head (store-and-forward: the whole message) stands at a node: it asks for the next link, or it is
    /// there.
    fn head(&mut self, message: u32, batch: Batch<'_>) {
        let m = message as usize;
        let flight = self.flights[m];
        let target = batch.messages[m].target;
        match batch.routes.next(m, flight.hops, flight.head_at, target) {
            None => self.arrive(message, batch),
            Some(link) => {
                let key = match self.switching {
                    Switching::Wormhole | Switching::CutThrough => self.now,
                    Switching::StoreAndForward => {
                        let all = batch.routes.hops(m, batch.messages[m].pair()).0;
                        u64::from(u32::MAX - (all - flight.hops))
                    }
                };
                self.flights[m].asked = self.now;
                self.lines.push(link.index(), message, key);
                if self.holder[link.index()] == FREE {
                    self.asked_for.push(link);
                }
            }
        }
    }

    /// Gives a free link to a message.
    fn grant(&mut self, link: LinkId, message: u32, batch: Batch<'_>) {
        let m = message as usize;
        self.holder[link.index()] = message;
        let flight = &mut self.flights[m];
        flight.head_at = self.network.target(link);
        flight.hops += 1;
        let (asked, hops) = (flight.asked, u64::from(flight.hops));
        if asked < self.now {
            if self.waited.is_empty() {
                self.waited = vec![0; self.holder.len()];
            }
            self.waited[link.index()] += self.now - asked;
        }
        let (head, body) = (self.costs.head_ticks(), self.costs.transfer_ticks(batch.messages[m].bytes));
        match self.switching {
            Switching::Wormhole => {
                self.events.push(Reverse((self.now + head, Event::Head(message))));
                // The worm covers `length` links: when its head crosses this one, its tail leaves the one
                // that many before.
                let length = if head == 0 { u64::MAX } else { body.div_ceil(head) };
                if hops > length {
                    self.release_tail(message, self.now + body + head - length * head, batch);
                }
            }
            Switching::CutThrough => {
                self.events.push(Reverse((self.now + head, Event::Head(message))));
                self.events.push(Reverse((self.now + head + body, Event::Release(link))));
            }
            Switching::StoreAndForward => {
                let crossed = self.now + self.costs.startup_ticks() + body;
                self.events.push(Reverse((crossed, Event::Head(message))));
                self.events.push(Reverse((crossed, Event::Release(link))));
            }
        }
    }

    /// The head has reached its target: the rest follows without a stop.
    fn arrive(&mut self, message: u32, batch: Batch<'_>) {
        let m = message as usize;
        let body = match self.switching {
            Switching::Wormhole | Switching::CutThrough => self.costs.transfer_ticks(batch.messages[m].bytes),
            Switching::StoreAndForward => 0,
        };
        self.events.push(Reverse((self.now + body, Event::Delivered(message))));
        if self.switching == Switching::Wormhole {
            let head = self.costs.head_ticks();
            while self.flights[m].tail_hops < self.flights[m].hops {
                let behind = u64::from(self.flights[m].hops - self.flights[m].tail_hops - 1);
                self.release_tail(message, self.now + body - behind * head, batch);
            }
        }
    }

    /// Frees the last link a worm stands on, at a time.
    fn release_tail(&mut self, message: u32, time: u64, batch: Batch<'_>) {
        let m = message as usize;
        let flight = &mut self.flights[m];
        let link = batch
            .routes
            .next(m, flight.tail_hops, flight.tail_at, batch.messages[m].target)
            .expect("the tail follows the head");
        flight.tail_at = self.network.target(link);
        flight.tail_hops += 1;
        self.events.push(Reverse((time, Event::Release(link))));
    }

    /// After a run that did not deliver everything: a ring of channels, each held by a message that waits for
    /// the next. `undelivered` are the messages that were started and did not arrive.
    pub fn waiting_ring(&self, undelivered: &[u32], batch: Batch<'_>) -> Option<Vec<LinkId>> {
        let wanted = |message: u32| {
            let flight = &self.flights[message as usize];
            let target = batch.messages[message as usize].target;
            batch.routes.next(message as usize, flight.hops, flight.head_at, target)
        };
        let mut chain = vec![wanted(*undelivered.first()?)?];
        loop {
            let holder = self.holder[chain.last()?.index()];
            if holder == FREE {
                return None;
            }
            let next = wanted(holder)?;
            if let Some(start) = chain.iter().position(|link| *link == next) {
                return Some(chain.split_off(start));
            }
            chain.push(next);
        }
    }
}
