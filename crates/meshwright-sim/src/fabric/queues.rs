//! What the routers of one network hold: flits in virtual channels, who holds which channel, rates, lines of messages.

use std::collections::VecDeque;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::fabric::{Fabric, Resource, Routers};
use meshwright_network::topology::Topology;

/// A flit in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flit {
    /// Twice the number of its message; the request of a message one more.
    pub(super) packet: u32,
    /// Its number in the packet; 0 is the header.
    pub(super) index: u32,
    /// From when on it may go on.
    pub(super) ready: u64,
    /// Whether the packet has crossed the border of the axis on which it runs.
    pub(super) crossed: bool,
}

/// A queue of flits, and where its present packet goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    pub(super) flits: VecDeque<Flit>,
    /// Its places that are taken, also by flits on the wire.
    pub(super) taken: u32,
    /// The output of the packet at its front.
    pub(super) output: Option<u8>,
    /// The virtual channel it holds there.
    pub(super) held: Option<u8>,
}

/// Something that lets through so many flits per cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// Flits per cycle.
    rate: f64,
    tokens: f64,
    at: u64,
}

/// Rounding of a sum of rates.
const ROUNDING: f64 = 1e-9;

impl Bucket {
    pub(super) fn new(rate: f64) -> Self {
        Self { rate, tokens: 1.0, at: 0 }
    }

    /// What there is now: what was left, and what came since, never more than one flit and what comes in a cycle.
    fn level(&self, now: u64) -> f64 {
        (self.tokens + self.rate * (now - self.at) as f64).min(1.0 + self.rate)
    }

    /// Whether a flit may pass now; if not, `soonest` falls to when it may.
    #[inline]
    pub(super) fn passes(&self, now: u64, soonest: &mut u64) -> bool {
        let missing = 1.0 - ROUNDING - self.level(now);
        if missing <= 0.0 {
            return true;
        }
        *soonest = (*soonest).min(now + ((missing / self.rate).ceil() as u64).max(1));
        false
    }

    /// A flit passes now.
    #[inline]
    pub(super) fn take(&mut self, now: u64) {
        self.tokens = self.level(now) - 1.0;
        self.at = now;
    }
}

/// The most queues of a router: a word has a bit for each.
const QUEUES_MAX: usize = 128;

/// The routers of one network.
#[derive(Debug)]
pub(super) struct Wires {
    /// The directions of links, by axis and whether upwards; inputs and outputs have their order.
    pub(super) directions: Vec<(usize, bool)>,
    /// Virtual channels for data on each side of the date-line, sides, and channels of a queue in all.
    pub(super) data: usize,
    pub(super) sides: usize,
    pub(super) per_input: usize,
    /// By node, input and channel.
    pub(super) channels: Vec<Channel>,
    /// By node, which of its queues hold flits.
    pub(super) occupied: Vec<u128>,
    /// By node, output and channel: whether it is held, and from when on it may be held again.
    pub(super) held: Vec<bool>,
    pub(super) free_at: Vec<u64>,
    /// By node, output and channel, the queue whose packet holds it.
    pub(super) owner: Vec<u8>,
    /// By node, output and kind of packet, the queue that is given a channel first.
    first_served: Vec<u8>,
    /// By node and output, the channel that is looked at first.
    pub(super) turn: Vec<u8>,
    /// By node and direction: the node a link enters, whether it crosses the border, its resource.
    pub(super) next: Vec<u32>,
    pub(super) border: Vec<bool>,
    pub(super) resources: Vec<u32>,
    /// By node and output, the last being the way out; by node the way in.
    pub(super) rates: Vec<Bucket>,
    pub(super) injection: Vec<Bucket>,
    /// By node, the messages whose bytes are ready, and the one whose flits enter, with how many have.
    pub(super) lines: Vec<VecDeque<u32>>,
    pub(super) entering: Vec<Option<(u32, u32)>>,
    /// By node, the requests it works on.
    pub(super) requests: Vec<u32>,
}

