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

mod arrive;
mod run;
mod send;
mod visit;

use self::run::Run;
use super::fabric::{Crossing, Fabric};
use super::packet::{NONE, Packet, Packets};
use super::region::{Delays, FREE, Setup};
use super::wiring::unpack;
use crate::routing::Relation;
use crate::routing::dimension_order::Axes;

/// A plan reaches at most so many cycles ahead; one less than a power of two.
const AHEAD: u32 = 511;

/// Larger machines are simulated flit by flit, which takes two thirds of the memory.
const NODES_MAX: u32 = 1 << 18;

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
