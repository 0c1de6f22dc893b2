//! Worms: a region in which only heads, tails and standstills are events. Bit for bit what [`Region`] does, for
//! routers with one virtual channel.
//!
//! With one channel a link carries one packet at a time, a flit each cycle, until the packet ends, the buffer
//! behind it is full, or the buffer before it is empty. So the flits on a link come in *runs*: their number since
//! a cycle is known without looking. A sender tells the two ends of its links when a run begins and when it breaks
//! off; a run that reaches its tail ends by itself. Credits run the other way, a constant time later.
//!
//! ```text
//! came(t)  = came before + min(t - run begin + 1, run length)
//! left(t)  = left before + (t - run begin)                        while it sends
//! flits to send at t = came(t) - left(t),   slots to fill at t = slots + credits(t) - filled(t)
//! ```
//!
//! A router with a port for each link has as many injection ports, ejection ports and source queues; where it can
//! allocate in the cycle a head comes in, a packet at its target comes out flit by flit beside the switch: it *drains*.
//!
//! [`Region`]: super::region::Region

mod arrive;
mod run;
mod send;
mod visit;

use self::run::Slots;
pub(super) use self::run::{Many, One, Stream};
use super::fabric::{Crossing, Fabric};
use super::packet::{FlitPacket, NONE, Packets};
use super::parts::Parts;
use super::region::{Delays, FREE, Setup};
use super::wheel::Events;
use super::wiring::{NO_PEER, Wiring, pack, unpack};
use meshwright_core::bits::Bits;
use meshwright_core::units::NodeId;
use meshwright_network::routing::Relation;
use meshwright_network::routing::dimension_order::Axes;
use meshwright_network::topology::Switching;

/// A plan reaches at most so many cycles ahead; one less than a power of two.
const AHEAD: u32 = 511;

/// Senders of a router, for they are sets in one word.
const PORTS_MAX: u32 = u32::BITS;

/// What a sender's packet in front does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SenderPhase {
    Idle,
    Routing,
    Waiting,
    /// It holds its channel; the head is still here.
    Head,
    /// Its head has gone; it stands.
    Stands,
    /// It sends a flit each cycle.
    Sends,
}

/// An input channel; the last of a router are its source queues.
#[derive(Clone, Copy, Debug)]
struct Sender<S> {
    stream: S,
    /// The first and the last of its packets, where there are any; each knows the next. Of a source queue the first is
    /// [`NONE`] if there is none.
    front: u32,
    back: u32,
    /// Where the packet in front goes.
    target: NodeId,
    packets: u8,
    out: u8,
    phase: SenderPhase,
}

impl<S: Stream> Sender<S> {
    const IDLE: Self = Self {
        stream: S::IDLE,
        front: NONE,
        back: NONE,
        target: NodeId(0),
        packets: 0,
        out: 0,
        phase: SenderPhase::Idle,
    };
}

/// An output channel.
#[derive(Clone, Copy, Debug)]
struct Link<L> {
    slots: L,
    owner: u8,
    /// Pointers of channel and switch allocation.
    grant: u8,
    switch: u8,
}

impl<L: Slots> Link<L> {
    fn free(slots: u32) -> Self {
        Self { slots: L::of(slots), owner: FREE, grant: 0, switch: 0 }
    }
}

/// What comes to routers in one cycle.
#[derive(Debug, Default)]
struct WormEvents {
    /// Heads with their packet's slot and target.
    heads: Vec<(u32, u32, NodeId)>,
    runs: Vec<(u32, u32)>,
    credits: Vec<(u32, u32)>,
    routed: Vec<u32>,
    ejected: Vec<u32>,
}

impl Events for WormEvents {
    fn is_empty(&self) -> bool {
        let pairs = self.runs.is_empty() && self.credits.is_empty();
        pairs && self.heads.is_empty() && self.routed.is_empty() && self.ejected.is_empty()
    }
}

/// One router: all that a visit looks at lies together. `P` is at least the network ports and twice the injection ports.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Node<S: Stream, const P: usize> {
    /// Heads that wait for a channel; senders to look at.
    waiting: u32,
    dirty: u32,
    /// Network inputs, injection ports, source queues.
    senders: [Sender<S>; P],
    /// Network outputs, ejection ports, source queues.
    links: [Link<S::Slots>; P],
}

/// A range of routers whose packets move as worms.
#[derive(Debug)]
pub(super) struct Worms<'s, S: Stream, const P: usize> {
    nodes: Vec<Node<S, P>>,
    net: Net<'s>,
}

