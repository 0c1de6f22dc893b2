//! Channel load of a pattern: its mean distance, and the load that fills its busiest channel.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | gamma | channel load at one flit per node and cycle | flits per cycle |
//! | Theta | [`Pattern::capacity`] | flits per node and cycle |
//! | N, k | nodes, side | nodes |

use super::Pattern;
use super::pattern::{HOT_SHARE, Rule};
use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_network::routing::dimension_order;
use meshwright_network::topology::{Grid, Machine, Topology, distances_from};

/// Sums over pairs of nodes that take more steps than this are not made.
const STEPS_MAX: u64 = 1 << 30;

impl Pattern {
    /// The expected distance from source to target, in links, exactly: by formula for uniform traffic on a box,
    /// else added up over all pairs.
    ///
    /// `None` when a pair is not connected, or when adding up would take more than 2^30 steps.
    ///
    /// # Complexity
    ///
    /// O(nodes) on a box without dead nodes, else O(nodes (nodes + links)).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::traffic::Pattern;
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:16x16")?;
    /// let hops = Pattern::new("uniform-with-self", &mesh)?.mean_hops(&mesh).expect("connected");
    /// assert!((hops - 2.0 * (256.0 - 1.0) / (3.0 * 16.0)).abs() < 1e-12, "(k^2 - 1) / 3k along each side");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn mean_hops(&self, machine: &Machine) -> Option<f64> {
        let nodes = f64::from(machine.living_count());
        match &self.rule {
            Rule::Uniform { with_self, .. } => {
                let targets = if *with_self { nodes } else { nodes - 1.0 };
                Some(distance_sum(machine)? / (nodes * targets))
            }
            Rule::Fixed(targets) => {
                let sum: Option<u64> = match machine.whole_grid() {
                    Some(grid) => {
                        let hops = |source: NodeId| {
                            grid.distance(source, targets[source.index()]).map(|hops| u64::from(hops.0))
                        };
                        machine.living().map(hops).sum()
                    }
                    None => searched(machine)?
                        .map(|(source, distances)| finite(distances[targets[source.index()].index()]))
                        .sum(),
                };
                Some(sum? as f64 / nodes)
            }
            Rule::HotSpot { hot, .. } => {
                let uniform = distance_sum(machine)? / (nodes * (nodes - 1.0));
                if steps(machine, hot.len() as u64) > STEPS_MAX {
                    return None;
                }
                let from_hot = |&node| distances_from(machine, node);
                let hot_sum: u64 =
                    hot.iter().map(|node| living_sum(machine, &from_hot(node))).sum::<Option<_>>()?;
                // A hot node that draws itself draws again among the others: the second term of the bracket.
                let each = HOT_SHARE / (hot.len() as f64 * nodes) * (1.0 + 1.0 / (nodes - 1.0));
                Some((1.0 - HOT_SHARE) * uniform + hot_sum as f64 * each)
            }
        }
    }

    /// The greatest load a network with dimension-order routing can carry, whatever its routers: at it the busiest
    /// channel (link, injection or ejection) passes one flit every cycle.
    ///
    /// ```text
    /// Theta = 1 / max over channels of gamma
    /// uniform on a mesh:   gamma = floor(k^2 / 4) / k * N / (N - 1)
    /// uniform on a torus:  gamma = m (m + 1) / 2k * N / (N - 1),  m = floor(k / 2), ties going up
    /// ```
    ///
    /// For uniform traffic on an even side of a mesh this is the bisection bound. `None` where dimension order does
    /// not route: on graphs, and when a node is dead.
    ///
    /// # Complexity
    ///
    /// O(links) for uniform traffic, O(nodes hops) for a fixed target per node.
    ///
    /// # Source
    ///
    /// `dally2004`, section 3.3.1.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::traffic::Pattern;
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:16x16")?;
    /// let capacity = |name| -> meshwright_core::Result<_> { Ok(Pattern::new(name, &mesh)?.capacity(&mesh)) };
    /// assert_eq!(capacity("uniform-with-self")?, Some(0.25), "4 / k");
    /// assert_eq!(capacity("transpose")?, Some(1.0 / 15.0), "15 nodes of a row turn at the same corner");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn capacity(&self, machine: &Machine) -> Option<f64> {
        let grid = machine.whole_grid()?;
        let nodes = f64::from(machine.nodes());
        let mut loads = vec![0.0; grid.links() as usize];
        // Every node injects one flit a cycle; where targets are distinct it receives as many.
        let mut busiest = 1.0f64;
        match &self.rule {
            Rule::Uniform { with_self, .. } => {
                let targets = if *with_self { nodes } else { nodes - 1.0 };
                add_uniform(grid, 1.0 / targets, &mut loads);
            }
            Rule::Fixed(targets) => {
                for (source, &target) in (0..).map(NodeId).zip(targets) {
                    add(grid, source, target, 1.0, &mut loads);
                }
            }
            Rule::HotSpot { hot, .. } => {
                let hops = u64::from(grid.sides().iter().sum::<u32>());
                if (hot.len() as u64).saturating_mul(u64::from(machine.nodes())).saturating_mul(hops)
                    > STEPS_MAX
                {
                    return None;
                }
                let each = HOT_SHARE / hot.len() as f64;
                add_uniform(grid, (1.0 - HOT_SHARE) / (nodes - 1.0), &mut loads);
                for &node in hot {
                    for other in (0..machine.nodes()).map(NodeId).filter(|&other| other != node) {
                        add(grid, other, node, each, &mut loads);
                        add(grid, node, other, each / (nodes - 1.0), &mut loads);
                    }
                }
                // From every other node its share, and what the other hot nodes draw again.
                let others = hot.len() as f64 - 1.0;
                busiest =
                    busiest.max((1.0 - HOT_SHARE) + each * (nodes - 1.0) + others * each / (nodes - 1.0));
            }
        }
        Some(1.0 / loads.into_iter().fold(busiest, f64::max))
    }
}

