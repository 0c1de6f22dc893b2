//! The message engine: whole messages ask for channels, hold them and release them.
//!
//! | file | what |
//! |---|---|
//! | this one | what happens to whom at a moment |
//! | `channel` | who holds a channel, until when, and who asks for it |
//! | `flight` | how far a message has come |
//! | `queue` | who waits for a channel, and who is next |
//! | `switching` | how a message moves over links under each switching |
//! | `ports` | what one-port nodes add |
//! | `way` | the links of a message, piece by piece |
//! | `agenda` | what happens when |
//!
//! A free link serves the message that asked first (wormhole, cut-through), or the one with the farthest to go
//! (store-and-forward); of equal ones the lower index. Everything that happens at one moment is looked at before
//! links are granted, so who gets a link does not depend on the order of simultaneous events.
//!
//! A hop that nothing blocks is one event: the moment from which a channel is free is noted when it is
//! known, and becomes an event only if somebody waits for it.

mod agenda;
mod channel;
mod flight;
mod ports;
mod queue;
mod switching;
mod way;

use self::agenda::Agenda;
use self::channel::Channels;
use self::flight::{Flight, Stage};
use self::ports::PortChannels;
use super::engine::{Driver, Engine, Open, Referee};
use super::network::Network;
use super::router::Router;
use crate::error::{Error, Result};
use crate::routing::{Pair, Routes};
use crate::schedule::Message;
use crate::topology::{Costs, Machine, Switching, Topology};
use crate::units::{Hops, LinkId};

/// Something that happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Start(u32),
    Free(LinkId),
    Head(u32),
    Sent(u32),
    Delivered(u32),
    Timer(u32),
}

/// Channels, the messages on them and the events to come.
#[derive(Debug)]
pub(in crate::sim) struct Core<'m> {
    machine: &'m Machine,
    network: Network,
    router: Router<'m>,
    switching: Switching,
    startup: u64,
    /// Ticks of the head over a link; what a stored message takes before its bytes.
    step: u64,
    head: u64,
    costs: Costs,
    now: u64,
    agenda: Agenda<Event>,
    routes: Routes<'m>,
    ends: Vec<Pair>,
    flights: Vec<Flight>,
    channels: Channels,
    ports: Option<PortChannels>,
    /// Whether links serve in the order of asking and the time a message takes is known when it asks: then the
    /// line before a link is a time, and nobody needs to be told that a link is free. So it is under cut-through
    /// without ports, unless heads take no time and several hops fall into one moment.
    in_turn: bool,
    /// Whether the driver wants to know when messages have left their sources.
    tells_sent: bool,
}

impl<'m> Core<'m> {
    /// All channels free, nothing on the way.
    pub(in crate::sim) fn new(machine: &'m Machine) -> Self {
        let (ports, channels) = PortChannels::of(machine);
        let farthest_first = match machine.switching {
            Switching::Wormhole | Switching::CutThrough => 0,
            Switching::StoreAndForward => machine.links(),
        };
        Self {
            machine,
            network: Network::new(machine),
            router: Router::new(machine),
            switching: machine.switching,
            // Under store-and-forward the start-up is paid at every node, with each hop.
            startup: match machine.switching {
                Switching::Wormhole | Switching::CutThrough => machine.costs.startup_ticks(),
                Switching::StoreAndForward => 0,
            },
            step: match machine.switching {
                Switching::Wormhole | Switching::CutThrough => machine.costs.head_ticks(),
                Switching::StoreAndForward => machine.costs.startup_ticks(),
            },
            head: machine.costs.head_ticks(),
            costs: machine.costs,
            now: 0,
            agenda: Agenda::new(),
            routes: Routes::Stored { first: Vec::new(), links: Vec::new() },
            ends: Vec::new(),
            flights: Vec::new(),
            channels: Channels::new(channels, farthest_first),
            ports,
            in_turn: machine.switching == Switching::CutThrough
                && ports.is_none()
                && machine.costs.head_ticks() > 0,
            tells_sent: true,
        }
    }

    fn flight(&self, message: u32) -> &Flight {
        &self.flights[message as usize]
    }

    fn handle(&mut self, event: Event, driver: &mut impl Driver<Self>) {
        match event {
            Event::Start(message) => {
                let (source, target) = self.ends[message as usize];
                match self.ports {
                    // A message to oneself is a copy in memory: it passes no port.
                    Some(ports) if source != target => self.ask(ports.injection(source), message),
                    _ => self.agenda.push(self.now + self.startup, Event::Head(message)),
                }
            }
            Event::Free(channel) => self.channels.becomes_free(channel, self.now),
            Event::Head(message) => {
                // A stored message that has crossed the first of its links has left its source.
                let Flight { hops, left, .. } = *self.flight(message);
                if self.switching == Switching::StoreAndForward && hops == 1 && left > 0 {
                    driver.sent(self, message);
                }
                self.head(message);
            }
            Event::Sent(message) => driver.sent(self, message),
            Event::Delivered(message) => {
                if self.leaves_as_it_arrives(message) {
                    driver.sent(self, message);
                }
                driver.delivered(self, message);
            }
            Event::Timer(id) => driver.timer(self, id),
        }
    }

    /// Whether a message leaves its source the moment it reaches its target: over one link at most, unless a
    /// port holds it up between.
    fn leaves_as_it_arrives(&self, message: u32) -> bool {
        let Flight { hops, left, .. } = *self.flight(message);
        let straight_in = self.ports.is_none() || self.switching == Switching::StoreAndForward;
        hops + left == 0 || (hops + left == 1 && straight_in)
    }

