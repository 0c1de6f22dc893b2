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
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases, cost};

/// Where an engine remembers what was before, a run of so many messages is repeated as often as it is asked for; of more, the
/// last time stands for those that are left.
const MESSAGES_RUN_MAX: u64 = 1 << 22;

/// Phases as a task for an engine.
pub(super) struct Barriers<'j> {
    pub(super) machine: &'j Machine,
    pub(super) phases: &'j Phases,
    /// Those of all messages, if they are known.
    pub(super) routes: Option<&'j Routes<'j>>,
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

/// The messages of a phase that are run in place of all, with their routes; nothing to run all.
pub(super) type Fewer<'m> = Option<(Vec<Message>, Routes<'m>)>;

impl<'m> Task<'m> for Barriers<'m> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        self.run_by(engine, &mut |_, _| None, |_, _| ())
    }
}

/// A phase that is over.
pub(super) struct Over {
    /// Its index.
    pub(super) index: usize,
    /// Which repetition it was, from 0, and for how many it stands.
    pub(super) time: u32,
    pub(super) times: u32,
    /// When it began and ended, in ticks of the engine.
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The message that arrived last, by its index among those that were run.
    pub(super) last: u32,
}

impl<'m> Barriers<'m> {
    /// Runs it and tells of each phase that is over; with fewer messages in some phases: those that `fewer` gives for the
    /// messages and routes of one.
    pub(super) fn run_by<E: Referee<'m>>(
        self,
        engine: &mut E,
        fewer: &mut dyn FnMut(&[Message], &Routes<'m>) -> Fewer<'m>,
        mut over: impl FnMut(&E, Over),
    ) -> Result<Trace> {
        let Self { machine, phases, routes: known } = self;
        let mut trace = Trace::default();
        let (mut longest, mut serial) = (0, 0);
        let total = (phases.messages(), phases.messages_total());
        let surely_fits = network::crude_serial_sum(total, machine).is_some();
        let mut ran = 0;
        'phases: for index in 0..phases.len() {
            let (messages, times) = (phases.phase(index), phases.repeats(index));
            let routes = match known {
                Some(known) => known.part(phases.range(index)),
                None => network::routes(machine, messages)?,
            };
            if !surely_fits {
                let counted = (messages, u64::from(times));
                serial = cost::serial_sum_of(serial, counted, &routes, machine.switching(), machine.costs())?;
            }
            let (some, messages, routes) = match fewer(messages, &routes) {
                Some((some, routes)) => (some, &[][..], routes),
                None => (Vec::new(), messages, routes),
            };
            let messages = if some.is_empty() { messages } else { &some[..] };
            trace.phase_ticks.push(0);
            let mut time = 0;
            while time < times {
                let (was_fresh, passes) = (engine.is_fresh(), engine.passes());
                let (begin, barrier) = run_once(engine, messages, routes.clone());
                let (ticks, left) = (barrier.end - begin, barrier.left());
                ran += messages.len() as u64;
                // Who begins as at first does the same again.
                let is_same = left.is_empty() && was_fresh && engine.is_fresh();
                let stands_for =
                    if is_same || left.is_empty() && ran > MESSAGES_RUN_MAX { times - time } else { 1 };
                let (end, last) = (barrier.end, barrier.last);
                over(engine, Over { index, time, times: stands_for, begin, end, last });
                trace.phase_ticks[index] += ticks * u64::from(stands_for);
                trace.ticks += ticks * u64::from(stands_for);
                trace.passes += (engine.passes() - passes) * u64::from(stands_for);
                if let Some((link, ticks)) = engine.longest_wait().filter(|&(_, ticks)| ticks > longest) {
                    longest = ticks;
                    let waited = machine.costs().cycles(ticks);
                    trace.longest_wait = Some(Wait { link, phase: messages[0].phase + time, waited });
                }
                if !left.is_empty() {
                    trace.messages += (messages.len() - left.len()) as u64;
                    trace.deadlock = engine.waiting_ring(&left);
                    let why = "messages that never arrive wait for each other in a ring";
                    assert!(trace.deadlock.is_some(), "{why}");
                    break 'phases;
                }
                trace.messages += messages.len() as u64 * u64::from(stands_for);
                time += stands_for;
            }
        }
        trace.cycles = machine.costs().cycles(trace.ticks);
        Ok(trace)
    }
}

/// Runs one phase once: when it began, and what there is to say of its end.
fn run_once<'m, E: Referee<'m>>(engine: &mut E, messages: &[Message], routes: Routes<'m>) -> (u64, Barrier) {
    engine.load(messages, routes);
    let begin = engine.now();
    let mut barrier = Barrier { end: begin, last: 0, arrived: vec![false; messages.len()] };
    for message in 0..messages.len() as u32 {
        engine.start(message, begin);
    }
    engine.run(&mut barrier);
    (begin, barrier)
}

/// Notes when the last message arrives.
struct Barrier {
    end: u64,
    last: u32,
    arrived: Vec<bool>,
}

impl Barrier {
    /// The messages that never arrive.
    fn left(&self) -> Vec<u32> {
        (0..).zip(&self.arrived).filter(|(_, arrived)| !**arrived).map(|(message, _)| message).collect()
    }
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
