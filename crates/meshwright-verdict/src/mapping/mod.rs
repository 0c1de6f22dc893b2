//! Verdicts on divide and conquer and on phased traces: every placement bounded, predicted, simulated.

mod detail;
mod made;
mod reason;

use detail::WRITTEN_OUT_MAX;
pub use detail::{MappingDetail, MappingFacts, PhaseRow};
pub use made::{Proved, Searched};
pub use reason::unsearched;

use std::sync::Arc;

use super::auto::{self, Candidates};
use super::axes;
use super::contradiction::not_below;
use super::explain;
use super::measure::{self, Measured, Traffic};
use meshwright_sim::link_use::{self, Way};

use crate::{Contest, Ending, MappingOutcome, MappingVerdict, Options, Outcome, Skipped, Watch};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::LinkId;
use meshwright_mapping as mapping;
use meshwright_mapping::bound::GraphBound;
use meshwright_mapping::{Divide, Mapping, Placement, TaskGraph};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Phases, Plan, Planner, Schedule};
use meshwright_sim::Trace;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted, Routers};
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
    /// What a proof came to for the placement `exact`, if that is among them.
    pub proved: Option<Box<Proved>>,
    /// Whether a signal has ended a search for placements, so that those given are the best so far.
    pub interrupted: bool,
    /// Which member of its family the placement `axes` is, if that is among those given.
    pub axes: Option<String>,
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
        Self { tasks, given: Vec::new(), searched: None, proved: None, interrupted: false, axes: None }
    }

    /// No placement takes less that sends these messages whole, phase after phase: in ticks of this machine under its
    /// switching.
    pub fn bound_ticks(&self, machine: &Machine) -> u64 {
        self.on(machine).own_bound().ticks
    }

    /// Its planner on a machine.
    pub fn on<'a>(&'a self, machine: &'a Machine) -> Mapping<'a> {
        let proved = self.proved.as_ref().filter(|proved| proved.switching == machine.switching());
        Mapping::new(&self.tasks, machine)
            .with_given(&self.given)
            .with_proved(proved.map(|proved| &proved.bound))
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
/// use meshwright_verdict::{Job, mapping};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) })?;
/// let mesh = Machine::new("mesh:4x4")?;
/// let verdict = mapping::judge("sort", &job, &mesh, &["growing", "random"], 0, &mut |_| {})?;
/// assert_eq!(verdict.winner_name(), Some("growing"));
/// assert!(verdict.results.iter().all(|result| result.bound_cycles <= result.simulated()));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<MappingVerdict> {
    let mut verdict = judge_with(job, machine, methods, Options::new(name, seed), progress)?;
    let is_searched = methods.contains(&auto::AUTO) || job.searched.is_some() || job.proved.is_some();
    let is_compared = methods.len() > 1 && !is_searched;
    let gap = verdict.winner().and_then(|winner| winner.outcome.gap()).filter(|_| is_compared);
    let all: Vec<String> = verdict.advice.into_iter().chain(gap.and_then(unsearched)).collect();
    verdict.advice = (!all.is_empty()).then(|| all.join(" "));
    Ok(verdict)
}

/// As [`judge`], with options.
pub(crate) fn judge_with(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    options: Options,
    progress: &mut dyn FnMut(&str),
) -> Result<MappingVerdict> {
    let Candidates { methods, left_out, job } = auto::expand(job, machine, methods, options.seed, progress)?;
    let options = options.with_left_out(left_out);
    let mut verdict = crate::judge(&job.on(machine), methods, &options, &mut |what: &str| progress(what))?;
    verdict.facts.searched.clone_from(&job.searched);
    verdict.facts.interrupted = job.interrupted;
    verdict.facts.axes.clone_from(&job.axes);
    let winner = verdict.winner_name().unwrap_or_default();
    if let Some(words) = axes::words(winner, job.axes.as_deref()) {
        verdict.reason += &format!(" Its axes: {words}.");
    }
    Ok(verdict)
}

