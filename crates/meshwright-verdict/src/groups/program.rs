//! What the members do in one repetition, and how long each operation took each group.

use std::collections::BTreeMap;

use super::job::{Job, Pace, Round};
use super::runs::Runs;
use meshwright_core::error::Result;
use meshwright_core::units::LinkId;
use meshwright_groups::Group;
use meshwright_groups::protocol::{Here, LogEntry, Member, Operation, Program, Scheme, members, renew};
use meshwright_network::topology::Machine;

/// What a group does in an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A split, of the group that is split.
    Split,
    /// A barrier.
    Barrier,
    /// A join, of the group that is there again.
    Join,
}

/// How long one operation took one group: from its last member's entry to its last member's exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The operation.
    pub kind: Kind,
    /// How many splits deep the group is.
    pub level: u32,
    /// How many members it has.
    pub size: u32,
    /// The overhead, in cycles.
    pub cycles: u64,
}

/// What one repetition gave.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Every operation of every group.
    pub samples: Vec<Sample>,
    /// The time of all, in cycles.
    pub cycles: u64,
    /// How many messages arrived.
    pub messages: u64,
    /// How many were sent, by [`Scheme::STEPS`], then up, down and across in passes.
    pub sent: Vec<u64>,
    /// The most messages that waited for their time at one member.
    pub early_most: usize,
    /// The link that most packets crossed in one run, and how many, if the engine counts them.
    pub busiest: Option<(LinkId, u64)>,
    /// The link before which most packets stood at once, and how many, on queues without bound.
    pub longest_queue: Option<(LinkId, u64)>,
    /// A ring of links whose messages wait for each other, if members wait for ever.
    pub deadlock: Option<Vec<LinkId>>,
}

/// A list of operations; under lock-step it stops after each of them until the next run. Where there is none, the member
/// does nothing while others do theirs.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    operations: Vec<Option<Operation>>,
    next: usize,
    rests: bool,
    is_resting: bool,
}

impl Steps {
    /// These operations, one after the other.
    pub fn new(operations: Vec<Option<Operation>>, pace: Pace) -> Self {
        Self { operations, next: 0, rests: pace == Pace::Lockstep, is_resting: false }
    }
}

impl Program for Steps {
    fn next(&mut self, _: Here) -> Operation {
        if std::mem::take(&mut self.is_resting) {
            return Operation::Stop;
        }
        while let Some(&operation) = self.operations.get(self.next) {
            self.next += 1;
            match operation {
                Some(operation) => {
                    self.is_resting = self.rests;
                    return operation;
                }
                None if self.rests => return Operation::Stop,
                None => {}
            }
        }
        Operation::Stop
    }
}

/// The operations of the member with this rank: at every level a split, and a barrier if it is in a new group, then the
/// joins.
pub fn operations(round: &Round, rank: u32) -> Vec<Option<Operation>> {
    let down = round.labels.iter().flat_map(|labels| {
        let label = labels[rank as usize];
        let barrier = (Some(label.colour) != round.none).then_some(Operation::Barrier);
        [Some(Operation::Split(label)), barrier]
    });
    down.chain(round.labels.iter().map(|_| Some(Operation::Join))).collect()
}

/// Runs one repetition.
///
/// # Errors
///
/// As for [`Scheme::places`] and [`Job::run`].
///
/// # Panics
///
/// When members wait for ever although no messages wait for each other.
pub fn run<S: Scheme>(scheme: &S, job: &Job, machine: &Machine, group: &Group, round: &Round) -> Result<Ran> {
    Stage::new(scheme, job, machine).run(group, round)
}

/// Repetitions one after the other, in the memory of those before.
pub(super) struct Stage<'r, S: Scheme> {
    scheme: &'r S,
    runs: Runs<'r>,
    processes: Vec<Member<'r, S, Steps>>,
}

impl<'r, S: Scheme> Stage<'r, S> {
    /// Nothing has run.
    pub(super) fn new(scheme: &'r S, job: &'r Job, machine: &'r Machine) -> Self {
        Self { scheme, runs: Runs::new(job, machine), processes: Vec::new() }
    }

