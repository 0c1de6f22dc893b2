//! Verdicts on divide and conquer and on phased traces: every placement bounded, predicted, simulated.

mod form;
mod reason;

pub use form::{Blame, DivideVerdict, Outcome, PhaseRow};

use serde::Serialize;

use super::auto::{self, Candidates};
use super::measure::{self, Measured, Traffic, Way};
use super::{Skipped, gap};
use crate::error::{Error, Result};
use crate::mapping::bound::Profile;
use crate::mapping::{self, Divide, Placement, Request, TaskGraph, bound};
use crate::schedule::Schedule;
use crate::sim::Trace;
use crate::sim::fitting::{self, Fitted};
use crate::topology::{Machine, Switching, Topology};
use crate::units::LinkId;

/// A phased job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Who sends how much to whom, by phase.
    pub tasks: TaskGraph,
    /// Placements made beforehand, by search or by another program; they are called by their names.
    pub given: Vec<Placement>,
    /// What a search did that made some of them.
    pub searched: Option<Searched>,
}

/// A search that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The steps it made: asked for again, they give the same placements.
    pub steps: u64,
    /// What was predicted for the placement it started from.
    pub start_cycles: u64,
    /// What is predicted for the placements it found, the best first.
    pub predicted_cycles: Vec<u64>,
}

impl Job {
    /// A divide-and-conquer job.
    ///
    /// # Errors
    ///
    /// As for [`mapping::divide::task_graph`].
    pub fn divide(divide: &Divide) -> Result<Self> {
        Ok(Self::trace(mapping::divide::task_graph(divide)?))
    }

    /// A trace or any other phased graph.
    pub fn trace(tasks: TaskGraph) -> Self {
        Self { tasks, given: Vec::new(), searched: None }
    }

    /// The placement with this name: one that is given, or one made by the method of that name.
    ///
    /// # Errors
    ///
    /// As for [`mapping::place`].
    pub fn place(&self, name: &str, machine: &Machine, seed: u64) -> Result<Placement> {
        match self.given.iter().find(|placement| placement.name == name) {
            Some(placement) => Ok(placement.clone()),
            None => mapping::place(name, &Request::of(&self.tasks, machine, seed)),
        }
    }

    /// No placement takes less, in ticks of this machine under its switching.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright::{mapping::{Divide, Shape}, topology::Machine, units::Bytes, verdict::Job};
    /// let job = Job::divide(&Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) })?;
    /// // c = 100, b = 1, h = 2: two phases over one link each.
    /// assert_eq!(job.bound_ticks(&Machine::new("mesh:2x2")?), (100 + 32 + 2) + (100 + 16 + 2));
    /// # Ok::<(), meshwright::Error>(())
    /// ```
    pub fn bound_ticks(&self, machine: &Machine) -> u64 {
        self.bound_ticks_on(machine, machine.switching, self.profile(machine).as_ref())
    }

    /// What the machine allows the dilations of a divide-and-conquer job to be; none for other phased graphs.
    pub(crate) fn profile(&self, machine: &Machine) -> Option<Profile> {
        let shape = &self.tasks.divide.as_ref()?.shape;
        (shape.tasks() <= machine.living_count()).then(|| Profile::of_tree(machine, &shape.active()))
    }

    /// As [`Self::bound_ticks`], under any switching and with the profile at hand.
    pub(crate) fn bound_ticks_on(
        &self,
        machine: &Machine,
        switching: Switching,
        profile: Option<&Profile>,
    ) -> u64 {
        match (&self.tasks.divide, profile) {
            (Some(divide), Some(profile)) => bound::profile_ticks(divide, profile, switching, &machine.costs),
            _ => (0..self.tasks.phases())
                .map(|index| bound::phase_ticks(&self.tasks, index, switching, &machine.costs))
                .sum(),
        }
    }
}

