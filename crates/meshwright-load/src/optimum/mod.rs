//! The least makespan of a divisible load on links that are shared, a set that admits no smaller one, and a flow
//! that attains it.
//!
//! Whatever is done in time T can be averaged over it, so T is enough if and only if the static flow exists in which a
//! link carries at most T/z and a processor takes at most T/w. By the theorem of maximum flow and minimum cut:
//!
//! ```text
//! T* = max over sets S of  L(S) / (sum over v in S of 1/w_v  +  sum over links e that leave S of 1/z_e)
//! ```
//!
//! | file | what |
//! |---|---|
//! | [`closed_form()`] | one source on whole meshes, tori, hypercubes: O(1) |
//! | `newton` | everything else: from cut to cut |
//! | `start` | the cuts to begin with |
//! | [`with_startup()`] | a lower bound where every message costs a start-up |
//! | `network` | the problem in whole units, one copy of the machine per interval between releases |
//! | [`fewest()`] | how many processors are enough for a deadline |
//! | `whole_grid` | large whole grids with all alike: cuts as before, flows by [`poisson`](super::poisson) |
//! | `claim` | the flows that decide a claim |
//! | `commodities` | sources that are kept apart on links they share |
//!
//! # Source
//!
//! `ford1956`: maximum flow and minimum cut.

pub(super) mod claim;
mod closed_form;
pub(super) mod commodities;
mod fewest;
mod network;
mod newton;
mod start;
mod startup;
mod whole_grid;

pub use super::flow::{Flow, FlowPhase};
pub use closed_form::{ClosedForm, Region, closed_form};
pub use fewest::{Fewest, fewest};
pub use startup::{Paid, StartupBound, with_startup};

use network::{TimeExpandedNetwork, phases, total};

use super::{Cut, Problem};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;

/// The least makespan with its certificate and a flow that attains it.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// The least makespan, in units of w Tcp.
    pub makespan: f64,
    /// A set that has just as much to do as it can in this time.
    pub cut: Cut,
    /// What crosses links and is worked off from the first release to the end.
    pub flow: Flow,
    /// The flow between one release and the next; empty when all loads are released at once.
    pub phases: Vec<FlowPhase>,
    /// How the makespan was found: `closed form` or `cut`.
    pub method: &'static str,
}

/// The least makespan and the set that admits no smaller one.
///
/// # Errors
///
/// [`Error::NotApplicable`] when some load can reach no processor, [`Error::TooLarge`] when the machine, once for each
/// release, is larger than the largest machine.
///
/// # Complexity
///
/// O(1) and the nodes of the set with a [`closed_form()`]; otherwise a few maximum flows.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, optimum};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:50x50")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(25 * 50 + 25), 1.0)], 0.1)?;
/// let (makespan, cut) = optimum::makespan(&problem)?;
/// assert!((1.0 / makespan - 41.0).abs() < 1e-12, "the source and its four links");
/// assert_eq!(cut.nodes, [NodeId(25 * 50 + 25)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn makespan(problem: &Problem) -> Result<(f64, Cut)> {
    if let Some(form) = closed_form(problem) {
        return Ok((form.makespan, form.cut(problem)));
    }
    if let Some((makespan, cut, _)) = whole_grid::solve(problem) {
        return Ok((makespan, cut));
    }
    let solved = newton::solve(problem)?;
    Ok((solved.makespan, solved.cut))
}

/// The least makespan, the set that admits no smaller one, and a flow that attains it.
///
/// The makespan is the ratio of the set, computed once; the flow keeps to every capacity within some 1e-12 of it. On
/// whole grids of 16384 nodes and more, with all alike, it is a [`poisson`](super::poisson) flow and keeps to them
/// within 1e-6.
///
/// # Errors
///
/// [`Error::NotApplicable`] when some load can reach no processor, [`Error::TooLarge`] when the machine, once for each
/// release, is larger than the largest machine.
///
/// # Complexity
///
/// A few maximum flows on the machine, on one copy of it for each release. Each flow begins with the one before, and
/// the first at the makespan of the worst of some simple sets; who knows a better set, or has a flow nearly as good,
/// asks [`within`] instead.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, optimum};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let ring = Machine::new("torus:8")?;
/// let problem = Problem::new(&ring, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let optimum = optimum::solve(&problem)?;
/// assert_eq!(optimum.makespan, 1.0 / 3.0);
/// assert!((optimum.flow.node.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!((optimum.flow.link[0] - 1.0 / 3.0).abs() < 1e-9, "both links of the source are full");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn solve(problem: &Problem) -> Result<Optimum> {
    if let Some((makespan, cut, flow)) = whole_grid::solve(problem) {
        let (makespan, method) = named(problem, makespan);
        return Ok(Optimum { makespan, cut, flow, phases: Vec::new(), method });
    }
    let solved = newton::solve(problem)?;
    let phases = phases(&solved.network, solved.makespan);
    let flow = total(problem, &phases);
    let (makespan, method) = named(problem, solved.makespan);
    let phases = if phases.len() > 1 { phases } else { Vec::new() };
    Ok(Optimum { makespan, cut: solved.cut, flow, phases, method })
}

/// A flow that is done at a deadline, or the set that rules it out.
///
/// One maximum flow: what a planner calls that has guessed a makespan, a large one by other means for instance, and
/// wants it proved. A set that rules it out gives the next guess: its demand over its rate.
///
/// # Errors
///
/// [`Error::Value`] for a deadline that is not a number of at least 0, [`Error::TooLarge`] as for [`solve`].
///
/// # Complexity
///
/// A maximum flow on one copy of the machine for each release before the deadline.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, optimum};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let ring = Machine::new("torus:8")?;
/// let problem = Problem::new(&ring, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// assert!(optimum::within(&problem, 0.34)?.is_ok());
/// let cut = optimum::within(&problem, 0.32)?.expect_err("three processors are not enough");
/// assert!(cut.demand == 1.0 && (cut.capacity - 0.96).abs() < 1e-12);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn within(problem: &Problem, deadline: f64) -> Result<Result<Flow, Cut>> {
    if !(deadline >= 0.0 && deadline.is_finite()) {
        return Err(Error::value("deadline", deadline, "a number of at least 0"));
    }
    if problem.releases().last().is_some_and(|&last| deadline < last) {
        let late = problem.sources().iter().filter(|source| source.release > deadline);
        let mut nodes: Vec<NodeId> = late.clone().map(|source| source.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        return Ok(Err(Cut { nodes, capacity: 0.0, demand: late.map(|source| source.load).sum() }));
    }
    let mut network = TimeExpandedNetwork::of_releases(problem)?;
    network.raise_links(deadline);
    network.raise_nodes(deadline);
    network.flow.run();
    let Some(worst) = network.flow.violated().into_iter().next() else {
        return Ok(Ok(total(problem, &phases(&network, deadline))));
    };
    let balance = network.balance(&worst);
    let capacity = balance.before + balance.rate * network.length(network.copies() - 1, deadline);
    Ok(Err(Cut { nodes: network.nodes_of(&worst), capacity, demand: balance.demand }))
}

/// The makespan by its closed form if there is one, and how it was found.
fn named(problem: &Problem, by_cut: f64) -> (f64, &'static str) {
    closed_form(problem).map_or((by_cut, "cut"), |form| (form.makespan, "closed form"))
}
