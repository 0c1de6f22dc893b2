//! The event-driven core: messages ask for channels, hold them and release them.
//!
//! A free link serves the message that asked first (wormhole, cut-through), or the one with the farthest to go
//! (store-and-forward); of equal ones the lower index. Everything that happens at one moment is looked at before
//! links are granted, so who gets a link does not depend on the order of simultaneous events. How a message
//! moves is in `switching`, how one-port nodes hold it back in `ports`.

mod agenda;
mod ports;
mod queue;
mod switching;

use std::cmp::Reverse;

use self::agenda::Agenda;
use self::ports::PortChannels;
use self::queue::WaitingLines;
use super::engine::{Driver, Engine, Referee};
use super::network::Network;
use crate::routing::Routes;
use crate::schedule::Message;
use crate::topology::{Costs, Machine, Switching};
use crate::units::{LinkId, NodeId};

/// No message.
const FREE: u32 = u32::MAX;

/// One message on its way.
#[derive(Clone, Copy, Debug)]
struct Flight {
    head_at: NodeId,
    hops: u32,
    tail_at: NodeId,
    tail_hops: u32,
    released: u32,
    asked: u64,
    ejecting: bool,
}

/// Something that happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Start(u32),
    Release(LinkId),
    Head(u32),
    Delivered(u32),
    Timer(u32),
}

/// Channels, the messages on them and the events to come.
#[derive(Debug)]
pub(in crate::sim) struct Core<'m> {
    network: Network,
    switching: Switching,
    costs: Costs,
    now: u64,
    agenda: Agenda<Event>,
    messages: Vec<Message>,
    routes: Routes<'m>,
    holder: Vec<u32>,
    lines: WaitingLines,
    flights: Vec<Flight>,
    asked_for: Vec<LinkId>,
    waited: Vec<u64>,
    ports: Option<PortChannels>,
}

impl<'m> Core<'m> {
    /// All channels free, nothing on the way.
    pub(in crate::sim) fn new(machine: &'m Machine) -> Self {
        let (ports, channels) = PortChannels::of(machine);
        Self {
            network: Network::new(machine),
            switching: machine.switching,
            costs: machine.costs,
            now: 0,
            agenda: Agenda::new(),
            messages: Vec::new(),
            routes: Routes::Stored { first: Vec::new(), links: Vec::new() },
            holder: vec![FREE; channels],
            lines: WaitingLines::new(channels, 0),
            flights: Vec::new(),
            asked_for: Vec::new(),
            waited: Vec::new(),
            ports,
        }
    }

    /// Ticks before the head leaves; under store-and-forward the start-up is paid at every node, with each hop.
    fn startup(&self) -> u64 {
        match self.switching {
            Switching::Wormhole | Switching::CutThrough => self.costs.startup_ticks(),
            Switching::StoreAndForward => 0,
        }
    }

    fn handle(&mut self, event: Event, driver: &mut impl Driver<Self>) {
        match event {
            Event::Start(message) => {
                let Message { source, target, .. } = self.messages[message as usize];
                match self.ports {
                    // A message to oneself is a copy in memory: it passes no port.
                    Some(ports) if source != target => self.ask(ports.injection(source), message, self.now),
                    _ => self.agenda.push(self.now + self.startup(), Event::Head(message)),
                }
            }
            Event::Release(link) => {
                let message = self.free(link);
                let flight = &mut self.flights[message as usize];
                flight.released += 1;
                if flight.released == 1 {
                    if let Some(ports) = self.ports {
                        self.free(ports.injection(self.messages[message as usize].source));
                    }
                    driver.sent(self, message);
                }
            }
            Event::Head(message) => self.head(message),
            Event::Delivered(message) => {
                let flight = self.flights[message as usize];
                if flight.hops == 0 {
                    driver.sent(self, message);
                }
                if let Some(ports) = self.ports.filter(|_| flight.ejecting) {
                    self.free(ports.ejection(flight.head_at));
                }
                driver.delivered(self, message);
            }
            Event::Timer(id) => driver.timer(self, id),
        }
    }

    /// Takes a channel from the message that holds it.
    fn free(&mut self, channel: LinkId) -> u32 {
        if !self.lines.is_empty(channel.index()) {
            self.asked_for.push(channel);
        }
        std::mem::replace(&mut self.holder[channel.index()], FREE)
    }

    /// Puts a message into the line of a channel.
    fn ask(&mut self, channel: LinkId, message: u32, key: u64) {
        self.flights[message as usize].asked = self.now;
        self.lines.push(channel.index(), message, key);
        if self.holder[channel.index()] == FREE {
            self.asked_for.push(channel);
        }
    }

