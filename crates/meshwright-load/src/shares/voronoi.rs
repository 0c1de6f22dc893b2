//! Voronoi cells in hops: every node belongs to the source nearest to it.
//!
//! A site is one source, or several neighbouring ones that are taken as one; the distance to it is the distance to
//! its nearest member. A node that is equally near to several sites belongs to the first of them. Then every node of
//! a cell has a neighbour in the same cell that is one hop nearer to the site: distances inside a cell are
//! distances in the machine.

use crate::{Cells, UNUSED};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Topology};

/// One hop in a key: the depth stands in the upper half, so keys are in the order of depth, then of site.
const HOP: u64 = 1 << 32;

/// Farther than any node; far enough from the end of the range to be counted on from.
const FAR: u64 = (u32::MAX as u64 / 2) * HOP;

/// The Voronoi cells of these sites; labels are indices into `sites`.
///
/// A node that no site reaches is [`UNUSED`], at depth `u32::MAX`.
///
/// # Panics
///
/// When a member of a site lies outside the machine or is dead.
///
/// # Complexity
///
/// O(nodes + links), whatever the number of sites. While every node works, a mesh or torus takes two passes (on a
/// torus four) along each axis.
///
/// # Source
///
/// `zhang2018`, definition 3.1.2 and eq. 5.1 to 5.3, with ties to the first site.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::voronoi::cells;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x7")?;
/// let two = cells(&line, &[vec![NodeId(1)], vec![NodeId(3)]]);
/// assert_eq!(two.label, [0, 0, 0, 1, 1, 1, 1], "node 2 is equally near to both");
/// assert_eq!(two.depth, [1, 0, 1, 0, 1, 2, 3]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn cells(machine: &Machine, sites: &[Vec<NodeId>]) -> Cells {
    nearest(machine, sites, Ties::First)
}

/// How many nodes are equally near to several sites.
///
/// # Panics
///
/// As for [`cells`].
///
/// # Complexity
///
/// That of [`cells`], twice: a node is tied when the first of its nearest sites is not the last.
pub fn ties(machine: &Machine, sites: &[Vec<NodeId>]) -> usize {
    let (first, last) = (nearest(machine, sites, Ties::First), nearest(machine, sites, Ties::Last));
    first.label.iter().zip(&last.label).filter(|(first, last)| first != last).count()
}

/// Every node that is equally near to several sites, with each of these sites, by node and then by site.
///
/// # Panics
///
/// As for [`cells`].
///
/// # Complexity
///
/// That of [`cells`], and O(ties + ports of the nodes).
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::voronoi::owners_of_ties;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x7")?;
/// let tied = owners_of_ties(&line, &[vec![NodeId(1)], vec![NodeId(3)]]);
/// assert_eq!(tied, [(NodeId(2), 0), (NodeId(2), 1)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn owners_of_ties(machine: &Machine, sites: &[Vec<NodeId>]) -> Vec<(NodeId, u32)> {
    let (first, last) = (nearest(machine, sites, Ties::First), nearest(machine, sites, Ties::Last));
    let mut order: Vec<NodeId> =
        machine.living().filter(|node| first.label[node.index()] != last.label[node.index()]).collect();
    order.sort_unstable_by_key(|node| (first.depth[node.index()], *node));
    // A site is nearest to a node if it is nearest to a neighbour that is one hop nearer.
    let mut owners: Vec<Vec<u32>> = vec![Vec::new(); machine.nodes() as usize];
    for &node in &order {
        let depth = first.depth[node.index()];
        let mut own: Vec<u32> = Vec::new();
        if depth == 0 {
            own.extend((0..sites.len() as u32).filter(|&site| sites[site as usize].contains(&node)));
        }
        for (_, next) in machine.neighbours(node).filter(|(_, next)| first.depth[next.index()] + 1 == depth) {
            match &owners[next.index()][..] {
                [] => own.push(first.label[next.index()]),
                several => own.extend(several),
            }
        }
        own.sort_unstable();
        own.dedup();
        owners[node.index()] = own;
    }
    order.sort_unstable();
    let of =
        |node: NodeId| std::mem::take(&mut owners[node.index()]).into_iter().map(move |site| (node, site));
    order.into_iter().flat_map(of).collect()
}

/// How many nodes each cell has at each depth.
///
/// # Panics
///
/// When a label is neither below `sites` nor [`UNUSED`].
///
/// # Complexity
///
/// O(nodes + entries of the answer).
pub fn layers(cells: &Cells, sites: usize) -> Vec<Vec<u32>> {
    let mut layers: Vec<Vec<u32>> = vec![Vec::new(); sites];
    for (&label, &depth) in cells.label.iter().zip(&cells.depth) {
        if label != UNUSED {
            let cell = &mut layers[label as usize];
            if cell.len() <= depth as usize {
                cell.resize(depth as usize + 1, 0);
            }
            cell[depth as usize] += 1;
        }
    }
    layers
}

