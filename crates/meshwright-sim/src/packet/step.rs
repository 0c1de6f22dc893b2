//! One step of all routers: heads are looked at as they stood when it began, and what crosses joins its queues at the end.

use super::routers::{Entry, InputQueue, NONE, QueuedMessage, QueuedPacket, Router, Routers};
use super::wires::{Out, Wire, class, port};
use meshwright_core::bits::Bits;

impl Routers<'_> {
    /// One step; whether any packet crossed a link.
    pub(super) fn step_all(&mut self) -> bool {
        self.sent.clear();
        self.delivered.clear();
        for index in 0..self.active.summaries() {
            for word in Bits(self.active.summary(index)) {
                let word = 64 * index as u32 + word;
                let mut left = 0;
                for bit in Bits(self.active.word(word as usize)) {
                    left |= u64::from(!self.visit(64 * word + bit)) << bit;
                }
                self.active.keep(word, !left);
            }
        }
        self.settle();
        if self.one_port {
            self.take_in_one_each();
        }
        std::mem::take(&mut self.moved)
    }

    /// Lets the heads at one router go, as far as they can; whether any packets are left there.
    #[inline(always)]
    fn visit(&mut self, node: u32) -> bool {
        let Router { lanes, fresh } = self.routers[node as usize];
        if fresh == 0 && lanes.is_power_of_two() {
            return self.visit_alone(node, lanes.trailing_zeros());
        }
        if lanes == 0 && fresh.is_power_of_two() {
            self.visit_source(node, fresh.trailing_zeros());
        } else {
            self.visit_many(node, lanes, fresh);
        }
        let router = self.routers[node as usize];
        router.lanes | router.fresh != 0
    }

    /// The same where only one queue has packets, and these came in.
    #[inline(always)]
    fn visit_alone(&mut self, node: u32, local: u32) -> bool {
        let lane = node * self.wires.lanes + local;
        let line = self.lanes[lane as usize];
        let link = &mut self.links[(node * self.wires.degree + port(line.out)) as usize];
        let wire = link.wire;
        let is_last = wire.node == line.target;
        if !is_last && self.lanes[(wire.lane + class(line.out)) as usize].taken >= self.buffers {
            link.waits += 1;
            return true;
        }
        link.turn = local + 1;
        link.crossed += 1;
        self.forward(node, local, line, wire)
    }

    /// The same where only one message has packets, and they are new.
    #[inline(always)]
    fn visit_source(&mut self, node: u32, slot: u32) {
        let message = self.fresh[(node * self.wires.degree + slot) as usize].head;
        let QueuedMessage { target, out, .. } = self.messages[message as usize];
        let place = (node * self.wires.degree + port(out)) as usize;
        let has_room = self.has_room(place, out, target);
        let link = &mut self.links[place];
        if has_room {
            link.turn = self.wires.lanes + 1;
            link.crossed += 1;
            let wire = link.wire;
            self.inject(node, port(out), wire);
        } else {
            link.waits += 1;
        }
    }

    /// The same in general.
    fn visit_many(&mut self, node: u32, lanes: u64, fresh: u64) {
        let mut ports = 0u64;
        for lane in Bits(lanes) {
            let InputQueue { target, out, .. } = self.lanes[(node * self.wires.lanes + lane) as usize];
            ports |= self.ask(node, lane, out, target);
        }
        for slot in Bits(fresh) {
            let message = self.fresh[(node * self.wires.degree + slot) as usize].head;
            let queued = &self.messages[message as usize];
            ports |= self.ask(node, self.wires.lanes, queued.out, queued.target);
        }
        for port in Bits(ports) {
            self.serve(node, port);
        }
    }

    /// Whether a packet can cross the link at a place.
    #[inline(always)]
    fn has_room(&self, place: usize, out: Out, target: u32) -> bool {
        let wire = self.links[place].wire;
        wire.node == target || self.lanes[(wire.lane + class(out)) as usize].taken < self.buffers
    }

    /// Notes what a head wants; the port as a set, if it can go.
    #[inline(always)]
    fn ask(&mut self, node: u32, queue: u32, out: Out, target: u32) -> u64 {
        let port = port(out);
        let place = (node * self.wires.degree + port) as usize;
        if !self.has_room(place, out, target) {
            self.links[place].waits += 1;
            return 0;
        }
        self.able[port as usize] |= 1 << queue;
        1 << port
    }

    /// Gives a link to the queue whose turn it is.
    #[inline(always)]
    fn serve(&mut self, node: u32, port: u32) {
        let able = std::mem::take(&mut self.able[port as usize]);
        let link = &mut self.links[(node * self.wires.degree + port) as usize];
        let after = able & (u64::MAX << link.turn);
        let queue = if after == 0 { able.trailing_zeros() } else { after.trailing_zeros() };
        link.waits += u64::from(able.count_ones() - 1);
        link.turn = queue + 1;
        link.crossed += 1;
        let wire = link.wire;
        if queue == self.wires.lanes {
            self.inject(node, port, wire);
        } else {
            let line = self.lanes[(node * self.wires.lanes + queue) as usize];
            self.forward(node, queue, line, wire);
        }
    }

    /// The head of an incoming queue, which is like this, crosses a link; whether others stand behind it.
    #[inline(always)]
    fn forward(&mut self, node: u32, local: u32, line: InputQueue, wire: Wire) -> bool {
        let lane = node * self.wires.lanes + local;
        let InputQueue { head: number, tail, target, out, .. } = line;
        let is_followed = number != tail;
        if is_followed {
            let next = self.packets[number as usize].next;
            let head = &self.packets[next as usize];
            self.lanes[lane as usize] = InputQueue { head: next, target: head.target, out: head.out, ..line };
        } else {
            self.routers[node as usize].lanes &= !(1 << local);
        }
        self.left.push(lane);
        if wire.node == target {
            self.idle.push(number);
            self.arrive(self.packets[number as usize].message);
        } else {
            let lane = wire.lane + class(out);
            self.entries.push(Entry { packet: number, target, node: wire.node, lane });
        }
        is_followed
    }

    /// A packet of a waiting message crosses its first link.
    #[inline(always)]
    fn inject(&mut self, node: u32, port: u32, wire: Wire) {
        let slot = if self.one_port { 0 } else { port };
        let line = &mut self.fresh[(node * self.wires.degree + slot) as usize];
        let message = line.head;
        let queued = &mut self.messages[message as usize];
        queued.unsent -= 1;
        let QueuedMessage { target, next, out, unsent, .. } = *queued;
        self.moved = true;
        if unsent == 0 {
            line.head = next;
            if next == NONE {
                self.routers[node as usize].fresh &= !(1 << slot);
            }
            if self.tells_sent {
                self.sent.push(message);
            }
        }
        if wire.node == target {
            return self.arrive(message);
        }
        let packet = QueuedPacket { target, message, next: NONE, out };
        let number = self.idle.pop().unwrap_or(self.packets.len() as u32);
        match self.packets.get_mut(number as usize) {
            Some(place) => *place = packet,
            None => self.packets.push(packet),
        }
        let lane = wire.lane + class(out);
        self.entries.push(Entry { packet: number, target, node: wire.node, lane });
    }

    /// A packet has crossed into its target, whose one port may take it in later.
    #[inline(always)]
    fn arrive(&mut self, message: u32) {
        if self.one_port {
            self.landed.push(message);
        } else {
            self.take_in(message);
        }
    }

    /// With one port every node takes in the first packet that waits there.
    fn take_in_one_each(&mut self) {
        for index in 0..self.landed.len() {
            let message = self.landed[index];
            let node = self.messages[message as usize].target;
            self.landing[node as usize].push_back(message);
            self.landings.insert(node);
        }
        self.landed.clear();
        for index in 0..self.landings.summaries() {
            for word in Bits(self.landings.summary(index)) {
                let word = 64 * index as u32 + word;
                for bit in Bits(self.landings.word(word as usize)) {
                    let node = 64 * word + bit;
                    let waiting = &mut self.landing[node as usize];
                    let first = waiting.pop_front().expect("the nodes where some wait");
                    if waiting.is_empty() {
                        self.landings.remove(node);
                    }
                    self.take_in(first);
                    self.moved = true;
                }
            }
        }
    }

    /// A packet has left the network.
    #[inline(always)]
    fn take_in(&mut self, message: u32) {
        let queued = &mut self.messages[message as usize];
        queued.missing -= 1;
        if queued.missing == 0 {
            self.delivered.push(message);
        }
    }

    /// The end of a step: what crossed joins its queues, and slots become free.
    fn settle(&mut self) {
        let Self { wires, routers, active, lanes, packets, entries, left, .. } = self;
        self.moved |= !left.is_empty();
        let (routers, lanes) = (&mut routers[..], &mut lanes[..]);
        for &lane in left.iter() {
            lanes[lane as usize].taken -= 1;
        }
        let per_node = wires.lanes;
        for &Entry { packet: number, target, node, lane } in entries.iter() {
            let out = wires.route(node, Some(lane), target);
            let bit = 1 << (lane - node * per_node);
            let (router, line) = (&mut routers[node as usize], &mut lanes[lane as usize]);
            let taken = line.taken + 1;
            if router.lanes & bit == 0 {
                router.lanes |= bit;
                *line = InputQueue { head: number, tail: number, taken, target, out };
                active.insert(node);
            } else {
                line.taken = taken;
                let before = std::mem::replace(&mut line.tail, number);
                packets[before as usize].next = number;
                packets[number as usize].out = out;
            }
        }
        left.clear();
        entries.clear();
    }
}
