//! The verdict on a trace: bound, simulated time, the busiest resource, and the error where the time was measured.

use serde::Serialize;

use crate::contradiction::not_below;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_network::fabric::Fabric;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::transactions::Program;
use meshwright_sim::fabric::transactions::{Movement, TransactionTimes, TransactionTrace, record, simulate};

/// A trace and what is known of its run.
#[derive(Clone, Debug)]
pub struct Recorded<'t> {
    /// Its name.
    pub name: &'t str,
    /// What the processors did.
    pub program: &'t Program,
    /// The measured time.
    pub measured: Option<Cycles>,
    /// Per processor the measured ends of its barriers.
    pub finishes: &'t [Vec<Cycles>],
    /// Cycles that a measured time leaves out of the time from the first event to the last.
    pub allowance: Cycles,
}

/// What is to be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whether the times of issue are left out.
    pub closed_loop: bool,
    /// How bytes move; `None` for flits where the machine has routers, else flows.
    pub movement: Option<Movement>,
}

/// The answer to `simulate --trace`.
#[derive(Clone, Debug, Serialize)]
pub struct TraceVerdict {
    /// The version of the form.
    pub format: u32,
    /// The name of the trace.
    pub trace: String,
    /// The machine.
    pub machine: String,
    /// `message` (flows) or `flit`.
    pub engine: &'static str,
    /// Whether the times of issue were left out.
    pub closed_loop: bool,
    /// How many transactions there are.
    pub transactions: usize,
    /// The bytes of all of them.
    pub bytes: u64,
    /// The simulated time, by the definition of the measured one.
    pub cycles: u64,
    /// No run is faster, whatever the tail of its last barrier.
    pub bound_cycles: u64,
    /// The measured time, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_cycles: Option<u64>,
    /// (simulated - measured) / measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The resource that is busy the longest.
    pub busiest: Option<Busiest>,
    /// By processor.
    pub finishes: Vec<Finish>,
}

/// The busiest resource and who shares it.
#[derive(Clone, Debug, Serialize)]
pub struct Busiest {
    /// Its name.
    pub resource: String,
    /// Its bytes over its rate.
    pub busy_cycles: u64,
    /// How many messages cross it.
    pub messages: u64,
    /// The sources of these messages, those with the most bytes first, at most ten.
    pub shared_by: Vec<SharedBy>,
}

