//! The timetable of a flow in installments: the time of every message over every link.
//!
//! A link serves its messages in their order, one at a time, for c + b W each. A node sends on or works off what has
//! come in whole, in the order in which it came. So all times follow one from the other.

use super::layout::{CLASSES, Layout, is_due};
use super::record::{Record, most_waiting};
use super::scale::Scale;
use super::streams::{Epoch, Junction, Streams, Supply};
use meshwright_core::units::Cycles;

/// Load that has come in.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// All bytes that came in up to here.
    sum: u64,
    /// When it was there, in ticks.
    tick: u64,
    /// When all up to here were there, in ticks.
    latest: u64,
    /// The step that ended with it, if there was one.
    step: Option<u32>,
    /// When the last of it went on or was taken up by the processor, in ticks.
    until: u64,
}

/// What a node has.
#[derive(Clone, Debug, Default)]
struct Store {
    arrivals: Vec<Arrival>,
    /// How many arrivals are in their final order.
    ordered: usize,
    /// The arrivals that what went on or was worked off came from.
    through: usize,
    /// Bytes that went on or were worked off, the arrivals that are gone whole, and when the last step with them ended.
    gone: u64,
    cleared: usize,
    until: u64,
    /// Bytes that are here or will be, and have not gone.
    held: u64,
    /// Bytes worked off.
    worked: u64,
    /// When the processor is free, in ticks.
    free: u64,
    /// How many of the arrivals its processor has waited for.
    seen: usize,
}

/// How far a link is.
#[derive(Clone, Copy, Debug, Default)]
struct LinkProgress {
    /// Bytes sent in this epoch.
    sent: u64,
    /// When it is free, in ticks.
    free: u64,
    /// How many arrivals at its source its messages have waited for.
    seen: usize,
}

/// The state of all nodes and links that take part.
pub(super) struct Timetable<'s, 'p, 'm> {
    scale: &'s Scale<'p, 'm>,
    streams: &'s Streams,
    /// By place.
    stores: Vec<Store>,
    /// By channel.
    lines: Vec<LinkProgress>,
    /// By place, bytes worked off in this epoch.
    worked: Vec<u64>,
    per_cycle: u64,
    /// When the last message arrived and the last work ended, in ticks.
    pub(super) end: u64,
    /// Messages sent.
    pub(super) messages: u64,
}

impl<'s, 'p, 'm> Timetable<'s, 'p, 'm> {
    pub(super) fn new(scale: &'s Scale<'p, 'm>, streams: &'s Streams) -> Self {
        let places = streams.places.len();
        Self {
            scale,
            streams,
            stores: vec![Store::default(); places],
            lines: vec![LinkProgress::default(); streams.channels.len()],
            worked: vec![0; places],
            per_cycle: scale.costs().ticks_per_cycle(),
            end: 0,
            messages: 0,
        }
    }

    /// Sends everything, an installment up to each of these fluid times; returns the end in ticks.
    pub(super) fn run(&mut self, moments: &[f64], layout: &Layout, record: &mut impl Record) -> u64 {
        self.reset();
        let streams = self.streams;
        let (mut next, mut released) = (0, 0);
        for (number, epoch) in streams.epochs.iter().enumerate() {
            self.lines.iter_mut().for_each(|line| line.sent = 0);
            self.worked.fill(0);
            while let Some((place, supply)) = streams.supplies.get(released)
                && (supply.release <= epoch.from || epoch.until >= streams.end())
            {
                self.release(*place, supply, record);
                released += 1;
            }
            let after = moments.partition_point(|&moment| moment <= epoch.until).max(next);
            for (at, &moment) in moments[next..after].iter().enumerate() {
                let whole = moment >= epoch.until;
                let part = if whole { 1.0 } else { (moment - epoch.from) / (epoch.until - epoch.from) };
                let to_go = after - next - 1 - at;
                for class in (0..CLASSES).take_while(|&class| is_due(class, to_go)) {
                    for junction in layout.of_class(number, class) {
                        self.pass(epoch, junction, part, whole, record);
                    }
                }
            }
            next = after;
        }
        self.end
    }

    fn reset(&mut self) {
        for store in &mut self.stores {
            let mut arrivals = std::mem::take(&mut store.arrivals);
            arrivals.clear();
            *store = Store { arrivals, ..Store::default() };
        }
        self.lines.fill(LinkProgress::default());
        (self.end, self.messages) = (0, 0);
    }

    /// A load enters: its node counts the time on its processor.
    fn release(&mut self, place: u32, supply: &Supply, record: &mut impl Record) {
        let tick = self.scale.cycles(supply.release).0 * self.per_cycle;
        let store = &mut self.stores[place as usize];
        store.held += supply.bytes;
        if tick == 0 {
            return store.arrive(supply.bytes, 0, None);
        }
        let wait = Cycles(tick.saturating_sub(store.free).div_ceil(self.per_cycle));
        let step = record.wait(supply.node, wait);
        store.free += wait.0 * self.per_cycle;
        store.arrive(supply.bytes, store.free, step);
    }

