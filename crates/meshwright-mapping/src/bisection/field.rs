//! The nodes bisection may use: one connected part of the machine, where its middle is, and what is compact in it.

use super::NodeSet;
use crate::parts_of;
use meshwright_core::csr::Csr;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Network, Topology, distances_from};

/// On larger machines the middle is found from coordinates or by three searches, not by one search from each node.
const SEARCHED_NODES_MAX: u32 = 1024;

/// How many roots are tried.
const ROOTS: usize = 6;

/// A connected part of a machine.
pub(super) struct Field<'m> {
    pub(super) machine: &'m Machine,
    grid: Option<&'m Grid>,
    /// Its living nodes, in increasing order.
    nodes: Vec<NodeId>,
    /// By node those beside it: every cut asks, and coordinates take their time.
    pub(super) beside: Csr<NodeId>,
}

impl<'m> Field<'m> {
    /// The largest connected part, of equal ones the first, if it has so many nodes.
    pub(super) fn of(machine: &'m Machine, tasks: u32) -> Option<Self> {
        let grid = match machine.network() {
            Network::Grid(grid) => Some(grid),
            Network::Graph(_) => None,
        };
        // Of equal parts the first, and of those that hold half of the nodes and all tasks.
        let enough = tasks.max(machine.living_count() / 2) as usize;
        let parts = parts_of(machine).1.into_iter();
        let nodes = parts.rev().max_by_key(|part| part.len().min(enough)).unwrap_or_default();
        (nodes.len() >= tasks as usize).then(|| {
            let mut beside = Csr::default();
            for node in (0..machine.nodes()).map(NodeId) {
                beside.push_row(machine.neighbours(node).map(|(_, to)| to));
            }
            Self { machine, grid, nodes, beside }
        })
    }

    /// How many nodes it has.
    pub(super) fn living(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether nodes have coordinates to cut across.
    pub(super) fn has_axes(&self) -> bool {
        self.grid.is_some()
    }

    /// The box, where all of it works: then distances are formulas.
    pub(super) fn whole(&self) -> Option<&'m Grid> {
        self.machine.whole_grid()
    }

    /// Coordinates of every node, axis by axis, so shifted on a torus that the root stands in the middle.
    pub(super) fn coordinates(&self, root: NodeId) -> Vec<Vec<u32>> {
        let Some(grid) = self.grid else { return Vec::new() };
        let along = |axis: usize| {
            let side = grid.sides()[axis];
            let shift = if grid.wraps() { side + side / 2 - grid.coordinate(root, axis) } else { 0 };
            let one = |node| {
                let c = grid.coordinate(NodeId(node), axis) + shift;
                if grid.wraps() { c % side } else { c }
            };
            (0..grid.nodes()).map(one).collect()
        };
        (0..grid.dimensions()).map(along).collect()
    }

    /// Nodes in the middle, the best first: within the fewest hops of as many nodes as there are tasks.
    pub(super) fn roots(&self, tasks: u32) -> Vec<NodeId> {
        let mut roots: Vec<(u64, u64, u64, NodeId)> = if self.machine.nodes() <= SEARCHED_NODES_MAX {
            let reach = |&node: &NodeId| {
                let mut distances = distances_from(self.machine, node);
                distances.sort_unstable();
                let near = distances[..tasks as usize].iter().map(|&hops| u64::from(hops));
                (near.clone().max().unwrap_or(0), near.sum(), self.off_centre(node), node)
            };
            self.nodes.iter().map(reach).collect()
        } else if self.has_axes() {
            self.nodes.iter().map(|&node| (0, 0, self.off_centre(node), node)).collect()
        } else {
            let far = |distance: &[u32]| {
                *self.nodes.iter().max_by_key(|node| distance[node.index()]).expect("a node")
            };
            let one = distances_from(self.machine, far(&distances_from(self.machine, self.nodes[0])));
            let other = distances_from(self.machine, far(&one));
            let between = |&node: &NodeId| {
                let (a, b) = (u64::from(one[node.index()]), u64::from(other[node.index()]));
                (a.max(b), a + b, 0, node)
            };
            self.nodes.iter().map(between).collect()
        };
        let kept = ROOTS.min(roots.len());
        roots.select_nth_unstable(kept - 1);
        roots.truncate(kept);
        roots.sort_unstable();
        roots.into_iter().map(|root| root.3).collect()
    }

    /// Twice the distance from the upper middle of the box; 0 on a general graph.
    fn off_centre(&self, node: NodeId) -> u64 {
        let Some(grid) = self.grid else { return 0 };
        let along = |axis: usize| u64::from((2 * grid.coordinate(node, axis)).abs_diff(grid.sides()[axis]));
        (0..grid.dimensions()).map(along).sum()
    }

    /// How many dimensions the coordinates have.
    pub(super) fn dimensions(&self) -> usize {
        self.grid.map_or(0, Grid::dimensions)
    }

    /// So many nodes about a root.
    pub(super) fn set(&self, root: NodeId, tasks: u32, part: NodeSet) -> Vec<NodeId> {
        let mut set = self.nodes.clone();
        if set.len() == tasks as usize {
            return set;
        }
        let hops = distances_from(self.machine, root);
        // Boxes grow downwards first: the root is the upper of the two in the middle.
        let reach = |grid: &Grid, node: NodeId, axis: usize| {
            let (steps, up) = grid.offset(root, node, axis);
            let layers = 2 * steps + u32::from(up && steps > 0);
            if part == NodeSet::Box(axis) { layers.div_ceil(2) } else { layers }
        };
        let reach = |node: NodeId| match self.grid.filter(|_| part != NodeSet::Ball) {
            Some(grid) => (0..grid.dimensions()).map(|axis| reach(grid, node, axis)).max().unwrap_or(0),
            None => 0,
        };
        let mut keyed: Vec<_> = set.iter().map(|&node| (reach(node), hops[node.index()], node)).collect();
        keyed.select_nth_unstable(tasks as usize - 1);
        set.clear();
        set.extend(keyed[..tasks as usize].iter().map(|key| key.2));
        set
    }
}
