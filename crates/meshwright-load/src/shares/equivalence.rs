//! Equivalent processors: a cell as one large processor, connected sources as one source (EPSA, EPSEA).

use super::earth_mover::{self, Rebalance};
use super::scheduled::{Cell, Scheduled, SchedulerSettings};
use super::ties::tied;
use super::{closed_form, voronoi};
use crate::pieces::pieces;
use crate::{Cells, Forwarding, Plan, Problem, UNUSED};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// The machine divided among the sources, on its way to a schedule.
pub(super) struct Division<'p> {
    pub(super) problem: &'p Problem<'p>,
    /// The sources of each cell, in increasing order; cells in the order of their first sources.
    pub(super) groups: Vec<Vec<usize>>,
    /// The nodes of these sources.
    pub(super) sites: Vec<Vec<NodeId>>,
    /// What enters in each cell, as a share of the whole load.
    pub(super) loads: Vec<f64>,
    /// By cell, when the last of its loads is there: it begins then.
    releases: Vec<f64>,
    /// Labels are indices of cells here.
    pub(super) cells: Cells,
    /// Nodes that work for a further cell, with the cell and their depth in it.
    pub(super) further: Vec<(NodeId, u32, u32)>,
    /// By cell, how many nodes there are at each depth.
    pub(super) layers: Vec<Vec<u32>>,
    /// By depth, what a node there takes when one at a source takes 1.
    pub(super) weights: Vec<f64>,
    /// By cell, or empty where nothing is evened out beforehand.
    pub(super) rebalances: Vec<Rebalance>,
    pub(super) merged: u32,
    weighted: bool,
    /// Of the unreduced cells: how many nodes they have, those of nobody included, and the makespan they allow.
    nodes_before: u32,
    speedups_before: Vec<f64>,
    makespan_before: f64,
}

impl<'p> Division<'p> {
    /// The Voronoi cells of these groups of sources.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when processors or links differ, or one node has loads of different releases.
    pub(super) fn new(
        problem: &'p Problem,
        forwarding: Forwarding,
        settings: &SchedulerSettings,
        method: &'static str,
        groups: Vec<Vec<usize>>,
    ) -> Result<Self> {
        check(problem, method)?;
        let sources = problem.sources();
        let sites: Vec<Vec<NodeId>> =
            groups.iter().map(|group| group.iter().map(|&source| sources[source].node).collect()).collect();
        let mut cells = voronoi::cells(problem.machine(), &sites);
        let nodes_before = cells.label.iter().filter(|&&label| label != UNUSED).count() as u32;
        let further = tied(problem, &sites, settings.ties, &mut cells);
        let mut layers = voronoi::layers(&cells, sites.len());
        for &(_, cell, depth) in &further {
            let layers = &mut layers[cell as usize];
            layers.resize(layers.len().max(depth as usize + 1), 0);
            layers[depth as usize] += 1;
        }
        let mut division = Self {
            layers,
            loads: groups
                .iter()
                .map(|group| group.iter().map(|&source| sources[source].load).sum())
                .collect(),
            releases: groups
                .iter()
                .map(|group| group.iter().map(|&source| sources[source].release).fold(0.0, f64::max))
                .collect(),
            weights: closed_form::ratios(depths(problem), &problem.sigma(), forwarding),
            rebalances: Vec::new(),
            merged: 0,
            weighted: settings.weighted,
            nodes_before,
            speedups_before: Vec::new(),
            makespan_before: 0.0,
            problem,
            groups,
            sites,
            cells,
            further,
        };
        division.remember();
        Ok(division)
    }

    /// The same with the sources of each cell evened out beforehand.
    pub(super) fn rebalanced(mut self) -> Result<Self> {
        let sources = self.problem.sources();
        self.rebalances = Vec::with_capacity(self.groups.len());
        for (group, site) in self.groups.iter().zip(&self.sites) {
            let loads: Vec<f64> = group.iter().map(|&source| sources[source].load).collect();
            let machine = self.problem.machine();
            self.rebalances.push(earth_mover::rebalance(machine, site, &loads, self.problem.sigma())?);
        }
        self.remember();
        Ok(self)
    }

    fn remember(&mut self) {
        self.speedups_before = self.speedups();
        self.makespan_before = self.makespan();
    }

    /// Sp_i, summed from the source outwards.
    pub(super) fn speedup(&self, cell: usize) -> f64 {
        self.layers[cell].iter().zip(&self.weights).map(|(&nodes, weight)| f64::from(nodes) * weight).sum()
    }

