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
mod flow;
mod record;
mod scale;
mod sizes;
mod streams;
mod timetable;

pub use deliver::deliver;
pub use scale::Scale;

pub use self::flow::{Flow, Phase};
use self::record::{Nothing, Programs};
use self::sizes::Sizes;
use self::streams::Streams;
use self::timetable::Timetable;

use crate::error::{Error, Result};
use crate::schedule::Schedule;
use crate::topology::Topology;

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

/// Sends a flow in installments of the best sizes found; no more messages than the settings allow.
///
/// A flow of several phases is followed phase by phase, so that nothing is sent before it is there.
///
/// # Errors
///
/// [`Error::NotApplicable`] when there are more links to use than messages allowed.
///
/// # Complexity
///
/// Some 100 timetables of O(messages log links) each, and O(nodes + links).
pub fn plan(scale: &Scale, phases: &[Phase], settings: &Settings) -> Result<Installments> {
    let streams = Streams::new(scale, phases);
    let lines: u64 = streams.epochs.iter().map(|epoch| epoch.streams.len() as u64).sum();
    if lines > settings.chunks {
        let why = format!("{lines} links carry something, and only {} messages are allowed", settings.chunks);
        return Err(Error::not_applicable("sending the load in messages", why));
    }
    let most = settings.chunks.checked_div(lines).map_or(1, |most| most.min(1000) as u32);
    let mut timetable = Timetable::new(scale, &streams);
    let ends: Vec<f64> = streams.epochs.iter().map(|epoch| epoch.until).collect();
    let from = streams.epochs.first().map_or(0.0, |epoch| epoch.from);
    let (sizes, _) =
        sizes::search(most, 200, |sizes: &Sizes| timetable.run(&sizes.moments(from, &ends), &mut Nothing));
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
