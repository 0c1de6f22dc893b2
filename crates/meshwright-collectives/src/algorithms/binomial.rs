//! The binomial tree over the numbers of the members.
//!
//! # Source
//!
//! `thakur2005`, section 3.2.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::Tree;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "binomial",
    summary: "a binomial tree: who has it tells the member p/2, p/4, ..., 1 after itself",
    formula: "ceil(log2 p) (c + h d + b V)",
    source: "thakur2005",
    operations: &[
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Scatter,
        Operation::Gather,
        Operation::AllReduce,
        Operation::Barrier,
    ],
    streams: true,
    flow: binomial,
}];

fn binomial(task: &Task<'_>) -> Result<Flow> {
    let (members, root) = (task.members(), task.root);
    let steps = members.next_power_of_two().trailing_zeros();
    let mut tree = Tree::default();
    for step in 0..steps {
        let far = 1u32 << (steps - 1 - step);
        for at in (0..members).step_by(2 * far as usize) {
            if at + far < members {
                tree.edges.push((step, (root + at) % members, (root + at + far) % members));
            }
        }
    }
    tree.flow(task)
}
