//! What each method answers, before it is bounded and checked.

use std::cell::OnceCell;

use super::buffered::Buffered;
use super::job::Job;
use super::limited::{Limited, variant};
use super::methods::Kind;
use super::run::{self, Run};
use super::terms::Terms;
use super::{SCHEDULE_NODES_MAX, TimingRow};
use crate::error::{Error, Result};
use crate::load::installments::{self, Installments, Scale, deliver_and_return};
use crate::load::optimum::{self, Optimum};
use crate::load::schedulers::Method as Scheduler;
use crate::load::{Forwarding, Plan, Problem, Source, flow_matrix, layers, lower_band};
use crate::schedule::Schedule;
use crate::topology::{Machine, Topology};
use crate::verdict::Skipped;
use crate::verdict::installments::{FrontRow, pareto};

/// So many messages over each link that the optimum uses may be sent where nobody says how many.
const CHUNKS_PER_LINK: u64 = 60;

/// In all at least this many, and at most so many.
const CHUNKS: std::ops::RangeInclusive<u64> = 10_000..=60_000;

/// A load with all that its methods have in common.
pub(super) struct Case<'p, 'm> {
    pub(super) job: &'p Job,
    pub(super) machine: &'m Machine,
    pub(super) problem: &'p Problem<'m>,
    pub(super) scale: Scale<'p, 'm>,
    pub(super) optimum: Optimum,
    /// The optimum of the machine that was asked for, if it does less at a time.
    pub(super) limited: Option<Limited>,
    pub(super) terms: Terms,
    /// By node id the hops to the nearest source.
    pub(super) depth: Vec<u32>,
}

/// The optimum in messages, and the referee's word on it.
pub(super) type Sent = (Installments, Option<Run>);

/// What a method answers.
pub(super) struct Answer {
    pub(super) plan: Plan,
    pub(super) switching: Forwarding,
    /// By link id what crosses it, if the method says so.
    pub(super) flow: Option<Vec<f64>>,
    pub(super) cell_speedups: Option<Vec<f64>>,
    pub(super) saved: Option<u64>,
    /// The slowest cell over the ideal community of one source.
    pub(super) beta: Option<f64>,
    pub(super) warning: Option<String>,
    /// The timing diagram of its own formulas; none where that of the simulation is to be shown.
    pub(super) timing: Option<Vec<TimingRow>>,
    /// What the referee measured; none if nothing was sent.
    pub(super) run: Option<Run>,
    /// What the machine's buffers cost, if that was asked.
    pub(super) buffered: Option<Buffered>,
    /// The messages, if they may be run.
    pub(super) schedule: Option<Schedule>,
    /// Whether the method comes with its own proof that it is possible.
    pub(super) is_possible: bool,
    /// Whether connected sources serve their cell together.
    pub(super) is_joined: bool,
}

impl<'p, 'm> Case<'p, 'm> {
    /// Solves what all methods are compared with.
    pub(super) fn new(
        job: &'p Job,
        problem: &'p Problem<'m>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        progress("optimum");
        let machine = problem.machine();
        let nodes: Vec<_> = problem.sources().iter().map(|source| source.node).collect();
        let scale = Scale::new(problem, job.bytes)?;
        let optimum = optimum::solve(problem)?;
        let wanted = variant(job, machine);
        let variant = wanted.map(|(variant, _)| variant).unwrap_or_default();
        Ok(Self {
            job,
            machine,
            problem,
            limited: Limited::solve(wanted, problem, optimum.makespan, progress)?,
            terms: Terms { variant, startup: scale.units(machine.costs.startup) },
            scale,
            optimum,
            depth: layers::depths(machine, &nodes),
        })
    }

    /// The optimum sent in messages over one link each, run by the referee.
    fn send(&self) -> Result<Sent> {
        let used = self.optimum.flow.link.iter().filter(|&&share| share > 0.0).count() as u64;
        let chunks =
            self.job.chunks.unwrap_or((CHUNKS_PER_LINK * used).clamp(*CHUNKS.start(), *CHUNKS.end()));
        let sent = installments::plan(&self.scale, &self.optimum, &installments::Settings { chunks })?;
        let run = run::run(&self.scale, &self.depth, &sent.schedule)?;
        Ok((sent, run))
    }

