//! The queues of all routers, what was counted, and who waits for whom when nothing moves.

use std::collections::VecDeque;

use super::active::Active;
use super::engine::Steps;
use super::wires::{Out, Wire, Wires, class, port};
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, PortModel, Topology};

/// No packet, no message.
pub(super) const NONE: u32 = u32::MAX;

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedPacket {
    pub(super) target: u32,
    pub(super) message: u32,
    /// While it stands behind another: the packet behind it, if there is one, and where it leaves the router.
    pub(super) next: u32,
    pub(super) out: Out,
}

/// A message and its packets outside the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedMessage {
    pub(super) source: u32,
    pub(super) target: u32,
    /// The message behind it.
    pub(super) next: u32,
    /// Where its packets leave the source.
    pub(super) out: Out,
    /// Packets that have not left the source, and that have not arrived.
    pub(super) unsent: u64,
    pub(super) missing: u64,
}

impl QueuedMessage {
    /// A message of so many packets that has not started.
    pub(super) fn new(source: u32, target: u32, packets: u64) -> Self {
        Self { source, target, next: NONE, out: 0, unsent: packets, missing: packets }
    }
}

/// A queue of messages with packets to send: its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct InjectionQueue {
    pub(super) head: u32,
    pub(super) tail: u32,
}

/// An incoming queue: its ends, and what routers look at, so that they need not look at packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputQueue {
    pub(super) head: u32,
    pub(super) tail: u32,
    /// Slots that were taken when the step began.
    pub(super) taken: u32,
    /// Of the head.
    pub(super) target: u32,
    pub(super) out: Out,
}

/// A link, seen from the router it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) wire: Wire,
    /// The queue that is served first in the next step.
    pub(super) turn: u32,
    /// The steps heads have waited for it, and the packets that crossed it.
    pub(super) waits: u64,
    pub(super) crossed: u64,
}

/// Which queues of a router are not empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Router {
    /// By incoming queue.
    pub(super) lanes: u64,
    /// By queue of new packets.
    pub(super) fresh: u64,
}

/// A packet that goes into a queue at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) packet: u32,
    pub(super) target: u32,
    pub(super) node: u32,
    pub(super) lane: u32,
}

/// The state of all routers.
#[derive(Debug)]
pub(crate) struct Routers<'m> {
    pub(super) wires: Wires<'m>,
    pub(super) buffers: u32,
    pub(super) one_port: bool,
    pub(super) routers: Vec<Router>,
    pub(super) active: Active,
    /// Incoming queues, by node and local number.
    pub(super) lanes: Vec<InputQueue>,
    /// Messages with packets to send, by place; with one port at the first place of a node.
    pub(super) fresh: Vec<InjectionQueue>,
    /// By place.
    pub(super) links: Vec<Link>,
    pub(super) packets: Vec<QueuedPacket>,
    pub(super) idle: Vec<u32>,
    pub(super) messages: Vec<QueuedMessage>,
    pub(super) entries: Vec<Entry>,
    /// Incoming queues that lost their heads in this step.
    pub(super) left: Vec<u32>,
    /// With one port: the messages of packets that crossed into their targets in this step, and by node those that its port has
    /// not taken in; the nodes with some.
    pub(super) landed: Vec<u32>,
    pub(super) landing: Vec<VecDeque<u32>>,
    pub(super) landings: Active,
    /// By port, the queues of the router that is being looked at which want it and can go.
    pub(super) able: [u64; u64::BITS as usize],
    /// Whether a packet crossed a link in this step.
    pub(super) moved: bool,
    /// Whether somebody wants to know what was sent.
    pub(super) tells_sent: bool,
    /// The messages whose last packet has left the source in this step.
    pub(super) sent: Vec<u32>,
    /// The messages whose last packet has arrived in this step.
    pub(super) delivered: Vec<u32>,
}

impl<'m> Routers<'m> {
    /// Empty routers.
    pub(super) fn new(machine: &Machine, wires: Wires<'m>) -> Self {
        let (nodes, places) = (machine.nodes() as usize, wires.places());
        let one_port = machine.port_model() == PortModel::One;
        let lanes = nodes * wires.lanes as usize;
        let link = |place| Link { wire: wires.at(place), turn: 0, waits: 0, crossed: 0 };
        Self {
            buffers: machine.buffers().max(1),
            one_port,
            routers: vec![Router { lanes: 0, fresh: 0 }; nodes],
            active: Active::new(nodes),
            lanes: vec![InputQueue { head: NONE, tail: NONE, taken: 0, target: 0, out: 0 }; lanes],
            fresh: vec![InjectionQueue { head: NONE, tail: NONE }; places],
            links: (0..places).map(link).collect(),
            packets: Vec::new(),
            idle: Vec::new(),
            messages: Vec::new(),
            entries: Vec::new(),
            left: Vec::new(),
            landed: Vec::new(),
            landing: vec![VecDeque::new(); if one_port { nodes } else { 0 }],
            landings: Active::new(if one_port { nodes } else { 0 }),
            able: [0; u64::BITS as usize],
            moved: false,
            tells_sent: true,
            sent: Vec::new(),
            delivered: Vec::new(),
            wires,
        }
    }

