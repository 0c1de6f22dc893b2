//! Phased runs: all messages of a phase start together, and a barrier ends the phase.
//!
//! # Source
//!
//! `lo1990`, section 5 (loosely synchronous phases), eq. (1) and section 5.1.2 (a message alone).

use super::engine::{Driver, Engine, Referee};
use super::lines;
use super::message::Core;
use super::network;
use super::trace::{Trace, Wait};
use meshwright_core::error::Result;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases, cost};

/// Runs a phased schedule, with a barrier after each phase. A deadlock ends it: [`Trace::deadlock`] holds its ring.
///
/// # Errors
///
/// [`meshwright_core::Error::Value`] as for [`Costs::check`](meshwright_network::topology::Costs::check),
/// [`meshwright_core::Error::NotApplicable`] when two nodes are not connected, [`meshwright_core::Error::TooLarge`] when a time could
/// leave 63 bits.
///
/// # Panics
///
/// When a message names a node outside the machine.
///
/// # Complexity
///
/// O(E log E) for E = sum of hops; on a mesh, lines with equal messages along them count once in a phase without turns.
///
/// # Examples
///
/// ```
/// use meshwright_schedule::{Message, Phases};
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// let mesh = Machine::new("mesh:1x4")?; // wormhole, c = 100, b = 1, h = 2
/// let send = |source, target| Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(64), phase: 1 };
/// let alone = sim::run_phased(&mesh, &Phases::new(4, vec![send(0, 3)]))?;
/// assert_eq!(alone.cycles, Cycles(100 + 64 + 3 * 2));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run_phased(machine: &Machine, phases: &Phases) -> Result<Trace> {
    let inside = |message: &Message| message.source.0.max(message.target.0) < machine.nodes();
    assert!(phases.messages().iter().all(inside), "every message runs between nodes of the machine");
    let fewer = lines::one_of_each_kind(machine, phases);
    run(machine, fewer.as_ref().unwrap_or(phases), &mut Core::new(machine))
}

/// As [`run_phased`], on any engine of this machine.
pub(super) fn run<'m>(machine: &'m Machine, phases: &Phases, engine: &mut impl Referee<'m>) -> Result<Trace> {
    let inside = |message: &Message| message.source.0.max(message.target.0) < machine.nodes();
    assert!(phases.messages().iter().all(inside), "every message runs between nodes of the machine");
    let mut trace = Trace::default();
    let (mut longest, mut serial) = (0, 0);
    let surely_fits = network::crude_serial_sum(phases.messages(), machine).is_some();
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        let routes = network::routes(machine, messages)?;
        if !surely_fits {
            serial = cost::serial_sum(serial, messages, &routes, machine.switching(), machine.costs())?;
        }
        engine.load(messages, routes);
        let begin = engine.now();
        let mut barrier = Barrier { end: begin, arrived: vec![false; messages.len()] };
        for message in 0..messages.len() as u32 {
            engine.start(message, begin);
        }
        engine.run(&mut barrier);
        trace.phase_ticks.push(barrier.end - begin);
        trace.ticks += barrier.end - begin;
        if let Some((link, ticks)) = engine.longest_wait().filter(|&(_, ticks)| ticks > longest) {
            longest = ticks;
            let waited = machine.costs().cycles(ticks);
            trace.longest_wait = Some(Wait { link, phase: messages[0].phase, waited });
        }
        let left: Vec<u32> = (0..messages.len() as u32).filter(|m| !barrier.arrived[*m as usize]).collect();
        if !left.is_empty() {
            trace.deadlock = engine.waiting_ring(&left);
            assert!(trace.deadlock.is_some(), "messages that never arrive wait for each other in a ring");
            break;
        }
    }
    trace.cycles = machine.costs().cycles(trace.ticks);
    Ok(trace)
}

/// Notes when the last message arrives.
struct Barrier {
    end: u64,
    arrived: Vec<bool>,
}

impl<E: Engine> Driver<E> for Barrier {
    const WANTS_SENT: bool = false;

    fn sent(&mut self, _: &mut E, _: u32) {}

    fn delivered(&mut self, engine: &mut E, message: u32) {
        self.end = engine.now();
        self.arrived[message as usize] = true;
    }

    fn timer(&mut self, _: &mut E, _: u32) {}
}