    /// The channel a message at `flight` needs next, or `None` when its head has come in.
    fn wanted(&self, message: u32) -> Option<LinkId> {
        let (flight, Message { source, target, .. }) =
            (self.flights[message as usize], self.messages[message as usize]);
        let link = self.routes.next(message as usize, flight.hops, flight.head_at, target);
        let Some(ports) = self.ports.filter(|_| source != target) else { return link };
        if flight.hops == 0 && self.holder[ports.injection(source).index()] != message {
            return Some(ports.injection(source));
        }
        let last = match self.switching {
            Switching::Wormhole | Switching::CutThrough => link.is_none(),
            Switching::StoreAndForward => link.is_some_and(|link| self.network.target(link) == target),
        };
        if last && !flight.ejecting { Some(ports.ejection(target)) } else { link }
    }

    /// The head (store-and-forward: the whole message) stands at a node: it asks for the next channel, or it is
    /// there.
    fn head(&mut self, message: u32) {
        match self.wanted(message) {
            None => self.arrive(message),
            Some(channel) => {
                let key = match self.switching {
                    Switching::StoreAndForward if channel.index() < self.network.links() => {
                        let m = message as usize;
                        let all = self.routes.hops(m, self.messages[m].pair()).0;
                        u64::from(u32::MAX - (all - self.flights[m].hops))
                    }
                    _ => self.now,
                };
                self.ask(channel, message, key);
            }
        }
    }

    /// A message goes on with a channel it was given.
    fn use_channel(&mut self, channel: LinkId, message: u32) {
        let asked = self.flights[message as usize].asked;
        if asked < self.now {
            if self.waited.is_empty() {
                self.waited = vec![0; self.holder.len()];
            }
            self.waited[channel.index()] += self.now - asked;
        }
        match self.ports {
            Some(ports) if channel.0 >= ports.ejection => {
                self.flights[message as usize].ejecting = true;
                self.head(message);
            }
            Some(ports) if channel.0 >= ports.injection => match self.startup() {
                0 => self.head(message),
                startup => self.agenda.push(self.now + startup, Event::Head(message)),
            },
            _ => self.enter(channel, message),
        }
    }
}

impl Engine for Core<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    fn start(&mut self, message: u32, at: u64) {
        match self.ports {
            Some(_) => self.agenda.push(at, Event::Start(message)),
            None => self.agenda.push(at + self.startup(), Event::Head(message)),
        }
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.agenda.push(at, Event::Timer(id));
    }
}

impl<'m> Referee<'m> for Core<'m> {
    fn load(&mut self, messages: &[Message], routes: Routes<'m>) {
        self.agenda.restart();
        self.now = 0;
        self.waited.clear();
        self.lines.grow(messages.len());
        self.flights.clear();
        self.flights.extend(messages.iter().map(|message| Flight {
            head_at: message.source,
            hops: 0,
            tail_at: message.source,
            tail_hops: 0,
            released: 0,
            asked: 0,
            ejecting: false,
        }));
        self.messages.clear();
        self.messages.extend_from_slice(messages);
        self.routes = routes;
    }

    fn run(&mut self, driver: &mut impl Driver<Self>) {
        let (mut moment, mut given) = (Vec::new(), Vec::new());
        while let Some(time) = self.agenda.next(&mut moment) {
            self.now = time;
            for &(_, event) in &moment {
                self.handle(event, driver);
            }
            if self.agenda.has_more_now() {
                continue;
            }
            // In rounds: a message that is given a port asks for its next channel in this moment, but only
            // after all channels asked for so far are given. So the order among them means nothing.
            while !self.asked_for.is_empty() {
                for channel in self.asked_for.drain(..) {
                    if self.holder[channel.index()] == FREE
                        && let Some(message) = self.lines.pop(channel.index())
                    {
                        self.holder[channel.index()] = message;
                        given.push((channel, message));
                    }
                }
                for (channel, message) in given.drain(..) {
                    self.use_channel(channel, message);
                }
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        let links = (0u32..).map(LinkId).zip(self.waited.iter().copied()).take(self.network.links());
        links.filter(|&(_, ticks)| ticks > 0).max_by_key(|&(link, ticks)| (ticks, Reverse(link)))
    }

    fn waiting_ring(&self, undelivered: &[u32]) -> Option<Vec<LinkId>> {
        let wanted = |message: u32| self.wanted(message);
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
