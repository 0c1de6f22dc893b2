//! What no placement can beat.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | T_P(E_C), perfect mapping | [`perfect`] | weights |
//! | R, radius of the machine | [`radius`] | links |
//! | D_j = d_1 + ... + d_j | [`prefix`] | links |
//!
//! **Radius.** A path of the binomial tree uses each phase at most once, so every task lies within
//! d_1 + ... + d_n of the root, d_i the dilation of phase i; and some node lies at distance at least R from
//! any node. Hence d_1 + ... + d_n >= R, for every placement of as many tasks as nodes, any root and any
//! routes. Fewer tasks than nodes reach as far as the least ball that holds them. All messages of phase i have
//! one size, so under wormhole routing it takes at least c + b (W_i + h d_i), which gives
//! n c + b (W_1 + ... + W_n) + b h max(n, R). Centred halving attains it where its box is the whole machine.
//!
//! **Prefixes.** Take any j phases with dilations summing to D. The 2^j sets S of them lead from the root to
//! 2^j different nodes, the node of S within the sum of S. Of S and its complement one sums to at most
//! D / 2, so at least 2^(j-1) nodes lie within floor(D / 2) of the root: D must be so large that a ball of
//! that radius holds as many. With weights that do not increase from phase to phase, Abel summation turns
//! these prefix sums into a bound of w_1 d_1 + ... + w_n d_n.
//!
//! Both arguments count nodes and links only. Dead nodes and single ports take possibilities away, so the bounds
//! stay bounds; the combine stage sends over the same distances, so its weights add to those of the divide stage.
//! The bounds need not be tight: on a 2-D mesh the growing mapping meets the prefix sums for j <= 8 and for all
//! even j, and is a tenth above those for odd j at most (j = 9).

use super::{Divide, Shape, TaskGraph, divide};
use crate::topology::{Costs, Grid, Machine, Network, Switching, Topology};
use crate::units::{Hops, NodeId};

/// Exact radii by breadth-first search only up to here: the search is quadratic.
const SEARCH_NODES_MAX: u32 = 4096;

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

/// The least radius, from `from` on, of a ball that may hold this many nodes; the number of nodes if none does.
fn least_radius(network: &Network, count: u64, from: u32) -> u32 {
    // Balls grow with their radius, so the search can halve its range.
    let (mut low, mut high) = (from, network.nodes());
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
/// use meshwright::{mapping::bound::radius, topology::Machine, units::Hops};
/// assert_eq!(radius(&Machine::new("mesh:8x16")?, 128), Hops(12));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn radius(machine: &Machine, tasks: u32) -> Hops {
    let in_a_ball = || least_radius(&machine.network, u64::from(tasks), 0);
    if tasks == machine.living_count() {
        if let Some(grid) = machine.whole_grid() {
            return Hops(grid.sides().iter().map(|side| side / 2).sum());
        }
        if machine.nodes() <= SEARCH_NODES_MAX {
            let least = machine.living().map(|node| machine.eccentricity(node)).min();
            return least.unwrap_or_default().max(Hops(in_a_ball()));
        }
    }
    Hops(in_a_ball())
}

/// The least sum of the dilations of any j phases of B(n), j = 1, ..., n, for any placement.
///
/// # Source
///
/// The half-ball argument in the module's text; on a 2-D mesh it gives 2^(j/2) for even j, which the growing
/// mapping of `lo1990`, definition 3, attains.
///
/// # Examples
///
/// ```
/// use meshwright::{mapping::bound::prefix, topology::Machine};
/// assert_eq!(prefix(&Machine::new("mesh:16x16")?, 8), [1, 2, 3, 4, 6, 8, 12, 16]);
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn prefix(machine: &Machine, n: u32) -> Vec<u64> {
    let mut half = 0;
    let mut sums: Vec<u64> = (1..=n)
        .map(|j| {
            half = least_radius(&machine.network, 1 << (j - 1), half);
            u64::from(2 * half).max(u64::from(j))
        })
        .collect();
    if let Some(last) = sums.last_mut() {
        *last = (*last).max(u64::from(radius(machine, 1 << n).0));
    }
    sums
}

