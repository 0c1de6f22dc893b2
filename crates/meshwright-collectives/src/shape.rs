//! What algorithms are made of: trees, butterflies, and operations made of others.

use meshwright_core::error::{Error, Result};

use crate::flow::Flow;
use crate::{Operation, Task};

/// The most blocks that the messages of a scatter name together.
pub const BLOCKS_MAX: u64 = 1 << 26;

/// A tree over the members: who hands on to whom, and in which step.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Step, the member that has it, the member that gets it; in the order of the steps.
    pub edges: Vec<(u32, u32, u32)>,
}

impl Tree {
    /// The flow of an operation along this tree, whose first member is the root of the task.
    ///
    /// | operation | along the tree |
    /// |---|---|
    /// | broadcast, scatter | down: all of it, or the parts of those below |
    /// | reduce, gather | the same, reversed |
    /// | all-reduce, barrier | up and down |
    /// | all-gather | gathered and broadcast |
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for other operations; [`Error::TooLarge`] where the messages of a scatter would name more blocks
    /// than [`BLOCKS_MAX`].
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        use Operation as O;
        let of = |operation| task.with(operation, task.root);
        Ok(match task.operation {
            O::Broadcast => {
                let mut flow = task.flow();
                self.edges.iter().for_each(|&(step, from, to)| flow.copy(step, from, to, [0]));
                flow
            }
            O::Reduce => self.flow(&of(O::Broadcast))?.reversed(),
            O::Scatter => {
                let mut flow = task.flow();
                self.fits(task.members())?;
                let below = self.below(task.members());
                for &(step, from, to) in &self.edges {
                    flow.copy(step, from, to, below[to as usize].iter().copied());
                }
                flow
            }
            O::Gather => self.flow(&of(O::Scatter))?.reversed(),
            O::AllReduce | O::Barrier => self.flow(&of(O::Reduce))?.then(&self.flow(&of(O::Broadcast))?),
            other => {
                let why = format!("a tree is no way to do {}", other.name());
                return Err(Error::not_applicable("this algorithm", why));
            }
        })
    }

    /// Refuses a tree in which the members below each are too many to be listed.
    fn fits(&self, members: u32) -> Result<()> {
        let mut levels = vec![1u64; members as usize];
        self.edges.iter().for_each(|&(_, from, to)| levels[to as usize] = levels[from as usize] + 1);
        let blocks: u64 = levels.iter().sum();
        if blocks <= BLOCKS_MAX {
            return Ok(());
        }
        Err(Error::TooLarge {
            what: "this tree",
            needed: format!("{blocks} blocks in its messages"),
            limit: format!("{BLOCKS_MAX} blocks"),
        })
    }

    /// By member, itself and all below it, in increasing order.
    fn below(&self, members: u32) -> Vec<Vec<u32>> {
        let mut below: Vec<Vec<u32>> = (0..members).map(|member| vec![member]).collect();
        let mut edges = self.edges.clone();
        edges.sort_by_key(|&(step, ..)| std::cmp::Reverse(step));
        for (_, from, to) in edges {
            let of_child = below[to as usize].clone();
            below[from as usize].extend(of_child);
        }
        below.iter_mut().for_each(|all| all.sort_unstable());
        below
    }
}

/// The all-gather of a butterfly with these peers, the last step first: in a step, member r and its peer give each other all that
/// they have. Reversed it is a reduce-scatter that begins with the peers of the first step.
///
/// `peer(s, r)` is the peer of member r in step s, whose peer is r.
///
/// # Errors
///
/// [`Error::NotApplicable`] when two peers have blocks in common: the peers are no butterfly.
pub fn butterfly(task: &Task<'_>, steps: u32, peer: impl Fn(u32, u32) -> u32) -> Result<Flow> {
    let all_gather = task.with(Operation::AllGather, task.root);
    let mut flow = all_gather.flow();
    // By member the blocks it has, as ranges would be if the members were numbered that way.
    let mut held: Vec<Vec<u32>> = (0..task.members()).map(|member| vec![member]).collect();
    for step in (0..steps).rev() {
        let mut next = Vec::with_capacity(held.len());
        for member in 0..task.members() {
            let other = peer(step, member);
            flow.copy(steps - 1 - step, member, other, held[member as usize].iter().copied());
            let mut both = [held[member as usize].as_slice(), &held[other as usize]].concat();
            both.sort_unstable();
            if both.windows(2).any(|two| two[0] == two[1]) {
                let why = "two peers would hold the same block";
                return Err(Error::not_applicable("this butterfly", why));
            }
            next.push(both);
        }
        held = next;
    }
    Ok(flow)
}

/// An operation made of an all-gather of the same members: that itself, reversed, or both one after the other.
///
/// # Errors
///
/// [`Error::NotApplicable`] for operations that are not made of it.
pub fn by_all_gather(task: &Task<'_>, all_gather: &Flow) -> Result<Flow> {
    match task.operation {
        Operation::AllGather => Ok(all_gather.clone()),
        Operation::ReduceScatter => Ok(all_gather.reversed()),
        Operation::AllReduce | Operation::Barrier => Ok(all_gather.reversed().then(all_gather)),
        other => {
            let why = format!("an all-gather is no part of {}", other.name());
            Err(Error::not_applicable("this algorithm", why))
        }
    }
}

/// Several ways at the same time, each for its share of the bytes: `way(k, task)` is the flow of the k-th on the task with its
/// share.
///
/// # Errors
///
/// Those of the ways.
pub fn beside(task: &Task<'_>, ways: u32, way: impl Fn(u32, &Task<'_>) -> Result<Flow>) -> Result<Flow> {
    let mut all: Option<Flow> = None;
    for k in 0..ways {
        let flow = way(k, &task.cut(k, ways))?;
        all = Some(match all {
            Some(before) => before.beside(&flow),
            None => flow,
        });
    }
    all.ok_or_else(|| Error::not_applicable("this algorithm", "it has no way"))
}
