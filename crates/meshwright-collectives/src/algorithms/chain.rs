//! Chains: one member hands on to the next, chunk by chunk.
//!
//! # Source
//!
//! `thakur2005` for the chain; `luczynski2024` for those along the axes and along a snake.

use meshwright_core::error::{Error, Result};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::Tree;
use crate::tree_line::{Children, snake};
use crate::{Operation, Task};

/// What a tree can do that hands on chunk by chunk.
pub(super) const BY_TREE: &[Operation] = &[
    Operation::Broadcast,
    Operation::Reduce,
    Operation::Scatter,
    Operation::Gather,
    Operation::AllReduce,
    Operation::Barrier,
];

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "chain",
        summary: "a chain in the order of the members, in chunks that stream",
        formula: "(p - 1) (c + h d) + b V (k + p - 2) / k in k chunks",
        source: "thakur2005",
        operations: &[Operation::Broadcast, Operation::Reduce, Operation::AllReduce],
        streams: true,
        flow: |task| by_numbers(task, chain),
    },
    Algorithm {
        name: "snake-chain",
        summary: "a chain of neighbours through the whole box, line after line",
        formula: "(p - 1) (c + h) + b V (k + p - 2) / k in k chunks",
        source: "luczynski2024",
        operations: &[Operation::Broadcast, Operation::Reduce, Operation::AllReduce],
        streams: true,
        flow: |task| Tree::in_order(task, Some(&snake(task)?), &chain).flow(task),
    },
    Algorithm {
        name: "xy-chain",
        summary: "along the row of the root, from there along all columns, in chunks that stream",
        formula: "L (c + h) + b V (k + L - 1) / k in k chunks, L the links to the farthest member",
        source: "luczynski2024",
        operations: BY_TREE,
        streams: true,
        flow: |task| along_axes(task, chain),
    },
];

/// From the root to both ends.
pub(super) fn chain(places: u32, at: u32) -> Children {
    let next = |place: u32| match place {
        _ if place > at => (place + 1..places).take(1).collect(),
        _ if place < at => (0..place).rev().take(1).collect(),
        _ => (at + 1..places).take(1).chain((0..at).rev().take(1)).collect(),
    };
    (0..places).map(next).collect()
}

/// A tree as if the members stood in a line in the order of their numbers.
pub(super) fn by_numbers(task: &Task<'_>, line: fn(u32, u32) -> Children) -> Result<Flow> {
    let order: Vec<u32> = (0..task.members()).collect();
    Tree::in_order(task, Some(&order), &line).flow(task)
}

/// A tree along the axes, one after the other.
pub(super) fn along_axes(task: &Task<'_>, line: fn(u32, u32) -> Children) -> Result<Flow> {
    if task.grid("a tree along the axes")?.dimensions() == 1 {
        return Err(Error::not_applicable("a tree along the axes", "a line has one axis"));
    }
    Tree::by_axes(task, 0, &line).and_then(|tree| tree.flow(task))
}
