//! Halves of the machine, and how far parts of it are from each other.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// How many nodes of a general network are looked at around the middle of a part: so many, and so many for each node
/// of the part. What lies beyond does not pull.
const LOOKED_AT: usize = 512;
const LOOKED_AT_PER_NODE: usize = 32;

/// Cuts sets of nodes in two.
#[derive(Debug)]
pub(super) struct Halves<'m> {
    machine: &'m Machine,
    stamp: Vec<u32>,
    now: u32,
}

impl<'m> Halves<'m> {
    /// Halves of parts of this machine.
    pub(super) fn new(machine: &'m Machine) -> Self {
        let general = matches!(machine.network(), Network::Graph(_));
        Self { machine, stamp: vec![0; if general { machine.nodes() as usize } else { 0 }], now: 0 }
    }

    /// Brings the nodes of the first half to the front and counts them; both halves have some. Of equally long
    /// sides the first from `axis` on is cut.
    pub(super) fn cut(&mut self, nodes: &mut [NodeId], axis: usize) -> usize {
        let Network::Grid(grid) = self.machine.network() else { return self.cut_by_distance(nodes) };
        let length = |axis: usize| {
            let (low, high) = extent(grid, nodes, axis);
            high - low
        };
        let axes = (axis..grid.dimensions()).chain(0..axis).rev();
        let axis = axes.max_by_key(|&axis| length(axis));
        let axis = axis.expect("a box has sides");
        let (low, high) = extent(grid, nodes, axis);
        let middle = low + (high - low).div_ceil(2);
        nodes.sort_by_key(|node| grid.coordinate(*node, axis) >= middle);
        nodes.partition_point(|node| grid.coordinate(*node, axis) < middle)
    }

    /// Half of the nodes, those nearest to one that is far from others.
    fn cut_by_distance(&mut self, nodes: &mut [NodeId]) -> usize {
        let far = *self.by_distance(nodes, nodes[0]).last().expect("there are nodes");
        let order = self.by_distance(nodes, far);
        nodes.copy_from_slice(&order);
        nodes.len() / 2
    }

    /// The nodes by their distance from one of them within the set; those it does not reach last.
    fn by_distance(&mut self, nodes: &[NodeId], start: NodeId) -> Vec<NodeId> {
        self.now += 2;
        let (inside, seen) = (self.now - 1, self.now);
        nodes.iter().for_each(|node| self.stamp[node.index()] = inside);
        let mut order = Vec::with_capacity(nodes.len());
        for &begin in std::iter::once(&start).chain(nodes) {
            if self.stamp[begin.index()] == seen {
                continue;
            }
            self.stamp[begin.index()] = seen;
            let mut next = order.len();
            order.push(begin);
            while next < order.len() {
                let at = order[next];
                next += 1;
                for (_, to) in self.machine.neighbours(at) {
                    if self.stamp[to.index()] == inside {
                        self.stamp[to.index()] = seen;
                        order.push(to);
                    }
                }
            }
        }
        order
    }
}

/// The least and the greatest coordinate of some nodes along one axis.
fn extent(grid: &Grid, nodes: &[NodeId], axis: usize) -> (u32, u32) {
    let along = nodes.iter().map(|node| grid.coordinate(*node, axis));
    along.fold((u32::MAX, 0), |(low, high), c| (low.min(c), high.max(c)))
}

/// How far the parts of a machine are from each other, in half links: from middle to middle.
#[derive(Debug)]
pub(super) enum Apart<'m> {
    /// In a box: the middles, as twice their coordinates.
    Box { grid: &'m Grid, middles: Vec<u32>, pair: [usize; 2] },
    /// In a general network: a node in the middle of each part, and the distances from two of them.
    General { machine: &'m Machine, middles: Vec<NodeId>, pair: [Reach; 2] },
}

/// The distances from a node to those around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    distance: Vec<u32>,
    reached: Vec<NodeId>,
}

