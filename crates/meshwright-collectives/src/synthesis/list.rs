//! List scheduling: which message each link takes next, the most urgent first; and again from the end, to learn what is urgent.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use meshwright_core::csr::Csr;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::routing::dimension_order::for_each_link;
use meshwright_network::topology::{Costs, Grid, Topology};

use crate::flow::{Flow, Moments};

/// What passes a link on its way goes before all that begins there.
const BEGINS: u64 = 1 << 62;

/// When each message of a flow moves, in ticks.
#[derive(Clone)]
pub struct Plan {
    /// By message when its head enters its first link.
    begun: Vec<u64>,
    /// By message when its last byte is there.
    arrived: Vec<u64>,
    /// When the last message is there.
    end: u64,
}

/// The messages of a flow: over which links each goes, how long it takes them, and which wait for it.
pub struct Messages {
    /// By message the links of its way.
    ways: Csr<u32>,
    /// How many links there are.
    links: usize,
    /// By message for how long it takes each of its links, but for its head.
    bodies: Vec<u64>,
    /// By message those that wait for it.
    after: Csr<u32>,
    startup: u64,
    head: u64,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A link is free again.
    Free(u32),
    /// The last byte of a message is there.
    Arrived(u32),
    /// The start-up of a message is over, or its head has come through a link.
    Asks(u32),
}

/// One run of all messages over links that take one at a time.
struct Run<'m> {
    messages: &'m Messages,
    urgency: &'m [u64],
    /// By message how many of its links it has entered.
    entered: Vec<u32>,
    /// By link, whether it is taken.
    taken: Vec<bool>,
    /// By link, messages that wait for it: the most urgent first.
    waiting: Vec<BinaryHeap<Reverse<(u64, u32)>>>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// Links that may take a message in this moment.
    asked: Vec<u32>,
    /// By message how many it waits for.
    missing: Vec<u32>,
    plan: Plan,
}

impl Messages {
    /// Those of a flow: between neighbours, or on a whole box by dimension order.
    ///
    /// # Complexity
    ///
    /// O(links of all messages + blocks of all messages).
    pub fn of(flow: &Flow, costs: &Costs, grid: Option<&Grid>) -> Self {
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut ways: Csr<u32> = Csr::default();
        for transfer in flow.transfers() {
            let (from, to) = (transfer.source, transfer.target);
            if let Some(grid) = grid {
                for_each_link(grid, NodeId(from), NodeId(to), |link| ways.push(link.0));
            } else {
                let many = numbers.len() as u32;
                ways.push(*numbers.entry((from, to)).or_insert(many));
            }
            ways.end_row();
        }
        let many = flow.transfers().len();
        let waits = flow.waits();
        Self {
            ways,
            links: grid.map_or(numbers.len(), |grid| grid.links() as usize),
            bodies: (0..many).map(|index| costs.transfer_ticks(Bytes(flow.bytes(index)))).collect(),
            after: Csr::from_pairs(many, waits.iter().map(|&(on, waiting)| (on as usize, waiting))),
            startup: costs.startup_ticks(),
            head: costs.head_ticks(),
        }
    }

    /// The same with time turned round.
    fn reversed(&self) -> Self {
        let mut ways: Csr<u32> = Csr::default();
        self.ways.rows().for_each(|way| ways.push_row(way.iter().rev().copied()));
        let before = (0u32..).zip(self.after.rows());
        let before = before.flat_map(|(on, row)| row.iter().map(move |&waiting| (waiting as usize, on)));
        let after = Csr::from_pairs(self.bodies.len(), before.collect::<Vec<_>>());
        Self { ways, after, bodies: self.bodies.clone(), ..*self }
    }

    /// Lets every message go as soon as what it needs has come and its link is free; of several, those on their way first, then
    /// the one with the least `urgency`, by message.
    ///
    /// A message of W bytes over d links takes c + d b h + b W, and each link is taken for b h + b W.
    ///
    /// # Complexity
    ///
    /// O(links of all messages × log messages).
    pub fn plan(&self, urgency: &[u64]) -> Plan {
        let many = self.bodies.len();
        let mut missing = vec![0; many];
        self.after.entries().iter().for_each(|&waiting| missing[waiting as usize] += 1);
        let run = Run {
            messages: self,
            urgency,
            entered: vec![0; many],
            taken: vec![false; self.links],
            waiting: vec![BinaryHeap::new(); self.links],
            events: BinaryHeap::new(),
            asked: Vec::new(),
            missing,
            plan: Plan { begun: vec![0; many], arrived: vec![0; many], end: 0 },
        };
        run.run()
    }

