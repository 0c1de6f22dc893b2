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

use super::allocate::round_robin;
use super::fabric::{Crossing, Fabric};
use super::packet::{NONE, Packet, Packets};
use super::region::{Delays, FREE, Setup};
use super::router::Stages;
use super::wiring::{pack, unpack};
use crate::routing::Relation;
use crate::routing::dimension_order::Axes;
use crate::units::NodeId;

/// A plan reaches at most so many cycles ahead; one less than a power of two.
const AHEAD: u32 = 511;

/// Larger machines are simulated flit by flit, which takes two thirds of the memory.
const NODES_MAX: u32 = 1 << 18;

/// Consecutive flits or credits: their number grows by one a cycle from `begin` on, up to `length`.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    before: u32,
    begin: u32,
    length: u32,
}

impl Run {
    /// How many came up to and including cycle `now`.
    #[inline(always)]
    fn count(self, now: u32) -> u32 {
        self.before.wrapping_add((now.wrapping_sub(self.begin).wrapping_add(1)).min(self.length))
    }

    /// How many come after cycle `now` if nothing breaks it off.
    #[inline(always)]
    fn rest(self, now: u32) -> u32 {
        self.length - (now.wrapping_sub(self.begin).wrapping_add(1)).min(self.length)
    }

    /// The run from cycle `now` on is another one; of length 0 it is broken off.
    #[inline(always)]
    fn replace(&mut self, now: u32, length: u32) {
        let done = now.wrapping_sub(self.begin).min(self.length);
        *self = Self { before: self.before.wrapping_add(done), begin: now, length };
    }
}

/// What a sender's packet in front does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
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
    came: Run,
    /// Flits that left before the present run, and of the packet in front those that had not.
    gone: u32,
    left: u32,
    /// The first cycle of the present run, and the cycle at which its plan is looked at again.
    begin: u32,
    plan: u32,
    /// The first and the last of its packets; each knows the next.
    front: u32,
    back: u32,
    packets: u8,
    out: u8,
    phase: Phase,
}

/// An output channel.
#[derive(Clone, Copy, Debug)]
struct Link {
    credits: Run,
    /// Flits sent before the present run.
    filled: u32,
    owner: u8,
    /// Pointers of channel and switch allocation.
    grant: u8,
    switch: u8,
}

/// The events of one cycle.
#[derive(Debug, Default)]
struct Moment {
    heads: Vec<(u32, u32)>,
    runs: Vec<(u32, u32)>,
    credits: Vec<(u32, u32)>,
    routed: Vec<u32>,
    ejected: Vec<u32>,
}

/// A range of routers whose packets move as worms.
#[derive(Debug)]
pub(super) struct Worms<'s> {
    setup: &'s Setup<'s>,
    first: u32,
    last: u32,
    slots: u32,
    degree: u32,
    delays: Delays,
    senders: Vec<Sender>,
    links: Vec<Link>,
    /// By node: the source queue's first and last packet.
    queues: Vec<(u32, u32)>,
    /// By node: heads that wait for a channel; senders to look at.
    waiting: Vec<u32>,
    dirty: Vec<u32>,
    awake: Vec<u64>,
    packets: Packets,
    wheel: Vec<Moment>,
    /// By cycle, senders whose plan is to be looked at: a ring of its own, for plans reach far ahead and lists that
    /// are used every few cycles stay in the cache.
    plans: Vec<Vec<u32>>,
    /// Events to come.
    pending: u64,
    now: u64,
    delivered: Vec<u32>,
    outbox: Vec<(u64, Crossing)>,
    flit_hops: u64,
    moved: bool,
    held: bool,
    axes: Option<&'s Axes<'s>>,
}

impl<'s> Worms<'s> {
    /// Whether worms can stand for flits: one virtual channel, one port a node, packets that need not be whole, one way
    /// for each packet, no deadlock, times of 31 bits, and a machine of at most [`NODES_MAX`] nodes.
    pub(super) fn apply(setup: &Setup<'_>, longest: u64) -> bool {
        let router = &setup.router;
        router.virtual_channels == 1
            && setup.wiring.locals == 1
            && setup.wiring.degree < 30
            && setup.wiring.nodes <= NODES_MAX
            && setup.switching == crate::topology::Switching::Wormhole
            && matches!(setup.relation, Relation::DimensionOrder(_))
            && setup.classes.len() == 1
            && setup.acyclic
            && longest < 1 << 31
            && !setup.general
            && !setup.reverse
    }

