//! The message engine: whole messages ask for channels, hold them and release them.
//!
//! | file | what |
//! |---|---|
//! | this one | what happens to whom at a moment |
//! | `channel` | who holds a channel, until when, and who asks for it |
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
mod ports;
mod queue;
mod switching;
mod way;

use self::agenda::Agenda;
use self::channel::Channels;
use self::ports::PortChannels;
use self::way::Cursor;
use super::engine::{Driver, Engine, Referee};
use super::network::Network;
use crate::routing::Routes;
use crate::schedule::Message;
use crate::topology::{Costs, Machine, Switching};
use crate::units::{LinkId, NodeId};

/// How far a message has come through the ports of its ends; of no meaning without ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    Injected,
    Ejecting,
}

/// One message on its way: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Flight {
    /// Ticks its bytes take over a link.
    body: u64,
    /// When it asked for the channel it waits for.
    asked: u64,
    head: Cursor,
    /// The last link a worm stands on.
    tail: Cursor,
    hops: u32,
    /// Links still to take.
    left: u32,
    /// Links a worm has let go.
    tail_hops: u32,
    source: NodeId,
    target: NodeId,
    stage: Stage,
}

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
    network: Network,
    switching: Switching,
    startup: u64,
    head: u64,
    costs: Costs,
    now: u64,
    agenda: Agenda<Event>,
    routes: Routes<'m>,
    flights: Vec<Flight>,
    channels: Channels,
    ports: Option<PortChannels>,
    /// Whether the driver wants to know when messages have left their sources.
    tells_sent: bool,
}

impl<'m> Core<'m> {
    /// All channels free, nothing on the way.
    pub(in crate::sim) fn new(machine: &'m Machine) -> Self {
        let (ports, channels) = PortChannels::of(machine);
        Self {
            network: Network::new(machine),
            switching: machine.switching,
            // Under store-and-forward the start-up is paid at every node, with each hop.
            startup: match machine.switching {
                Switching::Wormhole | Switching::CutThrough => machine.costs.startup_ticks(),
                Switching::StoreAndForward => 0,
            },
            head: machine.costs.head_ticks(),
            costs: machine.costs,
            now: 0,
            agenda: Agenda::new(),
            routes: Routes::Stored { first: Vec::new(), links: Vec::new() },
            flights: Vec::new(),
            channels: Channels::new(channels),
            ports,
            tells_sent: true,
        }
    }

    fn flight(&self, message: u32) -> &Flight {
        &self.flights[message as usize]
    }

    fn handle(&mut self, event: Event, driver: &mut impl Driver<Self>) {
        match event {
            Event::Start(message) => {
                let Flight { source, left, .. } = *self.flight(message);
                match self.ports {
                    // A message to oneself is a copy in memory: it passes no port.
                    Some(ports) if left > 0 => self.ask(ports.injection(source), message, self.now),
                    _ => self.agenda.push(self.now + self.startup, Event::Head(message)),
                }
            }
            Event::Free(channel) => self.channels.becomes_free(channel, self.now),
            Event::Head(message) => {
                // A stored message that has crossed its first link has left its source.
                if self.switching == Switching::StoreAndForward && self.flight(message).hops == 1 {
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

    /// Puts a message into the line of a channel; the least key is served first.
    fn ask(&mut self, channel: LinkId, message: u32, key: u64) {
        self.flights[message as usize].asked = self.now;
        if let Some(free_at) = self.channels.ask(channel, message, key, self.now) {
            self.agenda.push(free_at, Event::Free(channel));
        }
    }

    /// Notes from when on a channel is free.
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
            Stage::Fresh => Some(ports.injection(flight.source)),
            Stage::Injected if flight.left == last => Some(ports.ejection(flight.target)),
            Stage::Injected | Stage::Ejecting => link,
        }
    }

    /// The head (store-and-forward: the whole message) stands at a node: it asks for the next channel, or it is
    /// there.
    fn head(&mut self, message: u32) {
        match self.wanted(message) {
            None => self.arrive(message, self.now),
            Some(channel) => {
                let key = match self.switching {
                    Switching::StoreAndForward if channel.index() < self.network.links() => {
                        u64::from(u32::MAX - self.flight(message).left)
                    }
                    _ => self.now,
                };
                self.ask(channel, message, key);
            }
        }
    }

    /// A message goes on with a channel it was given.
    fn use_channel(&mut self, channel: LinkId, message: u32) {
        let asked = self.flight(message).asked;
        if asked < self.now {
            self.channels.note_wait(channel, self.now - asked);
        }
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
        self.channels.grow(messages.len());
        self.flights.clear();
        let (routes, costs) = (&self.routes, &self.costs);
        self.flights.extend((0..).zip(messages).map(|(index, message)| {
            let Message { source, target, bytes, .. } = *message;
            let left = routes.hops(index as usize, (source, target)).0;
            let way = match left {
                0 => Cursor::default(),
                _ => Cursor::new(routes, index, 0, source, target),
            };
            Flight {
                body: costs.transfer_ticks(bytes),
                asked: 0,
                head: way,
                tail: way,
                hops: 0,
                left,
                tail_hops: 0,
                source,
                target,
                stage: Stage::Fresh,
            }
        }));
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        self.tells_sent = D::WANTS_SENT;
        let (mut moment, mut given) = (Vec::new(), Vec::new());
        while let Some(time) = self.agenda.next(&mut moment) {
            self.now = time;
            for &event in &moment {
                self.handle(event, driver);
            }
            if self.agenda.has_more_now() {
                continue;
            }
            // In rounds: a message that is given a port asks for its next channel in this moment, but only
            // after all channels asked for so far are given. So the order among them means nothing.
            while self.channels.give(time, &mut given) {
                for (channel, message) in given.drain(..) {
                    self.use_channel(channel, message);
                }
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
