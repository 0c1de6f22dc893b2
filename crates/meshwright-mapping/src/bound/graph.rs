//! Lower bounds of any phased task graph: arguments of one task, of cuts, of all links together.
//!
//! A message occupies every link it crosses for b W ticks, and for a start-up more when it is stored; call that its load.
//! Every task has a node of its own, so a message between two tasks crosses a link. A phase lasts
//!
//! ```text
//! wormhole, cut-through   c + the load of the busiest link,   c + b W + h d of every message over d links
//! store-and-forward       the load of the busiest link,       d (c + b W)
//! ```
//!
//! or longer, see [`meshwright_schedule::cost::link_bound`]. Four arguments bound the busiest link (Q below), one the distances.
//!
//! **Degrees.** What a task sends leaves its node over the links of that node: on a node with g of them one carries
//! 1/g of it. Let N nodes live and T tasks be placed, s = N - T. The k nodes with the fewest links hold k - s tasks or
//! more; one of these sends at least what the (k-s)-th of all tasks sends, in increasing order. So Q >= that / g_k, with
//! g_k the links of the k-th node. The same for what tasks receive.
//!
//! **Cuts.** Let S be a set of nodes with m tasks on it and u links out of it. Of what a task on S sends, at most what
//! goes to its m - 1 best partners stays inside; call the rest r_m. So the links carry at least the sum of the m least
//! r_m, and Q >= that / u. The same holds for what the other T - m tasks receive from S. With n living nodes in S, m is
//! at least n - s and at most n; the least over these counts. Sets: the nodes up to any one, in the order of rows, of
//! columns, ..., and of distance from four nodes of least degree.
//!
//! **Volume.** At most B(d) - 1 other nodes lie within d links of a node ([`largest_balls`]), so the partners of a task,
//! the heaviest first, lie at least 1, 1, ..., 2, ... links away. Load times distance, summed over all tasks and
//! halved, for both ends count each message, is spread over all links.
//!
//! **Distance.** Of the B(d - 1) heaviest partners of a task one at least is d links away or farther, and the message
//! between them is no less than that of the lightest of these partners.
//!
//! **Phases.** A barrier ends each phase, each time it runs, so phases add up. And the placement is one for all phases: what the busiest
//! link carries in all of them together bounds the sum of what the busiest carries in each.
//!
//! Dead nodes and links only lower N, degrees and cuts, and these are counted as they are. Single ports add
//! [`meshwright_schedule::cost::ports`], which knows no places.

use super::radius::largest_balls;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology, distances_from};

/// Cuts are looked at on machines up to here.
const CUT_NODES_MAX: u32 = 1 << 16;

/// Of so many nodes of least degree the distances give an order; so many axes do.
const CORNERS: usize = 4;

/// What a machine allows a task graph: its degrees, its cuts, its balls. Wires lead both ways, so links in are as many as
/// links out.
#[derive(Clone, Debug)]
pub struct Terrain {
    pub(super) links: u64,
    /// Links out of each living node, in increasing order.
    pub(super) degrees: Vec<u64>,
    /// The fewest links out of so many living nodes, of the sets looked at.
    pub(super) cuts: Vec<Cut>,
    /// The orders of the nodes whose first ones are the sets.
    orders: Vec<Vec<NodeId>>,
    /// The most nodes within 0, 1, 2, ... links of one.
    pub(super) balls: Vec<u64>,
}

/// The first so many nodes of an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Out of them; [`u64::MAX`] where no order was looked at.
    pub(super) links: u64,
    order: u32,
}

impl Terrain {
    /// Looks at a machine.
    ///
    /// # Complexity
    ///
    /// O((nodes + links) log nodes) for each of at most eight orders of the nodes, beside the time for the balls.
    pub fn new(machine: &Machine) -> Self {
        let degree_of = |node| machine.neighbours(node).count() as u64;
        let living: Vec<NodeId> = machine.living().collect();
        let mut degrees: Vec<u64> = living.iter().map(|&node| degree_of(node)).collect();
        degrees.sort_unstable();
        let mut cuts = vec![Cut { links: u64::MAX, order: 0 }; living.len() + 1];
        let orders = if machine.nodes() <= CUT_NODES_MAX { orders(machine, &living) } else { Vec::new() };
        for (index, order) in (0..).zip(&orders) {
            cut_along(machine, order, |count, links| {
                if links < cuts[count].links {
                    cuts[count] = Cut { links, order: index };
                }
            });
        }
        Self { links: degrees.iter().sum(), degrees, cuts, orders, balls: largest_balls(machine) }
    }

    /// The nodes of the cut of so many, from one number to another.
    pub(super) fn cut_nodes(&self, count: usize) -> Vec<[u32; 2]> {
        let order = &self.orders[self.cuts[count].order as usize];
        let mut nodes: Vec<u32> = order[..count].iter().map(|node| node.0).collect();
        nodes.sort_unstable();
        nodes.chunk_by(|a, b| a + 1 == *b).map(|run| [run[0], run[run.len() - 1]]).collect()
    }
}

/// Orders of the living nodes: along each axis, and by the distance from four nodes of least degree.
fn orders(machine: &Machine, living: &[NodeId]) -> Vec<Vec<NodeId>> {
    let sorted = |key: &dyn Fn(NodeId) -> u32| {
        let mut order = living.to_vec();
        order.sort_unstable_by_key(|&node| (key(node), node));
        order
    };
    let sides = machine.sides();
    let along = |axis: usize| {
        let stride: u32 = sides[axis + 1..].iter().product();
        sorted(&move |node: NodeId| node.0 / stride % sides[axis])
    };
    let mut corners = sorted(&|node| machine.neighbours(node).count() as u32);
    corners.truncate(CORNERS);
    let around = corners.into_iter().map(|corner| {
        let distance = distances_from(machine, corner);
        sorted(&move |node: NodeId| distance[node.index()])
    });
    (0..sides.len().min(CORNERS)).map(along).chain(around).collect()
}

/// Counts the links out of the first 1, 2, ... nodes of an order.
fn cut_along(machine: &Machine, order: &[NodeId], mut counted: impl FnMut(usize, u64)) {
    let mut inside = vec![false; machine.nodes() as usize];
    let mut links = 0u64;
    for (count, node) in (1..).zip(order) {
        for (_, next) in machine.neighbours(*node) {
            // A link between two who are inside led out before.
            if inside[next.index()] { links -= 1 } else { links += 1 }
        }
        inside[node.index()] = true;
        counted(count, links);
    }
}
