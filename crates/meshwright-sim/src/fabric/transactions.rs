//! A workload of the flow engine: the programs of processors that read, write and wait.

use super::{FabricRouters, Flows};
use crate::engine::{Driver, Open};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_network::fabric::Fabric;
use meshwright_schedule::transactions::{ProcessorProgram, Program, Step, Transaction};

/// An engine that knows transactions.
pub(super) trait Issuer<'m>: Open<'m> {
    /// Adds a transaction of a processor of a program; it is not started yet.
    fn issue(&mut self, program: &Program, own: &ProcessorProgram, transaction: &Transaction) -> u32;

    /// The present moment in cycles.
    fn cycle(&self) -> f64;

    /// By resource, the bytes and messages carried, and the cycles lost by those whom it slowed.
    fn use_of_resources(self) -> (Vec<(f64, u64)>, Vec<f64>);
}

/// How the bytes of transactions move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// As flows at fair rates.
    Flows,
    /// Flit by flit, through the routers of the fabric.
    Flits,
}

/// What a run of transactions gave; times in cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactionTrace {
    /// When the last processor ended.
    pub cycles: f64,
    /// Per processor the ends of its barriers; without barriers its last transaction.
    pub finishes: Vec<Vec<f64>>,
    /// Per resource the bytes it carried and the messages that crossed it.
    pub carried: Vec<(f64, u64)>,
    /// Per resource the cycles lost by those whom it slowed.
    pub waited: Vec<f64>,
}

/// When everything of a run of transactions happened, in [`TICKS_PER_CYCLE`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionTimes {
    /// In the order of issue: the processor, which of its transactions, when it was issued and when it was done.
    pub transactions: Vec<(u32, u32, u64, u64)>,
    /// In the order of their ends: the processor, when it came to a barrier and when that ended.
    pub barriers: Vec<(u32, u64, u64)>,
}

impl TransactionTimes {
    /// When the last of it ended.
    pub fn end(&self) -> u64 {
        let done = self.transactions.iter().map(|times| times.3);
        done.chain(self.barriers.iter().map(|times| times.2)).max().unwrap_or(0)
    }
}

/// A processor while it runs.
#[derive(Clone, Debug, Default)]
struct State {
    /// The step to do next.
    step: usize,
    /// Transactions issued so far.
    issued: u32,
    /// Transactions that are not done yet.
    outstanding: u32,
    /// When the last of them was done, if one was.
    done: Option<u64>,
    /// When it came to its present barrier.
    came: u64,
    /// Records of its profiler since they were written out.
    records: u32,
    /// Whether it stands at a barrier.
    waits: bool,
    /// Whether the barrier's end is known and its timer runs.
    ending: bool,
}

/// All processors.
struct Processors<'p> {
    program: &'p Program,
    fabric: &'p Fabric,
    ticks_per_cycle: u64,
    states: Vec<State>,
    /// By message, its processor.
    owners: Vec<u32>,
    finishes: Vec<Vec<f64>>,
    /// What happened when, if somebody wants to know.
    times: Option<TransactionTimes>,
}

/// Runs the programs.
///
/// # Errors
///
/// [`Error::Value`] when flits are asked for and the fabric has no routers, or they cannot have its rates;
/// [`Error::NotApplicable`] when flits are asked for and there is a multicast.
///
/// # Panics
///
/// When a node, a network or a kind of processor is not the machine's.
///
/// # Complexity
///
/// Flows: O(T S log S) for T transactions and S = sum of the ways of those in service at a time. Flits: O(flits times
/// links crossed, and the cycles that packets wait).
pub fn simulate(fabric: &Fabric, program: &Program, movement: Movement) -> Result<TransactionTrace> {
    driven(fabric, program, movement, None).map(|(trace, _)| trace)
}

/// As [`simulate`], and when everything happened.
///
/// # Errors
///
/// As for [`simulate`].
pub fn record(fabric: &Fabric, program: &Program, movement: Movement) -> Result<TransactionTimes> {
    let times = Some(TransactionTimes::default());
    driven(fabric, program, movement, times).map(|(_, times)| times.expect("it was asked for"))
}

fn driven(
    fabric: &Fabric,
    program: &Program,
    movement: Movement,
    times: Option<TransactionTimes>,
) -> Result<(TransactionTrace, Option<TransactionTimes>)> {
    Ok(match movement {
        Movement::Flows => drive(Flows::new(fabric, TICKS_PER_CYCLE), fabric, program, times),
        Movement::Flits if program.has_multicasts() => {
            let why = "routers here do not copy flits; the message engine (flows) knows multicasts";
            return Err(Error::not_applicable("a multicast flit by flit", why));
        }
        Movement::Flits => drive(FabricRouters::new(fabric, TICKS_PER_CYCLE)?, fabric, program, times),
    })
}

