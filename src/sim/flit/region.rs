//! A region of routers: their buffers, what is on its way to them, and one cycle of work.
//!
//! Clocking has two phases. In the first, flits and credits whose cycle has come are put where they belong; in the
//! second every router that is awake decides from its own state alone, and what it sends comes in at a later
//! cycle. So the order in which routers are visited means nothing, and regions can run side by side.

use super::packet::{NONE, Packet, Packets};
use super::router::{Router, Stages};
use super::wheel::Wheel;
use super::wiring::{Wiring, pack, unpack};
use crate::routing::relation::{Choices, Relation};
use crate::topology::Switching;
use crate::units::NodeId;

/// Nobody owns this output channel.
pub(super) const FREE: u8 = u8::MAX;

/// What the packet in front of an input channel waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
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
    first: u8,
    /// Packets in the ring.
    packets: u8,
    /// The output port of the packet in front.
    pub(super) out: u8,
    /// Its class while it waits, then its output channel.
    pub(super) channel: u8,
    /// What it waits for.
    pub(super) state: State,
    /// The output channel it prefers next: the accept pointer.
    pub(super) accept: u8,
}

/// An output virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    /// Free slots of the buffer at its end.
    pub(super) credits: u8,
    /// The input channel that holds it, or [`FREE`].
    pub(super) owner: u8,
    /// The input channel it prefers next: the grant pointer.
    pub(super) grant: u8,
}

/// The queue of a node's injection port.
#[derive(Clone, Copy, Debug)]
struct Source {
    head: u32,
    tail: u32,
    /// Flits of the first packet that have not left; 0 when its head has no channel yet.
    left: u32,
    channel: u8,
}

/// Something that leaves the region.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crossing {
    /// A head with its packet.
    Head(u32, Packet),
    /// A flit behind it.
    Body(u32),
    /// A credit.
    Credit(u32),
}

/// What stays the same while the engine runs.
#[derive(Debug)]
pub(super) struct Setup<'m> {
    pub(super) wiring: Wiring,
    pub(super) relation: Relation<'m>,
    pub(super) router: Router,
    pub(super) switching: Switching,
    /// By class, the set of its virtual channels.
    pub(super) classes: Vec<u64>,
    /// Whether workloads want to hear when a tail has left its source.
    pub(super) tell_sent: bool,
    /// Whether routers are visited from the last to the first: it must change nothing.
    pub(super) reverse: bool,
}

/// A range of routers and all that belongs to them.
#[derive(Debug)]
pub(super) struct Region<'s> {
    pub(super) setup: &'s Setup<'s>,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Virtual channels and slots.
    pub(super) vcs: u32,
    slots: u32,
    /// Whether a packet moves as a whole and slots hold packets.
    pub(super) whole: bool,
    /// Whether packets come out without passing the switch.
    direct: bool,
    first_lane: u32,
    first_channel: u32,
    first_source: u32,
    pub(super) lanes: Vec<Lane>,
    rings: Vec<u32>,
    pub(super) channels: Vec<Channel>,
    /// Per output port the input it prefers, per input port the output and the channel it prefers.
    pub(super) grant: Vec<u8>,
    pub(super) accept: Vec<u8>,
    pub(super) rotate: Vec<u8>,
    sources: Vec<Source>,
    /// By node: input channels with a flit that can go, and those that wait for an output channel.
    pub(super) ready: Vec<u64>,
    pub(super) waiting: Vec<u64>,
    awake: Vec<u64>,
    pub(super) packets: Packets,
    pub(super) wheel: Wheel,
    pub(super) now: u64,
    /// Packets that came out in this cycle.
    pub(super) delivered: Vec<u32>,
    /// Tags of packets whose tail has left the source in this cycle.
    pub(super) sent: Vec<u32>,
    /// Whether sources keep packets back whose head has not left.
    held: bool,
    /// What leaves the region, by cycle.
    pub(super) outbox: Vec<(u64, Crossing)>,
    pub(super) flit_hops: u64,
    /// Whether any router did something in this cycle.
    pub(super) moved: bool,
    pub(super) choices: Choices,
    pub(super) scratch: Box<super::allocate::Scratch>,
}

