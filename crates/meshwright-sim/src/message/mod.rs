//! The message engine: whole messages ask for channels, hold them and release them.
//!
//! | file | what |
//! |---|---|
//! | this one | what happens to whom at a moment |
//! | `channel` | who holds a channel, until when, and who asks for it |
//! | `date_line` | two channels a link on a torus, so that worms pass those that stand |
//! | `flight` | how far a message has come |
//! | `queue` | who waits for a channel, and who is next |
//! | `switching` | how a message moves over links under each switching |
//! | `ports` | what one-port nodes add |
//! | `way` | the links of a message, piece by piece |
//! | `referee` | what drivers ask of it |
//! | `second` | a second wire beside a link |
//! | `witness` | who waited for whom, if somebody asks |
//! | `event_queue` | events in the order of their times |
//!
//! A free link serves the message that asked first (wormhole, cut-through), or the one with the farthest to go
//! (store-and-forward); of equal ones the lower index. Everything that happens at one moment is looked at before
//! links are granted, so who gets a link does not depend on the order of simultaneous events.
//!
//! A message gets a slot when it starts and gives it back when it arrives, so what is on the way stays close together
//! in memory, however long the schedule is. Which slot it is means nothing: messages that ask at the same time are
//! served by their numbers.
//!
//! A hop that nothing blocks is one event: the moment from which a channel is free is noted when it is
//! known, and becomes an event only if somebody waits for it.

mod channel;
mod date_line;
mod event_queue;
mod flight;
mod ports;
mod queue;
mod referee;
mod second;
mod switching;
mod way;
mod witness;

use self::channel::Channels;
use self::date_line::DateLine;
pub(crate) use self::date_line::keeps_classes;
use self::event_queue::EventQueue;
use self::flight::{Flight, PendingMessage, Stage};
use self::ports::PortChannels;
use self::witness::Witness;
pub(crate) use self::witness::{Holding, Leg, Log, Terms};
use super::endpoints::NodeTimes;
use super::engine::Driver;
use super::network::Network;
use super::route_cache::RouteCache;
use meshwright_core::units::LinkId;
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Costs, Machine, Switching};

/// Something that happens at a moment; messages on their way are known by their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageEvent {
    Start(u32),
    Free(LinkId),
    Head(u32),
    /// By the number of the message: its slot may have been given back in this moment.
    Sent(u32),
    Delivered(u32),
    /// By the number of the message: its head is at its target.
    Came(u32),
    /// By the number of the message: its target's node is done with it.
    Received(u32),
    Timer(u32),
}

/// Channels, the messages on them and the events to come.
#[derive(Debug)]
pub(crate) struct Core<'m, W = ()> {
    machine: &'m Machine,
    network: Network,
    route_cache: RouteCache<'m>,
    switching: Switching,
    startup: u64,
    /// Ticks of the head over a link; what a stored message takes before its bytes.
    step: u64,
    head: u64,
    costs: Costs,
    now: u64,
    events: EventQueue<MessageEvent>,
    routes: Routes<'m>,
    /// By the number of the message.
    messages: Vec<PendingMessage>,
    /// By slot.
    flights: Vec<Flight>,
    /// Slots that were given back.
    idle: Vec<u32>,
    /// By slot, where nodes have one port.
    stages: Vec<Stage>,
    channels: Channels,
    date_line: DateLine,
    ports: Option<PortChannels>,
    nodes: Option<NodeTimes>,
    /// Whether links serve in the order of asking and the time a message takes is known when it asks: then the
    /// line before a link is a time, and nobody needs to be told that a link is free. So it is under cut-through
    /// without ports, unless heads take no time and several hops fall into one moment.
    in_turn: bool,
    /// Whether the driver wants to know when messages have left their sources.
    tells_sent: bool,
    /// Whether the driver wants to know when heads have reached their targets.
    tells_heads: bool,
    /// The link that has a second wire beside it.
    second: Option<LinkId>,
    /// Who is told who waits for whom.
    witness: W,
}

impl<'m> Core<'m> {
    /// All channels free, nothing on the way.
    pub(crate) fn new(machine: &'m Machine) -> Self {
        Self::watched(machine, None, ())
    }

    /// The same with a second wire beside a link.
    pub(crate) fn with_second(machine: &'m Machine, link: LinkId) -> Self {
        Self::watched(machine, Some(link), ())
    }
}

