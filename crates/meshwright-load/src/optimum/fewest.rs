//! The fewest processors for a deadline.

use super::network::{TimeExpandedNetwork, phases, total};
use super::newton;
use crate::Problem;
use crate::flow::Flow;
use crate::flow::hand_over::PathSearch;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;

/// How often the machine may be searched for somebody to take work over.
const PATIENCE: usize = 64;

/// A flow that meets a deadline with few processors.
#[derive(Clone, Debug)]
pub struct Fewest {
    /// How many processors it uses; others only relay.
    pub processors: usize,
    /// No flow meets the deadline with fewer than this.
    pub at_least: usize,
    /// The flow.
    pub flow: Flow,
}

impl Fewest {
    /// Whether no flow can do with fewer processors.
    pub fn is_least(&self) -> bool {
        self.processors == self.at_least
    }
}

/// A flow that is done at the deadline and uses few processors: each takes what it can before anything goes on, and
/// those with the least to do then pass it to others with time to spare.
///
/// The lower bound counts how many of the fastest processors could do the load in the time they have; where all are
/// alike and every load is there at 0 it is 1 / deadline, rounded up. Where [`Fewest::is_least`] says no, the number
/// is only an upper bound.
///
/// # Errors
///
/// [`Error::Value`] for a deadline below the least makespan, or one that is not a number; as for [`super::solve`]
/// otherwise.
///
/// # Complexity
///
/// A maximum flow on one copy of the machine for each release, and one search per processor that is not busy all the
/// time.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, optimum};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:50x50")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(1275), 1.0)], 0.1)?;
/// let (makespan, _) = optimum::makespan(&problem)?;
/// assert_eq!(optimum::fewest(&problem, makespan)?.processors, 41);
/// assert_eq!(optimum::fewest(&problem, 0.1)?.processors, 10);
/// assert!(optimum::fewest(&problem, 0.02).is_err(), "the source and its links take longer");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn fewest(problem: &Problem, deadline: f64) -> Result<Fewest> {
    let mut network = TimeExpandedNetwork::of_releases(problem)?;
    let is_late = network.begins.last().is_none_or(|&begin| begin <= deadline) && deadline.is_finite();
    if is_late {
        network.raise_links(deadline);
        network.raise_nodes(deadline);
        network.flow.run();
    }
    if !is_late || network.flow.left_over() > 0 {
        let least = newton::solve(problem)?.makespan;
        return Err(Error::value("deadline", deadline, format!("at least {least}")));
    }
    let at_least = least_number(&network, deadline);
    concentrate(&mut network, at_least);
    let flow = total(problem, &phases(&network, deadline));
    let processors = (0..network.nodes()).filter(|&node| taken(&network, node) > 0).count();
    Ok(Fewest { processors, at_least, flow })
}

/// What a node works off in all intervals, in units.
fn taken(network: &TimeExpandedNetwork, node: usize) -> i64 {
    (0..network.copies()).map(|copy| network.flow.taken(copy * network.nodes() + node)).sum()
}

/// How many of the fastest processors could do the whole load from the first release to the deadline.
fn least_number(network: &TimeExpandedNetwork, deadline: f64) -> usize {
    let (problem, time) = (network.problem(), deadline - network.begins[0]);
    let nodes = (0..network.nodes() as u32).map(NodeId);
    let mut speeds: Vec<f64> = nodes.map(|node| time / problem.work(node)).collect();
    speeds.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut rest = 1.0 - 1e-9;
    let is_needed = |&&speed: &&f64| {
        let before = rest;
        rest -= speed;
        before > 0.0
    };
    speeds.iter().take_while(is_needed).count()
}

/// Empties processors that are not busy all the time into others that are not, as long as that can help.
fn concentrate(network: &mut TimeExpandedNetwork, at_least: usize) {
    let (nodes, copies) = (network.nodes(), network.copies());
    let spare = |network: &TimeExpandedNetwork, node: usize| -> i64 {
        (0..copies).map(|copy| network.flow.spare(copy * nodes + node)).sum()
    };
    let mut partial: Vec<usize> = (0..nodes).filter(|&node| taken(network, node) > 0).collect();
    let mut count = partial.len();
    partial.retain(|&node| spare(network, node) > 0);
    partial.sort_unstable_by_key(|&node| (taken(network, node), node));
    let mut open = vec![false; network.flow.nodes()];
    let set = |open: &mut [bool], node: usize, to: bool| {
        (0..copies).for_each(|copy| open[copy * nodes + node] = to);
    };
    partial.iter().for_each(|&node| set(&mut open, node, true));
    let mut room: i128 = partial.iter().map(|&node| i128::from(spare(network, node))).sum();
    let mut search = PathSearch::new(network.flow.nodes());
    for &node in &partial {
        let before = taken(network, node);
        room -= i128::from(spare(network, node));
        if count <= at_least || room < i128::from(before) || search.looked_at > PATIENCE * nodes {
            break;
        }
        set(&mut open, node, false);
        for copy in 0..copies {
            network.flow.hand_over(copy * nodes + node, &open, &mut search);
        }
        let after = taken(network, node);
        room -= i128::from(before - after);
        if after == 0 {
            count -= 1;
        } else {
            set(&mut open, node, true);
            room += i128::from(spare(network, node));
        }
    }
}
