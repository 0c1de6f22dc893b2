//! What algorithms are made of: trees, butterflies, and operations made of others.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::costs::BYTES_MAX;

use crate::flow::{Block, Flow, Mode, Transfer};
use crate::ranges::Ranges;
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

/// The all-gather in which members get what they lack: in each step from their sources, one after the other.
///
/// A block is contributed by the member that it is `from`, in whatever order the blocks stand; `sources(s, r)` are the sources of
/// member r in step s. No member gets a block twice, so that the flow can be [reversed](Flow::reversed).
///
/// # Errors
///
/// [`Error::NotApplicable`] when a contributor has not every block in the end.
///
/// # Complexity
///
/// O(messages times ranges of blocks in one).
pub fn gathering(
    members: u32,
    blocks: Vec<Block>,
    steps: u32,
    sources: impl Fn(u32, u32) -> Vec<u32>,
) -> Result<Flow> {
    let mut own = vec![Vec::new(); members as usize];
    blocks.iter().zip(0..).for_each(|(block, at)| own[block.from as usize].push((at, at + 1)));
    let contributes: Vec<bool> = own.iter().map(|own| !own.is_empty()).collect();
    let mut held: Vec<Ranges> = own.into_iter().map(Ranges::new).collect();
    let mut flow = Flow::new(members, blocks);
    for step in 0..steps {
        let mut next = held.clone();
        for (member, has) in (0..).zip(&mut next) {
            for source in sources(step, member) {
                let new = held[source as usize].without(has);
                flow.send_ranges(Transfer::new(step, source, member, Mode::Copy), new.ranges());
                *has = has.with(&new);
            }
        }
        held = next;
    }
    let all = flow.blocks().len() as u32;
    if held.iter().zip(contributes).any(|(has, contributes)| contributes && has.count() < all) {
        return Err(Error::not_applicable("this butterfly", "its peers do not reach everybody"));
    }
    Ok(flow)
}

/// The all-gather of a butterfly with these peers, the last step first: in a step, member r and its peer give each other all that
/// they have. Reversed it is a reduce-scatter that begins with the peers of the first step.
///
/// `peer(s, r)` is the peer of member r in step s, whose peer is r.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the peers are no butterfly: somebody is not reached.
pub fn butterfly(task: &Task<'_>, steps: u32, peer: impl Fn(u32, u32) -> u32) -> Result<Flow> {
    let all_gather = task.with(Operation::AllGather, task.root);
    gathering(task.members(), all_gather.blocks(), steps, |step, member| vec![peer(steps - 1 - step, member)])
}

/// The all-reduce in which members exchange all that they have: in each step everyone adds up what its sources hold.
pub fn exchange(task: &Task<'_>, steps: u32, sources: impl Fn(u32, u32) -> Vec<u32>) -> Flow {
    let mut flow = task.flow();
    for step in 0..steps {
        for member in 0..task.members() {
            sources(step, member).into_iter().for_each(|source| flow.combine(step, source, member, [0]));
        }
    }
    flow
}

/// The all-gather of the whole vectors of all members.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than a tebibyte of vectors.
pub fn of_whole_vectors<'m>(task: &Task<'m>) -> Result<Task<'m>> {
    let bytes = task.bytes.saturating_mul(task.members().into());
    if bytes > BYTES_MAX {
        return Err(Error::TooLarge {
            what: "gathering the vectors of all",
            needed: format!("{bytes} bytes"),
            limit: format!("{BYTES_MAX} bytes"),
        });
    }
    let mut all = task.with(Operation::AllGather, task.root);
    all.bytes = bytes;
    Ok(all)
}

/// The all-reduce or scan in which all gather the vectors of all, and add them up at last: `gather` is an all-gather of the same members.
///
/// # Errors
///
/// Those of `gather` and [`of_whole_vectors`].
pub fn by_whole_vectors(task: &Task<'_>, gather: impl Fn(&Task<'_>) -> Result<Flow>) -> Result<Flow> {
    Ok(gather(&of_whole_vectors(task)?)?.added_up())
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

/// The same way 2D times at the same time, each for its share: first dimension rotated, plain and mirrored, so that every port
/// has its work. `way(first, is_mirrored, task)`.
///
/// # Errors
///
/// Those of the ways.
pub fn multiport(
    task: &Task<'_>,
    dimensions: usize,
    way: impl Fn(usize, bool, &Task<'_>) -> Result<Flow>,
) -> Result<Flow> {
    beside(task, 2 * dimensions as u32, |k, task| way(k as usize / 2, k % 2 == 1, task))
}
