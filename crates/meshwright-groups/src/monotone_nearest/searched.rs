//! The nearest member on shortest ways to the root, where shortest ways are found by searching.

use crate::extent::cut_off;
use crate::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology, search};

/// Parents by rank: along all edges that lead away from the root, every node learns of the member nearest to it.
pub(super) fn parents(machine: &Machine, group: &Group, root: u32) -> Result<Vec<u32>> {
    let mut distance = Vec::new();
    search(machine, group.node(root), &mut distance);
    let links = |rank: u32| distance[group.node(rank).index()];
    if let Some(lost) = (0..group.size()).find(|&rank| links(rank) == u32::MAX) {
        return Err(cut_off(machine, group, root, lost));
    }
    let mut rank_of = vec![Tree::NONE; distance.len()];
    (0..).zip(group.members()).for_each(|(rank, node)| rank_of[node.index()] = rank);
    let mut outwards: Vec<NodeId> =
        (0..machine.nodes()).map(NodeId).filter(|node| distance[node.index()] != u32::MAX).collect();
    outwards.sort_by_key(|node| distance[node.index()]);
    let mut parent = vec![Tree::NONE; group.members().len()];
    // At every node the member nearest to it on its shortest ways to the root, itself included.
    let mut nearest = vec![Tree::NONE; distance.len()];
    let is_better = |a: u32, b: u32| b == Tree::NONE || (links(b), group.node(a)) < (links(a), group.node(b));
    for node in outwards {
        let mut best = Tree::NONE;
        for (_, next) in machine.neighbours(node) {
            let theirs = nearest[next.index()];
            if distance[next.index()] < distance[node.index()] && is_better(theirs, best) {
                best = theirs;
            }
        }
        let own = rank_of[node.index()];
        if own != Tree::NONE {
            parent[own as usize] = best;
            best = own;
        }
        nearest[node.index()] = best;
    }
    Ok(parent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use rand::RngExt;

    /// The definition: over all pairs, by distances of the machine.
    fn by_definition(machine: &Machine, group: &Group, root: u32) -> Vec<u32> {
        let links = |a: u32, b: u32| machine.distance(group.node(a), group.node(b)).unwrap().0;
        let between = |v: u32, u: u32| u != v && links(v, u) + links(u, root) == links(v, root);
        let best = |v: u32| {
            let those = (0..group.size()).filter(|&u| between(v, u));
            those.min_by_key(|&u| (links(v, u), group.node(u))).unwrap_or(Tree::NONE)
        };
        (0..group.size()).map(best).collect()
    }

    #[test]
    fn a_search_finds_the_nearest_by_definition() {
        let mut random = rng::stream(4, "nearest by search");
        for round in 0..40 {
            let name = ["mesh:6x6", "torus:5x6", "gaussian:4+3i", "ccc:3"][round % 4];
            let machine = Machine::new(name).unwrap();
            let dead = machine.living().filter(|_| round > 8 && random.random_range(0..9) == 0).collect();
            let machine = machine.with_dead(dead).unwrap();
            let members: Vec<NodeId> = machine.living().filter(|_| random.random_range(0..2) == 0).collect();
            let group = Group::in_order(members);
            let Ok(found) = parents(&machine, &group, 0) else { continue };
            assert_eq!(found, by_definition(&machine, &group, 0), "{name}");
        }
    }
}
