//! Verdicts on divide and conquer and on phased traces: every placement bounded, predicted, simulated.

mod form;
mod reason;

pub use form::{DivideVerdict, Outcome, PhaseRow};

use serde::Serialize;

use super::auto::{self, Candidates};
use super::contradiction::not_below;
use super::measure::{self, Measured, Traffic};
use meshwright_sim::link_use::{self, Way};

use super::{Skipped, gap};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::LinkId;
use meshwright_mapping as mapping;
use meshwright_mapping::bound::{self, GraphBound, Profile, Terrain};
use meshwright_mapping::{Divide, Placement, Request, TaskGraph, search};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::Schedule;
use meshwright_sim::Trace;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted};
use meshwright_sim::{Engine, simulate};

/// A phased job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Who sends how much to whom, by phase.
    pub tasks: TaskGraph,
    /// Placements made beforehand, by search or by another program; they are called by their names.
    pub given: Vec<Placement>,
    /// What a search did that made some of them.
    pub searched: Option<Searched>,
    /// Whether a signal has ended a search for placements, so that those given are the best so far.
    pub interrupted: bool,
}

/// A search that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The steps it made: asked for again, they give the same placements.
    pub steps: u64,
    /// The least that was predicted for a placement it started from.
    pub start_cycles: u64,
    /// The least that was simulated for a placement it started from, under the machine's switching; none
    /// when none comes to an end.
    pub start_simulated_cycles: Option<u64>,
    /// What is predicted for the placements it found, the best first.
    pub predicted_cycles: Vec<u64>,
    /// What is simulated for them: this says which is the best.
    pub simulated_cycles: Vec<Option<u64>>,
}

impl Searched {
    /// What a search did, in cycles of its machine.
    pub fn new(outcome: &search::Outcome, machine: &Machine) -> Self {
        let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
        // A judge's word for what never ends is the most there is.
        let simulated = |ticks: u64| (ticks != u64::MAX).then(|| cycles(ticks));
        let answers = outcome.answers.iter();
        Self {
            steps: outcome.steps,
            start_cycles: cycles(outcome.start_ticks),
            start_simulated_cycles: simulated(outcome.start_judged_ticks),
            predicted_cycles: answers.clone().map(|answer| cycles(answer.predicted_ticks)).collect(),
            simulated_cycles: answers.map(|answer| simulated(answer.judged_ticks)).collect(),
        }
    }
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

    /// A divide-and-conquer job whose shares stand for data.
    ///
    /// # Errors
    ///
    /// As for [`mapping::divide::in_proportion`].
    pub fn data(divide: &Divide) -> Result<Self> {
        Ok(Self::trace(mapping::divide::in_proportion(divide)?))
    }

    /// A trace or any other phased graph.
    pub fn trace(tasks: TaskGraph) -> Self {
        Self { tasks, given: Vec::new(), searched: None, interrupted: false }
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

    /// No placement takes less that sends these messages whole, phase after phase: in ticks of this machine under its
    /// switching.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::{Divide, Shape};
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::Bytes;
    /// use meshwright_verdict::Job;
    /// let job = Job::divide(&Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) })?;
    /// // c = 100, b = 1, h = 2: two phases over one link each.
    /// assert_eq!(job.bound_ticks(&Machine::new("mesh:2x2")?), (100 + 32 + 2) + (100 + 16 + 2));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn bound_ticks(&self, machine: &Machine) -> u64 {
        self.bound_on(machine, machine.switching(), &self.ground(machine)).ticks
    }

    /// What the machine allows this job.
    pub(crate) fn ground(&self, machine: &Machine) -> Ground {
        match &self.tasks.divide {
            Some(divide) if divide.shape.tasks() <= machine.living_count() => {
                Ground::Tree(Profile::of_tree(machine, &divide.shape.active()))
            }
            _ => Ground::Graph(Terrain::new(machine)),
        }
    }

    /// As [`Self::bound_ticks`], under any switching, with the phases.
    pub(crate) fn bound_on(&self, machine: &Machine, switching: Switching, ground: &Ground) -> GraphBound {
        match ground {
            Ground::Tree(profile) => {
                let phase = |index| bound::phase_ticks(&self.tasks, index, switching, machine.costs());
                GraphBound {
                    phases: (0..self.tasks.phases()).map(phase).collect(),
                    ticks: bound::tree_ticks(&self.tasks, profile, switching, machine.costs()),
                }
            }
            Ground::Graph(terrain) => bound::graph_ticks(&self.tasks, terrain, machine, switching),
        }
    }
}

/// What a machine allows a job: the dilations of a tree of divide and conquer, or the links of any phased graph.
pub(crate) enum Ground {
    Tree(Profile),
    Graph(Terrain),
}

