//! A network of one-way rings flit by flit, as far as the tables need it: acknowledgements and answers are packets too,
//! processors issue with a gap and an overhead for each new peer.
//!
//! The library's engine moves flits by the same rules but takes an acknowledgement as a time and whole numbers of cycles
//! as gaps; at 64 bytes one flit of three is an acknowledgement, so that this one is kept here. Routes, borders and the
//! order of axes are those of the library's fabric.

use std::collections::VecDeque;

use meshwright_core::units::NodeId;
use meshwright_network::fabric::Fabric;
use meshwright_network::topology::Topology;

/// What is fixed during a run.
pub(crate) struct Setting<'f> {
    pub(crate) fabric: &'f Fabric,
    /// The network: 0 for writes, 1 for reads.
    pub(crate) plane: usize,
    /// Flits of a virtual channel.
    pub(crate) depth: usize,
    /// Virtual channels of answers on each side of the border; requests have one.
    pub(crate) answers: usize,
    /// Requests a port holds; a full one blocks the next.
    pub(crate) hold: usize,
    /// Whether processors read: requests of one flit, answers with the bytes.
    pub(crate) read: bool,
    /// Flits of a packet with bytes.
    pub(crate) flits: u32,
    /// Cycles of a flit at a port beyond one, and where it is another number.
    pub(crate) extra: f64,
    pub(crate) slow: Vec<(NodeId, f64)>,
}

/// What a processor does: some packets to each of its peers in their order.
pub(crate) struct Sender {
    pub(crate) node: NodeId,
    pub(crate) peers: Vec<NodeId>,
    pub(crate) packets: usize,
    /// Cycles from one packet to the next, and more before a new peer.
    pub(crate) gap: f64,
    pub(crate) new_peer: f64,
}

/// Flits of a virtual channel: a hop and one more, the least that carries full rate.
pub(crate) const DEPTH: usize = 10;

/// Cycles between a port and its router, and of the begin of an answer.
const LOCAL: u64 = 20;
/// Packets a processor may have waiting at its port.
const AHEAD: usize = 2;
const FREE: u32 = u32::MAX;
const NONE: u8 = u8::MAX;

#[derive(Clone, Copy)]
struct Packet {
    from: u32,
    to: u32,
    flits: u32,
    answer: bool,
    sender: u32,
}

#[derive(Clone, Copy)]
struct Flit {
    packet: u32,
    tail: bool,
    ready: u64,
}

/// A packet that enters, with its flits left and its channel.
type Entering = Option<(u32, u32, usize)>;

/// What a port keeps: packets that wait, by class and with the cycle from which on they may enter.
#[derive(Clone, Default)]
struct Port {
    waiting: [VecDeque<(u32, u64)>; 2],
    entering: [Entering; 2],
    turn: usize,
    /// When its next flit may enter and leave.
    in_free: f64,
    out_free: f64,
    held: usize,
    extra: f64,
}

/// The progress of a sender.
#[derive(Clone)]
struct Progress {
    issued: usize,
    left: usize,
    next: f64,
    done: f64,
}

/// Everything that moves. Inputs and outputs of a router: 0 the port, 1 along rows, 2 along columns.
struct Rings<'s> {
    setting: &'s Setting<'s>,
    senders: &'s [Sender],
    nodes: usize,
    /// Virtual channels of an input: requests on both sides of the border, then answers.
    channels: usize,
    /// Nodes in the order in which they act: along the rings; and those whose ports are used.
    order: Vec<usize>,
    used: Vec<usize>,
    packets: Vec<Packet>,
    buffers: Vec<VecDeque<Flit>>,
    occupied: Vec<u64>,
    /// By output and channel the packet that owns it; by output the queue that is asked first.
    owners: Vec<u32>,
    first: Vec<usize>,
    /// By queue the output and channel of its packet.
    assigned: Vec<(u8, u8)>,
    /// By node and target the output; by node and output the next node and whether the border lies between.
    outputs: Vec<u8>,
    next: Vec<(u32, bool)>,
    ports: Vec<Port>,
    progress: Vec<Progress>,
    now: u64,
    running: usize,
}

/// The cycles after which each sender has all its answers.
pub(crate) fn run(setting: &Setting<'_>, senders: &[Sender]) -> Vec<f64> {
    let mut rings = Rings::new(setting, senders);
    while rings.running > 0 {
        (0..senders.len()).for_each(|sender| rings.issue(sender));
        for index in 0..rings.used.len() {
            rings.enter(rings.used[index]);
        }
        for index in 0..rings.nodes {
            let node = rings.order[index];
            if rings.occupied[node] != 0 {
                rings.route(node);
            }
        }
        rings.now += 1;
        assert!(rings.now < 1 << 28, "rings with borders do not stand still");
    }
    rings.progress.iter().map(|own| own.done).collect()
}