    /// An empty region of the nodes `first..last`.
    pub(super) fn new(setup: &'s Setup<'s>, first: u32, last: u32) -> Self {
        let (nodes, degree, slots) = ((last - first) as usize, setup.wiring.degree, setup.router.buffers);
        let sender = Sender {
            came: Run::default(),
            gone: 0,
            left: 0,
            begin: 0,
            plan: 0,
            front: NONE,
            back: NONE,
            packets: 0,
            out: 0,
            phase: Phase::Idle,
        };
        let link = Link { credits: Run::default(), filled: 0, owner: FREE, grant: 0, switch: 0 };
        let delays = Delays::of(&setup.router);
        let longest = delays.longest() + super::setup::stride(&setup.router);
        let senders = nodes * (degree as usize + 2);
        Self {
            setup,
            first,
            last,
            slots,
            degree,
            delays,
            senders: vec![sender; senders],
            links: vec![link; senders],
            queues: vec![(NONE, NONE); nodes],
            waiting: vec![0; nodes],
            dirty: vec![0; nodes],
            awake: vec![0; nodes.div_ceil(64)],
            packets: Packets::default(),
            wheel: (0..(longest + 1).next_power_of_two()).map(|_| Moment::default()).collect(),
            plans: vec![Vec::new(); AHEAD as usize + 1],
            pending: 0,
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
        }
    }

    /// Senders and links of a router: network ports, then injection and source (ejection and source).
    #[inline(always)]
    fn base(&self, node: u32) -> usize {
        (node - self.first) as usize * (self.degree + 2) as usize
    }

    #[inline(always)]
    fn wake(&mut self, node: u32) {
        let index = node - self.first;
        self.awake[index as usize / 64] |= 1 << (index % 64);
    }

    #[inline(always)]
    fn moment(&mut self, delay: u64) -> &mut Moment {
        self.pending += 1;
        let index = (self.now + delay) as usize & (self.wheel.len() - 1);
        &mut self.wheel[index]
    }

    #[inline(always)]
    fn mark(&mut self, node: u32, local: u32) {
        self.dirty[(node - self.first) as usize] |= 1 << local;
        self.wake(node);
    }

    #[inline(always)]
    fn head_in(&mut self, word: u32, slot: u32) {
        let (node, local) = unpack(word);
        let (now, index) = (self.now as u32, self.base(node) + local as usize);
        let length = self.packets[slot].length;
        let sender = &mut self.senders[index];
        sender.came.replace(now, length);
        sender.packets += 1;
        let alone = sender.packets == 1;
        let behind = std::mem::replace(&mut sender.back, slot);
        if alone {
            sender.front = slot;
        } else {
            self.packets[behind].next = slot;
        }
        if alone {
            self.to_front(node, local, slot, 0);
        }
    }

    /// A packet has come to the front of its buffer; it can be routed after some cycles.
    #[inline(always)]
    fn to_front(&mut self, node: u32, local: u32, slot: u32, after: u64) {
        let index = self.base(node) + local as usize;
        let packet = &mut self.packets[slot];
        let sender = &mut self.senders[index];
        sender.left = packet.length;
        sender.phase = Phase::Routing;
        // The route is the same whenever it is asked for.
        let target = packet.header.target;
        let out =
            self.axes.and_then(|axes| axes.port(NodeId(node), target)).map_or(self.degree, |port| port.0);
        sender.out = out as u8;
        match after + self.delays.first_try {
            0 => self.ask(node, local),
            delay => self.moment(delay).routed.push(pack(node, local)),
        }
    }

    /// The tail before it has left: the next packet comes to the front and can be routed from the next cycle on.
    fn next_packet(&mut self, node: u32, local: u32, slot: u32) {
        let index = self.base(node) + local as usize;
        self.senders[index].front = slot;
        self.to_front(node, local, slot, 1);
    }

    #[inline(always)]
    fn ask(&mut self, node: u32, local: u32) {
        let index = self.base(node) + local as usize;
        self.senders[index].phase = Phase::Waiting;
        self.waiting[(node - self.first) as usize] |= 1 << local;
        self.wake(node);
    }

    #[inline(always)]
    fn credits_in(&mut self, word: u32, length: u32) {
        let (node, out) = unpack(word);
        let (now, base) = (self.now as u32, self.base(node));
        let link = &mut self.links[base + out as usize];
        link.credits.replace(now, length);
        let owner = link.owner;
        if owner != FREE {
            self.mark(node, u32::from(owner));
        } else if out == self.degree + 1 {
            self.mark(node, out);
        } else if self.waiting[(node - self.first) as usize] != 0 {
            self.wake(node);
        }
    }

