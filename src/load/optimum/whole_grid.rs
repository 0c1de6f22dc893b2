//! Large whole grids with equal processors and links: from cut to cut, with a Poisson flow at each makespan.

use super::{Flow, closed_form, start};
use crate::load::poisson::{Attempt, attempt};
use crate::load::{Cut, Problem};
use crate::topology::Topology;
use crate::units::{NodeId, Port};

/// From how many nodes on the general method, which is exact to rounding, is left for the faster one.
pub(crate) const NODES_MIN: u32 = 1 << 14;

/// The makespan of the worst set that was found, the set, and a flow that attains it within
/// [`TOLERANCE`](crate::load::poisson::TOLERANCE). None where the method does not fit.
pub(crate) fn solve(problem: &Problem) -> Option<(f64, Cut, Flow)> {
    let grid = problem.machine().whole_grid()?;
    if grid.nodes() < NODES_MIN || !problem.is_uniform() || !problem.starts_at_once() {
        return None;
    }
    let mut sets = Sets::new(problem);
    let starts = start::sets(problem, &[0.0]);
    let form = closed_form(problem).map(|form| form.cut(problem).nodes.iter().map(|node| node.0).collect());
    let mut worst = sets.worst(starts.into_iter().chain(form));
    loop {
        match attempt(problem, worst.makespan()) {
            Attempt::Unsettled => return None,
            Attempt::Flow(flow) => {
                let makespan = worst.makespan();
                let cut = Cut { nodes: worst.nodes, capacity: worst.rate * makespan, demand: worst.demand };
                return Some((makespan, cut, flow));
            }
            Attempt::Overloaded(set) => {
                let next = sets.worst(sets.pieces(&set).into_iter());
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
    fn worst(&mut self, sets: impl Iterator<Item = Vec<u32>>) -> Weighed {
        let mut worst: Option<Weighed> = None;
        for set in sets {
            let (demand, rate) = self.weigh(&set);
            if worst.as_ref().is_none_or(|worst| demand / rate > worst.makespan()) {
                worst = Some(Weighed { nodes: set.into_iter().map(NodeId).collect(), demand, rate });
            }
        }
        worst.expect("there is a set")
    }

    fn weigh(&mut self, set: &[u32]) -> (f64, f64) {
        let machine = self.problem.machine();
        set.iter().for_each(|&node| self.inside[node as usize] = true);
        let mut leaving = 0u64;
        for &node in set {
            leaving += (0..machine.ports(NodeId(node)))
                .filter_map(|port| machine.neighbour(NodeId(node), Port(port)))
                .filter(|other| !self.inside[other.index()])
                .count() as u64;
        }
        set.iter().for_each(|&node| self.inside[node as usize] = false);
        let links = if leaving == 0 { 0.0 } else { leaving as f64 / self.problem.sigma() };
        // Everything holds the whole load, which is 1 by definition and by summing only up to rounding.
        let everything = set.len() == self.load.len();
        let demand = if everything { 1.0 } else { set.iter().map(|&node| self.load[node as usize]).sum() };
        (demand, set.len() as f64 + links)
    }

    /// The connected pieces of a set, of which one asks for as much time as the whole or more.
    fn pieces(&self, set: &[NodeId]) -> Vec<Vec<u32>> {
        let machine = self.problem.machine();
        let mut left = vec![false; self.load.len()];
        set.iter().for_each(|node| left[node.index()] = true);
        let mut pieces = Vec::new();
        for &first in set {
            if !std::mem::take(&mut left[first.index()]) {
                continue;
            }
            let (mut piece, mut at) = (vec![first.0], 0);
            while let Some(&node) = piece.get(at) {
                at += 1;
                for port in 0..machine.ports(NodeId(node)) {
                    if let Some(other) = machine.neighbour(NodeId(node), Port(port))
                        && std::mem::take(&mut left[other.index()])
                    {
                        piece.push(other.0);
                    }
                }
            }
            piece.sort_unstable();
            pieces.push(piece);
        }
        pieces
    }
}
