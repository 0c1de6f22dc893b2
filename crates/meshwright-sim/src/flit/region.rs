//! A region of routers: their buffers, what is on its way to them, and one cycle of work.
//!
//! Clocking has two phases. In the first, flits and credits whose cycle has come are put where they belong; in the
//! second every router that is awake decides from its own state alone, and what it sends comes in at a later
//! cycle. So the order in which routers are visited means nothing, and regions can run side by side.

use super::fabric::Crossing;
use super::packet::{NONE, Packets};
use super::parts::Parts;
use super::router::{Router, Stages};
use super::source::SourceQueue;
use super::wheel::{Events, FlitEvents};
use super::wiring::{CHANNELS_MAX, Wiring, unpack};
use meshwright_network::routing::dimension_order::Axes;
use meshwright_network::routing::relation::{Choices, Relation};
use meshwright_network::topology::{PortModel, Switching};

/// Nobody owns this output channel.
pub(super) const FREE: u8 = u8::MAX;

/// What the packet in front of an input channel waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneState {
    /// No packet.
    Idle,
    /// Store-and-forward: the packet is not here as a whole.
    Filling,
    /// Its route is being found.
    Routing,
    /// It asks for an output channel.
    Waiting,
    /// It has one, and its head is still here.
    Head,
    /// Its head has left.
    Body,
    /// It comes out here, flit by flit as it comes in.
    Draining,
}

/// An input virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Flits of the packet in front that have not left.
    pub(super) left: u32,
    /// Flits in the buffer.
    pub(super) flits: u32,
    /// Where the ring of packets begins.
    pub(super) first: u8,
    /// Packets in the ring.
    pub(super) packets: u8,
    /// The output port of the packet in front.
    pub(super) out: u8,
    /// Its class while it waits, then its output channel.
    pub(super) channel: u8,
    /// What it waits for.
    pub(super) state: LaneState,
    /// The output channel it prefers next: the accept pointer.
    pub(super) accept: u8,
}

impl Lane {
    const EMPTY: Self = Self {
        left: 0,
        flits: 0,
        first: 0,
        packets: 0,
        out: 0,
        channel: 0,
        state: LaneState::Idle,
        accept: 0,
    };
}

/// An output virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputChannel {
    /// Free slots of the buffer at its end.
    pub(super) credits: u8,
    /// The input channel that holds it, or [`FREE`].
    pub(super) owner: u8,
    /// The input channel it prefers next: the grant pointer.
    pub(super) grant: u8,
}

/// What stays the same while the engine runs.
#[derive(Debug)]
pub(super) struct Setup<'m> {
    pub(super) wiring: Wiring,
    pub(super) relation: Relation<'m>,
    pub(super) router: Router,
    pub(super) switching: Switching,
    /// Cycles of the routing delay that only who sends on pays.
    pub(super) startup: u32,
    /// By class, the set of its virtual channels.
    pub(super) classes: Vec<u64>,
    /// Whether routers are visited from the last to the first: it must change nothing.
    pub(super) reverse: bool,
    /// Whether every flit is moved and single channels are allocated like many: it must change nothing.
    pub(super) general: bool,
    /// Rounds that the smallest blocks do in turn, whatever fits into a cache: they must change nothing.
    pub(super) rounds: Option<usize>,
    /// Whether every packet of open-loop traffic that arrives is noted.
    pub(super) records: bool,
}

impl Setup<'_> {
    /// Whether packets come out without passing the switch: with a port for each link, of a router that allocates in
    /// the cycle a head comes in.
    pub(super) fn drains(&self) -> bool {
        let at_once = self.router.stages == Stages::Combined && self.router.first_try() == self.startup;
        self.router.ports == PortModel::All && at_once
    }
}

/// The delays of the router, summed up once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    pub(super) hop: u64,
    pub(super) eject: u64,
    pub(super) credit: u64,
    pub(super) source_credit: u64,
    pub(super) injection: u64,
    pub(super) first_try: u64,
    /// That of a packet that has come for good.
    pub(super) last_try: u64,
    shortest_packet: u64,
}