/// What all routers of a range share: packets, events to come, clock.
#[derive(Debug)]
struct Net<'s> {
    setup: &'s Setup<'s>,
    first: u32,
    last: u32,
    /// Network ports; the first source queue; where packets go that drain.
    degree: u32,
    source: u32,
    drain: u32,
    /// Injection ports, and whether packets drain at their target.
    locals: u32,
    direct: bool,
    /// By network port, how far the packed (node, port) at the other end is from that at this one; nothing if that
    /// differs from node to node.
    steps: Option<[u32; PORTS_MAX as usize]>,
    delays: Delays,
    packets: Packets,
    parts: Parts<WormEvents>,
    /// Flits of every packet, and cycles from the
    /// last switch to the node, or from the last link where packets drain.
    length: u32,
    come_out: u64,
    drained: u64,
    now: u64,
    delivered: Vec<u32>,
    outbox: Vec<(u64, Crossing)>,
    flit_hops: u64,
    moved: bool,
    held: bool,
    axes: Option<&'s Axes<'s>>,
}

/// Whether worms can stand for flits: one virtual channel, few ports, packets that need not be whole and are not too long,
/// dimension order on lines, which cannot deadlock, and times of 31 bits.
pub(super) fn apply(setup: &Setup<'_>, packet: u32, longest: u64) -> bool {
    let router = &setup.router;
    router.virtual_channels == 1
        && setup.wiring.degree + 2 * setup.wiring.locals <= PORTS_MAX
        && setup.switching == Switching::Wormhole
        && matches!(&setup.relation, Relation::DimensionOrder(axes) if !axes.has_rings())
        && packet <= run::PACKET_MAX
        && longest < 1 << 31
        && !setup.general
        && !setup.reverse
}

/// Bytes of a router with so many senders, for packets of several flits.
pub(super) fn bytes(senders: u64) -> u64 {
    let sender = size_of::<Sender<Many>>() + size_of::<Link<<Many as Stream>::Slots>>();
    senders * sender as u64 + 8
}

impl<'s, S: Stream, const P: usize> Worms<'s, S, P> {
    /// Bytes of a router, with its sources and a few packets.
    pub(super) const BYTES: usize = size_of::<Node<S, P>>() + 64;

    /// An empty region of the nodes `first..last` in parts of `size`, for packets of `length` flits.
    pub(super) fn new(setup: &'s Setup<'s>, (first, last): (u32, u32), size: u32, length: u32) -> Self {
        let (degree, locals) = (setup.wiring.degree, setup.wiring.locals);
        let empty = Node {
            waiting: 0,
            dirty: 0,
            senders: [Sender::IDLE; P],
            links: [Link::free(setup.router.buffers); P],
        };
        let nodes = vec![empty; (last - first) as usize];
        let delays = Delays::of(setup);
        let longest = delays.longest() + super::blocks::stride(&setup.router);
        let missing = u64::from(setup.router.shortest_packet.saturating_sub(length));
        let net = Net {
            setup,
            first,
            last,
            degree,
            source: degree + locals,
            drain: degree + 2 * locals,
            locals,
            direct: setup.drains(),
            steps: steps(&setup.wiring),
            delays,
            packets: Packets::default(),
            parts: Parts::new(first, last, size, longest, if S::SINGLE { 0 } else { u64::from(AHEAD) }),
            length,
            come_out: delays.eject.max(1) + missing,
            drained: delays.eject + missing,
            now: 0,
            delivered: Vec::new(),
            outbox: Vec::new(),
            flit_hops: 0,
            moved: false,
            held: false,
            axes: match &setup.relation {
                Relation::DimensionOrder(axes) => Some(axes),
                _ => None,
            },
        };
        Self { nodes, net }
    }

    #[inline(always)]
    fn index(&self, word: u32) -> usize {
        (unpack(word).0 - self.net.first) as usize
    }
}

/// The same step by each port, wherever that leads anywhere.
fn steps(wiring: &Wiring) -> Option<[u32; PORTS_MAX as usize]> {
    let mut steps = [0; PORTS_MAX as usize];
    for (port, step) in (0..wiring.degree).zip(&mut steps) {
        let nodes = (0..wiring.nodes).filter(|&node| wiring.peer(node, port) != NO_PEER);
        let mut all = nodes.map(|node| wiring.peer(node, port).wrapping_sub(pack(node, port)));
        let Some(first) = all.next() else { continue };
        if all.any(|other| other != first) {
            return None;
        }
        *step = first;
    }
    Some(steps)
}

impl Net<'_> {
    /// The packed (node, port) at the other end of a network port.
    #[inline(always)]
    fn peer(&self, node: u32, port: u32) -> u32 {
        match &self.steps {
            Some(steps) => pack(node, port).wrapping_add(steps[port as usize % steps.len()]),
            None => self.setup.wiring.peer(node, port),
        }
    }

    #[inline(always)]
    fn wake(&mut self, node: u32) {
        self.parts.here.wake(node);
    }

    #[inline(always)]
    fn after(&mut self, delay: u64) -> &mut WormEvents {
        self.parts.here.wheel.at(self.now + delay)
    }

    #[inline(always)]
    fn mark<S: Stream, const P: usize>(&mut self, at: &mut Node<S, P>, node: u32, local: u32) {
        at.dirty |= 1 << local;
        self.wake(node);
    }
}

