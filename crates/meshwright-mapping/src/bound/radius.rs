//! Balls of nodes around one node, and the distance of the farthest task.
//!
//! | here | what |
//! |---|---|
//! | [`ball`] | the most nodes within some hops, by a formula |
//! | [`largest_balls`] | the same for this machine with its borders and holes, counted |
//! | [`radius`] | R |

use meshwright_core::units::{Hops, NodeId};
use meshwright_network::topology::{Grid, Machine, Network, Topology, distances_from};

/// Exact radii by breadth-first search only up to here: the search is quadratic.
const SEARCH_NODES_MAX: u32 = 4096;

/// Exact balls of general graphs and of boxes with holes only up to here, for the same reason.
const BALL_NODES_MAX: u32 = 1024;

/// Balls are counted up to this radius; beyond it stands the formula.
pub(super) const RADIUS_MAX: u32 = 1 << 14;

/// The most nodes within `hops` of one node, or more.
///
/// On a box of dimension D the count of the infinite grid, sum over k of 2^k C(D,k) C(hops,k); on a general
/// graph of greatest degree g the Moore bound 1 + g + g (g-1) + ...
pub fn ball(network: &Network, hops: u32) -> u64 {
    match network {
        Network::Grid(grid) => {
            let dimensions = grid.sides().iter().filter(|&&side| side > 1).count() as u64;
            let (mut term, mut sum) = (1u128, 1u128);
            for k in 1..=dimensions.min(u64::from(hops)) {
                // From 2^(k-1) C(D,k-1) to 2^k C(D,k), which is whole.
                term = term * u128::from((dimensions - k + 1) * 2) / u128::from(k);
                sum = sum.saturating_add(term.saturating_mul(binomial_coefficient(u64::from(hops), k)));
            }
            u64::try_from(sum).unwrap_or(u64::MAX)
        }
        Network::Graph(graph) => {
            let degree =
                (0..graph.nodes()).map(|node| u64::from(graph.ports(NodeId(node)))).max().unwrap_or(0);
            let mut ring = degree;
            let mut sum = 1u64;
            for _ in 0..hops {
                sum = sum.saturating_add(ring);
                ring = ring.saturating_mul(degree.saturating_sub(1));
            }
            sum
        }
    }
}

fn binomial_coefficient(n: u64, k: u64) -> u128 {
    (0..k).fold(1u128, |value, i| value.saturating_mul(u128::from(n - i)) / u128::from(i + 1))
}

/// The most nodes within 0, 1, 2, ... hops of one node of this machine, or more.
///
/// The list ends where a ball holds as many nodes as any, or at radius 2^14. On a box the largest balls are those
/// about its centre, for all radii at once: along an axis no point has more points within t of it than the middle, and
/// a ball is a sum of such counts. Along a side of s nodes the middle has one node at distance 0, two at each of 1, 2,
/// ..., and for even s one at s/2, with or without wrap-around.
///
/// # Complexity
///
/// O(dimensions times radius) for a box; O(nodes times links) for a graph or a box with holes of at most
/// 1024 nodes, greater ones have the formula.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::largest_balls;
/// use meshwright_network::topology::Machine;
/// assert_eq!(largest_balls(&Machine::new("mesh:4x4")?), [1, 5, 11, 15, 16]);
/// assert_eq!(largest_balls(&Machine::new("hypercube:3")?), [1, 4, 7, 8]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn largest_balls(machine: &Machine) -> Vec<u64> {
    if machine.whole_grid().is_none() && machine.nodes() <= BALL_NODES_MAX {
        return counted_balls(machine);
    }
    match machine.network() {
        Network::Grid(grid) => balls_of_a_box(grid),
        Network::Graph(_) => {
            let nodes = u64::from(machine.living_count());
            let mut balls = vec![1u64];
            for hops in 1..=RADIUS_MAX {
                let next = ball(machine.network(), hops).min(nodes);
                if balls.last() == Some(&next) {
                    break;
                }
                balls.push(next);
            }
            balls
        }
    }
}