    /// Slots that can be filled at this cycle behind a link, and how many more credits come without a gap.
    #[inline(always)]
    fn room(&self, link: &Link, sent: u32) -> (u32, u32) {
        let now = self.now as u32;
        let free =
            self.slots.wrapping_add(link.credits.count(now)).wrapping_sub(link.filled).wrapping_sub(sent);
        (free, link.credits.rest(now))
    }

    /// Looks at a sender: lets it begin, go on or stop.
    #[inline(never)]
    fn look(&mut self, node: u32, local: u32) -> bool {
        let (now, base) = (self.now as u32, self.base(node));
        let index = base + local as usize;
        let source = local == self.degree + 1;
        if source && self.senders[index].phase == Phase::Idle && !self.next_of_queue(node, index) {
            return false;
        }
        let sender = self.senders[index];
        if !matches!(sender.phase, Phase::Head | Phase::Stands | Phase::Sends) {
            return false;
        }
        let out = u32::from(sender.out);
        let sends = sender.phase == Phase::Sends;
        let sent = if sends { now.wrapping_sub(sender.begin) } else { 0 };
        let left = sender.left - sent;
        let (flits, more) = if source {
            (left, 0)
        } else {
            (sender.came.count(now).wrapping_sub(sender.gone).wrapping_sub(sent), sender.came.rest(now))
        };
        let (free, credits) =
            if out == self.degree { (left, 0) } else { self.room(&self.links[base + out as usize], sent) };
        if flits == 0 || free == 0 {
            if sends {
                self.stop(node, local, sent);
            } else if flits > 0 && credits > 0 {
                // A credit of a run that began for somebody else comes in the next cycle.
                self.dirty[(node - self.first) as usize] |= 1 << local;
            }
            return sends;
        }
        let all = left.min(flits + more).min(free + credits);
        let sender = &mut self.senders[index];
        if !sends {
            let head = sender.phase == Phase::Head;
            sender.begin = now;
            sender.phase = Phase::Sends;
            self.begin(node, local, left, head);
        }
        if all == left && left == 1 {
            self.finish(node, local);
            return true;
        }
        // The tail itself is looked at; else the cycle after the last one that is sure.
        let ahead = if all == left { left - 1 } else { all }.min(AHEAD);
        let plan = now.wrapping_add(ahead);
        if !sends || self.senders[index].plan != plan {
            self.senders[index].plan = plan;
            self.pending += 1;
            self.plans[(plan & AHEAD) as usize].push(pack(node, local));
        }
        true
    }

    /// The source queue's next packet takes its channel if there is a slot.
    fn next_of_queue(&mut self, node: u32, index: usize) -> bool {
        let (slot, _) = self.queues[(node - self.first) as usize];
        let link = &self.links[index];
        if slot == NONE || self.held {
            return false;
        }
        let (free, credits) = self.room(link, 0);
        if free == 0 {
            self.dirty[(node - self.first) as usize] |= u32::from(credits > 0) << (self.degree + 1);
            return false;
        }
        self.links[index].owner = self.degree as u8 + 1;
        let sender = &mut self.senders[index];
        sender.left = self.packets[slot].length;
        sender.out = self.degree as u8 + 1;
        sender.phase = Phase::Head;
        true
    }

    /// The packet in front of a sender.
    #[inline(always)]
    fn front(&self, node: u32, local: u32) -> u32 {
        if local == self.degree + 1 {
            return self.queues[(node - self.first) as usize].0;
        }
        self.senders[self.base(node) + local as usize].front
    }

    /// Where the flits of a sender go and after how many cycles; nowhere if they come out.
    #[inline(always)]
    fn downstream(&self, node: u32, out: u32) -> Option<(u32, u64)> {
        match out {
            _ if out < self.degree => {
                let (next, port) = unpack(self.setup.wiring.peer(node, out));
                Some((pack(next, port), self.delays.hop))
            }
            _ if out == self.degree => None,
            _ => Some((pack(node, self.degree), self.delays.injection)),
        }
    }

    /// Where the credits of a sender go and after how many cycles; nowhere from a source queue.
    #[inline(always)]
    fn upstream(&self, node: u32, local: u32) -> Option<(u32, u64)> {
        match local {
            _ if local < self.degree => {
                let (next, port) = unpack(self.setup.wiring.peer(node, local));
                Some((pack(next, port), self.delays.credit))
            }
            _ if local == self.degree => Some((pack(node, self.degree + 1), self.delays.source_credit)),
            _ => None,
        }
    }

