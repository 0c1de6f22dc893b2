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
//! [`Region`]: super::region::Region

mod arrive;
mod run;
mod send;
mod visit;

use self::run::WormRun;
use super::fabric::{Crossing, Fabric};
use super::packet::{FlitPacket, NONE, Packets};
use super::region::{Delays, FREE, Setup};
use super::wheel::{Events, Wheel};
use super::wiring::{NO_PEER, unpack};
use meshwright_core::bits::Bits;
use meshwright_core::units::NodeId;
use meshwright_network::routing::Relation;
use meshwright_network::routing::dimension_order::Axes;
use meshwright_network::topology::Switching;

/// A plan reaches at most so many cycles ahead; one less than a power of two.
const AHEAD: u32 = 511;

/// Larger machines are simulated flit by flit, which takes two thirds of the memory.
const NODES_MAX: u32 = 1 << 18;

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

/// An input channel; the last of a router is its source queue.
#[derive(Clone, Copy, Debug)]
struct Sender {
    /// Flits that came in.
    came: WormRun,
    /// Flits that left before the present run, and of the packet in front those that had not.
    gone: u32,
    left: u32,
    /// The first cycle of the present run, and the cycle at which its plan is looked at again.
    begin: u32,
    plan: u32,
    /// The first and the last of its packets; each knows the next.
    front: u32,
    back: u32,
    /// Where the packet in front goes.
    target: NodeId,
    packets: u8,
    out: u8,
    phase: SenderPhase,
}

impl Sender {
    const IDLE: Self = Self {
        came: WormRun::NONE,
        gone: 0,
        left: 0,
        begin: 0,
        plan: 0,
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
struct Link {
    credits: WormRun,
    /// Flits sent before the present run.
    filled: u32,
    owner: u8,
    /// Pointers of channel and switch allocation.
    grant: u8,
    switch: u8,
}

impl Link {
    const FREE: Self = Self { credits: WormRun::NONE, filled: 0, owner: FREE, grant: 0, switch: 0 };
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

/// One router: all that a visit looks at lies together. `P` is at least the network ports and two.
#[derive(Clone, Debug)]
struct Node<const P: usize> {
    /// Heads that wait for a channel; senders to look at.
    waiting: u32,
    dirty: u32,
    /// The source queue's first and last packet.
    queue: (u32, u32),
    /// By network port: the packed (node, port) at the other end.
    peers: [u32; P],
    /// Network inputs, injection, source.
    senders: [Sender; P],
    /// Network outputs, ejection, source.
    links: [Link; P],
}

/// A range of routers whose packets move as worms.
#[derive(Debug)]
pub(super) struct Worms<'s, const P: usize> {
    nodes: Vec<Node<P>>,
    net: Net<'s>,
}

/// What all routers of a range share: packets, events to come, clock.
#[derive(Debug)]
struct Net<'s> {
    setup: &'s Setup<'s>,
    first: u32,
    last: u32,
    slots: u32,
    degree: u32,
    delays: Delays,
    awake: Vec<u64>,
    packets: Packets,
    wheel: Wheel<WormEvents>,
    /// By cycle, senders whose plan is to be looked at: a ring of its own, for plans reach far ahead and lists that
    /// are used every few cycles stay in the cache.
    plans: Wheel<Vec<u32>>,
    /// Plans to come.
    planned: u64,
    /// Flits of every packet (of one flit there are no runs: flits and credits are plain counts), and cycles from the
    /// last switch to the node.
    length: u32,
    come_out: u64,
    now: u64,
    delivered: Vec<u32>,
    outbox: Vec<(u64, Crossing)>,
    flit_hops: u64,
    moved: bool,
    held: bool,
    axes: Option<&'s Axes<'s>>,
}

/// Whether worms can stand for flits: one virtual channel, one port a node, packets that need not be whole, dimension
/// order on lines, which cannot deadlock, times of 31 bits, and a machine of at most [`NODES_MAX`] nodes.
pub(super) fn apply(setup: &Setup<'_>, longest: u64) -> bool {
    let router = &setup.router;
    router.virtual_channels == 1
        && setup.wiring.locals == 1
        && setup.wiring.degree < 30
        && setup.wiring.nodes <= NODES_MAX
        && setup.switching == Switching::Wormhole
        && matches!(&setup.relation, Relation::DimensionOrder(axes) if !axes.has_rings())
        && longest < 1 << 31
        && !setup.general
        && !setup.reverse
}

impl<'s, const P: usize> Worms<'s, P> {
    /// An empty region of the nodes `first..last`, for packets of `length` flits.
    pub(super) fn new(setup: &'s Setup<'s>, first: u32, last: u32, length: u32) -> Self {
        let degree = setup.wiring.degree;
        let empty = Node {
            waiting: 0,
            dirty: 0,
            queue: (NONE, NONE),
            peers: [NO_PEER; P],
            senders: [Sender::IDLE; P],
            links: [Link::FREE; P],
        };
        let mut nodes = vec![empty; (last - first) as usize];
        for (node, router) in (first..last).zip(&mut nodes) {
            for (port, peer) in (0..degree).zip(&mut router.peers) {
                *peer = setup.wiring.peer(node, port);
            }
        }
        let delays = Delays::of(&setup.router);
        let longest = delays.longest() + super::setup::stride(&setup.router);
        let net = Net {
            setup,
            first,
            last,
            slots: setup.router.buffers,
            degree,
            delays,
            awake: vec![0; nodes.len().div_ceil(64)],
            packets: Packets::default(),
            wheel: Wheel::new(longest),
            plans: Wheel::new(u64::from(AHEAD)),
            planned: 0,
            length,
            come_out: delays.eject.max(1) + u64::from(setup.router.shortest_packet.saturating_sub(length)),
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

impl Net<'_> {
    #[inline(always)]
    fn wake(&mut self, node: u32) {
        let index = node - self.first;
        self.awake[index as usize / 64] |= 1 << (index % 64);
    }

    #[inline(always)]
    fn after(&mut self, delay: u64) -> &mut WormEvents {
        self.wheel.at(self.now + delay)
    }

    #[inline(always)]
    fn mark<const P: usize>(&mut self, at: &mut Node<P>, node: u32, local: u32) {
        at.dirty |= 1 << local;
        self.wake(node);
    }
}

impl<const P: usize> Fabric for Worms<'_, P> {
    fn setup(&self) -> &Setup<'_> {
        self.net.setup
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        self.net.first..self.net.last
    }