/// Whether every node at depth d > 0 has a neighbour of its own cell at depth d - 1, so that a shortest path to the
/// site runs inside the cell.
///
/// # Complexity
///
/// O(nodes + links).
pub fn is_star_shaped(machine: &Machine, cells: &Cells) -> bool {
    let has_parent = |node: NodeId| {
        let (label, depth) = (cells.label[node.index()], cells.depth[node.index()]);
        let mut next = machine.neighbours(node).map(|(_, next)| next);
        label == UNUSED
            || depth == 0
            || next.any(|next| cells.label[next.index()] == label && cells.depth[next.index()] + 1 == depth)
    };
    (0..machine.nodes()).map(NodeId).all(has_parent)
}

/// Who gets a node that is equally near to several sites.
#[derive(Clone, Copy, PartialEq)]
enum Ties {
    First,
    Last,
}

fn nearest(machine: &Machine, sites: &[Vec<NodeId>], ties: Ties) -> Cells {
    for &member in sites.iter().flatten() {
        assert!(member.0 < machine.nodes() && machine.is_alive(member), "a member of a site works");
    }
    match machine.whole_grid() {
        Some(grid) if !sites.is_empty() => swept(grid, sites, ties),
        _ => searched(machine, sites, ties),
    }
}

/// Breadth-first search from all sites at once. The queue is in the order of depth, then of site, so whoever reaches
/// a node first is the site it belongs to.
fn searched(machine: &Machine, sites: &[Vec<NodeId>], ties: Ties) -> Cells {
    let nodes = machine.nodes() as usize;
    let mut cells = Cells { label: vec![UNUSED; nodes], depth: vec![u32::MAX; nodes] };
    let mut queue: Vec<NodeId> = Vec::with_capacity(nodes);
    let reach = |cells: &mut Cells, queue: &mut Vec<NodeId>, node: NodeId, label: u32, depth: u32| {
        if cells.label[node.index()] == UNUSED {
            (cells.label[node.index()], cells.depth[node.index()]) = (label, depth);
            queue.push(node);
        }
    };
    for place in 0..sites.len() {
        let label = if ties == Ties::First { place } else { sites.len() - 1 - place };
        sites[label].iter().for_each(|&member| reach(&mut cells, &mut queue, member, label as u32, 0));
    }
    let mut done = 0;
    while done < queue.len() {
        let node = queue[done];
        let (label, depth) = (cells.label[node.index()], cells.depth[node.index()]);
        machine.neighbours(node).for_each(|(_, next)| reach(&mut cells, &mut queue, next, label, depth + 1));
        done += 1;
    }
    cells
}

/// Distances in hops are sums over the axes, so sweeping along one axis after the other leaves the smallest key.
fn swept(grid: &Grid, sites: &[Vec<NodeId>], ties: Ties) -> Cells {
    // The last site first is the order of the complements.
    let coded = |label: u32| if ties == Ties::First { label } else { !label };
    let mut keys = vec![FAR; grid.nodes() as usize];
    for (label, site) in sites.iter().enumerate() {
        for member in site {
            let key = &mut keys[member.index()];
            *key = (*key).min(u64::from(coded(label as u32)));
        }
    }
    let mut stride = 1;
    for &side in grid.sides().iter().rev() {
        let side = side as usize;
        for block in keys.chunks_exact_mut(side * stride) {
            sweep(block, stride, grid.wraps() && side > 2);
        }
        stride *= side;
    }
    Cells {
        label: keys.iter().map(|&key| coded(key as u32)).collect(),
        depth: keys.iter().map(|&key| (key / HOP) as u32).collect(),
    }
}

/// One axis up and down; around a ring twice, so that what leaves at one end comes in at the other.
fn sweep(block: &mut [u64], stride: usize, wraps: bool) {
    let last = block.len() - stride;
    for round in 0..=usize::from(wraps) {
        if round == 1 {
            let (first, rest) = block.split_at_mut(stride);
            closer(first, &rest[last - stride..]);
        }
        for at in (stride..block.len()).step_by(stride) {
            let (before, here) = block.split_at_mut(at);
            closer(&mut here[..stride], &before[at - stride..]);
        }
    }
    for round in 0..=usize::from(wraps) {
        if round == 1 {
            let (rest, end) = block.split_at_mut(last);
            closer(end, &rest[..stride]);
        }
        for at in (stride..block.len()).step_by(stride).rev() {
            let (here, after) = block.split_at_mut(at);
            closer(&mut here[at - stride..], &after[..stride]);
        }
    }
}

/// Each key, or the neighbour's and one hop if that is smaller.
#[inline]
fn closer(keys: &mut [u64], neighbours: &[u64]) {
    for (key, &neighbour) in keys.iter_mut().zip(neighbours) {
        *key = (*key).min(neighbour + HOP);
    }
}