fn drive<'m, E: Issuer<'m>>(
    mut engine: E,
    fabric: &Fabric,
    program: &Program,
    times: Option<TransactionTimes>,
) -> (TransactionTrace, Option<TransactionTimes>) {
    engine.open();
    let mut processors = Processors {
        program,
        fabric,
        ticks_per_cycle: TICKS_PER_CYCLE,
        states: vec![State::default(); program.processors.len()],
        owners: Vec::new(),
        finishes: vec![Vec::new(); program.processors.len()],
        times,
    };
    for (index, own) in (0..).zip(&program.processors) {
        let first = own.begin.0 + fabric.processors()[own.processor].first.0;
        if let Some(at) = processors.moment(index, first * TICKS_PER_CYCLE) {
            engine.set_timer(index, at);
        }
    }
    engine.run(&mut processors);
    let cycles = engine.cycle();
    let (carried, waited) = engine.use_of_resources();
    (TransactionTrace { cycles, finishes: processors.finishes, carried, waited }, processors.times)
}

/// Ticks of the clock in which processors act.
pub const TICKS_PER_CYCLE: u64 = 64;

impl Processors<'_> {
    /// When a processor takes its next step if nothing before `soonest` allows it; `None` if there is none, or it is a
    /// barrier, which needs no time of its own.
    fn moment(&self, index: u32, soonest: u64) -> Option<u64> {
        let own = &self.program.processors[index as usize];
        match own.steps.get(self.states[index as usize].step)? {
            Step::Issue(Transaction { issue: Some(at), .. }) => Some(at.0 * self.ticks_per_cycle),
            Step::Issue(_) | Step::Barrier => Some(soonest),
        }
    }

    fn ticks(&self, cycles: Cycles) -> u64 {
        cycles.0 * self.ticks_per_cycle
    }

    /// Takes the next step of a processor, now.
    fn step<'m>(&mut self, engine: &mut impl Issuer<'m>, index: u32) {
        let own = &self.program.processors[index as usize];
        let kind = &self.fabric.processors()[own.processor];
        let state = &mut self.states[index as usize];
        match own.steps.get(state.step) {
            None => {}
            Some(Step::Barrier) => {
                (state.waits, state.came) = (true, engine.now());
                state.records += 2;
                self.look(engine, index);
            }
            Some(Step::Issue(transaction)) => {
                state.step += 1;
                state.outstanding += 1;
                state.records += 1;
                let mut wait = Cycles(0);
                if let Some((most, cycles)) = kind.profiler.filter(|(most, _)| state.records + 1 >= *most) {
                    state.records -= most - 1;
                    wait = cycles;
                }
                let message = engine.issue(self.program, own, transaction);
                self.owners.push(index);
                if let Some(times) = &mut self.times {
                    let number = state.issued;
                    times.transactions.push((index, number, engine.now(), engine.now()));
                }
                state.issued += 1;
                engine.start(message, engine.now());
                let barrier = matches!(own.steps.get(self.states[index as usize].step), Some(Step::Barrier));
                let wait = self.ticks(wait) + self.ticks(if barrier { kind.barrier } else { kind.gap });
                if let Some(at) = self.moment(index, engine.now() + wait) {
                    engine.set_timer(index, at.max(engine.now()));
                }
            }
        }
    }

    /// Whether a processor that stands at a barrier may go on.
    fn look<'m>(&mut self, engine: &mut impl Issuer<'m>, index: u32) {
        let own = &self.program.processors[index as usize];
        let kind = &self.fabric.processors()[own.processor];
        let state = &mut self.states[index as usize];
        if state.waits && state.outstanding == 0 && !state.ending {
            state.ending = true;
            let [tail, empty] = [kind.tail, kind.empty].map(|cycles| cycles.0 * self.ticks_per_cycle);
            let end = state.done.map_or(0, |done| done + tail).max(state.came + empty);
            engine.set_timer(index, end.max(engine.now()));
        }
    }

    /// A barrier ends now.
    fn over<'m>(&mut self, engine: &mut impl Issuer<'m>, index: u32) {
        let own = &self.program.processors[index as usize];
        let resume = self.fabric.processors()[own.processor].resume;
        let state = &mut self.states[index as usize];
        (state.waits, state.ending) = (false, false);
        state.step += 1;
        if let Some(times) = &mut self.times {
            times.barriers.push((index, state.came, engine.now()));
        }
        self.finishes[index as usize].push(engine.cycle());
        if let Some(at) = self.moment(index, engine.now() + self.ticks(resume)) {
            engine.set_timer(index, at.max(engine.now()));
        }
    }
}

impl<'m, E: Issuer<'m>> Driver<E> for Processors<'_> {
    const WANTS_SENT: bool = false;

    fn sent(&mut self, _: &mut E, _: u32) {}

    fn delivered(&mut self, engine: &mut E, message: u32) {
        let index = self.owners[message as usize];
        if let Some(times) = &mut self.times {
            times.transactions[message as usize].3 = engine.now();
        }
        let state = &mut self.states[index as usize];
        state.outstanding -= 1;
        state.done = Some(engine.now());
        self.look(engine, index);
    }

    fn timer(&mut self, engine: &mut E, id: u32) {
        if self.states[id as usize].ending { self.over(engine, id) } else { self.step(engine, id) }
    }
}
