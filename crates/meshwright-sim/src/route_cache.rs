//! Routes of messages that are made while an engine runs, where no formula gives them.

use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::shortest_path::PathSearch;
use meshwright_network::topology::{Machine, Topology};

/// Distances kept at a time: 256 MiB.
const KEPT_MAX: usize = 1 << 26;

/// Where the distances to fewer targets are kept, ways are looked for near the straight one.
const TARGETS_KEPT: usize = 1 << 10;

/// Shortest paths one by one; what was searched for a target is kept for the next message to it.
#[derive(Debug)]
pub(super) struct RouteCache<'m> {
    machine: &'m Machine,
    /// Ways that are found without a search of the whole machine.
    near: PathSearch<'m>,
    /// Per target what was searched; nothing where nobody asked.
    searches: Vec<Option<PathSearch<'m>>>,
    kept: usize,
}

impl<'m> RouteCache<'m> {
    /// Nothing is known yet.
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self { machine, near: PathSearch::new(machine), searches: Vec::new(), kept: 0 }
    }

    /// Appends a route between two nodes of the machine, or returns false if there is none.
    ///
    /// # Complexity
    ///
    /// About O(hops x ports) on a box; elsewhere O(nodes + links) for a new target, then O(hops x ports).
    pub(super) fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        if !self.machine.is_alive(from) || !self.machine.is_alive(to) {
            return false;
        }
        if self.near.nearby(from, to, links) {
            return true;
        }
        let nodes = self.machine.nodes() as usize;
        if nodes > KEPT_MAX / TARGETS_KEPT {
            return self.near.around(from, to, links);
        }
        if self.searches.is_empty() || self.kept + nodes > KEPT_MAX {
            self.searches = (0..nodes).map(|_| None).collect();
            self.kept = 0;
        }
        let search = self.searches[to.index()].get_or_insert_with(|| {
            self.kept += nodes;
            PathSearch::new(self.machine)
        });
        search.searched(from, to, links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::routing;

    /// The routes of all messages together are the second opinion.
    #[test]
    fn routes_are_those_of_the_routing() {
        for (name, dead) in [("mesh:4x5", vec![6, 13]), ("torus:4x6", vec![0, 9]), ("mesh:2x3x4", vec![5])] {
            let dead = dead.into_iter().map(NodeId).collect();
            let machine = Machine::new(name).unwrap().with_dead(dead).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            let pairs: Vec<_> = living.iter().flat_map(|&a| living.iter().map(move |&b| (a, b))).collect();
            let routes = routing::routes(&machine, &pairs).unwrap();
            let mut cache = RouteCache::new(&machine);
            for (m, &(from, to)) in pairs.iter().enumerate() {
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                routes.for_each_link(m, (from, to), |link| expected.push(link));
                assert!(cache.route(from, to, &mut found));
                assert_eq!(found, expected, "{name} from {from} to {to}");
            }
            assert!(!cache.route(machine.dead()[0], living[0], &mut Vec::new()));
        }
    }
}
