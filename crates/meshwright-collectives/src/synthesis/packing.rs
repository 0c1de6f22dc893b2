//! Packing of spanning trees: each chunk of the data goes along a tree of its own, and the trees share the links evenly.
//!
//! # Source
//!
//! `nashwilliams1961`: so many trees fit side by side as the sparsest way to cut the network into parts allows. `edmonds1973`: the
//! same of trees that lead away from a root. Which trees: Prim's algorithm, with what a link carries already as its weight.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::flow::{Block, Flow, share};
use crate::{Operation, Task};

/// One in fixed point.
const ONE: i64 = 1 << 16;

/// How trees are packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trees {
    /// How many there are.
    pub trees: u32,
    /// How deep against how even.
    pub level: Depth,
    /// As many chunks as a level further from the end is worth, where a link chooses what goes first.
    pub haste: u32,
    /// How often the plan is turned round, see [`Messages::improved`](super::list::Messages::improved).
    pub passes: u32,
}

impl Display for Trees {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { trees, level: Depth(level), haste, passes } = self;
        write!(f, "{trees} trees, {level} a level")?;
        if *haste > 1 {
            write!(f, ", haste {haste}")?;
        }
        if *passes > 0 {
            write!(f, ", turned {passes} times")?;
        }
        Ok(())
    }
}

/// The working wires between members, both ways.
pub(super) struct Wires {
    /// By member its neighbours, with the number of the wire there.
    pub(super) around: Vec<Vec<(u32, u32)>>,
    /// By wire the one back; as many as there are wires, each direction counted.
    reverse: Vec<u32>,
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
        let mut wires = Self { around: around.collect(), reverse: Vec::new() };
        let back = |(from, here): (u32, &Vec<(u32, u32)>)| -> Vec<u32> {
            here.iter().map(|&(to, _)| wires.to(to, from).expect("wires go both ways")).collect()
        };
        wires.reverse = (0..).zip(&wires.around).flat_map(back).collect();
        Ok(wires)
    }

    /// How many there are, each direction counted.
    pub(super) fn count(&self) -> u32 {
        self.reverse.len() as u32
    }

    /// By member how many wires away it is; the largest number where there is no way.
    pub(super) fn hops(&self, from: u32) -> Vec<u32> {
        let mut hops = vec![u32::MAX; self.around.len()];
        hops[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &(to, _) in &self.around[at as usize] {
                if hops[to as usize] == u32::MAX {
                    hops[to as usize] = hops[at as usize] + 1;
                    queue.push_back(to);
                }
            }
        }
        hops
    }

    /// The wire from a member to its neighbour.
    fn to(&self, from: u32, to: u32) -> Option<u32> {
        self.around[from as usize].iter().find(|&&(end, _)| end == to).map(|&(_, wire)| wire)
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
}

