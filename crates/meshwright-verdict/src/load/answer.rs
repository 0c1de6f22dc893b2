//! What each method answers, before it is bounded and checked.

use std::cell::OnceCell;
use std::sync::Arc;

use super::buffered::Buffered;
use super::job::Job;
use super::limited::{self, Limited, Started, variant};
use super::methods::Kind;
use super::run::{self, Run};
use super::sent::Sent;
use super::terms::{self, Terms};
use super::{LoadOutcome, SCHEDULE_NODES_MAX, TimingRow};
use crate::installments::{FrontRow, unbeaten};
use meshwright_core::error::{Error, Result};
use meshwright_load::installments::{Installments, Scale};
use meshwright_load::optimum::{self, Optimum, StartupBound};
use meshwright_load::shares::earth_mover::Rebalance;
use meshwright_load::shares::schedulers::Scheduler;
use meshwright_load::shares::{flow_matrix, lower_band};
use meshwright_load::{Forwarding, Plan, Problem, Source};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Schedule;

/// A simulated time so many times the promise is worth a word.
const FAR: f64 = 1.1;

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
    /// What start-ups say, where that is more than the optimum without them.
    pub(super) startup: Option<StartupBound>,
    /// What start-ups say beyond that.
    pub(super) started: Option<Started>,
    /// By node id the hops to the nearest source.
    pub(super) depth: Vec<u32>,
    /// Made when they are first wanted.
    pub(super) sent: OnceCell<Result<Sent>>,
    pub(super) searched: OnceCell<Vec<Installments>>,
    pub(super) listed: OnceCell<Result<Vec<Installments>>>,
    pub(super) few: OnceCell<Vec<Installments>>,
    pub(super) single: OnceCell<Result<Installments>>,
}

