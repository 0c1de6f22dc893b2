//! Schedules one can run: the flow of the optimum sent in installments, and the shares of any plan sent as messages.
//!
//! Every message goes over one link. A node works off, or sends on, what has come in whole. So any flow can be
//! followed on any network, and the buffers are the nodes' memories.
//!
//! | file | what |
//! |---|---|
//! | `scale` | [`Scale`]: shares to bytes, w Tcp to cycles |
//! | `streams` | a flow made ready: from the sources outwards |
//! | `sizes`, `layout` | how much goes with which installment, and over which links more than one at a time |
//! | `timetable` | when everything happens |
//! | `following` | a flow followed: the best sizes, the schedule |
//! | `record` | what becomes of the steps |
//! | `trial` | which flow is best |
//! | `shallow` | flows that stay close to the sources |
//! | `forest` | flows along trees |
//! | `enclosed` | trees that have no room take nodes of others |
//! | `branching`, `levelling` | trees that branch early; shares by delay |
//! | `apart` | large machines: sizes of its own for each part of the flow |
//! | `potential` | flows in which what arrives late is late by as little as can be |
//! | `front` | what fewer processors and fewer messages cost |
//! | `singles` | one message for each processor, or none |
//! | `rounds` | few messages with start-ups, by a linear programme |
//! | [`list()`] | messages on machines that do less at a time |
//! | `deliver` | the shares of any plan as messages |
//! | `consign`, `paths` | who gets how much from whom, and by which way |
//!
//! # Source
//!
//! `zhang2018`, chapter 7 (installments as future work).

mod apart;
mod branching;
mod consign;
mod deliver;
mod enclosed;
mod following;
mod forest;
mod front;
mod layout;
mod levelling;
mod list;
mod paths;
mod potential;
mod record;
mod rounds;
mod scale;
mod shallow;
mod singles;
mod sizes;
mod streams;
mod timetable;
mod trial;

pub use apart::plan_apart;
pub use deliver::{MESSAGES_MAX, deliver, deliver_and_return, deliver_longest_first};
pub use front::front;
pub use list::{Basis, ListSettings, limited, list};
pub use record::{CLOCK, Installments};
pub use rounds::in_rounds;
pub use scale::Scale;
pub use singles::{one_each, stay};

use self::following::{Following, write};
use self::sizes::Sizes;
use self::trial::{STARTS, Trial, Tried};
use super::Problem;
use super::flow::FlowPhase;
use super::optimum::Optimum;

use meshwright_core::error::Result;

/// What a schedule may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallmentSettings {
    /// The most messages; each goes over one link.
    pub chunks: u64,
}

impl Default for InstallmentSettings {
    fn default() -> Self {
        Self { chunks: 3000 }
    }
}

/// A schedule for a load whose least makespan is known, with no more messages than the settings allow.
///
/// Tried are flows that stay close to the sources, flows along trees, and flows by potential over many links and few. They
/// may take longer than the optimum's, and use more processors, so that each is idle for some of the time: it may then begin
/// later and get its load in larger pieces. Each flow is sent in installments of the best sizes found.
///
/// # Errors
///
/// [`NotApplicable`](meshwright_core::Error::NotApplicable) when every flow uses more links than messages are allowed.
///
/// # Complexity
///
/// Some 30 flows, and for each 60 timetables of O(messages log links), fewer for more than 25,000 messages.
///
/// # Examples
///
/// ```
/// use meshwright_load::installments::{Scale, InstallmentSettings, plan};
/// use meshwright_load::{Problem, Source, optimum};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mut torus = Machine::new("torus:8x8")?;
/// let (costs, bytes) = Scale::costs_of(0.2, 0.0)?;
/// torus = torus.with_costs(costs)?;
/// let problem = Problem::new(&torus, vec![Source::at(NodeId(0), 1.0)], 0.2)?;
/// let optimum = optimum::solve(&problem)?; // speedup 21
/// let found = plan(&Scale::new(&problem, bytes)?, &optimum, &InstallmentSettings { chunks: 1500 })?;
/// assert!(optimum.makespan <= found.makespan && found.makespan < 1.01 * optimum.makespan);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn plan(scale: &Scale, optimum: &Optimum, settings: &InstallmentSettings) -> Result<Installments> {
    let mut trial = Trial::new(scale, optimum);
    let best = trial.best(settings, STARTS, f64::INFINITY).map(|best| best.0);
    match best.and_then(|best| trial.written(best, settings)) {
        Some(found) => Ok(found),
        None => follow(scale, &phases(scale.problem(), optimum), settings),
    }
}

