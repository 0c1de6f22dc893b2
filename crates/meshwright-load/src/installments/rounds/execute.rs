//! Messages in rounds, in whole bytes: everything begins as soon as it can.

use super::programme::Amounts;
use crate::installments::record::{Installments, Record, most_waiting};
use crate::installments::scale::Scale;
use crate::installments::streams::{CarryingLink, supplies};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;
use meshwright_schedule::Schedule;

/// What is to be sent and worked off, in bytes.
pub(super) struct Execution<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    amounts: &'a Amounts,
}

/// A message that has come.
#[derive(Clone, Copy, Debug)]
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
    /// Those that stand behind the arrivals until the round is over.
    coming: Vec<Arrival>,
    processor_free: u64,
    worked: u64,
    /// By arrival, when the last of it has gone on or been taken up.
    gone_by: Vec<u64>,
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
    pub(super) fn new(scale: &'a Scale<'p, 'm>, amounts: &'a Amounts) -> Self {
        Self { scale, amounts }
    }

    fn bytes(&self, share: f64) -> u64 {
        (share * self.scale.bytes() as f64).round() as u64
    }

    /// Runs all of it, and tells every step.
    pub(super) fn run(&self, record: &mut impl Record) -> Outcome {
        let machine = self.scale.problem().machine();
        let mut places = vec![Place::default(); machine.nodes() as usize];
        for supply in supplies(self.scale.problem(), self.scale.bytes()) {
            let place = &mut places[supply.node.index()];
            (place.own, place.stock) = (place.own + supply.bytes, place.stock + supply.bytes);
        }
        let mut link_free = vec![0u64; machine.links() as usize];
        let mut messages = 0;
        for (round, sent) in self.amounts.sent.iter().enumerate() {
            for &(wire, share) in sent {
                let place = &mut places[wire.from.index()];
                let bytes = self.bytes(share).min(place.stock);
                if bytes == 0 {
                    continue;
                }
                let (ready, after) = place.take(bytes);
                let free = &mut link_free[wire.link.index()];
                let message = self.scale.message(wire.link, bytes);
                let end = ready.max(*free) + self.scale.message_ticks(message);
                place.gone(ready, end);
                *free = end;
                let channel = CarryingLink { link: wire.link, from: wire.from, to: wire.to };
                let step = record.send(channel, message, after.into_iter());
                places[wire.to.index()].coming.push(Arrival { at: end, bytes, step });
                messages += 1;
            }
            for (node, place) in (0u32..).map(NodeId).zip(&mut places) {
                let share = self.amounts.worked[round][node.index()];
                self.work(node, self.bytes(share).min(place.stock), place, record);
                place.receive();
            }
        }
        for (node, place) in (0u32..).map(NodeId).zip(&mut places) {
            self.work_off(node, place, record);
        }
        Outcome {
            last: places.iter().map(|place| place.processor_free).max().unwrap_or(0),
            messages,
            worked: places.iter().map(|place| place.worked).collect(),
            waiting_max: places.iter().map(Place::waiting_max).max().unwrap_or(0),
        }
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

    /// The round is over: what has come in it can be used, the first come first.
    fn receive(&mut self) {
        self.coming.sort_by_key(|arrival| arrival.at);
        self.stock += self.coming.iter().map(|arrival| arrival.bytes).sum::<u64>();
        self.gone_by.extend(self.coming.iter().map(|arrival| arrival.at));
        self.arrivals.append(&mut self.coming);
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
