//! The flow engine: messages are flows of bytes that share every resource on their way.
//!
//! A message holds its source's port, the links of its way and its target's port all at once, and its bytes move at one
//! rate, the same on each of them. Rates are max-min fair and change only when a message comes or goes. Of one source's
//! messages on one network some may have to wait for their turn (`sharing` in a machine file). A multicast holds all of
//! its tree. Nothing can deadlock.
//!
//! Inside, time is counted in cycles, as a floating-point number; a moment that others are told is rounded up to the
//! next tick, so that no time falls below a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::fair::{Fair, Rate, Wants};
use super::service::Service;
use super::transactions::Issuer;
use crate::engine::{Control, Driver, Open, Referee};
use meshwright_core::error::Result;
use meshwright_core::interrupt;
use meshwright_core::units::{Bytes, Hops, LinkId, NodeId};
use meshwright_network::fabric::Fabric;
use meshwright_network::routing::Routes;
use meshwright_network::topology::Topology;
use meshwright_schedule::Message;
use meshwright_schedule::transactions::{Around, Operation, ProcessorProgram, Program, Transaction};

/// Something that happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FlowEvent {
    /// The bytes of a message are ready to flow.
    Ready(u32),
    /// Its last byte is there.
    Delivered(u32),
    Timer(u32),
}

/// A message, by its number.
#[derive(Clone, Copy, Debug)]
struct Pending {
    plane: u32,
    from: NodeId,
    to: NodeId,
    bytes: f64,
    /// Cycles before its bytes flow, and after the last has flowed.
    before: f64,
    after: f64,
    /// The tree of a multicast, by its number.
    tree: Option<u32>,
}

/// What a multicast holds while its bytes flow: the resources of its tree and virtual channels of its links.
#[derive(Debug, Default)]
struct Tree {
    route: Vec<u32>,
    places: Vec<u32>,
}

/// A message whose bytes flow or wait for their turn.
#[derive(Debug, Default)]
struct Flow {
    message: u32,
    route: Vec<u32>,
    /// The virtual channels it holds, and its network and source.
    places: Vec<u32>,
    group: usize,
    cap: f64,
    /// The rate it would have alone.
    alone: f64,
    left: f64,
}

/// A moment that is later than another by less than this many cycles is the same.
const SAME: f64 = 1e-7;

/// Bytes below which nothing is left of a message.
const NOTHING: f64 = 1e-6;

/// Messages, the rates of those that flow, and the events to come.
#[derive(Debug)]
pub(crate) struct Flows<'m> {
    fabric: &'m Fabric,
    ticks_per_cycle: f64,
    now: f64,
    /// The most bytes per cycle from a node to itself: those of the fastest links.
    local: f64,
    events: BinaryHeap<Reverse<(u64, u64, FlowEvent)>>,
    /// How many events there were: of one moment, the first added comes first.
    added: u64,
    /// By the number of the message.
    messages: Vec<Pending>,
    /// Of multicasts that do not flow yet.
    trees: Vec<Tree>,
    /// By slot.
    flows: Vec<Flow>,
    rates: Vec<Rate>,
    idle: Vec<u32>,
    /// The slots in service, in the order in which they came.
    active: Vec<u32>,
    service: Service,
    fair: Fair,
    /// By resource, cycles lost by those whom it slows, since the last load.
    waited: Vec<f64>,
    /// By resource, bytes carried and messages, since the last load.
    carried: Vec<(f64, u64)>,
}

/// By slot, for progressive filling.
struct BySlot<'f>(&'f [Flow]);

impl Wants for BySlot<'_> {
    fn route(&self, flow: u32) -> &[u32] {
        &self.0[flow as usize].route
    }

    fn cap(&self, flow: u32) -> f64 {
        self.0[flow as usize].cap
    }
}

impl<'m> Flows<'m> {
    /// Nothing on the way.
    pub(crate) fn new(fabric: &'m Fabric, ticks_per_cycle: u64) -> Self {
        let resources = fabric.rates().len();
        Self {
            fabric,
            ticks_per_cycle: ticks_per_cycle as f64,
            now: 0.0,
            local: fabric.best_costs().map_or(f64::INFINITY, |costs| costs.byte_time.to_f64().recip()),
            events: BinaryHeap::new(),
            added: 0,
            messages: Vec::new(),
            trees: Vec::new(),
            flows: Vec::new(),
            rates: Vec::new(),
            idle: Vec::new(),
            active: Vec::new(),
            service: Service::new(fabric),
            fair: Fair::new(fabric.rates().to_vec()),
            waited: vec![0.0; resources],
            carried: vec![(0.0, 0); resources],
        }
    }

