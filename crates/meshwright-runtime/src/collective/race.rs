//! Every algorithm for one operation, measured on ranks beside another implementation and beside the referee.

use serde::Serialize;

use super::{Library, Measured, Wrong, measure, measure_library};
use crate::run::predicted;
use crate::skeleton::execute::{Links, MESSAGE_MAX, links};
use crate::transport::{Endpoint, Lost, Mailbox};
use meshwright_collectives::flow::Flow;
use meshwright_collectives::{Algorithm, Task, algorithm};
use meshwright_core::error::{Error, Result};
use meshwright_core::find;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Schedule;

/// What is measured.
#[derive(Clone, Debug)]
pub struct RaceInput<'m> {
    task: Task<'m>,
    is_placed: bool,
    entrants: Vec<(&'static Algorithm, Flow)>,
    skipped: Vec<Skipped>,
    chunks: u32,
    repeat: u32,
}

/// An algorithm that does the operation or was named, and does not suit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its name.
    pub algorithm: &'static str,
    /// Why, as a sentence.
    pub why: String,
}

impl<'m> RaceInput<'m> {
    /// The algorithms with these names, for none all that do the operation, where they suit the task; those that stream cut everything into so
    /// many chunks. `is_placed` says that ranks are where the machine says, so that the referee's times on it count.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a name that is in no table, [`Error::TooLarge`] for more bytes than ranks send in one message and for too
    /// many messages.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::{Operation, Task};
    /// use meshwright_network::topology::Machine;
    /// use meshwright_runtime::collective::{RaceInput, race};
    /// use meshwright_runtime::transport::{Mailbox, threads};
    /// let mesh = Machine::new("mesh:2x3")?;
    /// let task = Task::new(&mesh, Operation::Broadcast, 4096, 2)?;
    /// let input = RaceInput::new(&task, &[], true, 4, 2)?;
    /// let reports = threads::run(6, |endpoint| race(&input, None, &mut Mailbox::new(endpoint), |_| ()));
    /// let report = reports.expect("no thread is lost").swap_remove(0).expect("rank 0 knows");
    /// assert!(report.right && report.results.iter().all(|row| row.verified_bytes == (1 + 2) * 6 * 4096));
    /// assert!(RaceInput::new(&task, &["rnig".to_string()], true, 4, 2).is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn new(task: &Task<'m>, names: &[String], is_placed: bool, chunks: u32, repeat: u32) -> Result<Self> {
        if task.bytes > MESSAGE_MAX {
            return Err(Error::TooLarge {
                what: "a buffer",
                needed: format!("{} bytes", task.bytes),
                limit: format!("{MESSAGE_MAX} bytes between real ranks"),
            });
        }
        let all: Vec<&'static Algorithm> = algorithm::all().collect();
        let does = |one: &&Algorithm| one.operations.contains(&task.operation);
        let asked: Vec<&Algorithm> = match names {
            [] => all.into_iter().filter(does).collect(),
            names => {
                let named = |name: &String| find("algorithm", name, &all, |one| one.name).copied();
                names.iter().map(named).collect::<Result<_>>()?
            }
        };
        let (mut entrants, mut skipped) = (Vec::new(), Vec::new());
        for algorithm in asked {
            match algorithm.of(task) {
                Ok(flow) if algorithm.streams => entrants.push((algorithm, flow.chunked(chunks)?)),
                Ok(flow) => entrants.push((algorithm, flow)),
                Err(error @ Error::NotApplicable { .. }) => {
                    skipped.push(Skipped { algorithm: algorithm.name, why: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Self { task: task.clone(), is_placed, entrants, skipped, chunks, repeat })
    }

    /// How many algorithms are measured.
    pub fn entrants(&self) -> usize {
        self.entrants.len()
    }

    /// The referee's time of a flow: in nanoseconds where messages cost what these ranks measured, and in cycles of the machine
    /// itself; none where it stands still or cannot be simulated.
    fn predicted(&self, flow: &Flow, links: Links) -> (Option<f64>, Option<f64>) {
        let of = |machine: &Machine, schedule: &Schedule| {
            predicted::times(machine, schedule).ok().map(|times| times.all)
        };
        let machine = self.task.machine();
        let placed = flow.schedule(self.task.nodes(), machine.nodes(), None);
        let ranks = predicted::machine(self.is_placed.then_some(machine), self.task.members(), links).ok();
        let nanoseconds = ranks.and_then(|ranks| {
            if self.is_placed {
                return of(&ranks, &placed);
            }
            let nodes: Vec<NodeId> = (0..self.task.members()).map(NodeId).collect();
            of(&ranks, &flow.schedule(&nodes, self.task.members(), None))
        });
        let cycles = self.is_placed.then(|| of(machine, &placed)).flatten();
        (nanoseconds, cycles)
    }
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct RaceReport {
    /// The version of this form: 1.
    pub format: u32,
    /// What was done.
    pub operation: &'static str,
    /// The buffer of one member.
    pub bytes: u64,
    /// The member at which a rooted operation begins or ends; none for others.
    pub root: Option<u32>,
    /// The machine that algorithms were made for.
    pub machine: String,
    /// How many ranks there are.
    pub ranks: u32,
    /// How many runs of each were timed.
    pub repeat: u32,
    /// Into how many chunks algorithms that stream cut everything.
    pub chunks: u32,
    /// The start-up of a message between the ranks, in nanoseconds.
    pub startup_nanoseconds: f64,
    /// Its time per byte, in nanoseconds.
    pub byte_nanoseconds: f64,
    /// The other implementation, if there is one.
    pub library: Option<LibraryRow>,
    /// The algorithms, the fastest first.
    pub results: Vec<RaceRow>,
    /// Those that do not suit.
    pub skipped: Vec<Skipped>,
    /// Whether every byte of all of them was right.
    pub right: bool,
}

/// The other implementation.
#[derive(Clone, Debug, Serialize)]
pub struct LibraryRow {
    /// What it calls the operation.
    pub name: &'static str,
    /// The median of the runs, in nanoseconds.
    pub measured_nanoseconds: f64,
    /// The shortest of them.
    pub min_nanoseconds: u64,
    /// How many bytes were compared with what the operation owes, in all runs.
    pub verified_bytes: u64,
    /// Whether they were right.
    pub right: bool,
}

/// An algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct RaceRow {
    /// Its name.
    pub algorithm: &'static str,
    /// How many steps it has.
    pub steps: u32,
    /// How many messages came in one run.
    pub messages: u64,
    /// The bytes of the blocks in them.
    pub message_bytes: u64,
    /// The median of the runs, in nanoseconds.
    pub measured_nanoseconds: f64,
    /// The shortest of them.
    pub min_nanoseconds: u64,
    /// Its median divided by that of the other implementation.
    pub ratio: Option<f64>,
    /// What the referee says where messages cost what was measured on these ranks, in nanoseconds.
    pub predicted_nanoseconds: Option<f64>,
    /// What the referee says of the machine with its own costs, if ranks are on one.
    pub simulated_cycles: Option<f64>,
    /// How many bytes were compared with what the operation owes, in all runs.
    pub verified_bytes: u64,
    /// Whether they were right.
    pub right: bool,
    /// What was found wrong, the first few of each member and run.
    pub wrong: Vec<Wrong>,
    /// How often something was found wrong.
    pub wrong_count: u64,
}

/// Measures all algorithms and, if there is one, the other implementation; at rank 0 the answer, elsewhere none. Every rank calls it
/// at the same time with the same input. `done` is called with the name of each that has ended.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs. Wrong bytes are an answer.
///
/// # Panics
///
/// When there are not as many ranks as members.
pub fn race<E: Endpoint>(
    input: &RaceInput<'_>,
    library: Option<&mut dyn Library>,
    mail: &mut Mailbox<E>,
    mut done: impl FnMut(&str),
) -> Result<Option<RaceReport>, Lost> {
    let task = &input.task;
    assert_eq!(task.members(), mail.ranks(), "one rank for each member");
    let links = links(mail)?;
    let mut beside = None;
    if let Some(library) = library {
        let name = library.name(task.operation);
        let asked = (task.operation, task.bytes, task.root);
        let measured = measure_library(library, asked, input.repeat, mail)?;
        beside = measured.map(|measured| LibraryRow {
            name,
            measured_nanoseconds: measured.median_nanoseconds(),
            min_nanoseconds: measured.min_nanoseconds(),
            verified_bytes: measured.verified_bytes,
            right: measured.is_right(),
        });
        done(name);
    }
    let mut results = Vec::new();
    for (algorithm, flow) in &input.entrants {
        if let Some(measured) = measure(flow, task.operation, input.repeat, mail)? {
            let predicted = mail.compute(|| input.predicted(flow, links))?;
            results.push(row(algorithm, flow, measured, predicted, beside.as_ref()));
        }
        done(algorithm.name);
    }
    if mail.rank() > 0 {
        return Ok(None);
    }
    results.sort_by(|a, b| a.measured_nanoseconds.total_cmp(&b.measured_nanoseconds));
    Ok(Some(RaceReport {
        format: 1,
        operation: task.operation.name(),
        bytes: task.bytes,
        root: task.operation.is_rooted().then_some(task.root),
        machine: task.machine().name().to_string(),
        ranks: task.members(),
        repeat: input.repeat,
        chunks: input.chunks,
        startup_nanoseconds: links.startup,
        byte_nanoseconds: links.byte_time,
        right: results.iter().all(|row| row.right) && beside.as_ref().is_none_or(|beside| beside.right),
        library: beside,
        results,
        skipped: input.skipped.clone(),
    }))
}

fn row(
    algorithm: &Algorithm,
    flow: &Flow,
    measured: Measured,
    (predicted_nanoseconds, simulated_cycles): (Option<f64>, Option<f64>),
    beside: Option<&LibraryRow>,
) -> RaceRow {
    let median = measured.median_nanoseconds();
    let other = beside.map(|beside| beside.measured_nanoseconds).filter(|&other| other > 0.0);
    RaceRow {
        algorithm: algorithm.name,
        steps: flow.steps(),
        messages: measured.messages,
        message_bytes: measured.bytes,
        measured_nanoseconds: median,
        min_nanoseconds: measured.min_nanoseconds(),
        ratio: other.map(|other| median / other),
        predicted_nanoseconds,
        simulated_cycles,
        verified_bytes: measured.verified_bytes,
        right: measured.is_right(),
        wrong_count: measured.wrong_count,
        wrong: measured.wrong,
    }
}
