//! The answer to `map`: a job under every placement and both of the paper's switchings.

mod form;
mod row;

pub use form::{
    BoundForm, BySwitching, Choice, Levels, MapPhase, MapReport, MapRow, OfPlacement, Positions, SWITCHINGS,
    Seconds,
};

use self::row::Table;
use super::auto::{self, Candidates};
use super::contradiction::not_below;
use super::explain;
use super::mapping as judged;
use super::measure::Measured;
use super::{Job, MappingVerdict, Options, Skipped};
use meshwright_core::error::{Error, Result};
use meshwright_mapping as mapping;
use meshwright_mapping::bound::GraphBound;
use meshwright_mapping::times::Times;
use meshwright_mapping::{Divide, Mapping, TaskGraph, bound};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::Planner;

/// Measures a job under every method named, simulating both switchings.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method applies, [`Error::Contradiction`] when a simulated time falls below the
/// bound, and any error of the numbers themselves.
///
/// # Complexity
///
/// Per method O(E log E) for E = sum of hops, as [`meshwright_sim::simulate`].
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// use meshwright_verdict::{Job, map};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) })?;
/// let report = map::report(&job, &Machine::new("mesh:4x4")?, &["reflecting"], 0, &mut |_| {})?;
/// let dilations: Vec<u32> = report.placements[0].phases.iter().map(|phase| phase.dilation).collect();
/// assert_eq!(dilations, [1, 1, 1, 1]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn report(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<MapReport> {
    report_under(job, machine, methods, seed, (&usual(machine), false), progress)
}

/// The switchings that are compared on a machine: those of the paper, and its own. Where networks are described there is
/// one way to move messages, so that there is nothing to compare.
fn usual(machine: &Machine) -> Vec<Switching> {
    if machine.fabric().is_some() {
        return vec![machine.switching()];
    }
    let own = Some(machine.switching()).filter(|own| !SWITCHINGS.contains(own));
    SWITCHINGS.into_iter().chain(own).collect()
}

/// As [`report`], simulating these switchings only; `is_judged` is whether the verdict under the machine's own switching is
/// wanted, too. With `auto` there is always one.
///
/// # Errors
///
/// As for [`report`].
pub fn report_under(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    (switchings, is_judged): (&[Switching], bool),
    progress: &mut dyn FnMut(&str),
) -> Result<MapReport> {
    let chooses = methods.contains(&auto::AUTO);
    let Candidates { methods, left_out: mut skipped, job } =
        auto::expand(job, machine, methods, seed, progress)?;
    let job: &Job = &job;
    // Judged first: a row of the winner's table need not be simulated twice.
    let options = Options { keeps_schedule: is_judged, ..Options::new(&job.tasks.name, seed) };
    let verdict = (chooses || is_judged).then(|| judged(job, machine, &methods, &skipped, options, progress));
    let verdict = verdict.transpose()?;
    let (weights, mapping, mut placements) = (weights(job), job.on(machine), Vec::new());
    let limits = BySwitching::each(switchings, |switching| limits(&mapping, switching, &weights));
    let table =
        Table { job, machine, switchings, weights: &weights, limits: &limits, is_only: methods.len() == 1 };
    for (index, method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        let judged = verdict.as_ref().map_or(&[][..], |verdict| &verdict.results);
        let known = judged.iter().find(|one| one.method == *method);
        let placed = match known {
            Some(outcome) => Ok(outcome.detail.placement.clone()),
            None => mapping.place(method, seed),
        };
        let left_out = |why| Skipped { method: method.clone(), why, deadlock: false };
        match placed.and_then(|placement| table.row(placement, known, progress)) {
            Ok((row, unsimulated)) => {
                above_bounds(&row, &limits, machine, switchings, seed)?;
                skipped.extend(unsimulated.map(left_out));
                placements.push(row);
            }
            Err(Error::NotApplicable { why, .. }) => skipped.push(left_out(why)),
            Err(error) => return Err(error),
        }
    }
    if placements.is_empty() {
        return Err(super::no_placement(&job.tasks, machine, &skipped));
    }
    let culprit = culprit(verdict.as_ref(), job, machine, &placements)?;
    Ok(MapReport {
        format: 1,
        tasks: job.tasks.name.clone(),
        machine: machine.name().to_string(),
        alpha: job.tasks.divide.as_ref().and_then(|divide| divide.alpha),
        combine_alpha: job.tasks.divide.as_ref().and_then(|divide| divide.combine_alpha),
        in_proportion: job.tasks.in_proportion,
        volume: job.tasks.divide.as_ref().map(|divide| divide.volume.0),
        startup: machine.costs().startup.0,
        byte_time: machine.costs().byte_time.to_f64(),
        flit: machine.costs().flit.0,
        seed,
        seconds: Seconds::of(&mapping, &placements),
        bound_cycles: machine.costs().cycles(mapping.own_bound().ticks).0,
        bound: bound_form(mapping.own_bound(), machine, true),
        bounds: limits.map(|limits| bound_form(&limits.bound, machine, false)),
        switchings: switchings.to_vec(),
        choice: verdict.as_ref().filter(|_| chooses).and_then(|verdict| choice(verdict, machine)),
        verdict,
        searched: job.searched.clone(),
        interrupted: job.interrupted,
        culprit,
        explain: None,
        placements,
        skipped,
    })
}