    /// Lets every link begin with its first queue again; whether there is no packet anywhere.
    pub(super) fn renew(&mut self) -> bool {
        for link in &mut self.links {
            link.turn = 0;
        }
        // A slot before the first link of a new packet is free where none is taken, so that none waits outside, too.
        self.flying() == 0
    }

    /// The place with the largest count, and the count; of equal ones the first.
    fn most(&self, count: impl Fn(&Link) -> u64) -> Option<(LinkId, u64)> {
        let (mut place, mut most) = (0, 0);
        for (at, count) in self.links.iter().map(count).enumerate() {
            if count > most {
                (place, most) = (at, count);
            }
        }
        (most > 0).then(|| (self.wires.link(place), most))
    }
}

impl<'m> Steps<'m> for Routers<'m> {
    fn machine(&self) -> &'m Machine {
        self.wires.machine
    }

    #[inline(always)]
    fn messages(&mut self) -> &mut Vec<QueuedMessage> {
        &mut self.messages
    }

    #[inline(always)]
    fn hops(&mut self, source: u32, target: u32) -> u32 {
        self.wires.hops(source, target)
    }

    #[inline]
    fn queue(&mut self, message: u32) {
        let QueuedMessage { source, target, .. } = self.messages[message as usize];
        let out = self.wires.route(source, None, target);
        let queued = &mut self.messages[message as usize];
        (queued.out, queued.next) = (out, NONE);
        let slot = if self.one_port { 0 } else { port(out) };
        let router = &mut self.routers[source as usize];
        let line = &mut self.fresh[(source * self.wires.degree + slot) as usize];
        if router.fresh >> slot & 1 == 0 {
            router.fresh |= 1 << slot;
            (line.head, line.tail) = (message, message);
            self.active.insert(source);
        } else {
            let before = std::mem::replace(&mut line.tail, message);
            self.messages[before as usize].next = message;
        }
    }

    #[inline(always)]
    fn step(&mut self) -> bool {
        self.step_all()
    }

    fn tell_sent(&mut self, wanted: bool) {
        self.tells_sent = wanted;
    }

    #[inline(always)]
    fn told(&mut self) -> [&mut Vec<u32>; 2] {
        [&mut self.sent, &mut self.delivered]
    }

    fn flying(&self) -> usize {
        self.packets.len() - self.idle.len()
    }

    fn forget_counts(&mut self) {
        for link in &mut self.links {
            (link.waits, link.crossed) = (0, 0);
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.most(|link| link.waits)
    }

    fn busiest(&self) -> Option<(LinkId, u64)> {
        self.most(|link| link.crossed)
    }

    fn longest_queue(&self) -> Option<(LinkId, u64)> {
        None
    }

    // Panics when a walk from head to head ends: then something could have moved.
    fn ring(&self) -> Option<Vec<LinkId>> {
        let (node, router) = (0u32..).zip(&self.routers).find(|(_, router)| router.lanes != 0)?;
        let mut chain = vec![node * self.wires.lanes + router.lanes.trailing_zeros()];
        loop {
            let lane = *chain.last().expect("it begins with one");
            let node = lane / self.wires.lanes;
            let out = self.lanes[lane as usize].out;
            let wire = self.wires.at((node * self.wires.degree + port(out)) as usize);
            let next = wire.lane + class(out);
            assert!(
                self.lanes[next as usize].taken >= self.buffers,
                "a head that stands still waits for a slot"
            );
            if let Some(start) = chain.iter().position(|&lane| lane == next) {
                return Some(
                    chain[start..].iter().map(|&lane| self.wires.link(self.wires.before(lane))).collect(),
                );
            }
            chain.push(next);
        }
    }
}

#[cfg(test)]
impl Routers<'_> {
    /// How often a packet crossed a link.
    pub(super) fn crossings(&self) -> u64 {
        self.links.iter().map(|link| link.crossed).sum()
    }

    /// No packet anywhere, no slot taken, no router looked at.
    pub(super) fn assert_empty(&self) {
        assert_eq!(self.flying(), 0);
        assert!(self.lanes.iter().all(|line| line.taken == 0));
        assert!(self.landing.iter().all(VecDeque::is_empty));
        assert!(self.routers.iter().all(|router| router.lanes | router.fresh == 0));
        assert!((0..self.active.summaries()).all(|index| self.active.summary(index) == 0));
        assert!(self.messages.iter().all(|l| l.source == l.target || l.unsent + l.missing == 0));
    }
}
