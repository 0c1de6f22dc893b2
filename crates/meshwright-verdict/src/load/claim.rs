//! Claimed schedules of a divisible load: possible, or refuted by a set of nodes.

use std::cell::OnceCell;

use serde::Serialize;

use super::answer::Case;
use super::feasible::{Asked, Sent, WHOLE_CYCLES, decide};
use super::further::Wishes;
use super::job::Job;
use super::limited::{Limited, started};
use super::run::{self, Run};
use super::terms::{Terms, in_units};
use super::{LoadBound, SourceRow, VariantAnswer, sources};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::check::Reading;
use meshwright_load::installments::{Installments, Scale};
use meshwright_load::lp::Variant;
use meshwright_load::optimum::{self, Paid};
use meshwright_load::witness::Witness;
use meshwright_load::{Cells, Cut, Forwarding, Plan, Problem};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Schedule, goal};

/// A schedule that somebody claims.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// What it is called.
    pub name: String,
    /// Whether a node works while its share arrives, or when the whole of it is there.
    pub switching: Forwarding,
    /// When all is said to be done, in units of w Tcp.
    pub makespan: f64,
    /// By node id, the share of the whole load it is said to work off.
    pub shares: Vec<f64>,
    /// Who works for which source, if each is to serve its own nodes.
    pub cells: Option<Cells>,
}

/// The answer to `check`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// The start-up of a message, in units of w Tcp.
    pub startup: f64,
    /// The machine that is claimed for and its optimum, if it does less at a time.
    pub variant: Option<VariantAnswer>,
    /// Where the load enters.
    pub sources: Vec<SourceRow>,
    /// What no schedule can beat, and why.
    pub bound: LoadBound,
    /// Whether every claim is possible.
    pub feasible: bool,
    /// Claim by claim.
    pub claims: Vec<Checked>,
}

/// A claim and what is true of it.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// What it is called.
    pub name: String,
    /// Whether a node works while its share arrives.
    pub switching: Forwarding,
    /// The claimed makespan, in units of w Tcp.
    pub makespan: f64,
    /// The claimed speedup.
    pub speedup: f64,
    /// Whether some schedule keeps the claim.
    pub feasible: bool,
    /// Which question was decided.
    pub reading: Reading,
    /// The nodes that refute it.
    pub violated_cut: Option<Cut>,
    /// The moment until which these nodes cannot send out enough, where shares must be there in time.
    pub moment: Option<f64>,
    /// The node that cannot work off its own share.
    pub overloaded: Option<NodeId>,
    /// What no way to send these shares can beat on a machine that does less at a time, if that was computed.
    pub least_makespan: Option<f64>,
    /// What shows that the claim can be kept.
    pub witness: Option<Witness>,
    /// No schedule is faster than this.
    pub bound_speedup: f64,
    /// Claimed speed over the fastest there is.
    pub ratio_to_bound: f64,
}

/// Checks every claim on these terms.
///
/// # Errors
///
/// As for [`meshwright_load::check::check`].
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_verdict::load::{Claimed, Terms, check};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:3")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let shares = vec![1.0 / 3.0; 3];
/// let claim = Claimed { name: "all alike".into(), switching: Forwarding::CutThrough, makespan: 1.0 / 3.0, shares, cells: None };
/// let answer = check(&problem, &Terms::default(), &[claim], &mut |_| {})?;
/// assert!(!answer.feasible && answer.claims[0].violated_cut.is_some());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn check(
    problem: &Problem<'_>,
    terms: &Terms,
    claims: &[Claimed],
    progress: &mut dyn FnMut(&str),
) -> Result<CheckAnswer> {
    let (plain, cut) = optimum::makespan(problem)?;
    let wanted = (terms.variant != Variant::default()).then_some((terms.variant, false));
    let limited = Limited::solve(wanted, problem, plain, progress)?;
    // As `split` sends them: messages over one link each.
    let startup = terms.startup_bound(problem, Paid::EveryHop, plain);
    let variant = limited.as_ref().map(|limited| &limited.answer);
    let least = startup.as_ref().map_or(plain, |startup| startup.makespan);
    let least = variant.map_or(least, |variant| variant.makespan.max(least));
    let started = started(problem, terms, Paid::EveryHop, least)?;
    let startups = (startup.as_ref(), started.as_ref());
    let bound = LoadBound::greatest((plain, cut), startups, variant, problem.machine());
    let started = started.map(|started| started.makespan);
    let sender = Sender::new(problem, terms)?;
    let mut checked = Vec::new();
    for claim in claims {
        progress(&claim.name);
        let Claimed { name, switching, makespan, shares, cells } = claim;
        let (makespan, switching) = (*makespan, *switching);
        let (cells, startup) = (cells.as_ref(), startup.as_ref());
        let asked = Asked { terms: *terms, startup, started, shares, makespan, switching, cells };
        let found = decide(problem, &asked, &mut || match &sender {
            Some(sender) => sender.send(&asked),
            None => Ok(None),
        })?;
        checked.push(Checked {
            name: name.clone(),
            switching,
            makespan,
            speedup: 1.0 / makespan,
            feasible: found.feasible,
            reading: found.reading,
            violated_cut: found.cut,
            moment: found.moment,
            overloaded: found.overloaded,
            least_makespan: found.least,
            witness: found.witness,
            bound_speedup: bound.speedup,
            ratio_to_bound: bound.makespan / makespan,
        });
    }
    Ok(CheckAnswer {
        format: 1,
        machine: problem.machine().name().to_string(),
        sigma: problem.sigma(),
        startup: terms.startup,
        variant: limited.map(|limited| limited.answer),
        sources: sources(problem),
        bound,
        feasible: checked.iter().all(|checked| checked.feasible),
        claims: checked,
    })
}