/// Predicts and simulates a placement.
fn measured(
    mapping: &Mapping<'_>,
    plan: Plan<Phases, Placement>,
    seed: u64,
) -> Result<Ending<MappingDetail>> {
    let (machine, limits) = (mapping.machine(), mapping.own_bound());
    let Plan { workload, detail: placement } = plan;
    let own = [machine.switching()];
    let measured = measure::along(workload, machine, &own, &Way::usual(machine))?;
    let fitted = fitting::simulate(machine, &measured.routed(), FLIT_HOPS_MAX)?;
    if let Some(why) = measure::deadlock_sentence(machine, &fitted) {
        return Ok(Ending::Standstill(why));
    }
    let way = Way::of(machine, fitted.routers.as_ref())?;
    let measured = match way.is_other() {
        true => measure::along(measured.schedule, machine, &own, &way)?,
        false => measured,
    };
    let traffic = Traffic::of(&measured, machine);
    let is_short = measured.schedule.messages_total() <= WRITTEN_OUT_MAX;
    let schedule = is_short.then(|| Schedule::from_phases(&measured.schedule));
    let dependency_cycles = match &schedule {
        Some(schedule) => dependency_cycles(&measured, schedule, machine, &fitted)?,
        None => None,
    };
    let trace = &fitted.trace;
    not_below(limits.ticks, trace.ticks, "ticks", &placement.name, Some(seed))?;
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    let outcome = Outcome {
        method: placement.name.clone(),
        bound_cycles: cycles(limits.ticks),
        predicted_cycles: cycles(measured.total(0, |known| known.predicted)),
        simulated_cycles: Some(trace.cycles.0),
        busiest_link: link_use::busiest_link(&traffic.loads, machine),
        waited_link: link_use::blame(trace, machine),
        detail: MappingDetail {
            dependency_cycles,
            engine: fitted.engine(),
            deadlock_free: traffic.deadlock_free
                || fitted.routers.is_some()
                || Routers::date_line(machine).is_some(),
            hops_total: measured.hops_total(),
            phases: rows(mapping.tasks(), machine, limits, (&measured, trace)),
            link_busy: link_use::busy_cycles(&traffic.loads, machine),
            link_messages: (0..machine.links()).map(|link| traffic.loads.messages(LinkId(link))).collect(),
            placement,
            routers: fitted.routers,
        },
    };
    Ok(Ending::Done(outcome, schedule.map(Arc::new)))
}

impl Contest for Mapping<'_> {
    type Facts = MappingFacts;

    const WHAT: &'static str = "placing the tasks";

    fn name_of(&self, method: &String) -> String {
        method.clone()
    }

    fn activity(&self, method: &String, place: &str) -> String {
        format!("{method} ({place})")
    }

    /// A placement between whose nodes there is no path is one that does not suit.
    fn measure(
        &self,
        _method: &String,
        plan: Plan<Phases, Placement>,
        seed: u64,
    ) -> Result<Ending<MappingDetail>> {
        match measured(self, plan, seed) {
            Err(Error::NotApplicable { why, .. }) => Ok(Ending::Unsuitable(why)),
            measured => measured,
        }
    }

    fn rank(outcome: &MappingOutcome) -> Option<crate::Rank> {
        Some(reason::rank(outcome))
    }

    /// A machine in parts is the one reason, if it is one.
    fn nothing(&self, skipped: &[Skipped]) -> Option<Error> {
        Some(crate::no_placement(self.tasks(), self.machine(), skipped))
    }

    fn words(&self, winner: Option<&MappingOutcome>, results: &[MappingOutcome]) -> (String, Option<String>) {
        match winner {
            Some(winner) => {
                (reason::sentence(self.tasks(), winner, results), reason::traffic(winner, results))
            }
            None => ("no placement comes to an end under this switching".to_string(), None),
        }
    }

    fn facts(
        &self,
        winner: Option<&MappingOutcome>,
        _results: &[MappingOutcome],
        _skipped: &mut Vec<Skipped>,
        _watch: &mut dyn Watch,
    ) -> Result<MappingFacts> {
        let of = |winner: &MappingOutcome| {
            let (detail, cycles) = (&winner.detail, winner.simulated());
            explain::culprit(
                self.tasks(),
                &detail.placement.nodes,
                self.machine(),
                detail.routers.as_ref(),
                cycles,
            )
        };
        let culprit = winner.map(of).transpose()?.flatten();
        Ok(MappingFacts {
            searched: None,
            interrupted: false,
            axes: None,
            tasks: self.tasks().clone(),
            culprit,
        })
    }
}

/// The time without barriers, each node going on when its own messages are there.
fn dependency_cycles(
    measured: &Measured<'_>,
    schedule: &Schedule,
    machine: &Machine,
    barriers: &Fitted,
) -> Result<Option<u64>> {
    if measured.schedule.all_repeats() == [1] && barriers.engine() == "flit" {
        // Whole messages may come to an end in another order. On routers one phase is the same run, and a long one.
        let whole = simulate(machine, schedule, &Engine::Message)?;
        let cycles = if whole.deadlock.is_none() { whole.cycles } else { barriers.trace.cycles };
        return Ok(Some(cycles.0));
    }
    let trace = fitting::simulate(machine, schedule, FLIT_HOPS_MAX)?.trace;
    Ok(trace.deadlock.is_none().then_some(trace.cycles.0))
}

fn rows(
    tasks: &TaskGraph,
    machine: &Machine,
    limits: &GraphBound,
    (measured, trace): (&Measured<'_>, &Trace),
) -> Vec<PhaseRow> {
    let cycles = |ticks: u64| machine.costs().cycles(ticks).0;
    let row = |(index, metrics): (usize, &mapping::metrics::PhaseMetrics)| PhaseRow {
        phase: tasks.number(index),
        repeats: metrics.repeats,
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
