//! Open-loop sources: when each node makes its next packet, and what came of the packets.

use rand::RngExt;
use rand_xoshiro::SplitMix64;

use super::fabric::Fabric;
use super::packet::{FlitPacket, NONE};
use crate::traffic::{Arrival, Latencies, OpenLoop};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;

/// Cycles of the calendar; a node whose next packet lies further off is looked at once a turn.
const TURN: u64 = 1024;

/// Batches of the confidence interval.
const BATCHES: u64 = 30;

/// The sources of a range of nodes.
pub(super) struct Injector<'o> {
    open: &'o OpenLoop,
    first: u32,
    generators: Vec<SplitMix64>,
    /// By cycle of a turn and part: the first of the nodes that are looked at then, or [`NONE`].
    calendar: Vec<u32>,
    parts: usize,
    /// By node: the turn of its next packet, and the next node of the same cycle.
    plans: Vec<(u32, u32)>,
    /// 1 / ln(1 - p) for the probability p of a packet in a cycle.
    per_log: f64,
    drops_self: bool,
}

/// What came of the packets, over any number of ranges: sums, whose order changes nothing.
pub(super) struct Tally<'o> {
    open: &'o OpenLoop,
    pub(super) latencies: Latencies,
    /// Flits of packets made and of packets that came out in the measured interval.
    pub(super) created: u64,
    pub(super) arrived: u64,
    /// Measured packets made and come out, ever.
    pub(super) measured: u64,
    pub(super) finished: u64,
    /// Every packet that came out, if that is recorded.
    pub(super) arrivals: Option<Vec<Arrival>>,
    /// Packets made and come out, measured or not.
    #[cfg(test)]
    all: (u64, u64),
}

impl<'o> Injector<'o> {
    pub(super) fn new(open: &'o OpenLoop, machine: &Machine, fabric: &impl Fabric) -> Self {
        let nodes = fabric.nodes();
        let generators = rng::streams(open.seed, "traffic", nodes.clone());
        let mut injector = Self {
            open,
            first: nodes.start,
            plans: vec![(0, NONE); generators.len()],
            generators,
            calendar: vec![NONE; TURN as usize * fabric.parts()],
            parts: fabric.parts(),
            per_log: 1.0 / libm::log1p(-open.load / f64::from(open.packet)),
            drops_self: !fabric.setup().router.self_traffic,
        };
        for node in nodes.filter(|&node| machine.is_alive(NodeId(node))) {
            if machine.living_count() > 1 {
                // As if it had made one in the cycle before the first.
                injector.schedule(node, fabric.part_of(node), None);
            }
        }
        injector
    }

    /// Draws the cycle of a node's next packet: the gap is geometric.
    fn schedule(&mut self, node: u32, part: usize, last: Option<u64>) {
        let index = (node - self.first) as usize;
        // In (0, 1], so that the logarithm is finite.
        let uniform = 1.0 - self.generators[index].random::<f64>();
        let misses = (libm::log(uniform) * self.per_log) as u64;
        let at = last.map_or(0, |last| last + 1).saturating_add(misses);
        // Beyond 2^32 turns no run goes.
        let turn = u32::try_from(at / TURN).unwrap_or(u32::MAX);
        let head = &mut self.calendar[(at % TURN) as usize * self.parts + part];
        self.plans[index] = (turn, std::mem::replace(head, node));
    }

    /// Makes the packets of this cycle of the part that is worked on.
    pub(super) fn fire(&mut self, fabric: &mut impl Fabric, part: usize, tally: &mut Tally<'_>) {
        let now = fabric.now();
        let (slot, turn) = ((now % TURN) as usize * self.parts + part, (now / TURN) as u32);
        // A gap that is a multiple of a turn puts a node into the slot that is taken out.
        let mut node = std::mem::replace(&mut self.calendar[slot], NONE);
        while node != NONE {
            let index = (node - self.first) as usize;
            let (at, next) = self.plans[index];
            if at == turn {
                self.make(fabric, node, tally);
                self.schedule(node, part, Some(now));
            } else {
                self.plans[index].1 = std::mem::replace(&mut self.calendar[slot], node);
            }
            node = next;
        }
    }

    fn make(&mut self, fabric: &mut impl Fabric, node: u32, tally: &mut Tally<'_>) {
        let generator = &mut self.generators[(node - self.first) as usize];
        let (now, source) = (fabric.now(), NodeId(node));
        let target = self.open.pattern.target(source, generator);
        let header = fabric.setup().relation.header(source, target, generator);
        if target == source && self.drops_self {
            return;
        }
        tally.make(now);
        let packet =
            FlitPacket { header, length: self.open.packet, hops: 0, next: NONE, tag: node, born: now };
        let locals = fabric.setup().wiring.locals;
        let port = if locals > 1 { (now % u64::from(locals)) as u32 } else { 0 };
        fabric.enqueue(node, port, packet);
    }
}

impl<'o> Tally<'o> {
    pub(super) fn new(open: &'o OpenLoop, records: bool) -> Self {
        Self {
            open,
            latencies: Latencies::new(BATCHES as usize),
            created: 0,
            arrived: 0,
            measured: 0,
            finished: 0,
            arrivals: records.then(Vec::new),
            #[cfg(test)]
            all: (0, 0),
        }
    }

    fn batch(&self, born: u64) -> Option<usize> {
        let since = born.checked_sub(self.open.warm_up).filter(|&since| since < self.open.measure)?;
        // Both stay far below 64 bits: no part of a run is longer than 2^40 cycles.
        Some((since * BATCHES / self.open.measure) as usize)
    }

    /// Counts a packet that is made.
    fn make(&mut self, now: u64) {
        #[cfg(test)]
        {
            self.all.0 += 1;
        }
        if self.batch(now).is_some() {
            self.created += u64::from(self.open.packet);
            self.measured += 1;
        }
    }

    /// Measures what came out in this cycle.
    pub(super) fn collect(&mut self, fabric: &mut impl Fabric) {
        let now = fabric.now();
        let inside = self.batch(now).is_some();
        while let Some(slot) = fabric.delivered().pop() {
            let packet = fabric.packets()[slot];
            fabric.packets().remove(slot);
            #[cfg(test)]
            {
                self.all.1 += 1;
            }
            if let Some(arrivals) = &mut self.arrivals {
                let (source, target) = (NodeId(packet.tag), packet.header.target);
                arrivals.push(Arrival { created: packet.born, source, target, arrived: now });
            }
            if inside {
                self.arrived += u64::from(packet.length);
            }
            if let Some(batch) = self.batch(packet.born) {
                self.latencies.record(batch, now - packet.born, packet.hops);
                self.finished += 1;
            }
        }
    }

    /// Flits of all packets made.
    #[cfg(test)]
    pub(super) fn flits_made(&self) -> u64 {
        self.all.0 * u64::from(self.open.packet)
    }

    /// Flits of all packets come out.
    #[cfg(test)]
    pub(super) fn flits_out(&self) -> u64 {
        self.all.1 * u64::from(self.open.packet)
    }
}
