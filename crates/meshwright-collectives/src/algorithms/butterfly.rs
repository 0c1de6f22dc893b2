//! Butterflies: recursive doubling, recursive halving, Rabenseifner.
//!
//! On a box of powers of two, dimensions take turns, nearest peers first. Other numbers of members fold into a power of two.
//!
//! # Source
//!
//! `thakur2005`, sections 3.1, 4.2 and 5.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::{ALL, Block, Flow, share};
use crate::shape::{by_all_gather, gathering, multiport};
use crate::turns::{Core, Offset, exclusive_or, sides};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "recursive-doubling",
        summary: "log2 p exchanges of the whole vector with the member 1, 2, 4, ... away",
        formula: "log2 p (c + h d + b V)",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::Barrier, Operation::AllGather],
        streams: false,
        flow: |task| match task.operation {
            Operation::AllGather => {
                by_all_gather(task, &all_gather(task, &Core::new(task, 0), exclusive_or, true)?)
            }
            _ => Ok(whole(task, &Core::new(task, 0), exclusive_or)),
        },
    },
    Algorithm {
        name: "recursive-doubling-multiport",
        summary: "recursive doubling 2D times at once, each first in another dimension, on 1 / (2D) of the vector",
        formula: "log2 p (c + h d + b V / D)",
        source: "thakur2005",
        operations: &[Operation::AllReduce],
        streams: false,
        flow: |task| {
            multiport(task, sides(task).len(), |first, _, task| {
                Ok(whole(task, &Core::new(task, first), exclusive_or))
            })
        },
    },
    Algorithm {
        name: "recursive-halving",
        summary: "halves of the vector to the farthest peer first, which adds them up",
        formula: "log2 p (c + h d) + b V (p - 1) / p",
        source: "thakur2005",
        operations: &[Operation::ReduceScatter],
        streams: false,
        flow: |task| by_all_gather(task, &all_gather(task, &Core::new(task, 0), exclusive_or, true)?),
    },
    Algorithm {
        name: "rabenseifner",
        summary: "reduce-scatter with halves to the nearest peer first, and all-gather back",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / p",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| halving(task, &Core::new(task, 0), exclusive_or, false),
    },
    Algorithm {
        name: "rabenseifner-multiport",
        summary: "Rabenseifner 2D times at once, each first in another dimension, on 1 / (2D) of the vector",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / (p D)",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| {
            multiport(task, sides(task).len(), |first, _, task| {
                halving(task, &Core::new(task, first), exclusive_or, false)
            })
        },
    },
];

/// All-reduce by exchanges of the whole vector.
pub(super) fn whole(task: &Task<'_>, core: &Core, offset: Offset) -> Flow {
    let mut flow = task.flow();
    for step in 0..core.turns.steps() {
        for (&member, place) in core.members.iter().zip(0..) {
            flow.combine(step, member, core.peer(step, place, offset), [0]);
        }
    }
    core.unfolded(flow)
}

/// Reduce-scatter, its reversal, or both: the largest messages to the nearest peers, or to the farthest.
pub(super) fn halving(task: &Task<'_>, core: &Core, offset: Offset, farthest: bool) -> Result<Flow> {
    if task.operation != Operation::AllReduce || core.surplus.is_empty() {
        return by_all_gather(task, &all_gather(task, core, offset, farthest)?);
    }
    // The parts are those of the core, so that surplus members neither get nor give any before the end.
    let whole: u64 = task.blocks().iter().map(|block| block.bytes).sum();
    let (order, parts) = (order(core, farthest), core.members.len() as u32);
    let block =
        |(place, k)| Block { bytes: share(whole, parts, k), from: core.members[place as usize], to: ALL };
    let blocks = order.into_iter().zip(0..).map(block).collect();
    let (steps, places) = (core.turns.steps(), core.places());
    let flow = gathering(task.members(), blocks, steps, |step, member| {
        let step = if farthest { step } else { steps - 1 - step };
        places[member as usize].map(|place| core.peer(step, place, offset)).into_iter().collect()
    })?;
    Ok(core.unfolded(by_all_gather(task, &flow)?))
}

/// All-gather with the farthest peers last, or first.
fn all_gather(task: &Task<'_>, core: &Core, offset: Offset, farthest: bool) -> Result<Flow> {
    let parts = task.with(Operation::AllGather, task.root).blocks();
    let mut folded = vec![None; core.members.len()];
    core.surplus.iter().for_each(|&(member, place)| folded[place as usize] = Some(member));
    let of_place = |place: u32| [Some(core.members[place as usize]), folded[place as usize]];
    let members = order(core, farthest).into_iter().flat_map(of_place).flatten();
    let blocks = members.map(|member| parts[member as usize]).collect();
    let (steps, places) = (core.turns.steps(), core.places());
    let fold = u32::from(!core.surplus.is_empty());
    let mut partner = vec![None; task.members() as usize];
    core.surplus
        .iter()
        .for_each(|&(member, place)| partner[member as usize] = Some(core.members[place as usize]));
    gathering(task.members(), blocks, steps + 2 * fold, |step, member| {
        let source = match places[member as usize] {
            None => partner[member as usize].filter(|_| step == steps + fold),
            Some(place) if step < fold => folded[place as usize],
            Some(_) if step == steps + fold => None,
            Some(place) => {
                let step = step - fold;
                Some(core.peer(if farthest { step } else { steps - 1 - step }, place, offset))
            }
        };
        source.into_iter().collect()
    })
}

/// The places of the core in the order in which the blocks of a member stand side by side.
fn order(core: &Core, farthest: bool) -> Vec<u32> {
    if farthest { (0..core.members.len() as u32).collect() } else { core.turns.order() }
}
