//! The queues of all routers, and one step of them.

use super::active::Active;
use super::wires::{Out, Wires, class, port};
use crate::topology::{Machine, PortModel, Topology};
use crate::units::LinkId;

/// No packet, no message.
const NONE: u32 = u32::MAX;

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
struct Packet {
    target: u32,
    message: u32,
    /// The packet behind it.
    next: u32,
    /// Where it leaves the router it stands at.
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

/// A queue: its ends.
#[derive(Clone, Copy, Debug)]
struct Line {
    head: u32,
    tail: u32,
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
    /// Slots of each that were taken when the step began.
    taken: Vec<u32>,
    /// Messages with packets to send, by place; with one port at the first place of a node.
    fresh: Vec<Line>,
    /// By place, the queue that is served first in the next step.
    turns: Vec<u8>,
    packets: Vec<Packet>,
    idle: Vec<u32>,
    pub(super) letters: Vec<Letter>,
    entries: Vec<Entry>,
    /// Incoming queues that lost their heads in this step.
    left: Vec<u32>,
    /// By port, the queues of the router that is being looked at which want it and can go.
    able: [u64; u64::BITS as usize],
    /// By place, the steps heads have waited for the link and the packets that crossed it.
    waits: Vec<u64>,
    crossed: Vec<u64>,
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
        let empty = Line { head: NONE, tail: NONE };
        Self {
            buffers: machine.buffers.max(1),
            one_port: machine.ports == PortModel::One,
            routers: vec![Router { lanes: 0, fresh: 0 }; nodes],
            active: Active::new(nodes),
            lanes: vec![empty; lanes],
            taken: vec![0; lanes],
            fresh: vec![empty; places],
            turns: vec![0; places],
            packets: Vec::new(),
            idle: Vec::new(),
            letters: Vec::new(),
            entries: Vec::new(),
            left: Vec::new(),
            able: [0; u64::BITS as usize],
            waits: vec![0; places],
            crossed: vec![0; places],
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
        self.waits.fill(0);
        self.crossed.fill(0);
    }

    /// The place heads waited for the longest, and how many steps; of equal ones the first.
    pub(super) fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.most(&self.waits)
    }

    /// The link that most packets crossed, and how many; of equal ones the first.
    pub(super) fn busiest(&self) -> Option<(LinkId, u64)> {
        self.most(&self.crossed)
    }