impl<S: Stream, const P: usize> Fabric for Worms<'_, S, P> {
    fn setup(&self) -> &Setup<'_> {
        self.net.setup
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        self.net.first..self.net.last
    }

    fn parts(&self) -> usize {
        self.net.parts.count()
    }

    fn part_of(&self, node: u32) -> usize {
        self.net.parts.index(node)
    }

    fn enter(&mut self, part: usize) {
        self.net.parts.enter(part);
    }

    fn now(&self) -> u64 {
        self.net.now
    }

    fn enqueue(&mut self, node: u32, port: u32, packet: FlitPacket) {
        let net = &mut self.net;
        let slot = net.packets.insert(packet);
        let at = &mut self.nodes[(node - net.first) as usize];
        let source = net.source + port;
        let queue = &mut at.senders[source as usize];
        let tail = std::mem::replace(&mut queue.back, slot);
        if queue.front == NONE {
            queue.front = slot;
            net.mark(at, node, source);
        } else {
            net.packets[tail].next = slot;
        }
    }

    fn arrivals(&mut self, now: u64) {
        self.net.now = now;
        self.net.moved = false;
        self.net.delivered.clear();
        let part = &mut self.net.parts.here;
        if part.wheel.at(now).is_empty() && part.plans.at(now).is_empty() {
            return;
        }
        let mut events = part.wheel.take(now);
        let mut plans = part.plans.take(now);
        part.planned -= plans.len() as u64;
        for (word, length) in events.credits.drain(..) {
            let index = self.index(word);
            self.net.credits_in(&mut self.nodes[index], word, length);
        }
        for (word, length) in events.runs.drain(..) {
            let index = self.index(word);
            self.net.run_in(&mut self.nodes[index], word, length);
        }
        for (word, slot, target) in events.heads.drain(..) {
            let index = self.index(word);
            self.net.head_in(&mut self.nodes[index], word, slot, target);
        }
        for word in events.routed.drain(..) {
            let (index, (node, local)) = (self.index(word), unpack(word));
            self.net.ask(&mut self.nodes[index], node, local);
        }
        for word in plans.drain(..) {
            let (index, (node, local)) = (self.index(word), unpack(word));
            let at = &mut self.nodes[index];
            let sender = &at.senders[local as usize];
            if sender.phase == SenderPhase::Sends && sender.stream.is_planned(now as u32) {
                self.net.mark(at, node, local);
            }
        }
        self.net.delivered.append(&mut events.ejected);
        self.net.parts.here.wheel.put_back(now, events);
        self.net.parts.here.plans.put_back(now, plans);
    }

    fn visits(&mut self) {
        let first = self.net.parts.here.first;
        for word in 0..self.net.parts.here.awake.len() {
            let mut awake = 0u64;
            for bit in Bits(self.net.parts.here.awake[word]) {
                let node = first + word as u32 * 64 + bit;
                let at = &mut self.nodes[(node - self.net.first) as usize];
                awake |= u64::from(self.net.visit(at, node)) << bit;
            }
            self.net.parts.here.awake[word] = awake;
        }
    }

    fn delivered(&mut self) -> &mut Vec<u32> {
        &mut self.net.delivered
    }

    fn packets(&mut self) -> &mut Packets {
        &mut self.net.packets
    }

    fn is_busy(&self) -> bool {
        self.net.moved || self.net.parts.here.is_busy()
    }

    fn flits_stuck(&self) -> u64 {
        let stands = |sender: &&Sender<S>| sender.packets > 0;
        self.nodes.iter().flat_map(|at| &at.senders).filter(stands).count() as u64
    }

    fn hold_sources(&mut self) {
        self.net.held = true;
    }

    fn outbox(&mut self) -> &mut Vec<(u64, Crossing)> {
        &mut self.net.outbox
    }

    fn take_in(&mut self, at: u64, crossing: Crossing) {
        let moment = self.net.parts.any(crossing.node()).wheel.at(at);
        match crossing {
            Crossing::Head(word, packet) => {
                let slot = self.net.packets.insert(packet);
                moment.heads.push((word, slot, packet.header.target));
            }
            Crossing::Run(word, length) => moment.runs.push((word, length)),
            Crossing::Credits(word, length) => moment.credits.push((word, length)),
            Crossing::Body(_) | Crossing::Credit(_) => unreachable!("worms send runs"),
        }
    }

    fn flit_hops(&self) -> u64 {
        // Runs that have not ended are booked here.
        let runs = |sender: &&Sender<S>| {
            sender.phase == SenderPhase::Sends && u32::from(sender.out) < self.net.degree
        };
        let sent =
            |sender: &Sender<S>| u64::from((self.net.now as u32 + 1).wrapping_sub(sender.stream.begin()));
        self.net.flit_hops + self.nodes.iter().flat_map(|at| &at.senders).filter(runs).map(sent).sum::<u64>()
    }
}