impl<'m> Apart<'m> {
    /// No parts yet.
    pub(super) fn new(machine: &'m Machine) -> Self {
        if let Network::Grid(grid) = machine.network() {
            return Self::Box { grid, middles: Vec::new(), pair: [0; 2] };
        }
        let none = Reach { distance: vec![u32::MAX; machine.nodes() as usize], reached: Vec::new() };
        Self::General { machine, middles: Vec::new(), pair: [none.clone(), none] }
    }

    /// Forgets all parts.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Box { middles, .. } => middles.clear(),
            Self::General { middles, .. } => middles.clear(),
        }
    }

    /// One more part, which must have nodes; parts are numbered from 0.
    pub(super) fn push(&mut self, nodes: &[NodeId]) {
        match self {
            Self::Box { grid, middles, .. } => {
                middles.extend((0..grid.dimensions()).map(|axis| {
                    let (low, high) = extent(grid, nodes, axis);
                    low + high
                }));
            }
            Self::General { middles, .. } => middles.push(nodes[nodes.len() / 2]),
        }
    }

    /// Names the two parts that pull; they have so many nodes together.
    pub(super) fn between(&mut self, first: usize, second: usize, nodes: usize) {
        match self {
            Self::Box { pair, .. } => *pair = [first, second],
            Self::General { machine, middles, pair } => {
                let limit = LOOKED_AT + LOOKED_AT_PER_NODE * nodes;
                for (reach, part) in pair.iter_mut().zip([first, second]) {
                    reach.around(machine, middles[part], limit);
                }
            }
        }
    }

    /// How much farther the second part is from another than the first.
    pub(super) fn farther(&self, part: usize) -> i64 {
        match self {
            Self::Box { grid, middles, pair: [first, second] } => {
                i64::from(steps(grid, middles, *second, part)) - i64::from(steps(grid, middles, *first, part))
            }
            Self::General { middles, pair: [first, second], .. } => {
                let at = |reach: &Reach| reach.distance[middles[part].index()];
                match (at(first), at(second)) {
                    (u32::MAX, _) | (_, u32::MAX) => 0,
                    (first, second) => 2 * (i64::from(second) - i64::from(first)),
                }
            }
        }
    }

    /// How far the two parts are from each other; at least one link.
    pub(super) fn apart(&self) -> u64 {
        match self {
            Self::Box { grid, middles, pair: [first, second] } => {
                u64::from(steps(grid, middles, *first, *second)).max(2)
            }
            Self::General { pair: [first, second], .. } => {
                let to = second.reached.first().expect("a part has a middle");
                match first.distance[to.index()] {
                    u32::MAX => 2,
                    links => 2 * u64::from(links.max(1)),
                }
            }
        }
    }
}

/// The half links between the middles of two parts.
fn steps(grid: &Grid, middles: &[u32], a: usize, b: usize) -> u32 {
    let dimensions = grid.dimensions();
    let along = |axis: usize| {
        let straight = middles[a * dimensions + axis].abs_diff(middles[b * dimensions + axis]);
        let side = grid.sides()[axis];
        if grid.wraps() && side > 2 { straight.min(2 * side - straight) } else { straight }
    };
    (0..dimensions).map(along).sum()
}

impl Reach {
    /// Measures from a node, breadth first, until so many nodes are reached.
    fn around(&mut self, machine: &Machine, start: NodeId, limit: usize) {
        for node in self.reached.drain(..) {
            self.distance[node.index()] = u32::MAX;
        }
        self.distance[start.index()] = 0;
        self.reached.push(start);
        let mut next = 0;
        while next < self.reached.len() && self.reached.len() < limit {
            let at = self.reached[next];
            next += 1;
            for (_, to) in machine.neighbours(at) {
                if self.distance[to.index()] == u32::MAX {
                    self.distance[to.index()] = self.distance[at.index()] + 1;
                    self.reached.push(to);
                }
            }
        }
    }
}
