//! Large whole grids with equal processors and links: from cut to cut, with a Poisson flow at each makespan.

use super::{Flow, closed_form, start};
use crate::pieces::pieces;
use crate::poisson::{Attempt, attempt};
use crate::{Cut, Problem};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// From how many nodes on the general method, which is exact to rounding, is left for the faster one.
pub(crate) const NODES_MIN: u32 = 1 << 14;

/// The makespan of the worst set that was found, the set, and a flow that attains it within
/// [`TOLERANCE`](crate::poisson::TOLERANCE). None where the method does not fit.
pub(crate) fn solve(problem: &Problem) -> Option<(f64, Cut, Flow)> {
    let grid = problem.machine().whole_grid()?;
    if grid.nodes() < NODES_MIN || !problem.is_uniform() || !problem.starts_at_once() {
        return None;
    }
    let mut sets = Sets::new(problem);
    let starts = start::sets(problem, &[0.0]).into_iter();
    let starts = starts.map(|set| set.into_iter().map(NodeId).collect());
    let mut worst = sets.worst(starts.chain(closed_form(problem).map(|form| form.cut(problem).nodes)));
    loop {
        match attempt(problem, worst.makespan()) {
            Attempt::Unsettled => return None,
            Attempt::Flow(flow) => {
                let makespan = worst.makespan();
                let cut = Cut { nodes: worst.nodes, capacity: worst.rate * makespan, demand: worst.demand };
                return Some((makespan, cut, flow));
            }
            Attempt::Overloaded(set) => {
                // One of its pieces asks for as much time as the whole or more.
                let next = sets.worst(pieces(problem.machine(), &set).into_iter());
                assert!(
                    next.makespan() > worst.makespan(),
                    "a set with more to do than it can needs more time"
                );
                worst = next;
            }
        }
    }
}

/// What a set has to do and what it can do per unit of time.
struct Weighed {
    nodes: Vec<NodeId>,
    demand: f64,
    rate: f64,
}

impl Weighed {
    fn makespan(&self) -> f64 {
        self.demand / self.rate
    }
}

/// The problem with a table of what is in a set.
struct Sets<'p> {
    problem: &'p Problem<'p>,
    load: Vec<f64>,
    inside: Vec<bool>,
}

impl<'p> Sets<'p> {
    fn new(problem: &'p Problem<'p>) -> Self {
        let nodes = problem.machine().nodes() as usize;
        let mut load = vec![0.0; nodes];
        problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
        Self { problem, load, inside: vec![false; nodes] }
    }

    /// The set that asks for the greatest makespan.
    fn worst(&mut self, sets: impl Iterator<Item = Vec<NodeId>>) -> Weighed {
        let mut worst: Option<Weighed> = None;
        for set in sets {
            let (demand, rate) = self.weigh(&set);
            if worst.as_ref().is_none_or(|worst| demand / rate > worst.makespan()) {
                worst = Some(Weighed { nodes: set, demand, rate });
            }
        }
        worst.expect("there is a set")
    }

    fn weigh(&mut self, set: &[NodeId]) -> (f64, f64) {
        let machine = self.problem.machine();
        set.iter().for_each(|node| self.inside[node.index()] = true);
        let mut leaving = 0u64;
        for &node in set {
            leaving +=
                machine.neighbours(node).filter(|(_, other)| !self.inside[other.index()]).count() as u64;
        }
        set.iter().for_each(|node| self.inside[node.index()] = false);
        let links = if leaving == 0 { 0.0 } else { leaving as f64 / self.problem.sigma() };
        // Everything holds the whole load, which is 1 by definition and by summing only up to rounding.
        let everything = set.len() == self.load.len();
        let demand = if everything { 1.0 } else { set.iter().map(|node| self.load[node.index()]).sum() };
        (demand, set.len() as f64 + links)
    }
}