    /// Sp_i of every cell.
    pub(super) fn speedups(&self) -> Vec<f64> {
        (0..self.groups.len()).map(|cell| self.speedup(cell)).collect()
    }

    /// When a cell with this speedup is done.
    pub(super) fn finish(&self, cell: usize, speedup: f64) -> f64 {
        let moving = self.rebalances.get(cell).map_or(0.0, |rebalance| rebalance.time);
        self.releases[cell] + moving + self.loads[cell] / speedup
    }

    /// What cells are compared by, the smaller, the faster: when they are done, or, as in the thesis, 1 / Sp_i.
    pub(super) fn pace(&self, cell: usize, speedup: f64) -> f64 {
        if self.weighted { self.finish(cell, speedup) } else { speedup.recip() }
    }

    /// The slowest cell, the first of several.
    pub(super) fn bottleneck(&self) -> usize {
        let pace: Vec<f64> = (0..self.groups.len()).map(|cell| self.pace(cell, self.speedup(cell))).collect();
        (0..pace.len()).fold(0, |slowest, cell| if pace[cell] > pace[slowest] { cell } else { slowest })
    }

    pub(super) fn makespan(&self) -> f64 {
        (0..self.groups.len()).map(|cell| self.finish(cell, self.speedup(cell))).fold(0.0, f64::max)
    }

    /// How many nodes have become free.
    pub(super) fn saved(&self) -> u32 {
        self.nodes_before - self.nodes_in_use()
    }

    /// How many nodes work for some cell.
    fn nodes_in_use(&self) -> u32 {
        let own = |node: usize| self.cells.label[node] != UNUSED;
        let mut further: Vec<NodeId> = self.further.iter().map(|(node, ..)| *node).collect();
        further.dedup();
        let owned = (0..self.cells.label.len()).filter(|&node| own(node)).count();
        (owned + further.iter().filter(|node| !own(node.index())).count()) as u32
    }

    /// Forgets nodes of further cells that have lost their layer.
    pub(super) fn drop_further(&mut self) {
        let layers = &self.layers;
        self.further.retain(|&(_, cell, depth)| (depth as usize) < layers[cell as usize].len());
    }

    /// The schedule of the cells as they are now.
    pub(super) fn scheduled(mut self) -> Scheduled {
        let speedups = self.speedups();
        let first: Vec<f64> =
            self.loads.iter().zip(&speedups).map(|(load, speedup)| load / speedup).collect();
        let mut shares = vec![0.0; self.cells.label.len()];
        for (node, share) in shares.iter_mut().enumerate() {
            let label = self.cells.label[node];
            if label != UNUSED {
                *share = first[label as usize] * self.weights[self.cells.depth[node] as usize];
                self.cells.label[node] = self.groups[label as usize][0] as u32;
            }
        }
        for &(node, cell, depth) in &self.further {
            shares[node.index()] += first[cell as usize] * self.weights[depth as usize];
        }
        let (makespan, saved) = (self.makespan(), self.saved());
        let makespan_kept = makespan <= self.makespan_before;
        let is_shared = !self.further.is_empty();
        let warning = match is_shared {
            true => Some(
                "a node equally near to several sources is counted whole in the cell of each".to_string(),
            ),
            false => (!makespan_kept).then(|| {
                let factor = makespan / self.makespan_before;
                format!(
                    "the reduction makes the makespan {factor:.3} times as long: a cell lost nodes it needed"
                )
            }),
        };
        let of_cell = |((sources, load), (layers, speedup))| Cell { sources, load, layers, speedup };
        let shape = self.groups.into_iter().zip(self.loads);
        Scheduled {
            // Cells that share nodes are no cells: loads come from whoever has them.
            plan: Plan { makespan, shares, cells: (!is_shared).then_some(self.cells) },
            cells: shape.zip(self.layers.into_iter().zip(speedups)).map(of_cell).collect(),
            speedups_before: self.speedups_before,
            saved,
            saved_share: f64::from(saved) / f64::from(self.problem.machine().living_count()),
            merged: self.merged,
            makespan_kept,
            rebalances: self.rebalances,
            warning,
        }
    }
}

