//! Scans: sums over the members up to each; and the barrier that spreads alike.
//!
//! # Source
//!
//! `hillis1986`, `brent1982`; `hensgen1988` for the barrier.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "scan-doubling",
        summary: "all that it knows to the member 1, 2, 4, ... after",
        formula: "ceil(log2 p) (c + h d + b V)",
        source: "hillis1986",
        operations: &[Operation::Scan],
        streams: true,
        flow: doubling,
    },
    Algorithm {
        name: "scan-tree",
        summary: "up a binary tree and down again: twice the steps, 2 p messages instead of p log2 p",
        formula: "(2 ceil(log2 p) - 1) (c + h d + b V)",
        source: "brent1982",
        operations: &[Operation::Scan],
        streams: true,
        flow: tree,
    },
    Algorithm {
        name: "scan-chain",
        summary: "a chain in the order of the members, in chunks that stream",
        formula: "(p - 1) (c + h d) + b V (k + p - 2) / k in k chunks",
        source: "hillis1986",
        operations: &[Operation::Scan],
        streams: true,
        flow: chain,
    },
    Algorithm {
        name: "dissemination",
        summary: "a word to the member 1, 2, 4, ... after, any number of members",
        formula: "ceil(log2 p) (c + h d)",
        source: "hensgen1988",
        operations: &[Operation::Barrier],
        streams: false,
        flow: dissemination,
    },
];

/// ceil(log2 p).
fn doublings(task: &Task<'_>) -> u32 {
    task.members().next_power_of_two().trailing_zeros()
}

fn doubling(task: &Task<'_>) -> Result<Flow> {
    let mut flow = task.flow();
    for step in 0..doublings(task) {
        let far = 1 << step;
        (far..task.members()).for_each(|to| flow.combine(step, to - far, to, [0]));
    }
    Ok(flow)
}

/// Member r knows the last 2^k up to itself after k steps up where 2^k divides r + 1; what lacks comes down.
fn tree(task: &Task<'_>) -> Result<Flow> {
    let (members, steps) = (task.members(), doublings(task));
    let mut flow = task.flow();
    for step in 0..steps {
        let far = 1 << step;
        (2 * far - 1..members).step_by(2 * far as usize).for_each(|to| flow.combine(step, to - far, to, [0]));
    }
    for down in 0..steps.saturating_sub(1) {
        let far = 1 << (steps - 2 - down);
        let knowing = (2 * far - 1..members.saturating_sub(far)).step_by(2 * far as usize);
        knowing.for_each(|from| flow.combine(steps + down, from, from + far, [0]));
    }
    Ok(flow)
}

fn chain(task: &Task<'_>) -> Result<Flow> {
    let mut flow = task.flow();
    (1..task.members()).for_each(|to| flow.combine(to - 1, to - 1, to, [0]));
    Ok(flow)
}

fn dissemination(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    let mut flow = task.flow();
    for step in 0..doublings(task) {
        (0..members).for_each(|from| flow.combine(step, from, (from + (1 << step)) % members, [0]));
    }
    Ok(flow)
}
