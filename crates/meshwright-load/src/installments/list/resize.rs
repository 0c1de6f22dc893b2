//! The best sizes of messages whose order is kept: a linear programme.

use super::programme::Span;
use super::run::{self, Times};
use super::steps::{Kind, Step, Steps};
use super::{Found, Task, steps};
use crate::installments::record::Installments;
use crate::installments::streams::supplies;
use crate::lp::Variant;
use meshwright_core::units::NodeId;

/// Schedules of no more steps have a programme: some hundredths of a second each.
const STEPS_MAX: usize = 160;

/// So many installments are tried on the same ways; from the third on only as long as each is faster than all before.
const ROUNDS_MAX: u32 = 5;
const ROUNDS_MIN: u32 = 3;

/// Programmes of so many steps in all are solved for each, to see which messages are not worth their start-ups: at a time of so
/// many, and of fewer where one has to go.
const STEPS_OF_ALL: usize = 8_000;
const MANY: usize = 12;
const FEW: usize = 3;

/// What leaving out a message must gain.
const GAIN: f64 = 1e-6;

/// A share that is none, and how fine the order of times is.
const NOTHING: f64 = 1e-6;
pub(super) const FINE: f64 = (1u64 << 40) as f64;

/// A source, and a node that has some of its load.
pub(super) type Place = (usize, NodeId);

/// Steps, and when each begins and ends.
pub(super) type Timed = (Steps, Times);

/// Steps, and by step its share of the load and when it begins and ends, in parts of [`FINE`]; and when all is done.
pub(super) struct Sized {
    pub(super) steps: Steps,
    pub(super) spans: Vec<Span>,
    pub(super) shares: Vec<f64>,
    pub(super) end: f64,
}