    /// The best of a plan and those that come of it by turning time round, so many times and back: what began last there is urgent here.
    ///
    /// # Source
    ///
    /// `li1992`: forward and backward passes of list schedules in turn.
    pub fn improved(&self, plan: Plan, rounds: u32) -> Plan {
        if rounds == 0 {
            return plan;
        }
        let reversed = self.reversed();
        let (mut best, mut last) = (plan.clone(), plan);
        for _ in 0..rounds {
            let late = last.before_the_end();
            let back = reversed.plan(&late);
            last = self.plan(&back.before_the_end());
            if last.end < best.end {
                best = last.clone();
            }
        }
        best
    }
}

impl Plan {
    /// By message how long before the end it is there.
    fn before_the_end(&self) -> Vec<u64> {
        self.arrived.iter().map(|arrived| self.end - arrived).collect()
    }

    /// When the last message has arrived.
    pub fn cycles(&self, costs: &Costs) -> Cycles {
        costs.cycles(self.end)
    }

    /// The messages in the order in which they begin, and by message its place in it.
    fn order(&self) -> (Vec<u32>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.begun.len() as u32).collect();
        order.sort_unstable_by_key(|&index| (self.begun[index as usize], index));
        let mut steps = vec![0; order.len()];
        for (step, index) in (0..).zip(&order) {
            steps[*index as usize] = step;
        }
        (order, steps)
    }

    /// The flow in whose steps messages begin in this order.
    pub fn ordered(&self, flow: &Flow) -> Flow {
        flow.relabelled(&self.order().1).ordered()
    }

    /// The flow, and no message begins before what happens at its member before it in this plan.
    pub fn paced(&self, flow: Flow, costs: &Costs) -> Flow {
        let (order, places) = self.order();
        let startup = costs.startup_ticks();
        // The first whose start-up begins no sooner than at a time.
        let first = |time: u64| {
            order.partition_point(|&index| self.begun[index as usize].saturating_sub(startup) < time) as u32
        };
        let moments = |index: usize| {
            let body = costs.transfer_ticks(Bytes(flow.bytes(index)));
            let left = first(self.begun[index] + costs.head_ticks() + body);
            let (begun, arrived) = (places[index], first(self.arrived[index]));
            Moments { begun, left: left.max(begun + 1), arrived: arrived.max(begun + 1) }
        };
        let moments = (0..order.len()).map(moments).collect();
        flow.paced(moments)
    }
}

impl Run<'_> {
    fn run(mut self) -> Plan {
        for index in 0..self.missing.len() {
            if self.missing[index] == 0 {
                self.begin(index as u32, 0);
            }
        }
        while let Some(Reverse((now, event))) = self.events.pop() {
            match event {
                Event::Asks(index) => self.ask(index, now),
                Event::Free(link) => {
                    self.taken[link as usize] = false;
                    self.asked.push(link);
                }
                Event::Arrived(index) => self.arrive(index, now),
            }
            // Whoever is ready in the same moment may be more urgent.
            if self.events.peek().is_none_or(|Reverse((at, _))| *at > now) {
                self.serve(now);
            }
        }
        self.plan
    }

    fn arrive(&mut self, index: u32, now: u64) {
        self.plan.arrived[index as usize] = now;
        self.plan.end = self.plan.end.max(now);
        let messages = self.messages;
        for &waiting in messages.after.row(index as usize) {
            self.missing[waiting as usize] -= 1;
            if self.missing[waiting as usize] == 0 {
                self.begin(waiting, now);
            }
        }
    }

    fn begin(&mut self, index: u32, now: u64) {
        self.events.push(Reverse((now + self.messages.startup, Event::Asks(index))));
    }

    /// A message waits for its next link.
    fn ask(&mut self, index: u32, now: u64) {
        let entered = self.entered[index as usize];
        let link = self.messages.ways.row(index as usize)[entered as usize];
        let urgency = if entered > 0 { now } else { BEGINS + self.urgency[index as usize] };
        self.waiting[link as usize].push(Reverse((urgency, index)));
        self.asked.push(link);
    }

    /// Gives the links that were asked for, or are free again.
    fn serve(&mut self, now: u64) {
        while let Some(link) = self.asked.pop() {
            if self.taken[link as usize] {
                continue;
            }
            if let Some(Reverse((_, index))) = self.waiting[link as usize].pop() {
                let through = now + self.messages.head;
                let over = through + self.messages.bodies[index as usize];
                let entered = &mut self.entered[index as usize];
                if *entered == 0 {
                    self.plan.begun[index as usize] = now;
                }
                *entered += 1;
                let is_last = *entered as usize == self.messages.ways.row(index as usize).len();
                self.taken[link as usize] = true;
                self.events.push(Reverse((over, Event::Free(link))));
                let next =
                    if is_last { (over, Event::Arrived(index)) } else { (through, Event::Asks(index)) };
                self.events.push(Reverse(next));
            }
        }
    }
}
