//! A load of pieces that must not be cut: who works off which, what that loses, and what no assignment can beat.
//!
//! A plan for a load that may be cut anywhere says what each processor should get, its target. Pieces are then given out so that
//! nobody works much longer than on its target.

use crate::{Problem, optimum};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Pieces times processors, at most.
const TRIALS_MAX: u64 = 1 << 32;

/// Pieces on processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// By piece, who works it off.
    pub node: Vec<NodeId>,
    /// By node id, the share of the whole load it gets.
    pub shares: Vec<f64>,
    /// The longest that a processor works beyond its target, in units of w Tcp.
    pub over: f64,
    /// No processor works longer beyond its target than this, whatever the pieces of these sizes: the proved bound.
    pub over_max: f64,
}

/// How pieces are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The largest first, each to the processor that is then the least beyond its target.
    LargestFirst,
    /// In their order, cut between the pieces nearest to where the targets are cut.
    InOrder,
}

/// Every rule with its name.
pub const RULES: &[(&str, Rule)] = &[("largest-first", Rule::LargestFirst), ("in-order", Rule::InOrder)];

/// Gives pieces of these sizes out so that each node comes near its target, a share of the whole load.
///
/// With m nodes that have a target, w_v their work times, p the largest piece as a share of the whole and S the sum of 1 / w_v:
///
/// ```text
/// largest-first:  w_v (load_v - target_v) <= (m - 1) p / S     for every v
/// in-order:       w_v (load_v - target_v) <= p max_v w_v
/// ```
///
/// # Errors
///
/// [`Error::Value`] for no pieces and for targets that are all 0; [`Error::TooLarge`] when pieces times nodes exceed 2^32.
///
/// # Panics
///
/// When there is not one target per node, or a node with a target cannot work.
///
/// # Complexity
///
/// O(pieces (log pieces + nodes)); in order O(pieces + nodes).
///
/// # Source
///
/// `graham1969` for the largest first; the bounds are proved in docs/pieces.md.
///
/// # Examples
///
/// ```
/// use meshwright_load::indivisible::{Rule, assign};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x2")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.1)?;
/// let found = assign(&problem, &[5, 4, 3, 2, 2], &[0.5, 0.5], Rule::LargestFirst)?;
/// assert_eq!(found.node, [0, 1, 1, 0, 0].map(NodeId));
/// assert!((found.shares[0] - 9.0 / 16.0).abs() < 1e-12 && found.over <= found.over_max);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn assign(problem: &Problem, sizes: &[u64], targets: &[f64], rule: Rule) -> Result<Assignment> {
    let (whole, sum): (u64, f64) = (sizes.iter().sum(), targets.iter().sum());
    if sizes.is_empty() {
        return Err(Error::value("number of pieces", 0, "at least one piece"));
    }
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(Error::value("sum of the targets", sum, "a number above 0"));
    }
    let nodes: Vec<Target> = (0..targets.len() as u32)
        .map(NodeId)
        .filter(|node| targets[node.index()] > 0.0)
        .map(|node| Target { node, wanted: targets[node.index()] / sum, work: problem.work(node) })
        .collect();
    let trials = (sizes.len() as u64).saturating_mul(nodes.len() as u64);
    if rule == Rule::LargestFirst && trials > TRIALS_MAX {
        return Err(Error::TooLarge {
            what: "giving out pieces, the largest first",
            needed: format!("{trials} pieces times processors"),
            limit: TRIALS_MAX.to_string(),
        });
    }
    let places = match rule {
        Rule::LargestFirst => largest_first(&nodes, sizes, whole),
        Rule::InOrder => in_order(&nodes, sizes, whole),
    };
    let node = places.into_iter().map(|place| nodes[place].node).collect();
    let over_max = over_max(&nodes, largest(sizes, whole), rule);
    Ok(Assignment { over_max, ..given(problem, sizes, targets, node) })
}