impl Delays {
    pub(super) fn of(setup: &Setup<'_>) -> Self {
        let router = &setup.router;
        Self {
            hop: u64::from(router.hop()),
            eject: u64::from(router.eject()),
            credit: u64::from(router.credit()),
            source_credit: u64::from(router.source_credit()),
            injection: u64::from(router.injection_delay),
            first_try: u64::from(router.first_try()),
            last_try: u64::from(router.first_try() - setup.startup),
            shortest_packet: u64::from(router.shortest_packet),
        }
    }

    /// No event lies further ahead.
    pub(super) fn longest(&self) -> u64 {
        let list = [self.hop, self.eject + 1, self.credit, self.source_credit, self.injection];
        list.into_iter().fold(self.first_try + 1, u64::max) + self.shortest_packet
    }
}

/// A router of the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) node: u32,
    /// Its place in the region's tables, and that of its first input and output channel.
    pub(super) index: usize,
    lanes: usize,
    channels: usize,
}

/// A range of routers and all that belongs to them.
#[derive(Debug)]
pub(super) struct Region<'s> {
    pub(super) setup: &'s Setup<'s>,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Virtual channels and slots.
    pub(super) vcs: u32,
    pub(super) slots: u32,
    /// Whether a packet moves as a whole and slots hold packets.
    pub(super) whole: bool,
    /// Whether packets come out without passing the switch.
    pub(super) direct: bool,
    /// Network ports and injection ports of every node; where a node has fewer, some are not wired.
    pub(super) degree: u32,
    pub(super) locals: u32,
    /// Whether the routing looks at the link a packet came by.
    pub(super) asks_arrival: bool,
    /// Where each packet has one way in one class, the formula for it.
    pub(super) axes: Option<&'s Axes<'s>>,
    /// By output port, its channels that nobody holds; empty with one virtual channel.
    pub(super) free: Vec<u32>,
    /// Whether packets can have several ways.
    pub(super) adaptive: bool,
    /// The port of each local channel.
    ports: [u8; CHANNELS_MAX as usize],
    pub(super) delays: Delays,
    pub(super) lanes: Vec<Lane>,
    pub(super) rings: Vec<u32>,
    pub(super) channels: Vec<OutputChannel>,
    /// Per output port the input it prefers, per input port the output and the channel it prefers.
    pub(super) grant: Vec<u8>,
    pub(super) accept: Vec<u8>,
    pub(super) rotate: Vec<u8>,
    pub(super) sources: Vec<SourceQueue>,
    /// By node: input channels with a flit that can go, and those that wait for an output channel.
    pub(super) ready: Vec<u64>,
    pub(super) waiting: Vec<u64>,
    pub(super) packets: Packets,
    pub(super) parts: Parts<FlitEvents>,
    pub(super) now: u64,
    /// Packets that came out in this cycle.
    pub(super) delivered: Vec<u32>,
    /// Tags of packets whose tail has left the source in this cycle.
    pub(super) sent: Vec<u32>,
    /// Whether sources keep packets back whose head has not left.
    pub(super) held: bool,
    /// What leaves the region, by cycle.
    pub(super) outbox: Vec<(u64, Crossing)>,
    pub(super) flit_hops: u64,
    /// Whether any router did something in this cycle.
    pub(super) moved: bool,
    /// Where packets wait, if a workload listens; it then also hears when tails leave their source.
    pub(super) waits: Option<Box<Waits>>,
    pub(super) choices: Choices,
    pub(super) scratch: Box<super::allocate::Scratch>,
}

/// Cycles in which heads ask in vain.
#[derive(Debug)]
pub(super) struct Waits {
    /// By input channel, since when the packet in front asks.
    pub(super) since: Vec<u64>,
    /// By output port of the network, the cycles of all packets together.
    pub(super) cycles: Vec<u64>,
}