    fn now(&self) -> u64 {
        self.net.now
    }

    fn enqueue(&mut self, node: u32, _port: u32, packet: FlitPacket) {
        let net = &mut self.net;
        let slot = net.packets.insert(packet);
        let at = &mut self.nodes[(node - net.first) as usize];
        if at.queue.0 == NONE {
            at.queue = (slot, slot);
            net.mark(at, node, net.degree + 1);
        } else {
            let tail = std::mem::replace(&mut at.queue.1, slot);
            net.packets[tail].next = slot;
        }
    }

    fn arrivals(&mut self, now: u64) {
        self.net.now = now;
        self.net.moved = false;
        self.net.delivered.clear();
        let mut events = self.net.wheel.take(now);
        let mut plans = self.net.plans.take(now);
        self.net.planned -= plans.len() as u64;
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
            if sender.phase == SenderPhase::Sends && sender.plan == now as u32 {
                self.net.mark(at, node, local);
            }
        }
        self.net.delivered.append(&mut events.ejected);
        self.net.wheel.put_back(now, events);
        self.net.plans.put_back(now, plans);
    }

    fn visits(&mut self) {
        for word in 0..self.net.awake.len() {
            let mut awake = 0u64;
            for bit in Bits(self.net.awake[word]) {
                let index = word * 64 + bit as usize;
                let node = self.net.first + index as u32;
                awake |= u64::from(self.net.visit(&mut self.nodes[index], node)) << bit;
            }
            self.net.awake[word] = awake;
        }
    }

    fn delivered(&mut self) -> &mut Vec<u32> {
        &mut self.net.delivered
    }

    fn packets(&mut self) -> &mut Packets {
        &mut self.net.packets
    }

    fn is_busy(&self) -> bool {
        let net = &self.net;
        net.moved || net.planned > 0 || !net.wheel.is_empty() || net.awake.iter().any(|&word| word != 0)
    }

    fn flits_stuck(&self) -> u64 {
        let stands = |sender: &&Sender| sender.packets > 0;
        self.nodes.iter().flat_map(|at| &at.senders).filter(stands).count() as u64
    }

    fn hold_sources(&mut self) {
        self.net.held = true;
    }

    fn outbox(&mut self) -> &mut Vec<(u64, Crossing)> {
        &mut self.net.outbox
    }

    fn take_in(&mut self, at: u64, crossing: Crossing) {
        // The present cycle is the last one done.
        let delay = at - self.net.now;
        match crossing {
            Crossing::Head(word, packet) => {
                let slot = self.net.packets.insert(packet);
                self.net.after(delay).heads.push((word, slot, packet.header.target));
            }
            Crossing::Run(word, length) => self.net.after(delay).runs.push((word, length)),
            Crossing::Credits(word, length) => self.net.after(delay).credits.push((word, length)),
            Crossing::Body(_) | Crossing::Credit(_) => unreachable!("worms send runs"),
        }
    }

    fn flit_hops(&self) -> u64 {
        // Runs that have not ended are booked here.
        let runs =
            |sender: &&Sender| sender.phase == SenderPhase::Sends && u32::from(sender.out) < self.net.degree;
        let sent = |sender: &Sender| u64::from((self.net.now as u32 + 1).wrapping_sub(sender.begin));
        self.net.flit_hops + self.nodes.iter().flat_map(|at| &at.senders).filter(runs).map(sent).sum::<u64>()
    }
}