impl<'s> Rings<'s> {
    fn new(setting: &'s Setting<'s>, senders: &'s [Sender]) -> Self {
        let (fabric, plane) = (setting.fabric, setting.plane);
        let nodes = fabric.grid().nodes() as usize;
        let channels = 2 * (1 + setting.answers);
        let mut ports = vec![Port { extra: setting.extra, ..Port::default() }; nodes];
        setting.slow.iter().for_each(|&(node, extra)| ports[node.index()].extra = extra);
        let all = || (0..nodes as u32).map(NodeId);
        let output = |(at, to)| fabric.next(plane, at, to).map_or(0, |(axis, _)| 2 - axis as u8);
        let up = fabric.planes()[plane].legs.iter().all(|leg| leg.runs(leg.axis, true));
        let step = |node: NodeId, axis: usize| {
            let next = fabric.step(node, axis, up);
            let grows = fabric.grid().coordinate(next, axis) > fabric.grid().coordinate(node, axis);
            (next.0, grows != up)
        };
        let progress = |own: &Sender| Progress {
            issued: 0,
            left: own.peers.len() * own.packets,
            next: own.new_peer,
            done: 0.0,
        };
        let mut order: Vec<usize> = (0..nodes).collect();
        if !up {
            order.reverse();
        }
        let takes_part = |&node: &usize| {
            let node = NodeId(node as u32);
            senders.iter().any(|own| own.node == node || own.peers.contains(&node))
        };
        let used = order.iter().copied().filter(takes_part).collect();
        Self {
            setting,
            senders,
            nodes,
            channels,
            order,
            used,
            packets: Vec::new(),
            buffers: vec![VecDeque::new(); nodes * 3 * channels],
            occupied: vec![0; nodes],
            owners: vec![FREE; nodes * 3 * channels],
            first: vec![0; nodes * 3],
            assigned: vec![(NONE, NONE); nodes * 3 * channels],
            outputs: all().flat_map(|at| all().map(move |to| (at, to))).map(output).collect(),
            next: all().flat_map(|node| [(node.0, false), step(node, 1), step(node, 0)]).collect(),
            ports,
            progress: senders.iter().map(progress).collect(),
            now: 0,
            running: senders.len(),
        }
    }

    /// Lets a processor issue what is due.
    fn issue(&mut self, sender: usize) {
        let own = &self.senders[sender];
        let (now, read) = (self.now as f64, self.setting.read);
        let flits = if read { 1 } else { self.setting.flits };
        let waiting = &mut self.ports[own.node.index()].waiting[0];
        let state = &mut self.progress[sender];
        while state.issued < own.peers.len() * own.packets && state.next <= now && waiting.len() < AHEAD {
            let to = own.peers[state.issued / own.packets].0;
            waiting.push_back((self.packets.len() as u32, self.now + LOCAL));
            self.packets.push(Packet { from: own.node.0, to, flits, answer: false, sender: sender as u32 });
            state.issued += 1;
            let new_peer = if state.issued.is_multiple_of(own.packets) { own.new_peer } else { 0.0 };
            state.next = state.next.max(now - 1.0) + own.gap + new_peer;
        }
    }

    /// The channels of a class on one side of the border.
    fn class(&self, answer: bool, side: usize) -> std::ops::Range<usize> {
        let (first, count) = if answer { (2, self.setting.answers) } else { (0, 1) };
        first + side * count..first + (side + 1) * count
    }

    /// Lets a flit of a node's port enter.
    fn enter(&mut self, node: usize) {
        for class in 0..2 {
            let ready = self.ports[node].waiting[class].front().is_some_and(|&(_, at)| at <= self.now);
            if ready && self.ports[node].entering[class].is_none() {
                let (packet, _) = self.ports[node].waiting[class].pop_front().expect("a packet waits");
                let first = node * 3 * self.channels;
                let least = self.class(class == 1, 0).min_by_key(|&it| self.buffers[first + it].len());
                let flits = self.packets[packet as usize].flits;
                self.ports[node].entering[class] = Some((packet, flits, least.expect("a channel")));
            }
        }
        let port = &mut self.ports[node];
        let entering = [0, 1].into_iter().filter(|&class| port.entering[class].is_some());
        let count = entering.clone().count();
        if count == 0 || port.in_free >= self.now as f64 + 1.0 {
            return;
        }
        for turn in 0..count {
            let index = (port.turn + turn) % count;
            let class = entering.clone().nth(index).expect("a packet enters");
            let (packet, left, channel) = port.entering[class].expect("a packet enters");
            let buffer = &mut self.buffers[node * 3 * self.channels + channel];
            if buffer.len() >= self.setting.depth {
                continue;
            }
            let Packet { flits, answer, .. } = self.packets[packet as usize];
            buffer.push_back(Flit { packet, tail: left == 1, ready: self.now + 1 });
            self.occupied[node] |= 1 << channel;
            port.in_free = port.in_free.max(self.now as f64) + 1.0 + if flits > 1 { port.extra } else { 0.0 };
            port.entering[class] = (left > 1).then_some((packet, left - 1, channel));
            port.held -= usize::from(left == 1 && answer && self.setting.read);
            port.turn = index + 1;
            break;
        }
    }