/// What one source sends over a resource.
#[derive(Clone, Debug, Serialize)]
pub struct SharedBy {
    /// Its coordinates.
    pub from: Vec<u32>,
    /// Its messages and bytes.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// When a processor's barriers end.
#[derive(Clone, Debug, Serialize)]
pub struct Finish {
    /// The kind of processor.
    pub processor: String,
    /// Its coordinates.
    pub at: Vec<u32>,
    /// The simulated ends of its barriers.
    pub cycles: Vec<u64>,
    /// The measured ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured_cycles: Vec<u64>,
}

/// The fabric of a machine.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the machine has none.
pub fn fabric_of(machine: &Machine) -> Result<&Fabric> {
    machine.fabric().ok_or_else(|| {
        let why = format!(
            "{} has no [[machine.networks]]: a trace names the network of each transaction",
            machine.name()
        );
        Error::not_applicable("running a trace", why)
    })
}

/// Bound and simulated time of a trace.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the machine has no networks or a time of issue is missing that is needed;
/// [`Error::Contradiction`] when a simulated time lies below its bound; as for [`simulate`].
pub fn judge(machine: &Machine, recorded: &Recorded<'_>, run: Run) -> Result<TraceVerdict> {
    let fabric = fabric_of(machine)?;
    let (program, trace, movement) = simulated(fabric, recorded.program, run)?;
    let begin = program.processors.iter().map(|own| own.begin.0).min().unwrap_or(0) as f64;
    let after = |cycles: f64| (cycles - begin - recorded.allowance.0 as f64).max(0.0);
    let bound = program.bound(fabric);
    let rounded = (bound * 1e6).floor() / 1e6;
    not_below(rounded, trace.cycles + 1e-6, "cycles", recorded.name, None)?;
    let cycles = after(trace.cycles).round() as u64;
    // The tail of the last barrier is a mean of measured times: what is shown rests on links, ports and program order.
    let tails = program.processors.iter().map(|own| fabric.processors()[own.processor].tail.0);
    let tail = tails.min().unwrap_or(0) as f64;
    let measured = recorded.measured.map(|measured| measured.0);
    Ok(TraceVerdict {
        format: 1,
        trace: recorded.name.to_string(),
        machine: machine.name().to_string(),
        engine: match movement {
            Movement::Flows => "message",
            Movement::Flits => "flit",
        },
        closed_loop: run.closed_loop,
        transactions: program.processors.iter().map(|own| own.transactions().count()).sum(),
        bytes: program.processors.iter().flat_map(|own| own.transactions()).map(|one| one.bytes.0).sum(),
        cycles,
        bound_cycles: after(bound - tail).floor() as u64,
        measured_cycles: measured,
        error: measured
            .filter(|&measured| measured > 0)
            .map(|measured| cycles as f64 / measured as f64 - 1.0),
        busiest: busiest(fabric, &program, &trace),
        finishes: finishes(fabric, &program, &trace, recorded.finishes),
    })
}

/// A trace as it is run, and when everything of it happened.
///
/// # Errors
///
/// As for [`judge`].
pub fn recorded(machine: &Machine, program: &Program, run: Run) -> Result<(Program, TransactionTimes)> {
    let fabric = fabric_of(machine)?;
    let (program, movement) = as_run(fabric, program, run)?;
    let times = record(fabric, &program, movement)?;
    Ok((program, times))
}

/// The program as run, and its run.
fn simulated(fabric: &Fabric, program: &Program, run: Run) -> Result<(Program, TransactionTrace, Movement)> {
    let (program, movement) = as_run(fabric, program, run)?;
    let trace = simulate(fabric, &program, movement)?;
    Ok((program, trace, movement))
}

/// The program as run, and how its bytes move.
fn as_run(fabric: &Fabric, program: &Program, run: Run) -> Result<(Program, Movement)> {
    let program = match run.closed_loop {
        true => program.clone().closed_loop(),
        false => program.clone().open_loop().ok_or_else(|| {
            let why = "a transaction has no time of issue; --closed-loop needs none".to_string();
            Error::not_applicable("an open-loop run", why)
        })?,
    };
    let flits = fabric.routers().is_some() && !program.has_multicasts();
    let usual = if flits { Movement::Flits } else { Movement::Flows };
    Ok((program, run.movement.unwrap_or(usual)))
}

/// The resource that its bytes keep busy the longest, of equal ones the first.
fn busiest(fabric: &Fabric, program: &Program, trace: &TransactionTrace) -> Option<Busiest> {
    let busy = |resource: usize| trace.carried[resource].0 / fabric.rates()[resource];
    let all = (0..trace.carried.len()).filter(|&resource| trace.carried[resource].0 > 0.0);
    let busiest = all.fold(None, |best: Option<usize>, resource| match best {
        Some(best) if busy(best) >= busy(resource) => Some(best),
        _ => Some(resource),
    })?;
    let mut held = Vec::new();
    let mut shares = vec![(0u64, 0u64); fabric.grid().nodes() as usize];
    for own in &program.processors {
        for transaction in own.transactions() {
            program.held(fabric, own, transaction, &mut held);
            if held.iter().any(|branch| branch.resource as usize == busiest) {
                let from = program.around(fabric, own, transaction).from;
                let share = &mut shares[from.index()];
                (share.0, share.1) = (share.0 + 1, share.1 + transaction.bytes.0);
            }
        }
    }
    let mut shared_by: Vec<SharedBy> = (0..fabric.grid().nodes())
        .map(meshwright_core::units::NodeId)
        .zip(&shares)
        .filter(|(_, (messages, _))| *messages > 0)
        .map(|(node, &(messages, bytes))| SharedBy { from: fabric.grid().coordinates(node), messages, bytes })
        .collect();
    shared_by.sort_by_key(|share| std::cmp::Reverse(share.bytes));
    shared_by.truncate(SHARED_BY_MAX);
    Some(Busiest {
        resource: fabric.resource_name(busiest as u32),
        busy_cycles: busy(busiest).ceil() as u64,
        messages: trace.carried[busiest].1,
        shared_by,
    })
}

/// Sources named beside the busiest resource.
const SHARED_BY_MAX: usize = 10;

fn finishes(
    fabric: &Fabric,
    program: &Program,
    trace: &TransactionTrace,
    measured: &[Vec<Cycles>],
) -> Vec<Finish> {
    let finish = |(index, ends): (usize, &Vec<f64>)| {
        let own = &program.processors[index];
        let known = measured.get(index).filter(|known| known.len() == ends.len());
        Finish {
            processor: fabric.processors()[own.processor].name.clone(),
            at: fabric.grid().coordinates(own.node),
            cycles: ends.iter().map(|end| end.round() as u64).collect(),
            measured_cycles: known.map_or(Vec::new(), |known| known.iter().map(|end| end.0).collect()),
        }
    };
    trace.finishes.iter().enumerate().map(finish).collect()
}