impl Task<'_, '_, '_> {
    /// Schedules over the ways of one that was found, in few installments, whose sizes are the best for the order of their
    /// messages.
    pub(super) fn resized(&self, found: &Found) -> Vec<Installments> {
        let write = |(steps, times): Timed| self.written(&steps, &times);
        self.resizings(found).into_iter().map(write).collect()
    }

    pub(super) fn resizings(&self, found: &Found) -> Vec<Timed> {
        let variant = self.variant;
        // Where nothing is limited other searches are as good.
        if *variant == Variant::default() && self.settings.chunks.is_none() {
            return Vec::new();
        }
        let of_rounds = |rounds: u32| {
            let ends: Vec<f64> = (1..=rounds).map(|round| f64::from(round) / f64::from(rounds)).collect();
            let steps = steps::of_ways(self.scale, variant, &found.ways, &ends)?;
            let times = run::run(self.scale, variant, &steps, &ends, found.order)?;
            self.cut_and_resized((steps, times))
        };
        let most = if self.settings.whole { 1 } else { ROUNDS_MAX };
        let (mut all, mut best) = (Vec::new(), u64::MAX);
        for rounds in 1..=most {
            let found = of_rounds(rounds).filter(|(steps, _)| self.allows(steps));
            let last = found.as_ref().map_or(u64::MAX, |(_, times)| times.last);
            all.extend(found);
            if rounds >= ROUNDS_MIN && last >= best {
                break;
            }
            best = best.min(last);
        }
        all
    }

    /// Whether there are no more messages than were asked for.
    fn allows(&self, steps: &Steps) -> bool {
        let messages = steps.all.iter().filter(|step| step.kind != Kind::Work).count() as u64;
        self.settings.chunks.is_none_or(|chunks| messages <= chunks)
    }

    /// A schedule with its best sizes, without the messages that are not worth their start-ups.
    fn cut_and_resized(&self, (steps, times): Timed) -> Option<Timed> {
        let spans = times.begin.into_iter().zip(times.end).collect();
        let mut best = self.sized(steps, spans)?;
        let mut tries = STEPS_OF_ALL / best.steps.all.len().max(1);
        loop {
            let messages = |step: &usize| best.steps.all[*step].kind != Kind::Work;
            let mut gone: Vec<usize> = (0..best.steps.all.len()).filter(messages).collect();
            // Those that carry the least are worth the least.
            let must = !self.allows(&best.steps);
            gone.sort_by(|&a, &b| best.shares[a].total_cmp(&best.shares[b]));
            gone.truncate(tries.min(if must { FEW } else { MANY }));
            tries -= gone.len();
            let without = |&message: &usize| {
                let (steps, spans) = best.without(&|step| step == message);
                self.sized(steps, spans)
            };
            let next = gone.iter().filter_map(without).min_by(|a, b| a.end.total_cmp(&b.end));
            match next.filter(|next| must || next.end < best.end * (1.0 - GAIN)) {
                Some(next) => best = next,
                None => break,
            }
        }
        self.rebuilt(&best)
    }

    /// Steps in the order of these times with their best sizes; those that get none are gone.
    fn sized(&self, steps: Steps, spans: Vec<Span>) -> Option<Sized> {
        let solve = |steps: Steps, spans: Vec<Span>| {
            if steps.all.len() > STEPS_MAX { None } else { self.programme(steps, &spans) }
        };
        let mut sized = solve(steps, spans)?;
        let least = |step: &Step| NOTHING * if step.kind == Kind::Back { self.variant.results } else { 1.0 };
        loop {
            let is_none = |step: usize| sized.shares[step] < least(&sized.steps.all[step]);
            if !(0..sized.shares.len()).any(is_none) {
                return Some(sized);
            }
            let (steps, spans) = sized.without(&is_none);
            sized = solve(steps, spans)?;
        }
    }

    /// Where load of a source may be, and the bytes that are there from the begin.
    pub(super) fn places(&self, steps: &Steps) -> Vec<(Place, u64)> {
        let supplies = supplies(self.scale.problem(), self.scale.bytes());
        let mut places: Vec<(Place, u64)> =
            (0..).zip(&supplies).map(|(source, supply)| ((source, supply.node), supply.bytes)).collect();
        // A step from where nothing comes any more is still one.
        for (source, node) in
            steps.all.iter().flat_map(|step| [step.from, step.to].map(|node| (step.source, node)))
        {
            if places.iter().all(|(place, _)| *place != (source, node)) {
                places.push(((source, node), 0));
            }
        }
        places
    }

    /// The steps with these shares, in whole bytes, run in the order of their times.
    fn rebuilt(&self, sized: &Sized) -> Option<Timed> {
        let (scale, mut steps) = (self.scale, sized.steps.clone());
        let places = self.places(&steps);
        let mut stocks: Vec<Stock> =
            places.iter().map(|&(_, load)| Stock { load, ..Stock::default() }).collect();
        // The last step of a node takes what is left, of load or of results.
        let is_back = |step: &Step| usize::from(step.kind == Kind::Back);
        let mut last = vec![[0; 2]; places.len()];
        for (number, step) in steps.all.iter().enumerate() {
            last[place(&places, step.source, step.from)][is_back(step)] = number;
        }
        for (number, (step, &share)) in steps.all.iter_mut().zip(&sized.shares).enumerate() {
            let here = place(&places, step.source, step.from);
            let due = (share * scale.bytes() as f64).round() as u64;
            let due = if last[here][is_back(step)] == number { u64::MAX } else { due };
            let there = place(&places, step.source, step.to);
            step.bytes = match step.kind {
                Kind::Load => {
                    let bytes = take(&mut stocks[here].load, due);
                    stocks[there].load += bytes;
                    bytes
                }
                Kind::Work => stocks[here].work(due, self.variant.results),
                Kind::Back => {
                    let bytes = take(&mut stocks[here].results, due);
                    stocks[there].results += bytes;
                    bytes
                }
            };
            step.ticks = match step.kind {
                Kind::Work => scale.work(step.from, step.bytes).0 * scale.costs().ticks_per_cycle(),
                _ => scale.message_ticks(scale.message(step.link, step.bytes)),
            };
            if step.bytes == 0 {
                return None;
            }
        }
        let is_used = |((source, node), stock): (Place, &Stock)| {
            stock.load == 0 && (stock.results == 0 || node == self.home(source))
        };
        let is_all = places.iter().zip(&stocks).all(|((place, _), stock)| is_used((*place, stock)));
        let begins: Vec<u64> = sized.spans.iter().map(|span| span.0).collect();
        let times = run::in_order(scale, self.variant, &steps, &begins)?;
        is_all.then_some((steps, times))
    }

    /// Where the results of a load go.
    pub(super) fn home(&self, source: usize) -> NodeId {
        self.variant.home.unwrap_or(self.scale.problem().sources()[source].node)
    }
}

/// What is at a node of the load of a source, in bytes.
#[derive(Clone, Copy, Default)]
struct Stock {
    load: u64,
    results: u64,
    worked: u64,
}

impl Stock {
    /// Works off so much, or what is there, with so many results for each byte; how much it was.
    fn work(&mut self, due: u64, results: f64) -> u64 {
        let bytes = take(&mut self.load, due);
        let made = |worked: u64| (worked as f64 * results).ceil() as u64;
        self.results += made(self.worked + bytes) - made(self.worked);
        self.worked += bytes;
        bytes
    }
}

/// Takes so much of what is left, or all of it; how much it was.
fn take(left: &mut u64, due: u64) -> u64 {
    let bytes = due.min(*left);
    *left -= bytes;
    bytes
}

/// The number of a place of a source.
pub(super) fn place(places: &[(Place, u64)], source: usize, node: NodeId) -> usize {
    places.iter().position(|(place, _)| *place == (source, node)).expect("a place of a step")
}

impl Sized {
    /// The steps without some, and the times of the others.
    fn without(&self, is_gone: &dyn Fn(usize) -> bool) -> (Steps, Vec<Span>) {
        let kept = (0..self.spans.len()).filter(|&step| !is_gone(step));
        (self.steps.without(is_gone), kept.map(|step| self.spans[step]).collect())
    }
}
