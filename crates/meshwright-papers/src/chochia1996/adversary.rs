//! Groups on which rank-halving trees are as high as a machine lets them be.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_network::topology::order::order;
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// A group in two far corners of a box, on which one way of the rank-halving tree crosses the box with every edge.
///
/// Go from the root to its left child, to that one's right child, to that one's left child and so on. With t ranks on
/// one side of the gap where this ends, t members lie round one corner and the others round the opposite one: every
/// edge of the way crosses the box. On a mesh of n x n the way has some `2 n log2(s)` links, while no two members are
/// more than `2 (n - 1)` apart. On a torus the two places are half-way round from each other. Of the sizes
/// `floor(2^k / 3)`, at which the way gets one edge more, and of four pairs of corners it is the group with the
/// longest such way.
///
/// # Errors
///
/// [`Error::Value`] for an unknown order. [`Error::NotApplicable`] for a network without a box, and when the order
/// runs back and forth between the two places on every size.
///
/// # Complexity
///
/// O(nodes log nodes).
///
/// # Source
///
/// `chochia1996`: a counter-example to the upper bound of its theorem 1.
///
/// # Examples
///
/// ```
/// use meshwright_groups::rank_halving;
/// use meshwright_papers::chochia1996::adversary;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:16x16")?;
/// let group = adversary::adversarial_corner_group(&mesh, "hilbert")?;
/// let height = rank_halving::tree(group.size()).height_links(&mesh, &group);
/// assert_eq!((group.size(), height), (42, 106), "members are at most 30 links apart");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn adversarial_corner_group(machine: &Machine, order_name: &str) -> Result<Group> {
    let walk = (order(order_name)?.walk)(machine.sides());
    let Network::Grid(grid) = machine.network() else {
        return Err(Error::not_applicable("adversarial group", format!("{} has no corners", machine.name())));
    };
    let mut place = vec![0u32; walk.len()];
    (0..).zip(&walk).for_each(|(at, node)| place[node.index()] = at);
    let alive: Vec<NodeId> = walk.into_iter().filter(|&node| machine.is_alive(node)).collect();
    let around = |corner: NodeId| {
        let mut near = alive.clone();
        near.sort_by_key(|&node| grid.distance(corner, node));
        near
    };
    let sizes = || (2..32).map(|k| (1u32 << k) / 3).take_while(|&s| s as usize <= alive.len() / 2);
    let mut best = (0, None);
    for (first, second) in far_pairs(grid) {
        let (first, second) = (around(first), around(second));
        for size in sizes().filter(|&size| size > 1) {
            let (way, gap) = zig_zag(size);
            let mut members = first[..gap as usize].to_vec();
            members.extend(&second[..(size - gap) as usize]);
            let rank_in_walk = |node: &NodeId| place[node.index()];
            let (before, after) = members.split_at(gap as usize);
            let is_apart = before.iter().map(rank_in_walk).max() < after.iter().map(rank_in_walk).min();
            members.sort_unstable_by_key(rank_in_walk);
            let edge = |pair: &[u32]| {
                let ends = (members[pair[0] as usize], members[pair[1] as usize]);
                grid.distance(ends.0, ends.1).map_or(0, |links| links.0)
            };
            let length: u32 = way.windows(2).map(edge).sum();
            if is_apart && length > best.0 {
                best = (length, Some(members));
            }
        }
    }
    let none = || Error::not_applicable("adversarial group", format!("{order_name} on {}", machine.name()));
    best.1.map(Group::in_order).ok_or_else(none)
}

/// Ranks on the way root, left, right, left and so on in the rank-halving tree, and how many ranks lie before the
/// place where it ends.
pub fn zig_zag(size: u32) -> (Vec<u32>, u32) {
    let (mut first, mut end, mut way) = (0, size, Vec::new());
    while first < end {
        let at = first + (end - first) / 2;
        if way.len() % 2 == 0 {
            end = at;
        } else {
            first = at + 1;
        }
        way.push(at);
    }
    (way, first)
}

/// Pairs of nodes that are far from each other: opposite corners, and on a torus the middles of opposite quarters; both
/// ways round, and mirrored along the last axis.
fn far_pairs(grid: &Grid) -> Vec<(NodeId, NodeId)> {
    let low = |side: u32| if grid.wraps() { side / 4 } else { 0 };
    let high = |side: u32| if grid.wraps() { side / 4 + side / 2 } else { side - 1 };
    let (mut near, mut far): (Vec<u32>, Vec<u32>) =
        grid.sides().iter().map(|&side| (low(side), high(side))).unzip();
    let mut pairs = Vec::new();
    for _ in 0..2 {
        let (a, b) = (grid.node_at(&near), grid.node_at(&far));
        pairs.extend([(a, b), (b, a)]);
        let last = near.len() - 1;
        std::mem::swap(&mut near[last], &mut far[last]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_groups::rank_halving;

    fn height(machine: &Machine, order: &str) -> (u32, u32) {
        let group = adversarial_corner_group(machine, order).unwrap();
        (group.size(), rank_halving::tree(group.size()).height_links(machine, &group))
    }

    #[test]
    fn the_zig_zag_is_a_way_down_the_tree() {
        for size in 1..200 {
            let (way, gap) = zig_zag(size);
            assert_eq!(Some(way[0]), rank_halving::root(size));
            for (index, pair) in way.windows(2).enumerate() {
                let place = rank_halving::place(pair[0], size);
                let next = if index % 2 == 0 { place.left } else { place.right };
                assert_eq!(next, Some(pair[1]), "size {size}");
            }
            assert!(
                way.windows(2).all(|pair| (pair[0] < gap) != (pair[1] < gap)),
                "every edge jumps the gap"
            );
        }
    }

    #[test]
    fn every_box_and_order_has_one() {
        for name in ["mesh:16x16", "mesh:17x12", "torus:16x16", "mesh:8x8x8", "torus:9x12", "mesh:1x40"] {
            let machine = Machine::new(name).unwrap();
            for order in ["row", "hilbert", "snake", "column"] {
                let (size, high) = height(&machine, order);
                let whole = Group::whole(&machine, order).unwrap();
                let diameter = machine.network().eccentricity(NodeId(0)).0;
                assert!(high > diameter, "{name} {order}: {high} with {size} members, diameter {diameter}");
                assert!(size <= whole.size() / 2);
            }
        }
    }

    #[test]
    fn heights_of_the_corner_family_on_the_hilbert_order() {
        // From the first known family of this kind up to the worst of all groups of that size or less.
        for (side, known, worst) in [(16, 102, 141), (32, 278, 389), (64, 729, 1009)] {
            let machine = Machine::mesh([side, side]).unwrap();
            let (_, high) = height(&machine, "hilbert");
            assert!((known..=worst).contains(&high), "side {side}: {high}");
        }
    }
}
