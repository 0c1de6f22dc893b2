//! Messages in order, in whole bytes: everything begins as soon as it can.

use super::order::{Message, Order};
use super::programme::Wire;
use super::times::Times;
use crate::installments::record::{Installments, Record, most_waiting};
use crate::installments::scale::Scale;
use crate::installments::streams::{CarryingLink, supplies};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;
use meshwright_schedule::Schedule;

/// What is to be sent and worked off, in bytes.
pub(super) struct Execution<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    order: &'a Order,
    times: &'a Times,
}

/// A message that has come.
#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    at: u64,
    bytes: u64,
    /// The step in which it was received.
    step: u32,
}

/// A node while all runs.
#[derive(Clone, Debug, Default)]
struct Place {
    /// What it has at the beginning.
    own: u64,
    /// What it has in hand, and has not sent or put to work.
    stock: u64,
    /// What it has used of all that was ever there.
    used: u64,
    arrivals: Vec<Arrival>,
    /// How many of its messages have come, with load or not, and whether what follows them has begun.
    counted: usize,
    is_begun: bool,
    processor_free: u64,
    worked: u64,
    /// By arrival, when the last of it has gone on or been taken up.
    gone_by: Vec<u64>,
}

/// What all nodes share while all runs.
struct Running {
    /// By link, in ticks.
    link_free: Vec<u64>,
    /// By node and how many messages have come to it, what leaves it then.
    leaving: Vec<Vec<Vec<usize>>>,
    /// By message, those that have been sent.
    sent: Vec<Option<Arrival>>,
    messages: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// When the last work ends, in ticks.
    pub(super) last: u64,
    messages: u64,
    worked: Vec<u64>,
    waiting_max: u64,
}

impl Outcome {
    /// The schedule with what is told of it.
    pub(super) fn described(self, scale: &Scale, schedule: Schedule) -> Installments {
        Installments {
            schedule,
            messages: self.messages,
            processors: self.worked.iter().filter(|&&bytes| bytes > 0).count(),
            predicted_cycles: scale.costs().cycles(self.last).0,
            makespan: scale.units_of_ticks(self.last),
            installments: vec![1.0],
            shares: self.worked.iter().map(|&worked| worked as f64 / scale.bytes() as f64).collect(),
            waiting_max: self.waiting_max,
        }
    }
}

impl<'a, 'p, 'm> Execution<'a, 'p, 'm> {
    pub(super) fn new(scale: &'a Scale<'p, 'm>, order: &'a Order, times: &'a Times) -> Self {
        Self { scale, order, times }
    }

    fn bytes(&self, share: f64) -> u64 {
        (share * self.scale.bytes() as f64).round() as u64
    }

    /// Runs all of it, and tells every step.
    pub(super) fn run(&self, record: &mut impl Record) -> Option<Outcome> {
        let machine = self.scale.problem().machine();
        let mut places = vec![Place::default(); machine.nodes() as usize];
        for supply in supplies(self.scale.problem(), self.scale.bytes()) {
            let place = &mut places[supply.node.index()];
            (place.own, place.stock) = (place.own + supply.bytes, place.stock + supply.bytes);
        }
        let mut running = Running {
            link_free: vec![0u64; machine.links() as usize],
            leaving: self.leaving(),
            sent: vec![None; self.order.messages.len()],
            messages: 0,
        };
        // A node goes on until it waits for a message that is not sent yet.
        let mut waiting: Vec<NodeId> = machine.living().collect();
        while !waiting.is_empty() {
            let mut has_moved = false;
            waiting.retain(|&node| {
                let place = &mut places[node.index()];
                let before = (place.counted, place.is_begun);
                let is_over = self.go_on(node, place, &mut running, record);
                has_moved |= is_over || before != (place.counted, place.is_begun);
                !is_over
            });
            if !has_moved {
                return None;
            }
        }
        for (node, place) in (0u32..).map(NodeId).zip(&mut places) {
            self.work_off(node, place, record);
        }
        Some(Outcome {
            last: places.iter().map(|place| place.processor_free).max().unwrap_or(0),
            messages: running.messages,
            worked: places.iter().map(|place| place.worked).collect(),
            waiting_max: places.iter().map(Place::waiting_max).max().unwrap_or(0),
        })
    }

    /// By node, what leaves it after so many messages have come, in the order in which it begins.
    fn leaving(&self) -> Vec<Vec<Vec<usize>>> {
        let stages = |coming: &Vec<usize>| vec![Vec::new(); coming.len() + 1];
        let mut leaving: Vec<Vec<Vec<usize>>> = self.order.coming.iter().map(stages).collect();
        for message in self.order.crossing.iter().flatten() {
            let Message { wire, after } = self.order.messages[*message];
            leaving[wire.from.index()][after].push(*message);
        }
        let begin = |message: &usize| self.times.begin[*message];
        for stage in leaving.iter_mut().flatten() {
            stage.sort_by(|a, b| begin(a).total_cmp(&begin(b)));
        }
        leaving
    }

