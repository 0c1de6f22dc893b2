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
//! | `further` | a further source, the load again and again |
//! | `queues` | loads that keep coming |
//! | `buffered` | what the machine's buffers cost |
//! | `run`, `timing` | the referee's time; timing diagrams |
//! | `claim` | [`check`]: claimed schedules |
//! | `form` | the form of the verdict |
//! | `split`, `random` | the answers to `split` |
//! | `words` | reasons, certificates and refutations in sentences |

mod answer;
mod buffered;
mod claim;
mod feasible;
mod form;
mod further;
mod job;
mod limited;
mod methods;
mod queues;
mod random;
mod run;
mod split;
mod terms;
mod timing;
mod ways;
mod words;

pub use claim::{CheckAnswer, Checked, Claimed, check};
pub use form::{
    BoundKind, Deadline, Fewest, LoadBound, LoadOutcome, LoadVerdict, SCHEDULE_NODES_MAX, SourceRow,
    TimingRow,
};
pub use further::{Further, Next, NextSource, PLACES_DEFAULT, PROGRAMME, VariantAnswer, Wishes};
pub use job::{Job, forwarding};
pub use methods::{Kind, METHODS, Method};
pub use queues::{Arrivals, Queues, QueuesAnswer, queues};
pub use random::{RandomAnswer, long_rounds, random};
pub use split::{Named, SpeedRows, SplitAnswer};
pub use terms::Terms;
pub use words::{certificate, violation};

use answer::{Answer, Case};

use super::{Skipped, gap};
use meshwright_core::error::{Error, Result};
use meshwright_load::check::Feasibility;
use meshwright_load::{Cells, Problem, UNUSED};
use meshwright_network::topology::{Machine, Topology};

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
/// assert_eq!(verdict.bound.speedup, 9.0, "the source and two for each of its four links");
/// let thesis = verdict.results.iter().find(|result| result.method == "flow-matrix").unwrap();
/// assert!((thesis.speedup - 11.5).abs() < 1e-12 && !thesis.feasible);
/// assert_eq!(verdict.winner.as_deref(), Some("installments"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge(
    name: &str,
    job: &Job,
    machine: &Machine,
    progress: &mut dyn FnMut(&str),
) -> Result<LoadVerdict> {
    let mut with_ports;
    let machine = match limited::variant(job, machine) {
        Some((variant, _)) if variant.ports != machine.port_model() => {
            with_ports = machine.clone();
            with_ports = with_ports.with_port_model(variant.ports);
            &with_ports
        }
        _ => machine,
    };
    let problem = job.problem(machine)?;
    let case = Case::new(job, &problem, progress)?;
    let (mut results, mut skipped) = outcomes(&case, progress)?;
    case.programme(&mut results, &mut skipped)?;
    if results.is_empty() && case.limited.is_none() {
        return Err(super::nothing_applies("dividing the load", &skipped));
    }
    let further = case.further(progress)?;
    // The optimum cannot be sent as it is: what comes next to it wins.
    let winner = results
        .iter()
        .filter(|outcome| outcome.simulated_cycles.is_some())
        .min_by_key(|outcome| (outcome.simulated_cycles, outcome.is_fluid(), outcome.nodes_used));
    Ok(LoadVerdict {
        kind: "load",
        name: name.to_string(),
        winner: winner.map(|winner| winner.method.clone()),
        winner_switching: winner.map(|winner| winner.switching),
        reason: winner
            .map_or_else(|| words::no_winner(&case.terms), |winner| words::reason(winner, &results)),
        advice: words::advice(&results, case.allowing()),
        sigma: job.sigma,
        sources: sources(&problem),
        bytes: job.bytes,
        unit_cycles: case.scale.unit_cycles(),
        startup: case.scale.units(machine.costs().startup),
        bound: case.bound()?,
        front: if job.front { case.front(&results, progress, &mut skipped)? } else { Vec::new() },
        deadline: case.deadline(&results)?,
        further,
        results,
        skipped,
    })
}

/// Every method under every forwarding.
fn outcomes(case: &Case<'_, '_>, progress: &mut dyn FnMut(&str)) -> Result<(Vec<LoadOutcome>, Vec<Skipped>)> {
    let Job { methods, named, forwardings, .. } = case.job;
    let (mut results, mut skipped): (Vec<LoadOutcome>, Vec<Skipped>) = (Vec::new(), Vec::new());
    // A front is one of installments: they are in the contest that it is shown beside.
    let of_front = "installments".to_string();
    let of_front = (case.job.front && !methods.contains(&of_front)).then_some(&of_front);
    for name in methods.iter().chain(of_front) {
        let method = methods::find(name)
            .ok_or_else(|| Error::value("method", format!("`{name}`"), "a method of the table"))?;
        if !named
            && !method.kind.suits(case.problem.sources().len(), case.has_startup(), case.limited.is_some())
        {
            continue;
        }
        let forwardings = if method.kind.forwards() { forwardings.as_slice() } else { &forwardings[..1] };
        for &forwarding in forwardings {
            progress(&format!("{name}, {}", forwarding.name()));
            match case.answer(method.kind, forwarding) {
                Ok(answer) => results.push(outcome(case, name, answer)?),
                Err(Error::NotApplicable { why, .. }) => {
                    let skip = Skipped { method: name.clone(), why, deadlock: false };
                    if !skipped.contains(&skip) {
                        skipped.push(skip);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok((results, skipped))
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
    Ok(LoadOutcome {
        method: name.to_string(),
        switching: answer.switching,
        bound_cycles,
        predicted_cycles: scale.cycles(plan.makespan).0,
        simulated_cycles: cycles,
        gap: cycles.map(|cycles| gap(bound_cycles, cycles)),
        hottest_link: answer.run.as_ref().and_then(|run| run.hottest),
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
        saved: answer.saved,
        beta: answer.beta,
        warning: answer.warning,
        flow: answer.flow,
        schedule: answer.schedule,
        timing: answer.timing.or(answer.run.map(|run| run.timing)).unwrap_or_default(),
        plan,
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

impl LoadOutcome {
    /// The shares by node, where those by layer do not tell all.
    pub fn single_shares(&self) -> Option<&[f64]> {
        (!self.by_layer).then_some(self.plan.shares.as_slice())
    }

    /// Whether this is the fluid optimum, whose simulated time is that of the installments that follow it.
    pub fn is_fluid(&self) -> bool {
        methods::find(&self.method).is_some_and(|method| matches!(method.kind, Kind::Optimum))
    }
}

impl Kind {
    /// Whether a forwarding makes a difference.
    fn forwards(self) -> bool {
        matches!(self, Self::FlowMatrix | Self::Scheduler(_))
    }
}
