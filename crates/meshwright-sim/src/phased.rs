//! Phased runs: all messages of a phase start together, and a barrier ends the phase.
//!
//! # Source
//!
//! `lo1990`, section 5 (loosely synchronous phases), eq. (1) and section 5.1.2 (a message alone).

use super::engine::{Control, Driver, Open, Referee};
use super::network;
use super::simulate::Task;
use super::trace::{Trace, Wait};
use meshwright_core::error::Result;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases, cost};

/// Phases as a task for an engine.
pub(super) struct Barriers<'j> {
    pub(super) machine: &'j Machine,
    pub(super) phases: &'j Phases,
}

/// Refuses messages from or to nodes that the machine does not have.
///
/// # Panics
///
/// When there is one.
pub(super) fn assert_inside(machine: &Machine, phases: &Phases) {
    let inside = |message: &Message| message.source.0.max(message.target.0) < machine.nodes();
    assert!(phases.messages().iter().all(inside), "every message runs between nodes of the machine");
}

impl<'m> Task<'m> for Barriers<'m> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        self.run_by(engine, |_, _| ())
    }
}

/// A phase that is over.
pub(super) struct Over {
    /// Its index.
    pub(super) index: usize,
    /// When it began and ended, in ticks of the engine.
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The message that arrived last, by its index in the phase.
    pub(super) last: u32,
}

impl<'m> Barriers<'m> {
    /// Runs the phases and tells of each one that is over.
    pub(super) fn run_by<E: Referee<'m>>(
        self,
        engine: &mut E,
        mut over: impl FnMut(&E, Over),
    ) -> Result<Trace> {
        let Self { machine, phases } = self;
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
            let mut barrier = Barrier { end: begin, last: 0, arrived: vec![false; messages.len()] };
            for message in 0..messages.len() as u32 {
                engine.start(message, begin);
            }
            engine.run(&mut barrier);
            over(engine, Over { index, begin, end: barrier.end, last: barrier.last });
            trace.phase_ticks.push(barrier.end - begin);
            trace.ticks += barrier.end - begin;
            if let Some((link, ticks)) = engine.longest_wait().filter(|&(_, ticks)| ticks > longest) {
                longest = ticks;
                let waited = machine.costs().cycles(ticks);
                trace.longest_wait = Some(Wait { link, phase: messages[0].phase, waited });
            }
            let left: Vec<u32> =
                (0..messages.len() as u32).filter(|m| !barrier.arrived[*m as usize]).collect();
            trace.messages += (messages.len() - left.len()) as u64;
            if !left.is_empty() {
                trace.deadlock = engine.waiting_ring(&left);
                assert!(trace.deadlock.is_some(), "messages that never arrive wait for each other in a ring");
                break;
            }
        }
        trace.passes = engine.passes();
        trace.cycles = machine.costs().cycles(trace.ticks);
        Ok(trace)
    }
}

/// Notes when the last message arrives.
struct Barrier {
    end: u64,
    last: u32,
    arrived: Vec<bool>,
}

impl<E: Control> Driver<E> for Barrier {
    const WANTS_SENT: bool = false;

    fn sent(&mut self, _: &mut E, _: u32) {}

    fn delivered(&mut self, engine: &mut E, message: u32) {
        (self.end, self.last) = (engine.now(), message);
        self.arrived[message as usize] = true;
    }

    fn timer(&mut self, _: &mut E, _: u32) {}
}
