//! Schedules one can run: the flow of the optimum sent in installments, and the shares of any plan sent as messages.
//!
//! Every message goes over one link. A node works off, or sends on, what has come in whole. So any flow can be
//! followed on any network, and the buffers are the nodes' memories.
//!
//! | file | what |
//! |---|---|
//! | `scale` | [`Scale`]: shares to bytes, w Tcp to cycles |
//! | `streams` | a flow made ready: from the sources outwards |
//! | `sizes` | how much goes with which installment |
//! | `timetable` | when everything happens |
//! | `record` | what becomes of the steps |
//!
//! # Source
//!
//! `zhang2018`, chapter 7 (installments as future work).

mod deliver;
mod record;
mod scale;
mod sizes;
mod streams;
mod timetable;

pub use deliver::deliver;
pub use scale::Scale;

use self::record::{Nothing, Programs};
use self::sizes::Sizes;
use self::streams::Streams;
use self::timetable::Timetable;
use super::optimum::{self, Optimum, Phase};
use super::{Problem, Speeds};

use crate::error::{Error, Result};
use crate::schedule::Schedule;
use crate::topology::Topology;
use crate::units::{LinkId, NodeId};

/// What a schedule may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most messages; each goes over one link.
    pub chunks: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { chunks: 3000 }
    }
}

/// A flow in installments.
#[derive(Clone, Debug)]
pub struct Installments {
    /// What every node sends, receives and works off.
    pub schedule: Schedule,
    /// How many messages there are; each goes over one link.
    pub messages: u64,
    /// How many nodes work off something.
    pub processors: usize,
    /// When all is done, in cycles.
    pub predicted_cycles: u64,
    /// When all is done, in units of w Tcp.
    pub makespan: f64,
    /// The shares of the installments.
    pub installments: Vec<f64>,
    /// By node id, the share of the whole load it works off.
    pub shares: Vec<f64>,
}

/// What share of their time the processors beside the sources are to be idle at least, in the flows that are tried.
const SLACKS: &[f64] = &[0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8];

/// A schedule for a load whose least makespan is known, with no more messages than the settings allow.
///
/// Tried are the flow of the optimum, and flows that use more processors so that each is idle for some of the time:
/// it may then begin later and get its load in larger pieces. Each is sent in installments of the best sizes found.
///
/// # Errors
///
/// [`Error::NotApplicable`] when every flow uses more links than messages are allowed.
///
/// # Complexity
///
/// Some flows, and for each 200 timetables of O(messages log links).
pub fn plan(scale: &Scale, optimum: &Optimum, settings: &Settings) -> Result<Installments> {
    let mut best = follow(scale, &phases(scale.problem(), optimum), settings);
    for &slack in SLACKS {
        let Some(flow) = idle_flow(scale.problem(), slack)? else { break };
        let found = follow(scale, &phases(scale.problem(), &flow), settings);
        let better = match (&best, &found) {
            (Ok(best), Ok(found)) => found.predicted_cycles < best.predicted_cycles,
            (Err(_), _) => true,
            (Ok(_), Err(_)) => false,
        };
        if better {
            best = found;
        }
    }
    best
}

/// A flow in which the processors beside the sources are idle for this share of the makespan at least; none where
/// nodes are all sources.
fn idle_flow(problem: &Problem, slack: f64) -> Result<Option<Optimum>> {
    let machine = problem.machine();
    let nodes = (0..machine.nodes()).map(NodeId);
    let mut work: Vec<f64> = nodes.map(|node| problem.work(node) / (1.0 - slack)).collect();
    problem.sources().iter().for_each(|source| work[source.node.index()] = problem.work(source.node));
    let link = (0..machine.links()).map(|link| problem.link_time(LinkId(link))).collect();
    let slowed = problem.clone().with_speeds(Speeds { work, link })?;
    Ok(Some(optimum::solve(&slowed)?))
}

/// The phases of an optimum, one if it has no more.
fn phases(problem: &Problem, optimum: &Optimum) -> Vec<Phase> {
    if !optimum.phases.is_empty() {
        return optimum.phases.clone();
    }
    let from = problem.sources().iter().map(|source| source.release).fold(f64::INFINITY, f64::min);
    vec![Phase { from, until: optimum.makespan, flow: optimum.flow.clone() }]
}

/// Sends one flow in installments of the best sizes found; no more messages than the settings allow.
///
/// A flow of several phases is followed phase by phase, so that nothing is sent before it is there.
///
/// # Errors
///
/// [`Error::NotApplicable`] when there are more links to use than messages allowed.
///
/// # Complexity
///
/// Some 200 timetables of O(messages log links) each, and O(nodes + links).
pub fn follow(scale: &Scale, phases: &[Phase], settings: &Settings) -> Result<Installments> {
    let streams = Streams::new(scale, phases);
    let lines = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).max().unwrap_or(0);
    let all: u64 = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).sum();
    if all > settings.chunks {
        let why = format!("{all} links carry something, and only {} messages are allowed", settings.chunks);
        return Err(Error::not_applicable("sending the load in messages", why));
    }
    // An epoch takes part of one installment more than those that end in it.
    let most = (settings.chunks - (all - lines)).checked_div(lines).map_or(1, |most| most.min(1000) as u32);
    let mut timetable = Timetable::new(scale, &streams);
    let ends: Vec<f64> = streams.epochs.iter().map(|epoch| epoch.until).collect();
    let from = streams.epochs.first().map_or(0.0, |epoch| epoch.from);
    let time = |sizes: &Sizes| {
        let ticks = timetable.run(&sizes.moments(from, &ends), &mut Nothing);
        if timetable.messages > settings.chunks { u64::MAX } else { ticks }
    };
    let (sizes, _) = sizes::search(most, 200, time);
    Ok(write(scale, &streams, &mut timetable, &sizes.moments(from, &ends)))
}

/// The schedule with installments that end at these moments.
fn write(scale: &Scale, streams: &Streams, timetable: &mut Timetable, moments: &[f64]) -> Installments {
    let mut programs = Programs::new(scale.problem().machine().nodes(), streams.channels.len());
    let ticks = timetable.run(moments, &mut programs);
    let shares: Vec<f64> = timetable.shares().map(|bytes| bytes as f64 / scale.bytes() as f64).collect();
    let mut before = streams.epochs.first().map_or(0.0, |epoch| epoch.from);
    let length = streams.end() - before;
    let share = |&moment: &f64| {
        let share = (moment - before) / length;
        before = moment;
        share
    };
    Installments {
        schedule: programs.into_schedule(),
        messages: timetable.messages,
        processors: shares.iter().filter(|&&share| share > 0.0).count(),
        predicted_cycles: scale.costs().cycles(ticks).0,
        makespan: scale.units_of_ticks(ticks),
        installments: moments.iter().map(share).collect(),
        shares,
    }
}
