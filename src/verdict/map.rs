//! The answer to `map`: a job under every placement and both of the paper's switchings.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::auto::{self, Candidates};
use super::divide::Searched;
use super::measure::{self, Measured};
use super::{Job, JobVerdict, Skipped, divide};
use crate::error::{Error, Result};
use crate::mapping::bound::Profile;
use crate::mapping::divide::weight;
use crate::mapping::times::{Times, times};
use crate::mapping::{self, Placement, bound};
use crate::sim;
use crate::topology::{Machine, Network, Switching};
use crate::units::NodeId;

/// The switchings the paper compares.
pub const SWITCHINGS: [Switching; 2] = [Switching::Wormhole, Switching::StoreAndForward];

/// One value for each switching of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BySwitching<T> {
    /// Wormhole routing.
    pub wormhole: T,
    /// Store-and-forward routing.
    #[serde(rename = "store-and-forward")]
    pub store_and_forward: T,
}

impl<T> BySwitching<T> {
    /// The value for a switching; cut-through counts as the pipeline it is, like wormhole routing.
    pub fn of(&self, switching: Switching) -> &T {
        match switching {
            Switching::Wormhole | Switching::CutThrough => &self.wormhole,
            Switching::StoreAndForward => &self.store_and_forward,
        }
    }
}

/// A job under every placement asked for.
#[derive(Debug, Serialize)]
pub struct MapReport {
    /// The version of this form: 1.
    pub format: u32,
    /// What was mapped.
    pub tasks: String,
    /// Onto what.
    pub machine: String,
    /// The share sent on, for divide and conquer.
    pub alpha: Option<f64>,
    /// The same for the combine stage.
    pub combine_alpha: Option<f64>,
    /// Bytes at the root, for divide and conquer.
    pub volume: Option<u64>,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte.
    pub byte_time: f64,
    /// h, in bytes.
    pub flit: u64,
    /// The seed of whatever is random.
    pub seed: u64,
    /// What `auto` chooses; null when it was not asked for.
    pub choice: Option<Choice>,
    /// The search that made some of the placements, if there was one.
    pub searched: Option<Searched>,
    /// Placement by placement.
    pub placements: Vec<MapRow>,
    /// Placements that do not apply.
    pub skipped: Vec<Skipped>,
}

/// The placement that `auto` chooses.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// Its name.
    pub placement: String,
    /// For which switching: the machine's own.
    pub switching: Switching,
    /// Why, in one sentence.
    pub reason: String,
    /// Which placement moves the least, when it is another, in one sentence.
    pub advice: Option<String>,
}

/// A job under one placement.
#[derive(Debug, Serialize)]
pub struct MapRow {
    /// The method's name.
    pub name: String,
    /// The coordinates of each task's node.
    pub positions: Positions,
    /// Phase by phase.
    pub phases: Vec<MapPhase>,
    /// Communication times.
    pub time: BySwitching<Times>,
    /// Times over those of the perfect mapping.
    pub slowdown: BySwitching<Times>,
    /// What no placement can beat.
    pub bound: BySwitching<Times>,
    /// What the referee measures, with a barrier after each phase; null where the routes deadlock.
    pub simulated_cycles: BySwitching<Option<u64>>,
    /// The same time by four models, from the simplest on.
    pub levels: BySwitching<Levels>,
    /// simulated / bound - 1, of whole cycles as `plan` has it; null where the routes deadlock.
    pub gap: BySwitching<Option<f64>>,
    /// All hops of all messages.
    pub hops_total: u64,
}

/// The time of one placement by four models, in cycles, a barrier after each phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Levels {
    /// As if no two messages met: the paper's formula.
    pub alone: f64,
    /// The busiest link of each phase: no schedule on these routes takes less.
    pub link: f64,
    /// Each message waits for all it meets: pessimistic, but no bound.
    pub path: f64,
    /// What the referee measures; null where the routes deadlock.
    pub simulated: Option<u64>,
}

/// The phase table of one placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapPhase {
    /// The phase number.
    pub phase: u32,
    /// How many messages.
    pub messages: u64,
    /// W(E_i): volumes of the root, or bytes for a trace.
    pub weight: f64,
    /// D(E_i), in links.
    pub dilation: u32,
    /// D_w(E_i), weight times links.
    pub weighted_dilation: f64,
    /// The most other messages one message meets.
    pub contention: u32,
    /// C_w(E_i), weight.
    pub weighted_contention: f64,
    /// The most messages on one link.
    pub link_load: u32,
}

/// Node coordinates, written one by one: a million of them take no memory of their own.
#[derive(Debug)]
pub struct Positions {
    nodes: Vec<NodeId>,
    network: Network,
}

impl Serialize for Positions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.nodes.len()))?;
        for node in &self.nodes {
            match &self.network {
                Network::Grid(grid) => list.serialize_element(&grid.coordinates(*node))?,
                Network::Graph(_) => list.serialize_element(&[node.0])?,
            }
        }
        list.end()
    }
}

