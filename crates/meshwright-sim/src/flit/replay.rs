//! Schedules on the flit engine: every message becomes packets of flits.
//!
//! One cycle is the time of a flit on a link, b h. A message of W bytes is a head flit and ceil(W / h) flits behind
//! it; under store-and-forward it needs no head flit. The start-up c is paid before a packet is queued
//! (store-and-forward: at every router, as its routing delay); on a one-port machine the messages of a node pay it one after
//! the other. So with nobody in the way a message over d links
//! takes what the formulas say, c + b (W + d h) and d (c + b W), if c and W are whole numbers of flit times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand_chacha::ChaCha8Rng;

use super::packet::{FlitPacket, NONE};
use super::region::{Region, Setup};
use super::router::Router;
use super::waiting;
use super::wiring::unpack;
use crate::engine::{Control, Driver, Open, Referee, SourceEvent};
use crate::simulate::Task;
use crate::trace::Trace;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Hops, LinkId, NodeId, Port};
use meshwright_core::{interrupt, rng};
use meshwright_network::routing::{Choices, Routes};
use meshwright_network::topology::{Costs, Machine, PortModel, Switching, Topology};
use meshwright_schedule::Message;

/// The longest start-up under store-and-forward, in flit times: each router counts it down.
const STARTUP_MAX: u64 = 1 << 16;

/// A schedule on routers.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The router.
    pub router: Router,
    /// Longer messages are cut into packets of this many flits; `None` for one packet each.
    pub packet: Option<u32>,
    /// The seed of routings that draw.
    pub seed: u64,
}

impl From<Router> for Replay {
    /// One packet for each message, whatever its length.
    fn from(router: Router) -> Self {
        Self { router, packet: None, seed: 0 }
    }
}

impl Replay {
    /// Makes the routers and lets a task run on them.
    pub(crate) fn run<'m>(&self, machine: &'m Machine, task: impl Task<'m>) -> Result<Trace> {
        let setup = self.setup(machine)?;
        task.on(&mut Routers::new(&setup, machine, self))
    }

    fn setup<'m>(&self, machine: &'m Machine) -> Result<Setup<'m>> {
        let period = machine.costs().head_ticks();
        if period == 0 {
            let why = "it counts in flit times, and a flit of no bytes takes none";
            return Err(Error::not_applicable("the flit engine", why));
        }
        let (mut router, mut paid) = (self.router.clone(), 0);
        if machine.switching() == Switching::StoreAndForward {
            let startup = machine.costs().startup_ticks().div_ceil(period);
            if startup > STARTUP_MAX {
                let why = format!("a start-up of {startup} flit times at every node; at most {STARTUP_MAX}");
                return Err(Error::not_applicable("the flit engine", why));
            }
            paid = startup as u32;
            router.routing_delay += paid;
        }
        Ok(Setup { startup: paid, ..Setup::new(machine, &router)? })
    }
}

/// The injection port of a one-port node: as on the message engine, a message holds it from its start until its last flit
/// has left.
#[derive(Clone, Debug, Default)]
struct Starting {
    holder: Option<u32>,
    /// In the order in which they ask, with the tick from which each may begin.
    waiting: VecDeque<(u32, u64)>,
}

/// The routers as an engine for workloads.
struct Routers<'s> {
    region: Region<'s>,
    machine: &'s Machine,
    costs: Costs,
    switching: Switching,
    /// Ticks of a cycle.
    period: u64,
    packet: u32,
    generator: ChaCha8Rng,
    /// By tick; of equal ones in the order they were made.
    events: BinaryHeap<Reverse<(u64, u64, SourceEvent)>>,
    made: u64,
    /// By node, where it has one port and messages have start-ups: what holds the port, and what waits for it.
    starting: Vec<Starting>,
    messages: Vec<Message>,
    /// By message, packets that have not left the source and that have not arrived.
    unsent: Vec<u32>,
    missing: Vec<u32>,
    /// The present cycle, and the present tick.
    cycle: u64,
    now: u64,
    choices: Choices,
}

