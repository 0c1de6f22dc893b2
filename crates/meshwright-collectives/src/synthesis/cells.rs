//! Cells: each chunk comes together in cells of a few members, these in larger ones, and goes back the same way, every chunk with cells of its own.
//!
//! In a tree of neighbours most messages wait for others, so that links stand idle until the first chunks have come far. In cells
//! most members send at once, over one link each, and few levels later all has met; messages of higher levels jump over
//! several links, and there are few of those. Of several random trees the one is taken whose links carry least so far.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_network::routing::dimension_order::for_each_link;
use meshwright_network::topology::{Grid, Topology};
use rand::RngExt;
use rand_xoshiro::SplitMix64;

use super::list::{Messages, Plan};
use crate::flow::{Block, Flow, share};
use crate::{Operation, Task};

/// How many random trees there are to choose from, for each chunk.
const DRAWS: u32 = 16;

/// The seed of the trees.
const SEED: u32 = 1;

/// Trees of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// How many trees there are, one for each chunk.
    pub trees: u32,
    /// Members of a cell along an axis, at most.
    pub side: u32,
    /// As many chunks as a level further from the end is worth, where a link chooses what goes first.
    pub haste: u32,
    /// How often the plan is turned round, see [`Messages::improved`].
    pub passes: u32,
}

/// A message towards the root: its level, who sends and who gets it.
type Edge = (u32, u32, u32);

/// Makes random trees of cells.
struct Draws<'g> {
    grid: &'g Grid,
    side: usize,
    rng: SplitMix64,
    /// By axis the coordinates at which a chunk is still to come together.
    open: Vec<Vec<u32>>,
    /// Along one axis: step, from, to.
    line: Vec<Edge>,
    /// The members that agree along it.
    across: Vec<u32>,
}

impl Display for Cells {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { trees, side, haste, passes } = self;
        write!(f, "{trees} trees of cells of {side}, haste {haste}")?;
        if *passes > 0 {
            write!(f, ", turned {passes} times")?;
        }
        Ok(())
    }
}

impl Draws<'_> {
    /// The next tree, children before their parents.
    fn tree(&mut self, tree: &mut Vec<Edge>) {
        tree.clear();
        let axes = self.grid.dimensions();
        for (axis, open) in self.open.iter_mut().enumerate() {
            open.clear();
            open.extend(0..self.grid.sides()[axis]);
        }
        let (mut axis, mut level) = (self.rng.random_range(0..axes), 0);
        while self.open.iter().any(|open| open.len() > 1) {
            let steps = self.meet(axis);
            self.spread(axis);
            let apart = self.grid.stride(axis);
            for &(step, from, to) in &self.line {
                let edge = |&at: &u32| (level + step, at + from * apart, at + to * apart);
                tree.extend(self.across.iter().map(edge));
            }
            level += steps;
            axis = (axis + 1) % axes;
        }
        tree.sort_unstable_by_key(|&(level, ..)| level);
    }

    /// Along an axis what is in cells comes together in the middle of each; how many steps that takes.
    fn meet(&mut self, axis: usize) -> u32 {
        self.line.clear();
        let mut open = std::mem::take(&mut self.open[axis]);
        let many = open.len();
        let side = self.side.min(many);
        // Round a torus cells begin anywhere; else the first may be smaller.
        if self.grid.wraps() {
            let by = self.rng.random_range(0..many);
            open.rotate_left(by);
        }
        let mut end = if side < many { self.rng.random_range(0..side) } else { 0 };
        end = if end == 0 { side } else { end };
        let (mut first, mut kept, mut steps) = (0, 0, 0);
        while first < many {
            let size = end - first;
            let middle =
                first + if size % 2 == 1 { size / 2 } else { size / 2 - self.rng.random_range(0..2) };
            let far = (middle - first).max(end - 1 - middle);
            for at in (first..end).filter(|&at| at != middle) {
                let next = if at < middle { at + 1 } else { at - 1 };
                self.line.push(((far - at.abs_diff(middle)) as u32, open[at], open[next]));
            }
            steps = steps.max(far as u32);
            open[kept] = open[middle];
            kept += 1;
            (first, end) = (end, (end + side).min(many));
        }
        open.truncate(kept);
        open.sort_unstable();
        self.open[axis] = open;
        steps
    }

    /// Notes the members that are open along all other axes, at 0 along this.
    fn spread(&mut self, axis: usize) {
        self.across.clear();
        self.across.push(0);
        for other in (0..self.grid.dimensions()).filter(|&other| other != axis) {
            let (many, apart) = (self.across.len(), self.grid.stride(other));
            for &at in &self.open[other][1..] {
                for before in 0..many {
                    self.across.push(self.across[before] + at * apart);
                }
            }
            let first = self.open[other][0] * apart;
            self.across[..many].iter_mut().for_each(|member| *member += first);
        }
    }
}