impl<'w> Packing<'w> {
    /// Before the first tree.
    pub(super) fn new(wires: &'w Wires, what: Use, shape: Trees) -> Self {
        let members = wires.around.len() as i64;
        let pairs = (wires.reverse.len() as i64).max(1);
        let both = what == Use::UpAndDown;
        let even = (members - 1) * ONE * if both { 2 } else { 1 } / pairs;
        let level = (shape.level.0 * ONE as f64) as i64;
        Self { wires, load: vec![0; wires.reverse.len()], trees: 0, even, level, both }
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
            self.take(wire);
            tree.push((depth[to as usize], from, to));
            self.offer(to, &depth, &mut heap);
        }
        if tree.len() + 1 < members {
            return Err(Error::not_applicable("a packing of trees", "the members are not all connected"));
        }
        self.trees += 1;
        Ok(tree)
    }

    /// A tree takes a wire, or both ways of it.
    fn take(&mut self, wire: u32) {
        self.load[wire as usize] += ONE;
        if self.both {
            self.load[self.wires.reverse[wire as usize] as usize] += ONE;
        }
    }

    /// What a wire carries beyond its share.
    fn over(&self, wire: u32) -> i64 {
        let over = self.load[wire as usize] - self.trees * self.even;
        if self.both { over } else { over.max(0) }
    }

    /// Equal wires take turns, so that neighbours of one tree are not those of the next.
    fn turn(&self, wire: u32) -> u32 {
        (wire ^ (self.trees as u32).wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B)
    }

    /// Offers the wires of a member that has come in, by what they carry beyond their share and how deep they lead.
    fn offer(&self, from: u32, depth: &[u32], heap: &mut Offers) {
        let below = depth[from as usize] + 1;
        for &(to, wire) in &self.wires.around[from as usize] {
            if depth[to as usize] == u32::MAX {
                let cost = self.over(wire) + self.level * i64::from(below);
                heap.push(Reverse((cost, self.turn(wire), wire, from, to)));
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
pub fn flow(task: &Task<'_>, shape: Trees) -> Result<Flow> {
    let wires = Wires::of(task)?;
    // Of nothing there are no chunks.
    let shape = if task.bytes == 0 { Trees { trees: 1, ..shape } } else { shape };
    let down = |task: &Task<'_>, roots: &dyn Fn(u32) -> u32, blocks: Vec<Block>| -> Result<Flow> {
        let mut packing = Packing::new(&wires, Use::Down, shape);
        let mut flow = Flow::new(task.members(), blocks);
        for chunk in 0..flow.blocks().len() as u32 {
            let tree = packing.tree(roots(chunk))?;
            tree.iter().for_each(|&(depth, from, to)| {
                flow.copy(chunk + shape.haste * (depth - 1), from, to, [chunk]);
            });
        }
        Ok(flow)
    };
    match task.operation {
        Operation::Broadcast => {
            let blocks = chunks(task, shape.trees);
            down(task, &|_| task.root, blocks)
        }
        Operation::Reduce => Ok(flow(&task.with(Operation::Broadcast, task.root), shape)?.reversed()),
        Operation::AllReduce | Operation::Barrier => up_and_down(task, &wires, shape),
        Operation::AllGather => {
            let members = task.members();
            // Part by part: chunk k of every member before chunk k + 1 of any.
            down(task, &|chunk| chunk % members, chunks(task, shape.trees))
        }
        Operation::ReduceScatter => Ok(flow(&task.with(Operation::AllGather, task.root), shape)?.reversed()),
        other => {
            let why = format!("it is no way to do {}", other.name());
            Err(Error::not_applicable("a packing of trees", why))
        }
    }
}

/// The k-th chunks of all blocks before those after them.
pub(super) fn chunks(task: &Task<'_>, many: u32) -> Vec<Block> {
    let blocks = task.blocks();
    let part = |k: u32| {
        let cut = move |block: &Block| Block { bytes: share(block.bytes, many, k), ..*block };
        blocks.iter().map(cut)
    };
    (0..many).flat_map(part).collect()
}

/// All-reduce: each chunk to the root of its tree and back.
fn up_and_down(task: &Task<'_>, wires: &Wires, shape: Trees) -> Result<Flow> {
    let roots = centres(task);
    let mut flow = Flow::new(task.members(), chunks(task, shape.trees));
    let mut packing = Packing::new(wires, Use::UpAndDown, shape);
    for chunk in 0..shape.trees {
        let tree = packing.tree(roots[chunk as usize % roots.len()])?;
        let deepest = tree.iter().map(|&(depth, ..)| depth).max().unwrap_or(0);
        for &(depth, from, to) in tree.iter().rev() {
            flow.combine(chunk + shape.haste * (deepest - depth), to, from, [chunk]);
        }
        for &(depth, from, to) in &tree {
            flow.copy(chunk + shape.haste * (deepest + depth - 1), from, to, [chunk]);
        }
    }
    Ok(flow)
}
