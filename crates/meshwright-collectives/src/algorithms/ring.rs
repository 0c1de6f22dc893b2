//! Rings: every member hands the parts on to the next.
//!
//! # Source
//!
//! `thakur2005`, sections 3.1 and 5.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::by_all_gather;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "ring",
    summary: "parts go once round a ring in the order of the members, and once more",
    formula: "2 (p - 1) (c + h d + b V / p)",
    source: "thakur2005",
    operations: &[Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter],
    streams: false,
    flow: ring,
}];

fn ring(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    let mut flow = task.with(Operation::AllGather, task.root).flow();
    for step in 0..members - 1 {
        for member in 0..members {
            let part = (member + members - step) % members;
            flow.copy(step, member, (member + 1) % members, [part]);
        }
    }
    by_all_gather(task, &flow)
}
