//! Cells: each chunk comes together in cells of a few members, these in larger ones, and goes back the same way, every chunk with cells of its own.
//!
//! A broadcast goes the second half of that way, a reduction the first: the root sends each chunk over one of its neighbours to where its cells
//! would meet, or gets it from there.
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
use super::overlay_shapes::directions;
use crate::flow::{Block, Flow, Mode, Transfer, share};
use crate::{Operation, Task};

/// How many random trees there are to choose from, for each chunk.
const DRAWS: u32 = 32;

/// Power of what links carry already by which a tree is priced.
const POWER: i32 = 16;

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

/// Which of its messages a tree has.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    up: bool,
    down: bool,
    /// Root and gate, where one member has all from the beginning or gets all in the end: the gate is the neighbour over which a chunk leaves it, or comes.
    root: Option<(u32, u32)>,
}

impl Ways {
    /// Those of an operation that one tree for each chunk does.
    pub(super) fn of(task: &Task<'_>) -> Option<Self> {
        let root = match task.operation {
            Operation::Broadcast | Operation::Reduce => Some((task.root, task.root)),
            Operation::AllReduce | Operation::Barrier => None,
            _ => return None,
        };
        let (up, down) = directions(task.operation)?;
        Some(Self { up, down, root })
    }

    /// Visits the messages of a tree, those that others wait for before them.
    fn visit(self, tree: &[Edge], mut visit: impl FnMut(Transfer)) {
        let Some(&(last, _, centre)) = tree.last() else { return };
        let levels = last + 1;
        // What meets at the root needs no gate.
        let root = self.root.map(|(root, gate)| (root, if centre == root { root } else { gate }));
        let is_near = |of: u32| root.is_some_and(|(root, gate)| of == root || of == gate);
        // Root and gate need nothing that they have, and hand on nothing that they are to get.
        let edges = || tree.iter().copied().filter(|&(_, from, _)| !is_near(from));
        let ends = |(root, gate)| [(levels, centre, gate), (levels + 1, gate, root)];
        let ends = || root.into_iter().flat_map(ends);
        if self.up {
            let all = edges().chain(ends());
            all.for_each(|(level, from, to)| visit(Transfer::new(level, from, to, Mode::Combine)));
        }
        let end = if root.is_some() { levels + 1 } else { 2 * levels - 1 };
        if self.down {
            let all = edges().chain(ends()).rev();
            all.for_each(|(level, from, to)| visit(Transfer::new(end - level, to, from, Mode::Copy)));
        }
    }

    /// How many messages a tree of so many members has.
    pub(super) fn messages(self, members: u32) -> usize {
        (usize::from(self.up) + usize::from(self.down)) * (members as usize - 1)
    }
}

/// What links carry.
struct Loads<'g> {
    grid: &'g Grid,
    ways: Ways,
    /// By link the messages of all trees so far, and those of the tree that is looked at.
    all: Vec<u32>,
    own: Vec<u32>,
    trees: u32,
}

impl Loads<'_> {
    /// Visits the links of a tree, one as often as messages go over it.
    fn visit(grid: &Grid, ways: Ways, tree: &[Edge], mut visit: impl FnMut(usize)) {
        ways.visit(tree, |Transfer { source, target, .. }| {
            for_each_link(grid, NodeId(source), NodeId(target), |link| visit(link.index()));
        });
    }

    /// What a tree adds where much is carried already: a high power of what a link carries of all trees, so that the busiest count.
    fn price(&mut self, tree: &[Edge]) -> f64 {
        let even = f64::from(self.trees + 1);
        let (all, own) = (&self.all, &mut self.own);
        let mut price = 0.0;
        Self::visit(self.grid, self.ways, tree, |link| {
            let carried = f64::from(all[link] + own[link]) / even;
            own[link] += 1;
            price += carried.powi(POWER);
        });
        Self::visit(self.grid, self.ways, tree, |link| own[link] = 0);
        price
    }

    fn take(&mut self, tree: &[Edge]) {
        let all = &mut self.all;
        Self::visit(self.grid, self.ways, tree, |link| all[link] += 1);
        self.trees += 1;
    }
}

impl Cells {
    /// Its flow, in the order and at the pace of its plan, and the plan's messages.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole box, and for other operations than broadcast, reduce, all-reduce and barrier.
    ///
    /// # Complexity
    ///
    /// O(trees p log p) for 32 trees each, and that of [`Messages::plan`].
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
        let Some(ways) = Ways::of(task) else {
            let why = format!("it is no way to do {}", task.operation.name());
            return Err(Error::not_applicable("a tree of cells", why));
        };
        let whole = task.blocks()[0];
        let part = |k| Block { bytes: share(whole.bytes, self.trees, k), ..whole };
        let mut flow = Flow::new(task.members(), (0..self.trees).map(part).collect());
        let links = grid.links() as usize;
        let mut loads = Loads { grid, ways, all: vec![0; links], own: vec![0; links], trees: 0 };
        let open = vec![Vec::new(); grid.dimensions()];
        let side = self.side.max(2) as usize;
        let mut draws =
            Draws { grid, side, rng: rng::numbered(&[SEED]), open, line: Vec::new(), across: Vec::new() };
        let around = |(root, _)| grid.neighbours(NodeId(root)).map(|(_, gate)| gate.0);
        let gates: Vec<u32> = ways.root.into_iter().flat_map(around).collect();
        let (mut tree, mut best): (Vec<Edge>, Vec<Edge>) = (Vec::new(), Vec::new());
        for chunk in 0..self.trees {
            let mut least = f64::INFINITY;
            if let Some((_, gate)) = &mut loads.ways.root {
                *gate = gates[chunk as usize % gates.len()];
            }
            for _ in 0..DRAWS {
                draws.tree(&mut tree);
                let price = loads.price(&tree);
                if price < least {
                    least = price;
                    std::mem::swap(&mut tree, &mut best);
                }
            }
            loads.take(&best);
            loads.ways.visit(&best, |transfer| flow.send(transfer, [chunk]));
        }
        let steps = flow.transfers().iter().map(|transfer| transfer.step).collect();
        Ok((flow, steps))
    }
}