    /// A node sends, works and receives for as long as what comes next has been sent; whether it is done.
    fn go_on(
        &self,
        node: NodeId,
        place: &mut Place,
        running: &mut Running,
        record: &mut impl Record,
    ) -> bool {
        let coming = &self.order.coming[node.index()];
        loop {
            if !place.is_begun {
                for &message in &std::mem::take(&mut running.leaving[node.index()][place.counted]) {
                    self.send(message, place, running, record);
                }
            }
            let Some(&next) = coming.get(place.counted) else { return true };
            if !std::mem::replace(&mut place.is_begun, true) {
                let share = self.times.work[node.index()][place.counted];
                self.work(node, self.bytes(share).min(place.stock), place, record);
            }
            let Some(arrival) = running.sent[next] else { return false };
            place.receive(arrival);
        }
    }

    fn send(&self, index: usize, place: &mut Place, running: &mut Running, record: &mut impl Record) {
        let Wire { link, from, to } = self.order.messages[index].wire;
        let bytes = self.bytes(self.times.size[index]).min(place.stock);
        if bytes == 0 {
            running.sent[index] = Some(Arrival::default());
            return;
        }
        let (ready, after) = place.take(bytes);
        let free = &mut running.link_free[link.index()];
        let message = self.scale.message(link, bytes);
        let at = ready.max(*free) + self.scale.message_ticks(message);
        place.gone(ready, at);
        *free = at;
        let step = record.send(CarryingLink { link, from, to }, message, after.into_iter());
        running.sent[index] = Some(Arrival { at, bytes, step });
        running.messages += 1;
    }

    /// A node works off so many bytes.
    fn work(&self, node: NodeId, bytes: u64, place: &mut Place, record: &mut impl Record) {
        if bytes == 0 {
            return;
        }
        let (ready, after) = place.take(bytes);
        let cycles = self.scale.work(node, bytes);
        let begin = ready.max(place.processor_free);
        place.gone(ready, begin);
        place.processor_free = begin + cycles.0 * self.scale.costs().ticks_per_cycle();
        place.worked += bytes;
        record.work(node, cycles, after.into_iter());
    }

    /// All that is left, message by message, as it comes.
    fn work_off(&self, node: NodeId, place: &mut Place, record: &mut impl Record) {
        let mut whole = place.own;
        let ends: Vec<u64> = std::iter::once(whole)
            .chain(place.arrivals.iter().map(|arrival| {
                whole += arrival.bytes;
                whole
            }))
            .collect();
        for end in ends {
            self.work(node, end.saturating_sub(place.used), place, record);
        }
    }
}

impl Place {
    /// Takes bytes out of the stock, the first come first; when all of them are there, and the steps in which they came.
    fn take(&mut self, bytes: u64) -> (u64, Vec<u32>) {
        self.used += bytes;
        self.stock -= bytes;
        let mut there = self.own;
        let (mut ready, mut after) = (0, Vec::new());
        for arrival in &self.arrivals {
            if there >= self.used {
                break;
            }
            there += arrival.bytes;
            // What came before has been waited for, or is now.
            ready = ready.max(arrival.at);
            after.push(arrival.step);
        }
        (ready, after)
    }

    /// What came at `ready`, the last of it, has gone by `until`.
    fn gone(&mut self, ready: u64, until: u64) {
        if let Some(index) = self.arrivals.iter().position(|arrival| arrival.at == ready) {
            self.gone_by[index] = self.gone_by[index].max(until);
        }
    }

    /// A message has come, and can be used.
    fn receive(&mut self, arrival: Arrival) {
        (self.counted, self.is_begun) = (self.counted + 1, false);
        if arrival.bytes > 0 {
            self.stock += arrival.bytes;
            self.gone_by.push(arrival.at);
            self.arrivals.push(arrival);
        }
    }

    /// The most messages that wait here at a time.
    fn waiting_max(&self) -> u64 {
        let waits = self.arrivals.iter().zip(&self.gone_by).filter(|(arrival, gone)| **gone > arrival.at);
        let mut changes: Vec<(u64, i64)> =
            waits.flat_map(|(arrival, &gone)| [(arrival.at, 1), (gone, -1)]).collect();
        changes.sort_unstable();
        most_waiting(changes.into_iter().map(|(_, change)| change))
    }
}