impl<'s> Region<'s> {
    /// An empty region of the nodes `first..last`.
    pub(super) fn new(setup: &'s Setup<'s>, first: u32, last: u32) -> Self {
        let (wiring, router) = (&setup.wiring, &setup.router);
        let vcs = router.virtual_channels;
        let inputs = wiring.inputs_before(last) - wiring.inputs_before(first);
        let outputs = wiring.outputs_before(last) - wiring.outputs_before(first);
        let locals = wiring.locals_before(last) - wiring.locals_before(first);
        let nodes = (last - first) as usize;
        let lane = Lane {
            left: 0,
            flits: 0,
            first: 0,
            packets: 0,
            out: 0,
            channel: 0,
            state: State::Idle,
            accept: 0,
        };
        let delays =
            [router.hop(), router.eject(), router.credit(), router.source_credit(), router.injection_delay];
        let longest = delays.into_iter().fold(router.first_try() + 1, u32::max);
        let direct = wiring.is_all_ports() && router.stages == Stages::Combined && router.first_try() == 0;
        Self {
            setup,
            first,
            last,
            vcs,
            slots: router.buffers,
            whole: setup.switching != Switching::Wormhole,
            direct: direct || wiring.is_all_ports() && setup.switching == Switching::StoreAndForward,
            first_lane: wiring.inputs_before(first) * vcs,
            first_channel: wiring.outputs_before(first) * vcs,
            first_source: wiring.locals_before(first),
            lanes: vec![lane; (inputs * vcs) as usize],
            rings: vec![NONE; (inputs * vcs * router.buffers) as usize],
            channels: vec![
                Channel { credits: router.buffers as u8, owner: FREE, grant: 0 };
                (outputs * vcs) as usize
            ],
            grant: vec![0; outputs as usize],
            accept: vec![0; inputs as usize],
            rotate: vec![0; inputs as usize],
            sources: vec![Source { head: NONE, tail: NONE, left: 0, channel: 0 }; locals as usize],
            ready: vec![0; nodes],
            waiting: vec![0; nodes],
            awake: vec![0; nodes.div_ceil(64)],
            packets: Packets::default(),
            // A neighbour may be a step ahead.
            wheel: Wheel::new(longest + super::setup::stride(router) as u32),
            now: 0,
            delivered: Vec::new(),
            sent: Vec::new(),
            held: false,
            outbox: Vec::new(),
            flit_hops: 0,
            moved: false,
            choices: Choices::new(),
            scratch: Box::default(),
        }
    }

    /// The index of a node's first input channel.
    #[inline]
    pub(super) fn lane_base(&self, node: u32) -> usize {
        (self.setup.wiring.inputs_before(node) * self.vcs - self.first_lane) as usize
    }

    /// The index of a node's first output channel.
    #[inline]
    pub(super) fn channel_base(&self, node: u32) -> usize {
        (self.setup.wiring.outputs_before(node) * self.vcs - self.first_channel) as usize
    }

    #[inline]
    pub(super) fn wake(&mut self, node: u32) {
        let index = node - self.first;
        self.awake[index as usize / 64] |= 1 << (index % 64);
    }

    /// Queues a packet at a node's injection port.
    pub(super) fn enqueue(&mut self, node: u32, port: u32, packet: Packet) {
        let slot = self.packets.insert(packet);
        let index = (self.setup.wiring.locals_before(node) - self.first_source + port) as usize;
        let source = &mut self.sources[index];
        if source.head == NONE {
            source.head = slot;
        } else {
            self.packets[source.tail].next = slot;
        }
        source.tail = slot;
        self.wake(node);
    }

    /// From now on, packets whose head has not left their source stay there.
    pub(super) fn hold_sources(&mut self) {
        self.held = true;
    }

    /// First phase: what was sent to this cycle comes in.
    pub(super) fn arrivals(&mut self, now: u64) {
        self.now = now;
        self.moved = false;
        self.delivered.clear();
        self.sent.clear();
        let mut moment = self.wheel.take(now);
        for &word in &moment.credits {
            self.credit_in(word);
        }
        for &word in &moment.bodies {
            self.body_in(word);
        }
        for &(word, slot) in &moment.heads {
            self.head_in(word, slot);
        }
        for &word in &moment.routed {
            let (node, local) = unpack(word);
            let base = self.lane_base(node);
            self.ask(base, node, local);
        }
        self.delivered.append(&mut moment.ejected);
        self.sent.append(&mut moment.sent);
        self.wheel.put_back(now, moment);
    }

    fn credit_in(&mut self, word: u32) {
        let (node, local) = unpack(word);
        let index = self.channel_base(node) + local as usize;
        let channel = &mut self.channels[index];
        channel.credits += 1;
        let owner = channel.owner;
        if owner != FREE && !self.whole {
            // The channels of source queues are held by nobody's lane; there `owner` is only a mark.
            let lanes = self.lane_base(node);
            if (local / self.vcs) < self.setup.wiring.degree(node) {
                let lane = &self.lanes[lanes + owner as usize];
                if lane.flits > 0 {
                    self.ready[(node - self.first) as usize] |= 1 << owner;
                }
            }
        }
        self.wake(node);
    }

