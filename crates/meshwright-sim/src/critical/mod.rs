//! The critical path: from the last arrival back through what it waited for, to the begin of the run.
//!
//! | step | waited for |
//! |---|---|
//! | a message on its way | the message that held the link or port it needed, up to the moment it let go |
//! | a message at its start | the phase before: its last arrival; in a schedule the step that ended last before |
//! | a computation | the computation before on the same processor, or the step that ended last before |
//!
//! The steps follow each other without a gap, so that their times add up to the makespan. A message that waited has no
//! step of its own for the time of waiting: in it the message that it waited for moved.
//!
//! # Source
//!
//! `kelley1959`: the critical path of a project.

mod schedule;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::fitting::{self, FLIT_HOPS_MAX, Fitted, Routers};
use super::message::{Core, Leg, Log};
use super::phased::{self, Barriers, Over};
use super::rings;
use super::trace::Trace;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Message, Phases};

pub use schedule::of_schedule;

/// Who moves in a step of a critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// A message on its way.
    Message(Message),
    /// A rank that computes.
    Rank(NodeId),
    /// Nobody knows: the phase with this number ran on an engine that does not tell who waits for whom.
    Phase(u32),
}

/// Waiting that ended with the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The link waited for; none if it was a port of a node.
    pub link: Option<LinkId>,
    /// For how long, in ticks.
    pub ticks: u64,
}

/// A step of a critical path, in ticks from the begin of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who moves.
    pub mover: Mover,
    /// When it begins: at the end of the step before.
    pub begin: u64,
    /// When it ends.
    pub end: u64,
    /// How much of it is start-up.
    pub startup: u64,
    /// How much of it the nodes at the ends of the message take: overhead and gap.
    pub overhead: u64,
    /// How much of it the message stands and it is not known for whom.
    pub waiting: u64,
    /// What the message waited for before; the message of the step before held it.
    pub blocked: Option<Blocked>,
}

impl Step {
    /// What is left of a message's step: its way and its bytes, in ticks.
    pub fn transfer(&self) -> u64 {
        self.end - self.begin - self.startup - self.overhead - self.waiting
    }
}

/// What the end of a run waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// The run.
    pub trace: Trace,
    /// The steps, in the order of time: their lengths add up to the ticks of the run.
    pub steps: Vec<Step>,
    /// The routers, if it ran flit by flit: then nobody tells who waits for whom.
    pub routers: Option<Routers>,
}

/// The critical path of phases with barriers, on the referee that fits.
///
/// # Errors
///
/// As for [`simulate`](crate::simulate()), and [`Error::NotApplicable`] when the run ends in a deadlock.
///
/// # Complexity
///
/// As for [`simulate`](crate::simulate()); memory O(sum of hops of the largest phase).
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, NodeId};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::{Message, Phases};
/// use meshwright_sim::critical::{self, Mover};
/// // Both cross the link from 1 to 2: the second waits until the first has passed.
/// let send = |source, bytes| Message { source: NodeId(source), target: NodeId(2), bytes: Bytes(bytes), phase: 1 };
/// let phases = Phases::new(4, vec![send(1, 64), send(0, 8)]);
/// let path = critical::of_phases(&Machine::new("mesh:4")?, &phases)?; // c = 100, b = 1, h = 2
/// let [first, second] = path.steps[..] else { panic!("two messages") };
/// assert_eq!((first.mover, first.end - first.begin, first.startup), (Mover::Message(send(1, 64)), 100 + 2 + 64, 100));
/// assert_eq!((second.mover, second.end - second.begin), (Mover::Message(send(0, 8)), 2 + 8));
/// assert_eq!(second.blocked.map(|blocked| blocked.ticks), Some(64), "its head stood at node 1");
/// assert_eq!(path.trace.ticks, 166 + 10);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn of_phases(machine: &Machine, phases: &Phases) -> Result<CriticalPath> {
    phased::assert_inside(machine, phases);
    if machine.fabric().is_none() {
        let phases = rings::by_source(machine, phases).map_or(Cow::Borrowed(phases), Cow::Owned);
        let (mut steps, mut base) = (Vec::new(), 0);
        let mut core = Core::watched(machine, None, Log::default());
        let barriers = Barriers { machine, phases: &phases, routes: None };
        let trace = barriers.run_by(&mut core, &mut |_, _| None, |core, over| {
            let Over { index, time, times, begin, end, last } = over;
            let messages = phases.phase(index);
            let legs = core.witness().to_arrival(last, end, core.terms());
            for time in time..time + times {
                let shift = |ticks| ticks - begin + base;
                let message = |leg: &Leg| {
                    let message = messages[leg.message as usize];
                    Message { phase: message.phase + time, ..message }
                };
                let step = |leg: &Leg| Step {
                    begin: shift(leg.begin),
                    end: shift(leg.end),
                    ..step_of(core, leg, message(leg))
                };
                steps.extend(legs.iter().rev().map(step));
                base += end - begin;
            }
        })?;
        if trace.deadlock.is_none() {
            return Ok(CriticalPath { trace, steps, routers: None });
        }
    }
    let Fitted { trace, routers, .. } = fitting::simulate(machine, phases, FLIT_HOPS_MAX)?;
    let mut end = 0;
    let unknown = |(index, &ticks): (usize, &u64)| {
        end += ticks;
        let mover = Mover::Phase(phases.phase(index)[0].phase);
        Step { begin: end - ticks, end, ..still(mover) }
    };
    let steps = trace.phase_ticks.iter().enumerate().map(unknown).collect();
    ended(CriticalPath { trace, steps, routers })
}

/// Refuses a run without an end.
fn ended(path: CriticalPath) -> Result<CriticalPath> {
    match path.trace.deadlock {
        None => Ok(path),
        Some(_) => {
            let why = "messages wait for each other in a ring: nothing arrives last".to_string();
            Err(Error::not_applicable("explaining the run", why))
        }
    }
}

/// A step of no length.
fn still(mover: Mover) -> Step {
    Step { mover, begin: 0, end: 0, startup: 0, overhead: 0, waiting: 0, blocked: None }
}

/// A leg of a message, its channel as a link.
fn step_of(core: &Core<'_, Log>, leg: &Leg, message: Message) -> Step {
    let &Leg { begin, end, startup, overhead, waiting, blocked, .. } = leg;
    let blocked = blocked.map(|(channel, ticks)| Blocked { link: core.link_of(channel), ticks });
    Step { mover: Mover::Message(message), begin, end, startup, overhead, waiting, blocked }
}