    /// Installments with fewer processors and messages, each run by the referee.
    pub(super) fn front(
        &self,
        progress: &mut dyn FnMut(&str),
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<FrontRow>> {
        if self.limited.is_some() {
            let what = "its schedules are timed for a machine that does everything at a time";
            let why = reason(&self.of_another_machine("front", what));
            skipped.push(Skipped { method: "front".to_string(), why, deadlock: false });
            return Ok(Vec::new());
        }
        progress("processors against messages against time");
        let chunks = self.job.chunks.unwrap_or(installments::Settings::default().chunks);
        pareto(&self.scale, &self.optimum, &installments::Settings { chunks })
    }

    /// The answer of one method; `sent` is made when it is first wanted.
    pub(super) fn answer(
        &self,
        kind: Kind,
        forwarding: Forwarding,
        sent: &OnceCell<Result<Sent>>,
    ) -> Result<Answer> {
        let sent = || sent.get_or_init(|| self.send());
        match kind {
            Kind::FlowMatrix => self.flow_matrix(forwarding),
            Kind::Scheduler(scheduler) => self.schedule(scheduler, forwarding),
            Kind::Optimum if self.limited.is_some() => {
                let what =
                    "it is the optimum of a machine with all ports, front ends, full duplex and no results";
                Err(self.of_another_machine("optimum", what))
            }
            Kind::Installments if self.terms.variant.results > 0.0 => {
                Err(self.of_another_machine("installments", "they send no results back"))
            }
            Kind::Installments => match sent() {
                Ok((installments, run)) => self.installments(installments, run.clone()),
                Err(error) => Err(Error::not_applicable("installments", reason(error))),
            },
            Kind::Optimum => Ok(self.fluid(sent().as_ref().ok().and_then(|(_, run)| run.clone()))),
        }
    }

    fn flow_matrix(&self, forwarding: Forwarding) -> Result<Answer> {
        let at_once = self.at_once()?;
        let mut plan = flow_matrix::plan(&at_once, forwarding)?;
        let release = self.problem.sources()[0].release;
        plan.makespan += release;
        let rows = TimingRow::of_layers(
            &flow_matrix::layers_of(&at_once)?,
            self.problem.sigma(),
            forwarding,
            release,
        );
        let run = self.delivered(&plan, forwarding)?;
        let warning = (forwarding == Forwarding::CutThrough && self.problem.sigma() > 1.0).then(|| {
            "sigma is above 1: links are slower than processors, and only the source and its neighbours work"
                .to_string()
        });
        Ok(Answer { run, warning, timing: Some(rows), ..Answer::of(plan, forwarding) })
    }

    fn schedule(&self, scheduler: &Scheduler, forwarding: Forwarding) -> Result<Answer> {
        let mut scheduled = (scheduler.run)(self.problem, forwarding, &self.job.settings)?;
        if !self.problem.starts_at_once() {
            scheduled.warning.get_or_insert_with(|| {
                "the thesis knows no release times: here a cell begins when the last of its loads is there, and cells \
                 are compared by when they end"
                    .to_string()
            });
        }
        let run = self.delivered(&scheduled.plan, forwarding)?;
        Ok(Answer {
            run,
            cell_speedups: Some(scheduled.cells.iter().map(|cell| cell.speedup).collect()),
            saved: Some(scheduled.saved.into()),
            beta: self.beta(&scheduled.plan, forwarding),
            is_joined: scheduled.cells.iter().any(|cell| cell.sources.len() > 1),
            warning: scheduled.warning,
            ..Answer::of(scheduled.plan, forwarding)
        })
    }

    /// The thesis's beta, where each source has the same load and all of it at once.
    fn beta(&self, plan: &Plan, forwarding: Forwarding) -> Option<f64> {
        let (many, sources) = (self.problem.sources().len() as u64, self.problem.sources());
        let alike = sources.iter().all(|source| source.load == sources[0].load && source.release == 0.0);
        // What the slowest cell does for one of its sources; L_i = 1 / many.
        let slowest = plan.speedup() / many as f64;
        let nodes = u64::from(self.machine.living_count());
        alike.then(|| lower_band::beta(slowest, nodes, many, &self.problem.sigma(), forwarding))
    }

    /// The problem without its releases, of which the thesis knows nothing.
    fn at_once(&self) -> Result<Problem<'m>> {
        if self.problem.starts_at_once() || !self.problem.is_uniform() {
            return Ok(self.problem.clone());
        }
        let sources: Vec<Source> =
            self.problem.sources().iter().map(|source| Source { release: 0.0, ..*source }).collect();
        let at_once = Problem::new(self.machine, sources, self.problem.sigma())?;
        if at_once.sources().len() < self.problem.sources().len() {
            let why = "loads enter at one node at different times, and the thesis knows no release times";
            return Err(Error::not_applicable("a method of the thesis", why));
        }
        Ok(at_once)
    }

