//! Verdicts on divisible loads: every method bounded, predicted, simulated, and checked whether it can be.
//!
//! | file | what |
//! |---|---|
//! | this one | [`judge`]: the methods side by side |
//! | `job` | [`Job`]: a load as it is asked for |
//! | `methods` | [`METHODS`]: the table of all methods |
//! | `answer` | what each method answers |
//! | `feasible` | whether an answer is possible |
//! | `ways` | what the ways of messages leave time for |
//! | `terms`, `limited` | [`Terms`]: machines that do less at a time, start-ups; their optimum |
//! | `joint` | places for several sources together |
//! | `further` | a further source, the load again and again |
//! | `queues` | loads that keep coming |
//! | `pieces` | loads of pieces that must not be cut |
//! | `dynamic` | loads and speeds that change |
//! | `policies` | the policies that share out such a load |
//! | `buffered` | what the machine's buffers cost |
//! | `run`, `timing` | the referee's time; timing diagrams |
//! | `audit` | whether a run kept to ports, wires and front ends |
//! | `claim` | [`check`]: claimed schedules |
//! | `detail` | what is known of the job and of each method |
//! | `random` | averages over random sources |
//! | `words` | reasons, certificates and refutations in sentences |

mod answer;
mod audit;
mod buffered;
mod claim;
mod detail;
mod dynamic;
mod feasible;
mod further;
mod job;
mod joint;
mod limited;
mod methods;
mod pieces;
mod policies;
mod queues;
mod random;
mod run;
mod sent;
mod terms;
mod timing;
mod unplanned;
mod ways;
mod words;

pub use claim::{CheckAnswer, Checked, Claimed, check};
pub use detail::{
    BoundKind, Deadline, Fewest, LoadBound, LoadDetail, LoadFacts, SCHEDULE_NODES_MAX, SourceRow, TimingRow,
};
pub use dynamic::{
    ArrivalsAsked, Changing, DynamicAnswer, GRAINS_DEFAULT, PolicyRow, Response, SpeedsAsked, drifts,
    dynamic, dynamic_recorded,
};
pub use further::{Further, Next, NextSource, PLACES_DEFAULT, PROGRAMME, VariantAnswer, Wishes};
pub use job::{Job, forwarding};
pub use joint::{PlacedAnswer, PlacedRow, placed};
pub use methods::{Kind, METHODS, Method};
pub use pieces::{PieceRow, PiecesAnswer, PiecesRow, pieces};
pub use policies::{POLICIES, PolicyEntry};
pub use queues::{Arrivals, Queues, QueuesAnswer, queues};
pub use random::{RandomAnswer, long_rounds, random};
pub use terms::{Terms, in_units};
pub use words::{certificate, together, violation};

use answer::{Answer, Case};

use crate::{Contest, Ending, LoadOutcome, LoadVerdict, Options, Outcome, Skipped, Watch};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_load::check::Feasibility;
use meshwright_load::{Cells, Forwarding, Problem, UNUSED};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Plan, Planner, Proposal};

/// Divides a load by every method named, and names the winner: the least time the referee measures.
///
/// A method that does not apply is listed with the reason if it was asked for by name. `progress` is told what is
/// being worked on.
///
/// # Errors
///
/// As for [`Job::problem`]; [`Error::NotApplicable`] when no method applies.
///
/// # Examples
///
/// ```
/// use meshwright_load::Source;
/// use meshwright_verdict::load::{self, Job};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Cycles, NodeId};
/// let mut mesh = Machine::new("mesh:5x5")?;
/// mesh = mesh.with_startup(Cycles(0))?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(12), 1.0)], 0.5, 100_000_000);
/// let verdict = load::judge("centre", &job, &mesh, &mut |_| {})?;
/// assert_eq!(verdict.facts.bound.speedup, 9.0, "the source and two for each of its four links");
/// let thesis = verdict.results.iter().find(|result| result.method == "flow-matrix").unwrap();
/// assert!((thesis.detail.speedup - 11.5).abs() < 1e-12 && !thesis.detail.feasible);
/// assert_eq!(verdict.winner_name(), Some("installments"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<LoadVerdict> {
    let with_ports;
    let machine = match limited::port_model(job, machine) {
        ports if ports != machine.port_model() => {
            with_ports = machine.clone().with_port_model(ports);
            &with_ports
        }
        _ => machine,
    };
    let problem = job.problem(machine)?;
    let case = Case::new(job, &problem, progress)?;
    let trials = trials(&case)?;
    crate::judge(&case, trials, &Options::new(name, 0), &mut |what: &str| progress(what))
}

