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
//! | `shallow` | flows that stay close to the sources |
//! | `forest` | flows along trees |
//! | `enclosed` | trees that have no room take nodes of others |
//! | `branching`, `levelling` | trees that branch early; shares by delay |
//! | `apart` | large machines: sizes of its own for each part of the flow |
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
mod record;
mod rounds;
mod scale;
mod shallow;
mod singles;
mod sizes;
mod streams;
mod timetable;

pub use apart::plan_apart;
pub use deliver::{MESSAGES_MAX, deliver, deliver_and_return};
pub use front::front;
pub use list::{Basis, ListSettings, limited, list};
pub use record::{CLOCK, Installments};
pub use rounds::in_rounds;
pub use scale::Scale;
pub use singles::{one_each, stay};

use self::following::{Following, write};
use self::shallow::shallow_flow;
use self::sizes::Sizes;
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

/// What share of the time the processors beside the sources are idle, in the flows that are tried.
const SLACKS: &[f64] = &[0.0, 0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.87];

/// How much longer than the least makespan the flows take that are tried.
const STRETCHES: &[f64] = &[1.0, 1.02, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 2.6, 3.5, 5.0, 8.0, 13.0];

/// A schedule for a load whose least makespan is known, with no more messages than the settings allow.
///
/// Tried are flows that stay close to the sources. They may take longer than the optimum's, and use more processors, so
/// that each is idle for some of the time: it may then begin later and get its load in larger pieces. Each flow is sent
/// in installments of the best sizes found.
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
    Ok(plan_from(scale, optimum, settings, STARTS)?.1)
}

/// Which flow: its places in [`STRETCHES`] and [`SLACKS`].
type FlowChoice = (usize, usize);

/// The flows that are tried first.
const STARTS: &[FlowChoice] = &[(0, 0), (0, 6), (3, 6), (6, 3)];

/// As [`plan`], where these flows are tried first; with the best.
fn plan_from(
    scale: &Scale,
    optimum: &Optimum,
    settings: &InstallmentSettings,
    starts: &[FlowChoice],
) -> Result<(FlowChoice, Installments)> {
    let problem = scale.problem();
    let flow =
        |place: FlowChoice| shallow_flow(problem, optimum.makespan * STRETCHES[place.0], SLACKS[place.1]);
    let mut tried: Vec<(FlowChoice, u64)> = Vec::new();
    let mut time = |place: FlowChoice| {
        if let Some(&(_, ticks)) = tried.iter().find(|(known, _)| *known == place) {
            return ticks;
        }
        let ticks = flow(place)
            .and_then(|phases| Following::new(scale, &phases, settings).ok()?.search(tries(60, settings)))
            .map_or(u64::MAX, |(_, ticks)| ticks);
        tried.push((place, ticks));
        ticks
    };
    let (mut least, mut best) = starts.iter().map(|&place| (time(place), place)).min().expect("some starts");
    loop {
        let (stretch, slack) = best;
        let near = [
            (stretch + 1, slack),
            (stretch.wrapping_sub(1), slack),
            (stretch, slack + 1),
            (stretch, slack.wrapping_sub(1)),
            (stretch + 1, slack + 1),
            (stretch.wrapping_sub(1), slack.wrapping_sub(1)),
        ];
        let inside = near.into_iter().filter(|place| place.0 < STRETCHES.len() && place.1 < SLACKS.len());
        match inside.map(|place| (time(place), place)).min() {
            Some((ticks, place)) if ticks < least => (least, best) = (ticks, place),
            _ => break,
        }
    }
    let followed = match flow(best) {
        Some(phases) if least < u64::MAX => follow(scale, &phases, settings),
        _ => follow(scale, &phases(problem, optimum), settings),
    };
    Ok((best, followed?))
}

/// How near the bound is near enough.
const NEAR: f64 = 0.005;

/// How far from it is far.
const FAR: f64 = 0.1;

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
    let mut chunks = from.min(most);
    let mut best = plan_from(scale, optimum, &InstallmentSettings { chunks }, STARTS);
    while chunks < most {
        let gap = best.as_ref().map_or(f64::INFINITY, |(_, best)| best.makespan / optimum.makespan - 1.0);
        let is_used = best.as_ref().map_or(true, |(_, best)| best.messages > chunks / 2);
        if gap < NEAR || !is_used {
            break;
        }
        chunks = most.min(chunks * if gap > FAR { 4 } else { 2 });
        // The best flow for twice the messages is not far from the one for half of them.
        let starts = best.as_ref().map_or(STARTS.to_vec(), |(place, _)| vec![*place]);
        let more = plan_from(scale, optimum, &InstallmentSettings { chunks }, &starts);
        let (Ok((_, old)), Ok((_, new))) = (&best, &more) else {
            best = more;
            continue;
        };
        let gain = 1.0 - new.makespan / old.makespan;
        if gain > 0.0 {
            best = more;
        }
        if gain < WORTH {
            break;
        }
    }
    Ok(best?.1)
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
    let sizes = following.search(tries(200, settings)).map_or(Sizes::equal(1), |(sizes, _)| sizes);
    Ok(write(scale, &[(following.streams, sizes)]))
}