/// Pieces that are given out already: by piece its node, against these targets. Nothing is proved of them beyond how long it is.
///
/// # Panics
///
/// When there are not as many nodes as pieces.
pub fn given(problem: &Problem, sizes: &[u64], targets: &[f64], node: Vec<NodeId>) -> Assignment {
    assert_eq!(sizes.len(), node.len(), "a node for each piece");
    let (whole, sum): (u64, f64) = (sizes.iter().sum(), targets.iter().sum());
    let mut shares = vec![0.0; targets.len()];
    for (&size, node) in sizes.iter().zip(&node) {
        shares[node.index()] += size as f64 / whole as f64;
    }
    let beyond = |node: &NodeId| problem.work(*node) * (shares[node.index()] - targets[node.index()] / sum);
    let over = node.iter().map(beyond).fold(0.0, f64::max);
    Assignment { node, shares, over, over_max: over }
}

/// What a node should get.
struct Target {
    node: NodeId,
    wanted: f64,
    work: f64,
}

fn largest(sizes: &[u64], whole: u64) -> f64 {
    sizes.iter().copied().max().unwrap_or(0) as f64 / whole as f64
}

/// How much longer than on its target a processor works at most.
fn over_max(nodes: &[Target], largest: f64, rule: Rule) -> f64 {
    match rule {
        Rule::LargestFirst => {
            let speed: f64 = nodes.iter().map(|target| 1.0 / target.work).sum();
            (nodes.len() - 1) as f64 * largest / speed
        }
        Rule::InOrder => largest * nodes.iter().map(|target| target.work).fold(0.0, f64::max),
    }
}

/// By piece, the place of its node.
fn largest_first(nodes: &[Target], sizes: &[u64], whole: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_unstable_by_key(|&piece| (std::cmp::Reverse(sizes[piece]), piece));
    let mut load = vec![0.0; nodes.len()];
    let mut given = vec![0; sizes.len()];
    for piece in order {
        let share = sizes[piece] as f64 / whole as f64;
        let over = |place: usize| nodes[place].work * (load[place] + share - nodes[place].wanted);
        let least = (0..nodes.len()).min_by(|&a, &b| over(a).total_cmp(&over(b)));
        let place = least.expect("some node has a target");
        load[place] += share;
        given[piece] = place;
    }
    given
}

/// The same for pieces that stay in their order: a piece belongs to the node in whose part of the load its middle lies.
fn in_order(nodes: &[Target], sizes: &[u64], whole: u64) -> Vec<usize> {
    let (mut place, mut end, mut begin) = (0, nodes[0].wanted, 0u64);
    let give = |&size: &u64| {
        let middle = (begin as f64 + size as f64 / 2.0) / whole as f64;
        while middle > end && place + 1 < nodes.len() {
            place += 1;
            end += nodes[place].wanted;
        }
        begin += size;
        place
    };
    sizes.iter().map(give).collect()
}

/// What no assignment of pieces can beat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiecesBound {
    /// The greater of the two, in units of w Tcp.
    pub makespan: f64,
    /// The least makespan of the load cut anywhere.
    pub fluid: f64,
    /// What the largest pieces say: of the k m + 1 largest some k + 1 are on one processor.
    pub pieces: f64,
}