/// The least sum of the dilations of any j phases of a tree, j = 1, ..., n, for any placement.
///
/// For the binomial tree see [`prefix`]. Of a halving tree whose sides are not all powers of two only two things
/// are used: every phase takes a hop, and all phases together reach every task. On a whole box with an odd
/// side that takes one hop more than its radius R: from a root in the middle two nodes lie R away along that side, a sum
/// of R would reach each of them by all phases, and all phases lead to one node only.
///
/// # Examples
///
/// ```
/// use meshwright::{mapping::{Shape, bound::prefix_of}, topology::Machine};
/// assert_eq!(prefix_of(&Shape::Halving(vec![13]), &Machine::new("mesh:13")?), [1, 2, 3, 7], "R = 6");
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn prefix_of(shape: &Shape, machine: &Machine) -> Vec<u64> {
    let n = shape.phases();
    let sides = match shape {
        Shape::Binomial(_) => return prefix(machine, n),
        Shape::Halving(sides) => sides,
    };
    if sides.iter().all(|side| side.is_power_of_two()) {
        return prefix(machine, n);
    }
    let tasks = shape.tasks();
    let odd = |grid: &Grid| grid.sides().iter().any(|&side| side > 1 && !side.is_multiple_of(2));
    let whole = tasks == machine.nodes() && machine.whole_grid().is_some_and(odd);
    let mut sums: Vec<u64> = (1..=u64::from(n)).collect();
    if let Some(last) = sums.last_mut() {
        *last = (*last).max(u64::from(radius(machine, tasks).0) + u64::from(whole));
    }
    sums
}

/// A lower bound of w_1 d_1 + ... + w_n d_n for weights that do not increase, by Abel summation:
/// the sum over j of D_j (w_j - w_(j+1)), with w_(n+1) = 0.
pub fn weighted(prefix: &[u64], weights: &[f64]) -> f64 {
    let next = |j: usize| weights.get(j + 1).copied().unwrap_or(0.0);
    // From +0: the sum of nothing is printed as 0, not -0.
    prefix.iter().enumerate().fold(0.0, |bound, (j, sum)| bound + *sum as f64 * (weights[j] - next(j)))
}

/// The time of the perfect mapping, which has dilation 1 and no contention: the sum of the heaviest weights.
///
/// # Source
///
/// `lo1990`, definition 9, eqs. (4) and (9), lemma 4.
pub fn perfect(weights: &[f64]) -> f64 {
    weights.iter().fold(0.0, |sum, weight| sum + weight)
}

/// The bound of a whole divide-and-conquer job in ticks, messages rounded to bytes as they are sent.
pub fn divide_ticks(job: &Divide, machine: &Machine, switching: Switching, costs: &Costs) -> u64 {
    let n = job.shape.phases();
    let sums = prefix_of(&job.shape, machine);
    // Per phase of the tree the ticks of its messages in all stages: c + b W each.
    let weights: Vec<u64> = (1..=n)
        .map(|i| {
            let ticks = |alpha: f64| {
                costs.startup_ticks() + costs.transfer_ticks(divide::bytes(alpha, i, job.volume))
            };
            job.stages().map(ticks).sum()
        })
        .collect();
    match switching {
        Switching::Wormhole | Switching::CutThrough => {
            let distance = sums.last().copied().unwrap_or(0) * job.stages().count() as u64;
            weights.iter().sum::<u64>() + costs.head_ticks() * distance
        }
        Switching::StoreAndForward => {
            let next = |j: usize| weights.get(j + 1).copied().unwrap_or(0);
            sums.iter().enumerate().map(|(j, sum)| sum * (weights[j] - next(j))).sum()
        }
    }
}

/// The bound of one phase of any task graph in ticks: its slowest message over a single link.
pub fn phase_ticks(tasks: &TaskGraph, index: usize, switching: Switching, costs: &Costs) -> u64 {
    let alone = |edge: &super::task_graph::Edge| {
        let hops = Hops(u32::from(edge.source != edge.target));
        costs.alone_ticks(switching, edge.bytes, hops)
    };
    tasks.phase(index).iter().map(alone).max().unwrap_or(0)
}
