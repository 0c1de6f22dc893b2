//! Large machines: a flow falls into parts that have no link in common, and each part has sizes of its own.
//!
//! The slowest part decides. So each gets no more messages than it takes to be as fast as that one: sources that lie
//! close together get many, those with room around them few. Load goes through the trees of other sources only where it
//! has to, so that there are many parts. What sizes are good is found out with a few parts, among them the slowest with few
//! installments: what serves that one best serves the others badly.

use rayon::prelude::*;

use super::following::{Judge, write};
use super::forest::forest;
use super::sizes::{GUESS, SizePlaces, SizeSearch, Sizes, THINNINGS, search};
use super::streams::Streams;
use super::{Installments, Scale};
use crate::Problem;
use crate::optimum::Optimum;
use meshwright_core::error::{Error, Result};

/// How much over the bound is aimed at: at first, from one aim to the next, and at last.
const AIMS: (f64, f64, f64) = (1.0, 0.95, 0.004);

/// How many installments are tried.
const COUNTS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 19, 21, 24, 27, 30, 35, 40, 50, 64, 80, 110, 150, 200,
    280, 400, 600, 1000,
];

/// With so many of them parts are put in an order, the fastest first.
const FEW: u32 = 4;

/// The parts from which sizes are learnt, by their places in that order: the first is 0, the last 1.
const TEACHERS: &[f64] = &[1.0, 0.3, 0.8];

/// How many messages are timed to find out what sizes are good.
const EFFORT: u64 = 30_000_000;

/// Of the processors that are not needed, which part is used all the same; and how much longer than the bound the flow
/// takes: what is tried, one after the other until the load is through in good time.
const FLOWS: &[(f64, f64)] = &[(0.4, 1.01), (0.0, 1.005)];

/// How much over the bound is not yet good.
const GOOD: f64 = 0.15;

/// A schedule for a large machine whose least makespan is known, in no more than so many messages.
///
/// # Errors
///
/// [`Error::NotApplicable`] when every flow uses more links than messages are allowed.
///
/// # Complexity
///
/// Some flows of the machine, and for each some ten times the messages, at the least a hundred million.
pub fn plan_apart(scale: &Scale, optimum: &Optimum, messages: u64) -> Result<Installments> {
    let problem = scale.problem();
    let mut best = None::<(u64, Vec<Part>)>;
    for &(spare, stretch) in FLOWS {
        let slack = spare * unneeded(problem, optimum.makespan);
        let end = optimum.makespan * stretch;
        let flow = forest(problem, end, slack).map(|phase| vec![phase]);
        let Some(phases) = flow else { continue };
        let parts = Streams::new(scale, &phases).parts();
        let parts: Vec<Part> = parts.into_iter().map(Part::new).collect();
        if let Some((ticks, parts)) = shared_out(scale, parts, optimum.makespan, messages)
            && best.as_ref().is_none_or(|best| ticks < best.0)
        {
            best = Some((ticks, parts));
            if scale.units_of_ticks(ticks) < (1.0 + GOOD) * optimum.makespan {
                break;
            }
        }
    }
    let Some((_, parts)) = best else {
        let why = format!("every flow carries something over more links than {messages} messages can serve");
        return Err(Error::not_applicable("sending the load in messages", why));
    };
    let chosen: Vec<_> = parts.into_iter().map(Part::chosen).collect();
    Ok(write(scale, &chosen))
}

/// The part of the processors that is idle all the time at this speed.
fn unneeded(problem: &Problem, makespan: f64) -> f64 {
    let rate: f64 = problem.machine().living().map(|node| 1.0 / problem.work(node)).sum();
    (1.0 - 1.0 / (makespan * rate)).max(0.0)
}

/// Sizes of so many messages for all parts together that end as soon as possible; none if there are always more.
fn shared_out(scale: &Scale, mut parts: Vec<Part>, bound: f64, messages: u64) -> Option<(u64, Vec<Part>)> {
    let with_few = |part: &Part| {
        let found = Judge::new(scale, &part.streams).time(&Sizes::at(FEW, GUESS), u64::MAX);
        found.map_or(0, |(ticks, _)| ticks)
    };
    let hardness: Vec<u64> = parts.par_iter().map(with_few).collect();
    let learnt = lessons(scale, &parts, &hardness, messages)?;
    let mut known = None;
    let (first, step, last) = AIMS;
    let aims = std::iter::successors(Some(first), |aim| Some(aim * step)).take_while(|&aim| aim >= last);
    for aim in aims {
        let ticks =
            (bound * (1.0 + aim) * scale.unit_cycles() * scale.costs().ticks_per_cycle() as f64) as u64;
        parts.par_iter_mut().for_each(|part| part.reach(scale, ticks, &learnt));
        // What no part can do need not be done by the others.
        let slowest = parts.iter().map(Part::least).max()?;
        let aimed = ticks.max(slowest);
        let chosen: Vec<usize> = parts.iter().map(|part| part.first_within(aimed)).collect();
        let sum: u64 = parts.iter().zip(&chosen).map(|(part, &at)| part.tried[at].messages).sum();
        if sum > messages {
            break;
        }
        known = Some((aimed, chosen));
        if slowest > ticks {
            break;
        }
    }
    let (ticks, chosen) = known?;
    parts.iter_mut().zip(chosen).for_each(|(part, chosen)| part.chosen = chosen);
    Some((ticks, parts))
}

