//! The answer to `map`: a job under every placement and both of the paper's switchings.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::measure::{self, Measured, PhaseTicks};
use super::{Job, Skipped, divide};
use crate::error::{Error, Result};
use crate::mapping::divide::weight;
use crate::mapping::times::{Times, times};
use crate::mapping::{self, Placement, Request, bound};
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
    /// Placement by placement.
    pub placements: Vec<MapRow>,
    /// Placements that do not apply.
    pub skipped: Vec<Skipped>,
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
    /// simulated / bound - 1, of whole cycles as `plan` has it; null where the routes deadlock.
    pub gap: BySwitching<Option<f64>>,
    /// All hops of all messages.
    pub hops_total: u64,
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
    let request = Request::of(&job.tasks, machine, seed);
    let (mut placements, mut skipped) = (Vec::new(), Vec::new());
    for (index, &method) in methods.iter().enumerate() {
        progress(&format!("{method} ({} of {})", index + 1, methods.len()));
        match mapping::place(method, &request).and_then(|placement| row(job, machine, placement)) {
            Ok(row) => placements.push(row),
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.into(), why, deadlock: false });
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
        placements,
        skipped,
    })
}

fn row(job: &Job, machine: &Machine, placement: Placement) -> Result<MapRow> {
    let measured = measure::measure(&job.tasks, &placement, machine, &SWITCHINGS)?;
    let weights = weights(job);
    let scale: Vec<f64> = measured
        .metrics
        .iter()
        .zip(&weights)
        .map(
            |(metrics, weight)| {
                if metrics.heaviest.0 == 0 { 0.0 } else { weight / metrics.heaviest.0 as f64 }
            },
        )
        .collect();
    let time = each(|switching, index| {
        let exact = in_cycles(machine, measured.predicted[index].iter().sum());
        times(switching, &measured.metrics, &scale, exact)
    });
    let perfect = each(|switching, _| {
        let phases: PhaseTicks = (0..job.tasks.phases())
            .map(|index| bound::phase_ticks(&job.tasks, index, switching, &machine.costs))
            .collect();
        let exact = in_cycles(machine, phases.iter().sum());
        Times::without_contention(job.tasks.phases() as f64, bound::perfect(&weights), exact)
    });
    let simulated_cycles = simulate_each(&measured, machine)?;
    let gap = each(|switching, _| {
        let machine = machine.clone().with_switching(switching);
        let bound = machine.costs.cycles(job.bound_ticks(&machine)).0;
        simulated_cycles.of(switching).map(|simulated| divide::gap(bound, simulated))
    });
    Ok(MapRow {
        slowdown: BySwitching {
            wormhole: time.wormhole.over(&perfect.wormhole),
            store_and_forward: time.store_and_forward.over(&perfect.store_and_forward),
        },
        bound: each(|switching, _| bounds(job, machine, switching, &weights)),
        phases: phases(job, &measured, &weights, &scale),
        hops_total: measured.hops_total(),
        name: placement.name,
        positions: Positions { nodes: placement.nodes, network: machine.network.clone() },
        simulated_cycles,
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

/// The lower bounds of the job in the paper's units and in cycles.
fn bounds(job: &Job, machine: &Machine, switching: Switching, weights: &[f64]) -> Times {
    let machine = machine.clone().with_switching(switching);
    let exact = in_cycles(&machine, job.bound_ticks(&machine));
    let phases = job.tasks.phases() as f64;
    match (switching, &job.tasks.divide) {
        (Switching::StoreAndForward, Some(divide)) => {
            let n = divide.shape.phases();
            let sums = bound::prefix_of(&divide.shape, &machine);
            // The combine stage runs over the same routes: its weights join those of the divide stage.
            let joint: Vec<f64> =
                (1..=n).map(|i| divide.stages().map(|alpha| weight(alpha, i)).sum()).collect();
            let stages = divide.stages().count() as f64;
            let small = sums.last().copied().unwrap_or(0) as f64 * stages;
            Times::without_contention(small, bound::weighted(&sums, &joint), exact)
        }
        _ => Times::without_contention(phases, bound::perfect(weights), exact),
    }
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