/// Measures a job under every method named, simulating both switchings.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method applies, and any error of the numbers themselves.
///
/// # Complexity
///
/// Per method O(E log E) for E = sum of hops, as [`sim::run_phased`].
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
    let chooses = methods.contains(&auto::AUTO);
    let Candidates { methods, left_out: mut skipped, job } =
        auto::expand(job, machine, methods, seed, progress)?;
    let job: &Job = &job;
    let weights = weights(job);
    let profile = job.profile(machine);
    let limits = each(|switching, _| limits(job, machine, switching, profile.as_ref(), &weights));
    let mut placements = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        let placed = job.place(method, machine, seed);
        match placed.and_then(|placement| row(job, machine, placement, &weights, &limits)) {
            Ok(row) => placements.push(row),
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.clone(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    if placements.is_empty() {
        return Err(super::nothing_applies(&skipped));
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
        choice: if chooses { choice(job, machine, &methods, seed, progress)? } else { None },
        searched: job.searched.clone(),
        placements,
        skipped,
    })
}

/// The winner among these under the machine's own switching.
fn choice(
    job: &Job,
    machine: &Machine,
    methods: &[String],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<Choice>> {
    let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
    let verdict = divide::judge(&job.tasks.name, job, machine, &methods, seed, progress)?;
    let JobVerdict { winner, reason, advice, .. } = verdict;
    Ok(winner.map(|placement| Choice { placement, switching: machine.switching, reason, advice }))
}

/// What no placement of a job can beat.
struct Limits {
    times: Times,
    ticks: u64,
}

fn row(
    job: &Job,
    machine: &Machine,
    placement: Placement,
    weights: &[f64],
    limits: &BySwitching<Limits>,
) -> Result<MapRow> {
    let measured = measure::measure(&job.tasks, &placement, machine, &SWITCHINGS)?;
    let scale: Vec<f64> = measured
        .metrics
        .iter()
        .zip(weights)
        .map(
            |(metrics, weight)| {
                if metrics.heaviest.0 == 0 { 0.0 } else { weight / metrics.heaviest.0 as f64 }
            },
        )
        .collect();
    let time = each(|switching, index| {
        let exact = in_cycles(machine, measured.total(index, |known| known.predicted));
        times(switching, &measured.metrics, &scale, exact)
    });
    let perfect = each(|switching, _| {
        let phases: Vec<u64> = (0..job.tasks.phases())
            .map(|index| bound::phase_ticks(&job.tasks, index, switching, &machine.costs))
            .collect();
        let exact = in_cycles(machine, phases.iter().sum());
        Times::without_contention(job.tasks.phases() as f64, bound::perfect(weights), exact)
    });
    let simulated_cycles = simulate_each(&measured, machine)?;
    let levels = each(|switching, index| Levels {
        alone: in_cycles(machine, measured.total(index, |known| known.alone)),
        link: in_cycles(machine, measured.total(index, |known| known.link)),
        path: in_cycles(machine, measured.total(index, |known| known.path)),
        simulated: *simulated_cycles.of(switching),
    });
    let gap = each(|switching, _| {
        let bound = machine.costs.cycles(limits.of(switching).ticks).0;
        simulated_cycles.of(switching).map(|simulated| divide::gap(bound, simulated))
    });
    Ok(MapRow {
        slowdown: BySwitching {
            wormhole: time.wormhole.over(&perfect.wormhole),
            store_and_forward: time.store_and_forward.over(&perfect.store_and_forward),
        },
        bound: each(|switching, _| limits.of(switching).times),
        phases: phases(job, &measured, weights, &scale),
        hops_total: measured.hops_total(),
        name: placement.name,
        positions: Positions { nodes: placement.nodes, network: machine.network.clone() },
        simulated_cycles,
        levels,
        gap,
        time,
    })
}

fn each<T>(mut value: impl FnMut(Switching, usize) -> T) -> BySwitching<T> {
    BySwitching { wormhole: value(SWITCHINGS[0], 0), store_and_forward: value(SWITCHINGS[1], 1) }
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

fn simulate_each(measured: &Measured, machine: &Machine) -> Result<BySwitching<Option<u64>>> {
    let cycles = |switching| -> Result<Option<u64>> {
        let machine = machine.clone().with_switching(switching);
        let trace = sim::run_phased(&machine, &measured.schedule)?;
        Ok(trace.deadlock.is_none().then_some(trace.cycles.0))
    };
    Ok(BySwitching { wormhole: cycles(SWITCHINGS[0])?, store_and_forward: cycles(SWITCHINGS[1])? })
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

impl MapRow {
    /// The node of each task.
    pub fn nodes(&self) -> &[NodeId] {
        &self.positions.nodes
    }
}
