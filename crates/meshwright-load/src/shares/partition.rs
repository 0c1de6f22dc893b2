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
//! shared nodes are allocated; a set of cells that is too slow then, although it holds all it has a claim to, has its
//! head start raised by one, which lowers the bound. When that set is all cells, the bound is attained.

use std::collections::BTreeMap;

use super::equivalence::{Division, connected};
use super::reduced::singles;
use super::scheduled::{Scheduled, SchedulerSettings};
use super::voronoi;
use crate::flow::allocation::{Allocation, Supply, allocate};
use crate::{Forwarding, Problem, UNUSED};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

/// The most distances kept: 1 GiB of them.
const DISTANCES_MAX: usize = 1 << 28;

/// A division that is best in the thesis's model, up to whole nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The division into whole nodes.
    pub scheduled: Scheduled,
    /// 1 / makespan if nodes could be shared: no division into cells does better in this model. Cells that are not
    /// weighted count as if their loads were equal.
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
/// O(sources * nodes) and some flows among the cells for each step; at most about sources * diameter steps.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_load::shares::partition::partition;
/// use meshwright_load::shares::schedulers::SchedulerSettings;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x7")?;
/// let problem = Problem::new(&line, [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let best = partition(&problem, Forwarding::CutThrough, &SchedulerSettings::default())?;
/// assert!((best.bound_speedup - 2.0 * 3.482_612_562_8).abs() < 1e-8, "one node is shared");
/// assert_eq!((best.shared_nodes, best.scheduled.cells[0].nodes()), (1, 3));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn partition(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Partition> {
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
    settings: &SchedulerSettings,
) -> Result<Partition> {
    of_groups(problem, forwarding, settings, connected(problem))
}

fn of_groups(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
    groups: Vec<Vec<usize>>,
) -> Result<Partition> {
    if forwarding == Forwarding::StoreAndForward {
        let why = "under pure store-and-forward the first hop does not cost what the others do";
        return Err(Error::not_applicable("the best partition", why));
    }
    if !problem.starts_at_once() {
        let why = "its prices need loads that are there from the beginning";
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
    let (shared, allocation) = auction.run();
    let splits = |parts: &Vec<f64>| parts.iter().filter(|&&part| part > 0.0).count().max(1) - 1;
    let shared_nodes = allocation.parts.iter().map(splits).sum();
    let label = auction.whole_nodes(&shared, &allocation);
    let head_starts = auction.head_starts;
    let depths = auction.depths;
    let scheduled = divided(division, label, &depths).scheduled();
    Ok(Partition { scheduled, bound_speedup: allocation.rate, head_starts, shared_nodes })
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

/// Sets of cells that have equal claims to nodes, each with its nodes.
type Shared = BTreeMap<Vec<u32>, Vec<u32>>;

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

    /// Raises head starts until no division is better.
    fn run(&mut self) -> (Shared, Allocation) {
        loop {
            let shared = self.shared();
            let allocation = self.allocate(&shared);
            if allocation.is_limited.iter().all(|&is_in| is_in)
                || !self.may_gain(&shared, &allocation.is_limited)
            {
                let least = self.head_starts.iter().copied().min().unwrap_or(0);
                self.head_starts.iter_mut().for_each(|start| *start -= least);
                return (shared, allocation);
            }
            for (start, &is_limited) in self.head_starts.iter_mut().zip(&allocation.is_limited) {
                *start += i64::from(is_limited);
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

    /// Allocates the nodes. Prices are counted from the cell with the largest head start, so they are at most 1.
    fn allocate(&self, shared: &Shared) -> Allocation {
        let largest = self.head_starts.iter().copied().max().unwrap_or(0);
        let price = |cell: u32| self.power(largest - self.head_starts[cell as usize]);
        let supply = |(set, nodes): (&Vec<u32>, &Vec<u32>)| {
            let whole: f64 = nodes.iter().map(|&node| self.gain(set[0], node)).sum();
            Supply { cells: set.clone(), amount: whole * price(set[0]) }
        };
        let supplies: Vec<Supply> = shared.iter().map(supply).collect();
        let needs: Vec<f64> =
            self.wanted.iter().enumerate().map(|(cell, wanted)| wanted * price(cell as u32)).collect();
        allocate(&supplies, &needs)
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
    /// larger part of it. What nobody needs goes to the last cell that has a part, or to the first.
    fn whole_nodes(&self, shared: &Shared, allocation: &Allocation) -> Vec<u32> {
        let mut label = vec![UNUSED; self.depths[0].len()];
        for ((set, nodes), parts) in shared.iter().zip(&allocation.parts) {
            let whole: f64 = nodes.iter().map(|&node| self.gain(set[0], node)).sum();
            let allocated: f64 = parts.iter().sum();
            let mut holders = set.iter().zip(parts).filter(|&(_, &part)| part > 0.0);
            let (mut holder, mut until) =
                holders.next().map_or((set[0], 1.0), |(&cell, part)| (cell, part / allocated));
            let mut passed = 0.0;
            for &node in nodes {
                let gain = self.gain(set[0], node) / whole;
                while passed + gain / 2.0 > until
                    && let Some((&next, part)) = holders.next()
                {
                    (holder, until) = (next, until + part / allocated);
                }
                label[node as usize] = holder;
                passed += gain;
            }
        }
        label
    }
}