/// Plans a phased job by every method named, and names the winner. The name `auto` stands for the placements that
/// [`super::auto`] finds worth a simulation.
///
/// A method that does not apply, or that comes to a standstill under the machine's switching, is listed with the
/// reason. `progress` is told what is being worked on.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method applies, and any error of the numbers themselves.
///
/// # Panics
///
/// When a simulated time falls below the bound: then one of the two is wrong.
///
/// # Complexity
///
/// Per method O(E log E) for E = sum of hops, as [`crate::sim::run_phased`]; memory O(nodes + links + messages).
///
/// # Examples
///
/// ```
/// use meshwright::{mapping::{Divide, Shape}, topology::Machine, units::Bytes, verdict::{Job, divide}};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) })?;
/// let mesh = Machine::new("mesh:4x4")?;
/// let verdict = divide::judge("sort", &job, &mesh, &["growing", "random"], 0, &mut |_| {})?;
/// assert_eq!(verdict.winner.as_deref(), Some("growing"));
/// assert!(verdict.results.iter().all(|result| result.bound_cycles <= result.simulated_cycles));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<DivideVerdict> {
    let Candidates { methods, left_out: mut skipped, job } =
        auto::expand(job, machine, methods, seed, progress)?;
    let job: &Job = &job;
    let bound_ticks = job.bound_ticks(machine);
    let mut results = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        let skip = |why, deadlock| Skipped { method: method.clone(), why, deadlock };
        let placed = job.place(method, machine, seed);
        match placed.and_then(|placement| outcome(job, machine, placement, bound_ticks)) {
            Ok(Simulated::Outcome(outcome)) => results.push(*outcome),
            Ok(Simulated::Deadlock(why)) => skipped.push(skip(why, true)),
            Err(Error::NotApplicable { why, .. }) => skipped.push(skip(why, false)),
            Err(error) => return Err(error),
        }
    }
    if results.is_empty() && !skipped.iter().any(|skipped| skipped.deadlock) {
        return Err(super::nothing_applies("placing the tasks", &skipped));
    }
    let winner = results.iter().min_by_key(|outcome| reason::rank(outcome));
    let reason = winner.map_or_else(
        || "no placement comes to an end under this switching".to_string(),
        |winner| reason::sentence(winner, &results),
    );
    let advice = winner.and_then(|winner| reason::traffic(winner, &results));
    Ok(DivideVerdict {
        kind: "divide",
        name: name.to_string(),
        winner: winner.map(|winner| winner.method.clone()),
        reason,
        advice,
        results,
        skipped,
        searched: job.searched.clone(),
        tasks: job.tasks.clone(),
    })
}

/// How a simulation ends.
enum Simulated {
    Outcome(Box<Outcome>),
    /// The ring, in words.
    Deadlock(String),
}

/// Measures and simulates one placement.
fn outcome(job: &Job, machine: &Machine, placement: Placement, bound_ticks: u64) -> Result<Simulated> {
    let measured = measure::measure(&job.tasks, &placement, machine, &[machine.switching])?;
    let fitted = fitting::run_phased(machine, &measured.schedule)?;
    if let Some(why) = measure::deadlock_sentence(machine, &fitted) {
        return Ok(Simulated::Deadlock(why));
    }
    let way = Way::of(machine, fitted.routers.as_ref())?;
    let measured = match way.is_other() {
        true => measure::along(measured.schedule, machine, &[machine.switching], &way)?,
        false => measured,
    };
    let traffic = Traffic::of(measured.schedule.messages(), machine, &way)?;
    let dependency_cycles = dependency_cycles(&measured, machine, &fitted)?;
    let trace = &fitted.trace;
    assert!(
        bound_ticks <= trace.ticks,
        "no plan beats the bound: {} simulated {} ticks, bound {bound_ticks}",
        placement.name,
        trace.ticks
    );
    let cycles = |ticks: u64| machine.costs.cycles(ticks).0;
    Ok(Simulated::Outcome(Box::new(Outcome {
        bound_cycles: cycles(bound_ticks),
        predicted_cycles: cycles(measured.total(0, |known| known.predicted)),
        simulated_cycles: trace.cycles.0,
        dependency_cycles,
        engine: fitted.engine(),
        gap: gap(cycles(bound_ticks), trace.cycles.0),
        deadlock_free: traffic.deadlock_free || fitted.routers.is_some(),
        hops_total: measured.hops_total(),
        hottest_link: measure::busiest_link(&traffic.loads, machine),
        blame: measure::blame(trace, machine),
        phases: rows(job, machine, &measured, trace),
        link_busy: measure::busy_cycles(&traffic.loads, machine),
        link_messages: (0..machine.links()).map(|link| traffic.loads.messages(LinkId(link))).collect(),
        method: placement.name.clone(),
        placement,
        routers: fitted.routers,
    })))
}

/// The time without barriers, each node going on when its own messages are there.
fn dependency_cycles(measured: &Measured, machine: &Machine, barriers: &Fitted) -> Result<Option<u64>> {
    if measured.schedule.len() == 1 && barriers.routers.is_some() {
        // One phase has one barrier, after all: on routers it is the same run, and a long one.
        return Ok(Some(barriers.trace.cycles.0));
    }
    let trace = fitting::run_schedule(machine, &Schedule::from_phases(&measured.schedule))?.trace;
    Ok(trace.deadlock.is_none().then_some(trace.cycles.0))
}

fn rows(job: &Job, machine: &Machine, measured: &Measured, trace: &Trace) -> Vec<PhaseRow> {
    let cycles = |ticks: u64| machine.costs.cycles(ticks).0;
    let row = |(index, metrics): (usize, &mapping::metrics::PhaseMetrics)| PhaseRow {
        phase: job.tasks.number(index),
        messages: metrics.messages,
        bytes: metrics.heaviest.0,
        dilation: metrics.dilation.0,
        contention: metrics.contention,
        link_load: metrics.link_load,
        bound_cycles: cycles(bound::phase_ticks(&job.tasks, index, machine.switching, &machine.costs)),
        link_cycles: cycles(measured.known[0][index].link),
        predicted_cycles: cycles(measured.known[0][index].predicted),
        path_cycles: cycles(measured.known[0][index].path),
        simulated_cycles: cycles(trace.phase_ticks[index]),
    };
    measured.metrics.iter().enumerate().map(row).collect()
}