/// The culprit of the placement that is the answer.
fn culprit(
    verdict: Option<&MappingVerdict>,
    job: &Job,
    machine: &Machine,
    placements: &[MapRow],
) -> Result<Option<OfPlacement>> {
    match verdict {
        Some(verdict) => Ok(winners_culprit(verdict, machine)),
        None => best_culprit(job, machine, placements),
    }
}

/// The culprit of the winner of a verdict.
fn winners_culprit(verdict: &MappingVerdict, machine: &Machine) -> Option<OfPlacement> {
    let (winner, culprit) = (verdict.winner()?, verdict.facts.culprit.clone()?);
    let (placement, switching) = (winner.method.to_string(), machine.switching());
    Some(OfPlacement { placement, switching, simulated_cycles: winner.time.0, culprit })
}

/// The placement that takes the least time under the machine's own switching, of equal ones the first, and its culprit.
fn best_culprit(job: &Job, machine: &Machine, placements: &[MapRow]) -> Result<Option<OfPlacement>> {
    let time = |row: &MapRow| *row.simulated_cycles.of(machine.switching());
    let best = placements.iter().filter_map(|row| Some((time(row)?, row))).min_by_key(|(cycles, _)| *cycles);
    let Some((cycles, row)) = best else { return Ok(None) };
    let routers = row.routers.of(machine.switching()).as_ref();
    let culprit = explain::culprit(&job.tasks, row.nodes(), machine, routers, cycles)?;
    let (placement, switching) = (row.name.clone(), machine.switching());
    Ok(culprit.map(|culprit| OfPlacement { placement, switching, simulated_cycles: cycles, culprit }))
}

/// Refuses simulated times that no placement can have.
fn above_bounds(
    row: &MapRow,
    limits: &BySwitching<Limits>,
    machine: &Machine,
    switchings: &[Switching],
    seed: u64,
) -> Result<()> {
    switchings.iter().try_for_each(|&switching| {
        let bound = machine.costs().cycles(limits.of(switching).bound.ticks).0;
        let simulated = row.simulated_cycles.of(switching).unwrap_or(bound);
        not_below(bound, simulated, "cycles", &row.name, Some(seed))
    })
}

/// The verdict on these under the machine's own switching; it says who was left out, too.
fn judged(
    job: &Job,
    machine: &Machine,
    methods: &[String],
    left_out: &[Skipped],
    options: Options,
    progress: &mut dyn FnMut(&str),
) -> Result<MappingVerdict> {
    let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
    let mut verdict = judged::judge_with(job, machine, &methods, options, progress)?;
    verdict
        .skipped
        .extend(left_out.iter().filter(|skipped| !methods.contains(&skipped.method.as_str())).cloned());
    Ok(verdict)
}

