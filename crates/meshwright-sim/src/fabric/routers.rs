//! Packets flit by flit through the networks of a fabric: wormhole switching, virtual channels with date-lines, credits.
//!
//! Each cycle every node lets at most one flit enter each of its networks, and every output of a router passes at most one
//! flit, from the queues in turn. A packet holds a virtual channel of each link from its header to its tail. A request
//! runs on channels of its own; a node answers so many at a time ([`Routers::requests`]), further ones wait in the
//! network. Packets take the axes in the order of their network, so that nothing can deadlock.
//!
//! # Source
//!
//! `dally1987`, section 4 (date-lines).

mod engine;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::queues::{Bucket, Flit, Wires};
use super::transactions::Issuer;
use crate::engine::{Control, Driver, Open, Referee};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Hops, LinkId, NodeId};
use meshwright_network::fabric::{Fabric, Routers};
use meshwright_network::routing::Routes;
use meshwright_network::topology::Topology;
use meshwright_schedule::Message;
use meshwright_schedule::transactions::{Around, Operation, ProcessorProgram, Program, Transaction};

/// Something that happens at a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WireEvent {
    /// The bytes of a message are ready at their source.
    Ready(u32),
    /// The request of a message enters the network.
    Request(u32),
    Delivered(u32),
    Timer(u32),
}

/// A message, by its number.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    plane: u32,
    from: NodeId,
    to: NodeId,
    bytes: Bytes,
    flits: u32,
    /// Cycles before its request or, if nobody asks for it, its bytes; after the last flit.
    before: u64,
    after: u64,
    asked_for: bool,
}

/// The routers of all networks and the packets in them.
#[derive(Debug)]
pub(crate) struct FabricRouters<'m> {
    fabric: &'m Fabric,
    routers: Routers,
    hop: u64,
    ticks_per_cycle: u64,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, WireEvent)>>,
    added: u64,
    messages: Vec<Transfer>,
    wires: Vec<Wires>,
    /// What several ports share, by its number among the resources.
    shared: Vec<(u32, Bucket)>,
    /// Packets that wait or have flits on the way.
    live: u64,
    /// What happens in the present cycle: flits that move on, messages that have left or arrived.
    moving: Vec<(u32, usize, Flit)>,
    /// The queues in which a place becomes free.
    freed: Vec<(u32, usize)>,
    left: Vec<u32>,
    arrived: Vec<u32>,
    /// Resources that somebody waited for in this cycle.
    denied: Vec<u32>,
    /// The soonest cycle at which what waits may go on.
    soonest: u64,
    waited: Vec<f64>,
    carried: Vec<(f64, u64)>,
}

impl<'m> FabricRouters<'m> {
    /// Empty routers.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the fabric has no routers, or a rate is more than a flit in a cycle.
    pub(crate) fn new(fabric: &'m Fabric, ticks_per_cycle: u64) -> Result<Self> {
        let Some(&routers) = fabric.routers() else {
            return Err(Error::value("engine", "flit", "message: the machine describes no routers"));
        };
        let planes = 0..fabric.planes().len();
        let first_shared = fabric.rates().len() - fabric.shared().len();
        let bucket =
            |(number, &rate): (usize, &f64)| (number as u32, Bucket::new(rate / routers.flit.0 as f64));
        Ok(Self {
            fabric,
            routers,
            hop: fabric.hop().0.max(1),
            ticks_per_cycle,
            now: 0,
            events: BinaryHeap::new(),
            added: 0,
            messages: Vec::new(),
            wires: planes.map(|plane| Wires::new(fabric, plane, &routers)).collect::<Result<_>>()?,
            shared: fabric.rates().iter().enumerate().skip(first_shared).map(bucket).collect(),
            live: 0,
            moving: Vec::new(),
            freed: Vec::new(),
            left: Vec::new(),
            arrived: Vec::new(),
            denied: Vec::new(),
            soonest: u64::MAX,
            waited: vec![0.0; fabric.rates().len()],
            carried: vec![(0.0, 0); fabric.rates().len()],
        })
    }

    fn push(&mut self, time: u64, event: WireEvent) {
        self.events.push(Reverse((time.max(self.now), self.added, event)));
        self.added += 1;
    }

    fn add_transfer(&mut self, transfer: Transfer) -> u32 {
        self.messages.push(transfer);
        self.messages.len() as u32 - 1
    }

    /// Takes the events that are due.
    fn happen<D: Driver<Self>>(&mut self, driver: &mut D) {
        while let Some(&Reverse((time, _, event))) = self.events.peek() {
            if time > self.now {
                break;
            }
            self.events.pop();
            match event {
                WireEvent::Ready(message) => {
                    let Transfer { plane, from, .. } = self.messages[message as usize];
                    self.live += 1;
                    self.wires[plane as usize].lines[from.index()].push_back(message);
                }
                WireEvent::Request(message) => {
                    let Transfer { plane, to, .. } = self.messages[message as usize];
                    self.live += 1;
                    let wires = &mut self.wires[plane as usize];
                    let queue = wires.queue(to.index(), wires.outputs(), 0);
                    let flit = Flit { packet: 2 * message + 1, index: 0, ready: self.now, crossed: false };
                    wires.channels[queue].taken += 1;
                    wires.push(queue, flit);
                }
                WireEvent::Delivered(message) => driver.delivered(self, message),
                WireEvent::Timer(id) => driver.timer(self, id),
            }
        }
    }

