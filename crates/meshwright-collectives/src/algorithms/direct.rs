//! Direct exchange: everyone sends to everyone at once, the nearest number first.
//!
//! # Source
//!
//! `thakur2005`, section 4.3.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::line;
use crate::product::along;
use crate::shape::{Tree, by_all_gather};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "direct",
        summary: "every part in one message from who has it to who needs it",
        formula: "2 (c + h d + b V (p - 1) / p)",
        source: "thakur2005",
        operations: &[
            Operation::AllReduce,
            Operation::AllGather,
            Operation::ReduceScatter,
            Operation::Gather,
            Operation::Scatter,
            Operation::AllToAll,
        ],
        streams: false,
        flow: direct,
    },
    Algorithm {
        name: "direct-whole",
        summary: "everyone sends its whole vector to everyone",
        formula: "c + h d + b V (p - 1)",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::Barrier],
        streams: false,
        flow: whole,
    },
];

pub(super) fn direct(task: &Task<'_>) -> Result<Flow> {
    let (members, root) = (task.members(), task.root);
    match task.operation {
        Operation::Gather | Operation::Scatter => {
            let edge = |far| (0, root, (root + far) % members);
            Tree { edges: (1..members).map(edge).collect() }.flow(task)
        }
        Operation::AllToAll => {
            task.fits_pairs(1)?;
            let mut flow = task.flow();
            for far in 1..members {
                for from in 0..members {
                    let to = (from + far) % members;
                    flow.copy(0, from, to, [from * members + to]);
                }
            }
            Ok(flow)
        }
        _ => {
            task.fits_pairs(1)?;
            let order: Vec<u32> = (0..members).collect();
            by_all_gather(task, &along(task, &order, &line::direct(members))?)
        }
    }
}

fn whole(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    let pairs = (members as usize).saturating_mul(members as usize - 1);
    task.fits(pairs)?;
    let mut flow = task.flow();
    for far in 1..members {
        (0..members).for_each(|from| flow.combine(0, from, (from + far) % members, [0]));
    }
    Ok(flow)
}