    #[inline]
    fn body_in(&mut self, word: u32) {
        let (node, local) = unpack(word);
        let base = self.lane_base(node);
        let lane = &mut self.lanes[base + local as usize];
        lane.flits += 1;
        match lane.state {
            State::Body if lane.flits == 1 => {
                let (out, channel) = (lane.out, lane.channel);
                if self.may_send(node, out, channel) {
                    self.ready[(node - self.first) as usize] |= 1 << local;
                    self.wake(node);
                }
            }
            State::Draining => self.drain(base, node, local),
            State::Filling if lane.flits == lane.left => self.route_later(base, node, local, self.now),
            _ => {}
        }
    }

    /// Whether a lane that holds this output channel has a slot to send to.
    #[inline]
    pub(super) fn may_send(&self, node: u32, out: u8, channel: u8) -> bool {
        self.whole
            || u32::from(out) >= self.setup.wiring.degree(node)
            || self.channels
                [self.channel_base(node) + usize::from(out) * self.vcs as usize + usize::from(channel)]
            .credits
                > 0
    }

    fn head_in(&mut self, word: u32, slot: u32) {
        let (node, local) = unpack(word);
        let base = self.lane_base(node);
        let index = base + local as usize;
        let lane = &mut self.lanes[index];
        let place = (u32::from(lane.first) + u32::from(lane.packets)) % self.slots;
        self.rings[index * self.slots as usize + place as usize] = slot;
        lane.packets += 1;
        lane.flits += 1;
        if lane.packets == 1 {
            self.to_front(base, node, local, self.now);
        }
    }

    /// The slot of the packet in front of a lane.
    #[inline]
    pub(super) fn front(&self, index: usize) -> u32 {
        self.rings[index * self.slots as usize + usize::from(self.lanes[index].first)]
    }

    /// A packet has come to the front of its lane and can be routed from `from` on.
    pub(super) fn to_front(&mut self, base: usize, node: u32, local: u32, from: u64) {
        let index = base + local as usize;
        let length = self.packets[self.front(index)].length;
        let lane = &mut self.lanes[index];
        lane.left = length;
        lane.state = State::Routing;
        let from_source = local / self.vcs >= self.setup.wiring.degree(node);
        if self.direct && lane.flits == 1 && from == self.now {
            self.choose(index, node, local);
            if self.choices.as_slice().is_empty() {
                self.lanes[index].state = State::Draining;
                self.drain(base, node, local);
                return;
            }
        }
        let lane = &mut self.lanes[index];
        let complete = lane.flits >= lane.left || from_source;
        if self.setup.switching == Switching::StoreAndForward && !complete {
            lane.state = State::Filling;
        } else {
            self.route_later(base, node, local, from);
        }
    }

    fn route_later(&mut self, base: usize, node: u32, local: u32, from: u64) {
        let at = from + u64::from(self.setup.router.first_try());
        self.lanes[base + local as usize].state = State::Routing;
        if at <= self.now {
            self.ask(base, node, local);
        } else {
            self.wheel.at(at).routed.push(pack(node, local));
        }
    }

    /// Lists the channels the packet in front may take.
    #[inline]
    pub(super) fn choose(&mut self, index: usize, node: u32, local: u32) {
        let slot = self.front(index);
        let port = local / self.vcs;
        let wiring = &self.setup.wiring;
        let arrived = (port < wiring.degree(node)).then(|| wiring.incoming(node, port));
        let header = &mut self.packets[slot].header;
        self.setup.relation.choose(NodeId(node), arrived, header, &mut self.choices);
    }

    /// The route is found: the packet in front asks for an output channel.
    fn ask(&mut self, base: usize, node: u32, local: u32) {
        let index = base + local as usize;
        self.choose(index, node, local);
        let lane = &mut self.lanes[index];
        lane.state = State::Waiting;
        match self.choices.as_slice().first() {
            Some(choice) => (lane.out, lane.channel) = (choice.port.0 as u8, choice.class),
            None => {
                let wiring = &self.setup.wiring;
                let (degree, locals) = (wiring.degree(node), wiring.locals(node));
                // With a port for each link a packet comes out beside the link it came by.
                let port = (local / self.vcs) % degree.max(1) % locals;
                (lane.out, lane.channel) = ((degree + port) as u8, 0);
            }
        }
        self.waiting[(node - self.first) as usize] |= 1 << local;
        self.wake(node);
    }

