//! The answer to `map`: a job under every placement and both of the paper's switchings.

mod form;
mod row;

pub use form::{BySwitching, Choice, Levels, MapPhase, MapReport, MapRow, Positions, SWITCHINGS};

use self::row::Table;
use super::auto::{self, Candidates};
use super::measure::Measured;
use super::{DivideVerdict, Job, Skipped, divide};
use crate::error::{Error, Result};
use crate::mapping::bound::Profile;
use crate::mapping::divide::weight;
use crate::mapping::times::Times;
use crate::mapping::{self, bound};
use crate::topology::{Machine, Switching};

/// Measures a job under every method named, simulating both switchings.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method applies, and any error of the numbers themselves.
///
/// # Complexity
///
/// Per method O(E log E) for E = sum of hops, as [`crate::sim::run_phased`].
///
/// # Examples
///
/// ```
/// use meshwright::{mapping::{Divide, Shape}, topology::Machine, units::Bytes, verdict::{Job, map}};
/// let job = Job::divide(&Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) })?;
/// let report = map::report(&job, &Machine::new("mesh:4x4")?, &["reflecting"], 0, &mut |_| {})?;
/// let dilations: Vec<u32> = report.placements[0].phases.iter().map(|phase| phase.dilation).collect();
/// assert_eq!(dilations, [1, 1, 1, 1]);
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn report(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<MapReport> {
    let own = Some(machine.switching).filter(|own| !SWITCHINGS.contains(own));
    let switchings: Vec<Switching> = SWITCHINGS.into_iter().chain(own).collect();
    report_under(job, machine, methods, seed, &switchings, progress)
}

/// As [`report`], simulating these switchings only.
///
/// # Errors
///
/// As for [`report`].
pub fn report_under(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    switchings: &[Switching],
    progress: &mut dyn FnMut(&str),
) -> Result<MapReport> {
    let chooses = methods.contains(&auto::AUTO);
    let Candidates { methods, left_out: mut skipped, job } =
        auto::expand(job, machine, methods, seed, progress)?;
    let job: &Job = &job;
    // Judged first: a row of the winner's table need not be simulated twice.
    let verdict = match chooses {
        true => Some(judged(job, machine, &methods, &skipped, seed, progress)?),
        false => None,
    };
    let weights = weights(job);
    let profile = job.profile(machine);
    let limits = BySwitching::each(switchings, |switching| {
        limits(job, machine, switching, profile.as_ref(), &weights)
    });
    let table = Table { job, machine, switchings, weights: &weights, limits: &limits };
    let mut placements = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        let placed = job.place(method, machine, seed);
        let known =
            verdict.as_ref().and_then(|verdict| verdict.results.iter().find(|one| one.method == *method));
        match placed.and_then(|placement| table.row(placement, known)) {
            Ok(row) => placements.push(row),
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.clone(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    if placements.is_empty() {
        return Err(super::nothing_applies("placing the tasks", &skipped));
    }
    Ok(MapReport {
        format: 1,
        tasks: job.tasks.name.clone(),
        machine: machine.name.clone(),
        alpha: job.tasks.divide.as_ref().and_then(|divide| divide.alpha),
        combine_alpha: job.tasks.divide.as_ref().and_then(|divide| divide.combine_alpha),
        volume: job.tasks.divide.as_ref().map(|divide| divide.volume.0),
        startup: machine.costs.startup.0,
        byte_time: machine.costs.byte_time.to_f64(),
        flit: machine.costs.flit.0,
        seed,
        switchings: switchings.to_vec(),
        choice: verdict.and_then(|verdict| choice(verdict, machine)),
        searched: job.searched.clone(),
        placements,
        skipped,
    })
}

/// The verdict on these under the machine's own switching; it says who was left out, too.
fn judged(
    job: &Job,
    machine: &Machine,
    methods: &[String],
    left_out: &[Skipped],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<DivideVerdict> {
    let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
    let mut verdict = divide::judge(&job.tasks.name, job, machine, &methods, seed, progress)?;
    verdict
        .skipped
        .extend(left_out.iter().filter(|skipped| !methods.contains(&skipped.method.as_str())).cloned());
    Ok(verdict)
}

/// The winner of a verdict; none when everything deadlocks.
fn choice(verdict: DivideVerdict, machine: &Machine) -> Option<Choice> {
    Some(Choice {
        placement: verdict.winner.clone()?,
        switching: machine.switching,
        reason: verdict.reason.clone(),
        advice: verdict.advice.clone(),
        verdict,
    })
}

/// What no placement of a job can beat.
struct Limits {
    times: Times,
    ticks: u64,
}

fn in_cycles(machine: &Machine, ticks: u64) -> f64 {
    ticks as f64 / machine.costs.ticks_per_cycle() as f64
}

/// W(E_i): alpha^i for divide and conquer, the heaviest message in bytes for a trace.
fn weights(job: &Job) -> Vec<f64> {
    let heaviest =
        |index: usize| job.tasks.phase(index).iter().map(|edge| edge.bytes.0).max().unwrap_or(0) as f64;
    (0..job.tasks.phases())
        .map(|index| {
            job.tasks.divide.as_ref().map_or_else(|| heaviest(index), |d| d.weight(job.tasks.number(index)))
        })
        .collect()
}

/// The lower bounds of the job in the paper's units and in ticks; `profile` that of a divide-and-conquer job.
fn limits(
    job: &Job,
    machine: &Machine,
    switching: Switching,
    profile: Option<&Profile>,
    weights: &[f64],
) -> Limits {
    let ticks = job.bound_ticks_on(machine, switching, profile);
    let exact = in_cycles(machine, ticks);
    let times = match (switching, &job.tasks.divide, profile) {
        (Switching::StoreAndForward, Some(divide), Some(profile)) => {
            // The combine stage runs over the same routes: its weights join those of the divide stage.
            let joint: Vec<f64> = (1..=divide.shape.phases())
                .map(|i| divide.stages().map(|alpha| weight(alpha, i)).sum())
                .collect();
            let small = profile.distance() as f64 * divide.stages().count() as f64;
            Times::without_contention(small, profile.least_of_fractions(&joint), exact)
        }
        _ => Times::without_contention(job.tasks.phases() as f64, bound::perfect(weights), exact),
    };
    Limits { times, ticks }
}

fn phases(job: &Job, measured: &Measured, weights: &[f64], scale: &[f64]) -> Vec<MapPhase> {
    let phase = |(index, metrics): (usize, &mapping::metrics::PhaseMetrics)| MapPhase {
        phase: job.tasks.number(index),
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
