//! Distances that are searched for no farther than is asked.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// A table for many searches, each of them cleared by the steps it took.
pub(super) struct Nearby<'m> {
    machine: &'m Machine,
    distance: Vec<u32>,
    reached: Vec<NodeId>,
    /// How many of the reached have been left by all their ports.
    left: usize,
}

impl<'m> Nearby<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        let distance = vec![u32::MAX; machine.nodes() as usize];
        Self { machine, distance, reached: Vec::new(), left: 0 }
    }

    /// Begins a search.
    pub(super) fn start(&mut self, from: NodeId) {
        self.reached.drain(..).for_each(|node| self.distance[node.index()] = u32::MAX);
        self.distance[from.index()] = 0;
        self.reached.push(from);
        self.left = 0;
    }

    /// The links from where the search began; none if no way leads there. The search goes on until it knows.
    ///
    /// # Complexity
    ///
    /// O(nodes nearer than `to`) in all calls of one search together.
    pub(super) fn links(&mut self, to: NodeId) -> Option<u32> {
        while self.distance[to.index()] == u32::MAX && self.left < self.reached.len() {
            let node = self.reached[self.left];
            self.left += 1;
            for (_, next) in self.machine.neighbours(node) {
                if self.distance[next.index()] == u32::MAX {
                    self.distance[next.index()] = self.distance[node.index()] + 1;
                    self.reached.push(next);
                }
            }
        }
        Some(self.distance[to.index()]).filter(|&links| links != u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_that_stop_early_know_the_distance() {
        let machine =
            Machine::new("mesh:6x7").unwrap().with_dead([8, 9, 15, 30, 35, 41].map(NodeId).to_vec()).unwrap();
        let mut nearby = Nearby::new(&machine);
        for (from, step) in machine.living().zip([1u32, 5, 11, 13].into_iter().cycle()) {
            nearby.start(from);
            for to in (0..machine.nodes()).map(|to| NodeId(to * step % machine.nodes())) {
                let links = machine.distance(from, to).map(|links| links.0);
                assert_eq!(nearby.links(to), links.filter(|_| machine.is_alive(to)), "{from} to {to}");
            }
        }
    }
}
