//! Which placements are worth a simulation: the choice behind `auto`.
//!
//! Every placement that applies is priced by the link-level prediction under the machine's own switching, start-up,
//! byte time, flit size and ports. Where even the cheapest is far from the bound of the job, a short search starts from
//! it. The cheapest few are simulated, and with them the one with the least traffic, and whoever cannot be excluded: whose
//! busiest links would let it be faster than the cheapest is when it is simulated. The referee decides among these, so
//! that the winner is no slower than any placement that was left out.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{Job, Skipped, axes, look};
use meshwright_core::error::{Error, Result};
use meshwright_core::words::percentage;
use meshwright_mapping::search::{self, SearchProblem};
use meshwright_mapping::{Mapping, PLACEMENTS, Placement};
use meshwright_network::topology::Machine;
use meshwright_schedule::Planner;
use meshwright_schedule::cost::{Forecast, forecast};

/// The word for it among the names of placements.
pub const AUTO: &str = "auto";

/// How many of the cheapest are simulated, and of those a search finds.
const SIMULATED: usize = 3;

/// A search is worth its time when the best price, simulated, is more than a hundredth above the bound.
const NEAR: u64 = 100;

/// How long the search goes on.
const SEARCH_STEPS: u64 = 100_000;

/// Larger jobs are searched on whole boxes only, and more briefly.
const SEARCHED_TASKS_MAX: u32 = 4096;

/// Still larger ones not at all: where a search starts takes longer than `auto` may.
const BRIEFLY_SEARCHED_TASKS_MAX: u32 = 1 << 15;

/// How long such a brief search goes on: some seconds.
const BRIEF_SEARCH_STEPS: u64 = 50_000;

/// Up to here every placement is priced and some rivals are simulated, also when one is known to be optimal.
const PRICED_TASKS_MAX: u32 = 1 << 16;

/// The placement nobody would choose: it is what one compares with.
const NEVER: &str = "random";

/// Names of placements, `auto` replaced by the placements it leads to.
pub(crate) struct Candidates<'a> {
    /// To be simulated.
    pub(crate) methods: Vec<String>,
    /// Priced and found too dear, or not applicable.
    pub(crate) left_out: Vec<Skipped>,
    /// The job, with what a search found on the way.
    pub(crate) job: Cow<'a, Job>,
}

/// The price of a placement.
struct Priced {
    method: String,
    ticks: u64,
    /// No schedule on its routes takes less.
    least_ticks: u64,
    hops: u64,
}

/// Replaces `auto` by the front runners; other names stay.
pub(crate) fn expand<'a>(
    job: &'a Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<Candidates<'a>> {
    let mut named: Vec<String> =
        methods.iter().filter(|&&name| name != AUTO).map(ToString::to_string).collect();
    let mut settled = axes::settled(job, machine, methods)?;
    if !methods.contains(&AUTO) {
        return Ok(Candidates { methods: named, left_out: Vec::new(), job: settled });
    }
    let job: &Job = &settled;
    let mapping = job.on(machine);
    let bound = mapping.own_bound().ticks;
    let (mut priced, mut left_out) = prices(job, &mapping, seed, bound, progress)?;
    // Equally cheap ones by traffic, then in the order of the table.
    let by_price = |priced: &Priced| (priced.ticks, priced.hops);
    priced.sort_by_key(by_price);
    // Of a large job a simulation can take a minute: who is predicted to meet the bound needs no rivals.
    let is_clear = job.tasks.tasks > PRICED_TASKS_MAX && priced[0].ticks == bound;
    let mut reached = bound;
    if !is_clear {
        let first = mapping.place(&priced[0].method, seed)?;
        reached = look::simulated(&first.phases(&job.tasks, machine), machine)?;
    }
    let (found, reached, interrupted) = found(job, machine, seed, [bound, reached], &mut priced, progress)?;
    priced.sort_by_key(by_price);
    let frugal = (0..priced.len()).min_by_key(|&index| priced[index].hops).unwrap_or_default();
    let best = (priced[0].ticks, priced[0].hops);
    // What a search found is simulated all the same: the prediction told these apart from the rest, not from each other.
    let is_found = |method: &String| found.iter().any(|placement| placement.name == *method);
    let rivals = if is_clear { 1 } else { SIMULATED };
    let mut others = 0;
    for (index, Priced { method, ticks, least_ticks, hops }) in priced.into_iter().enumerate() {
        let runs = is_found(&method) || others < rivals || least_ticks < reached;
        others += usize::from(!is_found(&method));
        if named.contains(&method) {
            continue;
        }
        if runs || index == frugal {
            named.push(method);
        } else {
            left_out.push(Skipped { method, why: dearer(machine, (ticks, hops), best), deadlock: false });
        }
    }
    if !found.is_empty() {
        settled.to_mut().given.extend(found);
        settled.to_mut().interrupted |= interrupted;
    }
    Ok(Candidates { methods: named, left_out, job: settled })
}