/// Adds one flow to the links of its dimension-order route.
fn add(grid: &Grid, from: NodeId, to: NodeId, flow: f64, loads: &mut [f64]) {
    dimension_order::for_each_link(grid, from, to, |link| loads[link.index()] += flow);
}

/// Adds the same flow from every node to every other.
///
/// A link along an axis of side k carries, for each of the N / k lines of targets, the pairs of positions on its
/// line whose way leads over it.
fn add_uniform(grid: &Grid, flow: f64, loads: &mut [f64]) {
    for (index, load) in loads.iter_mut().enumerate() {
        let link = LinkId(index as u32);
        let node = grid.source(link);
        let (axis, up) = grid.direction(Port(index as u32 - grid.first_link(node).0));
        if grid.step(node, axis, up).is_none() {
            continue;
        }
        let (side, at) = (u64::from(grid.sides()[axis]), u64::from(grid.coordinate(node, axis)));
        let pairs = if grid.wraps() && side > 2 {
            let longest = if up { side / 2 } else { (side - 1) / 2 };
            longest * (longest + 1) / 2
        } else if up {
            (at + 1) * (side - at - 1)
        } else {
            at * (side - at)
        };
        *load += flow * pairs as f64 * (u64::from(grid.nodes()) / side) as f64;
    }
}

/// The distances of all ordered pairs of living nodes, added up.
fn distance_sum(machine: &Machine) -> Option<f64> {
    let Some(grid) = machine.whole_grid() else {
        let sum: Option<u64> = searched(machine)?.map(|(_, distances)| living_sum(machine, &distances)).sum();
        return sum.map(|sum| sum as f64);
    };
    let nodes = u128::from(grid.nodes());
    let along = |&side: &u32| {
        let k = u128::from(side);
        let line = if grid.wraps() { k * (k * k / 4) } else { k * (k * k - 1) / 3 };
        line * (nodes / k) * (nodes / k)
    };
    Some(grid.sides().iter().map(along).sum::<u128>() as f64)
}

/// Breadth-first distances from every living node, unless that takes too long.
fn searched(machine: &Machine) -> Option<impl Iterator<Item = (NodeId, Vec<u32>)> + '_> {
    let few = steps(machine, machine.nodes().into()) <= STEPS_MAX;
    few.then(|| machine.living().map(|node| (node, distances_from(machine, node))))
}

/// The steps of so many breadth-first searches.
fn steps(machine: &Machine, searches: u64) -> u64 {
    searches.saturating_mul(u64::from(machine.nodes()) + u64::from(machine.links()))
}

fn living_sum(machine: &Machine, distances: &[u32]) -> Option<u64> {
    machine.living().map(|node| finite(distances[node.index()])).sum()
}

fn finite(distance: u32) -> Option<u64> {
    (distance != u32::MAX).then_some(distance.into())
}
