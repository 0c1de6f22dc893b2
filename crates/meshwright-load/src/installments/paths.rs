//! Shortest paths from one source to all nodes, as a tree whose branches carry about the same.

use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::topology::{Machine, Topology, distances_from};

/// How often all nodes are asked whether another branch would be better.
const PASSES: usize = 6;

/// By node id the link by which it is reached; none for the source and for nodes that it does not reach.
///
/// Layer by layer each node joins, of the branches of the source that come past it, the one that carries the least so
/// far; `bytes` are what the nodes get. Then nodes move, with all behind them, to branches that carry less.
///
/// # Complexity
///
/// O(nodes log nodes + links).
pub(super) fn balanced_tree(machine: &Machine, source: NodeId, bytes: &[u64]) -> Vec<Option<LinkId>> {
    let distance = distances_from(machine, source);
    let reached = |node: &u32| distance[*node as usize] != u32::MAX && *node != source.0;
    let mut order: Vec<u32> = (0..machine.nodes()).filter(reached).collect();
    order.sort_unstable_by_key(|&node| (distance[node as usize], node));
    let mut tree = Tree {
        machine,
        source,
        before: vec![source; distance.len()],
        branch: vec![0; distance.len()],
        carries: vec![0; machine.ports(source) as usize],
        distance,
    };
    for &node in &order {
        tree.join(NodeId(node), bytes[node as usize]);
    }
    for _ in 0..PASSES {
        // What a node and all behind it get.
        let mut behind = bytes.to_vec();
        for &node in order.iter().rev() {
            behind[tree.before[node as usize].index()] += behind[node as usize];
        }
        let before = tree.carries.clone();
        for &node in &order {
            tree.branch[node as usize] = tree.branch_by(NodeId(node), tree.before[node as usize]);
            tree.carries[tree.branch[node as usize] as usize] -= behind[node as usize];
            tree.join(NodeId(node), behind[node as usize]);
        }
        if tree.carries == before {
            break;
        }
    }
    let mut link = vec![None; tree.distance.len()];
    for node in order.into_iter().map(NodeId) {
        link[node.index()] = machine.wire(tree.before[node.index()], node);
    }
    link
}

/// The links from the source of a tree to a node, in their order.
pub(super) fn links_to(machine: &Machine, tree: &[Option<LinkId>], node: NodeId) -> Vec<LinkId> {
    let (mut links, mut at) = (Vec::new(), node);
    while let Some(link) = tree[at.index()] {
        links.push(link);
        at = machine.source(link);
    }
    links.reverse();
    links
}

struct Tree<'m> {
    machine: &'m Machine,
    source: NodeId,
    distance: Vec<u32>,
    /// By node id, the node before it on its way, and the port of the source by which that way begins.
    before: Vec<NodeId>,
    branch: Vec<u32>,
    /// By port of the source.
    carries: Vec<u64>,
}

impl Tree<'_> {
    /// Lets a node join the branch that carries the least.
    fn join(&mut self, node: NodeId, bytes: u64) {
        let mut best: Option<(u64, u32, NodeId)> = None;
        for (_, before) in self.machine.neighbours(node) {
            if self.distance[before.index()].wrapping_add(1) != self.distance[node.index()] {
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
        if before == self.source { port_to(self.machine, before, node) } else { self.branch[before.index()] }
    }
}

/// The port that leads from a node to its neighbour.
fn port_to(machine: &Machine, from: NodeId, to: NodeId) -> u32 {
    let mut ports = 0..machine.ports(from);
    ports.find(|&port| machine.neighbour(from, Port(port)) == Some(to)).expect("wires go both ways")
}
