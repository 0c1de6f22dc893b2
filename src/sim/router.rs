//! Routes of messages that are made while an engine runs, where no formula gives them.

use crate::topology::{self, Machine, Topology};
use crate::units::{LinkId, NodeId, Port};

/// Distances kept at a time: 256 MiB.
const KEPT_MAX: usize = 1 << 26;

/// Shortest paths by the first port that leads nearer, as [`crate::routing::shortest_path`] has them; the
/// distances to each target are kept for the next message to it.
#[derive(Debug)]
pub(super) struct Router<'m> {
    machine: &'m Machine,
    /// Per target the distance from every node; empty where nobody asked.
    distances: Vec<Vec<u32>>,
    kept: usize,
}

impl<'m> Router<'m> {
    /// Nothing is known yet.
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self { machine, distances: Vec::new(), kept: 0 }
    }

    /// Appends a route between two nodes of the machine, or returns false if there is none.
    ///
    /// # Complexity
    ///
    /// O(nodes + links) for a new target, then O(hops x ports).
    pub(super) fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        if !self.machine.is_alive(from) || !self.machine.is_alive(to) {
            return false;
        }
        let distance = self.distances_to(to);
        if distance[from.index()] == u32::MAX {
            return false;
        }
        let (machine, distance) = (self.machine, &self.distances[to.index()]);
        let mut at = from;
        while at != to {
            let nearer = |port: &Port| {
                let next = machine.neighbour(at, *port);
                next.is_some_and(|next| distance[next.index()] < distance[at.index()])
            };
            let port = (0..machine.ports(at)).map(Port).find(nearer).expect("a neighbour is nearer");
            links.push(machine.link(at, port));
            at = machine.neighbour(at, port).expect("the port is wired");
        }
        true
    }

    fn distances_to(&mut self, to: NodeId) -> &[u32] {
        let nodes = self.machine.nodes() as usize;
        if self.distances.is_empty() || self.kept + nodes > KEPT_MAX {
            self.distances = vec![Vec::new(); nodes];
            self.kept = 0;
        }
        let distance = &mut self.distances[to.index()];
        if distance.is_empty() {
            // Links come in pairs, so distances to the target are distances from it.
            topology::search(self.machine, to, distance);
            self.kept += nodes;
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing;

    /// The routes of all messages together are the second opinion.
    #[test]
    fn routes_are_those_of_the_routing() {
        for (name, dead) in [("mesh:4x5", vec![6, 13]), ("torus:4x6", vec![0, 9]), ("mesh:2x3x4", vec![5])] {
            let dead = dead.into_iter().map(NodeId).collect();
            let machine = Machine::new(name).unwrap().with_dead(dead).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            let pairs: Vec<_> = living.iter().flat_map(|&a| living.iter().map(move |&b| (a, b))).collect();
            let routes = routing::routes(&machine, &pairs).unwrap();
            let mut router = Router::new(&machine);
            for (m, &(from, to)) in pairs.iter().enumerate() {
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                routes.for_each_link(m, (from, to), |link| expected.push(link));
                assert!(router.route(from, to, &mut found));
                assert_eq!(found, expected, "{name} from {from} to {to}");
            }
            assert!(!router.route(machine.dead()[0], living[0], &mut Vec::new()));
        }
    }
}
