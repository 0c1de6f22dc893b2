//! The best division of the machine in the thesis's own model: a price for every cell.
//!
//! A node at depth d adds ratio^e(d) to the speedup of its cell, whatever the other nodes do (see
//! [`super::closed_form::ratios`]). So the best division is a linear programme, and with prices lambda_i of its dual
//! a node belongs to the cell that has the largest lambda_i * ratio^e(d_i), or to those that share it:
//!
//! ```text
//! max  t      sum_v x_vi ratio^e(d_vi) >= t L_i,   sum_i x_vi <= 1,   x >= 0
//! lambda_i = ratio^-a_i:   cell of v = argmin_i  e(d_vi) - a_i
//! ```
//!
//! That is a Voronoi diagram with a head start a_i for each site. Two cells that share nodes have head starts that
//! differ by a whole number, so whole numbers suffice. The method is primal-dual: with the head starts given, the
//! shared nodes are dealt out by a small linear programme with one row per set of cells that share nodes; if some
//! cells are then slower than others and hold all they may, their head start grows by one.

use std::collections::BTreeMap;

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection};

use super::equivalence::{Division, connected};
use super::reduced::singles;
use super::schedulers::{Scheduled, Settings};
use super::{Forwarding, Problem, UNUSED, voronoi};
use crate::error::{Error, Result};
use crate::topology::Topology;

/// The most distances kept: 1 GiB of them.
const DISTANCES_MAX: usize = 1 << 28;

/// Speedups nearer than this, relatively, are the same.
const SAME: f64 = 1e-9;

/// A division that is best in the thesis's model, up to whole nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The division into whole nodes.
    pub scheduled: Scheduled,
    /// 1 / makespan if nodes could be shared: no division into cells does better in this model.
    pub bound_speedup: f64,
    /// By cell its head start in hops; the smallest is 0.
    pub head_starts: Vec<i64>,
    /// How many nodes the bound shares between cells: fewer than there are cells.
    pub shared_nodes: usize,
}

/// The best division with a cell for every source.
///
/// # Errors
///
/// [`Error::NotApplicable`] when processors, links or releases differ, or under pure store-and-forward, where the
/// first hop costs otherwise than the others; [`Error::TooLarge`] when the distances of all sources do not fit.
///
/// # Complexity
///
/// O(sources * nodes) and a linear programme of O(sources) rows for each step; at most about sources * diameter
/// steps.
///
/// # Examples
///
/// ```
/// use meshwright::load::{Forwarding, Problem, Source, partition::partition, schedulers::Settings};
/// use meshwright::{topology::Machine, units::NodeId};
/// let line = Machine::new("mesh:1x7")?;
/// let problem = Problem::new(&line, [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let best = partition(&problem, Forwarding::CutThrough, &Settings::default())?;
/// assert!((best.bound_speedup - 2.0 * 3.482_612_562_8).abs() < 1e-8, "one node is shared");
/// assert_eq!((best.shared_nodes, best.scheduled.cells[0].nodes()), (1, 3));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn partition(problem: &Problem, forwarding: Forwarding, settings: &Settings) -> Result<Partition> {
    of_groups(problem, forwarding, settings, singles(problem))
}

/// The best division with a cell for every set of connected sources.
///
/// # Errors
///
/// As for [`partition`].
///
/// # Complexity
///
/// That of [`partition`].
pub fn constrained_partition(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &Settings,
) -> Result<Partition> {
    of_groups(problem, forwarding, settings, connected(problem))
}

fn of_groups(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &Settings,
    groups: Vec<Vec<usize>>,
) -> Result<Partition> {
    if forwarding == Forwarding::StoreAndForward {
        let why = "under pure store-and-forward the first hop does not cost what the others do";
        return Err(Error::not_applicable("the best partition", why));
    }
    let all = groups.len().saturating_mul(problem.machine().nodes() as usize);
    if all > DISTANCES_MAX {
        return Err(Error::TooLarge {
            what: "the best partition",
            needed: format!("{all} distances"),
            limit: format!("{DISTANCES_MAX} distances"),
        });
    }
    let division = Division::new(problem, forwarding, settings, "the best partition", groups)?;
    let cells = division.groups.len();
    let wanted = if settings.weighted { division.loads.clone() } else { vec![1.0 / cells as f64; cells] };
    let mut auction = Auction::new(&division, forwarding, wanted);
    let (dealt, bound_speedup) = auction.run();
    let shared_nodes =
        dealt.shares.iter().map(|row| row.iter().filter(|&&(_, s)| s > SAME).count().max(1) - 1).sum();
    let label = auction.whole_nodes(&dealt);
    let head_starts = auction.head_starts;
    let depths = auction.depths;
    let scheduled = divided(division, label, &depths).scheduled();
    Ok(Partition { scheduled, bound_speedup, head_starts, shared_nodes })
}

