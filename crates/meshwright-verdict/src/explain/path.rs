//! The critical path in cycles: exact in ticks, rounded at the moments so that the parts still add up.

use serde::Serialize;

use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Phases;
use meshwright_sim::critical::{CriticalPath, Mover, Step};

/// A link by its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PathLink {
    /// The node it leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathEntry {
    /// `message`, `computation`, or `phase`: one that ran on an engine that does not tell who waits for whom.
    pub kind: &'static str,
    /// What it waited for, which ended as it began: `begin` of the run, `barrier` (the last arrival of the phase before),
    /// `link` or `port` (held by the message of the step before), `step` (the one before, on the same node).
    pub after: &'static str,
    /// The phase; the tag in a schedule.
    pub phase: Option<u32>,
    /// The task that sends; of a computation the one that computes.
    pub source_task: Option<u32>,
    /// The task that receives.
    pub target_task: Option<u32>,
    /// The node that sends or computes.
    pub source: Option<u32>,
    /// The node that receives.
    pub target: Option<u32>,
    /// How much is sent.
    pub bytes: Option<u64>,
    /// When it begins.
    pub begin_cycle: u64,
    /// How long it takes: all of them add up to the makespan.
    pub cycles: u64,
    /// The same as a share of the makespan.
    pub share: f64,
    /// How much of it is start-up.
    pub startup_cycles: u64,
    /// How much of it is the way and the bytes.
    pub transfer_cycles: u64,
    /// How much of it the nodes at its ends take.
    pub overhead_cycles: u64,
    /// How much of it it stands and nobody knows for whom.
    pub waiting_cycles: u64,
    /// The link it waited for before, held by the message of the step before.
    pub waited_link: Option<PathLink>,
    /// How long it waited for that link or port; in this time the steps before moved.
    pub waited_cycles: Option<u64>,
}

/// What a critical path is made of, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathParts {
    /// Start-ups.
    pub startup_cycles: u64,
    /// Ways and bytes of messages.
    pub transfer_cycles: u64,
    /// Overhead and gap of nodes.
    pub overhead_cycles: u64,
    /// Waiting for nobody who is known.
    pub waiting_cycles: u64,
    /// Computations.
    pub computation_cycles: u64,
    /// Phases on an engine that does not tell who waits for whom.
    pub unknown_cycles: u64,
}

/// A phase of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PathPhase {
    /// Its number.
    pub phase: u32,
    /// How long it takes.
    pub cycles: u64,
    /// The same as a share of the makespan.
    pub share: f64,
    /// How many messages it has.
    pub messages: u64,
    /// How many steps of the critical path lie in it: more than one where messages waited for each other.
    pub steps: u64,
}

impl PathParts {
    /// The sums over the steps.
    pub fn of(entries: &[PathEntry]) -> Self {
        let mut parts = Self::default();
        for entry in entries {
            parts.startup_cycles += entry.startup_cycles;
            parts.overhead_cycles += entry.overhead_cycles;
            parts.waiting_cycles += entry.waiting_cycles;
            parts.transfer_cycles += entry.transfer_cycles;
            match entry.kind {
                "computation" => parts.computation_cycles += entry.cycles,
                "phase" => parts.unknown_cycles += entry.cycles,
                _ => {}
            }
        }
        parts
    }

    /// All of it: the makespan.
    pub fn total(&self) -> u64 {
        let Self { startup_cycles, transfer_cycles, overhead_cycles, waiting_cycles, .. } = *self;
        startup_cycles
            + transfer_cycles
            + overhead_cycles
            + waiting_cycles
            + self.computation_cycles
            + self.unknown_cycles
    }
}

