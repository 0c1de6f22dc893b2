//! What each method answers, before it is bounded and checked.

use std::cell::OnceCell;

use super::buffered::Buffered;
use super::job::Job;
use super::methods::Kind;
use super::run::{self, Run};
use super::{LoadOutcome, SCHEDULE_NODES_MAX, TimingRow};
use crate::error::{Error, Result};
use crate::load::installments::{self, Installments, Scale, deliver};
use crate::load::optimum::{self, Optimum, Paid, StartupBound};
use crate::load::schedulers::{Cell, Method as Scheduler};
use crate::load::{Forwarding, Plan, Problem, Source, flow_matrix, layers, lower_band};
use crate::schedule::Schedule;
use crate::topology::{Machine, Switching, Topology};
use crate::verdict::installments::{FrontRow, unbeaten};

/// So many messages over each link that the optimum uses are tried at first where nobody says how many.
const CHUNKS_PER_LINK: u64 = 60;

/// In all at least this many, and at most so many.
const CHUNKS: std::ops::RangeInclusive<u64> = 10_000..=60_000;

/// No more are tried as long as they gain something.
const CHUNKS_MAX: u64 = 1_000_000;

/// A simulated time so many times the promise is worth a word.
const FAR: f64 = 1.1;

/// Where messages have a start-up, schedules with few messages are looked for on machines of at most so many nodes.
const SEARCHED_NODES_MAX: u32 = 20_000;

/// A load with all that its methods have in common.
pub(super) struct Case<'p, 'm> {
    pub(super) job: &'p Job,
    pub(super) machine: &'m Machine,
    pub(super) problem: &'p Problem<'m>,
    pub(super) scale: Scale<'p, 'm>,
    pub(super) optimum: Optimum,
    /// What start-ups say, where that is more than the optimum without them.
    pub(super) startup: Option<StartupBound>,
    /// By node id the hops to the nearest source.
    pub(super) depth: Vec<u32>,
    /// Made when they are first wanted.
    sent: OnceCell<Result<Sent>>,
    searched: OnceCell<Vec<Installments>>,
    single: OnceCell<Result<Installments>>,
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
    pub(super) fn new(job: &'p Job, problem: &'p Problem<'m>) -> Result<Self> {
        let machine = problem.machine();
        let nodes: Vec<_> = problem.sources().iter().map(|source| source.node).collect();
        let scale = Scale::new(problem, job.bytes)?;
        let optimum = optimum::solve(problem)?;
        let startup = (machine.costs.startup.0 > 0).then(|| {
            let paid = match machine.switching {
                Switching::Wormhole | Switching::CutThrough => Paid::Once,
                Switching::StoreAndForward => Paid::EveryHop,
            };
            optimum::with_startup(problem, scale.units(machine.costs.startup), paid)
        });
        Ok(Self {
            job,
            machine,
            problem,
            startup: startup.filter(|startup| startup.makespan > optimum.makespan),
            scale,
            optimum,
            depth: layers::depths(machine, &nodes),
            sent: OnceCell::new(),
            searched: OnceCell::new(),
            single: OnceCell::new(),
        })
    }

    /// No schedule ends earlier, in units of w Tcp.
    pub(super) fn least(&self) -> f64 {
        self.startup.as_ref().map_or(self.optimum.makespan, |startup| startup.makespan)
    }

    /// Whether a message costs more than its bytes.
    pub(super) fn has_startup(&self) -> bool {
        self.machine.costs.startup.0 > 0
    }

    /// The optimum sent in messages over one link each, or what is faster than that with few of them, run by the
    /// referee.
    fn send(&self) -> Result<Sent> {
        let (scale, optimum) = (&self.scale, &self.optimum);
        let planned = match self.job.chunks {
            Some(chunks) => installments::plan(scale, optimum, &installments::Settings { chunks }),
            None => {
                let used = optimum.flow.link.iter().filter(|&&share| share > 0.0).count() as u64;
                let first = (CHUNKS_PER_LINK * used).clamp(*CHUNKS.start(), *CHUNKS.end());
                installments::plan_by_gain(scale, optimum, first, CHUNKS_MAX)
            }
        };
        let mut known: Vec<Installments> = installments::stay(scale).into_iter().collect();
        if self.has_startup() {
            known.extend(self.single().as_ref().ok().cloned());
        }
        if self.job.front || (self.has_startup() && self.machine.nodes() <= SEARCHED_NODES_MAX) {
            known.extend(self.searched().iter().min_by_key(|one| one.predicted_cycles).cloned());
        }
        known.retain(|one| self.job.chunks.is_none_or(|chunks| one.messages <= chunks));
        let order = |one: &Installments| (one.predicted_cycles, one.messages);
        let sent = match (planned, known.into_iter().min_by_key(order)) {
            (Ok(planned), Some(known)) if order(&known) < order(&planned) => known,
            (Err(Error::NotApplicable { .. }), Some(known)) => known,
            (planned, _) => planned?,
        };
        let run = run::run(scale, &self.depth, &sent.schedule)?;
        Ok((sent, run))
    }