fn balls_of_a_box(grid: &Grid) -> Vec<u64> {
    let mut rings = vec![1u64];
    for &side in grid.sides() {
        let half = (side / 2) as usize;
        let length = (rings.len() + half).min(RADIUS_MAX as usize + 1);
        let before = cumulative(&rings);
        // Rings at distances low ..= high from r, added up.
        let window = |r: usize, from: usize, to: usize| {
            let upto = |end: Option<usize>| end.map_or(0, |end| before[end.min(before.len() - 1)]);
            upto(r.checked_sub(from)) - upto(r.checked_sub(to + 1))
        };
        let even = side.is_multiple_of(2);
        let pairs = if even { half.saturating_sub(1) } else { half };
        rings = (0..length)
            .map(|r| {
                let opposite = if even { window(r, half, half) } else { 0 };
                window(r, 0, 0) + if pairs == 0 { 0 } else { 2 * window(r, 1, pairs) } + opposite
            })
            .collect();
    }
    cumulative(&rings)
}

fn cumulative(counts: &[u64]) -> Vec<u64> {
    let add = |sum: &mut u64, count: &u64| {
        *sum += count;
        Some(*sum)
    };
    counts.iter().scan(0, add).collect()
}

/// By definition: a search from every living node.
fn counted_balls(machine: &Machine) -> Vec<u64> {
    let mut balls: Vec<u64> = Vec::new();
    for node in machine.living() {
        let mut rings = Vec::new();
        for hops in distances_from(machine, node).into_iter().filter(|&hops| hops != u32::MAX) {
            let hops = hops as usize;
            if rings.len() <= hops {
                rings.resize(hops + 1, 0);
            }
            rings[hops] += 1;
        }
        let ball = cumulative(&rings);
        let reached = ball.last().copied().unwrap_or(0);
        let whole = balls.last().copied().unwrap_or(0);
        let length = balls.len().max(ball.len());
        balls.resize(length, whole);
        for (hops, most) in balls.iter_mut().enumerate() {
            *most = (*most).max(ball.get(hops).copied().unwrap_or(reached));
        }
    }
    let last = balls.iter().position(|&nodes| Some(&nodes) == balls.last()).unwrap_or(0);
    balls.truncate(last + 1);
    balls
}

/// The most nodes within `hops` of one node, from the list of [`largest_balls`] as far as it goes.
pub(super) fn nodes_within(network: &Network, balls: &[u64], hops: u32) -> u64 {
    match balls.get(hops as usize) {
        Some(&nodes) => nodes,
        None if balls.len() > RADIUS_MAX as usize => ball(network, hops),
        None => balls.last().copied().unwrap_or(0),
    }
}

/// The least radius of a ball that may hold this many nodes; the number of nodes if none does.
pub(super) fn least_radius(network: &Network, balls: &[u64], count: u64) -> u32 {
    if let Some(hops) = balls.iter().position(|&nodes| nodes >= count) {
        return hops as u32;
    }
    // Balls grow with their radius, so the search can halve its range.
    let (mut low, mut high) = ((balls.len() as u32).min(network.nodes()), network.nodes());
    while low < high {
        let middle = low + (high - low) / 2;
        if ball(network, middle) >= count { high = middle } else { low = middle + 1 }
    }
    low
}

/// How far some task must lie from any root: the radius bound.
///
/// For as many tasks as living nodes the radius of the machine, floor(p/2) + floor(q/2) + ... on mesh and
/// torus; for fewer tasks the least radius of a ball that holds them.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::bound::radius;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Hops;
/// assert_eq!(radius(&Machine::new("mesh:8x16")?, 128), Hops(12));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn radius(machine: &Machine, tasks: u32) -> Hops {
    radius_from(machine, &largest_balls(machine), tasks)
}

/// As [`radius`], of a machine whose [`largest_balls`] are known.
pub(crate) fn radius_from(machine: &Machine, balls: &[u64], tasks: u32) -> Hops {
    let in_a_ball = || Hops(least_radius(machine.network(), balls, u64::from(tasks)));
    if tasks == machine.living_count() {
        if let Some(grid) = machine.whole_grid() {
            return Hops(grid.sides().iter().map(|side| side / 2).sum());
        }
        if machine.nodes() <= SEARCH_NODES_MAX {
            let least = machine.living().map(|node| machine.eccentricity(node)).min();
            return least.unwrap_or_default().max(in_a_ball());
        }
    }
    in_a_ball()
}