impl Wires {
    /// The routers of a network, empty.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when a link or port is faster than a flit in a cycle, or a router has more than 128 queues.
    pub(super) fn new(fabric: &Fabric, plane: usize, routers: &Routers) -> Result<Self> {
        let (grid, own) = (fabric.grid(), &fabric.planes()[plane]);
        let all = (0..grid.dimensions()).flat_map(|axis| [(axis, true), (axis, false)]);
        let directions: Vec<(usize, bool)> =
            all.filter(|&(axis, up)| own.legs.iter().any(|leg| leg.runs(axis, up))).collect();
        let sides = if grid.wraps() { 2 } else { 1 };
        let data = routers.channels as usize;
        let per_input = (data + 1) * sides;
        let (nodes, outputs) = (grid.nodes() as usize, directions.len() + 1);
        if (outputs + 1) * per_input > QUEUES_MAX {
            let expected = format!("at most {QUEUES_MAX} queues at a router: fewer channels or axes");
            return Err(Error::value("queues of a router", (outputs + 1) * per_input, expected));
        }
        let mut wires = Self {
            data,
            sides,
            per_input,
            channels: vec![Channel::default(); nodes * (outputs + 1) * per_input],
            occupied: vec![0; nodes],
            held: vec![false; nodes * outputs * per_input],
            free_at: vec![0; nodes * outputs * per_input],
            owner: vec![0; nodes * outputs * per_input],
            first_served: vec![0; nodes * outputs * 2 * sides],
            turn: vec![0; nodes * outputs],
            next: Vec::new(),
            border: Vec::new(),
            resources: Vec::new(),
            rates: Vec::new(),
            injection: Vec::new(),
            lines: std::iter::repeat_with(VecDeque::new).take(nodes).collect(),
            entering: vec![None; nodes],
            requests: vec![0; nodes],
            directions,
        };
        for node in (0..grid.nodes()).map(NodeId) {
            wires.add_node(fabric, (plane, node), routers)?;
        }
        Ok(wires)
    }

    /// Links, ports and their rates of one node.
    fn add_node(&mut self, fabric: &Fabric, (plane, node): (usize, NodeId), routers: &Routers) -> Result<()> {
        let bucket = |resource: Resource| -> Result<(u32, Bucket)> {
            let number = fabric.number(&resource);
            let rate = fabric.rates()[number as usize];
            let flits = rate / routers.flit.0 as f64;
            if flits > 1.0 && rate < f64::INFINITY {
                let name = fabric.resource_name(number);
                let expected = format!(
                    "at most {}, a flit in a cycle, for {name}: a lower `rate` of the link, or `out` or `in` of the port, \
                     or a longer `flit` in [machine.routers]",
                    routers.flit.0
                );
                return Err(Error::value("bytes per cycle", rate, expected));
            }
            Ok((number, Bucket::new(flits.min(1.0))))
        };
        for index in 0..self.directions.len() {
            let (axis, up) = self.directions[index];
            let (resource, rate) = bucket(Resource::Link { plane, node, axis, up })?;
            let next = fabric.step(node, axis, up);
            let at = |node| fabric.grid().coordinate(node, axis);
            self.next.push(next.0);
            self.border.push((at(next) > at(node)) != up);
            self.resources.push(resource);
            self.rates.push(rate);
        }
        let (resource, rate) = bucket(Resource::Ejection { plane, node })?;
        self.resources.push(resource);
        self.rates.push(rate);
        self.injection.push(bucket(Resource::Injection { plane, node })?.1);
        Ok(())
    }

    /// Outputs of a router: its directions, and the way out.
    #[inline]
    pub(super) fn outputs(&self) -> usize {
        self.directions.len() + 1
    }