    fn sent(&self) -> &Result<Sent> {
        self.sent.get_or_init(|| self.send())
    }

    /// One message for each processor.
    fn single(&self) -> &Result<Installments> {
        self.single.get_or_init(|| installments::one_each(&self.scale))
    }

    /// Installments with fewer processors and messages.
    fn searched(&self) -> &[Installments] {
        self.searched.get_or_init(|| {
            let chunks = self.job.chunks.unwrap_or(installments::Settings::default().chunks);
            installments::front(&self.scale, &self.optimum, &installments::Settings { chunks })
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
        for one in self.searched().iter().chain(sent) {
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
            Kind::Local => self.single_messages(&installments::stay(&self.scale)?),
            Kind::Serial => match self.single() {
                Ok(single) => self.single_messages(single),
                Err(error) => Err(Error::not_applicable("serial", reason(error))),
            },
            Kind::Installments => match self.sent() {
                Ok((installments, run)) => Ok(self.installments(installments, run.clone())),
                Err(error) => Err(Error::not_applicable("installments", reason(error))),
            },
            Kind::Optimum => Ok(self.fluid(self.sent().as_ref().ok().and_then(|(_, run)| run.clone()))),
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
        let mut scheduled = (scheduler.run)(&self.at_once()?, forwarding, &self.job.settings)?;
        if !self.problem.starts_at_once() {
            // A cell is done when it has worked off its load from the last release of its sources on.
            let release = |&source: &usize| self.problem.sources()[source].release;
            let end = |cell: &Cell| {
                cell.sources.iter().map(release).fold(0.0, f64::max) + 1.0 / cell.weighted_speedup()
            };
            scheduled.plan.makespan = scheduled.cells.iter().map(end).fold(0.0, f64::max);
            scheduled.warning.get_or_insert_with(|| {
                "the thesis knows no release times: each cell is made as if they were 0 and begins when its load \
                 is there"
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
    fn delivered(&self, plan: &Plan, forwarding: Forwarding) -> Result<Option<Run>> {
        let Some(pieces) = run::pieces(plan, &self.depth) else { return Ok(None) };
        run::run(&self.scale, &self.depth, &deliver(&self.scale, plan, forwarding, pieces)?)
    }

    /// Messages are relayed when they are whole, but a node works on its share while the rest of it comes.
    fn installments(&self, sent: &Installments, run: Option<Run>) -> Answer {
        let plan = Plan { makespan: sent.makespan, shares: sent.shares.clone(), cells: None };
        let buffered = run.as_ref().map(|_| Buffered::new(self, sent));
        let schedule = (self.machine.nodes() <= SCHEDULE_NODES_MAX).then(|| sent.schedule.clone());
        Answer { run, buffered, schedule, is_possible: true, ..Answer::of(plan, Forwarding::CutThrough) }
    }

    /// At most one message for each processor, relayed when it is whole.
    fn single_messages(&self, single: &Installments) -> Result<Answer> {
        let plan = Plan { makespan: single.makespan, shares: single.shares.clone(), cells: None };
        let run = run::run(&self.scale, &self.depth, &single.schedule)?;
        Ok(Answer { run, is_possible: true, ..Answer::of(plan, Forwarding::StoreAndForward) })
    }

    fn fluid(&self, run: Option<Run>) -> Answer {
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
            format!("{limit}: the fastest schedule known to us takes {times:.1} times as long")
        });
        Answer { run, flow, warning, is_possible: true, ..Answer::of(plan, Forwarding::CutThrough) }
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
