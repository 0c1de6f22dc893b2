//! Shortest paths from one source to all nodes, as a tree whose branches carry about the same.

use crate::topology::{Machine, Topology};
use crate::units::{LinkId, NodeId, Port};

/// By node id the link by which it is reached; none for the source and for nodes that it does not reach.
///
/// Layer by layer each node joins, of the branches of the source that come past it, the one that carries the least so
/// far; `bytes` are what the nodes get.
///
/// # Complexity
///
/// O(nodes + links).
pub(super) fn balanced_tree(machine: &Machine, source: NodeId, bytes: &[u64]) -> Vec<Option<LinkId>> {
    let distance = crate::topology::distances_from(machine, source);
    let mut layers: Vec<u32> =
        (0..machine.nodes()).filter(|&node| distance[node as usize] != u32::MAX).collect();
    layers.sort_by_key(|&node| distance[node as usize]);
    let mut link = vec![None; distance.len()];
    let mut branch = vec![0; distance.len()];
    let mut carries = vec![0u64; machine.ports(source) as usize];
    for node in layers.into_iter().map(NodeId).filter(|&node| node != source) {
        let mut best: Option<(u64, u32, NodeId)> = None;
        for port in (0..machine.ports(node)).map(Port) {
            let Some(before) = machine.neighbour(node, port) else { continue };
            if distance[before.index()].wrapping_add(1) != distance[node.index()] {
                continue;
            }
            let own = if before == source { port_to(machine, source, node) } else { branch[before.index()] };
            let candidate = (carries[own as usize], own, before);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        let (_, own, before) = best.expect("a node that is reached has one before it");
        link[node.index()] = machine.wire(before, node);
        branch[node.index()] = own;
        carries[own as usize] += bytes[node.index()];
    }
    link
}

/// The port that leads from a node to its neighbour.
fn port_to(machine: &Machine, from: NodeId, to: NodeId) -> u32 {
    let mut ports = 0..machine.ports(from);
    ports.find(|&port| machine.neighbour(from, Port(port)) == Some(to)).expect("wires go both ways")
}
