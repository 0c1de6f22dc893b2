//! Traces of real programs: who read or wrote what and when, as programs of processors.
//!
//! | file | what |
//! |---|---|
//! | this one | [`RecordedTrace`]; [`read`], by the ending of the file |
//! | `csv` | a line per transaction, kernel begins and measured times in tables beside it |
//! | `npe` | the event lists of tt-npe, in JSON |
//! | `columns` | tables with a head line |

mod columns;
mod csv;
mod npe;

use std::path::{Path, PathBuf};

use meshwright_core::error::{Error, Result};
use meshwright_core::text::ending;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_core::words::quoted;
use meshwright_network::fabric::Fabric;
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Program, Step, Transaction};
use meshwright_verdict::transactions::Recorded;

/// A trace as a program, and what is known of its run.
#[derive(Clone, Debug)]
pub struct RecordedTrace {
    /// Its name: that of the file.
    pub name: String,
    /// What the processors did, with the times of issue.
    pub program: Program,
    /// Whether the trace knows when its kernels began; else they begin when their first transaction is due.
    pub has_begins: bool,
    /// The time it took, if that was measured.
    pub measured: Option<Cycles>,
    /// What its times, measured and simulated, leave out for the profiler.
    pub allowance: Cycles,
    /// Per processor the measured ends of its barriers; empty where they are unknown.
    pub finishes: Vec<Vec<Cycles>>,
}

impl RecordedTrace {
    /// What a verdict needs of it.
    pub fn recorded(&self) -> Recorded<'_> {
        Recorded {
            name: &self.name,
            program: &self.program,
            measured: self.measured,
            finishes: &self.finishes,
            allowance: self.allowance,
        }
    }
}

/// What tt-npe allows for the profiler: the time of its traces is that from the first stamp to the last without so much. So it
/// is of other traces on a machine whose processors have a profiler.
const ALLOWANCE: Cycles = Cycles(20);

/// Tables beside a trace; those that know nothing of it change nothing.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Kernel begins: `trace,processor,row,col,begin_cycle`.
    pub begins: Option<PathBuf>,
    /// Measured times: `trace,measured_cycles`.
    pub measured: Option<PathBuf>,
    /// Measured ends of barriers: `trace,processor,row,col,barrier,end_cycle`.
    pub barriers: Option<PathBuf>,
}

/// Reads a trace: `.csv` or `.json`.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses a file, [`Error::Parse`] with the place of what is wrong,
/// [`Error::Value`] for a file of another kind.
pub fn read(path: &Path, beside: &Beside, fabric: &Fabric) -> Result<RecordedTrace> {
    let mut trace = match ending(path).as_str() {
        "csv" => csv::read(path, fabric)?,
        "json" => npe::read(path, fabric)?,
        _ => {
            let expected = "a trace that ends in .csv (a line per transaction) or .json (tt-npe)";
            return Err(Error::value("trace", format!("`{}`", path.display()), expected));
        }
    };
    csv::add_tables(&mut trace, beside, fabric)?;
    Ok(trace)
}

/// One transaction as traces tell it.
struct Event {
    processor: String,
    node: NodeId,
    epoch: u64,
    transaction: Transaction,
}

/// Makes programs of events: those of one processor in their order, a barrier where its number grows and at the end.
fn program(events: Vec<Event>, fabric: &Fabric) -> Program {
    let mut all: Vec<(String, ProcessorProgram, u64)> = Vec::new();
    for Event { processor, node, epoch, transaction } in events {
        let known = all.iter().rposition(|(name, own, _)| *name == processor && own.node == node);
        let index = known.unwrap_or_else(|| {
            let own = ProcessorProgram { processor: 0, node, begin: Cycles(0), steps: Vec::new() };
            all.push((processor, own, epoch));
            all.len() - 1
        });
        let (_, own, last) = &mut all[index];
        if epoch > *last {
            own.steps.push(Step::Barrier);
            *last = epoch;
        }
        own.steps.push(Step::Issue(transaction));
    }
    let finished = |(name, mut own, _): (String, ProcessorProgram, u64)| {
        own.steps.push(Step::Barrier);
        own.processor = kind(&name, &own, fabric);
        own
    };
    Program { processors: all.into_iter().map(finished).collect(), lists: Vec::new() }
}

/// The kind of a processor: of those with its name the first that is made for all its peers; else the first of its name,
/// else the first.
fn kind(name: &str, own: &ProcessorProgram, fabric: &Fabric) -> usize {
    let named = |&index: &usize| fabric.processors()[index].name == name;
    let suits = |&index: &usize| {
        let peers = &fabric.processors()[index].peers;
        peers.is_empty() || own.transactions().all(|transaction| peers.contains(&transaction.peer))
    };
    let all = 0..fabric.processors().len();
    all.clone().filter(named).find(suits).or_else(|| all.clone().find(named)).unwrap_or(0)
}

/// What would be accepted in the place of a name that none of the kinds has; nothing where there is one kind, which all are.
fn other_processors(name: &str, fabric: &Fabric) -> Option<String> {
    let mut names: Vec<&str> = fabric.processors().iter().map(|kind| kind.name.as_str()).collect();
    names.dedup();
    (names.len() > 1 && !names.contains(&name)).then(|| format!("one of {}", quoted(&names)))
}

/// The largest time in a trace, in cycles.
const CYCLES_MAX: u64 = 1 << 44;

/// The largest transaction, in bytes.
const TRANSACTION_BYTES_MAX: u64 = 1 << 32;

/// A read or write of so many bytes.
fn transaction(
    (operation, peer, bytes): (Operation, NodeId, u64),
    plane: usize,
    issue: Option<u64>,
) -> Transaction {
    Transaction { operation, peer, bytes: Bytes(bytes), plane, issue: issue.map(Cycles) }
}