    fn push(&mut self, time: f64, event: FlowEvent) {
        self.events.push(Reverse((time.max(self.now).to_bits(), self.added, event)));
        self.added += 1;
    }

    /// The ticks that cover a moment.
    fn ticks(&self, time: f64) -> u64 {
        (time * self.ticks_per_cycle - SAME).ceil().max(0.0) as u64
    }

    /// Adds a message from one node to another, pushed by its source: latency comes behind its bytes.
    fn add_pushed(&mut self, message: &Message) -> (u32, Hops) {
        let (from, to) = message.pair();
        let plane = self.fabric.shortest(from, to);
        let hops = self.fabric.hops(plane, from, to);
        let overhead = self.fabric.processors().first().map_or(0, |kind| kind.overhead.0) as f64;
        let after = self.fabric.way(plane, from, to).0 as f64;
        let bytes = message.bytes.0 as f64;
        self.messages.push(Pending {
            plane: plane as u32,
            from,
            to,
            bytes,
            before: overhead,
            after,
            tree: None,
        });
        (self.messages.len() as u32 - 1, Hops(hops))
    }

    /// A message's bytes are ready: it flows, or waits for its turn.
    fn ready(&mut self, message: u32) {
        let Pending { plane, from, to, bytes, tree, .. } = self.messages[message as usize];
        // Routers move whole flits, the header first.
        let bytes = match self.fabric.routers() {
            Some(routers) => routers.carried(Bytes(bytes as u64)).0 as f64,
            None => bytes,
        };
        let slot = self.idle.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            self.rates.push(Rate::default());
            self.flows.len() as u32 - 1
        });
        let flow = &mut self.flows[slot as usize];
        flow.route.clear();
        flow.places.clear();
        let (rates, carried) = (self.fabric.rates(), &mut self.carried);
        let mut alone = self.fabric.rate_table().rate(Bytes(bytes as u64));
        if from == to {
            alone = alone.min(self.local);
        }
        flow.cap = alone;
        let hold = |resource: u32| {
            let rate = rates[resource as usize];
            carried[resource as usize].0 += bytes;
            carried[resource as usize].1 += 1;
            alone = alone.min(rate);
            // What has no limit limits nobody.
            if rate < f64::INFINITY {
                flow.route.push(resource);
            }
        };
        match tree {
            Some(tree) => {
                let tree = std::mem::take(&mut self.trees[tree as usize]);
                tree.route.into_iter().for_each(hold);
                flow.places.extend(tree.places);
            }
            None => {
                self.fabric.route(plane as usize, from, to, hold);
                self.service.places(self.fabric, &flow.route, &mut flow.places);
            }
        }
        (flow.message, flow.left, flow.alone) = (message, bytes, alone);
        flow.group = plane as usize * self.fabric.grid().nodes() as usize + from.index();
        self.service.wait(slot);
    }

    /// What a multicast holds.
    fn tree(&self, program: &Program, own: &ProcessorProgram, transaction: &Transaction) -> Tree {
        let (mut held, mut route, mut tree) = (Vec::new(), Vec::new(), Tree::default());
        program.held(self.fabric, own, transaction, &mut held);
        tree.route.extend(held.iter().map(|branch| branch.resource));
        for to in program.receivers(self.fabric.grid(), own.node, transaction) {
            route.clear();
            self.fabric.route(transaction.plane, own.node, to, |resource| route.push(resource));
            self.service.places(self.fabric, &route, &mut tree.places);
        }
        tree.places.sort_unstable();
        tree.places.dedup();
        tree
    }

    /// Takes those into service whose turn it is.
    fn admit(&mut self) {
        let flows = &self.flows;
        let of = |slot: u32| {
            let flow = &flows[slot as usize];
            (flow.group, flow.places.as_slice())
        };
        self.service.admit(of, &mut self.active);
    }

    /// When the next of the flows in service ends, at the present rates.
    fn next_end(&self) -> f64 {
        let end = |&slot: &u32| match self.flows[slot as usize].left {
            left if left <= NOTHING => self.now,
            left => self.now + left / self.rates[slot as usize].rate,
        };
        self.active.iter().map(end).fold(f64::INFINITY, f64::min)
    }

    /// Lets the bytes flow until a moment.
    fn advance(&mut self, time: f64) {
        let cycles = time - self.now;
        for &slot in &self.active {
            let (flow, Rate { rate, limit }) = (&mut self.flows[slot as usize], self.rates[slot as usize]);
            if rate < f64::INFINITY {
                flow.left -= rate * cycles;
            }
            if let Some(limit) = limit {
                self.waited[limit as usize] += cycles * (1.0 - rate / flow.alone);
            }
        }
        self.now = time;
    }

    /// Takes out the flows that have ended, lets others come into service, and announces arrivals. Returns whether
    /// there were any.
    fn end(&mut self, ended: &mut Vec<u32>) -> bool {
        ended.clear();
        let (flows, rates) = (&self.flows, &self.rates);
        self.active.retain(|&slot| {
            let Rate { rate, .. } = rates[slot as usize];
            let over = flows[slot as usize].left <= NOTHING.max(rate * SAME) || rate == f64::INFINITY;
            if over {
                ended.push(slot);
            }
            !over
        });
        for &slot in ended.iter() {
            let flow = &self.flows[slot as usize];
            self.service.leave(flow.group, &flow.places);
            self.idle.push(slot);
        }
        !ended.is_empty()
    }
}

