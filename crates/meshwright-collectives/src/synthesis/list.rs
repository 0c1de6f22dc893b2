//! List scheduling: which message each link takes next, the earliest chunk first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use meshwright_core::csr::Csr;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::Costs;

use crate::flow::Flow;

/// A flow whose steps are the order in which its messages begin, and when it ends if it runs so.
pub struct Timed {
    /// Its members begin their messages in this order.
    pub flow: Flow,
    /// When the last message has arrived.
    pub cycles: Cycles,
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A link is free again.
    Free(u32),
    /// The last byte of a message is there.
    Arrived(u32),
    /// The start-up of a message is over.
    Ready(u32),
}

/// One run of all messages over links that take one at a time.
struct Run<'f> {
    flow: &'f Flow,
    costs: &'f Costs,
    /// By transfer the link it takes, by the pair of its ends.
    link: Vec<u32>,
    /// By link, whether it is taken.
    taken: Vec<bool>,
    /// By link, messages that wait for it: the most urgent first.
    waiting: Vec<BinaryHeap<Reverse<(u64, u32)>>>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// Links that may take a message in this moment.
    asked: Vec<u32>,
    /// By transfer how many it waits for, and who waits for it.
    missing: Vec<u32>,
    after: Csr<u32>,
    urgency: Vec<u64>,
    begun: Vec<u64>,
}

/// Lets every message of a flow between neighbours go as soon as what it needs has come and its link is free; of several, the one
/// with the least `urgency` first.
///
/// A message takes c + b h + b W, and its link is taken for b h + b W.
///
/// # Complexity
///
/// O(messages log messages + blocks of all messages).
pub fn schedule(flow: &Flow, costs: &Costs, urgency: impl Fn(usize) -> u64) -> Timed {
    let mut run = Run::new(flow, costs, urgency);
    let end = run.run();
    let mut order: Vec<u32> = (0..flow.transfers().len() as u32).collect();
    order.sort_by_key(|&index| (run.begun[index as usize], run.urgency[index as usize], index));
    let mut steps = vec![0; order.len()];
    for (step, index) in (0..).zip(&order) {
        steps[*index as usize] = step;
    }
    Timed { flow: flow.relabelled(&steps).ordered(), cycles: costs.cycles(end) }
}

impl<'f> Run<'f> {
    fn new(flow: &'f Flow, costs: &'f Costs, urgency: impl Fn(usize) -> u64) -> Self {
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let link: Vec<u32> = flow
            .transfers()
            .iter()
            .map(|transfer| {
                let many = numbers.len() as u32;
                *numbers.entry((transfer.source, transfer.target)).or_insert(many)
            })
            .collect();
        let waits = flow.waits();
        let many = flow.transfers().len();
        let mut missing = vec![0; many];
        waits.iter().for_each(|&(_, waiting)| missing[waiting as usize] += 1);
        let after = Csr::from_pairs(many, waits.iter().map(|&(on, waiting)| (on as usize, waiting)));
        Self {
            flow,
            costs,
            taken: vec![false; numbers.len()],
            waiting: vec![BinaryHeap::new(); numbers.len()],
            link,
            events: BinaryHeap::new(),
            asked: Vec::new(),
            missing,
            after,
            urgency: (0..many).map(urgency).collect(),
            begun: vec![0; many],
        }
    }

    fn run(&mut self) -> u64 {
        for index in 0..self.missing.len() {
            if self.missing[index] == 0 {
                self.begin(index as u32, 0);
            }
        }
        let mut end = 0;
        while let Some(Reverse((now, event))) = self.events.pop() {
            match event {
                Event::Ready(index) => {
                    let link = self.link[index as usize];
                    self.waiting[link as usize].push(Reverse((self.urgency[index as usize], index)));
                    self.asked.push(link);
                }
                Event::Free(link) => {
                    self.taken[link as usize] = false;
                    self.asked.push(link);
                }
                Event::Arrived(index) => {
                    end = end.max(now);
                    self.arrive(index, now);
                }
            }
            // Whoever is ready in the same moment may be more urgent.
            if self.events.peek().is_none_or(|Reverse((at, _))| *at > now) {
                self.serve(now);
            }
        }
        end
    }

    fn arrive(&mut self, index: u32, now: u64) {
        for at in self.after.range(index as usize) {
            let waiting = self.after.entries()[at];
            self.missing[waiting as usize] -= 1;
            if self.missing[waiting as usize] == 0 {
                self.begin(waiting, now);
            }
        }
    }

    fn begin(&mut self, index: u32, now: u64) {
        self.begun[index as usize] = now;
        self.events.push(Reverse((now + self.costs.startup_ticks(), Event::Ready(index))));
    }

    /// Gives the links that were asked for, or are free again.
    fn serve(&mut self, now: u64) {
        while let Some(link) = self.asked.pop() {
            if self.taken[link as usize] {
                continue;
            }
            if let Some(Reverse((_, index))) = self.waiting[link as usize].pop() {
                let body = self.costs.transfer_ticks(Bytes(self.flow.bytes(index as usize)));
                let over = now + self.costs.head_ticks() + body;
                self.taken[link as usize] = true;
                self.begun[index as usize] = now;
                self.events.push(Reverse((over, Event::Free(link))));
                self.events.push(Reverse((over, Event::Arrived(index))));
            }
        }
    }
}