/// The steps in cycles, from the begin of the run on.
pub(super) fn entries(path: &CriticalPath, machine: &Machine, tasks_on: &[Option<u32>]) -> Vec<PathEntry> {
    let total = path.trace.cycles.0.max(1) as f64;
    let mut before: Option<u32> = None;
    let mut entries = Vec::with_capacity(path.steps.len());
    for (index, step) in path.steps.iter().enumerate() {
        let mut entry = times(step, machine, total);
        let task = |node: meshwright_core::units::NodeId| tasks_on.get(node.index()).copied().flatten();
        match step.mover {
            Mover::Message(message) => {
                let (source, target) = message.pair();
                (entry.source, entry.target) = (Some(source.0), Some(target.0));
                (entry.source_task, entry.target_task) = (task(source), task(target));
                (entry.phase, entry.bytes) = (Some(message.phase), Some(message.bytes.0));
            }
            Mover::Rank(node) => (entry.source, entry.source_task) = (Some(node.0), task(node)),
            Mover::Phase(phase) => entry.phase = Some(phase),
        }
        entry.after = match step.blocked {
            Some(blocked) if blocked.link.is_some() => "link",
            Some(_) => "port",
            None if index == 0 => "begin",
            None if path.trace.phase_ticks.is_empty() => "step",
            None => "barrier",
        };
        before = entry.phase.or(before);
        entry.phase = entry.phase.or(before);
        entries.push(entry);
    }
    entries
}

/// The times of a step.
fn times(step: &Step, machine: &Machine, total: f64) -> PathEntry {
    let at = |ticks: u64| machine.costs().cycles(ticks).0;
    let begin_cycle = at(step.begin);
    let cycles = at(step.end) - begin_cycle;
    let kind = match step.mover {
        Mover::Message(_) => "message",
        Mover::Rank(_) => "computation",
        Mover::Phase(_) => "phase",
    };
    // What is rounded up first leaves less for the others: the sum stays.
    let startup_cycles = at(step.startup).min(cycles);
    let overhead_cycles = at(step.overhead).min(cycles - startup_cycles);
    let waiting_cycles = at(step.waiting).min(cycles - startup_cycles - overhead_cycles);
    let left = cycles - startup_cycles - overhead_cycles - waiting_cycles;
    let link = |link: LinkId| PathLink {
        from: machine.source(link).0,
        to: machine.target(link).unwrap_or_default().0,
    };
    PathEntry {
        kind,
        after: "",
        phase: None,
        source_task: None,
        target_task: None,
        source: None,
        target: None,
        bytes: None,
        begin_cycle,
        cycles,
        share: cycles as f64 / total,
        startup_cycles,
        transfer_cycles: if kind == "message" { left } else { 0 },
        overhead_cycles,
        waiting_cycles,
        waited_link: step.blocked.and_then(|blocked| blocked.link).map(link),
        waited_cycles: step.blocked.map(|blocked| at(blocked.ticks)),
    }
}

/// The phases with what they take, in their order; none of a schedule.
pub(super) fn phases(path: &CriticalPath, phases: Option<&Phases>, machine: &Machine) -> Vec<PathPhase> {
    let Some(phases) = phases else { return Vec::new() };
    let at = |ticks: u64| machine.costs().cycles(ticks).0;
    let total = path.trace.cycles.0.max(1) as f64;
    let (mut begin, mut steps) = (0, path.steps.as_slice());
    let of = |(index, ticks): (usize, &u64)| {
        let end = begin + ticks;
        let messages = phases.phase(index);
        let (first, times) = (messages[0].phase, phases.repeats(index));
        let own = steps.iter().take_while(|step| (first..first + times).contains(&phase_of(step))).count();
        let cycles = at(end) - at(begin);
        (begin, steps) = (end, &steps[own..]);
        PathPhase {
            phase: first,
            cycles,
            share: cycles as f64 / total,
            messages: messages.len() as u64 * u64::from(times),
            steps: own as u64,
        }
    };
    path.trace.phase_ticks.iter().enumerate().map(of).collect()
}

/// The phase of a step of a phased run.
fn phase_of(step: &Step) -> u32 {
    match step.mover {
        Mover::Message(message) => message.phase,
        Mover::Phase(phase) => phase,
        Mover::Rank(_) => unreachable!("phases compute nothing"),
    }
}