/// A schedule within this part of the bound is near enough: nothing else is looked for.
pub const NEAR: f64 = 0.005;

/// Where twice the messages may gain nothing once.
const TOLERABLE: f64 = 0.01;

/// How far from it is far.
const FAR: f64 = 0.03;

/// Where the best flow says nothing about the best one for more messages.
const TOO_FAR: f64 = 0.1;

/// What twice the messages must gain to be worth them.
const WORTH: f64 = 0.001;

/// As [`plan`], with as many messages as serve the time: `from` at first, twice as many (four times, far from the bound)
/// as long as that gains a thousandth, and no more than `most`.
///
/// It stops within half a percent of the bound, and where not all messages that it may use are used.
///
/// # Errors
///
/// [`NotApplicable`](meshwright_core::Error::NotApplicable) when every flow uses more links than `most`.
///
/// # Complexity
///
/// That of [`plan`] for the most messages that were tried, and about as much again for all others.
pub fn plan_by_gain(scale: &Scale, optimum: &Optimum, from: u64, most: u64) -> Result<Installments> {
    let mut trial = Trial::new(scale, optimum);
    let mut settings = InstallmentSettings { chunks: from.min(most) };
    let (mut starts, mut vain) = (STARTS.to_vec(), 0);
    let mut best = None::<(Tried, InstallmentSettings)>;
    loop {
        let far = if settings.chunks < most { TOO_FAR } else { f64::INFINITY };
        let found = trial.best(&settings, &starts, far);
        let mut gap = f64::INFINITY;
        if let Some((tried, others)) = found {
            let gain = best.as_ref().map_or(1.0, |(best, _)| 1.0 - tried.ticks as f64 / best.ticks as f64);
            vain = if gain < WORTH { vain + 1 } else { 0 };
            let is_used = tried.messages > settings.chunks / 2;
            // The best flow for twice the messages is not far from one for half of them.
            starts = others;
            if gain > 0.0 {
                best = Some((tried, settings));
            }
            gap = best.as_ref().map_or(f64::INFINITY, |(best, _)| trial.gap(best));
            if gap < NEAR || !is_used || vain > usize::from(gap > TOLERABLE) {
                break;
            }
        }
        if settings.chunks >= most {
            break;
        }
        let more = settings.chunks * if gap > FAR { 4 } else { 2 };
        settings.chunks = if more > most / 4 * 3 { most } else { more };
    }
    match best.and_then(|(best, settings)| trial.written(best, &settings)) {
        Some(found) => Ok(found),
        None => follow(scale, &phases(scale.problem(), optimum), &InstallmentSettings { chunks: most }),
    }
}

/// How many sizes are tried: not so many where each try takes long.
fn tries(most: usize, settings: &InstallmentSettings) -> usize {
    most.min((1_500_000 / settings.chunks.max(1)) as usize).max(12)
}

/// The phases of an optimum, one if it has no more.
fn phases(problem: &Problem, optimum: &Optimum) -> Vec<FlowPhase> {
    if !optimum.phases.is_empty() {
        return optimum.phases.clone();
    }
    vec![FlowPhase { from: problem.releases()[0], until: optimum.makespan, flow: optimum.flow.clone() }]
}

/// Sends one flow in installments of the best sizes found; no more messages than the settings allow.
///
/// A flow of several phases is followed phase by phase, so that nothing is sent before it is there.
///
/// # Errors
///
/// [`NotApplicable`](meshwright_core::Error::NotApplicable) when there are more links to use than messages allowed.
///
/// # Complexity
///
/// Some 200 timetables of O(messages log links) each, and O(nodes + links).
pub fn follow(scale: &Scale, phases: &[FlowPhase], settings: &InstallmentSettings) -> Result<Installments> {
    let following = Following::new(scale, phases, settings)?;
    let sizes = following.search(None, tries(200, settings)).map_or(Sizes::equal(1), |found| found.sizes);
    Ok(write(scale, &[(following.streams, sizes)]))
}
