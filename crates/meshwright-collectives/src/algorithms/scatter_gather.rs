//! Broadcast by scatter and all-gather, reduce by reduce-scatter and gather.
//!
//! # Source
//!
//! `thakur2005`: van de Geijn's broadcast, Rabenseifner's reduce.

use meshwright_core::error::Result;

use crate::algorithm::{self, Algorithm};
use crate::flow::Flow;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "scatter-ring",
        summary: "a binomial scatter and a ring all-gather; reversed to reduce",
        formula: "(log2 p + p - 1) (c + h d) + 2 b V (p - 1) / p",
        source: "thakur2005",
        operations: &[Operation::Broadcast, Operation::Reduce],
        streams: false,
        flow: |task| by_parts(task, "ring"),
    },
    Algorithm {
        name: "scatter-doubling",
        summary: "a binomial scatter and an all-gather by recursive doubling; reversed to reduce",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / p",
        source: "thakur2005",
        operations: &[Operation::Broadcast, Operation::Reduce],
        streams: false,
        flow: |task| by_parts(task, "rabenseifner"),
    },
];

/// The parts go out by a binomial tree, and round by this algorithm.
fn by_parts(task: &Task<'_>, round: &str) -> Result<Flow> {
    let flow = |name: &str, operation| algorithm::named(name).of(&task.with(operation, task.root));
    if task.operation == Operation::Broadcast {
        return Ok(flow("binomial", Operation::Scatter)?.then(&flow(round, Operation::AllGather)?));
    }
    Ok(flow(round, Operation::ReduceScatter)?.then(&flow("binomial", Operation::Gather)?))
}