impl<'s> Routers<'s> {
    fn new(setup: &'s Setup<'s>, machine: &'s Machine, replay: &Replay) -> Self {
        let mut region = Region::new(setup, (0, setup.wiring.nodes), setup.wiring.nodes);
        region.measure_waits();
        Self {
            region,
            machine,
            costs: *machine.costs(),
            switching: machine.switching(),
            period: machine.costs().head_ticks(),
            packet: replay.packet.unwrap_or(u32::MAX),
            generator: rng::stream(replay.seed, "routing"),
            events: BinaryHeap::new(),
            made: 0,
            starting: starting(machine),
            messages: Vec::new(),
            unsent: Vec::new(),
            missing: Vec::new(),
            cycle: 0,
            now: 0,
            choices: Choices::new(),
        }
    }

    fn push(&mut self, at: u64, event: SourceEvent) {
        self.events.push(Reverse((at, self.made, event)));
        self.made += 1;
    }

    /// Begins the start-up of a message, or lets it wait for the port of its node.
    fn start_up(&mut self, message: u32, at: u64) {
        let startup = match self.switching {
            Switching::Wormhole | Switching::CutThrough => self.costs.startup_ticks(),
            Switching::StoreAndForward => 0,
        };
        let source = self.messages[message as usize].source.index();
        if let Some(port) = self.starting.get_mut(source) {
            if port.holder.is_some() {
                port.waiting.push_back((message, at));
                return;
            }
            port.holder = Some(message);
        }
        self.push(at + startup, SourceEvent::Queue(message));
    }

    /// The last flit of a message has left: the next of its node begins.
    fn free_port(&mut self, message: u32) {
        let source = self.messages[message as usize].source.index();
        let Some(port) = self.starting.get_mut(source) else { return };
        port.holder = None;
        if let Some((next, at)) = port.waiting.pop_front() {
            self.start_up(next, at.max(self.cycle * self.period));
        }
    }

    /// Flits of a message.
    fn flits(&self, message: &Message) -> u64 {
        let body = message.bytes.0.div_ceil(self.costs.flit.0);
        match self.switching {
            Switching::Wormhole | Switching::CutThrough => 1 + body,
            Switching::StoreAndForward => body.max(1),
        }
    }

    /// The length of a way from source to target, taking first choices.
    fn walk(&mut self, source: NodeId, target: NodeId) -> Hops {
        let setup = self.region.setup;
        let mut header = setup.relation.header(source, target, &mut self.generator.clone());
        let (mut at, mut arrived, mut hops) = (source, None, 0);
        loop {
            setup.relation.choose(at, arrived, &mut header, &mut self.choices);
            let Some(choice) = self.choices.as_slice().first() else { return Hops(hops) };
            let (next, back) = unpack(setup.wiring.peer(at.0, choice.port.0));
            (at, arrived) = (NodeId(next), Some(setup.wiring.incoming(next, back)));
            hops += 1;
        }
    }

    /// Cuts a message into packets and queues them at its source.
    fn queue(&mut self, index: u32) {
        let message = self.messages[index as usize];
        let mut left = self.flits(&message);
        let relation = &self.region.setup.relation;
        while left > 0 {
            let length = left.min(u64::from(self.packet));
            left -= length;
            let mut header = relation.header(message.source, message.target, &mut self.generator);
            let mut port = 0;
            if self.region.locals > 1 {
                // The injection port beside the link it will take.
                relation.choose(message.source, None, &mut header, &mut self.choices);
                port = self.choices.as_slice().first().map_or(0, |choice| choice.port.0);
            }
            let length = u32::try_from(length).expect("a tebibyte of flits is cut into packets before");
            let born = self.cycle;
            let packet = FlitPacket { header, length, hops: 0, next: NONE, tag: index, born };
            self.unsent[index as usize] += 1;
            self.missing[index as usize] += 1;
            self.region.enqueue(message.source.0, port, packet);
        }
    }

    /// Handles what is due up to a tick.
    fn catch_up<D: Driver<Self>>(&mut self, tick: u64, driver: &mut D) {
        while let Some(&Reverse((at, _, event))) = self.events.peek()
            && at <= tick
        {
            self.events.pop();
            self.now = at;
            match event {
                SourceEvent::Queue(message) => self.queue(message),
                SourceEvent::Copied(message) => {
                    if D::WANTS_SENT {
                        driver.sent(self, message);
                    }
                    driver.delivered(self, message);
                }
                SourceEvent::Timer(id) => driver.timer(self, id),
            }
        }
        self.now = tick;
    }

