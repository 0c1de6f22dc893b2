//! Sets of nodes that decide the makespan most often: everything, single sources, clusters of adjacent sources.

use crate::load::Problem;
use crate::topology::Topology;
use crate::units::{NodeId, Port};

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
    sets.extend(clusters(problem, &places).into_iter().filter(|cluster| cluster.len() > 1));
    sets.push(problem.machine().living().map(|node| node.0).collect());
    let copies = begins.len() as u32;
    // The loads that come from interval i on: the set in interval i and all later ones.
    let later = |set: &Vec<u32>, from: u32| -> Vec<u32> {
        (from..copies).flat_map(|copy| set.iter().map(move |&node| copy * nodes + node)).collect()
    };
    (0..copies).flat_map(|from| sets.iter().map(move |set| later(set, from)).collect::<Vec<_>>()).collect()
}

/// The connected pieces of the sources.
fn clusters(problem: &Problem, places: &[u32]) -> Vec<Vec<u32>> {
    let machine = problem.machine();
    let mut seen = vec![false; places.len()];
    let mut clusters = Vec::new();
    for start in 0..places.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut cluster = vec![places[start]];
        let mut at = 0;
        while at < cluster.len() {
            let node = NodeId(cluster[at]);
            for port in 0..machine.ports(node) {
                let next = machine.neighbour(node, Port(port));
                if let Some(place) = next.and_then(|next| places.binary_search(&next.0).ok())
                    && !std::mem::replace(&mut seen[place], true)
                {
                    cluster.push(places[place]);
                }
            }
            at += 1;
        }
        cluster.sort_unstable();
        clusters.push(cluster);
    }
    clusters
}
