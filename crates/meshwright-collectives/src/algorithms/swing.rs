//! Swing: butterflies that swing between the directions of a torus, so that their peers stay near.
//!
//! In its k-th turn a dimension pairs an even coordinate x with x + rho(k), rho = 1, −1, 3, −5, 11, …, see
//! [`jacobsthal`](crate::turns::jacobsthal). On D dimensions the multiport variants run D plain and D mirrored copies, which use
//! the opposite links. On a mesh, messages over the border walk back. A ring of odd length leaves its last member out, which exchanges its part with each of the
//! others; a box with odd sides takes its dimensions one after the other.
//!
//! # Source
//!
//! `desensi2024`.

use meshwright_core::error::{Error, Result};

use super::butterfly::{halving, whole};
use crate::algorithm::Algorithm;
use crate::flow::{ALL, Block, Flow, Mode, Transfer};
use crate::product::product;
use crate::shape::{by_all_gather, gathering, multiport};
use crate::turns::{Core, Offset, Turns, sides, swing, swing_mirrored};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "swing-l",
        summary: "log2 p exchanges of the whole vector with peers that swing from one side to the other",
        formula: "log2 p (c + h d + b V)",
        source: "desensi2024",
        operations: &[Operation::AllReduce, Operation::Barrier],
        streams: false,
        flow: |task| latency(task, 0, false),
    },
    Algorithm {
        name: "swing-l-multiport",
        summary: "swing-l 2D times at once, plain and mirrored, on 1 / (2D) of the vector",
        formula: "log2 p (c + h d + b V / (2D))",
        source: "desensi2024",
        operations: &[Operation::AllReduce],
        streams: false,
        flow: |task| {
            multiport(task, sides(task).len(), |first, mirrored, task| latency(task, first, mirrored))
        },
    },
    Algorithm {
        name: "swing-b",
        summary: "reduce-scatter with halves to peers that swing from one side to the other, and all-gather back",
        formula: "2 log2 p (c + h d) + 2 b V (p - 1) / p",
        source: "desensi2024",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| bandwidth(task, 0, false),
    },
    Algorithm {
        name: "swing-b-multiport",
        summary: "swing-b 2D times at once, plain and mirrored, on 1 / (2D) of the vector",
        formula: "2 log2 p (c + h d) + b V (p - 1) / (p D)",
        source: "desensi2024",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| {
            multiport(task, sides(task).len(), |first, mirrored, task| bandwidth(task, first, mirrored))
        },
    },
];

/// Which way even coordinates go.
fn offset(mirrored: bool) -> Offset {
    if mirrored { swing_mirrored } else { swing }
}

/// The whole vector in each step.
fn latency(task: &Task<'_>, first: usize, mirrored: bool) -> Result<Flow> {
    let sides = sides(task);
    if sides.len() > 1 && !sides.iter().all(|side| side.is_power_of_two()) {
        let why = "a side is no power of two, so that contributions would arrive twice";
        return Err(Error::not_applicable("Swing with the whole vector", why));
    }
    Ok(whole(task, &Core::new(task, first), offset(mirrored)))
}

/// Halves of halves.
fn bandwidth(task: &Task<'_>, first: usize, mirrored: bool) -> Result<Flow> {
    let sides = sides(task);
    match sides.as_slice() {
        all if all.iter().all(|side| side.is_power_of_two()) => {
            halving(task, &Core::new(task, first), offset(mirrored), false)
        }
        all if all.iter().all(|side| side.is_multiple_of(2)) => {
            let turns = Turns::new(all, first, 2);
            let parts = task.with(Operation::AllGather, task.root).blocks();
            by_all_gather(task, &even(&parts, &turns, offset(mirrored))?)
        }
        &[_] => {
            let parts = task.with(Operation::AllGather, task.root).blocks();
            by_all_gather(task, &odd(&parts, offset(mirrored))?)
        }
        all => {
            let mut axes: Vec<usize> = (0..all.len()).collect();
            axes.rotate_left(first);
            by_all_gather(task, &product(task, &axes, |_, n| line(n, offset(mirrored)))?)
        }
    }
}

/// All-gather along an axis of a box that has odd sides: its dimensions do not take turns, they come one after the other.
fn line(members: u32, offset: Offset) -> Result<Flow> {
    let parts: Vec<Block> = (0..members).map(|from| Block { bytes: 1, from, to: ALL }).collect();
    match members {
        1 => Ok(Flow::new(1, parts)),
        even_side if even_side.is_multiple_of(2) => even(&parts, &Turns::new(&[even_side], 0, 2), offset),
        _ => odd(&parts, offset),
    }
}

/// All-gather of these parts, one of each member, among members whose sides are even: what a peer has already is left out.
fn even(parts: &[Block], turns: &Turns, offset: Offset) -> Result<Flow> {
    let order = turns.order();
    let (members, steps) = (order.len() as u32, turns.steps());
    let blocks = order.into_iter().map(|member| parts[member as usize]).collect();
    gathering(members, blocks, steps, |step, member| vec![turns.peer(steps - 1 - step, member, offset)])
}

/// All-gather on a ring of odd length: that of all but the last member, which exchanges parts with each of the others directly,
/// in every step with as many as a message of the others has parts.
fn odd(parts: &[Block], offset: Offset) -> Result<Flow> {
    let last = parts.len() as u32 - 1;
    let turns = Turns::new(&[last], 0, 2);
    let others = even(parts, &turns, offset)?;
    let of_last = parts[last as usize];
    let mut flow = Flow::new(last + 1, [others.blocks(), &[of_last]].concat());
    for (index, &transfer) in others.transfers().iter().enumerate() {
        flow.send_ranges(transfer, others.row(index));
    }
    for (block, at) in others.blocks().iter().zip(0..) {
        let step = (block.from + 1).ilog2().min(turns.steps().saturating_sub(1));
        let exchange = |source, target| Transfer::new(step, source, target, Mode::Copy);
        flow.send_ranges(exchange(block.from, last), &[(at, at + 1)]);
        flow.send_ranges(exchange(last, block.from), &[(last, last + 1)]);
    }
    Ok(flow)
}