/// Pairs of node and source up to which the schedulers of Zhang 2018 are compared without being asked for: 500x500
/// with 100 sources takes 20 seconds, with 1000 more than a minute.
const COMPARED_PAIRS_MAX: u64 = 1 << 27;

/// A method under one forwarding.
#[derive(Clone)]
struct Trial {
    name: String,
    /// None of the linear programme of a machine that does less at a time.
    kind: Option<Kind>,
    forwarding: Forwarding,
}

/// What is tried: every method under every forwarding, and the programme.
fn trials(case: &Case<'_, '_>) -> Result<Vec<Trial>> {
    let Job { methods, named, forwardings, .. } = case.job;
    // A front is one of installments: they are in the contest that it is shown beside.
    let of_front = "installments".to_string();
    let of_front = (case.job.front && !methods.contains(&of_front)).then_some(&of_front);
    let mut trials = Vec::new();
    for name in methods.iter().chain(of_front) {
        let method = methods::find(name)
            .ok_or_else(|| Error::value("method", format!("`{name}`"), "a method of the table"))?;
        let (sources, is_limited) = (case.problem.sources().len(), case.limited.is_some());
        if !named && !method.kind.suits(sources, case.has_startup(), is_limited) {
            continue;
        }
        let forwardings = if method.kind.forwards() { forwardings.as_slice() } else { &forwardings[..1] };
        let trial = |&forwarding| Trial { name: name.clone(), kind: Some(method.kind), forwarding };
        trials.extend(forwardings.iter().map(trial));
    }
    let forwarding = Forwarding::CutThrough;
    let programme = case.limited.as_ref().map(|_| Trial { name: PROGRAMME.into(), kind: None, forwarding });
    trials.extend(programme);
    Ok(trials)
}

/// Some methods simulate while they plan: how many messages are best is a question for the simulator.
impl Planner for Case<'_, '_> {
    type Method = Trial;
    type Workload = Answer;
    type Detail = ();

    fn machine(&self) -> &Machine {
        self.machine
    }

    fn bound(&self) -> Result<Cycles> {
        Ok(self.scale.cycles(self.least()))
    }

    fn plan(&self, trial: &Trial, _seed: u64) -> Result<Proposal<Answer, ()>> {
        let pairs = u64::from(self.machine.nodes()) * self.problem.sources().len() as u64;
        if matches!(trial.kind, Some(Kind::Scheduler(_))) && !self.job.named && pairs > COMPARED_PAIRS_MAX {
            return Ok(Proposal::Unsuitable(format!(
                "above {COMPARED_PAIRS_MAX} pairs of node and source it is compared only when it is asked for by name"
            )));
        }
        let answer = match (trial.kind, &self.limited) {
            (Some(kind), _) => self.answer(kind, trial.forwarding),
            (None, Some(limited)) => self.programme(limited),
            (None, None) => unreachable!("the programme is that of a machine that does less"),
        };
        Proposal::of(answer.map(|workload| Plan { workload, detail: () }))
    }
}

impl Contest for Case<'_, '_> {
    type Facts = LoadFacts;

    const WHAT: &'static str = "dividing the load";

    fn name_of(&self, trial: &Trial) -> String {
        trial.name.clone()
    }

    fn activity(&self, trial: &Trial, _place: &str) -> String {
        format!("{}, {}", trial.name, trial.forwarding.name())
    }

    fn measure(&self, trial: &Trial, plan: Plan<Answer, ()>, _seed: u64) -> Result<Ending<LoadDetail>> {
        let mut answer = plan.workload;
        let schedule = answer.schedule.take();
        Ok(Ending::Done(outcome(self, &trial.name, answer)?, schedule))
    }

    /// The optimum cannot be sent as it is: what comes next to it wins.
    fn rank(outcome: &LoadOutcome) -> Option<crate::Rank> {
        let used = outcome.detail.nodes_used as u64;
        Some((outcome.simulated_cycles?, outcome.is_fluid().into(), used))
    }

    fn nothing(&self, skipped: &[Skipped]) -> Option<Error> {
        self.limited.is_none().then(|| crate::nothing_applies(Self::WHAT, skipped))
    }

    fn words(&self, winner: Option<&LoadOutcome>, results: &[LoadOutcome]) -> (String, Option<String>) {
        let reason =
            winner.map_or_else(|| words::no_winner(&self.terms), |winner| words::reason(winner, results));
        (reason, words::advice(results, self.allowing()))
    }