    /// One cycle of all networks; whether a flit moved.
    fn cycle(&mut self) -> bool {
        self.soonest = u64::MAX;
        self.denied.clear();
        let mut moved = false;
        let nodes = self.fabric.grid().nodes() as usize;
        // Who comes first changes from cycle to cycle, so that networks and directions share what is behind their ports.
        for part in [self.now % 2, (self.now + 1) % 2] {
            for turn in 0..self.wires.len() {
                let plane = (turn + (self.now as usize >> 1)) % self.wires.len();
                for node in 0..nodes {
                    let wires = &self.wires[plane];
                    if part == 1 {
                        if wires.occupied[node] != 0 {
                            moved |= self.route(plane, node);
                        }
                    } else if wires.entering[node].is_some() || !wires.lines[node].is_empty() {
                        moved |= self.enter(plane, node);
                    }
                }
            }
        }
        for (plane, queue) in self.freed.drain(..) {
            self.wires[plane as usize].channels[queue].taken -= 1;
        }
        for (plane, queue, flit) in self.moving.drain(..) {
            self.wires[plane as usize].push(queue, flit);
        }
        moved
    }

    /// Lets a flit of a node's own messages enter.
    fn enter(&mut self, plane: usize, node: usize) -> bool {
        let wires = &mut self.wires[plane];
        if wires.entering[node].is_none() {
            let message = wires.lines[node].pop_front().expect("a message waits");
            wires.entering[node] = Some((message, 0));
            let Transfer { from, to, bytes, .. } = self.messages[message as usize];
            let (carried, bytes) = (&mut self.carried, self.routers.carried(bytes).0 as f64);
            self.fabric.route(plane, from, to, |resource| {
                carried[resource as usize].0 += bytes;
                carried[resource as usize].1 += 1;
            });
        }
        let (message, sent) = wires.entering[node].expect("a message enters");
        let queue = wires.queue(node, wires.directions.len(), 0);
        let room = wires.channels[queue].taken < self.routers.buffers;
        if !room || !wires.injection[node].passes(self.now, &mut self.soonest) {
            return false;
        }
        if sent >= self.routers.header {
            let own = self.fabric.shared_out(NodeId(node as u32));
            if !pass(&mut self.shared, own, self.now, &mut self.soonest) {
                return false;
            }
        }
        let wires = &mut self.wires[plane];
        wires.injection[node].take(self.now);
        wires.channels[queue].taken += 1;
        wires.push(queue, Flit { packet: 2 * message, index: sent, ready: self.now + 1, crossed: false });
        wires.entering[node] = Some((message, sent + 1));
        let Transfer { flits, asked_for, .. } = self.messages[message as usize];
        if sent + 1 == flits {
            wires.entering[node] = None;
            wires.requests[node] -= u32::from(asked_for);
            self.left.push(message);
        }
        true
    }

    /// Passes at most one flit to each output of a router; whether any.
    fn route(&mut self, plane: usize, node: usize) -> bool {
        let outputs = self.wires[plane].outputs();
        let first = self.wires[plane].queue(node, 0, 0);
        let mut wanted = [0u128; OUTPUTS_MAX];
        let mut queues = self.wires[plane].occupied[node];
        while queues != 0 {
            let queue = queues.trailing_zeros() as usize;
            queues &= queues - 1;
            let channel = &self.wires[plane].channels[first + queue];
            let flit = channel.flits[0];
            if flit.ready > self.now {
                self.soonest = self.soonest.min(flit.ready);
                continue;
            }
            let output = match channel.output {
                Some(output) => output,
                None => {
                    let output = self.output(plane, node, flit.packet);
                    self.wires[plane].channels[first + queue].output = Some(output);
                    output
                }
            };
            wanted[output as usize] |= 1 << queue;
        }
        let mut moved = false;
        for (output, &asking) in wanted[..outputs].iter().enumerate() {
            if asking == 0 {
                continue;
            }
            self.wires[plane].allocate(node, output, asking, (self.now, &mut self.soonest));
            let passed = self.arbitrate(plane, (node, output), asking);
            let waiting = asking.count_ones() - u32::from(passed);
            let resource = self.wires[plane].resources[node * outputs + output];
            self.denied.extend(std::iter::repeat_n(resource, waiting as usize));
            moved |= passed;
        }
        moved
    }