    fn most(&self, counts: &[u64]) -> Option<(LinkId, u64)> {
        let (mut place, mut most) = (0, 0);
        for (at, &count) in counts.iter().enumerate() {
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
            *line = Line { head: message, tail: message };
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
    #[inline]
    fn visit(&mut self, node: u32) {
        let Router { lanes, fresh } = self.routers[node as usize];
        let mut ports = 0u64;
        for lane in members(lanes) {
            let packet = self.packets[self.lanes[(node * self.wires.lanes + lane) as usize].head as usize];
            ports |= self.ask(node, lane, packet.out, packet.target);
        }
        for slot in members(fresh) {
            let message = self.fresh[(node * self.wires.degree + slot) as usize].head;
            let letter = &self.letters[message as usize];
            ports |= self.ask(node, self.wires.lanes, letter.out, letter.target);
        }
        for port in members(ports) {
            self.serve(node, port);
        }
        let router = self.routers[node as usize];
        if router.lanes | router.fresh == 0 {
            self.active.remove(node);
        }
    }

    /// Notes what a head wants; the port as a set, if it can go.
    #[inline(always)]
    fn ask(&mut self, node: u32, queue: u32, out: Out, target: u32) -> u64 {
        let port = port(out);
        let place = (node * self.wires.degree + port) as usize;
        let wire = self.wires.at(place);
        if wire.node != target && self.taken[(wire.lane + class(out)) as usize] >= self.buffers {
            self.waits[place] += 1;
            return 0;
        }
        self.able[port as usize] |= 1 << queue;
        1 << port
    }

    /// Gives a link to the queue whose turn it is.
    #[inline(always)]
    fn serve(&mut self, node: u32, port: u32) {
        let able = std::mem::take(&mut self.able[port as usize]);
        let place = (node * self.wires.degree + port) as usize;
        let queue = if able.is_power_of_two() {
            able.trailing_zeros()
        } else {
            self.waits[place] += u64::from(able.count_ones() - 1);
            let after = able & (u64::MAX << self.turns[place]);
            if after == 0 { able.trailing_zeros() } else { after.trailing_zeros() }
        };
        self.turns[place] = queue as u8 + 1;
        self.crossed[place] += 1;
        self.moved = true;
        if queue == self.wires.lanes {
            self.inject(node, port, place)
        } else {
            self.forward(node, queue, place)
        }
    }

    /// The head of an incoming queue crosses a link.
    #[inline(always)]
    fn forward(&mut self, node: u32, local: u32, place: usize) {
        let lane = node * self.wires.lanes + local;
        let line = &mut self.lanes[lane as usize];
        let number = line.head;
        let Packet { target, message, next, out } = self.packets[number as usize];
        line.head = next;
        if next == NONE {
            self.routers[node as usize].lanes &= !(1 << local);
        }
        self.left.push(lane);
        let wire = self.wires.at(place);
        if wire.node == target {
            self.idle.push(number);
            self.arrive(message);
        } else {
            self.entries.push(Entry { packet: number, node: wire.node, lane: wire.lane + class(out) });
        }
    }

    /// A packet of a waiting message crosses its first link.
    #[inline(always)]
    fn inject(&mut self, node: u32, port: u32, place: usize) {
        let slot = if self.one_port { 0 } else { port };
        let line = &mut self.fresh[(node * self.wires.degree + slot) as usize];
        let message = line.head;
        let letter = &mut self.letters[message as usize];
        letter.unsent -= 1;
        let Letter { target, next, out, unsent, .. } = *letter;
        if unsent == 0 {
            line.head = next;
            if next == NONE {
                self.routers[node as usize].fresh &= !(1 << slot);
            }
            if self.tells_sent {
                self.sent.push(message);
            }
        }
        let wire = self.wires.at(place);
        if wire.node == target {
            return self.arrive(message);
        }
        let packet = Packet { target, message, next: NONE, out };
        let number = self.idle.pop().unwrap_or(self.packets.len() as u32);
        match self.packets.get_mut(number as usize) {
            Some(place) => *place = packet,
            None => self.packets.push(packet),
        }
        self.entries.push(Entry { packet: number, node: wire.node, lane: wire.lane + class(out) });
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
            self.taken[lane as usize] -= 1;
        }
        self.left.clear();
        for index in 0..self.entries.len() {
            let Entry { packet: number, node, lane } = self.entries[index];
            self.taken[lane as usize] += 1;
            let packet = &mut self.packets[number as usize];
            packet.next = NONE;
            packet.out = self.wires.route(node, Some(lane), packet.target);
            let local = lane - node * self.wires.lanes;
            let router = &mut self.routers[node as usize];
            let line = &mut self.lanes[lane as usize];
            if router.lanes >> local & 1 == 0 {
                router.lanes |= 1 << local;
                *line = Line { head: number, tail: number };
                self.active.insert(node);
            } else {
                let before = std::mem::replace(&mut line.tail, number);
                self.packets[before as usize].next = number;
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
            let out = self.packets[self.lanes[lane as usize].head as usize].out;
            let wire = self.wires.at((node * self.wires.degree + port(out)) as usize);
            let next = wire.lane + class(out);
            assert!(self.taken[next as usize] >= self.buffers, "a head that stands still waits for a slot");
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
        self.crossed.iter().sum()
    }

    /// No packet anywhere, no slot taken, no router looked at.
    pub(super) fn assert_empty(&self) {
        assert_eq!(self.flying(), 0);
        assert!(self.taken.iter().all(|&taken| taken == 0));
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
