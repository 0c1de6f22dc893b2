//! A flow for a million nodes: everybody takes the same share, and the load spreads like heat.
//!
//! On a whole grid with equal processors and links, the potential phi of
//!
//! ```text
//! sum over neighbours u of (phi_v - phi_u) = L_v - share_v
//! ```
//!
//! makes the flow phi_v - phi_u on every link, which conserves the load and has the least sum of squares. It is smooth
//! but near the sources. So what exceeds a link there is cut off, and blocking flows carry it along other ways to the
//! nearest room. What comes out is checked to respect every limit, so it proves the makespan whatever its origin.
//!
//! | file | what |
//! |---|---|
//! | `net` | a flow that does not respect the processors yet |
//! | `potential` | the Poisson equation by cosine and Hartley transforms |

mod net;
mod potential;

use super::Problem;
use super::flow::Flow;
use super::flow::blocking::{Blocking, FlowOutcome};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};
use net::{Fault, Faults, Net, Thresholds};

/// How far a limit may be exceeded, as a share of it.
pub const TOLERANCE: f64 = 1e-6;

/// Steps of the repair per node after which a general method is no slower.
const STEPS_PER_NODE: u64 = 200;

/// What [`attempt`] found.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    /// A flow that attains the makespan within [`TOLERANCE`].
    Flow(Flow),
    /// Nodes, in increasing order, at which more enters than they can work off and send out by then.
    Overloaded(Vec<NodeId>),
    /// The method does not fit the problem, or took too long.
    Unsettled,
}

/// A flow by which all is done at `makespan`, or `None` where this method finds none.
///
/// See [`attempt`].
///
/// # Panics
///
/// As for [`attempt`].
pub fn flow(problem: &Problem<'_>, makespan: f64) -> Option<Flow> {
    match attempt(problem, makespan) {
        Attempt::Flow(flow) => Some(flow),
        Attempt::Overloaded(_) | Attempt::Unsettled => None,
    }
}

/// A flow by which all is done at `makespan`, or a set of nodes that shows that there is none.
///
/// It fits a mesh, torus or hypercube on which everything works, with equal processors and links and every load there
/// from the beginning. Of the flow, a node works off at most `makespan (1 + 1e-6)` and a link carries at most
/// `makespan (1 + 1e-6) / sigma`.
///
/// # Panics
///
/// When the makespan is not a number above 0.
///
/// # Complexity
///
/// O(N log N) for N nodes, and the repair, which is local as long as sources do not lie close together.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, poisson};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let torus = Machine::new("torus:50x50")?;
/// let problem = Problem::new(&torus, vec![Source::at(NodeId(7), 1.0)], 0.1)?;
/// let flow = poisson::flow(&problem, 1.0 / 41.0).expect("one source and four links of 10: 41 times as fast");
/// assert!(flow.node.iter().all(|&work| work < 1.000_001 / 41.0));
/// assert!(poisson::flow(&problem, 1.0 / 41.1).is_none());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
///
/// # Source
///
/// `dinitz1970`, blocking flows.
pub fn attempt(problem: &Problem<'_>, makespan: f64) -> Attempt {
    assert!(makespan > 0.0 && makespan.is_finite(), "a makespan is a number above 0");
    let grid = match problem.machine().whole_grid() {
        Some(grid) if problem.is_uniform() && problem.starts_at_once() => grid,
        _ => return Attempt::Unsettled,
    };
    let nodes = f64::from(grid.nodes());
    if makespan * nodes < 1.0 - TOLERANCE {
        return Attempt::Overloaded((0..grid.nodes()).map(NodeId).collect());
    }
    let mut net = spread(problem, grid, makespan);
    match repair(&mut net, makespan) {
        FlowOutcome::Done => settled(net, makespan).map_or(Attempt::Unsettled, Attempt::Flow),
        FlowOutcome::Stuck(mut full) => {
            full.sort_unstable();
            Attempt::Overloaded(full.into_iter().map(NodeId).collect())
        }
        FlowOutcome::Tired => Attempt::Unsettled,
    }
}