/// The division with other labels.
fn divided<'p>(mut division: Division<'p>, label: Vec<u32>, depths: &[Vec<u32>]) -> Division<'p> {
    let depth =
        |(node, &label): (usize, &u32)| if label == UNUSED { u32::MAX } else { depths[label as usize][node] };
    division.cells.depth = label.iter().enumerate().map(depth).collect();
    division.cells.label = label;
    division.layers = voronoi::layers(&division.cells, division.groups.len());
    division
}

/// Sets of cells that share nodes, each with its nodes.
type Shared = BTreeMap<Vec<u32>, Vec<u32>>;

/// How the shared nodes are dealt out: by set (in the order of [`Shared`]) the cells with their parts of its price.
struct Dealt {
    shared: Shared,
    shares: Vec<Vec<(u32, f64)>>,
    /// By cell, its speedup over what it wants.
    rates: Vec<f64>,
}

struct Auction {
    /// By cell, by node, the hops; `u32::MAX` where there is no way.
    depths: Vec<Vec<u32>>,
    /// By depth e(d), or `None` where a node adds nothing.
    exponents: Vec<Option<i64>>,
    ratio: f64,
    wanted: Vec<f64>,
    head_starts: Vec<i64>,
}

impl Auction {
    fn new(division: &Division, forwarding: Forwarding, wanted: Vec<f64>) -> Self {
        let machine = division.problem.machine();
        let depths: Vec<Vec<u32>> = division
            .sites
            .iter()
            .map(|site| voronoi::cells(machine, std::slice::from_ref(site)).depth)
            .collect();
        let ratio = division.weights.get(2).map_or(1.0, |second| second / division.weights[1]);
        let exponent = |(depth, &weight): (usize, &f64)| match forwarding {
            _ if weight <= 0.0 => None,
            _ if ratio >= 1.0 => Some(0),
            Forwarding::CutThrough => Some(depth.saturating_sub(1) as i64),
            _ => Some(depth as i64),
        };
        let exponents = division.weights.iter().enumerate().map(exponent).collect();
        let head_starts = vec![0; division.groups.len()];
        Self { depths, exponents, ratio, wanted, head_starts }
    }

    /// Raises head starts until no division is better; also 1 / makespan.
    fn run(&mut self) -> (Dealt, f64) {
        loop {
            let dealt = self.deal(self.shared());
            let slowest = dealt.rates.iter().copied().fold(f64::INFINITY, f64::min);
            let stuck = self.stuck(&dealt, slowest);
            if stuck.iter().all(|&is_stuck| is_stuck) || !self.may_gain(&dealt.shared, &stuck) {
                let least = self.head_starts.iter().copied().min().unwrap_or(0);
                self.head_starts.iter_mut().for_each(|start| *start -= least);
                return (dealt, slowest);
            }
            for (start, &is_stuck) in self.head_starts.iter_mut().zip(&stuck) {
                *start += i64::from(is_stuck);
            }
        }
    }

    fn exponent(&self, cell: usize, node: usize) -> Option<i64> {
        self.exponents.get(self.depths[cell][node] as usize).copied().flatten()
    }

    /// e(d) - a of the best cells of a node; none if it adds nothing to any.
    fn key(&self, node: usize) -> Option<i64> {
        (0..self.wanted.len())
            .filter_map(|cell| Some(self.exponent(cell, node)? - self.head_starts[cell]))
            .min()
    }

    /// The nodes by the sets of cells that have equal claims to them.
    fn shared(&self) -> Shared {
        let mut shared = Shared::new();
        let mut set = Vec::new();
        for node in 0..self.depths[0].len() {
            let Some(key) = self.key(node) else { continue };
            let claims =
                |&cell: &usize| self.exponent(cell, node).is_some_and(|e| e - self.head_starts[cell] == key);
            set.clear();
            set.extend((0..self.wanted.len()).filter(claims).map(|cell| cell as u32));
            match shared.get_mut(&set) {
                Some(nodes) => nodes.push(node as u32),
                None => _ = shared.insert(set.clone(), vec![node as u32]),
            }
        }
        shared
    }

    /// What a node adds to a cell that has a claim to it, e(d) = key + a.
    fn gain(&self, cell: u32, node: u32) -> f64 {
        let exponent = self.exponent(cell as usize, node as usize).expect("a cell with a claim gains");
        self.power(exponent)
    }

    fn power(&self, exponent: i64) -> f64 {
        self.ratio.powi(exponent as i32)
    }

