//! Queues without bound, one before each link, and how long they became.
//!
//! Of the packets before a link the one goes first that is on its way to its random row, then the one with the most links
//! left of its leg, then the one that came first. A message has one packet at a time that has not left its source.

use super::active::Active;
use super::engine::Steps;
use super::routers::{NONE, QueuedMessage};
use super::routing::{self, Leg, PORTS, PacketRouting, Plane};
use meshwright_core::bits::Bits;
use meshwright_core::error::Result;
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Topology};

/// A packet before a link.
#[derive(Clone, Copy, Debug)]
struct Packet {
    message: u32,
    target: u32,
    /// The packet behind it.
    next: u32,
    /// The links left of its leg; above them a bit for packets on their first of three legs.
    rank: u32,
    leg: Leg,
    /// Whether it has not left its source.
    is_new: bool,
}

/// The bit of a rank that goes before all distances.
const FIRST_LEG: u32 = 1 << 31;

/// The packets before a link, in the order in which they go.
#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
    length: u32,
    longest: u32,
    /// The steps packets have waited, and how many crossed.
    waits: u64,
    crossed: u64,
}

/// A packet that has crossed a link.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    packet: u32,
    node: u32,
    port: u8,
}

/// The state of all queues.
#[derive(Debug)]
pub(crate) struct Queues<'m> {
    machine: &'m Machine,
    plane: Plane,
    /// By node and port.
    queues: Vec<Queue>,
    /// The queues that are not empty.
    active: Active,
    packets: Vec<Packet>,
    idle: Vec<u32>,
    messages: Vec<QueuedMessage>,
    crossings: Vec<Crossing>,
    tells_sent: bool,
    sent: Vec<u32>,
    delivered: Vec<u32>,
}

impl<'m> Queues<'m> {
    /// Empty queues.
    pub(super) fn new(machine: &'m Machine, routing: PacketRouting) -> Result<Self> {
        let plane = Plane::new(machine, routing)?;
        let empty = Queue { head: NONE, tail: NONE, length: 0, longest: 0, waits: 0, crossed: 0 };
        let places = (machine.nodes() * PORTS) as usize;
        Ok(Self {
            machine,
            plane,
            queues: vec![empty; places],
            active: Active::new(places),
            packets: Vec::new(),
            idle: Vec::new(),
            messages: Vec::new(),
            crossings: Vec::new(),
            tells_sent: true,
            sent: Vec::new(),
            delivered: Vec::new(),
        })
    }

    /// A packet joins the queue of the next link of its leg, or of its next leg.
    #[inline]
    fn join(&mut self, number: u32, node: u32, port: u8) {
        let place = node * PORTS + u32::from(port);
        let queue = &mut self.queues[place as usize];
        queue.length += 1;
        queue.longest = queue.longest.max(queue.length);
        let rank = self.packets[number as usize].rank;
        self.packets[number as usize].next = NONE;
        if queue.head == NONE {
            (queue.head, queue.tail) = (number, number);
            self.active.insert(place);
        } else if rank <= self.packets[queue.tail as usize].rank {
            let before = std::mem::replace(&mut queue.tail, number);
            self.packets[before as usize].next = number;
        } else if rank > self.packets[queue.head as usize].rank {
            self.packets[number as usize].next = std::mem::replace(&mut queue.head, number);
        } else {
            // Somebody behind the head has a lower rank: the tail has.
            let mut before = queue.head;
            loop {
                let next = self.packets[before as usize].next;
                if rank > self.packets[next as usize].rank {
                    self.packets[before as usize].next = number;
                    self.packets[number as usize].next = next;
                    return;
                }
                before = next;
            }
        }
    }

    /// A packet goes on from a node by its next leg that has links; whether it has not arrived.
    #[inline]
    fn go_on(&mut self, number: u32, node: u32) -> bool {
        let Packet { target, leg, .. } = self.packets[number as usize];
        let Some((port, links, leg)) = self.plane.go_on(node, target, leg) else { return false };
        let packet = &mut self.packets[number as usize];
        packet.leg = leg;
        packet.rank = if matches!(leg, Leg::ToRow(_)) { FIRST_LEG | links } else { links };
        self.join(number, node, port);
        true
    }

