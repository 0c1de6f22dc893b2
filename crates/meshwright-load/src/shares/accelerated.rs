//! The accelerated Voronoi scheduler ARMDVDA: freed nodes are given to the slowest cell.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::equivalence::{Division, connected};
use super::reduced::singles;
use super::scheduled::{Scheduled, SchedulerSettings};
use super::voronoi;
use crate::{Forwarding, Problem, UNUSED};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// The most distances kept where they have no formula: 1 GiB of them.
const DISTANCES_MAX: usize = 1 << 28;

/// Hops from any member of a site, by formula or from tables made when they are first asked for.
struct Distances<'a> {
    machine: &'a Machine,
    sites: &'a [Vec<NodeId>],
    tables: BTreeMap<usize, Vec<u32>>,
}

impl<'a> Distances<'a> {
    fn new(machine: &'a Machine, sites: &'a [Vec<NodeId>]) -> Result<Self> {
        let all = sites.len().saturating_mul(machine.nodes() as usize);
        if machine.whole_grid().is_none() && all > DISTANCES_MAX {
            return Err(Error::TooLarge {
                what: "acceleration on a machine without formulas",
                needed: format!("{all} distances"),
                limit: format!("{DISTANCES_MAX} distances"),
            });
        }
        Ok(Self { machine, sites, tables: BTreeMap::new() })
    }

    fn of(&mut self, site: usize, node: NodeId) -> u32 {
        if let Some(grid) = self.machine.whole_grid() {
            let hops = |&member: &NodeId| grid.distance(member, node).map_or(u32::MAX, |hops| hops.0);
            return self.sites[site].iter().map(hops).min().expect("a site has a member");
        }
        let search = || voronoi::cells(self.machine, &self.sites[site..=site]).depth;
        self.tables.entry(site).or_insert_with(search)[node.index()]
    }
}

/// A cell with what it is compared by; the slowest comes first, of equal ones the first.
#[derive(PartialEq)]
struct Slowest {
    pace: f64,
    cell: usize,
}

impl Eq for Slowest {}

impl Ord for Slowest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.pace.total_cmp(&other.pace).then(other.cell.cmp(&self.cell))
    }
}

impl PartialOrd for Slowest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nodes beside one cell in the order of distance, then of node id; some of them may no longer be free.
#[derive(Default)]
struct Border {
    is_known: bool,
    nodes: BinaryHeap<Reverse<(u32, NodeId)>>,
}

impl Division<'_> {
    /// Gives freed nodes to the slowest cell until it has no neighbour that helps, or a threshold is reached.
    pub(super) fn accelerate(&mut self, settings: &SchedulerSettings) -> Result<()> {
        let machine = self.problem.machine();
        let sites = std::mem::take(&mut self.sites);
        let mut distances = Distances::new(machine, &sites)?;
        let mut borders: Vec<Border> = sites.iter().map(|_| Border::default()).collect();
        let mut is_free: Vec<bool> = self.cells.label.iter().map(|&label| label == UNUSED).collect();
        machine.dead().iter().for_each(|dead| is_free[dead.index()] = false);
        self.further.iter().for_each(|(node, ..)| is_free[node.index()] = false);
        let mut members = self.members();
        let mut speedups = self.speedups();
        let entry =
            |division: &Self, cell: usize, speedup: f64| Slowest { pace: division.pace(cell, speedup), cell };
        let mut order: BinaryHeap<Slowest> =
            speedups.iter().enumerate().map(|(cell, &speedup)| entry(self, cell, speedup)).collect();
        let living = f64::from(machine.living_count());
        let mut saved = self.saved();
        while let Some(Slowest { cell, .. }) = order.pop() {
            let slowest = self.finish(cell, speedups[cell]);
            if slowest <= settings.finish || f64::from(saved) / living <= settings.save_at_least {
                break;
            }
            if !std::mem::replace(&mut borders[cell].is_known, true) {
                for &node in &std::mem::take(&mut members[cell]) {
                    widen(machine, &is_free, &mut distances, cell, node, &mut borders[cell]);
                }
            }
            let Some((depth, node)) = nearest_free(&mut borders[cell], &is_free) else { break };
            let weight = self.weights[depth as usize];
            if weight <= 0.0 {
                break;
            }
            is_free[node.index()] = false;
            self.give(cell, node, depth);
            speedups[cell] += weight;
            saved -= 1;
            widen(machine, &is_free, &mut distances, cell, node, &mut borders[cell]);
            order.push(entry(self, cell, speedups[cell]));
        }
        self.sites = sites;
        Ok(())
    }

    /// By cell, its nodes.
    fn members(&self) -> Vec<Vec<NodeId>> {
        let mut members = vec![Vec::new(); self.groups.len()];
        for (node, &label) in self.cells.label.iter().enumerate() {
            if label != UNUSED {
                members[label as usize].push(NodeId(node as u32));
            }
        }
        members
    }

    fn give(&mut self, cell: usize, node: NodeId, depth: u32) {
        (self.cells.label[node.index()], self.cells.depth[node.index()]) = (cell as u32, depth);
        let layers = &mut self.layers[cell];
        if layers.len() <= depth as usize {
            layers.resize(depth as usize + 1, 0);
        }
        layers[depth as usize] += 1;
        self.merged += 1;
    }
}

