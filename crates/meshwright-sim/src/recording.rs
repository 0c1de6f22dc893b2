//! A run told event by event: which message was on which link when, and which rank computed.
//!
//! Whole messages tell all of it. Routers, and links of rates of their own, tell when messages began and arrived, and how long
//! phases took; open-loop traffic, when each packet was created and arrived.

use std::borrow::Cow;
use std::io;

use super::dependency::ScheduleTask;
use super::engine::Open;
use super::fitting::{self, FLIT_HOPS_MAX};
use super::flit::{self, Router};
use super::message::{Core, Holding, Log};
use super::phased::{self, Barriers, Over};
use super::simulate::{Engine, Task, simulate};
use super::timeline::{Computation, Timeline};
use super::trace::Trace;
use super::traffic::{Arrival, Measured, OpenLoop};
use super::{network, rings};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, LinkId};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases, Schedule};

/// The most links that messages of a recorded run pass, all added up: a file of some 10 GB.
pub const PASSAGES_MAX: u64 = 1 << 26;

/// A message on a link, in ticks: from the moment it is given the link until it lets go. No two of one link and class overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The message, by its number in the run.
    pub message: u64,
    /// The link.
    pub link: LinkId,
    /// The date-line class, on a torus under wormhole; else 0.
    pub class: u8,
    /// When it is given the link.
    pub begin: u64,
    /// When it lets go.
    pub end: u64,
}

/// What is told of a run, as it goes on. Times are ticks from its begin.
pub trait Recorder {
    /// A message, by its number in the run: when it was to be sent, and when its last byte arrived.
    ///
    /// # Errors
    ///
    /// As the place it is written to.
    fn message(&mut self, number: u64, message: &Message, times: (u64, u64)) -> io::Result<()>;

    /// A message on a link; its message comes before it.
    ///
    /// # Errors
    ///
    /// As the place it is written to.
    fn passage(&mut self, passage: &Passage, message: &Message) -> io::Result<()>;

    /// A computation of a rank on one of its processors.
    ///
    /// # Errors
    ///
    /// As the place it is written to.
    fn computation(&mut self, place: (u32, u32), times: (u64, u64)) -> io::Result<()>;

    /// A phase with its number, from its begin to its barrier.
    ///
    /// # Errors
    ///
    /// As the place it is written to.
    fn phase(&mut self, number: u32, times: (u64, u64)) -> io::Result<()>;
}

/// Refuses a run whose recording nobody could read; `pairs` are its messages and how often each is sent.
///
/// # Errors
///
/// [`Error::TooLarge`] beyond [`PASSAGES_MAX`]; as for [`simulate`].
pub fn check<'p>(machine: &Machine, phases: impl Iterator<Item = (&'p [Message], u64)>) -> Result<()> {
    let mut sum = 0u64;
    for (messages, times) in phases {
        let routes = network::routes(machine, messages)?;
        let hops = |(index, message): (usize, &Message)| 1 + u64::from(routes.hops(index, message.pair()).0);
        let once: u64 = messages.iter().enumerate().map(hops).sum();
        sum = sum.saturating_add(once.saturating_mul(times));
    }
    match sum <= PASSAGES_MAX {
        true => Ok(()),
        false => Err(Error::TooLarge {
            what: "recording every message on every link",
            needed: format!("{sum} entries"),
            limit: format!("{PASSAGES_MAX}"),
        }),
    }
}

/// Records phases with barriers, on the simulator that fits, as they are judged.
///
/// # Errors
///
/// As for [`simulate`], and [`Error::Io`] where the recorder fails.
///
/// # Complexity
///
/// As for [`simulate`], twice; memory O(sum of hops of the largest phase).
pub fn of_phases(machine: &Machine, phases: &Phases, recorder: &mut dyn Recorder) -> Result<Trace> {
    phased::assert_inside(machine, phases);
    let is_whole =
        machine.fabric().is_none() && simulate(machine, phases, &Engine::Message)?.deadlock.is_none();
    if !is_whole {
        let trace = fitting::simulate(machine, phases, FLIT_HOPS_MAX)?.trace;
        let mut end = 0;
        for (index, ticks) in trace.phase_ticks.iter().enumerate() {
            end += ticks;
            recorder.phase(phases.phase(index)[0].phase, (end - ticks, end)).map_err(failed)?;
        }
        return Ok(trace);
    }
    let phases = rings::by_source(machine, phases).map_or(Cow::Borrowed(phases), Cow::Owned);
    let mut core = Core::watched(machine, None, Log::default());
    let (mut base, mut number, mut written) = (0, 0, Ok(()));
    let barriers = Barriers { machine, phases: &phases, routes: None };
    let trace = barriers.run_by(&mut core, &mut |_, _| None, |core, over| {
        let Over { index, time, times, begin, end, .. } = over;
        let messages = phases.phase(index);
        for time in time..time + times {
            if written.is_ok() {
                let phase = messages.first().map_or(0, |message| message.phase + time);
                written = recorder
                    .phase(phase, (base, base + end - begin))
                    .and_then(|()| tell(core, messages, (number, time, base, begin), recorder));
            }
            number += messages.len() as u64;
            base += end - begin;
        }
    })?;
    written.map_err(failed)?;
    Ok(trace)
}

