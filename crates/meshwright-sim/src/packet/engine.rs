//! The routers as an engine for workloads: messages, timers, time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::queues::Queues;
use super::routers::{QueuedMessage, Routers};
use super::routing::PacketRouting;
use super::wires::Wires;
use crate::engine::{Control, Driver, Open, Referee, SourceEvent};
use meshwright_core::error::{Error, Result};
use meshwright_core::interrupt;
use meshwright_core::units::{Hops, LinkId};
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Machine, PortModel, Topology};
use meshwright_schedule::Message;

/// What moves packets, step by step.
pub(crate) trait Steps<'m> {
    /// The machine.
    fn machine(&self) -> &'m Machine;

    /// The messages by number.
    fn messages(&mut self) -> &mut Vec<QueuedMessage>;

    /// The most links between two nodes that a packet may cross.
    fn hops(&mut self, source: u32, target: u32) -> u32;

    /// Puts a message into the queue of its source.
    fn queue(&mut self, message: u32);

    /// One step; whether any packet crossed a link.
    fn step(&mut self) -> bool;

    /// Whether somebody wants to know what was sent.
    fn tell_sent(&mut self, wanted: bool);

    /// The messages whose last packet left its source, or reached its target, in the last step.
    fn told(&mut self) -> [&mut Vec<u32>; 2];

    /// How many packets are in the network.
    fn flying(&self) -> usize;

    /// Forgets what was counted.
    fn forget_counts(&mut self);

    /// The link that was waited for the longest, and how many steps.
    fn longest_wait(&self) -> Option<(LinkId, u64)>;

    /// The link that most packets crossed, and how many.
    fn busiest(&self) -> Option<(LinkId, u64)>;

    /// The link before which most packets stood at once, and how many, if queues have no bound.
    fn longest_queue(&self) -> Option<(LinkId, u64)>;

    /// In a network that stands still: a ring of links whose packets wait for each other.
    fn ring(&self) -> Option<Vec<LinkId>>;
}

/// Messages on routers that move packets step by step.
#[derive(Debug)]
pub(crate) struct Packets<N> {
    pub(super) routers: N,
    startup: u64,
    /// Ticks of a step.
    period: u64,
    /// Bytes of a packet.
    packet: u64,
    /// What happens in this moment, in the order it was asked for.
    present: VecDeque<SourceEvent>,
    /// What happens later, by tick; of equal ones in the order they were made.
    events: BinaryHeap<Reverse<(u64, u64, SourceEvent)>>,
    made: u64,
    /// The steps that are over; the present tick.
    steps: u64,
    now: u64,
    /// By node from when its one port may begin a message; empty where start-ups overlap, or there are none.
    ports: Vec<u64>,
    /// In a run with messages of its own making, the numbers of those that arrived.
    idle: Vec<u32>,
    open: bool,
}

impl<'m> Packets<Routers<'m>> {
    /// Queues of few slots, all empty. Errors as for [`simulate`](crate::simulate()).
    pub(crate) fn new(machine: &'m Machine, routing: &str) -> Result<Self> {
        Self::on(Routers::new(machine, Wires::new(machine, routing)?))
    }

    /// Makes ready for a run that goes as on an engine that was just made. False where messages wait in a ring: then it
    /// has to be made anew.
    pub(crate) fn renew(&mut self) -> bool {
        (self.steps, self.now, self.made) = (0, 0, 0);
        self.ports.fill(0);
        self.routers.renew()
    }
}

impl<'m> Packets<Queues<'m>> {
    /// Queues without bound, all empty. Errors as for [`simulate`](crate::simulate()).
    pub(crate) fn unbounded(machine: &'m Machine, routing: PacketRouting) -> Result<Self> {
        Self::on(Queues::new(machine, routing)?)
    }
}

impl<'m, N: Steps<'m>> Packets<N> {
    fn on(routers: N) -> Result<Self> {
        let machine = routers.machine();
        let period = machine.costs().head_ticks();
        if period == 0 {
            let why = "its steps are the time of a flit on a link, and here that is none";
            return Err(Error::not_applicable("the packet engine", why));
        }
        let is_single = machine.port_model() == PortModel::One && machine.costs().startup_ticks() > 0;
        Ok(Self {
            ports: vec![0; if is_single { machine.nodes() as usize } else { 0 }],
            startup: machine.costs().startup_ticks(),
            packet: machine.costs().flit.0,
            routers,
            period,
            present: VecDeque::new(),
            events: BinaryHeap::new(),
            made: 0,
            steps: 0,
            now: 0,
            idle: Vec::new(),
            open: false,
        })
    }

    fn push(&mut self, at: u64, event: SourceEvent) {
        if at == self.now {
            self.present.push_back(event);
        } else {
            self.events.push(Reverse((at, self.made, event)));
            self.made += 1;
        }
    }

    /// Handles what is due up to a tick.
    fn catch_up<D: Driver<Self>>(&mut self, tick: u64, driver: &mut D) {
        loop {
            while let Some(event) = self.present.pop_front() {
                self.handle(event, driver);
            }
            match self.events.peek() {
                Some(&Reverse((at, _, event))) if at <= tick => {
                    self.events.pop();
                    self.now = at;
                    self.present.push_back(event);
                }
                _ => break,
            }
        }
        self.now = tick;
    }

