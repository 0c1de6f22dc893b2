//! Rings: every member hands the parts on to the next.
//!
//! # Source
//!
//! `thakur2005`, sections 3.1 and 5; both ways after `jain2010`.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::order::order;
use meshwright_network::topology::{Machine, Network, Topology};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::line;
use crate::product::along;
use crate::shape::{beside, by_all_gather};
use crate::{Operation, Task};

/// What an all-gather and its reverse can do.
pub(super) const GATHERS: &[Operation] =
    &[Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter];

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "ring",
        summary: "parts go once round a ring in the order of the members, and once more",
        formula: "2 (p - 1) (c + h d + b V / p)",
        source: "thakur2005",
        operations: GATHERS,
        streams: false,
        flow: |task| ring(task, &in_order(task), &[true]),
    },
    Algorithm {
        name: "two-way-ring",
        summary: "a ring in the order of the members, half of every part each way",
        formula: "2 (p - 1) (c + h d + b V / (2 p))",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: |task| ring(task, &in_order(task), &[true, false]),
    },
    Algorithm {
        name: "short-ring",
        summary: "a ring in the order of the members, every part both ways at once and half as far",
        formula: "2 ceil((p - 1) / 2) (c + h d + b V / p)",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: |task| along_line(task, &in_order(task), line::both_ways),
    },
    Algorithm {
        name: "snake-ring",
        summary: "a ring along a snake through the box, round its holes, half of every part each way",
        formula: "2 (p - 1) (c + h d + b V / (2 p))",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: |task| ring(task, &snake(task)?, &[true, false]),
    },
    Algorithm {
        name: "snake-line",
        summary: "along a snake through the box, round its holes: every part streams outward to both ends",
        formula: "2 (p - 1) (c + h d + b V / p)",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: |task| along_line(task, &snake(task)?, line::outward),
    },
];

/// The members by number.
fn in_order(task: &Task<'_>) -> Vec<u32> {
    (0..task.members()).collect()
}

/// A share of every part round the ring in each of these directions.
pub(super) fn ring(task: &Task<'_>, order: &[u32], ups: &[bool]) -> Result<Flow> {
    task.fits_pairs(ups.len())?;
    beside(task, ups.len() as u32, |k, task| one_way(task, order, ups[k as usize]))
}

/// Round the ring in one direction.
pub(super) fn one_way(task: &Task<'_>, order: &[u32], up: bool) -> Result<Flow> {
    along_line(task, order, |members| line::round(members, up))
}

/// Every part to all others along a line of the members in this order.
fn along_line(task: &Task<'_>, order: &[u32], line: impl Fn(u32) -> Flow) -> Result<Flow> {
    task.fits_pairs(1)?;
    by_all_gather(task, &along(task, order, &line(task.members()))?)
}

/// The members row after row, every other row backwards: neighbours are next to each other except round holes, and the last
/// and the first.
fn snake(task: &Task<'_>) -> Result<Vec<u32>> {
    let machine: &Machine = task.machine();
    let Network::Grid(grid) = machine.network() else {
        return Err(Error::not_applicable("a snake", "it needs a mesh, torus or hypercube"));
    };
    // By node its member.
    let mut member = vec![None; machine.nodes() as usize];
    (0..).zip(task.nodes()).for_each(|(number, node)| member[node.index()] = Some(number));
    let walk = (order("snake")?.walk)(grid.sides());
    Ok(walk.into_iter().filter_map(|node| member[node.index()]).collect())
}