/// A lower bound for pieces of these sizes, in units of w Tcp.
///
/// ```text
/// max( optimum of the load cut anywhere,  max_k (k + 1) p_(k m + 1) min_v w_v )     p_1 >= p_2 >= ... as shares of the whole
/// ```
///
/// m is the number of processors that can work.
///
/// # Errors
///
/// As for [`optimum::makespan`]; [`Error::Value`] for no pieces.
///
/// # Complexity
///
/// That of [`optimum::makespan`], and O(pieces log pieces).
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source, indivisible};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x2")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.0)?;
/// let bound = indivisible::bound(&problem, &[1, 1, 1])?;
/// assert!((bound.fluid - 0.5).abs() < 1e-12 && (bound.makespan - 2.0 / 3.0).abs() < 1e-12, "two of three on one node");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn bound(problem: &Problem, sizes: &[u64]) -> Result<PiecesBound> {
    if sizes.is_empty() {
        return Err(Error::value("number of pieces", 0, "at least one piece"));
    }
    let (fluid, _) = optimum::makespan(problem)?;
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let whole: u64 = sizes.iter().sum();
    let works: Vec<f64> = (0..problem.machine().nodes())
        .map(|node| problem.work(NodeId(node)))
        .filter(|work| work.is_finite())
        .collect();
    let least = works.iter().copied().fold(f64::INFINITY, f64::min);
    let of = |(k, &size): (usize, &u64)| (k + 1) as f64 * size as f64 / whole as f64 * least;
    let pieces = sizes.iter().step_by(works.len().max(1)).enumerate().map(of).fold(0.0, f64::max);
    Ok(PiecesBound { makespan: fluid.max(pieces), fluid, pieces })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Source, Speeds};
    use meshwright_core::rng::stream;
    use meshwright_network::topology::Machine;

    /// The least time of all assignments where links cost nothing.
    fn exhaustive(works: &[f64], sizes: &[u64]) -> f64 {
        let whole: u64 = sizes.iter().sum();
        let all = works.len().pow(sizes.len() as u32);
        let time = |mut code: usize| {
            let mut load = vec![0u64; works.len()];
            for &size in sizes {
                load[code % works.len()] += size;
                code /= works.len();
            }
            let times = load.iter().zip(works).map(|(&load, work)| load as f64 / whole as f64 * work);
            times.fold(0.0, f64::max)
        };
        (0..all).map(time).fold(f64::INFINITY, f64::min)
    }

    /// No assignment is below the bound, none of ours is below the best or above what is proved.
    #[test]
    fn nothing_is_below_the_bound_and_the_loss_is_what_is_proved() {
        let line = Machine::new("mesh:1x3").expect("a machine");
        let mut random = stream(7, "pieces");
        for round in 0..300 {
            let works: Vec<f64> = (0..3).map(|_| f64::from(random.random_range(1..9u32)) / 2.0).collect();
            let sizes: Vec<u64> =
                (0..random.random_range(1..8usize)).map(|_| random.random_range(1..40u64)).collect();
            let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.0)
                .and_then(|problem| {
                    problem
                        .with_speeds(Speeds { work: works.clone(), link: vec![0.0; line.links() as usize] })
                })
                .expect("a problem");
            let best = exhaustive(&works, &sizes);
            let bound = bound(&problem, &sizes).expect("it can be done");
            assert!(bound.makespan <= best * (1.0 + 1e-9), "{round}: {bound:?} {best}");
            let speed: f64 = works.iter().map(|work| 1.0 / work).sum();
            assert!((bound.fluid * speed - 1.0).abs() < 1e-9, "{round}");
            let targets: Vec<f64> = works.iter().map(|work| 1.0 / work / speed).collect();
            for &(name, rule) in RULES {
                let found = assign(&problem, &sizes, &targets, rule).expect("there are pieces");
                let time =
                    found.shares.iter().zip(&works).map(|(share, work)| share * work).fold(0.0, f64::max);
                assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{round} {name}");
                assert!(time >= best * (1.0 - 1e-9), "{round} {name}: {time} {best}");
                assert!(found.over <= found.over_max * (1.0 + 1e-9) + 1e-12, "{round} {name}: {found:?}");
                assert!(time <= bound.fluid + found.over_max + 1e-9, "{round} {name}");
            }
        }
    }

    /// Targets of any kind, those of nodes that get nothing among them.
    #[test]
    fn any_targets_are_met_as_nearly_as_is_proved() {
        let mesh = Machine::new("mesh:4x4").expect("a machine");
        let mut random = stream(9, "targets");
        for round in 0..200 {
            let work: Vec<f64> =
                (0..16).map(|_| 0.5 + f64::from(random.random_range(0..20u32)) / 4.0).collect();
            let targets: Vec<f64> = (0..16).map(|_| f64::from(random.random_range(0..5u32))).collect();
            let sizes: Vec<u64> =
                (0..random.random_range(1..60usize)).map(|_| random.random_range(1..1000u64)).collect();
            let problem = Problem::new(&mesh, vec![Source::at(NodeId(5), 1.0)], 0.1)
                .and_then(|problem| {
                    let link = vec![0.1; mesh.links() as usize];
                    problem.with_speeds(Speeds { work, link })
                })
                .expect("a problem");
            for &(name, rule) in RULES {
                let found = assign(&problem, &sizes, &targets, rule).expect("there are pieces");
                assert!(found.over <= found.over_max * (1.0 + 1e-9) + 1e-12, "{round} {name}: {found:?}");
                let idle = |node: &NodeId| targets[node.index()] == 0.0;
                assert!(!found.node.iter().any(idle), "{round} {name}");
            }
        }
    }
}