    fn handle<D: Driver<Self>>(&mut self, event: SourceEvent, driver: &mut D) {
        match event {
            SourceEvent::Queue(message) => self.routers.queue(message),
            SourceEvent::Copied(message) => {
                if D::WANTS_SENT {
                    driver.sent(self, message);
                }
                self.deliver(message, driver);
            }
            SourceEvent::Timer(id) => driver.timer(self, id),
        }
    }

    #[inline]
    fn deliver<D: Driver<Self>>(&mut self, message: u32, driver: &mut D) {
        if self.open {
            self.idle.push(message);
        }
        driver.delivered(self, message);
    }

    /// Tells the workload what left and what arrived in the last step.
    fn tell<D: Driver<Self>>(&mut self, driver: &mut D) {
        let [sent, delivered] = self.routers.told().map(std::mem::take);
        for &message in &sent {
            driver.sent(self, message);
        }
        for &message in &delivered {
            self.deliver(message, driver);
        }
        for (list, told) in self.routers.told().into_iter().zip([sent, delivered]) {
            *list = told;
        }
    }

    /// How many packets a message is.
    #[inline]
    fn packets(&self, message: &Message) -> u64 {
        match message.bytes.0 {
            bytes if bytes <= self.packet => 1,
            bytes => bytes.div_ceil(self.packet),
        }
    }
}

impl<'m, N: Steps<'m>> Control for Packets<N> {
    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn start(&mut self, message: u32, at: u64) {
        let QueuedMessage { source, target, unsent, .. } = self.routers.messages()[message as usize];
        let mut at = at + self.startup;
        if source == target {
            self.push(at, SourceEvent::Copied(message));
            return;
        }
        if let Some(free) = self.ports.get_mut(source as usize) {
            at = at.max(*free + self.startup);
            *free = at + unsent * self.period;
        }
        if at == self.now {
            self.routers.queue(message);
        } else {
            self.push(at, SourceEvent::Queue(message));
        }
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.push(at, SourceEvent::Timer(id));
    }
}

impl<'m, N: Steps<'m>> Referee<'m> for Packets<N> {
    fn load(&mut self, messages: &[Message], _: Routes<'m>) {
        assert!(self.routers.flying() == 0, "the batch before has come to its end");
        self.routers.forget_counts();
        self.routers.messages().clear();
        self.present.clear();
        self.events.clear();
        self.idle.clear();
        self.open = false;
        for message in messages {
            let packets = self.packets(message);
            let queued = QueuedMessage::new(message.source.0, message.target.0, packets);
            self.routers.messages().push(queued);
        }
        self.now = self.steps * self.period;
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        self.routers.tell_sent(D::WANTS_SENT);
        loop {
            interrupt::stop_point();
            self.catch_up(self.steps * self.period, driver);
            if self.routers.step() {
                self.steps += 1;
                self.catch_up(self.steps * self.period, driver);
                self.tell(driver);
            } else {
                let Some(&Reverse((at, ..))) = self.events.peek() else { break };
                self.steps = self.steps.max(at.div_ceil(self.period));
            }
        }
    }

    fn longest_wait(&self) -> Option<(LinkId, u64)> {
        self.routers.longest_wait().map(|(link, steps)| (link, steps * self.period))
    }

    fn busiest(&self) -> Option<(LinkId, u64)> {
        self.routers.busiest()
    }

    fn longest_queue(&self) -> Option<(LinkId, u64)> {
        self.routers.longest_queue()
    }

    fn waiting_ring(&self, _: &[u32]) -> Option<Vec<LinkId>> {
        self.routers.ring()
    }
}

impl<'m, N: Steps<'m>> Open<'m> for Packets<N> {
    const ACTIONS_MAX: usize = 1 << 28;

    fn open(&mut self) {
        self.load(&[], Routes::Stored { first: vec![0], links: Vec::new() });
        self.open = true;
    }

    #[inline(always)]
    fn send(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let added = self.add(message)?;
        if self.startup == 0 && message.source != message.target {
            self.routers.queue(added.0);
        } else {
            self.start(added.0, self.now);
        }
        Ok(added)
    }

    #[inline(always)]
    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let Message { source, target, .. } = *message;
        if !self.routers.machine().is_alive(target) {
            let [source, target] = [source, target].map(|node| self.routers.machine().node_name(node));
            let why = format!("there is no path from node {source} to node {target}");
            return Err(Error::not_applicable("the packet engine", why));
        }
        let queued = QueuedMessage::new(source.0, target.0, self.packets(message));
        let hops = Hops(self.routers.hops(source.0, target.0));
        if let Some(number) = self.idle.pop() {
            self.routers.messages()[number as usize] = queued;
            return Ok((number, hops));
        }
        self.routers.messages().push(queued);
        Ok((self.routers.messages().len() as u32 - 1, hops))
    }
}