    /// Tells the workload what left and what arrived in this cycle.
    fn tell<D: Driver<Self>>(&mut self, driver: &mut D) {
        let sent = std::mem::take(&mut self.region.sent);
        for &tag in &sent {
            self.unsent[tag as usize] -= 1;
            if self.unsent[tag as usize] == 0 {
                self.free_port(tag);
                if D::WANTS_SENT {
                    driver.sent(self, tag);
                }
            }
        }
        self.region.sent = sent;
        let delivered = std::mem::take(&mut self.region.delivered);
        for &slot in &delivered {
            let tag = self.region.packets[slot].tag;
            self.region.packets.remove(slot);
            self.missing[tag as usize] -= 1;
            if self.missing[tag as usize] == 0 {
                driver.delivered(self, tag);
            }
        }
        self.region.delivered = delivered;
        self.region.delivered.clear();
        self.region.sent.clear();
    }
}

/// Ports that start-ups hold; none where they hold none.
fn starting(machine: &Machine) -> Vec<Starting> {
    let are_held = machine.port_model() == PortModel::One
        && machine.switching() != Switching::StoreAndForward
        && machine.costs().startup_ticks() > 0;
    if are_held { vec![Starting::default(); machine.nodes() as usize] } else { Vec::new() }
}

impl Control for Routers<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    fn start(&mut self, message: u32, at: u64) {
        let Message { source, target, bytes, .. } = self.messages[message as usize];
        if source == target {
            // A copy in memory passes no port.
            let copied = match self.switching {
                Switching::StoreAndForward => 0,
                _ => self.costs.startup_ticks() + self.costs.transfer_ticks(bytes),
            };
            self.push(at + copied, SourceEvent::Copied(message));
        } else {
            self.start_up(message, at);
        }
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.push(at, SourceEvent::Timer(id));
    }
}

impl<'m> Referee<'m> for Routers<'_> {
    fn load(&mut self, messages: &[Message], _: Routes<'m>) {
        assert!(self.region.packets.len() == 0, "the batch before has come to its end");
        self.messages.clear();
        self.messages.extend_from_slice(messages);
        self.unsent = vec![0; messages.len()];
        self.missing = vec![0; messages.len()];
        self.events.clear();
        self.starting.iter_mut().for_each(|port| *port = Starting::default());
        self.now = self.cycle * self.period;
        self.region.measure_waits();
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        loop {
            interrupt::stop_point();
            let tick = self.cycle * self.period;
            self.catch_up(tick, driver);
            self.region.arrivals(self.cycle);
            self.tell(driver);
            // What they started at this moment, without a start-up, leaves in this cycle.
            self.catch_up(tick, driver);
            self.region.visits();
            self.cycle += 1;
            self.tell(driver);
            if !self.region.moved {
                // All routers sleep until something comes in.
                let event = self.events.peek().map(|&Reverse((at, ..))| at.div_ceil(self.period));
                let incoming = self.region.parts.here.wheel.next(self.cycle);
                let Some(next) = event.into_iter().chain(incoming).min() else { break };
                self.cycle = self.cycle.max(next);
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        let (place, cycles) = self.region.longest_wait()?;
        let (node, port) = (place as u32 / self.region.degree, place as u32 % self.region.degree);
        Some((self.machine.link(NodeId(node), Port(port)), cycles * self.period))
    }

    fn waiting_ring(&self, _: &[u32]) -> Option<Vec<LinkId>> {
        waiting::ring(&[&self.region])
    }
}

impl<'m> Open<'m> for Routers<'_> {
    fn open(&mut self) {
        Referee::load(self, &[], Routes::Stored { first: vec![0], links: Vec::new() });
    }

    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let Message { source, target, .. } = *message;
        if !self.machine.is_alive(target) {
            let [source, target] = [source, target].map(|node| self.machine.node_name(node));
            let why = format!("there is no path from node {source} to node {target}");
            return Err(Error::not_applicable("the flit engine", why));
        }
        self.messages.push(*message);
        self.unsent.push(0);
        self.missing.push(0);
        Ok((self.messages.len() as u32 - 1, self.walk(source, target)))
    }
}