    /// A run begins: both ends of the way are told.
    #[inline(always)]
    fn begin(&mut self, node: u32, local: u32, left: u32, head: bool) {
        let out = u32::from(self.senders[self.base(node) + local as usize].out);
        if let Some((word, delay)) = self.downstream(node, out) {
            if head {
                let slot = self.front(node, local);
                self.packets[slot].hops += u32::from(out < self.degree);
                self.send_head(word, slot, delay);
            } else {
                self.send_run(word, left, delay);
            }
        }
        if let Some((word, delay)) = self.upstream(node, local) {
            self.send_credits(word, left, delay);
        }
    }

    #[inline(always)]
    fn is_here(&self, word: u32) -> bool {
        (self.first..self.last).contains(&unpack(word).0)
    }

    #[inline(always)]
    fn send_head(&mut self, word: u32, slot: u32, delay: u64) {
        if delay == 0 {
            self.head_in(word, slot);
        } else if self.is_here(word) {
            self.moment(delay).heads.push((word, slot));
        } else {
            self.outbox.push((self.now + delay, Crossing::Head(word, self.packets[slot])));
        }
    }

    #[inline(always)]
    fn send_run(&mut self, word: u32, length: u32, delay: u64) {
        if delay == 0 {
            self.run_in(word, length);
        } else if self.is_here(word) {
            self.moment(delay).runs.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Run(word, length)));
        }
    }

    #[inline(always)]
    fn send_credits(&mut self, word: u32, length: u32, delay: u64) {
        if self.is_here(word) {
            self.moment(delay).credits.push((word, length));
        } else {
            self.outbox.push((self.now + delay, Crossing::Credits(word, length)));
        }
    }

    #[inline(always)]
    fn run_in(&mut self, word: u32, length: u32) {
        let (node, local) = unpack(word);
        let (now, index) = (self.now as u32, self.base(node) + local as usize);
        self.senders[index].came.replace(now, length);
        self.mark(node, local);
    }

    /// A run breaks off before its tail.
    fn stop(&mut self, node: u32, local: u32, sent: u32) {
        let out = self.settle(node, local, sent);
        let index = self.base(node) + local as usize;
        self.senders[index].phase = Phase::Stands;
        if let Some((word, delay)) = self.downstream(node, out) {
            self.send_run(word, 0, delay);
        }
        if let Some((word, delay)) = self.upstream(node, local) {
            self.send_credits(word, 0, delay);
        }
    }

    /// Books the flits of a run; returns the output.
    #[inline(always)]
    fn settle(&mut self, node: u32, local: u32, sent: u32) -> u32 {
        let base = self.base(node);
        let sender = &mut self.senders[base + local as usize];
        sender.left -= sent;
        sender.gone = sender.gone.wrapping_add(sent);
        let out = u32::from(sender.out);
        let link = &mut self.links[base + out as usize];
        link.filled = link.filled.wrapping_add(sent);
        if out < self.degree {
            self.flit_hops += u64::from(sent);
        }
        out
    }

    /// The tail leaves in this cycle.
    #[inline(always)]
    fn finish(&mut self, node: u32, local: u32) {
        let base = self.base(node);
        let index = base + local as usize;
        let left = self.senders[index].left;
        let slot = self.front(node, local);
        // Read before the packet is handed on.
        let next = self.packets[slot].next;
        let out = self.settle(node, local, left);
        self.links[base + out as usize].owner = FREE;
        if out == self.degree {
            self.come_out(slot);
        } else if out < self.degree && !self.is_here(self.setup.wiring.peer(node, out)) {
            self.packets.remove(slot);
        }
        self.senders[index].phase = Phase::Idle;
        if local == self.degree + 1 {
            let queue = &mut self.queues[(node - self.first) as usize];
            queue.0 = next;
            if queue.0 != NONE {
                // The next packet can leave in the next cycle.
                self.dirty[(node - self.first) as usize] |= 1 << local;
            }
            return;
        }
        let sender = &mut self.senders[index];
        sender.packets -= 1;
        if sender.packets > 0 {
            self.next_packet(node, local, next);
        }
    }

    fn come_out(&mut self, slot: u32) {
        let missing = self.setup.router.shortest_packet.saturating_sub(self.packets[slot].length);
        let delay = self.delays.eject.max(1) + u64::from(missing);
        self.moment(delay).ejected.push(slot);
    }

    /// One cycle of one router; whether it is to be visited in the next.
    #[inline(always)]
    fn visit(&mut self, node: u32) -> bool {
        let n = (node - self.first) as usize;
        let mut acted = false;
        let source = 1 << (self.degree + 1);
        // A source goes first: with no delay its head asks in this cycle.
        if self.dirty[n] & source != 0 {
            self.dirty[n] &= !source;
            acted |= self.look(node, self.degree + 1);
        }
        let mut later = self.dirty[n] & source;
        let mut dirty = self.dirty[n] & !source;
        self.dirty[n] = 0;
        if self.waiting[n] != 0 {
            let (now, next, passed) = self.allocate(node, self.waiting[n]);
            // Who has its channel only now tries in the next cycle, whatever else came in.
            dirty = (dirty | now) & !next;
            later |= next;
            acted |= passed || now | next != 0;
        }
        while dirty != 0 {
            let local = dirty.trailing_zeros();
            dirty &= dirty - 1;
            acted |= self.look(node, local);
        }
        self.dirty[n] |= later;
        self.moved |= acted;
        self.dirty[n] != 0 || acted && self.waiting[n] != 0
    }

    /// Gives free channels to waiting heads: those that cross the switch now, and those that try in the next cycle.
    #[inline(always)]
    fn allocate(&mut self, node: u32, waiting: u32) -> (u32, u32, bool) {
        let (base, inputs) = (self.base(node), self.degree + 1);
        let stages = self.setup.router.stages;
        let next = |place: u32| if place + 1 == inputs { 0 } else { place as u8 + 1 };
        let n = (node - self.first) as usize;
        let (mut at_once, mut later, mut acted, mut rest) = (0u32, 0u32, false, waiting);
        while rest != 0 {
            let first = rest.trailing_zeros();
            rest &= rest - 1;
            let out = self.senders[base + first as usize].out;
            let mut want = 1u64 << first;
            let mut others = rest;
            while others != 0 {
                let other = others.trailing_zeros();
                others &= others - 1;
                want |= u64::from(self.senders[base + other as usize].out == out) << other;
            }
            rest &= !(want as u32);
            let place = base + usize::from(out);
            if self.links[place].owner != FREE {
                continue;
            }
            let winner = round_robin(want, u32::from(self.links[place].grant));
            let mut crosses = stages == Stages::Combined;
            if stages == Stages::Speculative {
                let open = u32::from(out) == self.degree || self.room(&self.links[place], 0).0 > 0;
                if open {
                    // The switch has a pointer of its own: its grant is lost if it is not the same.
                    let granted = round_robin(want, u32::from(self.links[place].switch));
                    self.links[place].switch = next(granted);
                    crosses = granted == winner;
                }
            }
            let link = &mut self.links[place];
            link.owner = winner as u8;
            link.grant = next(winner);
            if stages == Stages::Speculative {
                // Every flit that crosses moves the pointer to the same place.
                link.switch = next(winner);
            }
            self.waiting[n] &= !(1 << winner);
            if crosses && self.senders[base + winner as usize].left == 1 {
                let free = u32::from(out) == self.degree || self.room(&self.links[place], 0).0 > 0;
                if free {
                    self.links[place].owner = FREE;
                    self.pass(node, base, winner, u32::from(out));
                    acted = true;
                    continue;
                }
            }
            self.senders[base + winner as usize].phase = Phase::Head;
            if crosses {
                at_once |= 1 << winner;
            } else {
                later |= 1 << winner;
            }
        }
        (at_once, later, acted)
    }

    /// A packet of one flit crosses in the cycle in which it is given a channel with a free slot.
    #[inline(always)]
    fn pass(&mut self, node: u32, base: usize, local: u32, out: u32) {
        let index = base + local as usize;
        let sender = &mut self.senders[index];
        sender.gone = sender.gone.wrapping_add(1);
        sender.phase = Phase::Idle;
        sender.packets -= 1;
        let (more, slot) = (sender.packets > 0, sender.front);
        let behind = if more { self.packets[slot].next } else { NONE };
        if out < self.degree {
            let link = &mut self.links[base + out as usize];
            link.filled = link.filled.wrapping_add(1);
            self.flit_hops += 1;
            self.packets[slot].hops += 1;
            let (next, port) = unpack(self.setup.wiring.peer(node, out));
            self.send_head(pack(next, port), slot, self.delays.hop);
            if !self.is_here(pack(next, port)) {
                self.packets.remove(slot);
            }
        } else {
            self.come_out(slot);
        }
        if local < self.degree {
            let (next, port) = unpack(self.setup.wiring.peer(node, local));
            self.send_credits(pack(next, port), 1, self.delays.credit);
        } else {
            let word = pack(node, self.degree + 1);
            self.send_credits(word, 1, self.delays.source_credit);
        }
        if more {
            self.next_packet(node, local, behind);
        }
    }
}

