//! Trivance: three members together in each step, over both ports of a ring.
//!
//! In its k-th turn a dimension joins coordinate x with x + 3^k and x − 3^k, round the border: after k turns with whole vectors
//! a member has the sum of the 3^k around it, which tile. With parts of the vector, what it holds before the last k turns of the
//! all-gather is what is congruent to it modulo 3^k. D copies, each first in another dimension, use all ports.
//!
//! # Source
//!
//! `juerss2026`.

use meshwright_core::error::{Error, Result};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::{beside, by_all_gather, by_whole_vectors, exchange, gathering};
use crate::turns::{Turns, sides};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "trivance-l",
        summary: "log3 p exchanges of the whole vector with both members 1, 3, 9, ... away",
        formula: "log3 p (c + h d + b V / D)",
        source: "juerss2026",
        operations: &[Operation::AllReduce, Operation::Barrier],
        streams: false,
        flow: latency,
    },
    Algorithm {
        name: "trivance-whole",
        summary: "whole vectors from both members 1, 3, 9, ... away are gathered, any sides, and added up at last",
        formula: "ceil(log3 p) (c + h d) + b V (p - 1) / (2 D)",
        source: "juerss2026",
        operations: &[Operation::AllReduce, Operation::Scan],
        streams: false,
        flow: |task| by_whole_vectors(task, |task| beside(task, sides(task).len() as u32, bandwidth)),
    },
    Algorithm {
        name: "trivance-b",
        summary: "reduce-scatter with thirds to both members 1, 3, 9, ... away, and all-gather back",
        formula: "2 log3 p (c + h d) + b V (p - 1) / (p D)",
        source: "juerss2026",
        operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
        streams: false,
        flow: |task| beside(task, sides(task).len() as u32, bandwidth),
    },
];

/// The two others of a turn.
fn others(turns: &Turns, step: u32, member: u32) -> Vec<u32> {
    let up = turns.peer(step, member, |turn, _| 3i64.pow(turn));
    let down = turns.peer(step, member, |turn, _| -3i64.pow(turn));
    vec![up, down]
}

/// The whole vector in each step.
fn latency(task: &Task<'_>) -> Result<Flow> {
    let sides = sides(task);
    let tiles = sides.iter().all(|&side| 3u32.pow(side.ilog(3)) == side);
    if !tiles && task.operation != Operation::Barrier {
        let why = "a side is no power of three, so that contributions would arrive twice";
        return Err(Error::not_applicable("Trivance with the whole vector", why));
    }
    let copies = if task.operation == Operation::Barrier { 1 } else { sides.len() as u32 };
    beside(task, copies, |first, task| {
        let turns = Turns::new(&sides, first as usize, 3);
        Ok(exchange(task, turns.steps(), |step, member| others(&turns, step, member)))
    })
}

/// Thirds of thirds; what a member has already is left out, so that every side will do.
fn bandwidth(first: u32, task: &Task<'_>) -> Result<Flow> {
    let turns = Turns::new(&sides(task), first as usize, 3);
    let parts = task.with(Operation::AllGather, task.root).blocks();
    let blocks = turns.order().into_iter().map(|member| parts[member as usize]).collect();
    let steps = turns.steps();
    let flow =
        gathering(task.members(), blocks, steps, |step, member| others(&turns, steps - 1 - step, member))?;
    by_all_gather(task, &flow)
}
