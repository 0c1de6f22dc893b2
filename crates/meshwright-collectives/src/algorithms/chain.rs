//! Chains: one member hands on to the next, chunk by chunk.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::Tree;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "chain",
    summary: "a chain in the order of the members, in chunks that stream",
    formula: "(p - 1) (c + h d) + b V (k + p - 2) / k in k chunks",
    source: "thakur2005",
    operations: &[Operation::Broadcast, Operation::Reduce],
    streams: true,
    flow: chain,
}];

/// Both ways from the root.
fn chain(task: &Task<'_>) -> Result<Flow> {
    let (members, root) = (task.members(), task.root);
    let up = (root..members - 1).map(|at| (at - root, at, at + 1));
    let down = (1..=root).rev().map(|at| (root - at, at, at - 1));
    let mut tree = Tree { edges: up.chain(down).collect() };
    tree.edges.sort_unstable();
    tree.flow(task)
}