    /// The shares of a plan sent one by one, the nearest first.
    pub(super) fn delivered(&self, plan: &Plan, forwarding: Forwarding) -> Result<Option<Run>> {
        let Some(pieces) = run::pieces(plan, &self.depth) else { return Ok(None) };
        let results = self.terms.variant.results;
        let schedule = deliver_and_return(&self.scale, plan, forwarding, pieces, results)?;
        if let Some(why) = self.terms.misfit(&schedule) {
            return Err(self.of_another_machine("sending the shares", &why));
        }
        run::run(&self.scale, &self.depth, &schedule)
    }

    /// Messages are relayed when they are whole, but a node works on its share while the rest of it comes.
    fn installments(&self, sent: &Installments, run: Option<Run>) -> Result<Answer> {
        if let Some(why) = self.terms.misfit(&sent.schedule) {
            return Err(self.of_another_machine("installments", &why));
        }
        // They are timed for all ports: with one, what is promised is what was measured.
        let makespan = match (&self.limited, &run) {
            (None, _) => sent.makespan,
            (Some(_), Some(run)) => self.scale.units_of_ticks(run.ticks),
            (Some(_), None) => {
                return Err(self.of_another_machine("installments", "they come to a standstill"));
            }
        };
        let plan = Plan { makespan, shares: sent.shares.clone(), cells: None };
        let buffered = run.as_ref().map(|_| Buffered::new(self, sent));
        let schedule = (self.machine.nodes() <= SCHEDULE_NODES_MAX).then(|| sent.schedule.clone());
        Ok(Answer { run, buffered, schedule, is_possible: true, ..Answer::of(plan, Forwarding::CutThrough) })
    }

    fn fluid(&self, run: Option<Run>) -> Answer {
        let Optimum { makespan, flow, .. } = &self.optimum;
        let plan = Plan { makespan: *makespan, shares: flow.node.clone(), cells: None };
        let flow = Some(flow.link.clone());
        // A start-up makes messages that are as short as one likes take as long as one likes.
        let is_possible = self.terms.startup == 0.0;
        Answer { run, flow, is_possible, ..Answer::of(plan, Forwarding::CutThrough) }
    }
}

impl Answer {
    pub(super) fn of(plan: Plan, switching: Forwarding) -> Self {
        Self {
            plan,
            switching,
            flow: None,
            cell_speedups: None,
            saved: None,
            beta: None,
            warning: None,
            timing: None,
            run: None,
            buffered: None,
            schedule: None,
            is_possible: false,
            is_joined: false,
        }
    }
}

/// The reason of an error that says why something cannot be done.
fn reason(error: &Error) -> String {
    match error {
        Error::NotApplicable { why, .. } => why.clone(),
        other => other.to_string(),
    }
}