/// What links carry.
struct Loads<'g> {
    grid: &'g Grid,
    /// By link the messages of all trees so far, and those of the tree that is looked at.
    all: Vec<u32>,
    own: Vec<u32>,
    trees: u32,
}

impl Loads<'_> {
    /// Visits the links of a tree, up and down.
    fn visit(grid: &Grid, tree: &[Edge], mut visit: impl FnMut(usize)) {
        for &(_, from, to) in tree {
            for_each_link(grid, NodeId(from), NodeId(to), |link| visit(link.index()));
            for_each_link(grid, NodeId(to), NodeId(from), |link| visit(link.index()));
        }
    }

    /// What a tree adds where much is carried already: the sixth power of what a link carries of all trees, so that the busiest count.
    fn price(&mut self, tree: &[Edge]) -> f64 {
        let even = f64::from(self.trees + 1);
        let (all, own) = (&self.all, &mut self.own);
        let mut price = 0.0;
        Self::visit(self.grid, tree, |link| {
            let carried = f64::from(all[link] + own[link]) / even;
            own[link] += 1;
            let square = carried * carried;
            price += square * square * square;
        });
        Self::visit(self.grid, tree, |link| own[link] = 0);
        price
    }

    fn take(&mut self, tree: &[Edge]) {
        let all = &mut self.all;
        Self::visit(self.grid, tree, |link| all[link] += 1);
        self.trees += 1;
    }
}

impl Cells {
    /// Its flow, in the order and at the pace of its plan, and the plan's messages.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box, and for other operations than all-reduce and barrier.
    ///
    /// # Complexity
    ///
    /// O(trees p log p) for some twenty trees each, and that of [`Messages::plan`].
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let (flow, plan) = self.planned(task)?;
        Ok(plan.paced(plan.ordered(&flow), task.machine().costs()))
    }

    /// Its flow in no order, and its plan.
    ///
    /// # Errors
    ///
    /// Those of [`Cells::flow`].
    pub fn planned(&self, task: &Task<'_>) -> Result<(Flow, Plan)> {
        let grid = task.grid("a tree of cells")?;
        let (flow, steps) = self.unordered(task, grid)?;
        let chunk = |index: usize| flow.row(index)[0].0;
        let urgency = |index: usize| chunk(index) + self.haste * steps[index];
        let urgency: Vec<u64> = (0..steps.len()).map(|index| urgency(index).into()).collect();
        let messages = Messages::of(&flow, task.machine().costs(), Some(grid));
        let plan = messages.improved(messages.plan(&urgency), self.passes);
        Ok((flow, plan))
    }

    /// Of the first tree the levels, up and down, and the links of all messages.
    ///
    /// # Errors
    ///
    /// Those of [`Cells::flow`].
    pub fn shape(&self, task: &Task<'_>) -> Result<(u32, usize)> {
        let grid = task.grid("a tree of cells")?;
        let (flow, _) = Self { trees: 1, ..*self }.unordered(task, grid)?;
        let mut links = 0;
        for transfer in flow.transfers() {
            for_each_link(grid, NodeId(transfer.source), NodeId(transfer.target), |_| links += 1);
        }
        Ok((flow.steps(), links))
    }

    /// All trees, up and down, and by message its level.
    fn unordered(&self, task: &Task<'_>, grid: &Grid) -> Result<(Flow, Vec<u32>)> {
        if !matches!(task.operation, Operation::AllReduce | Operation::Barrier) {
            let why = format!("it is no way to do {}", task.operation.name());
            return Err(Error::not_applicable("a tree of cells", why));
        }
        let whole = task.blocks()[0];
        let part = |k| Block { bytes: share(whole.bytes, self.trees, k), ..whole };
        let mut flow = Flow::new(task.members(), (0..self.trees).map(part).collect());
        let links = grid.links() as usize;
        let mut loads = Loads { grid, all: vec![0; links], own: vec![0; links], trees: 0 };
        let open = vec![Vec::new(); grid.dimensions()];
        let side = self.side.max(2) as usize;
        let mut draws =
            Draws { grid, side, rng: rng::numbered(&[SEED]), open, line: Vec::new(), across: Vec::new() };
        let (mut tree, mut best): (Vec<Edge>, Vec<Edge>) = (Vec::new(), Vec::new());
        for chunk in 0..self.trees {
            let mut least = f64::INFINITY;
            for _ in 0..DRAWS {
                draws.tree(&mut tree);
                let price = loads.price(&tree);
                if price < least {
                    least = price;
                    std::mem::swap(&mut tree, &mut best);
                }
            }
            loads.take(&best);
            let levels = best.last().map_or(0, |&(level, ..)| level + 1);
            best.iter().for_each(|&(level, from, to)| flow.combine(level, from, to, [chunk]));
            for &(level, from, to) in best.iter().rev() {
                flow.copy(2 * levels - 1 - level, to, from, [chunk]);
            }
        }
        let steps = flow.transfers().iter().map(|transfer| transfer.step).collect();
        Ok((flow, steps))
    }
}