impl<'m, W: Witness> Core<'m, W> {
    /// All channels free, nothing on the way; perhaps a second wire beside a link, and somebody who is told what happens.
    pub(crate) fn watched(machine: &'m Machine, second: Option<LinkId>, witness: W) -> Self {
        let network = Network::new(machine, second);
        let links = network.links() as u32;
        let date_line = DateLine::of(machine, links);
        let (ports, channels) = PortChannels::of(machine, links + date_line.above);
        let farthest_first = match machine.switching() {
            Switching::Wormhole | Switching::CutThrough => 0,
            Switching::StoreAndForward => links,
        };
        Self {
            machine,
            network,
            route_cache: RouteCache::new(machine),
            switching: machine.switching(),
            // Under store-and-forward the start-up is paid at every node, with each hop.
            startup: match machine.switching() {
                Switching::Wormhole | Switching::CutThrough => machine.costs().startup_ticks(),
                Switching::StoreAndForward => 0,
            },
            step: match machine.switching() {
                Switching::Wormhole | Switching::CutThrough => machine.costs().head_ticks(),
                Switching::StoreAndForward => machine.costs().startup_ticks(),
            },
            head: machine.costs().head_ticks(),
            costs: *machine.costs(),
            now: 0,
            events: EventQueue::new(),
            routes: Routes::Stored { first: Vec::new(), links: Vec::new() },
            messages: Vec::new(),
            flights: Vec::new(),
            idle: Vec::new(),
            stages: Vec::new(),
            // In date-line classes messages are dealt over both wires beforehand.
            channels: Channels::new(channels, farthest_first)
                .with_wires(second.filter(|_| !date_line.is_kept()).map(|link| [link, LinkId(links - 1)])),
            date_line,
            ports,
            nodes: NodeTimes::of(machine),
            in_turn: machine.switching() == Switching::CutThrough
                && ports.is_none()
                && machine.costs().head_ticks() > 0,
            tells_sent: true,
            tells_heads: false,
            second,
            witness,
        }
    }

