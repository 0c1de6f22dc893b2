//! Shortest paths from one source to nodes, as a tree whose branches carry about the same.

use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::{Machine, Topology};

/// How often all nodes are asked whether another branch would be better.
const PASSES: usize = 6;

/// Breadth-first searches from one source after the other, only as far as each has to go; the tables are used again.
pub(super) struct Search<'m> {
    machine: &'m Machine,
    /// By node id the links from the source; `u32::MAX` for nodes that were not reached.
    distance: Vec<u32>,
    /// The nodes that were reached, the nearest first, of equal ones the lower id.
    order: Vec<NodeId>,
}

impl<'m> Search<'m> {
    /// A search that has reached nothing.
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self { machine, distance: vec![u32::MAX; machine.nodes() as usize], order: Vec::new() }
    }

    /// Reaches nodes layer by layer, to the end of the first layer with a node of which `is_enough` says so.
    ///
    /// # Complexity
    ///
    /// O(nodes log nodes + links), of those that are reached.
    pub(super) fn run(&mut self, source: NodeId, mut is_enough: impl FnMut(NodeId) -> bool) {
        self.order.drain(..).for_each(|node| self.distance[node.index()] = u32::MAX);
        self.distance[source.index()] = 0;
        self.order.push(source);
        let (mut layer, mut hops) = (0..1, 0);
        let mut enough = is_enough(source);
        while !enough && !layer.is_empty() {
            hops += 1;
            for at in layer.clone() {
                for (_, next) in self.machine.neighbours(self.order[at]) {
                    if self.distance[next.index()] == u32::MAX {
                        self.distance[next.index()] = hops;
                        self.order.push(next);
                    }
                }
            }
            layer = layer.end..self.order.len();
            self.order[layer.clone()].sort_unstable();
            for at in layer.clone() {
                enough |= is_enough(self.order[at]);
            }
        }
    }

    /// The nodes that were reached, the nearest first, of equal ones the lower id.
    pub(super) fn order(&self) -> &[NodeId] {
        &self.order
    }

    /// The links from the source to a node that was reached.
    pub(super) fn hops(&self, node: NodeId) -> u32 {
        self.distance[node.index()]
    }
}

/// Trees of shortest paths, from one source after the other; the tables are used again.
pub(super) struct BalancedTree<'m> {
    search: Search<'m>,
    source: NodeId,
    /// The nodes that the tree is for, and by node id whether it is one and how many bytes it gets.
    wanted: Vec<NodeId>,
    is_wanted: Vec<bool>,
    bytes: Vec<u64>,
    /// By node id the bytes for it and all behind it.
    behind: Vec<u64>,
    /// By node id, the node before it on its way, and the port of the source by which that way begins.
    before: Vec<NodeId>,
    branch: Vec<u32>,
    /// By port of the source.
    carries: Vec<u64>,
}

impl<'m> BalancedTree<'m> {
    /// A tree without branches.
    pub(super) fn new(machine: &'m Machine) -> Self {
        let nodes = machine.nodes() as usize;
        Self {
            search: Search::new(machine),
            source: NodeId(0),
            wanted: Vec::new(),
            is_wanted: vec![false; nodes],
            bytes: vec![0; nodes],
            behind: vec![0; nodes],
            before: vec![NodeId(0); nodes],
            branch: vec![0; nodes],
            carries: Vec::new(),
        }
    }

    /// Grows a tree from a source to nodes, with the bytes each of them gets.
    ///
    /// Layer by layer each node joins, of the branches of the source that come past it, the one that carries the least
    /// so far. Then nodes move, with all behind them, to branches that carry less.
    ///
    /// # Complexity
    ///
    /// O(nodes log nodes + links), of those not farther away than the farthest it is for.
    pub(super) fn grow(&mut self, source: NodeId, parcels: impl Iterator<Item = (NodeId, u64)>) {
        for node in self.wanted.drain(..) {
            (self.is_wanted[node.index()], self.bytes[node.index()]) = (false, 0);
        }
        for (node, bytes) in parcels {
            if !std::mem::replace(&mut self.is_wanted[node.index()], true) {
                self.wanted.push(node);
            }
            self.bytes[node.index()] += bytes;
        }
        let (mut left, is_wanted) = (self.wanted.len(), &self.is_wanted);
        self.search.run(source, |node| {
            left -= usize::from(is_wanted[node.index()]);
            left == 0
        });
        self.source = source;
        self.carries = vec![0; self.search.machine.ports(source) as usize];
        for at in 1..self.search.order.len() {
            let node = self.search.order[at];
            self.join(node, self.bytes[node.index()]);
        }
        self.level();
    }

    /// Moves nodes to branches that carry less.
    fn level(&mut self) {
        for _ in 0..PASSES {
            for &node in &self.search.order {
                self.behind[node.index()] = self.bytes[node.index()];
            }
            for &node in self.search.order[1..].iter().rev() {
                self.behind[self.before[node.index()].index()] += self.behind[node.index()];
            }
            let carried = self.carries.clone();
            for at in 1..self.search.order.len() {
                let node = self.search.order[at];
                let behind = self.behind[node.index()];
                self.branch[node.index()] = self.branch_by(node, self.before[node.index()]);
                self.carries[self.branch[node.index()] as usize] -= behind;
                self.join(node, behind);
            }
            if self.carries == carried {
                break;
            }
        }
    }

    /// The links from the source to a node, in their order; none for one that is not reached.
    pub(super) fn links_to(&self, node: NodeId) -> Vec<LinkId> {
        let (mut links, mut at) = (Vec::new(), node);
        while !matches!(self.search.hops(at), 0 | u32::MAX) {
            let before = self.before[at.index()];
            links.push(self.search.machine.wire(before, at).expect("a way leads over wires"));
            at = before;
        }
        links.reverse();
        links
    }

    /// The links from the source to a node that was reached.
    pub(super) fn hops(&self, node: NodeId) -> u32 {
        self.search.hops(node)
    }

    /// Lets a node join the branch that carries the least.
    fn join(&mut self, node: NodeId, bytes: u64) {
        let mut best: Option<(u64, u32, NodeId)> = None;
        for (_, before) in self.search.machine.neighbours(node) {
            if self.hops(before).wrapping_add(1) != self.hops(node) {
                continue;
            }
            let branch = self.branch_by(node, before);
            let candidate = (self.carries[branch as usize], branch, before);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        let (_, branch, before) = best.expect("a node that is reached has one before it");
        (self.before[node.index()], self.branch[node.index()]) = (before, branch);
        self.carries[branch as usize] += bytes;
    }

    /// The branch by which a node is reached if this one comes before it.
    fn branch_by(&self, node: NodeId, before: NodeId) -> u32 {
        if before == self.source {
            port_to(self.search.machine, before, node)
        } else {
            self.branch[before.index()]
        }
    }
}

/// The port that leads from a node to its neighbour.
fn port_to(machine: &Machine, from: NodeId, to: NodeId) -> u32 {
    let mut ports = 0..machine.ports(from);
    ports.find(|&port| machine.neighbour(from, Port(port)) == Some(to)).expect("wires go both ways")
}