    /// The next packet of a message comes into being at its source.
    #[inline]
    fn make(&mut self, message: u32) {
        let QueuedMessage { source, target, .. } = self.messages[message as usize];
        let leg = self.plane.first_leg(source, target);
        let packet = Packet { message, target, next: NONE, rank: 0, leg, is_new: true };
        let number = self.idle.pop().unwrap_or(self.packets.len() as u32);
        match self.packets.get_mut(number as usize) {
            Some(place) => *place = packet,
            None => self.packets.push(packet),
        }
        let goes = self.go_on(number, source);
        assert!(goes, "a message to oneself does not come here");
    }

    /// The first packet of a queue crosses its link.
    #[inline]
    fn cross(&mut self, place: u32) {
        let queue = &mut self.queues[place as usize];
        let packet = queue.head;
        queue.head = self.packets[packet as usize].next;
        queue.length -= 1;
        queue.waits += u64::from(queue.length);
        queue.crossed += 1;
        if queue.head == NONE {
            self.active.remove(place);
        }
        let (node, port) = (place / PORTS, (place % PORTS) as u8);
        self.crossings.push(Crossing { packet, node: self.plane.behind(node, port), port });
    }

    /// What crossed joins the next queue or has arrived; messages go on with their next packet.
    #[inline]
    fn settle(&mut self, Crossing { packet: number, node, port }: Crossing) {
        let packet = &mut self.packets[number as usize];
        packet.rank -= 1;
        let message = packet.message;
        let was_new = std::mem::take(&mut packet.is_new);
        let goes = if packet.rank & !FIRST_LEG > 0 {
            self.join(number, node, port);
            true
        } else {
            self.go_on(number, node)
        };
        if !goes {
            self.idle.push(number);
            let queued = &mut self.messages[message as usize];
            queued.missing -= 1;
            if queued.missing == 0 {
                self.delivered.push(message);
            }
        }
        if was_new {
            let queued = &mut self.messages[message as usize];
            queued.unsent -= 1;
            if queued.unsent > 0 {
                self.make(message);
            } else if self.tells_sent {
                self.sent.push(message);
            }
        }
    }

    /// The link with the largest count, and the count; of equal ones the first.
    fn most(&self, count: impl Fn(&Queue) -> u64) -> Option<(LinkId, u64)> {
        let counts = self.queues.iter().map(count).enumerate();
        let (place, most) = counts.rev().max_by_key(|&(_, count)| count)?;
        (most > 0).then(|| (routing::link(self.machine, place), most))
    }
}

impl<'m> Steps<'m> for Queues<'m> {
    fn machine(&self) -> &'m Machine {
        self.machine
    }

    #[inline(always)]
    fn messages(&mut self) -> &mut Vec<QueuedMessage> {
        &mut self.messages
    }

    #[inline]
    fn hops(&mut self, source: u32, target: u32) -> u32 {
        self.plane.hops(source, target)
    }

    #[inline]
    fn queue(&mut self, message: u32) {
        self.make(message);
    }

    fn step(&mut self) -> bool {
        self.sent.clear();
        self.delivered.clear();
        for index in 0..self.active.summaries() {
            for word in Bits(self.active.summary(index)) {
                let word = 64 * index as u32 + word;
                for bit in Bits(self.active.word(word as usize)) {
                    self.cross(64 * word + bit);
                }
            }
        }
        for index in 0..self.crossings.len() {
            self.settle(self.crossings[index]);
        }
        let moved = !self.crossings.is_empty();
        self.crossings.clear();
        moved
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
        for queue in &mut self.queues {
            (queue.waits, queue.crossed, queue.longest) = (0, 0, queue.length);
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.most(|queue| queue.waits)
    }

    fn busiest(&self) -> Option<(LinkId, u64)> {
        self.most(|queue| queue.crossed)
    }

    fn longest_queue(&self) -> Option<(LinkId, u64)> {
        self.most(|queue| u64::from(queue.longest))
    }

    fn ring(&self) -> Option<Vec<LinkId>> {
        None
    }
}

#[cfg(test)]
impl Queues<'_> {
    /// How often a packet crossed a link.
    pub(super) fn crossings(&self) -> u64 {
        self.queues.iter().map(|queue| queue.crossed).sum()
    }
}