/// Plans a phased job by every method named, and names the winner. The name `auto` stands for the placements that
/// [`super::auto`] finds worth a simulation.
///
/// A method that does not apply, or that comes to a standstill under the machine's switching, is listed with the
/// reason. `progress` is told what is being worked on.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method applies, [`Error::Contradiction`] when a simulated time falls below the
/// bound, and any error of the numbers themselves.
///
/// # Complexity
///
/// Per method O(E log E) for E = sum of hops, as [`meshwright_sim::simulate`]; memory O(nodes + links + messages).
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// use meshwright_verdict::{Job, divide};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) })?;
/// let mesh = Machine::new("mesh:4x4")?;
/// let verdict = divide::judge("sort", &job, &mesh, &["growing", "random"], 0, &mut |_| {})?;
/// assert_eq!(verdict.winner.as_deref(), Some("growing"));
/// assert!(verdict.results.iter().all(|result| result.bound_cycles <= result.simulated_cycles));
/// # Ok::<(), meshwright_core::Error>(())
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
    let limits = job.bound_on(machine, machine.switching(), &job.ground(machine));
    let mut results = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        let skip = |why, deadlock| Skipped { method: method.clone(), why, deadlock };
        let placed = job.place(method, machine, seed);
        match placed.and_then(|placement| outcome(job, machine, placement, (&limits, seed))) {
            Ok(Simulated::Outcome(outcome)) => results.push(*outcome),
            Ok(Simulated::Deadlock(why)) => skipped.push(skip(why, true)),
            Err(Error::NotApplicable { why, .. }) => skipped.push(skip(why, false)),
            Err(error) => return Err(error),
        }
    }
    if results.is_empty() && !skipped.iter().any(|skipped| skipped.deadlock) {
        return Err(super::no_placement(&job.tasks, machine, &skipped));
    }
    let winner = results.iter().min_by_key(|outcome| reason::rank(outcome));
    let reason = winner.map_or_else(
        || "no placement comes to an end under this switching".to_string(),
        |winner| reason::sentence(&job.tasks, winner, &results),
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
        interrupted: job.interrupted,
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
fn outcome(
    job: &Job,
    machine: &Machine,
    placement: Placement,
    (limits, seed): (&GraphBound, u64),
) -> Result<Simulated> {
    let bound_ticks = limits.ticks;
    let measured = measure::measure(&job.tasks, &placement, machine, &[machine.switching()])?;
    let fitted = fitting::simulate(machine, &measured.schedule, FLIT_HOPS_MAX)?;
    if let Some(why) = measure::deadlock_sentence(machine, &fitted) {
        return Ok(Simulated::Deadlock(why));
    }
    let way = Way::of(machine, fitted.routers.as_ref())?;
    let measured = match way.is_other() {
        true => measure::along(measured.schedule, machine, &[machine.switching()], &way)?,
        false => measured,
    };
    let traffic = Traffic::of(measured.schedule.messages(), machine, &way)?;
    let dependency_cycles = dependency_cycles(&measured, machine, &fitted)?;
    let trace = &fitted.trace;
    not_below(bound_ticks, trace.ticks, "ticks", &placement.name, Some(seed))?;
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    Ok(Simulated::Outcome(Box::new(Outcome {
        bound_cycles: cycles(bound_ticks),
        predicted_cycles: cycles(measured.total(0, |known| known.predicted)),
        simulated_cycles: trace.cycles.0,
        dependency_cycles,
        engine: fitted.engine(),
        gap: gap(cycles(bound_ticks), trace.cycles.0),
        deadlock_free: traffic.deadlock_free || fitted.routers.is_some(),
        hops_total: measured.hops_total(),
        hottest_link: link_use::busiest_link(&traffic.loads, machine),
        blame: link_use::blame(trace, machine),
        phases: rows(job, machine, limits, (&measured, trace)),
        link_busy: link_use::busy_cycles(&traffic.loads, machine),
        link_messages: (0..machine.links()).map(|link| traffic.loads.messages(LinkId(link))).collect(),
        method: placement.name.clone(),
        placement,
        routers: fitted.routers,
    })))
}

/// The time without barriers, each node going on when its own messages are there.
fn dependency_cycles(measured: &Measured, machine: &Machine, barriers: &Fitted) -> Result<Option<u64>> {
    let schedule = Schedule::from_phases(&measured.schedule);
    if measured.schedule.len() == 1 && barriers.routers.is_some() {
        // Whole messages may come to an end in another order. On routers one phase is the same run, and a long one.
        let whole = simulate(machine, &schedule, &Engine::Message)?;
        let cycles = if whole.deadlock.is_none() { whole.cycles } else { barriers.trace.cycles };
        return Ok(Some(cycles.0));
    }
    let trace = fitting::simulate(machine, &schedule, FLIT_HOPS_MAX)?.trace;
    Ok(trace.deadlock.is_none().then_some(trace.cycles.0))
}

fn rows(
    job: &Job,
    machine: &Machine,
    limits: &GraphBound,
    (measured, trace): (&Measured, &Trace),
) -> Vec<PhaseRow> {
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    let row = |(index, metrics): (usize, &mapping::metrics::PhaseMetrics)| PhaseRow {
        phase: job.tasks.number(index),
        messages: metrics.messages,
        bytes: metrics.heaviest.0,
        dilation: metrics.dilation.0,
        contention: metrics.contention,
        link_load: metrics.link_load,
        bound_cycles: cycles(limits.phases[index]),
        link_cycles: cycles(measured.known[0][index].link),
        predicted_cycles: cycles(measured.known[0][index].predicted),
        path_cycles: cycles(measured.known[0][index].path),
        simulated_cycles: cycles(trace.phase_ticks[index]),
    };
    measured.metrics.iter().enumerate().map(row).collect()
}