/// The winner of a verdict; none when everything deadlocks.
fn choice(verdict: &MappingVerdict, machine: &Machine) -> Option<Choice> {
    Some(Choice {
        placement: verdict.winner_name()?.to_string(),
        switching: machine.switching(),
        reason: verdict.reason.clone(),
        advice: verdict.advice.clone(),
    })
}

/// What no placement of a job can beat.
struct Limits {
    times: Times,
    bound: GraphBound,
}

fn bound_form(bound: &GraphBound, machine: &Machine, is_full: bool) -> BoundForm {
    BoundForm {
        cycles: machine.costs().cycles(bound.ticks).0,
        kind: bound.certificate.main_kind(),
        certificate: is_full.then(|| bound.certificate.clone()),
    }
}

fn in_cycles(machine: &Machine, ticks: u64) -> f64 {
    ticks as f64 / machine.costs().ticks_per_cycle() as f64
}

/// W(E_i): the heaviest message, in volumes of the root for divide and conquer (alpha^i), in bytes for a trace.
fn weights(job: &Job) -> Vec<f64> {
    let tasks = &job.tasks;
    let heaviest =
        |index: usize| tasks.phase(index).iter().map(|edge| edge.bytes.0).max().unwrap_or(0) as f64;
    let weight = |index: usize| match &tasks.divide {
        Some(divide) if tasks.in_proportion => heaviest(index) / divide.volume.0 as f64,
        Some(divide) => divide.weight(tasks.number(index)),
        None => heaviest(index),
    };
    (0..tasks.phases()).map(weight).collect()
}

/// The lower bounds of the job in the paper's units and in ticks.
fn limits(mapping: &Mapping<'_>, switching: Switching, weights: &[f64]) -> Limits {
    let proved = match switching == mapping.machine().switching() {
        true => mapping.own_bound().clone(),
        false => mapping.bound_under(switching),
    };
    let (exact, tasks) = (in_cycles(mapping.machine(), proved.ticks), mapping.tasks());
    let times = match (switching, &tasks.divide, mapping.limits()) {
        (Switching::StoreAndForward, Some(divide), mapping::Limits::Tree(profile)) => {
            let small = profile.distance() as f64 * divide.stages().count() as f64;
            let joint = lightest(tasks, divide);
            let large = profile.least_of_fractions(&joint).max(bound::perfect(weights));
            Times::without_contention(small, large, exact)
        }
        _ => Times::without_contention(tasks.phases_total() as f64, in_weights(tasks, weights), exact),
    };
    Limits { times, bound: proved }
}

/// The weights of all phases, each as often as it runs.
fn in_weights(tasks: &TaskGraph, weights: &[f64]) -> f64 {
    let times = tasks.all_repeats().iter().map(|&times| f64::from(times));
    bound::perfect(&weights.iter().zip(times).map(|(weight, times)| weight * times).collect::<Vec<_>>())
}

/// The lightest message of each phase of the tree. The combine stage runs over the same routes: its weights join those of
/// the divide stage.
fn lightest(tasks: &TaskGraph, divide: &Divide) -> Vec<f64> {
    let mut joint = vec![0.0; divide.shape.phases() as usize];
    for index in 0..tasks.phases() {
        let number = tasks.number(index);
        let bytes = || tasks.phase(index).iter().map(|edge| edge.bytes.0).min().unwrap_or(0);
        joint[divide.tree_phase(number) as usize - 1] += match tasks.in_proportion {
            true => bytes() as f64 / divide.volume.0 as f64,
            false => divide.weight(number),
        };
    }
    joint
}

fn phases(job: &Job, measured: &Measured<'_>, weights: &[f64], scale: &[f64]) -> Vec<MapPhase> {
    let phase = |(index, metrics): (usize, &mapping::metrics::PhaseMetrics)| MapPhase {
        phase: job.tasks.number(index),
        repeats: metrics.repeats,
        messages: metrics.messages,
        weight: weights[index],
        dilation: metrics.dilation.0,
        weighted_dilation: metrics.weighted_dilation as f64 * scale[index],
        contention: metrics.contention,
        weighted_contention: metrics.weighted_contention as f64 * scale[index],
        link_load: metrics.link_load,
    };
    measured.metrics.iter().enumerate().map(phase).collect()
}