    /// As [`run`].
    pub(super) fn run(&mut self, group: &Group, round: &Round) -> Result<Ran> {
        let Self { scheme, runs: engine, processes } = self;
        let (job, machine) = (engine.job, engine.machine);
        let programs = (0..group.size()).map(|rank| Steps::new(operations(round, rank), job.pace)).collect();
        renew(processes, scheme, machine, group, programs)?;
        let runs = if job.pace == Pace::Lockstep { 3 * round.labels.len() } else { 1 };
        let kinds = processes.first().map_or(0, |member| member.sent().len());
        let mut ran = Ran { sent: vec![0; kinds], ..Ran::default() };
        for _ in 0..runs {
            let trace = engine.run(processes)?;
            ran.cycles += trace.cycles.0;
            ran.messages += trace.messages;
            if trace.busiest.map(|busiest| busiest.1) > ran.busiest.map(|busiest| busiest.1) {
                ran.busiest = trace.busiest;
            }
            if trace.longest_queue.map(|queue| queue.1) > ran.longest_queue.map(|queue| queue.1) {
                ran.longest_queue = trace.longest_queue;
            }
            if trace.deadlock.is_some() {
                ran.deadlock = trace.deadlock;
                break;
            }
            assert!(trace.unfinished.is_empty(), "members wait for messages, and messages for nobody");
        }
        ran.samples = samples(processes);
        for member in processes.iter() {
            ran.early_most = ran.early_most.max(member.early_most());
            for (sum, &count) in ran.sent.iter_mut().zip(member.sent()) {
                *sum += u64::from(count);
            }
        }
        Ok(ran)
    }
}

/// The most memory a member keeps of its groups, in bytes, when the deepest groups of a repetition stand.
///
/// # Errors
///
/// As for [`run`].
pub fn bytes_kept_most<S: Scheme>(
    scheme: &S,
    job: &Job,
    machine: &Machine,
    group: &Group,
    round: &Round,
) -> Result<usize> {
    let down = |rank| {
        let mut operations = operations(round, rank);
        operations.retain(|operation| *operation != Some(Operation::Join));
        Steps::new(operations, Pace::Free)
    };
    let mut processes = members(scheme, machine, group, (0..group.size()).map(down).collect())?;
    job.engine.run_alone(machine, &mut processes)?;
    Ok(processes.iter().map(Member::bytes_kept).max().unwrap_or(0))
}

/// Every operation of every group, by group and number: how long from the last entry to the last exit.
fn samples<S: Scheme, P: Program>(processes: &[Member<'_, S, P>]) -> Vec<Sample> {
    // By group and how many of its operations came before; the last entry and the last exit.
    let mut all: BTreeMap<(u64, u32), (Sample, [u64; 2])> = BTreeMap::new();
    // By group, how many of its operations this member has done.
    let mut done: Vec<(u64, u32)> = Vec::new();
    for member in processes {
        done.clear();
        for &LogEntry { operation, level, group, size, begin, end } in member.log() {
            let kind = match operation {
                Operation::Split(_) => Kind::Split,
                Operation::Join => Kind::Join,
                _ => Kind::Barrier,
            };
            // A member comes back to the groups it was in last.
            let at = done.iter().rposition(|count| count.0 == group).unwrap_or_else(|| {
                done.push((group, 0));
                done.len() - 1
            });
            let key = done[at];
            done[at].1 += 1;
            let first = || (Sample { kind, level, size, cycles: 0 }, [0, 0]);
            let (_, [entry, exit]) = all.entry(key).or_insert_with(first);
            (*entry, *exit) = ((*entry).max(begin.0), (*exit).max(end.0));
        }
    }
    // Members that need not wait may all have left before the last has come.
    all.into_values()
        .map(|(sample, [entry, exit])| Sample { cycles: exit.saturating_sub(entry), ..sample })
        .collect()
}
