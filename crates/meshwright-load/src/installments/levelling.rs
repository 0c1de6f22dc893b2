//! Shares by delay: of the nodes of a tree those that get their load late work for less of the time.
//!
//! With installments of equal shares s of the load a node is late by s times its delay (see `branching`). It is through
//! in time if it works for
//!
//! ```text
//! share of the time = min(1, 1 + LATE - s * delay / end)
//! ```
//!
//! so of all shares that sum to what the tree carries these allow the largest s: the fewest installments.

use super::forest::Growth;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// How late a node may be, as a part of the time, and still work for all of it.
const LATE: f64 = 0.1;

/// Steps of halving for s.
const STEPS: usize = 60;

/// How often shares and delays follow from each other.
const ROUNDS: usize = 3;

/// A node behind a first link.
struct Branch {
    node: NodeId,
    /// The link it is reached by.
    into: LinkId,
    /// The place of the node before it in the list of all; beyond its end for the first.
    before: u32,
}

impl Growth<'_, '_> {
    /// Shares what goes over each first link of a source among the nodes behind it, where no more comes by than the tree
    /// brought; `trees` says how much that was, by link id.
    ///
    /// # Complexity
    ///
    /// O(nodes), some 200 times.
    pub(super) fn level_out(&mut self, trees: &[f64]) {
        let mut first: Vec<NodeId> = Vec::new();
        for source in self.problem.sources() {
            first.extend(self.behind(source.node));
        }
        first.sort_unstable();
        first.dedup();
        let mut nodes: Vec<Branch> = Vec::new();
        for node in first {
            nodes.clear();
            nodes.extend(self.branch(node, u32::MAX));
            let mut next = 0;
            while let Some(&Branch { node, .. }) = nodes.get(next) {
                nodes.extend(self.behind(node).filter_map(|behind| self.branch(behind, next as u32)));
                next += 1;
            }
            if nodes.iter().any(|one| self.is_on_a_way(one.node, trees)) {
                continue;
            }
            for _ in 0..ROUNDS {
                if !self.share_by_delay(&nodes) {
                    break;
                }
            }
        }
    }

    /// Whether anything beside what the trees bring comes to a node or leaves it.
    fn is_on_a_way(&self, node: NodeId, trees: &[f64]) -> bool {
        let machine = self.problem.machine();
        let differs = |link: LinkId| self.link[link.index()] != trees[link.index()];
        let mut links = machine.neighbours(node);
        links.any(|(link, next)| differs(link) || machine.wire(next, node).is_some_and(differs))
    }

    /// A node as one of a list, with the place of the node before it.
    fn branch(&self, node: NodeId, before: u32) -> Option<Branch> {
        Some(Branch { node, into: self.into[node.index()]?, before })
    }

    /// The nodes that get their load through this one.
    fn behind(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let machine = self.problem.machine();
        let behind = machine.neighbours(node).map(|(_, next)| next);
        behind.filter(move |next| self.into[next.index()].is_some_and(|into| machine.source(into) == node))
    }

    /// Gives the nodes behind a first link, each after the one before it, shares by their delays; says whether links have
    /// room for that, else all stays as it is.
    fn share_by_delay(&mut self, nodes: &[Branch]) -> bool {
        let problem = self.problem;
        let mut delays = vec![0.0; nodes.len()];
        for (at, one) in nodes.iter().enumerate() {
            let before = delays.get(one.before as usize).copied().unwrap_or(0.0);
            delays[at] = before + problem.link_time(one.into) * self.link[one.into.index()] / self.end;
        }
        let all: f64 = nodes.iter().map(|one| self.node[one.node.index()]).sum();
        let share = |at: usize, size: f64| {
            self.end / problem.work(nodes[at].node) * (1.0 + LATE - size * delays[at]).clamp(0.0, 1.0)
        };
        let sum = |size: f64| (0..nodes.len()).map(|at| share(at, size)).sum::<f64>();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..STEPS {
            let middle = (low + high) / 2.0;
            if sum(middle) >= all { low = middle } else { high = middle }
        }
        let scale = all / sum(low);
        let shares: Vec<f64> = (0..nodes.len()).map(|at| share(at, low) * scale).collect();
        let mut carried = shares.clone();
        for (at, one) in nodes.iter().enumerate().rev() {
            if carried[at] * problem.link_time(one.into) > self.end * (1.0 + 1e-9) {
                return false;
            }
            let own = carried[at];
            if let Some(before) = carried.get_mut(one.before as usize) {
                *before += own;
            }
        }
        for (at, one) in nodes.iter().enumerate() {
            (self.node[one.node.index()], self.link[one.into.index()]) = (shares[at], carried[at]);
        }
        true
    }
}
