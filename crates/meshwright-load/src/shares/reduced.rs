//! The Voronoi schedulers MDVDA and RMDVDA: a cell for every source, and cells without the nodes they do not need.

use super::equivalence::Division;
use super::scheduled::{Reduction, Scheduled, SchedulerSettings};
use crate::{Forwarding, Problem, UNUSED};
use meshwright_core::error::Result;

impl Division<'_> {
    /// Frees the nodes the reduction gives up.
    pub(super) fn reduce(&mut self, reduction: Reduction) {
        let bottleneck = self.bottleneck();
        let limit = self.pace(bottleneck, self.speedup(bottleneck));
        let radius = |cell: usize| self.layers[cell].len() - 1;
        let smallest = (0..self.groups.len()).map(radius).min().unwrap_or(0);
        let reach = radius(bottleneck);
        let depth_max: Vec<usize> = (0..self.groups.len())
            .map(|cell| match reduction {
                Reduction::Literal => reach,
                Reduction::LiteralMin => smallest,
                Reduction::Peel | Reduction::Node => self.layers_needed(cell, limit) - 1,
            })
            .collect();
        for (layers, &depth) in self.layers.iter_mut().zip(&depth_max) {
            layers.truncate(depth + 1);
        }
        self.drop_further();
        for (label, &depth) in self.cells.label.iter_mut().zip(&self.cells.depth) {
            if *label != UNUSED && depth as usize > depth_max[*label as usize] {
                *label = UNUSED;
            }
        }
        if reduction == Reduction::Node {
            self.drop_single_nodes(limit);
        }
        self.mark_unused();
    }

    /// How many layers a cell keeps when it loses the outer ones while it stays within the limit.
    fn layers_needed(&self, cell: usize, limit: f64) -> usize {
        let mut speedup = 0.0;
        for (depth, (&nodes, weight)) in self.layers[cell].iter().zip(&self.weights).enumerate() {
            speedup += f64::from(nodes) * weight;
            if self.pace(cell, speedup) <= limit {
                return depth + 1;
            }
        }
        self.layers[cell].len()
    }

    /// Frees nodes of the outermost layers, the last ones first, while the cells stay within the limit.
    fn drop_single_nodes(&mut self, limit: f64) {
        let mut surplus: Vec<u32> = (0..self.groups.len()).map(|cell| self.surplus(cell, limit)).collect();
        for node in (0..self.cells.label.len()).rev() {
            let label = self.cells.label[node];
            if label == UNUSED {
                continue;
            }
            let (cell, depth) = (label as usize, self.cells.depth[node] as usize);
            if surplus[cell] > 0 && depth + 1 == self.layers[cell].len() {
                surplus[cell] -= 1;
                self.layers[cell][depth] -= 1;
                self.cells.label[node] = UNUSED;
            }
        }
    }

    /// How many nodes of its outermost layer a cell does not need; one of them stays, as does the source.
    fn surplus(&self, cell: usize, limit: f64) -> u32 {
        let (&outermost, inner) = self.layers[cell].split_last().expect("a cell has its source");
        if inner.is_empty() {
            return 0;
        }
        let within: f64 =
            inner.iter().zip(&self.weights).map(|(&nodes, weight)| f64::from(nodes) * weight).sum();
        let weight = self.weights[inner.len()];
        let enough = |kept: u32| self.pace(cell, within + f64::from(kept) * weight) <= limit;
        // The least number that is enough; more nodes are never slower.
        let (mut short, mut kept) = (0, outermost);
        while kept - short > 1 {
            let middle = short + (kept - short) / 2;
            if enough(middle) { kept = middle } else { short = middle }
        }
        outermost - kept
    }

    fn mark_unused(&mut self) {
        for (label, depth) in self.cells.label.iter().zip(&mut self.cells.depth) {
            if *label == UNUSED {
                *depth = u32::MAX;
            }
        }
    }
}

/// Every source for itself.
pub(super) fn singles(problem: &Problem) -> Vec<Vec<usize>> {
    (0..problem.sources().len()).map(|source| vec![source]).collect()
}

/// MDVDA: every node works for the source nearest to it.
///
/// # Errors
///
/// [`meshwright_core::Error::NotApplicable`] when processors or links differ, or one node has loads of different
/// releases.
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Source
///
/// `zhang2018`, algorithm 2.
pub fn voronoi(problem: &Problem, forwarding: Forwarding, settings: &SchedulerSettings) -> Result<Scheduled> {
    Ok(Division::new(problem, forwarding, settings, "voronoi", singles(problem))?.scheduled())
}

/// RMDVDA: cells that are faster than the slowest one give up outer nodes.
///
/// By layers and by nodes the makespan is kept: no cell is done later than the slowest one was. A cell begins when its
/// load is there (R_i its release), so the slowest has the greatest R_i + L_i / Sp_i. The literal
/// readings cut by depth alone, so they may break it; the answer then carries a warning.
///
/// # Errors
///
/// As for [`voronoi`].
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Source
///
/// `zhang2018`, algorithm 3 and eq. 3.106 to 3.114.
///
/// # Examples
///
/// The smallest machine on which the pseudo-code of the thesis makes it slower.
///
/// ```
/// use meshwright_load::shares::schedulers::{Reduction, SchedulerSettings};
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_load::shares::reduced::reduced;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x7")?;
/// let problem = Problem::new(&line, [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let literal = SchedulerSettings { reduction: Reduction::Literal, ..SchedulerSettings::default() };
/// let broken = reduced(&problem, Forwarding::CutThrough, &literal)?;
/// assert_eq!(broken.cells[1].speedup, 2.0, "3.97 before");
/// assert!(!broken.makespan_kept && broken.warning.is_some());
/// assert!(reduced(&problem, Forwarding::CutThrough, &SchedulerSettings::default())?.makespan_kept);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn reduced(problem: &Problem, forwarding: Forwarding, settings: &SchedulerSettings) -> Result<Scheduled> {
    let mut division = Division::new(problem, forwarding, settings, "reduced", singles(problem))?;
    division.reduce(settings.reduction);
    Ok(division.scheduled())
}