/// What a method answers.
pub(super) struct Answer {
    pub(super) plan: Plan,
    pub(super) switching: Forwarding,
    /// By link id what crosses it, if the method says so.
    pub(super) flow: Option<Vec<f64>>,
    pub(super) cell_speedups: Option<Vec<f64>>,
    /// By cell, how its sources even out their loads beforehand; none if the method does not.
    pub(super) rebalances: Option<Vec<Rebalance>>,
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
    pub(super) schedule: Option<Arc<Schedule>>,
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
        let scale = Scale::new(problem, job.bytes)?;
        let optimum = optimum::solve(problem)?;
        let wanted = variant(job, machine);
        let variant = wanted.map(|(variant, _)| variant).unwrap_or_default();
        let terms = Terms { variant, startup: scale.units(machine.costs().startup) };
        let paid = terms::paid(machine.switching());
        let startup = terms.startup_bound(problem, paid, optimum.makespan);
        let limited = Limited::solve(wanted, problem, optimum.makespan, progress)?;
        let least = limited.as_ref().map_or(optimum.makespan, |limited| limited.answer.makespan);
        let least = startup.as_ref().map_or(least, |startup| startup.makespan.max(least));
        let started = limited::started(problem, &terms, paid, least)?;
        Ok(Self {
            job,
            machine,
            problem,
            limited,
            terms,
            startup,
            started,
            scale,
            optimum,
            depth: run::depths(problem),
            sent: OnceCell::new(),
            searched: OnceCell::new(),
            listed: OnceCell::new(),
            few: OnceCell::new(),
            single: OnceCell::new(),
        })
    }

    /// All schedules that are known, each run by the referee, without those that another one beats.
    pub(super) fn front(
        &self,
        results: &[LoadOutcome],
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<FrontRow>> {
        progress("processors against messages against time");
        let sent = self.sent().as_ref().ok().map(|(sent, _)| sent);
        let mut rows: Vec<FrontRow> = Vec::new();
        let searched = match (&self.limited, self.listed.get()) {
            (None, _) => self.searched(),
            (Some(_), Some(Ok(listed))) => listed.as_slice(),
            (Some(_), _) => &[],
        };
        for one in searched.iter().chain(self.few()).chain(sent) {
            rows.push(FrontRow::of_installments(&self.scale, self.least(), one)?);
        }
        rows.extend(results.iter().filter(|outcome| !outcome.is_fluid()).filter_map(FrontRow::of_outcome));
        Ok(unbeaten(rows))
    }

    /// The answer of one method.
    pub(super) fn answer(&self, kind: Kind, forwarding: Forwarding) -> Result<Answer> {
        match kind {
            Kind::FlowMatrix => self.flow_matrix(forwarding),
            Kind::Scheduler(scheduler) => self.schedule(scheduler, forwarding),
            Kind::Optimum if self.limited.is_some() => {
                let what =
                    "it is the optimum of a machine with all ports, front ends, full duplex and no results";
                Err(self.of_another_machine("optimum", what))
            }
            Kind::Local => self.local(),
            Kind::Equal => self.equal(),
            Kind::Serial => match self.single() {
                Ok(single) => self.single_messages("serial", self.reading_of(single)?, single),
                Err(error) => Err(Error::not_applicable("serial", reason(error))),
            },
            Kind::Installments => match self.sent() {
                Ok((installments, run)) => self.installments(installments, run.clone()),
                Err(error) => Err(Error::not_applicable("installments", reason(error))),
            },
            Kind::Optimum => Ok(self.fluid()),
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
        let (run, schedule) = self.delivered(&plan, forwarding)?.unzip();
        let warning = (forwarding == Forwarding::CutThrough && self.problem.sigma() > 1.0).then(|| {
            "sigma is above 1: links are slower than processors, and only the source and its neighbours work"
                .to_string()
        });
        let schedule = self.kept(|| schedule);
        Ok(Answer { run, warning, timing: Some(rows), schedule, ..Answer::of(plan, forwarding) })
    }

    fn schedule(&self, scheduler: &Scheduler, forwarding: Forwarding) -> Result<Answer> {
        let mut scheduled = (scheduler.run)(self.problem, forwarding, &self.job.settings)?;
        if !self.problem.starts_at_once() {
            scheduled.warning.get_or_insert_with(|| {
                "Zhang 2018 knows no release times: here a cell begins when the last of its loads is there, and cells \
                 are compared by when they end"
                    .to_string()
            });
        }
        let (run, schedule) = self.delivered(&scheduled.plan, forwarding)?.unzip();
        Ok(Answer {
            run,
            schedule: self.kept(|| schedule),
            cell_speedups: Some(scheduled.cells.iter().map(|cell| cell.speedup).collect()),
            rebalances: (!scheduled.rebalances.is_empty()).then_some(scheduled.rebalances),
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
            let why = "loads enter at one node at different times, and Zhang 2018 knows no release times";
            return Err(Error::not_applicable("a method of Zhang 2018", why));
        }
        Ok(at_once)
    }

    /// The messages, where they are not too many to be told.
    pub(super) fn kept(&self, schedule: impl FnOnce() -> Option<Schedule>) -> Option<Arc<Schedule>> {
        if self.machine.nodes() <= SCHEDULE_NODES_MAX { schedule().map(Arc::new) } else { None }
    }

    /// The shares of a plan sent as messages.
    pub(super) fn delivered(&self, plan: &Plan, forwarding: Forwarding) -> Result<Option<(Run, Schedule)>> {
        run::deliver(&self.scale, &self.terms, &self.depth, plan, forwarding)
    }

    /// Messages over one link each.
    fn messages(
        &self,
        method: &'static str,
        forwarding: Forwarding,
        sent: &Installments,
        run: Option<Run>,
    ) -> Result<Answer> {
        if let Some(why) = run.as_ref().and_then(|run| run.misfit.as_ref()) {
            return Err(self.of_another_machine(method, why));
        }
        // They are timed for all ports: with one, what is promised is what was measured.
        let makespan = match (&self.limited, &run) {
            (None, _) => sent.makespan,
            (Some(_), Some(run)) => self.scale.units_of_ticks(run.ticks),
            (Some(_), None) => return Err(self.of_another_machine(method, "they come to a standstill")),
        };
        let plan = Plan { makespan, shares: sent.shares.clone(), cells: None };
        let schedule = self.kept(|| Some(sent.schedule.clone()));
        Ok(Answer { run, schedule, is_possible: true, ..Answer::of(plan, forwarding) })
    }

    /// At most one message for each processor, relayed when it is whole.
    pub(super) fn single_messages(
        &self,
        method: &'static str,
        forwarding: Forwarding,
        single: &Installments,
    ) -> Result<Answer> {
        let run = run::run(&self.scale, &self.terms.variant, &self.depth, &single.schedule)?;
        self.messages(method, forwarding, single, run)
    }

    /// Messages are relayed when they are whole, but a node works on its share while the rest of it comes.
    fn installments(&self, sent: &Installments, run: Option<Run>) -> Result<Answer> {
        let answer = self.messages("installments", Forwarding::CutThrough, sent, run)?;
        let buffered = answer.run.as_ref().map(|_| Buffered::new(self, sent));
        Ok(Answer { buffered, ..answer })
    }

    /// The messages that follow an optimum, which is a flow, and what was measured of them.
    pub(super) fn followed(&self) -> (Option<Run>, Option<Arc<Schedule>>) {
        let Ok((sent, run)) = self.sent() else { return (None, None) };
        (run.clone(), self.kept(|| Some(sent.schedule.clone())))
    }

    /// The optimum, whose time is that of the messages that follow it.
    fn fluid(&self) -> Answer {
        let (run, schedule) = self.followed();
        let Optimum { makespan, flow, .. } = &self.optimum;
        let plan = Plan { makespan: *makespan, shares: flow.node.clone(), cells: None };
        let flow = Some(flow.link.clone());
        let times = run.as_ref().map_or(1.0, |run| self.scale.units_of_ticks(run.ticks) / makespan);
        let warning = (times > FAR).then(|| {
            let limit = if self.has_startup() {
                "it knows no start-ups"
            } else {
                "a promise for ever smaller messages, and not one that is kept here"
            };
            format!("{limit}: the installments take {times:.1} times as long")
        });
        // A start-up makes messages that are as short as one likes take as long as one likes.
        let is_possible = self.terms.startup == 0.0;
        Answer { run, flow, warning, schedule, is_possible, ..Answer::of(plan, Forwarding::CutThrough) }
    }
}

impl Answer {
    pub(super) fn of(plan: Plan, switching: Forwarding) -> Self {
        Self {
            plan,
            switching,
            flow: None,
            cell_speedups: None,
            rebalances: None,
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
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::NotApplicable { why, .. } => why.clone(),
        other => other.to_string(),
    }
}
