//! Packing of spanning trees: each chunk of the data goes along a tree of its own, and the trees share the links evenly.
//!
//! # Source
//!
//! `nashwilliams1961`: so many trees fit side by side as the sparsest way to cut the network into parts allows. `edmonds1973`: the
//! same of trees that lead away from a root. Which trees: Prim's algorithm, with what a link carries already as its weight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::flow::{Block, Flow, share};
use crate::{Operation, Task};

/// One in fixed point.
const ONE: i64 = 1 << 16;

/// The working wires between members, both ways.
pub(super) struct Wires {
    /// By member its neighbours, with the number of the wire there.
    around: Vec<Vec<(u32, u32)>>,
    /// How many wires there are, each direction counted.
    many: u32,
}

/// A spanning tree: depth of the child, parent, child; parents before their children.
pub type SpanningTree = Vec<(u32, u32, u32)>;

/// Cost, turn, wire and its ends of wires that lead out of a tree, the cheapest first.
type Offers = BinaryHeap<Reverse<(i64, u32, u32, u32, u32)>>;

/// What trees are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Data goes away from the root.
    Down,
    /// Data comes to the root and goes away again over the same wires.
    UpAndDown,
}

/// How deep against how even: cost of a level in units of a chunk on a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth(pub f64);

impl Wires {
    /// Those of the members of a task.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when links are described one by one.
    pub(super) fn of(task: &Task<'_>) -> Result<Self> {
        let machine = task.machine();
        if machine.fabric().is_some() {
            let why = "it takes all links to be alike, and here each is described";
            return Err(Error::not_applicable("a packing of trees", why));
        }
        let mut member = vec![u32::MAX; machine.nodes() as usize];
        for (number, node) in (0..).zip(task.nodes()) {
            member[node.index()] = number;
        }
        let mut many = 0;
        let around = task.nodes().iter().map(|&node| {
            let mut here: Vec<(u32, u32)> = Vec::new();
            for (_, other) in machine.neighbours(node) {
                let to = member[other.index()];
                if to != u32::MAX
                    && machine.wire(node, other).is_some()
                    && machine.wire(other, node).is_some()
                {
                    here.push((to, many));
                    many += 1;
                }
            }
            here
        });
        let around = around.collect();
        Ok(Self { around, many })
    }
}

/// Makes one tree after the other, each of the wires that carry least so far.
pub(super) struct Packing<'w> {
    wires: &'w Wires,
    /// By wire how many trees use it, in this direction.
    load: Vec<i64>,
    /// How many trees there are.
    trees: i64,
    /// What of a tree a wire carries if all is even.
    even: i64,
    /// What a level of depth costs.
    level: i64,
    /// Whether a tree uses its wires both ways.
    both: bool,
    /// By wire the one back.
    reverse: Vec<u32>,
}

impl<'w> Packing<'w> {
    /// Before the first tree.
    pub(super) fn new(wires: &'w Wires, what: Use, level: Depth) -> Self {
        let mut reverse = vec![0; wires.many as usize];
        for (from, here) in (0..).zip(&wires.around) {
            for &(to, wire) in here {
                let back = wires.around[to as usize].iter().find(|&&(end, _)| end == from);
                reverse[wire as usize] = back.expect("wires go both ways").1;
            }
        }
        let members = wires.around.len() as i64;
        let pairs = i64::from(wires.many).max(1);
        let both = what == Use::UpAndDown;
        let even = (members - 1) * ONE * if both { 2 } else { 1 } / pairs;
        let level = (level.0 * ONE as f64) as i64;
        Self { wires, load: vec![0; wires.many as usize], trees: 0, even, level, both, reverse }
    }

    /// The next tree from a root.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when a member cannot be reached.
    pub(super) fn tree(&mut self, root: u32) -> Result<SpanningTree> {
        let members = self.wires.around.len();
        let mut depth = vec![u32::MAX; members];
        let mut tree = SpanningTree::with_capacity(members - 1);
        let mut heap = BinaryHeap::new();
        depth[root as usize] = 0;
        self.offer(root, &depth, &mut heap);
        while let Some(Reverse((_, _, wire, from, to))) = heap.pop() {
            if depth[to as usize] != u32::MAX {
                continue;
            }
            depth[to as usize] = depth[from as usize] + 1;
            self.load[wire as usize] += ONE;
            if self.both {
                self.load[self.reverse[wire as usize] as usize] += ONE;
            }
            tree.push((depth[to as usize], from, to));
            self.offer(to, &depth, &mut heap);
        }
        if tree.len() + 1 < members {
            return Err(Error::not_applicable("a packing of trees", "the members are not all connected"));
        }
        self.trees += 1;
        Ok(tree)
    }