/// The Poisson flow, cut off where it exceeds the links.
fn spread<'g>(problem: &Problem<'_>, grid: &'g Grid, makespan: f64) -> Net<'g> {
    let nodes = grid.nodes() as usize;
    let mut work = vec![0.0; nodes];
    problem.sources().iter().for_each(|source| work[source.node.index()] += source.load);
    // A source works as much as it can, and everybody else takes the same share of the rest.
    let (mut kept, mut others) = (0.0, nodes as f64);
    for load in work.iter().filter(|&&load| load > 0.0) {
        kept += load.min(makespan);
        others -= 1.0;
    }
    let share = if others > 0.0 { (1.0 - kept) / others } else { 0.0 };
    let mut potential: Vec<f64> =
        work.iter().map(|&load| if load > 0.0 { (load - makespan).max(0.0) } else { 0.0 }).collect();
    let mut net = Net {
        grid,
        link: vec![0.0; grid.links() as usize],
        work,
        link_limit: if problem.sigma() == 0.0 {
            f64::INFINITY
        } else {
            makespan * (1.0 + TOLERANCE / 2.0) / problem.sigma()
        },
        work_limit: makespan * (1.0 + TOLERANCE / 2.0),
    };
    if others > 0.0 {
        for (value, &load) in potential.iter_mut().zip(&net.work) {
            if load == 0.0 {
                *value -= share;
            }
        }
        potential::solve(grid, &mut potential);
        (0..grid.dimensions()).for_each(|axis| descend(&mut net, &potential, axis));
    }
    net
}

/// Lets the load flow down the potential along one axis, on each link no more than it can carry.
fn descend(net: &mut Net<'_>, potential: &[f64], axis: usize) {
    let grid = net.grid;
    let side = grid.sides()[axis] as usize;
    let stride: usize = grid.sides()[axis + 1..].iter().map(|&side| side as usize).product();
    let (up, ports) = (grid.port(axis, true).0 as usize, 2 * grid.dimensions());
    let steps = if grid.wraps() && side > 2 { side } else { side - 1 };
    for block in (0..potential.len()).step_by(side * stride) {
        for c in 0..steps {
            let from = block + c * stride;
            let to = block + (c + 1) % side * stride;
            for i in 0..stride {
                let (v, u) = (from + i, to + i);
                let flow = (potential[v] - potential[u]).clamp(-net.link_limit, net.link_limit);
                net.link[v * ports + up] = flow.max(0.0);
                net.link[u * ports + up + 1] = (-flow).max(0.0);
                net.work[v] -= flow;
                net.work[u] += flow;
            }
        }
    }
}

/// Repairs the nodes that have too much, then those that have less than nothing.
fn repair(net: &mut Net<'_>, makespan: f64) -> FlowOutcome {
    let residual = 1e-10 * makespan.min(net.link_limit);
    let fine = Thresholds { fault: 1e-9 * makespan, room: 1e-9 * makespan, residual };
    // First to where there is room in earnest: the tolerance, spread over many nodes, is for the last grains.
    let coarse = Thresholds { fault: 1e-4 * makespan, room: 2.0 * TOLERANCE * makespan, residual };
    let steps = STEPS_PER_NODE * net.work.len() as u64;
    let mut blocking = Blocking::new(net.work.len(), steps);
    let mut run = |fault: Fault, thresholds: Thresholds| blocking.run(&mut Faults { net, fault, thresholds });
    if matches!(run(Fault::TooMuch, coarse), FlowOutcome::Tired) {
        return FlowOutcome::Tired;
    }
    match run(Fault::TooMuch, fine) {
        FlowOutcome::Done => run(Fault::TooLittle, Thresholds { fault: 0.0, ..fine }),
        other => other,
    }
}

/// The flow, if it respects every limit.
fn settled(mut net: Net<'_>, makespan: f64) -> Option<Flow> {
    for work in &mut net.work {
        if *work < -1e-9 * makespan || *work > makespan * (1.0 + TOLERANCE) {
            return None;
        }
        *work = work.max(0.0);
    }
    let fits = net.link.iter().all(|&flow| flow <= net.link_limit * (1.0 + TOLERANCE / 4.0));
    fits.then_some(Flow { link: net.link, node: net.work })
}
