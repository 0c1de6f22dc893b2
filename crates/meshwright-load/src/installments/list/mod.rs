//! List schedules: messages on a machine whose nodes and wires do less at a time.
//!
//! | file | what |
//! |---|---|
//! | `ways` | who gets how much, over which links, and how results come back |
//! | `steps` | the messages and pieces of work of these ways, in installments |
//! | `run` | when each begins: whoever is due first and finds all it needs free |
//! | `write` | the programs of the nodes |
//! | `choose` | schedules for all that is worth a try |
//! | `balance` | amounts moved from nodes that end late to those that end early |
//! | `resize` | few messages with the best sizes in their order |
//! | `programme` | these sizes, by a linear programme |
//!
//! A step needs its wire, its ports, without front ends the processors at both ends, and where memory is limited room at its
//! target, all at the same time. So whatever is asked of a machine, the schedule keeps to it.
//!
//! # Source
//!
//! `graham1966` for list schedules.

mod balance;
mod choose;
mod programme;
mod resize;
mod run;
mod steps;
mod ways;
mod write;

pub use self::choose::limited;

use self::run::{Order, Times};
use self::steps::Steps;
use self::ways::Way;
use super::record::Installments;
use super::scale::Scale;
use super::sizes::{self, EQUAL, GUESS, SizeSearch, Sizes};
use crate::Plan;
use crate::lp::{Distribution, Variant};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::LinkId;

/// A list schedule of no more steps than this is looked for; where memory is limited messages are small, and more are needed.
const STEPS_MAX: usize = 8_000;
const SMALL_STEPS_MAX: usize = 40_000;

/// In no more installments.
const ROUNDS_MAX: usize = 400;
const SMALL_ROUNDS_MAX: usize = 2_000;

/// So many messages over the busiest link have room at its end: one that is there, one that comes, one that goes on.
const ROOMS: f64 = 3.0;

/// So many pairs of steps of one installment are looked at in all tries.
const EFFORT: usize = 8_000_000;

/// How much later than its load a result may be due.
const LAGS: &[f64] = &[0.0, 0.05, 0.3, 2.0];

/// How much later than messages work may be due.
const WORK_LAGS: &[f64] = &[0.0, 0.1, 2.0];

/// How many sizes are tried for each.
const TRIES: usize = 45;

/// Where a list schedule begins.
#[derive(Clone, Copy, Debug)]
pub enum Basis<'a> {
    /// The flows of a distribution.
    Distribution(&'a Distribution),
    /// The shares of a plan, each by a shortest path.
    Shares(&'a Plan),
}

/// What a list schedule may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListSettings {
    /// The most messages; none for as many as serve the time.
    pub chunks: Option<u64>,
    /// Whether shares may move from nodes that end late to nodes that end early.
    pub moves: bool,
    /// Whether every share goes as one message.
    pub whole: bool,
}

/// Messages that bring these shares to their nodes on a machine of this variant, and the results back.
///
/// Tried are installments of many sizes, and results that are due soon or late.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a share cannot be brought to its node, or no schedule of so few messages is found.
///
/// # Complexity
///
/// Some 200 schedules of at most 8,000 steps, or 40,000 where memory is limited.
///
/// # Examples
///
/// ```
/// use meshwright_load::installments::{Basis, ListSettings, Scale, list};
/// use meshwright_load::lp::{Ports, Variant, solve};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mut mesh = Machine::new("mesh:4x4")?;
/// let (costs, bytes) = Scale::costs_of(0.3, 0.0)?;
/// mesh = mesh.with_costs(costs)?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(5), 1.0)], 0.3)?;
/// let variant = Variant { ports: Ports::ONE, results: 0.5, ..Variant::default() };
/// let programme = solve(&problem, &variant)?; // speedup 4.3333
/// let found = list(&Scale::new(&problem, bytes)?, &variant, Basis::Distribution(&programme), &ListSettings { moves: true, ..ListSettings::default() })?;
/// assert!(programme.makespan <= found.makespan && found.makespan < 1.02 * programme.makespan);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn list(
    scale: &Scale,
    variant: &Variant,
    basis: Basis<'_>,
    settings: &ListSettings,
) -> Result<Installments> {
    let ways = of_basis(scale, variant, basis)?;
    let task = Task { scale, variant, settings: *settings, horizon: horizon(scale, &ways) };
    let none = || {
        let why = "no schedule of messages was found that this machine has the ports, links and room for";
        Error::not_applicable("sending the load in messages", why)
    };
    let mut best = task.search(&ways, TRIES).ok_or_else(none)?;
    if settings.moves {
        best = task.again(balance::improve(&task, best));
    }
    Ok(task.write(&best))
}

fn of_basis(scale: &Scale, variant: &Variant, basis: Basis<'_>) -> Result<Vec<Way>> {
    match basis {
        Basis::Distribution(found) => Ok(ways::of_distribution(scale.problem(), variant, found)),
        Basis::Shares(plan) => ways::of_plan(scale, variant, plan),
    }
}

/// When all is done at the earliest if every node works off its ways from the first release on.
fn horizon(scale: &Scale, ways: &[Way]) -> f64 {
    let problem = scale.problem();
    let mut works = std::collections::BTreeMap::new();
    ways.iter().for_each(|way| *works.entry(way.node).or_insert(0.0) += way.amount * problem.work(way.node));
    let busiest = works.into_values().fold(0.0, f64::max);
    problem.releases().last().copied().unwrap_or(0.0).max(busiest)
}

/// What is to be scheduled.
struct Task<'a, 'p, 'm> {
    scale: &'a Scale<'p, 'm>,
    variant: &'a Variant,
    settings: ListSettings,
    /// About when all is done, in units of w Tcp.
    horizon: f64,
}

