//! Up*/down* routing: for every connected network, whatever is dead on it.
//!
//! A breadth-first tree gives each node a level. A link leads up if it leads to a lower level, or to a lower id on
//! the same level. A packet takes links up as long as it likes and then links down; having gone down once it never
//! goes up. Links up are left for links that lead to ever lower (level, id) or for links down, links down for ever
//! higher ones: no ring can close. Every target can be reached, over the root at the latest.

use fixedbitset::FixedBitSet;

use super::Routing;
use super::next_hops::{NextHops, check_connected};
use super::relation::{Choices, PortChoice, Relation};
use crate::topology::{Machine, Topology, distances_from};
use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId, Port};

/// Up first, then down; the shortest such way.
///
/// # Source
///
/// `schroeder1991`. The root here is a node in the middle, and of the ports that begin a shortest legal
/// way the first is taken.
pub const UP_DOWN: Routing = Routing {
    name: "up-down",
    aliases: &["up*/down*"],
    summary: "links up a spanning tree, then links down: on every connected network",
    relation: |machine| Ok(Relation::UpDown(UpDown::new(machine)?)),
};

/// Next hops of packets that may still go up and of packets that may not, and which links lead down.
#[derive(Clone, Debug)]
pub struct UpDown {
    hops: NextHops,
    down: FixedBitSet,
}

impl UpDown {
    fn new(machine: &Machine) -> Result<Self> {
        check_connected("up-down", machine)?;
        let mut hops = NextHops::new(machine, 2)?;
        let tree = Tree::new(machine);
        let mut ways = Ways::new(machine.nodes());
        for target in machine.living() {
            ways.find(machine, &tree, target);
            for &at in tree.order.iter().filter(|&&at| at != target) {
                for phase in [ANY, ONLY_DOWN] {
                    if let Some(port) = ways.port(machine, &tree, at, phase) {
                        hops.set(phase, at, target, port);
                    }
                }
            }
        }
        Ok(Self { hops, down: tree.down_links(machine) })
    }

    #[inline]
    pub(super) fn choose(&self, at: NodeId, arrived: Option<LinkId>, target: NodeId, choices: &mut Choices) {
        if at != target {
            let came_down = arrived.is_some_and(|link| self.down.contains(link.index()));
            choices.push(PortChoice { port: self.hops.get(usize::from(came_down), at, target), class: 0 });
        }
    }
}

/// The phase of a packet that may go up and down.
const ANY: usize = 0;
/// The phase of a packet that has gone down.
const ONLY_DOWN: usize = 1;

/// The living nodes from the root on.
struct Tree {
    order: Vec<NodeId>,
    /// Where each node stands in the order.
    rank: Vec<u32>,
}

impl Tree {
    /// Breadth-first from the middle.
    fn new(machine: &Machine) -> Self {
        let level = distances_from(machine, middle(machine));
        let mut order: Vec<NodeId> = machine.living().collect();
        order.sort_unstable_by_key(|node| (level[node.index()], node.0));
        let mut rank = vec![u32::MAX; machine.nodes() as usize];
        for (place, node) in (0..).zip(&order) {
            rank[node.index()] = place;
        }
        Self { order, rank }
    }

    /// Whether a link from one node to the other leads up.
    fn is_up(&self, from: NodeId, to: NodeId) -> bool {
        self.rank[to.index()] < self.rank[from.index()]
    }

    fn down_links(&self, machine: &Machine) -> FixedBitSet {
        let mut down = FixedBitSet::with_capacity(machine.links() as usize);
        for &node in &self.order {
            for port in (0..machine.ports(node)).map(Port) {
                if machine.neighbour(node, port).is_some_and(|next| !self.is_up(node, next)) {
                    down.insert(machine.link(node, port).index());
                }
            }
        }
        down
    }
}

/// Searches for the middle end after so many tries.
const TRIES: usize = 32;

/// A node from which no other is far: of least eccentricity, if that is found in [`TRIES`] tries.
///
/// A node is at least as far from its farthest node as from any picked one. Each try takes the node whose distances to the nodes
/// picked so far are least, and picks the node farthest from it; the search is over when the two agree.
///
/// # Complexity
///
/// O(tries (nodes + links)).
fn middle(machine: &Machine) -> NodeId {
    let mut at_least = vec![0; machine.nodes() as usize];
    let mut best: Option<(u32, NodeId)> = None;
    for _ in 0..TRIES {
        let candidate = machine.living().min_by_key(|node| at_least[node.index()]);
        let candidate = candidate.expect("a machine has a living node");
        let from_candidate = distances_from(machine, candidate);
        let farthest = machine.living().max_by_key(|node| from_candidate[node.index()]).unwrap_or(candidate);
        let eccentricity = from_candidate[farthest.index()];
        let found = (eccentricity, candidate);
        best = Some(best.map_or(found, |best| best.min(found)));
        if at_least[candidate.index()] == eccentricity {
            break;
        }
        for (bound, hops) in at_least.iter_mut().zip(distances_from(machine, farthest)) {
            *bound = hops.max(*bound);
        }
    }
    best.expect("there was a try").1
}

/// The lengths of the shortest legal ways to one target, by phase and node.
struct Ways {
    hops: [Vec<u32>; 2],
}

impl Ways {
    fn new(nodes: u32) -> Self {
        Self { hops: [vec![u32::MAX; nodes as usize], vec![u32::MAX; nodes as usize]] }
    }