/// By place in [`COUNTS`], sizes that serve some part best; as many places as the slowest part is helped by.
fn lessons(scale: &Scale, parts: &[Part], hardness: &[u64], messages: u64) -> Option<Vec<Vec<SizePlaces>>> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&part| hardness[part]);
    let last = order.len().checked_sub(1)?;
    let mut teachers: Vec<usize> =
        TEACHERS.iter().map(|place| order[(place * last as f64).round() as usize]).collect();
    teachers.dedup();
    let lessons: Vec<Vec<SizePlaces>> =
        teachers.par_iter().map(|&part| learn(scale, &parts[part].streams, messages)).collect();
    let of_count = |at: usize| {
        let mut sizes: Vec<SizePlaces> =
            lessons.iter().filter_map(|lesson| lesson.get(at).copied()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    };
    Some((0..lessons[0].len()).map(of_count).collect())
}

/// By place in [`COUNTS`], the sizes that serve a part best; as far as it is helped by more and does not take more messages
/// than this.
fn learn(scale: &Scale, streams: &Streams, messages: u64) -> Vec<SizePlaces> {
    let lines: u64 = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).sum();
    let mut judge = Judge::new(scale, streams);
    let (mut learnt, mut guess, mut least, mut vain) = (Vec::new(), GUESS, u64::MAX, 0);
    for at in 0..COUNTS.len() {
        let per_try = lines * u64::from(COUNTS[at]);
        let tries = (EFFORT / 16 / per_try.max(1)).clamp(3, 40) as usize;
        let asked =
            SizeSearch { counts: &COUNTS[at..=at], begin: 0, guess, thinnings: THINNINGS.len(), tries };
        let time = |sizes: &Sizes| judge.time(sizes, messages).map_or(u64::MAX, |(ticks, _)| ticks);
        let (better, _, ticks) = search(&asked, time);
        if ticks == u64::MAX || vain > 2 {
            break;
        }
        guess = better;
        learnt.push(guess);
        vain = if ticks as f64 > 0.999 * least as f64 { vain + 1 } else { 0 };
        least = least.min(ticks);
    }
    learnt
}

/// Sizes that were tried.
struct Tried {
    sizes: Sizes,
    ticks: u64,
    messages: u64,
}

/// A part of a flow.
struct Part {
    streams: Streams,
    /// Each is faster than all before.
    tried: Vec<Tried>,
    /// The next number of installments, as a place in [`COUNTS`].
    next: usize,
    chosen: usize,
}

impl Part {
    fn new(streams: Streams) -> Self {
        Self { streams, tried: Vec::new(), next: 0, chosen: 0 }
    }

    /// Tries more installments, of the sizes that were learnt, until all is done in this time.
    fn reach(&mut self, scale: &Scale, ticks: u64, learnt: &[Vec<SizePlaces>]) {
        if self.least() <= ticks || self.next >= learnt.len() {
            return;
        }
        let mut judge = Judge::new(scale, &self.streams);
        while self.next < learnt.len() && self.tried.last().is_none_or(|last| last.ticks > ticks) {
            let tries = learnt[self.next].iter().filter_map(|&places| {
                let sizes = Sizes::at(COUNTS[self.next], places);
                judge.time(&sizes, u64::MAX).map(|(ticks, messages)| Tried { sizes, ticks, messages })
            });
            let best = tries.min_by_key(|tried| (tried.ticks, tried.messages));
            self.next += 1;
            self.tried.extend(best.filter(|best| best.ticks < self.least()));
        }
    }

    /// The least time that is known, in ticks.
    fn least(&self) -> u64 {
        self.tried.last().map_or(u64::MAX, |tried| tried.ticks)
    }

    /// The first sizes that keep to a time which some keep to.
    fn first_within(&self, ticks: u64) -> usize {
        self.tried.partition_point(|tried| tried.ticks > ticks).min(self.tried.len().saturating_sub(1))
    }

    /// The flow with the sizes that were chosen.
    fn chosen(self) -> (Streams, Sizes) {
        (self.streams, self.tried[self.chosen].sizes)
    }
}