    /// What chains of grants need to know of the machine.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            startup: self.machine.costs().startup_ticks(),
            is_stored: self.switching == Switching::StoreAndForward,
            injection: self.ports.map_or(u32::MAX, |ports| ports.injection),
        }
    }

    /// The link of a channel; none if it is a port.
    pub(crate) fn link_of(&self, channel: LinkId) -> Option<LinkId> {
        let is_port = self.ports.is_some_and(|ports| channel.0 >= ports.injection);
        (!is_port).then(|| self.date_line.link_of(channel))
    }

    /// Who was told what happened.
    pub(crate) fn witness(&self) -> &W {
        &self.witness
    }

    fn flight(&self, slot: u32) -> &Flight {
        &self.flights[slot as usize]
    }

    /// Gives a message a slot.
    #[inline]
    fn take_slot(&mut self, message: u32) -> u32 {
        let flight =
            Flight::new(message, self.messages[message as usize], &self.routes, self.date_line.above);
        let slot = self.idle.pop().unwrap_or(self.flights.len() as u32);
        match self.flights.get_mut(slot as usize) {
            Some(place) => *place = flight,
            None => self.flights.push(flight),
        }
        if self.date_line.is_kept() {
            self.date_line.admit(slot);
        }
        if self.ports.is_some() {
            self.stages.resize(self.flights.len(), Stage::Fresh);
            self.stages[slot as usize] = Stage::Fresh;
        }
        slot
    }

    fn handle(&mut self, event: MessageEvent, driver: &mut impl Driver<Self>) {
        match event {
            MessageEvent::Start(slot) => {
                let (source, target) = self.messages[self.flight(slot).message as usize].ends;
                match self.ports {
                    // A message to oneself is a copy in memory: it passes no port.
                    Some(ports) if source != target => self.ask(ports.injection(source), slot),
                    _ => self.events.push(self.now + self.startup, MessageEvent::Head(slot)),
                }
            }
            MessageEvent::Free(channel) => {
                self.channels.becomes_free(channel, self.now);
                self.wake_beside(channel);
            }
            MessageEvent::Head(slot) => {
                // A stored message that has crossed the first of its links has left its source.
                let Flight { hops, left, message, .. } = *self.flight(slot);
                if self.switching == Switching::StoreAndForward && hops == 1 && left > 0 {
                    driver.sent(self, message);
                }
                self.head(slot);
            }
            MessageEvent::Sent(message) => driver.sent(self, message),
            MessageEvent::Delivered(slot) => {
                let message = self.flight(slot).message;
                let leaves = self.leaves_as_it_arrives(slot);
                self.idle.push(slot);
                if let Some(log) = self.witness.log() {
                    log.arrived(message, self.now);
                }
                if leaves {
                    driver.sent(self, message);
                }
                let (source, target) = self.messages[message as usize].ends;
                match &mut self.nodes {
                    Some(nodes) if source != target => {
                        let at = nodes.received(target, self.now);
                        self.events.push(at, MessageEvent::Received(message));
                    }
                    _ => driver.delivered(self, message),
                }
            }
            MessageEvent::Came(message) => driver.head(self, message),
            MessageEvent::Received(message) => driver.delivered(self, message),
            MessageEvent::Timer(id) => driver.timer(self, id),
        }
    }

    /// Whether a message leaves its source the moment it reaches its target: over one link at most, unless a
    /// port holds it up between.
    fn leaves_as_it_arrives(&self, slot: u32) -> bool {
        let Flight { hops, left, .. } = *self.flight(slot);
        let straight_in = self.ports.is_none() || self.switching == Switching::StoreAndForward;
        hops + left == 0 || (hops + left == 1 && straight_in)
    }

    /// Puts a message into the line of a channel.
    #[inline]
    fn ask(&mut self, channel: LinkId, slot: u32) {
        self.flights[slot as usize].asked = self.now;
        if self.in_turn {
            return self.channels.ask_in_turn(channel, slot, &mut self.flights);
        }
        if self.date_line.is_kept() {
            self.date_line.stop(slot);
        }
        if let Some((wire, time)) = self.channels.ask(channel, slot, self.now, &mut self.flights) {
            self.events.push(time, MessageEvent::Free(wire));
        }
    }

    /// Notes from when on a channel is free.
    #[inline]
    fn release(&mut self, channel: LinkId, slot: u32, time: u64) {
        if let Some(log) = self.witness.log() {
            log.released(channel, self.flights[slot as usize].message, time);
        }
        let is_awaited = self.channels.release(channel, time, self.now);
        if is_awaited || self.is_awaited_beside(channel) {
            self.events.push(time, MessageEvent::Free(channel));
        }
    }

    /// The channel a message needs next, or `None` when its head has come in.
    fn wanted(&self, slot: u32) -> Option<LinkId> {
        let flight = self.flight(slot);
        let link = (flight.left > 0).then_some(flight.head.link);
        let Some(ports) = self.ports.filter(|_| flight.hops + flight.left > 0) else { return link };
        let (source, target) = self.messages[flight.message as usize].ends;
        let last = match self.switching {
            Switching::Wormhole | Switching::CutThrough => 0,
            Switching::StoreAndForward => 1,
        };
        match self.stages[slot as usize] {
            Stage::Fresh => Some(ports.injection(source)),
            Stage::Injected if flight.left == last => Some(ports.ejection(target)),
            Stage::Injected | Stage::Ejecting => link,
        }
    }

    /// The head (store-and-forward: the whole message) stands at a node: it asks for the next channel, or it is
    /// there.
    #[inline]
    fn head(&mut self, slot: u32) {
        let flight = self.flight(slot);
        let wanted = match self.ports {
            None => (flight.left > 0).then_some(flight.head.link),
            Some(_) => self.wanted(slot),
        };
        match wanted {
            None => self.arrive(slot, self.now),
            Some(channel) => self.ask(channel, slot),
        }
    }

    /// Gives the channels that were asked for. In rounds: a message that is given a port asks for its next channel
    /// in this moment, but only after all channels asked for so far are given. So the order among them means
    /// nothing.
    fn give(&mut self, round: &mut Vec<LinkId>, given: &mut Vec<(LinkId, u32)>) {
        if self.in_turn {
            return self.give_in_turn(round);
        }
        if self.date_line.is_kept() {
            return self.give_in_classes(round, given);
        }
        while !self.channels.asked_for.is_empty() {
            std::mem::swap(round, &mut self.channels.asked_for);
            for channel in round.drain(..) {
                match self.channels.give_wire(channel, self.now, &mut self.flights) {
                    // A message on a link asks for nothing more in this moment.
                    Some((wire, slot)) if self.ports.is_none() => self.enter(wire, slot),
                    Some((wire, slot)) => given.push((wire, slot)),
                    None => {}
                }
            }
            for (channel, slot) in given.drain(..) {
                self.use_channel(channel, slot);
            }
        }
    }

    /// Gives the channels that were asked for to all who asked, one after the other.
    fn give_in_turn(&mut self, round: &mut Vec<LinkId>) {
        std::mem::swap(round, &mut self.channels.asked_for);
        for link in round.drain(..) {
            while let Some((wire, slot, begin)) =
                self.channels.book(link, self.now, self.head, &mut self.flights)
            {
                self.enter_in_turn(wire, slot, begin);
            }
        }
    }

    /// Tells that a message is given a channel now.
    #[inline]
    fn note_given(&mut self, channel: LinkId, slot: u32) {
        if W::LISTENS {
            let Flight { asked, message, .. } = *self.flight(slot);
            let cause = if asked < self.now { self.cause(channel, slot) } else { None };
            if let Some(log) = self.witness.log() {
                log.given(message, channel, [asked, self.now], cause);
            }
        }
    }

    /// A message goes on with a channel it was given.
    fn use_channel(&mut self, channel: LinkId, slot: u32) {
        match self.ports {
            Some(ports) if channel.0 >= ports.ejection => {
                self.note_given(channel, slot);
                self.stages[slot as usize] = Stage::Ejecting;
                self.head(slot);
            }
            Some(ports) if channel.0 >= ports.injection => {
                self.note_given(channel, slot);
                self.stages[slot as usize] = Stage::Injected;
                match self.startup {
                    0 => self.head(slot),
                    startup => self.events.push(self.now + startup, MessageEvent::Head(slot)),
                }
            }
            _ => self.enter(channel, slot),
        }
    }
}
