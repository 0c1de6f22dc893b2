//! Measured beside predicted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{RunInput, Settings, predicted};
use crate::skeleton::execute::{Gathered, Links, Waiting, Wrong};
use meshwright_core::statistics::median;
use predicted::PredictedTimes;

/// The answer to `run`.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The version of this form: 1.
    pub format: u32,
    /// What was run.
    pub name: String,
    /// The machine it was planned for, if that is known.
    pub machine: Option<String>,
    /// How many ranks ran it.
    pub ranks: u32,
    /// How many runs there were.
    pub repeat: usize,
    /// How long a cycle of a computation lasted, in nanoseconds; none if nothing was computed.
    pub cycle_nanoseconds: Option<f64>,
    /// The start-up of a message between the real ranks, in nanoseconds.
    pub startup_nanoseconds: f64,
    /// Its time per byte, in nanoseconds.
    pub byte_nanoseconds: f64,
    /// The phases, by tag.
    pub phases: Vec<PhaseRow>,
    /// How many messages arrived in the last run.
    pub messages: u64,
    /// The bytes of the schedule.
    pub bytes: u64,
    /// How many bytes were compared with what was sent, in all runs.
    pub verified_bytes: u64,
    /// From the first begin to the last end of any step: the median of all runs, in nanoseconds.
    pub measured_nanoseconds: u64,
    /// The same, run by run.
    pub runs_nanoseconds: Vec<u64>,
    /// What the referee says of ranks like these, in nanoseconds.
    pub predicted_nanoseconds: Option<f64>,
    /// What the referee says of the machine of the plan, in cycles.
    pub planned_cycles: Option<f64>,
    /// Why there is no prediction, as a sentence.
    pub unpredicted: Option<String>,
    /// Whether every message came and every byte was right.
    pub right: bool,
    /// What was found wrong, the first few of each rank.
    pub wrong: Vec<Wrong>,
    /// How many messages were found wrong.
    pub wrong_count: u64,
    /// Who waits for whom, if nobody had anything to do any more.
    pub waiting: Vec<Waiting>,
}

/// A phase: all messages of one tag.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRow {
    /// Its tag.
    pub phase: u32,
    /// How many messages it has.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From the first send's begin to the last receive's end: the median of all runs, in nanoseconds.
    pub measured_nanoseconds: Option<u64>,
    /// What the referee says of ranks like these, in nanoseconds.
    pub predicted_nanoseconds: Option<f64>,
    /// What the referee says of the machine of the plan, in cycles.
    pub planned_cycles: Option<f64>,
}

/// Whether nothing was wrong in a run.
pub(super) fn is_right(run: &Gathered) -> bool {
    run.over && run.wrong_count == 0
}

impl RunReport {
    /// The report on these runs, at least one, of which all but the last went right.
    pub(super) fn new(work: &RunInput, settings: &Settings, links: Links, runs: &[Gathered]) -> Self {
        let last = runs.last().expect("there is a run");
        let cycle = settings.execute.cycle_nanoseconds;
        let predicted = predicted::machine(work.machine.as_ref(), work.ranks(), links).and_then(|machine| {
            predicted::times(&machine, &predicted::in_nanoseconds(&work.schedule, cycle))
        });
        let planned =
            work.machine.as_ref().and_then(|machine| predicted::times(machine, &work.schedule).ok());
        let all: Vec<u64> = runs.iter().map(|run| run.nanoseconds).collect();
        let phases = phases(work, runs, predicted.as_ref().ok(), planned.as_ref());
        Self {
            format: 1,
            name: work.name.clone(),
            machine: work.machine.as_ref().map(|machine| machine.name().to_string()),
            ranks: work.ranks(),
            repeat: runs.len(),
            cycle_nanoseconds: cycle,
            startup_nanoseconds: links.startup,
            byte_nanoseconds: links.byte_time,
            messages: last.messages,
            bytes: phases.iter().map(|phase| phase.bytes).sum(),
            phases,
            verified_bytes: runs.iter().map(|run| run.checked_bytes).sum(),
            measured_nanoseconds: middle(&all).unwrap_or(0),
            runs_nanoseconds: all,
            predicted_nanoseconds: predicted.as_ref().ok().map(|times| times.all),
            planned_cycles: planned.map(|times| times.all.ceil()),
            unpredicted: predicted.err().map(|error| error.to_string()),
            right: is_right(last),
            wrong: last.wrong.clone(),
            wrong_count: last.wrong_count,
            waiting: last.waiting.clone(),
        }
    }
}

/// A row for each tag of the schedule.
fn phases(
    work: &RunInput,
    runs: &[Gathered],
    predicted: Option<&PredictedTimes>,
    planned: Option<&PredictedTimes>,
) -> Vec<PhaseRow> {
    let mut sums: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for message in work.schedule.messages() {
        let sum = sums.entry(message.tag).or_default();
        *sum = (sum.0 + 1, sum.1 + message.bytes.0);
    }
    let mut measured: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for phase in runs.iter().flat_map(|run| &run.phases) {
        if let (Some(begin), Some(end)) = (phase.begin, phase.end) {
            measured.entry(phase.tag).or_default().push((end - begin).max(0) as u64);
        }
    }
    let row = |(tag, (messages, bytes)): (u32, (u64, u64))| PhaseRow {
        phase: tag,
        messages,
        bytes,
        measured_nanoseconds: measured.get(&tag).and_then(|times| middle(times)),
        predicted_nanoseconds: predicted.and_then(|times| times.phases.get(&tag).copied()),
        planned_cycles: planned.and_then(|times| times.phases.get(&tag).map(|cycles| cycles.ceil())),
    };
    sums.into_iter().map(row).collect()
}

/// The median of some nanoseconds; none of none.
fn middle(nanoseconds: &[u64]) -> Option<u64> {
    median(nanoseconds.iter().map(|&time| time as f64)).map(|time| time as u64)
}
