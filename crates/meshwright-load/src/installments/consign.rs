//! Consignments: the parts of the loads of the sources that go to each node.

use super::paths::Search;
use super::scale::Scale;
use super::streams::{rounded, supplies};
use crate::shares::voronoi;
use crate::{Plan, Problem};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;

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
/// O(nodes log nodes), and for each source O(nodes + links) of those not farther away than the last it serves.
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
    let mut search = Search::new(machine);
    for own_cells in [true, false] {
        // How many nodes still want something: of the cell of each source, or of all.
        let cell = |node: usize| if own_cells { label[node] as usize } else { 0 };
        let mut open = vec![0usize; left.len()];
        for node in (0..missing.len()).filter(|&node| missing[node] > 0) {
            if let Some(open) = open.get_mut(cell(node)) {
                *open += 1;
            }
        }
        for (source, entry) in problem.sources().iter().enumerate() {
            let own = if own_cells { source } else { 0 };
            if left[source] == 0 || open[own] == 0 {
                continue;
            }
            let wants = |node: usize| missing[node] > 0 && cell(node) == own;
            let (mut found, mut wanted) = (0, 0);
            search.run(entry.node, |node| {
                if wants(node.index()) {
                    found += 1;
                    wanted += missing[node.index()];
                }
                found == open[own] || wanted >= left[source]
            });
            for &node in search.order() {
                let bytes = missing[node.index()].min(left[source]);
                if bytes == 0 || cell(node.index()) != own {
                    continue;
                }
                missing[node.index()] -= bytes;
                left[source] -= bytes;
                open[own] -= usize::from(missing[node.index()] == 0);
                consignments.push(Consignment { source, node, bytes, hops: search.hops(node) });
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