/// A schedule and what it was made of.
#[derive(Clone)]
struct Found {
    ways: Vec<Way>,
    sizes: Sizes,
    order: Order,
    last: u64,
}

impl Task<'_, '_, '_> {
    /// The best sizes and order that are found for these ways.
    fn search(&self, ways: &[Way], tries: usize) -> Option<Found> {
        let of_way = |way: &Way| way.links.iter().chain(&way.back).map(|link| (way.source, *link)).collect();
        let mut links: Vec<(usize, LinkId)> = ways.iter().flat_map::<Vec<_>, _>(of_way).collect();
        links.sort_unstable();
        links.dedup();
        let per_round = links.len() + ways.len();
        let (steps_max, rounds_max) = match self.variant.memory {
            Some(_) => (SMALL_STEPS_MAX, SMALL_ROUNDS_MAX),
            None => (STEPS_MAX, ROUNDS_MAX),
        };
        let chunks = self.settings.chunks.unwrap_or(u64::MAX);
        if per_round > steps_max || links.len() as u64 > chunks {
            return None;
        }
        // Each try looks at all steps that are ready for every step: not so often where there are many.
        let tries = (EFFORT / (per_round * per_round).max(1)).clamp(2, tries);
        let most = if self.settings.whole { 1 } else { steps_max / per_round.max(1) };
        let most = most.clamp(1, rounds_max).min((chunks / links.len().max(1) as u64) as usize) as u32;
        let counts = &sizes::counts_up_to(most);
        // Where room is short, equal messages that are small enough come first.
        let needed = |memory: f64| {
            let mut amounts = vec![0.0; links.len()];
            for way in ways {
                for &link in way.links.iter().chain(&way.back) {
                    amounts[links.binary_search(&(way.source, link)).expect("it is there")] += way.amount;
                }
            }
            (ROOMS * amounts.into_iter().fold(0.0, f64::max) / memory) as u32
        };
        let (begin, guess) =
            match self.variant.memory.map(needed).filter(|&needed| needed > counts[counts.len() / 2]) {
                Some(needed) => {
                    (counts.partition_point(|&count| count < needed).min(counts.len() - 1), EQUAL)
                }
                None => (counts.len() / 2, GUESS),
            };
        let lags = match (self.variant.results > 0.0, tries > 2) {
            (true, true) => LAGS,
            (true, false) => &LAGS[LAGS.len() - 1..],
            (false, _) => &LAGS[..1],
        };
        let works = if self.variant.front_end || tries == 2 { &WORK_LAGS[..1] } else { WORK_LAGS };
        let mut best: Option<Found> = None;
        let mut look = |order: Order| {
            let time = |sizes: &Sizes| self.time(ways, sizes, order).unwrap_or(u64::MAX);
            let asked = SizeSearch { counts, begin, guess, thinnings: 1, tries };
            let (_, sizes, last) = sizes::search(&asked, time);
            if last < best.as_ref().map_or(u64::MAX, |best| best.last) {
                best = Some(Found { ways: ways.to_vec(), sizes, order, last });
            }
            best.as_ref().map_or(order, |best| best.order)
        };
        let mut order = Order { lag: 0.0, work: 0.0, horizon: self.horizon };
        for &lag in lags {
            order = look(Order { lag, ..order });
        }
        for &work in &works[1..] {
            order = look(Order { work, ..order });
        }
        best
    }

    /// The same ways with sizes looked for once more.
    fn again(&self, found: Found) -> Found {
        match self.search(&found.ways, TRIES) {
            Some(again) if again.last < found.last => again,
            _ => found,
        }
    }

    /// When all is done, in ticks; none where there are too many messages or no way to go on.
    fn time(&self, ways: &[Way], sizes: &Sizes, order: Order) -> Option<u64> {
        let (steps, times) = self.run(ways, sizes, order)?;
        let messages = steps.all.iter().filter(|step| step.kind != steps::Kind::Work).count() as u64;
        (self.settings.chunks.is_none_or(|chunks| messages <= chunks)).then_some(times.last)
    }

    fn run(&self, ways: &[Way], sizes: &Sizes, order: Order) -> Option<(Steps, Times)> {
        let ends = ends(sizes);
        let steps = steps::of_ways(self.scale, self.variant, ways, &ends)?;
        let times = run::run(self.scale, self.variant, &steps, &ends, order)?;
        Some((steps, times))
    }

    fn write(&self, found: &Found) -> Installments {
        let (steps, times) = self.run(&found.ways, &found.sizes, found.order).expect("it was run before");
        write::write(self.scale, &steps, &times, found.sizes.shares())
    }

    /// The same of steps that have sizes of their own.
    fn written(&self, steps: &Steps, times: &Times) -> Installments {
        let last = steps.all.iter().map(|step| step.round).max().unwrap_or(0);
        let mut rounds = vec![0; last as usize + 1];
        let works = steps.all.iter().filter(|step| step.kind == steps::Kind::Work);
        works.for_each(|step| rounds[step.round as usize] += step.bytes);
        rounds.retain(|&of_round| of_round > 0);
        let bytes = self.scale.bytes() as f64;
        let installments = rounds.into_iter().map(|of_round| of_round as f64 / bytes).collect();
        write::write(self.scale, steps, times, installments)
    }
}

/// The parts of the whole at which installments end; the last is 1.
fn ends(sizes: &Sizes) -> Vec<f64> {
    let mut sum = 0.0;
    let mut ends: Vec<f64> = sizes
        .shares()
        .iter()
        .map(|share| {
            sum += share;
            sum
        })
        .collect();
    if let Some(last) = ends.last_mut() {
        *last = 1.0;
    }
    ends
}

#[cfg(test)]
mod tests;
