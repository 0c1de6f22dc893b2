//! The queues of all routers, and one step of them.

use super::active::Active;
use super::wires::{Out, Wire, Wires, class, port};
use crate::topology::{Machine, PortModel, Topology};
use crate::units::LinkId;

/// No packet, no message.
const NONE: u32 = u32::MAX;

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
struct Packet {
    target: u32,
    message: u32,
    /// While it stands behind another: the packet behind it, if there is one, and where it leaves the router.
    next: u32,
    out: Out,
}

/// A message and its packets outside the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) source: u32,
    pub(super) target: u32,
    /// The message behind it.
    next: u32,
    /// Where its packets leave the source.
    out: Out,
    /// Packets that have not left the source, and that have not arrived.
    unsent: u64,
    missing: u64,
}

/// A queue of messages with packets to send: its ends.
#[derive(Clone, Copy, Debug)]
struct Fresh {
    head: u32,
    tail: u32,
}

/// An incoming queue: its ends, and what routers look at, so that they need not look at packets.
#[derive(Clone, Copy, Debug)]
struct Line {
    head: u32,
    tail: u32,
    /// Slots that were taken when the step began.
    taken: u32,
    /// Of the head.
    target: u32,
    out: Out,
}

/// A link, seen from the router it leaves.
#[derive(Clone, Copy, Debug)]
struct Link {
    wire: Wire,
    /// The queue that is served first in the next step.
    turn: u32,
    /// The steps heads have waited for it, and the packets that crossed it.
    waits: u64,
    crossed: u64,
}

/// Which queues of a router are not empty.
#[derive(Clone, Copy, Debug)]
struct Router {
    /// By incoming queue.
    lanes: u64,
    /// By queue of new packets.
    fresh: u64,
}

/// A packet that goes into a queue at the end of the step.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: u32,
    target: u32,
    node: u32,
    lane: u32,
}