/// Schedules of more messages than this are not written out.
const WRITTEN_MESSAGES_MAX: u64 = 2_000;

/// Where claimed shares are sent as messages, as `split` sends them: the machine that is claimed for.
struct Sender<'a, 'p> {
    problem: &'a Problem<'p>,
    terms: &'a Terms,
    machine: Machine,
    bytes: u64,
    /// What `split` plans there, made when it is first wanted.
    planned: OnceCell<Vec<Installments>>,
}

impl<'a, 'p> Sender<'a, 'p> {
    /// None where the times have no common measure.
    fn new(problem: &'a Problem<'p>, terms: &'a Terms) -> Result<Option<Self>> {
        let Ok((machine, bytes)) = in_units(problem, terms.startup) else { return Ok(None) };
        let machine = machine.with_port_model(terms.variant.ports.model());
        Ok(Some(Self { problem, terms, machine, bytes, planned: OnceCell::new() }))
    }

    /// The schedules of `split` with its usual settings.
    fn planned(&self) -> &[Installments] {
        self.planned.get_or_init(|| {
            let problem = self.problem.on(&self.machine);
            let job = Job::new(&self.machine, problem.sources().to_vec(), problem.sigma(), self.bytes);
            let variant = (self.terms.variant != Variant::default()).then_some(self.terms.variant);
            let job = Job { further: Wishes { variant, ..Wishes::default() }, ..job };
            let Ok(case) = Case::new(&job, &problem, &mut |_| {}) else { return Vec::new() };
            let sent = case.sent().as_ref().ok().map(|(sent, _)| sent);
            sent.into_iter().chain(case.single().as_ref().ok()).cloned().collect()
        })
    }

    /// The fastest way known to send these shares; none where that cannot be.
    fn send(&self, asked: &Asked<'_>) -> Result<Option<Sent>> {
        let problem = self.problem.on(&self.machine);
        let Ok(scale) = Scale::new(&problem, self.bytes) else { return Ok(None) };
        let sent = send(&scale, asked)?;
        if sent.as_ref().is_some_and(|sent| sent.makespan <= asked.makespan * (1.0 + WHOLE_CYCLES)) {
            return Ok(sent);
        }
        let is_claimed = |one: &&Installments| {
            let mut pairs = one.shares.iter().zip(asked.shares);
            pairs.all(|(planned, claimed)| (planned - claimed).abs() <= WHOLE_CYCLES)
        };
        let planned = self.planned().iter().filter(is_claimed).min_by_key(|one| one.predicted_cycles);
        let Some(Installments { schedule, .. }) = planned else { return Ok(sent) };
        let run = run::run(&scale, &self.terms.variant, &run::depths(&problem), schedule)?;
        let run = run.filter(|run| run.misfit.is_none());
        Ok(run.map(|run| Sent::of(schedule, &run, &scale)).or(sent))
    }
}

/// The shares sent as messages; none where that cannot be.
fn send(scale: &Scale<'_, '_>, asked: &Asked<'_>) -> Result<Option<Sent>> {
    let Asked { terms, shares, makespan, switching, cells, .. } = *asked;
    let plan = Plan { makespan, shares: shares.to_vec(), cells: cells.cloned() };
    match run::deliver(scale, &terms, &run::depths(scale.problem()), &plan, switching) {
        Ok(sent) => Ok(sent.map(|(run, schedule)| Sent::of(&schedule, &run, scale))),
        Err(Error::NotApplicable { .. } | Error::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Sent {
    /// A schedule that is done by then.
    fn of(schedule: &Schedule, run: &Run, scale: &Scale<'_, '_>) -> Self {
        let (messages, makespan) = (run.messages, scale.units_of_ticks(run.ticks));
        let written = || {
            let mut text = Vec::new();
            goal::write(schedule, &mut text).expect("memory takes what is written");
            String::from_utf8(text).expect("GOAL is plain text")
        };
        Self { makespan, messages, goal: (messages <= WRITTEN_MESSAGES_MAX).then(written) }
    }
}