impl<'s> Region<'s> {
    /// Bytes of a router, with its sources and a few packets.
    pub(super) fn bytes(setup: &Setup<'_>) -> usize {
        let (wiring, router) = (&setup.wiring, &setup.router);
        let (inputs, outputs) = (wiring.degree + wiring.locals, wiring.degree + 2 * wiring.locals);
        let channel = size_of::<OutputChannel>();
        // Of the ring of packets mostly the beginning is used.
        let lane = size_of::<Lane>() + size_of::<u32>() * router.buffers.min(4) as usize;
        (inputs * router.virtual_channels) as usize * lane
            + outputs as usize * (router.virtual_channels as usize * channel + 5)
            + 128
    }

    /// An empty region of the nodes `first..last` in parts of `size`.
    pub(super) fn new(setup: &'s Setup<'s>, (first, last): (u32, u32), size: u32) -> Self {
        let (wiring, router) = (&setup.wiring, &setup.router);
        let vcs = router.virtual_channels;
        let nodes = (last - first) as usize;
        let locals = nodes * wiring.locals as usize;
        let network = nodes * wiring.degree as usize;
        let (inputs, outputs) = (network + locals, network + 2 * locals);
        let delays = Delays::of(setup);
        let longest = delays.longest();
        Self {
            setup,
            first,
            last,
            vcs,
            slots: router.buffers,
            whole: setup.switching != Switching::Wormhole,
            direct: setup.drains(),
            degree: wiring.degree,
            locals: wiring.locals,
            asks_arrival: !matches!(setup.relation, Relation::DimensionOrder(_)),
            axes: match &setup.relation {
                Relation::DimensionOrder(axes) if setup.classes.len() == 1 => Some(axes),
                _ => None,
            },
            free: if vcs == 1 { Vec::new() } else { vec![u32::MAX >> (u32::BITS - vcs); outputs] },
            adaptive: setup.relation.adaptive(),
            ports: std::array::from_fn(|local| (local as u32 / vcs) as u8),
            delays,
            lanes: vec![Lane::EMPTY; inputs * vcs as usize],
            rings: vec![NONE; inputs * (vcs * router.buffers) as usize],
            channels: vec![
                OutputChannel { credits: router.buffers as u8, owner: FREE, grant: 0 };
                outputs * vcs as usize
            ],
            grant: vec![0; outputs],
            accept: vec![0; inputs],
            rotate: vec![0; inputs],
            sources: vec![SourceQueue::EMPTY; locals],
            ready: vec![0; nodes],
            waiting: vec![0; nodes],
            packets: Packets::default(),
            // A neighbour may be a step ahead.
            parts: Parts::new(first, last, size, longest + super::blocks::stride(router), 0),
            now: 0,
            delivered: Vec::new(),
            sent: Vec::new(),
            held: false,
            outbox: Vec::new(),
            flit_hops: 0,
            moved: false,
            waits: None,
            choices: Choices::new(),
            scratch: Box::default(),
        }
    }

    /// The router of a node.
    #[inline(always)]
    pub(super) fn site(&self, node: u32) -> Site {
        let index = (node - self.first) as usize;
        let inputs = index * (self.degree + self.locals) as usize;
        let outputs = index * (self.degree + 2 * self.locals) as usize;
        Site { node, index, lanes: inputs * self.vcs as usize, channels: outputs * self.vcs as usize }
    }

    /// Its first input channel.
    #[inline(always)]
    pub(super) fn lanes_of(&self, site: Site) -> usize {
        site.lanes
    }

    /// Its first output channel.
    #[inline(always)]
    pub(super) fn channels_of(&self, site: Site) -> usize {
        site.channels
    }

    /// Its first input port.
    #[inline(always)]
    pub(super) fn inputs_of(&self, site: Site) -> usize {
        site.index * (self.degree + self.locals) as usize
    }

    /// Its first output port.
    #[inline(always)]
    pub(super) fn outputs_of(&self, site: Site) -> usize {
        site.index * (self.degree + 2 * self.locals) as usize
    }