    /// Ways down by search from the target upwards, then ways that begin upwards, the root first.
    fn find(&mut self, machine: &Machine, tree: &Tree, target: NodeId) {
        let [any, down] = &mut self.hops;
        down.fill(u32::MAX);
        down[target.index()] = 0;
        // A link up from a node is a link down to it the other way round, and ranks fall on the way up: in falling
        // order each node is final before it is read.
        for &at in tree.order[..=tree.rank[target.index()] as usize].iter().rev() {
            let hops = down[at.index()];
            if hops != u32::MAX {
                for above in neighbours(machine, at).filter(|&next| tree.is_up(at, next)) {
                    down[above.index()] = down[above.index()].min(hops + 1);
                }
            }
        }
        for &at in &tree.order {
            let above = neighbours(machine, at).filter(|&next| tree.is_up(at, next));
            let over = above.map(|next| any[next.index()].saturating_add(1)).min();
            any[at.index()] = down[at.index()].min(over.unwrap_or(u32::MAX));
        }
    }

    /// The first port that begins a shortest legal way.
    fn port(&self, machine: &Machine, tree: &Tree, at: NodeId, phase: usize) -> Option<Port> {
        let hops = self.hops[phase][at.index()];
        let begins = |next: NodeId| match tree.is_up(at, next) {
            true => phase == ANY && self.hops[ANY][next.index()].saturating_add(1) == hops,
            false => self.hops[ONLY_DOWN][next.index()].saturating_add(1) == hops,
        };
        if hops == u32::MAX {
            return None;
        }
        (0..machine.ports(at)).map(Port).find(|&port| machine.neighbour(at, port).is_some_and(begins))
    }
}

fn neighbours(machine: &Machine, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    (0..machine.ports(node)).filter_map(move |port| machine.neighbour(node, Port(port)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::certify;
    use crate::topology::Graph;
    use crate::topology::graph_file::{Arc, ArcList};
    use meshwright_core::rng::stream;
    use rand::RngExt;
    use std::collections::VecDeque;

    /// A connected network of `nodes` nodes: a random tree and as many wires more.
    fn network(nodes: u32, rng: &mut impl rand::Rng) -> Machine {
        let mut arcs = Vec::new();
        for node in 1..nodes {
            arcs.push(Arc { from: rng.random_range(0..node), to: node, weight: 1 });
            arcs.push(Arc { from: rng.random_range(0..nodes), to: rng.random_range(0..nodes), weight: 1 });
        }
        Machine::of("a random network", &Graph::from_arcs(&ArcList { vertices: nodes, arcs }).unwrap())
            .unwrap()
    }

    /// The hops of the shortest way up and then down from every node, by search over nodes and phases.
    fn searched(machine: &Machine, tree: &Tree, source: NodeId) -> Vec<u32> {
        let mut hops = vec![[u32::MAX; 2]; machine.nodes() as usize];
        hops[source.index()][ANY] = 0;
        let mut queue = VecDeque::from([(source, ANY)]);
        while let Some((at, phase)) = queue.pop_front() {
            let here = hops[at.index()][phase];
            for next in neighbours(machine, at) {
                let up = tree.is_up(at, next);
                let after = if up { ANY } else { ONLY_DOWN };
                if (phase == ANY || !up) && hops[next.index()][after] == u32::MAX {
                    hops[next.index()][after] = here + 1;
                    queue.push_back((next, after));
                }
            }
        }
        hops.into_iter().map(|[any, down]| any.min(down)).collect()
    }

    #[test]
    fn ways_are_the_shortest_that_go_up_and_then_down() {
        let mut rng = stream(3, "test");
        let mut detours = 0;
        for _ in 0..40 {
            let machine = network(12, &mut rng);
            let (tree, up_down) = (Tree::new(&machine), UpDown::new(&machine).unwrap());
            for source in machine.living() {
                let expected = searched(&machine, &tree, source);
                for target in machine.living() {
                    let (mut at, mut arrived, mut hops, mut choices) = (source, None, 0, Choices::new());
                    let mut went_down = false;
                    while at != target {
                        choices.clear();
                        up_down.choose(at, arrived, target, &mut choices);
                        let port = choices.as_slice()[0].port;
                        let next = machine.neighbour(at, port).unwrap();
                        assert!(!(went_down && tree.is_up(at, next)), "up again at {at}");
                        went_down |= !tree.is_up(at, next);
                        (arrived, at, hops) = (Some(machine.link(at, port)), next, hops + 1);
                    }
                    assert_eq!(hops, expected[target.index()], "{source} to {target}");
                    detours += u32::from(Some(hops) > machine.distance(source, target).map(|hops| hops.0));
                }
            }
            assert!(certify::certify(&machine, &Relation::UpDown(up_down)).unwrap().is_free());
        }
        assert!(detours > 0, "some shortest ways are forbidden");
    }

    #[test]
    fn the_root_stands_in_the_middle() {
        for (name, dead) in [
            ("mesh:1", vec![]),
            ("mesh:1x9", vec![]),
            ("mesh:16x9", vec![]),
            ("mesh:5x5x4", vec![]),
            ("mesh:9x9", vec![NodeId(40), NodeId(31), NodeId(0)]),
            ("torus:9x8", vec![]),
            ("torus:9x8", vec![NodeId(3)]),
            ("hypercube:6", vec![]),
        ] {
            let machine = Machine::new(name).unwrap().with_dead(dead).unwrap();
            let least = machine.living().map(|node| machine.eccentricity(node)).min();
            assert_eq!(Some(machine.eccentricity(middle(&machine))), least, "{name}");
        }
    }
}
