//! Buckets: ring all-gathers along one axis of a box after the other.
//!
//! # Source
//!
//! `jain2010`.

use meshwright_core::error::Result;
use meshwright_network::topology::Topology;

use super::ring::GATHERS;
use crate::Task;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::line;
use crate::product::product;
use crate::shape::{beside, by_all_gather};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bucket",
        summary: "rings along one axis after the other",
        formula: "2 sum (n_d - 1) (c + h) + 2 b V (p - 1) / p",
        source: "jain2010",
        operations: GATHERS,
        streams: true,
        flow: |task| {
            let axes: Vec<usize> = (0..task.grid("a bucket")?.dimensions()).rev().collect();
            by_all_gather(task, &product(task, &axes, |_, n| Ok(line::round(n, true)))?)
        },
    },
    Algorithm {
        name: "all-port-bucket",
        summary: "rings along one axis after the other, a share from every axis on, each way round",
        formula: "2 sum (n_d - 1) (c + h) + b V (p - 1) / (p D)",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: all_ports,
    },
    Algorithm {
        name: "two-way-bucket",
        summary: "rings (on a mesh lines) along one axis after the other, every part both ways at once, a share from every axis on",
        formula: "2 sum ceil((n_d - 1) / 2) (c + h) + b V (p - 1) / (p D) on a torus",
        source: "jain2010",
        operations: GATHERS,
        streams: false,
        flow: two_way,
    },
];

/// The axes in the order of their numbers, from each one on that has more than one node; those that have not come last.
fn rotations(sides: &[u32]) -> Vec<Vec<usize>> {
    let (long, short): (Vec<usize>, Vec<usize>) = (0..sides.len()).partition(|&axis| sides[axis] > 1);
    let from = |first: usize| [&long[first..], &long[..first], &short].concat();
    (0..long.len().max(1)).map(|first| from(first.min(long.len()))).collect()
}

fn all_ports(task: &Task<'_>) -> Result<Flow> {
    let orders = rotations(task.grid("a bucket")?.sides());
    beside(task, 2 * orders.len() as u32, |k, task| {
        let all_gather =
            product(task, &orders[k as usize / 2], |_, n| Ok(line::round(n, k.is_multiple_of(2))))?;
        by_all_gather(task, &all_gather)
    })
}

/// In step: those in the middle of a line have all of it first, and would fill the links of the next axis for those at its ends.
fn two_way(task: &Task<'_>) -> Result<Flow> {
    let grid = task.grid("a bucket")?;
    let orders = rotations(grid.sides());
    let both = |_, n| Ok(if grid.wraps() { line::both_ways(n) } else { line::outward(n) });
    let way = |k: u32, task: &Task<'_>| by_all_gather(task, &product(task, &orders[k as usize], both)?);
    Ok(beside(task, orders.len() as u32, way)?.stepwise())
}
