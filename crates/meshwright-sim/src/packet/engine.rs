//! The routers as an engine for workloads: messages, timers, time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::routers::Routers;
use super::wires::Wires;
use crate::engine::{Control, Driver, Open, Referee, SourceEvent};
use meshwright_core::error::{Error, Result};
use meshwright_core::interrupt;
use meshwright_core::units::{Hops, LinkId};
use meshwright_network::routing::Routes;
use meshwright_network::topology::Machine;
use meshwright_schedule::Message;

/// Messages on routers that move packets step by step.
#[derive(Debug)]
pub(crate) struct Packets<'m> {
    pub(super) routers: Routers<'m>,
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
    /// In a run with messages of its own making, the numbers of those that arrived.
    idle: Vec<u32>,
    open: bool,
}

impl<'m> Packets<'m> {
    /// All queues empty. Errors as for [`simulate`](crate::simulate()).
    pub(crate) fn new(machine: &'m Machine, routing: &str) -> Result<Self> {
        let period = machine.costs().head_ticks();
        if period == 0 {
            let why = "its steps are the time of a flit on a link, and here that is none";
            return Err(Error::not_applicable("the packet engine", why));
        }
        Ok(Self {
            routers: Routers::new(machine, Wires::new(machine, routing)?),
            startup: machine.costs().startup_ticks(),
            period,
            packet: machine.costs().flit.0,
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
        let sent = std::mem::take(&mut self.routers.sent);
        for &message in &sent {
            driver.sent(self, message);
        }
        self.routers.sent = sent;
        let delivered = std::mem::take(&mut self.routers.delivered);
        for &message in &delivered {
            self.deliver(message, driver);
        }
        self.routers.delivered = delivered;
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

impl Control for Packets<'_> {
    fn now(&self) -> u64 {
        self.now
    }

    #[inline]
    fn start(&mut self, message: u32, at: u64) {
        let queued = &self.routers.messages[message as usize];
        let at = at + self.startup;
        if queued.source == queued.target {
            self.push(at, SourceEvent::Copied(message));
        } else if at == self.now {
            self.routers.queue(message);
        } else {
            self.push(at, SourceEvent::Queue(message));
        }
    }

    fn set_timer(&mut self, id: u32, at: u64) {
        self.push(at, SourceEvent::Timer(id));
    }
}

impl<'m> Referee<'m> for Packets<'m> {
    fn load(&mut self, messages: &[Message], _: Routes<'m>) {
        assert!(self.routers.flying() == 0, "the batch before has come to its end");
        self.routers.forget_counts();
        self.routers.messages.clear();
        self.present.clear();
        self.events.clear();
        self.idle.clear();
        self.open = false;
        for message in messages {
            let packets = self.packets(message);
            let queued = Routers::queued(message.source.0, message.target.0, packets);
            self.routers.messages.push(queued);
        }
        self.now = self.steps * self.period;
    }

    fn run<D: Driver<Self>>(&mut self, driver: &mut D) {
        self.routers.tells_sent = D::WANTS_SENT;
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

    fn waiting_ring(&self, _: &[u32]) -> Option<Vec<LinkId>> {
        self.routers.ring()
    }
}

impl<'m> Open<'m> for Packets<'m> {
    const ACTIONS_MAX: usize = 1 << 28;

    fn open(&mut self) {
        self.load(&[], Routes::Stored { first: vec![0], links: Vec::new() });
        self.open = true;
    }

    #[inline]
    fn add(&mut self, message: &Message) -> Result<(u32, Hops)> {
        let Message { source, target, .. } = *message;
        if !self.routers.machine().is_alive(target) {
            let [source, target] = [source, target].map(|node| self.routers.machine().node_name(node));
            let why = format!("there is no path from node {source} to node {target}");
            return Err(Error::not_applicable("the packet engine", why));
        }
        let queued = Routers::queued(source.0, target.0, self.packets(message));
        let hops = Hops(self.routers.hops(source.0, target.0));
        if let Some(number) = self.idle.pop() {
            self.routers.messages[number as usize] = queued;
            return Ok((number, hops));
        }
        self.routers.messages.push(queued);
        Ok((self.routers.messages.len() as u32 - 1, hops))
    }
}