/// The state of all routers.
#[derive(Debug)]
pub(super) struct Routers<'m> {
    wires: Wires<'m>,
    buffers: u32,
    one_port: bool,
    routers: Vec<Router>,
    active: Active,
    /// Incoming queues, by node and local number.
    lanes: Vec<Line>,
    /// Messages with packets to send, by place; with one port at the first place of a node.
    fresh: Vec<Fresh>,
    /// By place.
    links: Vec<Link>,
    packets: Vec<Packet>,
    idle: Vec<u32>,
    pub(super) letters: Vec<Letter>,
    entries: Vec<Entry>,
    /// Incoming queues that lost their heads in this step.
    left: Vec<u32>,
    /// By port, the queues of the router that is being looked at which want it and can go.
    able: [u64; u64::BITS as usize],
    /// Whether a packet crossed a link in this step.
    moved: bool,
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
        let lanes = nodes * wires.lanes as usize;
        let link = |place| Link { wire: wires.at(place), turn: 0, waits: 0, crossed: 0 };
        Self {
            buffers: machine.buffers.max(1),
            one_port: machine.ports == PortModel::One,
            routers: vec![Router { lanes: 0, fresh: 0 }; nodes],
            active: Active::new(nodes),
            lanes: vec![Line { head: NONE, tail: NONE, taken: 0, target: 0, out: 0 }; lanes],
            fresh: vec![Fresh { head: NONE, tail: NONE }; places],
            links: (0..places).map(link).collect(),
            packets: Vec::new(),
            idle: Vec::new(),
            letters: Vec::new(),
            entries: Vec::new(),
            left: Vec::new(),
            able: [0; u64::BITS as usize],
            moved: false,
            tells_sent: true,
            sent: Vec::new(),
            delivered: Vec::new(),
            wires,
        }
    }

    /// The machine.
    pub(super) fn machine(&self) -> &'m Machine {
        self.wires.machine
    }

    /// A message of so many packets that has not started.
    pub(super) fn letter(source: u32, target: u32, packets: u64) -> Letter {
        Letter { source, target, next: NONE, out: 0, unsent: packets, missing: packets }
    }

    /// The links of a way.
    pub(super) fn hops(&mut self, source: u32, target: u32) -> u32 {
        self.wires.hops(source, target)
    }

    /// How many packets are in the network.
    pub(super) fn flying(&self) -> usize {
        self.packets.len() - self.idle.len()
    }

    /// Forgets who waited and who crossed.
    pub(super) fn forget_counts(&mut self) {
        for link in &mut self.links {
            (link.waits, link.crossed) = (0, 0);
        }
    }

    /// The place heads waited for the longest, and how many steps; of equal ones the first.
    pub(super) fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.most(|link| link.waits)
    }

    /// The link that most packets crossed, and how many; of equal ones the first.
    pub(super) fn busiest(&self) -> Option<(LinkId, u64)> {
        self.most(|link| link.crossed)
    }

    fn most(&self, count: impl Fn(&Link) -> u64) -> Option<(LinkId, u64)> {
        let (mut place, mut most) = (0, 0);
        for (at, count) in self.links.iter().map(count).enumerate() {
            if count > most {
                (place, most) = (at, count);
            }
        }
        (most > 0).then(|| (self.wires.link(place), most))
    }

    /// Puts a message into the queue of its source.
    #[inline]
    pub(super) fn queue(&mut self, message: u32) {
        let Letter { source, target, .. } = self.letters[message as usize];
        let out = self.wires.route(source, None, target);
        let letter = &mut self.letters[message as usize];
        (letter.out, letter.next) = (out, NONE);
        let slot = if self.one_port { 0 } else { port(out) };
        let router = &mut self.routers[source as usize];
        let line = &mut self.fresh[(source * self.wires.degree + slot) as usize];
        if router.fresh >> slot & 1 == 0 {
            router.fresh |= 1 << slot;
            (line.head, line.tail) = (message, message);
            self.active.insert(source);
        } else {
            let before = std::mem::replace(&mut line.tail, message);
            self.letters[before as usize].next = message;
        }
    }

    /// One step; whether any packet crossed a link.
    pub(super) fn step(&mut self) -> bool {
        self.sent.clear();
        self.delivered.clear();
        for index in 0..self.active.summaries() {
            for word in members(self.active.summary(index)) {
                let word = 64 * index as u32 + word;
                for bit in members(self.active.word(word as usize)) {
                    self.visit(64 * word + bit);
                }
            }
        }
        self.settle();
        std::mem::take(&mut self.moved)
    }

    /// Lets the heads at one router go, as far as they can.
    #[inline(always)]
    fn visit(&mut self, node: u32) {
        let Router { lanes, fresh } = self.routers[node as usize];
        if fresh == 0 && lanes.is_power_of_two() {
            self.visit_alone(node, lanes.trailing_zeros());
        } else if lanes == 0 && fresh.is_power_of_two() {
            self.visit_source(node, fresh.trailing_zeros());
        } else {
            self.visit_many(node, lanes, fresh);
        }
        let router = self.routers[node as usize];
        if router.lanes | router.fresh == 0 {
            self.active.remove(node);
        }
    }

    /// The same where only one queue has packets, and these came in.
    #[inline(always)]
    fn visit_alone(&mut self, node: u32, local: u32) {
        let Line { target, out, .. } = self.lanes[(node * self.wires.lanes + local) as usize];
        let place = (node * self.wires.degree + port(out)) as usize;
        if self.has_room(place, out, target) {
            let link = &mut self.links[place];
            link.turn = local + 1;
            link.crossed += 1;
            let wire = link.wire;
            self.forward(node, local, wire);
        } else {
            self.links[place].waits += 1;
        }
    }

    /// The same where only one message has packets, and they are new.
    #[inline(always)]
    fn visit_source(&mut self, node: u32, slot: u32) {
        let message = self.fresh[(node * self.wires.degree + slot) as usize].head;
        let Letter { target, out, .. } = self.letters[message as usize];
        let place = (node * self.wires.degree + port(out)) as usize;
        let has_room = self.has_room(place, out, target);
        let link = &mut self.links[place];
        if has_room {
            link.turn = self.wires.lanes + 1;
            link.crossed += 1;
            let wire = link.wire;
            self.inject(node, port(out), wire);
        } else {
            link.waits += 1;
        }
    }

    /// The same in general.
    fn visit_many(&mut self, node: u32, lanes: u64, fresh: u64) {
        let mut ports = 0u64;
        for lane in members(lanes) {
            let Line { target, out, .. } = self.lanes[(node * self.wires.lanes + lane) as usize];
            ports |= self.ask(node, lane, out, target);
        }
        for slot in members(fresh) {
            let message = self.fresh[(node * self.wires.degree + slot) as usize].head;
            let letter = &self.letters[message as usize];
            ports |= self.ask(node, self.wires.lanes, letter.out, letter.target);
        }
        for port in members(ports) {
            self.serve(node, port);
        }
    }

    /// Whether a packet can cross the link at a place.
    #[inline(always)]
    fn has_room(&self, place: usize, out: Out, target: u32) -> bool {
        let wire = self.links[place].wire;
        wire.node == target || self.lanes[(wire.lane + class(out)) as usize].taken < self.buffers
    }

    /// Notes what a head wants; the port as a set, if it can go.
    #[inline(always)]
    fn ask(&mut self, node: u32, queue: u32, out: Out, target: u32) -> u64 {
        let port = port(out);
        let place = (node * self.wires.degree + port) as usize;
        if !self.has_room(place, out, target) {
            self.links[place].waits += 1;
            return 0;
        }
        self.able[port as usize] |= 1 << queue;
        1 << port
    }

    /// Gives a link to the queue whose turn it is.
    #[inline(always)]
    fn serve(&mut self, node: u32, port: u32) {
        let able = std::mem::take(&mut self.able[port as usize]);
        let link = &mut self.links[(node * self.wires.degree + port) as usize];
        let after = able & (u64::MAX << link.turn);
        let queue = if after == 0 { able.trailing_zeros() } else { after.trailing_zeros() };
        link.waits += u64::from(able.count_ones() - 1);
        link.turn = queue + 1;
        link.crossed += 1;
        let wire = link.wire;
        if queue == self.wires.lanes {
            self.inject(node, port, wire);
        } else {
            self.forward(node, queue, wire);
        }
    }

    /// The head of an incoming queue crosses a link.
    #[inline(always)]
    fn forward(&mut self, node: u32, local: u32, wire: Wire) {
        let lane = node * self.wires.lanes + local;
        let line = &mut self.lanes[lane as usize];
        let Line { head: number, tail, target, out, .. } = *line;
        if number == tail {
            self.routers[node as usize].lanes &= !(1 << local);
        } else {
            line.head = self.packets[number as usize].next;
            let head = &self.packets[line.head as usize];
            (line.target, line.out) = (head.target, head.out);
        }
        self.left.push(lane);
        self.moved = true;
        if wire.node == target {
            self.idle.push(number);
            self.arrive(self.packets[number as usize].message);
        } else {
            let lane = wire.lane + class(out);
            self.entries.push(Entry { packet: number, target, node: wire.node, lane });
        }
    }

    /// A packet of a waiting message crosses its first link.
    #[inline(always)]
    fn inject(&mut self, node: u32, port: u32, wire: Wire) {
        let slot = if self.one_port { 0 } else { port };
        let line = &mut self.fresh[(node * self.wires.degree + slot) as usize];
        let message = line.head;
        let letter = &mut self.letters[message as usize];
        letter.unsent -= 1;
        let Letter { target, next, out, unsent, .. } = *letter;
        self.moved = true;
        if unsent == 0 {
            line.head = next;
            if next == NONE {
                self.routers[node as usize].fresh &= !(1 << slot);
            }
            if self.tells_sent {
                self.sent.push(message);
            }
        }
        if wire.node == target {
            return self.arrive(message);
        }
        let packet = Packet { target, message, next: NONE, out };
        let number = self.idle.pop().unwrap_or(self.packets.len() as u32);
        match self.packets.get_mut(number as usize) {
            Some(place) => *place = packet,
            None => self.packets.push(packet),
        }
        let lane = wire.lane + class(out);
        self.entries.push(Entry { packet: number, target, node: wire.node, lane });
    }

    /// A packet has come to its target.
    #[inline(always)]
    fn arrive(&mut self, message: u32) {
        let letter = &mut self.letters[message as usize];
        letter.missing -= 1;
        if letter.missing == 0 {
            self.delivered.push(message);
        }
    }

    /// The end of a step: what crossed joins its queues, and slots become free.
    fn settle(&mut self) {
        for &lane in &self.left {
            self.lanes[lane as usize].taken -= 1;
        }
        self.left.clear();
        for index in 0..self.entries.len() {
            let Entry { packet: number, target, node, lane } = self.entries[index];
            let out = self.wires.route(node, Some(lane), target);
            let local = lane - node * self.wires.lanes;
            let router = &mut self.routers[node as usize];
            let line = &mut self.lanes[lane as usize];
            line.taken += 1;
            if router.lanes >> local & 1 == 0 {
                router.lanes |= 1 << local;
                *line = Line { head: number, tail: number, target, out, ..*line };
                self.active.insert(node);
            } else {
                let before = std::mem::replace(&mut line.tail, number);
                self.packets[before as usize].next = number;
                self.packets[number as usize].out = out;
            }
        }
        self.entries.clear();
    }

    /// In a network that stands still: a ring of links whose heads wait for each other.
    ///
    /// # Panics
    ///
    /// When a walk from head to head ends: then something could have moved.
    pub(super) fn ring(&self) -> Option<Vec<LinkId>> {
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
        assert!(self.routers.iter().all(|router| router.lanes | router.fresh == 0));
        assert!((0..self.active.summaries()).all(|index| self.active.summary(index) == 0));
        assert!(self.letters.iter().all(|l| l.source == l.target || l.unsent + l.missing == 0));
    }
}

/// The members of a set in increasing order.
#[inline(always)]
fn members(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let member = set.trailing_zeros();
            set &= set - 1;
            member
        })
    })
}
