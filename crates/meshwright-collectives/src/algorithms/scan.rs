//! Scans: sums over the members up to each; and the barrier that spreads alike.
//!
//! # Source
//!
//! `hillis1986`, `brent1982`, `leighton1992`, `sanders2006`; `hensgen1988` for the barrier.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::prefix::PrefixTree;
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
        name: "scan-rows",
        summary: "chains along rows, over the ends of rows, and back along rows, in chunks that stream",
        formula: "L (c + h) + b V (k + L - 1) / k in k chunks, L = 2 (n_1 + ... + n_d) - n_1 - 2 d + 1",
        source: "leighton1992",
        operations: &[Operation::Scan],
        streams: true,
        flow: rows,
    },
    Algorithm {
        name: "scan-exchange",
        summary: "the sum of its run to the member 1, 2, 4, ... away, which adds it to its own if it comes from before",
        formula: "ceil(log2 p) (c + h d + b V)",
        source: "sanders2006",
        operations: &[Operation::Scan],
        streams: true,
        flow: exchange,
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
    Ok(PrefixTree::uniform(task.machine().nodes(), 2).flow(task))
}

fn chain(task: &Task<'_>) -> Result<Flow> {
    Ok(PrefixTree::chains([task.machine().nodes()]).flow(task))
}

fn rows(task: &Task<'_>) -> Result<Flow> {
    let of_rows = PrefixTree::of_box(task).filter(|tree| tree.levels() > 1);
    let refused = || {
        Error::not_applicable(
            "scan-rows",
            "it needs a box of two dimensions or more: along one it is scan-chain",
        )
    };
    Ok(of_rows.ok_or_else(refused)?.flow(task))
}

fn exchange(task: &Task<'_>) -> Result<Flow> {
    Ok(PrefixTree::Exchange(vec![2; doublings(task) as usize]).flow(task))
}

fn dissemination(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    let mut flow = task.flow();
    for step in 0..doublings(task) {
        (0..members).for_each(|from| flow.combine(step, from, (from + (1 << step)) % members, [0]));
    }
    Ok(flow)
}