    /// Passes the flit of one virtual channel of an output, in turn; whether there was one that may.
    fn arbitrate(&mut self, plane: usize, (node, output): (usize, usize), asking: u128) -> bool {
        let (outputs, channels) = (self.wires[plane].outputs(), self.wires[plane].per_input);
        let place = node * outputs + output;
        let turn = self.wires[plane].turn[place] as usize;
        for channel in (turn..channels).chain(0..turn) {
            let wires = &self.wires[plane];
            let slot = place * channels + channel;
            let queue = wires.owner[slot] as usize;
            if wires.held[slot]
                && asking >> queue & 1 == 1
                && self.pass(plane, (node, queue), output, channel)
            {
                self.wires[plane].turn[place] = ((channel + 1) % channels) as u8;
                return true;
            }
        }
        false
    }

    /// Where a packet goes from a node.
    fn output(&self, plane: usize, node: usize, packet: u32) -> u8 {
        let Transfer { from, to, .. } = self.messages[packet as usize / 2];
        let target = if packet % 2 == 1 { from } else { to };
        let wires = &self.wires[plane];
        let step = self.fabric.next(plane, NodeId(node as u32), target);
        let direction = step.map(|step| wires.directions.iter().position(|&known| known == step));
        direction.map_or(wires.directions.len(), |known| known.expect("a leg has its links")) as u8
    }

    /// Passes the flit at the front of a queue to a channel of an output, if it may; whether it did.
    fn pass(&mut self, plane: usize, (node, queue): (usize, usize), output: usize, channel: usize) -> bool {
        let wires = &self.wires[plane];
        let (outputs, out) = (wires.outputs(), wires.directions.len());
        let place = wires.queue(node, 0, 0) + queue;
        let flit = wires.channels[place].flits[0];
        let (message, is_request) = (flit.packet / 2, flit.packet % 2 == 1);
        let bytes_leave = output == out && !is_request;
        if output == out && is_request {
            let most = self.routers.requests;
            if most > 0 && wires.requests[node] >= most {
                return false;
            }
        } else if !wires.rates[node * outputs + output].passes(self.now, &mut self.soonest) {
            return false;
        }
        let next =
            (output < out).then(|| wires.queue(wires.next[node * out + output] as usize, output, channel));
        if next.is_some_and(|next| wires.channels[next].taken >= self.routers.buffers) {
            return false;
        }
        // A header brings no bytes.
        if bytes_leave && flit.index >= self.routers.header {
            let own = self.fabric.shared_into(NodeId(node as u32));
            if !pass(&mut self.shared, own, self.now, &mut self.soonest) {
                return false;
            }
        }
        let crossed = wires.crossed(node, queue, output);
        let flits = if is_request { 1 } else { self.messages[message as usize].flits };
        let is_tail = flit.index + 1 == flits;
        let release = is_tail.then_some(self.now + 1 + self.hop);
        self.wires[plane].take((node, queue), (output, channel), release);
        self.freed.push((plane as u32, place));
        if output < out || !is_request {
            self.wires[plane].rates[node * outputs + output].take(self.now);
        }
        if let Some(next) = next {
            self.wires[plane].channels[next].taken += 1;
            self.moving.push((plane as u32, next, Flit { ready: self.now + self.hop, crossed, ..flit }));
        } else if is_request {
            self.accept(plane, node, message);
        } else if is_tail {
            self.live -= 1;
            self.arrived.push(message);
        }
        true
    }

    /// A request has come to the node whose bytes it asks for.
    fn accept(&mut self, plane: usize, node: usize, message: u32) {
        self.live -= 1;
        self.wires[plane].requests[node] += 1;
        let memory = self.fabric.memory(NodeId(node as u32)).0;
        self.push(self.now + memory, WireEvent::Ready(message));
    }

    /// Lets everything wait until the next cycle at which something can move.
    fn wait(&mut self, moved: bool) {
        let event = self.events.peek().map_or(u64::MAX, |Reverse((time, ..))| *time);
        let next = match (moved, self.live) {
            (true, _) => self.now + 1,
            (false, 0) => event,
            (false, _) => self.soonest.min(event).max(self.now + 1),
        };
        if next == u64::MAX {
            assert!(self.live == 0, "routes in the order of axes with date-lines never stand still");
            return;
        }
        for &resource in &self.denied {
            self.waited[resource as usize] += (next - self.now) as f64;
        }
        self.now = next;
    }
}

/// The most outputs of a router: 128 queues are at most 127.
const OUTPUTS_MAX: usize = 128;

/// Whether a flit may pass all of these shared resources; if so, it does.
fn pass(shared: &mut [(u32, Bucket)], own: &[u32], now: u64, soonest: &mut u64) -> bool {
    let Some(&(first, _)) = shared.first() else { return true };
    let index = |&resource: &u32| (resource - first) as usize;
    if !own.iter().map(index).all(|index| shared[index].1.passes(now, soonest)) {
        return false;
    }
    own.iter().map(index).for_each(|index| shared[index].1.take(now));
    true
}
