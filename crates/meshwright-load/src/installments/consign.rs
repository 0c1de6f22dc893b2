//! Consignments: the parts of the loads of the sources that go to each node.

use super::scale::Scale;
use super::streams::{rounded, supplies};
use crate::shares::voronoi;
use crate::{Plan, Problem};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Topology, distances_from};

/// Part of the load of one source that goes to one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Consignment {
    /// The index of the source.
    pub(super) source: usize,
    pub(super) node: NodeId,
    pub(super) bytes: u64,
    /// How far it goes, in links.
    pub(super) hops: u32,
}

/// The shares of a plan as consignments, by source and then the nearest first.
///
/// A node gets its share from the source of its cell (without cells, from the nearest) while that has something; what
/// is missing then comes from the others in turn.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a node has a share and no source with load left reaches it.
///
/// # Complexity
///
/// O(sources (nodes + links) + nodes log nodes).
pub(super) fn consignments(scale: &Scale, plan: &Plan) -> Result<Vec<Consignment>> {
    let problem = scale.problem();
    let machine = problem.machine();
    let mut missing = whole_bytes(&plan.shares, scale.bytes());
    let label = match &plan.cells {
        Some(cells) => cells.label.clone(),
        None => nearest(problem),
    };
    let mut left: Vec<u64> = supplies(problem, scale.bytes()).iter().map(|supply| supply.bytes).collect();
    let mut consignments = Vec::new();
    for own_cells in [true, false] {
        for (source, entry) in problem.sources().iter().enumerate() {
            if left[source] == 0 {
                continue;
            }
            let distance = distances_from(machine, entry.node);
            let wants = |node: &u32| {
                let node = *node as usize;
                missing[node] > 0
                    && distance[node] != u32::MAX
                    && (!own_cells || label[node] == source as u32)
            };
            let mut nodes: Vec<u32> = (0..machine.nodes()).filter(wants).collect();
            nodes.sort_by_key(|&node| distance[node as usize]);
            for node in nodes {
                let bytes = missing[node as usize].min(left[source]);
                if bytes == 0 {
                    break;
                }
                missing[node as usize] -= bytes;
                left[source] -= bytes;
                let hops = distance[node as usize];
                consignments.push(Consignment { source, node: NodeId(node), bytes, hops });
            }
        }
    }
    if let Some(node) = missing.iter().position(|&bytes| bytes > 0) {
        let name = machine.node_name(NodeId(node as u32));
        let why = format!("no source that has something left reaches node {name}, which has a share");
        return Err(Error::not_applicable("sending the shares", why));
    }
    consignments.sort_unstable_by_key(|consignment| (consignment.source, consignment.hops, consignment.node));
    Ok(consignments)
}

/// Shares in whole bytes that sum to all.
fn whole_bytes(shares: &[f64], bytes: u64) -> Vec<u64> {
    let all: f64 = shares.iter().sum();
    let largest = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    let (mut whole, left) = rounded(shares.iter().map(|share| share / all), bytes);
    if let Some(largest) = largest {
        whole[largest] += left;
    }
    whole
}

/// By node id the nearest source, of equal ones the lowest index.
pub(super) fn nearest(problem: &Problem) -> Vec<u32> {
    let sites: Vec<Vec<NodeId>> = problem.sources().iter().map(|source| vec![source.node]).collect();
    voronoi::cells(problem.machine(), &sites).label
}