/// The equations of the thesis know one kind of processor and link, and one beginning for each cell.
fn check(problem: &Problem, method: &'static str) -> Result<()> {
    if !problem.is_uniform() {
        return Err(Error::not_applicable(
            method,
            "its equations need processors and links that are all alike",
        ));
    }
    let mut nodes: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    nodes.sort_unstable();
    if nodes.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::not_applicable(
            method,
            "loads enter at one node at different times, and a cell has one beginning",
        ));
    }
    Ok(())
}

/// More depths than any node has.
fn depths(problem: &Problem) -> usize {
    match problem.machine().whole_grid() {
        Some(grid) => grid.sides().iter().sum::<u32>() as usize + 1,
        None => problem.machine().nodes() as usize,
    }
}

/// Sources that are neighbours, directly or over other sources, together; in the order of their first ones.
pub(super) fn connected(problem: &Problem) -> Vec<Vec<usize>> {
    let nodes: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    let mut source_at = vec![usize::MAX; problem.machine().nodes() as usize];
    nodes.iter().enumerate().for_each(|(index, node)| source_at[node.index()] = index);
    let group = |piece: Vec<NodeId>| {
        let mut group: Vec<usize> = piece.iter().map(|node| source_at[node.index()]).collect();
        group.sort_unstable();
        group
    };
    pieces(problem.machine(), &nodes).into_iter().map(group).collect()
}

/// All sources as one group, or the reason why they are none.
fn one_group(problem: &Problem, method: &'static str) -> Result<Vec<Vec<usize>>> {
    check(problem, method)?;
    let groups = connected(problem);
    if let [first, second, ..] = groups.as_slice() {
        let name = |group: &Vec<usize>| problem.machine().node_name(problem.sources()[group[0]].node);
        let why = format!(
            "its sources must be connected, and no way over sources leads from {} to {}",
            name(first),
            name(second)
        );
        return Err(Error::not_applicable(method, why));
    }
    Ok(groups)
}

/// What a schedule leaves out that takes connected sources with different loads as one.
pub(super) fn warn_of_unequal_loads(scheduled: &mut Scheduled, problem: &Problem, instead: &str) {
    let uneven = |cell: &Cell| {
        let loads = || cell.sources.iter().map(|&source| problem.sources()[source].load);
        loads().any(|load| load != problem.sources()[cell.sources[0]].load)
    };
    if scheduled.warning.is_none() && scheduled.cells.iter().any(uneven) {
        let warning =
            format!("the time to even out the loads of connected sources is left out; {instead} counts it");
        scheduled.warning = Some(warning);
    }
}

/// EPSA: connected sources become one large processor that serves the whole machine.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the sources are not connected, processors or links differ, or one node has loads of
/// different releases.
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Source
///
/// `zhang2018`, algorithm 1 and eq. 3.90 to 3.98.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_load::shares::equivalence::epsa;
/// use meshwright_load::shares::schedulers::SchedulerSettings;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:6x7")?;
/// let block = [16, 17, 23, 24].map(|node| Source::at(NodeId(node), 0.25)).to_vec();
/// let problem = Problem::new(&mesh, block, 1.0)?;
/// let scheduled = epsa(&problem, Forwarding::CutThrough, &SchedulerSettings::default())?;
/// assert_eq!(scheduled.cells[0].layers, [4, 8, 12, 10, 6, 2]);
/// assert_eq!(scheduled.plan.speedup(), 12.0, "as slow a link as a processor: one layer is reached");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn epsa(problem: &Problem, forwarding: Forwarding, settings: &SchedulerSettings) -> Result<Scheduled> {
    let groups = one_group(problem, "epsa")?;
    let mut scheduled = Division::new(problem, forwarding, settings, "epsa", groups)?.scheduled();
    warn_of_unequal_loads(&mut scheduled, problem, "epsea");
    Ok(scheduled)
}

/// EPSEA: connected sources even out their loads, then become one large processor.
///
/// The makespan counts the evening out, which the thesis leaves out.
///
/// # Errors
///
/// As for [`epsa`]; [`Error::TooLarge`] when there are too many sources to even out.
///
/// # Complexity
///
/// O(nodes + links) and that of [`earth_mover::rebalance`].
///
/// # Source
///
/// `zhang2018`, algorithm 6.
pub fn epsea(problem: &Problem, forwarding: Forwarding, settings: &SchedulerSettings) -> Result<Scheduled> {
    let groups = one_group(problem, "epsea")?;
    Ok(Division::new(problem, forwarding, settings, "epsea", groups)?.rebalanced()?.scheduled())
}