    /// Passes at most one flit to each output of a router and from each of its inputs.
    fn route(&mut self, node: usize) {
        let first = node * 3 * self.channels;
        let mut wanted = [0u64; 3];
        let mut queues = self.occupied[node];
        while queues != 0 {
            let queue = queues.trailing_zeros() as usize;
            queues &= queues - 1;
            let Some(&Flit { packet, ready, .. }) = self.buffers[first + queue].front() else { continue };
            if ready > self.now {
                continue;
            }
            let assigned = &mut self.assigned[first + queue];
            if assigned.0 == NONE {
                let to = self.packets[packet as usize].to as usize;
                *assigned = (self.outputs[node * self.nodes + to], NONE);
            }
            wanted[assigned.0 as usize] |= 1 << queue;
        }
        let mut used = 0u8;
        for (output, wanted) in wanted.into_iter().enumerate() {
            let blocked = output == 0 && self.ports[node].out_free >= self.now as f64 + 1.0;
            if wanted == 0 || blocked {
                continue;
            }
            let later = wanted & (!0 << self.first[node * 3 + output]);
            'passed: for mut queues in [later, wanted & !later] {
                while queues != 0 {
                    let queue = queues.trailing_zeros() as usize;
                    queues &= queues - 1;
                    let input = queue / self.channels;
                    if used >> input & 1 == 0 && self.pass(node, queue, output) {
                        used |= 1 << input;
                        break 'passed;
                    }
                }
            }
        }
    }

    /// The channel of an output that the packet at the front of a queue may own, if one is free.
    fn channel(&mut self, node: usize, queue: usize, output: usize) -> Option<usize> {
        let at = node * 3 * self.channels + queue;
        if self.assigned[at].1 != NONE {
            return Some(self.assigned[at].1 as usize);
        }
        let (input, channel) = (queue / self.channels, queue % self.channels);
        let packet = self.buffers[at][0].packet;
        let answer = self.packets[packet as usize].answer;
        let before = usize::from(self.class(answer, 1).contains(&channel));
        let side = match output {
            0 => 0,
            _ if self.next[node * 3 + output].1 => 1,
            _ if input == output => before,
            _ => 0,
        };
        // Of two channels that of its own number first.
        let (own, all) = (channel - self.class(answer, before).start, self.class(answer, side));
        let choice = (0..all.len()).map(|it| all.start + (own + it) % all.len());
        let owners = (node * 3 + output) * self.channels;
        let free = choice.into_iter().find(|&it| self.owners[owners + it] == FREE)?;
        if output == 0 && self.setting.read && !answer {
            let port = &mut self.ports[node];
            if port.held >= self.setting.hold {
                return None;
            }
            port.held += 1;
        }
        self.assigned[at].1 = free as u8;
        self.owners[owners + free] = packet;
        Some(free)
    }

    /// Passes the flit at the front of a queue, if it may; whether it did.
    fn pass(&mut self, node: usize, queue: usize, output: usize) -> bool {
        let Some(channel) = self.channel(node, queue, output) else { return false };
        let (next, at) = (self.next[node * 3 + output].0 as usize, node * 3 * self.channels + queue);
        let behind = (next * 3 + output) * self.channels + channel;
        if output > 0 && self.buffers[behind].len() >= self.setting.depth {
            return false;
        }
        let flit = self.buffers[at].pop_front().expect("a flit is there");
        if self.buffers[at].is_empty() {
            self.occupied[node] &= !(1 << queue);
        }
        self.first[node * 3 + output] = (queue + 1) % (3 * self.channels);
        if flit.tail {
            self.assigned[at] = (NONE, NONE);
            self.owners[(node * 3 + output) * self.channels + channel] = FREE;
        }
        if output > 0 {
            let ready = self.now + self.setting.fabric.hop().0;
            self.buffers[behind].push_back(Flit { ready, ..flit });
            self.occupied[next] |= 1 << (output * self.channels + channel);
        } else {
            self.leave(node, flit);
        }
        true
    }

    /// A flit leaves the network: the last one of a request begins the answer, that of an answer may end a sender.
    fn leave(&mut self, node: usize, flit: Flit) {
        let packet = self.packets[flit.packet as usize];
        let port = &mut self.ports[node];
        let extra = if packet.flits > 1 { port.extra } else { 0.0 };
        port.out_free = port.out_free.max(self.now as f64) + 1.0 + extra;
        if !flit.tail {
            return;
        }
        if packet.answer {
            let own = &mut self.progress[packet.sender as usize];
            own.left -= 1;
            if own.left == 0 {
                own.done = self.now as f64;
                self.running -= 1;
            }
        } else {
            let flits = if self.setting.read { self.setting.flits } else { 1 };
            port.waiting[1].push_back((self.packets.len() as u32, self.now + LOCAL));
            self.packets.push(Packet { from: packet.to, to: packet.from, flits, answer: true, ..packet });
        }
    }
}