    /// Puts a message into the line of a channel.
    #[inline]
    fn ask(&mut self, channel: LinkId, message: u32) {
        self.flights[message as usize].asked = self.now;
        if self.in_turn {
            return self.channels.ask_in_turn(channel, message, &mut self.flights);
        }
        if let Some(free_at) = self.channels.ask(channel, message, self.now, &mut self.flights) {
            self.agenda.push(free_at, Event::Free(channel));
        }
    }

    /// Notes from when on a channel is free.
    #[inline]
    fn release(&mut self, channel: LinkId, time: u64) {
        if self.channels.release(channel, time, self.now) {
            self.agenda.push(time, Event::Free(channel));
        }
    }

    /// The channel a message needs next, or `None` when its head has come in.
    fn wanted(&self, message: u32) -> Option<LinkId> {
        let flight = self.flight(message);
        let link = (flight.left > 0).then_some(flight.head.link);
        let Some(ports) = self.ports.filter(|_| flight.hops + flight.left > 0) else { return link };
        let last = match self.switching {
            Switching::Wormhole | Switching::CutThrough => 0,
            Switching::StoreAndForward => 1,
        };
        match flight.stage {
            Stage::Fresh => Some(ports.injection(self.ends[message as usize].0)),
            Stage::Injected if flight.left == last => Some(ports.ejection(self.ends[message as usize].1)),
            Stage::Injected | Stage::Ejecting => link,
        }
    }

    /// The head (store-and-forward: the whole message) stands at a node: it asks for the next channel, or it is
    /// there.
    #[inline]
    fn head(&mut self, message: u32) {
        let flight = self.flight(message);
        let wanted = match self.ports {
            None => (flight.left > 0).then_some(flight.head.link),
            Some(_) => self.wanted(message),
        };
        match wanted {
            None => self.arrive(message, self.now),
            Some(channel) => self.ask(channel, message),
        }
    }

    /// Gives the channels that were asked for. In rounds: a message that is given a port asks for its next channel
    /// in this moment, but only after all channels asked for so far are given. So the order among them means
    /// nothing.
    fn give(&mut self, round: &mut Vec<LinkId>, given: &mut Vec<(LinkId, u32)>) {
        if self.in_turn {
            return self.give_in_turn(round);
        }
        while !self.channels.asked_for.is_empty() {
            std::mem::swap(round, &mut self.channels.asked_for);
            for channel in round.drain(..) {
                match self.channels.give(channel, self.now, &mut self.flights) {
                    // A message on a link asks for nothing more in this moment.
                    Some(message) if self.ports.is_none() => self.enter(channel, message),
                    Some(message) => given.push((channel, message)),
                    None => {}
                }
            }
            for (channel, message) in given.drain(..) {
                self.use_channel(channel, message);
            }
        }
    }

    /// Gives the channels that were asked for to all who asked, one after the other.
    fn give_in_turn(&mut self, round: &mut Vec<LinkId>) {
        std::mem::swap(round, &mut self.channels.asked_for);
        for link in round.drain(..) {
            while let Some((message, begin)) =
                self.channels.book(link, self.now, self.head, &mut self.flights)
            {
                self.enter_in_turn(link, message, begin);
            }
        }
    }

    /// A message goes on with a channel it was given.
    fn use_channel(&mut self, channel: LinkId, message: u32) {
        match self.ports {
            Some(ports) if channel.0 >= ports.ejection => {
                self.flights[message as usize].stage = Stage::Ejecting;
                self.head(message);
            }
            Some(ports) if channel.0 >= ports.injection => {
                self.flights[message as usize].stage = Stage::Injected;
                match self.startup {
                    0 => self.head(message),
                    startup => self.agenda.push(self.now + startup, Event::Head(message)),
                }
            }
            _ => self.enter(channel, message),
        }
    }
}

impl Engine for Core<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn start(&mut self, message: u32, at: u64) {
        match self.ports {
            Some(_) => self.agenda.push(at, Event::Start(message)),
            None => self.agenda.push(at + self.startup, Event::Head(message)),
        }
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.agenda.push(at, Event::Timer(id));
    }
}

impl<'m> Referee<'m> for Core<'m> {
    fn load(&mut self, messages: &[Message], routes: Routes<'m>) {
        assert!(self.agenda.is_empty(), "nothing of the run before is left");
        self.routes = routes;
        self.channels.forget_waits();
        self.ends.clear();
        self.ends.extend(messages.iter().map(Message::pair));
        self.flights.clear();
        let flights = (0..).zip(messages);
        self.flights.extend(flights.map(|(m, message)| Flight::new(m, message, &self.routes, &self.costs)));
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        self.tells_sent = D::WANTS_SENT;
        let (mut moment, mut round, mut given) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(time) = self.agenda.next(&mut moment) {
            self.now = time;
            for &event in &moment {
                self.handle(event, driver);
            }
            if !self.agenda.has_more_now() {
                self.give(&mut round, &mut given);
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.channels.longest_wait(self.network.links())
    }

    fn waiting_ring(&self, undelivered: &[u32]) -> Option<Vec<LinkId>> {
        let mut chain = vec![self.wanted(*undelivered.first()?)?];
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

impl<'m> Open<'m> for Core<'m> {
    fn open(&mut self) {
        let routes = match self.machine.whole_grid() {
            Some(grid) => Routes::DimensionOrder(grid),
            None => Routes::Stored { first: vec![0], links: Vec::new() },
        };
        self.load(&[], routes);
    }

    fn add(&mut self, message: &Message) -> Result<Hops> {
        if let Routes::Stored { first, links } = &mut self.routes {
            let (from, to) = message.pair();
            if !self.router.route(from, to, links) {
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
        let flight = Flight::new(self.flights.len() as u32, message, &self.routes, &self.costs);
        self.ends.push(message.pair());
        self.flights.push(flight);
        Ok(Hops(flight.left))
    }
}
