//! Sets of nodes that decide the makespan most often: everything, single sources, clusters of adjacent sources.

use crate::Problem;
use crate::pieces::pieces;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Sets of copies (copy i of node v is i times the nodes + v) to begin with, each in increasing order.
///
/// Everything is taken only where it is in one piece; its bound is then the number of nodes.
///
/// # Complexity
///
/// O(nodes + ports of the sources) per interval.
pub(crate) fn sets(problem: &Problem, begins: &[f64]) -> Vec<Vec<u32>> {
    let nodes = problem.machine().nodes();
    let mut places: Vec<u32> = problem.sources().iter().map(|source| source.node.0).collect();
    places.sort_unstable();
    places.dedup();
    let mut sets: Vec<Vec<u32>> = places.iter().map(|&place| vec![place]).collect();
    let nodes_of_sources: Vec<NodeId> = places.into_iter().map(NodeId).collect();
    let clusters = pieces(problem.machine(), &nodes_of_sources).into_iter().filter(|piece| piece.len() > 1);
    sets.extend(clusters.map(|cluster| cluster.into_iter().map(|node| node.0).collect()));
    sets.push(problem.machine().living().map(|node| node.0).collect());
    let copies = begins.len() as u32;
    // The loads that come from interval i on: the set in interval i and all later ones.
    let later = |set: &Vec<u32>, from: u32| -> Vec<u32> {
        (from..copies).flat_map(|copy| set.iter().map(move |&node| copy * nodes + node)).collect()
    };
    (0..copies).flat_map(|from| sets.iter().map(move |set| later(set, from)).collect::<Vec<_>>()).collect()
}
