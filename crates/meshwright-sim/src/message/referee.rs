//! What drivers ask of the engine: to load messages, start them, run, and say who waited.

use super::way::Cursor;
use super::witness::Witness;
use super::{Core, MessageEvent, PendingMessage};
use crate::engine::{Control, Driver, Open, Referee};
use meshwright_core::error::{Error, Result};
use meshwright_core::interrupt;
use meshwright_core::units::{Hops, LinkId};
use meshwright_network::routing::Routes;
use meshwright_network::topology::Topology;
use meshwright_schedule::Message;

impl<W: Witness> Control for Core<'_, W> {
    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn start(&mut self, message: u32, at: u64) {
        let slot = self.take_slot(message);
        let (source, target) = self.messages[message as usize].ends;
        let asked = at;
        let at = match &mut self.nodes {
            Some(nodes) if source != target => nodes.sent(source, at),
            _ => at,
        };
        if let Some(log) = self.witness.log() {
            log.started(message, [asked, at]);
        }
        match self.ports {
            Some(_) => self.events.push(at, MessageEvent::Start(slot)),
            None => self.events.push(at + self.startup, MessageEvent::Head(slot)),
        }
    }

    fn relay(&mut self, message: u32, at: u64) {
        let slot = self.take_slot(message);
        if let Some(log) = self.witness.log() {
            log.started(message, [at, at]);
        }
        self.events.push(at, MessageEvent::Head(slot));
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.events.push(at, MessageEvent::Timer(id));
    }
}

impl<'m, W: Witness> Referee<'m> for Core<'m, W> {
    fn load(&mut self, messages: &[Message], routes: Routes<'m>) {
        assert!(self.events.is_empty(), "nothing of the run before is left");
        self.routes = match self.second {
            Some(link) => self.over_both_wires(messages, routes, link),
            None => routes,
        };
        if let Some(log) = self.witness.log() {
            log.clear(messages.len());
        }
        self.channels.forget_waits();
        self.messages.clear();
        self.messages.extend(messages.iter().map(|message| PendingMessage::new(message, &self.costs)));
        self.flights.clear();
        self.idle.clear();
    }

    fn tell_heads(&mut self) -> bool {
        self.tells_heads = self.in_turn && self.nodes.is_none();
        self.tells_heads
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        self.tells_sent = D::WANTS_SENT;
        let (mut moment, mut round, mut given) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(time) = self.events.next(&mut moment) {
            interrupt::stop_point();
            self.now = time;
            for &event in &moment {
                self.handle(event, driver);
            }
            if !self.events.has_more_now() {
                self.give(&mut round, &mut given);
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.channels.longest_wait(self.machine.links() as usize)
    }

    fn is_fresh(&self) -> bool {
        // Which of two wires the next message takes depends on what went before.
        self.second.is_none() && self.nodes.as_ref().is_none_or(|nodes| nodes.are_over(self.now))
    }

    fn passes(&self) -> u64 {
        self.date_line.passes
    }

    fn waiting_ring(&self, undelivered: &[u32]) -> Option<Vec<LinkId>> {
        let first = *undelivered.first()?;
        // The slot of a message that has not arrived was not given to another.
        let slot = self.flights.iter().position(|flight| flight.message == first)? as u32;
        let mut chain = vec![self.wanted(slot)?];
        loop {
            let holder = self.channels.holder(*chain.last()?)?;
            let next = self.wanted(holder)?;
            if let Some(start) = chain.iter().position(|link| *link == next) {
                return Some(chain.split_off(start));
            }
            chain.push(next);
        }
    }
}

impl<'m, W: Witness> Open<'m> for Core<'m, W> {
    fn open(&mut self) {
        let routes = match self.machine.whole_grid() {
            Some(grid) => Routes::DimensionOrder(grid),
            None => Routes::Stored { first: vec![0], links: Vec::new() },
        };
        self.load(&[], routes);
    }

    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        if let Routes::Stored { first, links } = &mut self.routes {
            let (from, to) = message.pair();
            if !self.route_cache.route(from, to, links) {
                let [from, to] = [from, to].map(|node| self.machine.node_name(node));
                let why = format!("there is no path from node {from} to node {to}");
                return Err(Error::not_applicable("routing", why));
            }
            let end = u32::try_from(links.len()).map_err(|_| Error::TooLarge {
                what: "storing the routes",
                needed: format!("{} links", links.len()),
                limit: format!("{} links", u32::MAX),
            })?;
            first.push(end);
        }
        let number = self.messages.len() as u32;
        let (_, hops) = Cursor::first(&self.routes, 0, number, message.pair());
        self.messages.push(PendingMessage::new(message, &self.costs));
        Ok((number, Hops(hops)))
    }
}