/// What every placement costs, and which have no price.
fn prices(
    job: &Job,
    mapping: &Mapping<'_>,
    seed: u64,
    bound: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<(Vec<Priced>, Vec<Skipped>)> {
    let machine = mapping.machine();
    let (mut priced, mut left_out): (Vec<Priced>, _) = (Vec::new(), Vec::new());
    for method in considered(job) {
        // The closed forms stand first in the table; for a large job it is not worth seconds to price what cannot win.
        let optimal = priced.iter().find(|priced| priced.ticks == bound).map(|priced| &priced.method);
        if let Some(optimal) = optimal.filter(|_| job.tasks.tasks > PRICED_TASKS_MAX) {
            let why = format!("not tried: {optimal} is predicted to meet the bound");
            left_out.push(Skipped { method, why, deadlock: false });
            continue;
        }
        progress(&format!("auto: the price of {method}"));
        match mapping.place(&method, seed).and_then(|placement| price(job, machine, &placement)) {
            Ok(price) => priced.push(price),
            Err(Error::NotApplicable { why, .. }) => left_out.push(Skipped { method, why, deadlock: false }),
            Err(error) => return Err(error),
        }
    }
    if priced.is_empty() {
        return Err(super::no_placement(&job.tasks, machine, &left_out));
    }
    Ok((priced, left_out))
}

/// The placements that are priced, those made for this job first.
fn considered(job: &Job) -> Vec<String> {
    let methods =
        meshwright_mapping::considered(&job.tasks).map(|method| method.name).filter(|&name| name != NEVER);
    let is_other = |name: &String| PLACEMENTS.iter().all(|method| method.name != *name);
    let given = job.given.iter().map(|placement| placement.name.clone()).filter(is_other);
    given.chain(methods.map(ToString::to_string)).collect()
}

fn dearer(machine: &Machine, (ticks, hops): (u64, u64), (best, fewest): (u64, u64)) -> String {
    let cycles = machine.costs().cycles(ticks).0;
    match ticks - best {
        0 if hops == fewest => {
            format!("predicted {cycles} cycles over {hops} hops like one that stands before it")
        }
        0 => format!("predicted {cycles} cycles like the best, but over more hops"),
        more => format!(
            "predicted {cycles} cycles, {}\u{a0}% more than the best",
            percentage(more as f64 / best.max(1) as f64)
        ),
    }
}

/// Searches for a placement, unless the time that was reached is near the bound or the job is large; adds its price.
/// With it what is reached now, simulated, and
/// whether a signal has ended the search.
fn found(
    job: &Job,
    machine: &Machine,
    seed: u64,
    [bound, reached]: [u64; 2],
    priced: &mut Vec<Priced>,
    progress: &mut dyn FnMut(&str),
) -> Result<(Vec<Placement>, u64, bool)> {
    let near = reached - bound.min(reached) <= bound / NEAR;
    let taken = job.given.iter().any(|placement| placement.name == search::NAME);
    let steps = match job.tasks.tasks {
        ..=SEARCHED_TASKS_MAX => SEARCH_STEPS,
        ..=BRIEFLY_SEARCHED_TASKS_MAX if machine.whole_grid().is_some() => BRIEF_SEARCH_STEPS,
        _ => 0,
    };
    if near || taken || steps == 0 {
        return Ok((Vec::new(), reached, false));
    }
    let start = search::Start::Best;
    let problem =
        SearchProblem { graph: &job.tasks, machine, pins: &[], start, seed, steps, answers: SIMULATED };
    let outcome = look::search(&problem, &mut |step| {
        progress(&format!("auto: search, {} steps", step.steps));
        ControlFlow::Continue(())
    })?;
    let reached = outcome.answers[0].judged_ticks.min(reached);
    let interrupted = outcome.interrupted;
    let found: Vec<Placement> = outcome.answers.into_iter().map(|answer| answer.placement).collect();
    for placement in &found {
        priced.push(price(job, machine, placement)?);
    }
    Ok((found, reached, interrupted))
}

/// The predicted time of a placement under the machine's switching, and its hops.
fn price(job: &Job, machine: &Machine, placement: &Placement) -> Result<Priced> {
    let schedule = placement.phases(&job.tasks, machine);
    let Forecast { ticks, least_ticks, hops, .. } = forecast(&schedule, machine)?;
    Ok(Priced { method: placement.name.clone(), ticks, least_ticks, hops })
}