    /// A flit comes out as it comes in.
    fn drain(&mut self, base: usize, node: u32, local: u32) {
        let index = base + local as usize;
        let lane = &mut self.lanes[index];
        lane.flits -= 1;
        lane.left -= 1;
        let tail = lane.left == 0;
        if tail {
            let slot = self.front(index);
            self.pop(index);
            self.lanes[index].state = State::Idle;
            self.come_out(slot, u64::from(self.setup.router.eject()));
        }
        if tail || !self.whole {
            self.give_credit(node, local);
        }
        self.moved = true;
    }

    /// Takes the packet in front out of the ring.
    #[inline]
    fn pop(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        lane.packets -= 1;
        lane.first = if u32::from(lane.first) + 1 == self.slots { 0 } else { lane.first + 1 };
    }

    /// The tail of a packet comes out after some cycles.
    fn come_out(&mut self, slot: u32, delay: u64) {
        let packet = &self.packets[slot];
        let missing = self.setup.router.shortest_packet.saturating_sub(packet.length);
        match delay + u64::from(missing) {
            0 => self.delivered.push(slot),
            delay => self.wheel.at(self.now + delay).ejected.push(slot),
        }
    }

    /// Tells whoever feeds an input channel that a slot is free.
    #[inline]
    fn give_credit(&mut self, node: u32, local: u32) {
        let wiring = &self.setup.wiring;
        let (port, channel) = if self.vcs == 1 { (local, 0) } else { (local / self.vcs, local % self.vcs) };
        let degree = wiring.degree(node);
        if port < degree {
            let (next, back) = unpack(wiring.peer(node, port));
            let at = self.now + u64::from(self.setup.router.credit());
            let word = pack(next, back * self.vcs + channel);
            if (self.first..self.last).contains(&next) {
                self.wheel.at(at).credits.push(word);
            } else {
                self.outbox.push((at, Crossing::Credit(word)));
            }
        } else {
            let out = port + wiring.locals(node);
            let at = self.now + u64::from(self.setup.router.source_credit());
            self.wheel.at(at).credits.push(pack(node, out * self.vcs + channel));
        }
    }

    /// Second phase: every router that is awake does its work.
    pub(super) fn visits(&mut self) {
        let words = self.awake.len();
        for step in 0..words {
            let word = if self.setup.reverse { words - 1 - step } else { step };
            let mut bits = self.awake[word];
            let mut asleep = 0u64;
            while bits != 0 {
                let bit = if self.setup.reverse { 63 - bits.leading_zeros() } else { bits.trailing_zeros() };
                bits &= !(1 << bit);
                if !self.visit(self.first + (word * 64) as u32 + bit) {
                    asleep |= 1 << bit;
                } else {
                    self.moved = true;
                }
            }
            self.awake[word] &= !asleep;
        }
    }

    /// Whether a router is awake.
    pub(super) fn is_busy(&self) -> bool {
        self.awake.iter().any(|&word| word != 0)
    }

    /// One cycle of one router; whether it did anything. If not, it sleeps until something comes in.
    fn visit(&mut self, node: u32) -> bool {
        let injected = self.inject(node);
        let n = (node - self.first) as usize;
        if self.ready[n] | self.waiting[n] == 0 {
            return injected;
        }
        injected | self.allocate(node)
    }

    /// Moves one flit from each source queue into the router; whether any moved.
    fn inject(&mut self, node: u32) -> bool {
        let wiring = &self.setup.wiring;
        let (degree, locals) = (wiring.degree(node), wiring.locals(node));
        let first = (wiring.locals_before(node) - self.first_source) as usize;
        let mut moved = false;
        for port in 0..locals {
            let index = first + port as usize;
            if self.sources[index].head == NONE {
                continue;
            }
            let channels = self.channel_base(node) + ((degree + locals + port) * self.vcs) as usize;
            moved |= self.inject_flit(node, index, channels, (degree + port) * self.vcs);
        }
        moved
    }