impl Fabric for Worms<'_> {
    fn setup(&self) -> &Setup<'_> {
        self.setup
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        self.first..self.last
    }

    fn now(&self) -> u64 {
        self.now
    }

    fn enqueue(&mut self, node: u32, _port: u32, packet: Packet) {
        let slot = self.packets.insert(packet);
        let queue = &mut self.queues[(node - self.first) as usize];
        if queue.0 == NONE {
            *queue = (slot, slot);
            self.mark(node, self.degree + 1);
        } else {
            let tail = std::mem::replace(&mut queue.1, slot);
            self.packets[tail].next = slot;
        }
    }

    fn arrivals(&mut self, now: u64) {
        self.now = now;
        self.moved = false;
        self.delivered.clear();
        let index = now as usize & (self.wheel.len() - 1);
        let mut moment = std::mem::take(&mut self.wheel[index]);
        let lists = [moment.heads.len(), moment.runs.len(), moment.credits.len(), moment.routed.len()];
        let mut plans = std::mem::take(&mut self.plans[now as usize & AHEAD as usize]);
        self.pending -= (lists.iter().sum::<usize>() + plans.len() + moment.ejected.len()) as u64;
        for &(word, length) in &moment.credits {
            self.credits_in(word, length);
        }
        for &(word, length) in &moment.runs {
            self.run_in(word, length);
        }
        for &(word, slot) in &moment.heads {
            self.head_in(word, slot);
        }
        for &word in &moment.routed {
            let (node, local) = unpack(word);
            self.ask(node, local);
        }
        for word in plans.drain(..) {
            let (node, local) = unpack(word);
            let sender = &self.senders[self.base(node) + local as usize];
            if sender.phase == Phase::Sends && sender.plan == now as u32 {
                self.mark(node, local);
            }
        }
        self.delivered.append(&mut moment.ejected);
        moment.heads.clear();
        moment.runs.clear();
        moment.credits.clear();
        moment.routed.clear();
        self.wheel[index] = moment;
        self.plans[now as usize & AHEAD as usize] = plans;
    }

    fn visits(&mut self) {
        for word in 0..self.awake.len() {
            let mut bits = self.awake[word];
            let mut awake = 0u64;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                awake |= u64::from(self.visit(self.first + (word * 64) as u32 + bit)) << bit;
            }
            self.awake[word] = awake;
        }
    }

    fn delivered(&mut self) -> &mut Vec<u32> {
        &mut self.delivered
    }

    fn packets(&mut self) -> &mut Packets {
        &mut self.packets
    }

    fn is_busy(&self) -> bool {
        self.moved || self.pending > 0 || self.awake.iter().any(|&word| word != 0)
    }

    fn flits_stuck(&self) -> u64 {
        let stands = |sender: &&Sender| sender.packets > 0;
        self.senders.iter().filter(stands).count() as u64
    }

    fn hold_sources(&mut self) {
        self.held = true;
    }

    fn outbox(&mut self) -> &mut Vec<(u64, Crossing)> {
        &mut self.outbox
    }

    fn take_in(&mut self, at: u64, crossing: Crossing) {
        // The present cycle is the last one done.
        let delay = at - self.now;
        match crossing {
            Crossing::Head(word, packet) => {
                let slot = self.packets.insert(packet);
                self.moment(delay).heads.push((word, slot));
            }
            Crossing::Run(word, length) => self.moment(delay).runs.push((word, length)),
            Crossing::Credits(word, length) => self.moment(delay).credits.push((word, length)),
            Crossing::Body(_) | Crossing::Credit(_) => unreachable!("worms send runs"),
        }
    }

    fn flit_hops(&self) -> u64 {
        // Runs that have not ended are booked here.
        let runs = |sender: &&Sender| sender.phase == Phase::Sends && u32::from(sender.out) < self.degree;
        let sent = |sender: &Sender| u64::from((self.now as u32 + 1).wrapping_sub(sender.begin));
        self.flit_hops + self.senders.iter().filter(runs).map(sent).sum::<u64>()
    }
}