    /// Its first source queue.
    #[inline(always)]
    pub(super) fn sources_of(&self, site: Site) -> usize {
        site.index * self.locals as usize
    }

    /// The port of a local channel.
    #[inline(always)]
    pub(super) fn port(&self, local: u32) -> u32 {
        u32::from(self.ports[(local % CHANNELS_MAX) as usize])
    }

    #[inline(always)]
    pub(super) fn wake(&mut self, node: u32) {
        self.parts.here.wake(node);
    }

    /// Measures anew where heads wait.
    pub(super) fn measure_waits(&mut self) {
        let ports = (self.last - self.first) as usize * self.degree as usize;
        self.waits = Some(Box::new(Waits { since: vec![0; self.lanes.len()], cycles: vec![0; ports] }));
    }

    /// The network port heads have waited for the longest, and the cycles; of equal ones the first.
    pub(super) fn longest_wait(&self) -> Option<(usize, u64)> {
        let cycles = self.waits.as_ref()?.cycles.iter().copied().enumerate();
        cycles
            .filter(|&(_, waited)| waited > 0)
            .max_by_key(|&(port, waited)| (waited, std::cmp::Reverse(port)))
    }

    /// First phase: what was sent to this cycle comes in.
    pub(super) fn arrivals(&mut self, now: u64) {
        self.now = now;
        self.moved = false;
        self.delivered.clear();
        self.sent.clear();
        if self.parts.here.wheel.at(now).is_empty() {
            return;
        }
        let mut events = self.parts.here.wheel.take(now);
        for word in events.credits.drain(..) {
            let (node, local) = unpack(word);
            self.credit_in(self.site(node), local);
        }
        for word in events.bodies.drain(..) {
            let (node, local) = unpack(word);
            self.body_in(self.site(node), local);
        }
        for (word, slot) in events.heads.drain(..) {
            let (node, local) = unpack(word);
            self.head_in(self.site(node), local, slot);
        }
        for word in events.routed.drain(..) {
            let (node, local) = unpack(word);
            self.ask(self.site(node), local);
        }
        self.delivered.append(&mut events.ejected);
        self.sent.append(&mut events.sent);
        self.parts.here.wheel.put_back(now, events);
    }

    /// Second phase: every router that is awake does its work.
    pub(super) fn visits(&mut self) {
        let (words, first) = (self.parts.here.awake.len(), self.parts.here.first);
        for step in 0..words {
            let word = if self.setup.reverse { words - 1 - step } else { step };
            let mut bits = self.parts.here.awake[word];
            let mut awake = 0u64;
            while bits != 0 {
                let bit = if self.setup.reverse { 63 - bits.leading_zeros() } else { bits.trailing_zeros() };
                bits &= !(1 << bit);
                awake |= u64::from(self.visit(first + (word * 64) as u32 + bit)) << bit;
            }
            self.parts.here.awake[word] = awake;
        }
    }

    /// One cycle of one router; whether it may do more in the next. If it did nothing, nothing will change until
    /// something comes in: it sleeps.
    #[inline(always)]
    fn visit(&mut self, node: u32) -> bool {
        let site = self.site(node);
        let (injected, more) = self.inject(site);
        let mut acted = injected;
        if self.ready[site.index] | self.waiting[site.index] != 0 {
            acted |= if self.vcs == 1 && !self.setup.general {
                self.allocate_single(site)
            } else {
                self.allocate(site)
            };
        }
        self.moved |= acted;
        acted && (more || self.ready[site.index] | self.waiting[site.index] != 0)
    }

    /// Flits in buffers and on wires, counted anew.
    pub(super) fn flits(&self) -> usize {
        let cycles = self.parts.all().flat_map(|part| part.wheel.cycles());
        let on_wires = cycles.map(|events| events.heads.len() + events.bodies.len());
        self.lanes.iter().map(|lane| lane.flits as usize).sum::<usize>() + on_wires.sum::<usize>()
    }
}