/// The free node beside a cell that is nearest to its source.
fn nearest_free(border: &mut Border, is_free: &[bool]) -> Option<(u32, NodeId)> {
    while let Some(Reverse((depth, node))) = border.nodes.pop() {
        if is_free[node.index()] {
            return Some((depth, node));
        }
    }
    None
}

/// Adds the free neighbours of a node to the border of its cell.
fn widen(
    machine: &Machine,
    is_free: &[bool],
    distances: &mut Distances,
    cell: usize,
    node: NodeId,
    border: &mut Border,
) {
    for (_, next) in machine.neighbours(node) {
        if is_free[next.index()] {
            border.nodes.push(Reverse((distances.of(cell, next), next)));
        }
    }
}

/// ARMDVDA: after the reduction the slowest cell takes the nearest free node beside it, again and again.
///
/// It ends when the slowest cell has no free neighbour that would help it, or when the makespan is at most
/// [`SchedulerSettings::finish`], or the saved share at most [`SchedulerSettings::save_at_least`]. A node counts by its distance in
/// the machine, even if the way through the cell is longer.
///
/// # Errors
///
/// [`Error::NotApplicable`] when processors or links differ, or one node has loads of different
/// releases; [`Error::TooLarge`] when the machine is no
/// whole mesh or torus and the distances of all sources do not fit.
///
/// # Complexity
///
/// O(nodes log nodes + links); where distances have no formula, O(sources * links).
///
/// # Source
///
/// `zhang2018`, algorithm 4 and eq. 3.115 to 3.123.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::schedulers::SchedulerSettings;
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_load::shares::accelerated::accelerated;
/// use meshwright_load::shares::reduced::reduced;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x9")?;
/// let problem = Problem::new(&line, [0, 5].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let settings = SchedulerSettings::default();
/// let before = reduced(&problem, Forwarding::CutThrough, &settings)?;
/// let after = accelerated(&problem, Forwarding::CutThrough, &settings)?;
/// assert_eq!((before.saved, after.saved, after.merged), (3, 1, 2), "nodes 3 and 7; nobody slow touches node 8");
/// assert!(after.plan.speedup() > 1.3 * before.plan.speedup());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn accelerated(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Scheduled> {
    let mut division = Division::new(problem, forwarding, settings, "accelerated", singles(problem))?;
    division.reduce(settings.reduction);
    division.accelerate(settings)?;
    Ok(division.scheduled())
}

/// ARMDVDA on the cells of RCMDVDA: connected sources are taken as one, then accelerated.
///
/// # Errors
///
/// As for [`accelerated`].
///
/// # Complexity
///
/// That of [`accelerated`].
pub fn constrained_accelerated(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Scheduled> {
    let mut division = Division::new(problem, forwarding, settings, "accelerated", connected(problem))?;
    division.reduce(settings.reduction);
    division.accelerate(settings)?;
    Ok(division.scheduled())
}
