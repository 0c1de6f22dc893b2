//! Loads that keep coming: which rates of arrival a machine can work off, and which set is the first to have too much.
//!
//! Loads arrive at the sources for ever, lambda_v per unit of time. The queues stay short if and only if every set of
//! nodes can work off and send out more than arrives in it:
//!
//! ```text
//! lambda(S) < sum over v in S of 1 / w_v + sum over links e leaving S of 1 / z_e    for every set S
//! ```
//!
//! These are the sets of the optimum for a single load of this mix, whose least makespan is T*: so the rates can grow
//! until all of them together are 1 / T*.

use crate::{Cut, Problem, optimum};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Whether rates of arrival can be worked off.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// Whether the queues stay short: every set can do more than arrives in it.
    pub stable: bool,
    /// By how much all rates may be multiplied before they reach the border of the region.
    pub factor: f64,
    /// The set that is the first to have too much, with its capacity and demand in loads per unit of time.
    pub tightest: Cut,
}

/// Whether loads can be worked off that arrive at the sources of the problem, together at this rate (loads per unit of
/// time w Tcp), each at its share of it.
///
/// ```text
/// factor = 1 / (rate T*),  stable iff factor > 1
/// ```
///
/// # Errors
///
/// [`Error::Value`] for a rate that is not above 0, [`Error::NotApplicable`] when sources have releases, and what
/// [`optimum::makespan`] refuses.
///
/// # Complexity
///
/// That of [`optimum::makespan`].
///
/// # Source
///
/// `tassiulas1992`: the region of rates that some rule keeps stable.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, queues};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:5x5")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(12), 1.0)], 0.5)?;
/// let stability = queues::stability(&problem, 6.0)?;
/// assert!(stability.stable && (stability.factor - 9.0 / 6.0).abs() < 1e-9, "1 + 4 / sigma per unit of time");
/// assert_eq!((stability.tightest.demand, stability.tightest.capacity), (6.0, 9.0));
/// assert!(!queues::stability(&problem, 10.0)?.stable);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn stability(problem: &Problem, rate: f64) -> Result<Stability> {
    check(problem, rate)?;
    let (makespan, cut) = optimum::makespan(problem)?;
    let inside = cut.nodes.iter().copied().collect::<std::collections::BTreeSet<NodeId>>();
    let machine = problem.machine();
    let mut capacity = 0.0;
    for &node in &cut.nodes {
        capacity += 1.0 / problem.work(node);
        for (link, next) in machine.neighbours(node) {
            if !inside.contains(&next) {
                capacity += 1.0 / problem.link_time(link);
            }
        }
    }
    let arriving = problem.sources().iter().filter(|source| inside.contains(&source.node));
    let demand = rate * arriving.map(|source| source.load).sum::<f64>();
    let factor = 1.0 / (rate * makespan);
    Ok(Stability { stable: factor > 1.0, factor, tightest: Cut { nodes: cut.nodes, capacity, demand } })
}

fn check(problem: &Problem, rate: f64) -> Result<()> {
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(Error::value("rate of arrival", rate, "a number above 0"));
    }
    if !problem.starts_at_once() {
        return Err(Error::not_applicable("a stability region", "loads that keep coming have no release"));
    }
    Ok(())
}