impl Control for Flows<'_> {
    fn now(&self) -> u64 {
        self.ticks(self.now)
    }

    fn start(&mut self, message: u32, at: u64) {
        let before = self.messages[message as usize].before;
        self.push(at as f64 / self.ticks_per_cycle + before, FlowEvent::Ready(message));
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.push(at as f64 / self.ticks_per_cycle, FlowEvent::Timer(id));
    }
}

impl<'m> Referee<'m> for Flows<'m> {
    fn load(&mut self, messages: &[Message], _: Routes<'m>) {
        assert!(self.events.is_empty() && self.active.is_empty(), "nothing of the run before is left");
        self.waited.fill(0.0);
        self.carried.fill((0.0, 0));
        self.messages.clear();
        for message in messages {
            self.add_pushed(message);
        }
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        let (mut ended, mut changed) = (Vec::new(), false);
        loop {
            interrupt::stop_point();
            if changed {
                self.admit();
                self.fair.fill(&self.active, &BySlot(&self.flows), &mut self.rates);
            }
            let end = self.next_end();
            let event = self.events.peek().map_or(f64::INFINITY, |Reverse((time, ..))| f64::from_bits(*time));
            let next = end.min(event);
            if next == f64::INFINITY {
                break;
            }
            self.advance(next);
            changed = self.end(&mut ended);
            for &slot in &ended {
                let message = self.flows[slot as usize].message;
                if D::WANTS_SENT {
                    driver.sent(self, message);
                }
                let after = self.messages[message as usize].after;
                self.push(self.now + after, FlowEvent::Delivered(message));
            }
            while let Some(&Reverse((time, _, event))) = self.events.peek() {
                if f64::from_bits(time) > self.now + SAME {
                    break;
                }
                self.events.pop();
                match event {
                    FlowEvent::Ready(message) => {
                        self.ready(message);
                        changed = true;
                    }
                    FlowEvent::Delivered(message) => driver.delivered(self, message),
                    FlowEvent::Timer(id) => driver.timer(self, id),
                }
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        super::longest_wait(self.fabric, &self.waited, |cycles| self.ticks(cycles))
    }

    fn waiting_ring(&self, _: &[u32]) -> Option<Vec<LinkId>> {
        None
    }
}

impl<'m> Open<'m> for Flows<'m> {
    fn open(&mut self) {
        self.load(&[], Routes::Stored { first: vec![0], links: Vec::new() });
    }

    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        Ok(self.add_pushed(message))
    }
}

impl<'m> Issuer<'m> for Flows<'m> {
    fn issue(&mut self, program: &Program, own: &ProcessorProgram, transaction: &Transaction) -> u32 {
        let Around { from, to, before } = program.around(self.fabric, own, transaction);
        let (bytes, plane) = (transaction.bytes.0 as f64, transaction.plane as u32);
        let tree = matches!(transaction.operation, Operation::Multicast { .. }).then(|| {
            self.trees.push(self.tree(program, own, transaction));
            self.trees.len() as u32 - 1
        });
        self.messages.push(Pending { plane, from, to, bytes, before, after: 0.0, tree });
        self.messages.len() as u32 - 1
    }

    fn cycle(&self) -> f64 {
        self.now
    }

    fn use_of_resources(self) -> (Vec<(f64, u64)>, Vec<f64>) {
        (self.carried, self.waited)
    }
}
