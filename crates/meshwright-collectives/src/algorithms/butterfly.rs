//! Butterflies: recursive doubling, recursive halving, Rabenseifner.
//!
//! # Source
//!
//! `thakur2005`, sections 3.1, 4.2 and 5.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::{butterfly, by_all_gather};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "recursive-doubling",
        summary: "log2 p exchanges of the whole vector with the member 1, 2, 4, ... away",
        formula: "log2 p (c + h d + b V)",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::Barrier],
        streams: false,
        flow: doubling,
    },
    Algorithm {
        name: "rabenseifner",
        summary: "reduce-scatter by recursive halving, all-gather by recursive doubling",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / p",
        source: "thakur2005",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: rabenseifner,
    },
];

fn doubling(task: &Task<'_>) -> Result<Flow> {
    let steps = task.doublings("recursive doubling")?;
    let mut flow = task.flow();
    for step in 0..steps {
        (0..task.members()).for_each(|member| flow.combine(step, member, member ^ 1 << step, [0]));
    }
    Ok(flow)
}

fn rabenseifner(task: &Task<'_>) -> Result<Flow> {
    let steps = task.doublings("recursive halving")?;
    by_all_gather(task, &butterfly(task, steps, |step, member| member ^ 1 << step)?)
}
