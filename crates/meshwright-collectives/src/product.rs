//! Products: an all-gather of a line lifted to a box, one axis after the other.
//!
//! # Source
//!
//! `jain2010`.

use std::ops::Range;

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::flow::{ALL, Block, Flow, share};
use crate::{Operation, Task};

/// The all-gather of a box that gathers along one axis after the other.
///
/// Along an axis all lines do the same at once: `line(axis, n)` is an all-gather of n members (as in [`crate::line`]) in which every
/// member has the same number of blocks. They stand for equal shares of all that the member has gathered along the axes before. A part is cut
/// into as many pieces as every line can share out evenly. [`crate::shape::by_all_gather`] makes a reduce-scatter and an all-reduce of it.
///
/// ```text
/// steps = sum of the steps of the lines;    a message along the k-th axis carries n_1 ... n_(k-1) times what it carries in a line
/// ```
///
/// # Errors
///
/// [`Error::NotApplicable`] when the machine is no whole box, `axes` does not name every axis once, or a line is no such all-gather;
/// else those of `line`.
///
/// # Complexity
///
/// O(blocks of all messages log of them).
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, line, product::product};
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:8x8")?;
/// let task = Task::new(&torus, Operation::AllGather, 1 << 20, 0)?;
/// let rings = product(&task, &[1, 0], |_, n| Ok(line::round(n, true)))?;
/// let both = product(&task, &[1, 0], |_, n| Ok(line::both_ways(n)))?;
/// assert_eq!((rings.steps(), both.steps()), (14, 8));
/// assert_eq!(both.check(task.operation, 0, task.bytes), Ok(()));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn product(task: &Task<'_>, axes: &[usize], line: impl Fn(usize, u32) -> Result<Flow>) -> Result<Flow> {
    let grid = task.grid("a product over axes")?;
    let sides = grid.sides();
    let mut named = axes.to_vec();
    named.sort_unstable();
    if !named.iter().copied().eq(0..sides.len()) {
        return Err(Error::not_applicable("a product over axes", "it needs every axis once"));
    }
    let lines: Vec<Flow> = axes.iter().map(|&axis| line(axis, sides[axis])).collect::<Result<_>>()?;
    let mut lift = Lift::of_members(task, &lines)?;
    for (&axis, line) in axes.iter().zip(&lines) {
        let stride = grid.stride(axis);
        let first = (0..task.members()).filter(|&m| m / stride % sides[axis] == 0);
        let each = first.map(|first| (0..sides[axis]).map(move |at| first + at * stride).collect());
        lift.gather(line, &each.collect::<Vec<_>>());
    }
    Ok(lift.flow)
}

/// The all-gather in which the members stand in this order along one line.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the line is no all-gather of as many members in which each has the same number of blocks.
pub fn along(task: &Task<'_>, order: &[u32], line: &Flow) -> Result<Flow> {
    let mut lift = Lift::of_members(task, std::slice::from_ref(line))?;
    if order.len() != task.members() as usize || line.members() != task.members() {
        return Err(Error::not_applicable("an order of members", "it needs every member once"));
    }
    lift.gather(line, &[order.to_vec()]);
    Ok(lift.flow)
}

/// A product that grows line by line.
pub(crate) struct Lift {
    /// What has been gathered so far.
    pub(crate) flow: Flow,
    /// How many blocks a part is cut into, one after the other.
    cut: u32,
    /// By member which parts it has, in increasing order.
    held: Vec<Vec<u32>>,
}

impl Lift {
    /// Before the first line: each member has its own part of an all-gather.
    fn of_members(task: &Task<'_>, lines: &[Flow]) -> Result<Self> {
        let parts = task.with(Operation::AllGather, task.root).blocks();
        Self::new(parts, (0..task.members()).collect(), lines)
    }

    /// Before the first line: member m has part `own[m]`. A part is cut into as many blocks as every line can share out evenly.
    pub(crate) fn new(parts: Vec<Block>, own: Vec<u32>, lines: &[Flow]) -> Result<Self> {
        let pieces: Vec<u32> = lines.iter().map(pieces).collect::<Result<_>>()?;
        // The least common multiple.
        let least = |cut: u32, own: u32| (1..=own).map(|k| k * cut).find(|all| all % own == 0).unwrap_or(cut);
        let cut = pieces.into_iter().fold(1, least);
        let blocks = |part: Block| (0..cut).map(move |k| Block { bytes: share(part.bytes, cut, k), ..part });
        let flow = Flow::new(own.len() as u32, parts.into_iter().flat_map(blocks).collect());
        Ok(Self { flow, cut, held: own.into_iter().map(|part| vec![part]).collect() })
    }

    /// The blocks of a part.
    pub(crate) fn blocks(&self, part: u32) -> Range<u32> {
        part * self.cut..(part + 1) * self.cut
    }

    /// Gathers along the next line, wherever it stands: the members of each place, in its order.
    pub(crate) fn gather(&mut self, line: &Flow, places: &[Vec<u32>]) {
        let after = self.flow.steps();
        let own = line.blocks().len() as u32 / line.members().max(1);
        // By line block whose it is, and which of its pieces.
        let mut seen = vec![0; line.members() as usize];
        let of = |block: &Block| {
            let piece = seen[block.from as usize];
            seen[block.from as usize] += 1;
            (block.from as usize, piece)
        };
        let owners: Vec<(usize, u32)> = line.blocks().iter().map(of).collect();
        let mut carried = Vec::new();
        for members in places {
            for (index, transfer) in line.transfers().iter().enumerate() {
                carried.clear();
                for block in line.carried(index) {
                    let (owner, piece) = owners[block as usize];
                    for &part in &self.held[members[owner] as usize] {
                        carried.extend(self.blocks(part).filter(|block| block % own == piece));
                    }
                }
                carried.sort_unstable();
                let [source, target] = [transfer.source, transfer.target].map(|at| members[at as usize]);
                self.flow.copy(after + transfer.step, source, target, carried.iter().copied());
            }
        }
        for members in places {
            let mut union: Vec<u32> = members.iter().flat_map(|&m| &self.held[m as usize]).copied().collect();
            union.sort_unstable();
            members.iter().for_each(|&m| self.held[m as usize].clone_from(&union));
        }
    }
}

/// How many blocks each member of an all-gather has.
fn pieces(line: &Flow) -> Result<u32> {
    let mut of = vec![0; line.members() as usize];
    for block in line.blocks() {
        if block.to != ALL || block.from == ALL {
            return Err(Error::not_applicable("a product over axes", "a line of it is no all-gather"));
        }
        of[block.from as usize] += 1;
    }
    match of.first() {
        Some(&first) if first > 0 && of.iter().all(|&pieces| pieces == first) => Ok(first),
        _ => Err(Error::not_applicable(
            "a product over axes",
            "the members of a line have different numbers of blocks",
        )),
    }
}