    fn facts(
        &self,
        winner: Option<&LoadOutcome>,
        results: &[LoadOutcome],
        _skipped: &mut Vec<Skipped>,
        watch: &mut dyn Watch,
    ) -> Result<LoadFacts> {
        let (job, mut progress) = (self.job, |what: &str| watch.tell(what));
        let further = self.further(&mut progress)?;
        Ok(LoadFacts {
            winner_switching: winner.map(|winner| winner.detail.switching),
            sigma: job.sigma,
            sources: sources(self.problem),
            bytes: job.bytes,
            unit_cycles: self.scale.unit_cycles(),
            startup: self.scale.units(self.machine.costs().startup),
            bound: self.certified()?,
            front: if job.front { self.front(results, &mut progress)? } else { Vec::new() },
            deadline: self.deadline(results)?,
            further,
        })
    }
}

/// Bounds, checks and measures an answer.
fn outcome(case: &Case<'_, '_>, name: &str, answer: Answer) -> Result<LoadOutcome> {
    let (scale, bound) = (&case.scale, case.least());
    let Feasibility { feasible, reading, cut, moment, overloaded, least, .. } = case.feasible(&answer)?;
    let cycles = answer.run.as_ref().map(|run| case.machine.costs().cycles(run.ticks).0);
    let simulated = answer.run.as_ref().map(|run| scale.units_of_ticks(run.ticks));
    if let Some(simulated) = simulated {
        case.check_bound(name, simulated)?;
    }
    let bound_cycles = scale.cycles(bound).0;
    let (layers, fractions, by_layer) = case.by_layer(&answer.plan.shares);
    let plan = answer.plan;
    let delay = answer.buffered.as_ref().and_then(|buffered| buffered.delay);
    Ok(Outcome {
        method: name.to_string(),
        bound_cycles,
        predicted_cycles: scale.cycles(plan.makespan).0,
        simulated_cycles: cycles,
        busiest_link: answer.run.as_ref().and_then(|run| run.hottest),
        waited_link: None,
        detail: LoadDetail {
            switching: answer.switching,
            messages: answer.run.as_ref().map(|run| run.messages),
            makespan: plan.makespan,
            speedup: plan.speedup(),
            layers,
            fractions,
            by_layer,
            nodes_used: plan.nodes_used(),
            feasible,
            reading,
            violated_cut: cut,
            moment,
            overloaded,
            least_makespan: least,
            bound_speedup: 1.0 / bound,
            ratio_to_bound: bound / plan.makespan,
            simulated_speedup: simulated.map(|simulated| 1.0 / simulated),
            buffered_cycles: cycles.zip(delay).map(|(cycles, delay)| (cycles as f64 * delay).round() as u64),
            buffered_speedup: simulated.zip(delay).map(|(simulated, delay)| 1.0 / (simulated * delay)),
            waiting_max: answer.buffered.as_ref().map(|buffered| buffered.waiting_max),
            buffers: answer.buffered.as_ref().map(|buffered| buffered.sentence(case)),
            labels: plan.cells.as_ref().map(|cells| labels(cells, case.machine)),
            cell_speedups: answer.cell_speedups,
            rebalances: answer.rebalances,
            saved: answer.saved,
            beta: answer.beta,
            warning: answer.warning,
            flow: answer.flow,
            timing: answer.timing.or(answer.run.map(|run| run.timing)).unwrap_or_default(),
            plan,
        },
    })
}

/// The sources as rows.
fn sources(problem: &Problem<'_>) -> Vec<SourceRow> {
    let row = |source: &meshwright_load::Source| SourceRow {
        node: source.node,
        at: problem.machine().coordinates(source.node),
        load: source.load,
        release: source.release,
    };
    problem.sources().iter().map(row).collect()
}

/// The labels of cells row by row: the last side of the machine is a row.
fn labels(cells: &Cells, machine: &Machine) -> Vec<Vec<i64>> {
    let row = machine.sides().last().map_or(cells.label.len(), |&side| side as usize);
    let label = |&label: &u32| if label == UNUSED { -1 } else { i64::from(label) };
    cells.label.chunks(row).map(|labels| labels.iter().map(label).collect()).collect()
}

impl Outcome<LoadDetail> {
    /// The shares by node, where those by layer do not tell all.
    pub fn single_shares(&self) -> Option<&[f64]> {
        (!self.detail.by_layer).then_some(self.detail.plan.shares.as_slice())
    }

    /// Whether this is the fluid optimum, whose simulated time is that of the installments that follow it.
    pub fn is_fluid(&self) -> bool {
        let is_optimum = |method: &Method| matches!(method.kind, Kind::Optimum);
        self.method == PROGRAMME || methods::find(&self.method).is_some_and(is_optimum)
    }
}

impl Kind {
    /// Whether a forwarding makes a difference.
    fn forwards(self) -> bool {
        matches!(self, Self::FlowMatrix | Self::Scheduler(_))
    }
}