    /// The queue of an input; after the directions come the messages of the node, then its requests.
    #[inline]
    pub(super) fn queue(&self, node: usize, input: usize, channel: usize) -> usize {
        (node * (self.outputs() + 1) + input) * self.per_input + channel
    }

    /// Puts a flit into a queue.
    #[inline]
    pub(super) fn push(&mut self, queue: usize, flit: Flit) {
        let per_node = (self.outputs() + 1) * self.per_input;
        self.occupied[queue / per_node] |= 1 << (queue % per_node);
        self.channels[queue].flits.push_back(flit);
    }

    /// The virtual channels of an output for a kind of packet: those with bytes on each side of the date-line, then
    /// requests on each side.
    fn choice(&self, kind: usize) -> std::ops::Range<usize> {
        match kind.checked_sub(self.sides) {
            None => self.data * kind..self.data * (kind + 1),
            Some(side) => self.data * self.sides + side..self.data * self.sides + side + 1,
        }
    }

    /// Whether the packet at the front of a queue has crossed the border of its axis once it has passed an output.
    #[inline]
    pub(super) fn crossed(&self, node: usize, queue: usize, output: usize) -> bool {
        let (input, out) = (queue / self.per_input, self.directions.len());
        let before = self.channels[self.queue(node, 0, 0) + queue].flits[0].crossed;
        if output == out || input >= out {
            return before || output < out && self.border[node * out + output];
        }
        // A packet that turns begins anew.
        let same_axis = self.directions[input].0 == self.directions[output].0;
        before && same_axis || self.border[node * out + output]
    }

    /// Gives the free virtual channels of an output to those packets at the fronts of queues that hold none, in turn.
    pub(super) fn allocate(
        &mut self,
        node: usize,
        output: usize,
        asking: u128,
        (now, soonest): (u64, &mut u64),
    ) {
        let first = self.queue(node, 0, 0);
        let mut heads = [0u128; 4];
        let mut queues = asking;
        while queues != 0 {
            let queue = queues.trailing_zeros() as usize;
            queues &= queues - 1;
            let channel = &self.channels[first + queue];
            if channel.held.is_none() {
                let side = usize::from(self.sides == 2 && self.crossed(node, queue, output));
                heads[channel.flits[0].packet as usize % 2 * self.sides + side] |= 1 << queue;
            }
        }
        let place = node * self.outputs() + output;
        for (kind, heads) in heads.iter_mut().enumerate().take(2 * self.sides) {
            for channel in self.choice(kind) {
                let slot = place * self.per_input + channel;
                if *heads == 0 {
                    break;
                }
                if self.held[slot] || self.free_at[slot] > now {
                    if !self.held[slot] {
                        *soonest = (*soonest).min(self.free_at[slot]);
                    }
                    continue;
                }
                let turn = &mut self.first_served[place * 2 * self.sides + kind];
                let later = *heads >> *turn << *turn;
                let queue = (if later != 0 { later } else { *heads }).trailing_zeros() as usize;
                *heads &= !(1 << queue);
                *turn = ((queue + 1) % ((self.directions.len() + 2) * self.per_input)) as u8;
                (self.held[slot], self.owner[slot]) = (true, queue as u8);
                self.channels[first + queue].held = Some(channel as u8);
            }
        }
    }

    /// Takes the flit at the front of a queue away; with a tail the channel it holds, which is free again at `release`.
    pub(super) fn take(
        &mut self,
        (node, queue): (usize, usize),
        (output, channel): (usize, usize),
        release: Option<u64>,
    ) {
        let (first, slot) =
            (self.queue(node, 0, 0), (node * self.outputs() + output) * self.per_input + channel);
        let own = &mut self.channels[first + queue];
        own.flits.pop_front().expect("a flit is there");
        if own.flits.is_empty() {
            self.occupied[node] &= !(1 << queue);
        }
        if let Some(release) = release {
            (own.held, own.output) = (None, None);
            (self.held[slot], self.free_at[slot]) = (false, release);
        }
    }
}