    /// One node passes on and works off what belongs to an installment.
    fn pass(&mut self, epoch: &Epoch, junction: &Junction, part: f64, whole: bool, record: &mut impl Record) {
        let node = junction.place as usize;
        self.stores[node].put_in_order();
        let flush = whole && junction.flush;
        let streams = &epoch.streams[junction.streams.start as usize..junction.streams.end as usize];
        for (index, stream) in streams.iter().enumerate() {
            let line = stream.channel as usize;
            let takes_rest = flush && junction.work == 0.0 && index + 1 == streams.len();
            let wanted = (stream.load * part).round() as u64;
            let bytes = match takes_rest {
                true => self.stores[node].held,
                false => wanted.saturating_sub(self.lines[line].sent).min(self.stores[node].held),
            };
            if bytes > 0 {
                self.send(line, bytes, record);
            }
        }
        let wanted = (junction.work * part).round() as u64;
        let takes_rest = flush && (junction.work > 0.0 || streams.is_empty());
        let bytes = match takes_rest {
            true => self.stores[node].held,
            false => wanted.saturating_sub(self.worked[node]).min(self.stores[node].held),
        };
        if bytes > 0 {
            self.work(node, bytes, record);
        }
    }

    fn send(&mut self, line: usize, bytes: u64, record: &mut impl Record) {
        let channel = self.streams.channels[line];
        let (from, to) = (channel.from as usize, channel.to as usize);
        let message = self.scale.message(channel.carrying.link, bytes);
        let ready = self.stores[from].take(bytes);
        let LinkProgress { sent, free, seen } = &mut self.lines[line];
        *sent += bytes;
        let store = &self.stores[from];
        let waits = store.arrivals[(*seen).min(store.through)..store.through].iter();
        let step = record.send(channel.carrying, message, waits.filter_map(|arrival| arrival.step));
        *seen = store.through.max(*seen);
        *free = ready.max(*free) + self.scale.message_ticks(message);
        let tick = *free;
        self.end = self.end.max(tick);
        self.messages += 1;
        self.stores[from].clear(tick);
        let target = &mut self.stores[to];
        target.held += bytes;
        target.arrive(bytes, tick, Some(step));
    }

    fn work(&mut self, place: usize, bytes: u64, record: &mut impl Record) {
        let node = self.streams.places[place];
        let cycles = self.scale.work(node, bytes);
        self.worked[place] += bytes;
        let store = &mut self.stores[place];
        let ready = store.take(bytes);
        let waits = store.arrivals[store.seen.min(store.through)..store.through].iter();
        record.work(node, cycles, waits.filter_map(|arrival| arrival.step));
        store.seen = store.through.max(store.seen);
        store.worked += bytes;
        let begin = ready.max(store.free);
        store.free = begin + cycles.0 * self.per_cycle;
        self.end = self.end.max(store.free);
        store.clear(begin);
    }

    /// The most messages that wait at one node at a time, to be sent on or taken up by its processor.
    pub(super) fn waiting_max(&self) -> u64 {
        let mut changes: Vec<(u64, i64)> = Vec::new();
        let most = |store: &Store| {
            changes.clear();
            for arrival in store.arrivals.iter().filter(|arrival| arrival.step.is_some()) {
                changes.extend([(arrival.tick, 1), (arrival.until, -1)]);
            }
            changes.sort_unstable();
            most_waiting(changes.iter().map(|(_, change)| *change))
        };
        self.stores.iter().map(most).max().unwrap_or(0)
    }

    /// By place, the bytes worked off.
    pub(super) fn shares(&self) -> impl Iterator<Item = u64> {
        self.stores.iter().map(|store| store.worked)
    }
}

impl Store {
    fn arrive(&mut self, bytes: u64, tick: u64, step: Option<u32>) {
        // The sum is known when all that come with it are in order.
        self.arrivals.push(Arrival { sum: bytes, tick, latest: tick, step, until: u64::MAX });
    }

    /// Orders what came in last by time.
    fn put_in_order(&mut self) {
        let (old, new) = self.arrivals.split_at_mut(self.ordered);
        if new.len() > 1 {
            new.sort_by_key(|arrival| arrival.tick);
        }
        let (mut sum, mut latest) = old.last().map_or((0, 0), |last| (last.sum, last.latest));
        for arrival in new {
            sum += arrival.sum;
            latest = latest.max(arrival.tick);
            (arrival.sum, arrival.latest) = (sum, latest);
        }
        self.ordered = self.arrivals.len();
    }

    /// Takes bytes, the oldest first; returns when they were there.
    fn take(&mut self, bytes: u64) -> u64 {
        self.held -= bytes;
        self.gone += bytes;
        while self.through == 0 || self.arrivals[self.through - 1].sum < self.gone {
            self.through += 1;
            assert!(self.through <= self.arrivals.len(), "only what came in goes on");
        }
        self.arrivals[self.through - 1].latest
    }
    /// Notes what is gone whole now that a step with some of it has ended.
    fn clear(&mut self, tick: u64) {
        self.until = self.until.max(tick);
        while self.cleared < self.through && self.arrivals[self.cleared].sum <= self.gone {
            self.arrivals[self.cleared].until = self.until;
            self.cleared += 1;
        }
    }
}