/// Tells of the batch that an engine has just run: its first number, its repetition, and the tick that its begin becomes.
fn tell(
    core: &Core<'_, Log>,
    messages: &[Message],
    (number, time, base, begin): (u64, u32, u64, u64),
    recorder: &mut dyn Recorder,
) -> io::Result<()> {
    let shift = |ticks: u64| ticks - begin + base;
    let sent = |index: u32| {
        let message = messages[index as usize];
        Message { phase: message.phase + time, ..message }
    };
    for index in 0..messages.len() as u32 {
        let (started, arrived) = core.witness().times(index);
        recorder.message(number + u64::from(index), &sent(index), (shift(started), shift(arrived)))?;
    }
    for Holding { message, channel, begin, end } in core.witness().holdings() {
        let Some(link) = core.link_of(channel) else { continue };
        let (number, class) = (number + u64::from(message), u8::from(link != channel));
        let passage = Passage { message: number, link, class, begin: shift(begin), end: shift(end) };
        recorder.passage(&passage, &sent(message))?;
    }
    Ok(())
}

fn failed(error: io::Error) -> Error {
    Error::io("the recording", error)
}

/// Records a schedule on an engine. A run that ends in a deadlock is recorded as far as it came.
///
/// # Errors
///
/// As for [`simulate`], and [`Error::Io`] where the recorder fails.
///
/// # Complexity
///
/// As for [`simulate`]; memory O(sum of hops + steps) on whole messages, else O(steps).
pub fn of_schedule(
    machine: &Machine,
    schedule: &Schedule,
    engine: &Engine,
    recorder: &mut dyn Recorder,
) -> Result<Trace> {
    let messages: Vec<Message> = schedule.messages().iter().map(Message::from).collect();
    if matches!(engine, Engine::Message) && machine.fabric().is_none() {
        let mut timeline = Timeline::default();
        let task = WatchedTask { task: ScheduleTask::new(machine, schedule)?, timeline: &mut timeline };
        let mut core = Core::watched(machine, None, Log::default());
        let trace = task.on(&mut core)?;
        tell(&core, &messages, (0, 0, 0, 0), recorder)
            .and_then(|()| tell_computations(&timeline, recorder))
            .map_err(failed)?;
        return Ok(trace);
    }
    let (trace, timeline) = watch_on(machine, schedule, engine)?;
    for (number, message) in (0..).zip(&messages) {
        let arrived = timeline.arrivals[number as usize];
        let begin = arrived - trace.latency_ticks.get(number as usize).copied().unwrap_or(0).min(arrived);
        recorder.message(number, message, (begin, arrived)).map_err(failed)?;
    }
    tell_computations(&timeline, recorder).map_err(failed)?;
    Ok(trace)
}

/// Simulates a schedule on an engine, and also tells when every message arrived and every computation ran; on links and routers
/// as they are described.
///
/// # Errors
///
/// As for [`simulate`].
///
/// # Complexity
///
/// As for [`simulate`].
pub fn watch_on(machine: &Machine, schedule: &Schedule, engine: &Engine) -> Result<(Trace, Timeline)> {
    let mut timeline = Timeline::default();
    let task = WatchedTask { task: ScheduleTask::new(machine, schedule)?, timeline: &mut timeline };
    let trace = engine.run(machine, task)?;
    Ok((trace, timeline))
}

/// Records open-loop traffic: every packet that arrived, from its creation to its last flit, in the order of creation; of one
/// cycle in that of the sources.
///
/// # Errors
///
/// As for [`flit::run_traffic`]; [`Error::TooLarge`] when more than [`PASSAGES_MAX`] packets are to be expected; [`Error::Io`]
/// where the recorder fails.
///
/// # Complexity
///
/// As for [`flit::run_traffic`] on one thread; memory O(packets).
pub fn of_traffic(
    machine: &Machine,
    router: &Router,
    open: &OpenLoop,
    recorder: &mut dyn Recorder,
) -> Result<Measured> {
    let cycles = open.warm_up.saturating_add(open.measure).saturating_add(open.drain);
    let expected = open.load / f64::from(open.packet) * cycles as f64 * f64::from(machine.nodes());
    if expected > PASSAGES_MAX as f64 {
        return Err(Error::TooLarge {
            what: "recording every packet",
            needed: format!("{expected:.0} entries"),
            limit: format!("{PASSAGES_MAX}"),
        });
    }
    let (measured, arrivals) = flit::record_traffic(machine, router, open)?;
    let costs = machine.costs();
    let (bytes, ticks) = (Bytes(u64::from(open.packet) * costs.flit.0), costs.ticks_per_cycle());
    for (number, Arrival { created, source, target, arrived }) in (0..).zip(arrivals) {
        let message = Message { source, target, bytes, phase: 0 };
        recorder.message(number, &message, (created * ticks, arrived * ticks)).map_err(failed)?;
    }
    Ok(measured)
}

fn tell_computations(timeline: &Timeline, recorder: &mut dyn Recorder) -> io::Result<()> {
    timeline.computations.iter().try_for_each(|&Computation { rank, processor, begin, end }| {
        recorder.computation((rank, processor), (begin, end))
    })
}

/// A schedule whose times are noted, on any engine.
struct WatchedTask<'j, 'm, 't> {
    task: ScheduleTask<'j, 'm>,
    timeline: &'t mut Timeline,
}

impl<'m> Task<'m> for WatchedTask<'_, 'm, '_> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        self.task.watched(engine, self.timeline)
    }
}
