//! Deadlocks of a routing: cycles of the channel-dependency graph.
//!
//! Channels are links. Channel a depends on channel b when some message holds a while it asks for b, that
//! is, when some route uses b right after a. A deterministic routing is free of deadlock if and only if this
//! graph has no cycle; a cycle is returned as the certificate.
//!
//! # Source
//!
//! `dally1987`, theorem 1.

pub use super::certify::{Certificate, certify};
use super::{Pair, Routes};
use meshwright_core::units::LinkId;

/// A cycle of channels that these routes can wait for in a ring, or `None` if there is none.
///
/// # Complexity
///
/// O(links + sum of hops, sorted).
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::{self, deadlock};
/// use meshwright_network::topology::{Machine, Topology};
/// use meshwright_core::units::NodeId;
/// let all_pairs = |machine: &Machine| -> Vec<_> {
///     let nodes = || (0..machine.nodes()).map(NodeId);
///     nodes().flat_map(|from| nodes().map(move |to| (from, to))).collect()
/// };
/// let (mesh, ring) = (Machine::new("mesh:4x4")?, Machine::new("torus:5")?);
/// let pairs = all_pairs(&mesh);
/// assert_eq!(deadlock::cycle(mesh.links(), &routing::routes(&mesh, &pairs)?, &pairs), None);
/// let pairs = all_pairs(&ring);
/// let cycle = deadlock::cycle(ring.links(), &routing::routes(&ring, &pairs)?, &pairs);
/// assert_eq!(cycle.expect("a ring without virtual channels closes").len(), 5);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn cycle(links: u32, routes: &Routes<'_>, pairs: &[Pair]) -> Option<Vec<LinkId>> {
    let mut dependencies = Vec::new();
    let mut full = 1 << 22;
    for (message, &pair) in pairs.iter().enumerate() {
        let mut before = None;
        routes.for_each_link(message, pair, |link| {
            dependencies.extend(before.map(|before: LinkId| (before.0, link.0)));
            before = Some(link);
        });
        // Many messages repeat the same few dependencies: keep the list short, at amortised cost.
        if dependencies.len() > full {
            dependencies.sort_unstable();
            dependencies.dedup();
            full = full.max(2 * dependencies.len());
        }
    }
    dependencies.sort_unstable();
    dependencies.dedup();
    let cycle = cycle_of(links, &dependencies)?;
    Some(cycle.into_iter().map(LinkId).collect())
}

/// A cycle of a directed graph given by its sorted arcs.
pub(super) fn cycle_of(vertices: u32, arcs: &[(u32, u32)]) -> Option<Vec<u32>> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        New,
        Open,
        Done,
    }
    let mut state = vec![VisitState::New; vertices as usize];
    let first = |vertex: u32| arcs.partition_point(|&(from, _)| from < vertex);
    for &(start, _) in arcs {
        if state[start as usize] != VisitState::New {
            continue;
        }
        // Depth first without recursion: the path, and where each vertex on it goes on.
        let mut path = vec![(start, first(start))];
        state[start as usize] = VisitState::Open;
        while let Some((vertex, next)) = path.last_mut() {
            match arcs.get(*next).filter(|(from, _)| from == vertex) {
                None => {
                    state[*vertex as usize] = VisitState::Done;
                    path.pop();
                }
                Some(&(_, to)) => {
                    *next += 1;
                    match state[to as usize] {
                        VisitState::Open => {
                            let begin = path
                                .iter()
                                .position(|&(v, _)| v == to)
                                .expect("open vertices are on the path");
                            return Some(path[begin..].iter().map(|&(v, _)| v).collect());
                        }
                        VisitState::New => {
                            state[to as usize] = VisitState::Open;
                            path.push((to, first(to)));
                        }
                        VisitState::Done => {}
                    }
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// petgraph is the second opinion; the certificate must be a cycle of the graph.
        #[test]
        fn finds_a_cycle_if_and_only_if_there_is_one(mut arcs in prop::collection::vec((0u32..12, 0u32..12), 0..24)) {
            arcs.sort_unstable();
            arcs.dedup();
            let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(&arcs);
            let found = cycle_of(12, &arcs);
            prop_assert_eq!(found.is_some(), petgraph::algo::is_cyclic_directed(&graph));
            if let Some(cycle) = found {
                for (i, vertex) in cycle.iter().enumerate() {
                    let next = cycle[(i + 1) % cycle.len()];
                    prop_assert!(arcs.contains(&(*vertex, next)));
                }
            }
        }
    }
}