    /// Offers the wires of a member that has come in, by what they carry beyond their share and how deep they lead.
    fn offer(&self, from: u32, depth: &[u32], heap: &mut Offers) {
        let below = depth[from as usize] + 1;
        for &(to, wire) in &self.wires.around[from as usize] {
            if depth[to as usize] == u32::MAX {
                let over = self.load[wire as usize] - self.trees * self.even;
                let over = if self.both { over } else { over.max(0) };
                // Equal wires take turns, so that neighbours of one tree are not those of the next.
                let turn = (wire ^ (self.trees as u32).wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B);
                heap.push(Reverse((over + self.level * i64::from(below), turn, wire, from, to)));
            }
        }
    }
}

/// The members from which the farthest is nearest.
pub fn centres(task: &Task<'_>) -> Vec<u32> {
    let far = |member: &u32| task.machine().eccentricity(task.nodes()[*member as usize]);
    let least = (0..task.members()).map(|member| far(&member)).min();
    (0..task.members()).filter(|member| Some(far(member)) == least).collect()
}

/// The flow of an operation over a packing of so many trees, one chunk of the data along each.
///
/// Broadcast and reduce go along trees of the root; all-reduce goes up and down trees whose roots are the centres of the machine in
/// turn; all-gather and reduce-scatter along trees of each member for its own part.
///
/// # Errors
///
/// [`Error::NotApplicable`] for other operations, machines whose links are described one by one, and members that are not connected.
///
/// # Complexity
///
/// O(trees links log links).
pub fn flow(task: &Task<'_>, trees: u32, level: Depth) -> Result<Flow> {
    let wires = Wires::of(task)?;
    // Of nothing there are no chunks.
    let trees = if task.bytes == 0 { 1 } else { trees };
    let down = |task: &Task<'_>, roots: &dyn Fn(u32) -> u32, blocks: Vec<Block>| -> Result<Flow> {
        let mut packing = Packing::new(&wires, Use::Down, level);
        let mut flow = Flow::new(task.members(), blocks);
        for chunk in 0..flow.blocks().len() as u32 {
            let tree = packing.tree(roots(chunk))?;
            tree.iter().for_each(|&(depth, from, to)| flow.copy(chunk + depth - 1, from, to, [chunk]));
        }
        Ok(flow)
    };
    let cut = |block: Block| (0..trees).map(move |k| Block { bytes: share(block.bytes, trees, k), ..block });
    match task.operation {
        Operation::Broadcast => {
            let blocks = task.blocks().into_iter().flat_map(cut).collect();
            down(task, &|_| task.root, blocks)
        }
        Operation::Reduce => Ok(flow(&task.with(Operation::Broadcast, task.root), trees, level)?.reversed()),
        Operation::AllReduce | Operation::Barrier => up_and_down(task, &wires, trees, level),
        Operation::AllGather => {
            let members = task.members();
            // Part by part: chunk k of every member before chunk k + 1 of any.
            let parts: Vec<Block> = task.blocks();
            let blocks = (0..trees)
                .flat_map(|k| {
                    parts.iter().map(move |&part| Block { bytes: share(part.bytes, trees, k), ..part })
                })
                .collect();
            down(task, &|chunk| chunk % members, blocks)
        }
        Operation::ReduceScatter => {
            Ok(flow(&task.with(Operation::AllGather, task.root), trees, level)?.reversed())
        }
        other => {
            let why = format!("it is no way to do {}", other.name());
            Err(Error::not_applicable("a packing of trees", why))
        }
    }
}

/// All-reduce: each chunk to the root of its tree and back.
fn up_and_down(task: &Task<'_>, wires: &Wires, trees: u32, level: Depth) -> Result<Flow> {
    let centres = centres(task);
    let cut = |block: &Block| {
        let block = *block;
        (0..trees).map(move |k| Block { bytes: share(block.bytes, trees, k), ..block })
    };
    let blocks = task.blocks().iter().flat_map(cut).collect();
    let mut flow = Flow::new(task.members(), blocks);
    let mut packing = Packing::new(wires, Use::UpAndDown, level);
    for chunk in 0..trees {
        let tree = packing.tree(centres[chunk as usize % centres.len()])?;
        let deepest = tree.iter().map(|&(depth, ..)| depth).max().unwrap_or(0);
        for &(depth, from, to) in tree.iter().rev() {
            flow.combine(chunk + deepest - depth, to, from, [chunk]);
        }
        for &(depth, from, to) in &tree {
            flow.copy(chunk + deepest + depth - 1, from, to, [chunk]);
        }
    }
    Ok(flow)
}
