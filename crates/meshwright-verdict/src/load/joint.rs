//! Places for several sources together.

use serde::Serialize;

use super::detail::SourceRow;
use super::job::Job;
use super::limited::refuse_one_port;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_load::joint::{self, Joint};
use meshwright_load::optimum;
use meshwright_load::shares::earth_mover::Rebalance;
use meshwright_network::topology::{Machine, Topology};

/// So many makespans are computed at most, fewer on machines where that takes long.
const TRIALS: u32 = 20_000;

/// Trials times nodes.
const TRIED_NODES: u32 = 1_000_000;

/// The best places for several sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of the load on a link over its time on a processor.
    pub sigma: f64,
    /// Where the load is.
    pub sources: Vec<SourceRow>,
    /// The least makespan from there, in units of w Tcp.
    pub makespan_before: f64,
    /// The places, each for an equal part of the load.
    pub placed: Vec<PlacedRow>,
    /// The least makespan from the places.
    pub makespan: f64,
    /// 1 / makespan.
    pub speedup: f64,
    /// No places have a smaller makespan.
    pub bound: f64,
    /// Whether no others have a smaller one.
    pub proved: bool,
    /// How many sets of places were tried.
    pub trials: usize,
    /// What it takes to move the load to them.
    pub moving: Rebalance,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedRow {
    /// The node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
}

/// The best places for so many sources of equal loads, and what moving the load of the job there costs.
///
/// # Errors
///
/// As for [`Job::problem`] and [`joint::place`]; [`meshwright_core::Error::NotApplicable`] where nodes have one port.
///
/// # Examples
///
/// ```
/// use meshwright_load::Source;
/// use meshwright_verdict::load::{self, Job};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:5x5")?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 1.0, 1);
/// let answer = load::placed(&job, &mesh, 2)?;
/// assert!(answer.proved && (answer.speedup - 10.0).abs() < 1e-9 && (answer.moving.distance - 3.0).abs() < 1e-9);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn placed(job: &Job, machine: &Machine, count: u32) -> Result<PlacedAnswer> {
    refuse_one_port(machine, "placing several sources")?;
    let problem = job.problem(machine)?;
    let trials = TRIALS.min(TRIED_NODES / machine.nodes()).max(64) as usize;
    let (makespan_before, _) = optimum::makespan(&problem)?;
    let Joint { places, makespan, bound, proved, trials, moving } = joint::place(&problem, count, trials)?;
    let place = |node: NodeId| PlacedRow { node, at: machine.coordinates(node) };
    Ok(PlacedAnswer {
        format: 1,
        machine: machine.name().to_string(),
        sigma: job.sigma,
        sources: super::sources(&problem),
        makespan_before,
        placed: places.into_iter().map(place).collect(),
        makespan,
        speedup: 1.0 / makespan,
        bound,
        proved,
        trials,
        moving,
    })
}