    fn inject_flit(&mut self, node: u32, index: usize, channels: usize, lanes: u32) -> bool {
        let mut source = self.sources[index];
        let head = source.left == 0;
        if head && self.held {
            return false;
        }
        if head {
            // The next channel in turn that nobody holds and that has room.
            let free = |turn: &u32| {
                let channel = &self.channels[channels + *turn as usize];
                channel.owner == FREE && channel.credits > 0
            };
            let turns = (1..=self.vcs).map(|step| (u32::from(source.channel) + step) % self.vcs);
            let Some(turn) = turns.into_iter().find(free) else { return false };
            source.channel = turn as u8;
            source.left = self.packets[source.head].length;
        }
        let channel = &mut self.channels[channels + usize::from(source.channel)];
        if (head || !self.whole) && channel.credits == 0 {
            return false;
        }
        if head || !self.whole {
            channel.credits -= 1;
        }
        source.left -= 1;
        channel.owner = if source.left == 0 { FREE } else { 0 };
        let word = pack(node, lanes + u32::from(source.channel));
        let slot = source.head;
        if source.left == 0 {
            source.head = self.packets[slot].next;
        }
        self.sources[index] = source;
        match (self.setup.router.injection_delay, head) {
            (0, true) => self.head_in(word, slot),
            (0, false) => self.body_in(word),
            (delay, true) => self.wheel.at(self.now + u64::from(delay)).heads.push((word, slot)),
            (delay, false) => self.wheel.at(self.now + u64::from(delay)).bodies.push(word),
        }
        true
    }

    /// Sends the flit in front of a lane through the switch.
    pub(super) fn send(&mut self, node: u32, local: u32) {
        let base = self.lane_base(node);
        let index = base + local as usize;
        let degree = self.setup.wiring.degree(node);
        let lane = &mut self.lanes[index];
        let (out, channel) = (u32::from(lane.out), u32::from(lane.channel));
        let head = lane.state == State::Head;
        lane.flits -= 1;
        lane.left -= 1;
        lane.state = State::Body;
        let (tail, empty) = (lane.left == 0, lane.flits == 0);
        let port = self.channel_base(node) + (out * self.vcs + channel) as usize;
        let mut stuck = empty;
        if out < degree {
            let state = &mut self.channels[port];
            if !self.whole {
                state.credits -= 1;
                stuck |= state.credits == 0;
            }
            self.flit_hops += 1;
            let slot = if head || tail { self.front(index) } else { NONE };
            self.forward(node, out, channel, head.then_some(slot), tail.then_some(slot));
            if tail && self.setup.tell_sent && local / self.vcs >= degree {
                let tag = self.packets[slot].tag;
                self.wheel.at(self.now + u64::from(self.setup.router.hop())).sent.push(tag);
            }
        } else if tail {
            let slot = self.front(index);
            self.come_out(slot, u64::from(self.setup.router.eject()).max(1));
        }
        if tail || !self.whole {
            self.give_credit(node, local);
        }
        if tail {
            self.channels[port].owner = FREE;
            self.pop(index);
            if self.lanes[index].packets > 0 {
                self.to_front(base, node, local, self.now + 1);
            } else {
                self.lanes[index].state = State::Idle;
            }
        }
        if tail || stuck {
            self.ready[(node - self.first) as usize] &= !(1 << local);
        }
    }

    /// Puts a flit on a link.
    #[inline]
    fn forward(&mut self, node: u32, out: u32, channel: u32, head: Option<u32>, tail: Option<u32>) {
        let (next, port) = unpack(self.setup.wiring.peer(node, out));
        let word = pack(next, port * self.vcs + channel);
        let at = self.now + u64::from(self.setup.router.hop());
        if let Some(slot) = head {
            self.packets[slot].hops += 1;
        }
        if (self.first..self.last).contains(&next) {
            let moment = self.wheel.at(at);
            match head {
                Some(slot) => moment.heads.push((word, slot)),
                None => moment.bodies.push(word),
            }
            return;
        }
        let crossing = head.map_or(Crossing::Body(word), |slot| Crossing::Head(word, self.packets[slot]));
        self.outbox.push((at, crossing));
        if let Some(slot) = tail {
            self.packets.remove(slot);
        }
    }

    /// Takes in what another region sent.
    pub(super) fn take_in(&mut self, at: u64, crossing: Crossing) {
        match crossing {
            Crossing::Head(word, packet) => {
                let slot = self.packets.insert(packet);
                self.wheel.at(at).heads.push((word, slot));
            }
            Crossing::Body(word) => self.wheel.at(at).bodies.push(word),
            Crossing::Credit(word) => self.wheel.at(at).credits.push(word),
        }
    }

    /// Flits in buffers and on wires, counted anew.
    pub(super) fn flits(&self) -> usize {
        self.lanes.iter().map(|lane| lane.flits as usize).sum::<usize>() + self.wheel.flits()
    }
}