    /// Deals out the shared nodes so that the slowest cell is as fast as can be.
    fn deal(&self, shared: Shared) -> Dealt {
        let mut model = microlp::Problem::new(OptimizationDirection::Maximize);
        let rate = model.add_var(1.0, (0.0, f64::INFINITY));
        let mut rows: Vec<LinearExpr> =
            self.wanted.iter().map(|&wanted| [(rate, -wanted)].into_iter().collect()).collect();
        let mut own = vec![0.0; rows.len()];
        let mut parts = Vec::new();
        for (set, nodes) in &shared {
            // What the whole set would add to its first cell; to the others, times the quotient of prices.
            let whole: f64 = nodes.iter().map(|&node| self.gain(set[0], node)).sum();
            if let [cell] = set[..] {
                own[cell as usize] = whole;
                parts.push(vec![(cell, None)]);
                continue;
            }
            let part = |&cell: &u32| {
                let part = model.add_var(0.0, (0.0, 1.0));
                let quotient =
                    self.power(self.head_starts[cell as usize] - self.head_starts[set[0] as usize]);
                rows[cell as usize].add(part, whole * quotient);
                (cell, Some(part))
            };
            let parts_of_set: Vec<_> = set.iter().map(part).collect();
            let sum = parts_of_set.iter().filter_map(|&(_, part)| Some((part?, 1.0)));
            model.add_constraint(sum.collect::<LinearExpr>(), ComparisonOp::Le, 1.0);
            parts.push(parts_of_set);
        }
        for (row, own) in rows.into_iter().zip(&own) {
            model.add_constraint(row, ComparisonOp::Ge, -own);
        }
        let solution = model.solve().ok().and_then(|outcome| outcome.into_solution().ok());
        let solution =
            solution.expect("to deal out nothing is always possible, and there is no more than all");
        let value =
            |&(cell, part): &(u32, Option<_>)| (cell, part.map_or(1.0, |part| solution.var_value(part)));
        let shares: Vec<Vec<(u32, f64)>> =
            parts.iter().map(|parts| parts.iter().map(value).collect()).collect();
        let rates = self.rates(&shared, &shares);
        Dealt { shared, shares, rates }
    }

    fn rates(&self, shared: &Shared, shares: &[Vec<(u32, f64)>]) -> Vec<f64> {
        let mut speedups = vec![0.0; self.wanted.len()];
        for (nodes, shares) in shared.values().zip(shares) {
            for &(cell, share) in shares {
                let whole: f64 = nodes.iter().map(|&node| self.gain(cell, node)).sum();
                speedups[cell as usize] += share * whole;
            }
        }
        speedups.iter().zip(&self.wanted).map(|(speedup, wanted)| speedup / wanted).collect()
    }

    /// A set of slowest cells that no faster cell can give anything to: all cells if they are equally fast.
    fn stuck(&self, dealt: &Dealt, slowest: f64) -> Vec<bool> {
        let is_slow = |cell: usize| dealt.rates[cell] <= slowest * (1.0 + SAME);
        let mut stuck = vec![true; dealt.rates.len()];
        if (0..stuck.len()).all(is_slow) {
            return stuck;
        }
        for start in (0..stuck.len()).filter(|&cell| is_slow(cell)) {
            stuck = self.closure(dealt, start);
            if (0..stuck.len()).all(|cell| !stuck[cell] || is_slow(cell)) {
                return stuck;
            }
        }
        stuck
    }

    /// The cells that something can come from: a holder of nodes a cell has a claim to, and so on.
    fn closure(&self, dealt: &Dealt, start: usize) -> Vec<bool> {
        let mut is_in = vec![false; dealt.rates.len()];
        is_in[start] = true;
        loop {
            let before = is_in.iter().filter(|&&is_in| is_in).count();
            for shares in &dealt.shares {
                if shares.iter().any(|&(cell, _)| is_in[cell as usize]) {
                    shares
                        .iter()
                        .filter(|&&(_, share)| share > SAME)
                        .for_each(|&(cell, _)| is_in[cell as usize] = true);
                }
            }
            if is_in.iter().filter(|&&is_in| is_in).count() == before {
                return is_in;
            }
        }
    }

    /// Whether there is a node outside that would add something to a stuck cell.
    fn may_gain(&self, shared: &Shared, stuck: &[bool]) -> bool {
        self.ratio < 1.0
            && shared.iter().any(|(set, nodes)| {
                set.iter().all(|&cell| !stuck[cell as usize])
                    && nodes.iter().any(|&node| {
                        (0..stuck.len())
                            .any(|cell| stuck[cell] && self.exponent(cell, node as usize).is_some())
                    })
            })
    }

    /// Whole nodes to cells: each set in the order of its cells and nodes; a node on the seam goes to who has the
    /// larger part of it.
    fn whole_nodes(&self, dealt: &Dealt) -> Vec<u32> {
        let mut label = vec![UNUSED; self.depths[0].len()];
        for ((set, nodes), shares) in dealt.shared.iter().zip(&dealt.shares) {
            // In units of the set's first cell.
            let whole: f64 = nodes.iter().map(|&node| self.gain(set[0], node)).sum();
            let dealt: f64 = shares.iter().map(|&(_, share)| share).sum();
            let mut holders = shares.iter().filter(|&&(_, share)| share > SAME).peekable();
            let Some(&&(first, share)) = holders.peek() else { continue };
            let (mut holder, mut until, mut passed) = (first, share / dealt * whole, 0.0);
            holders.next();
            for &node in nodes {
                let gain = self.gain(set[0], node);
                while passed + gain / 2.0 > until
                    && let Some(&(next, share)) = holders.next()
                {
                    (holder, until) = (next, until + share / dealt * whole);
                }
                label[node as usize] = holder;
                passed += gain;
            }
        }
        label
    }
}
