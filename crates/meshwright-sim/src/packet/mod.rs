//! The packet engine: synchronous steps, one packet per link and step, queues of few slots before every router.
//!
//! A message of W bytes is ceil(W / h) packets of a flit, at least one; a step is the time of a flit on a link, b h.
//! In a step at most one packet crosses each link, whatever the switching of the machine says:
//!
//! * Where a link comes in there is a first-in-first-out queue of [`Machine::buffers`] slots. On the rings of a torus
//!   there are two, one for each date-line class, so that no ring of packets waits for itself.
//! * Only the head of a queue can go on; those behind it wait, wherever they want to go.
//! * A packet crosses only if the queue behind the link had a free slot when the step began: a slot that becomes free
//!   is known a step later. One slot lets a packet pass every second step.
//! * A packet that crosses into its target leaves the network at once and needs no slot.
//! * New packets wait in queues without bounds, one before each link; with [one port](meshwright_network::topology::PortModel::One)
//!   in one queue, whose head alone can go. What comes in is not limited by ports.
//! * Heads that want the same link take turns.
//! * What is sent in answer to a packet may cross its first link in the next step. The start-up c is paid before a
//!   message joins its queue, and a message to oneself takes the start-up alone.
//!
//! Routes are dimension order where all of a box works, else up*/down*. A head that wants a link and does not cross
//! waits a step for it; those behind it wait for nobody's link.
//!
//! | file | what |
//! |---|---|
//! | `wires` | flat tables: which link leads to which queue; where a packet goes next |
//! | `routers`, `step` | the queues; one step of all routers |
//! | `active` | the routers with packets |
//! | `engine` | the same as an engine for workloads: messages, timers, time |
//!
//! # Source
//!
//! `chochia1996`, section 5: XY routing, queues of four packets and an acknowledgement; the rest is decided here.

mod active;
mod engine;
mod routers;
mod step;
mod wires;

#[cfg(test)]
mod tests;

use self::engine::Packets;
use super::{ProcessTrace, Trace, dependency, phased, processes};
use meshwright_core::error::Result;
use meshwright_network::routing;
use meshwright_network::topology::Machine;
use meshwright_schedule::process::Process;
use meshwright_schedule::{Phases, Schedule};

/// Runs a schedule, each rank going on as soon as its own steps allow.
///
/// # Errors
///
/// As for [`crate::run_schedule`]; [`meshwright_core::Error::NotApplicable`] when a flit takes no time, a link has no link
/// back or living nodes are cut off, [`meshwright_core::Error::TooLarge`] when a router has more than 63 incoming queues or the
/// table of routes around dead nodes does not fit.
///
/// # Complexity
///
/// O(packets times links crossed, and the steps heads wait); idle steps are skipped.
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Cycles;
/// let text = "num_ranks 3\nrank 0 { send 20b to 2 }\nrank 2 { recv 20b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "one.goal")?;
/// let trace = sim::packet::run_schedule(&Machine::new("mesh:1x3")?.in_packets(), &schedule)?;
/// assert_eq!(trace.cycles, Cycles(2 + 3 - 1), "three packets of 8 bytes, one behind the other");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run_schedule(machine: &Machine, schedule: &Schedule) -> Result<Trace> {
    let job = dependency::Job::new(machine, schedule)?;
    job.run(&mut Packets::new(machine, routing::usual(machine))?)
}

/// Runs a phased schedule, with a barrier after each phase.
///
/// # Errors
///
/// As for [`crate::run_phased`] and [`run_schedule`].
///
/// # Panics
///
/// When a message names a node outside the machine.
pub fn run_phased(machine: &Machine, phases: &Phases) -> Result<Trace> {
    machine.costs().check()?;
    phased::run(machine, phases, &mut Packets::new(machine, routing::usual(machine))?)
}

/// Runs processes, process i on node i, until nothing happens any more.
///
/// # Errors
///
/// As for [`crate::run_processes`], with 2^28 messages and computations as the limit, and [`run_schedule`].
pub fn run_processes<P: Process>(machine: &Machine, processes: &mut [P]) -> Result<ProcessTrace> {
    machine.costs().check()?;
    processes::run(machine, processes, &mut Packets::new(machine, routing::usual(machine))?)
}
