//! The time of a flow before it is simulated.

use std::collections::BTreeMap;

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_schedule::{Message, Phases, cost};

use crate::Task;
use crate::flow::{Flow, Transfer};

/// The predicted time: as if a barrier ended every step.
///
/// ```text
/// sum over steps of the predicted time of its messages, each as if it crossed its busiest link last
/// + combine times the most bytes that one member adds up in the step
/// ```
///
/// In a chain of L links with k chunks that is (k + L - 1) (c + h + b V / k). Exact where all messages of a step are
/// alike and nobody waits; chunks whose start-ups overlap are faster. Copies of routers are of the step of what they copy, and add a head for each
/// level of their tree but the first.
///
/// # Errors
///
/// As for [`cost::forecast`].
pub fn predicted(task: &Task<'_>, flow: &Flow) -> Result<Cycles> {
    let levels = copies(flow);
    let in_step = |(message, &(phase, _)): (Message, &(u32, u64))| Message { phase, ..message };
    let messages: Vec<Message> = messages(task, flow).into_iter().zip(&levels).map(in_step).collect();
    let machine = task.machine();
    let phases = Phases::new(meshwright_network::topology::Topology::nodes(machine), messages);
    let forecast = cost::forecast(&phases, machine)?;
    let mut deepest: BTreeMap<u32, u64> = BTreeMap::new();
    for (step, level) in levels {
        let deep = deepest.entry(step).or_default();
        *deep = level.max(*deep);
    }
    let heads = deepest.values().sum::<u64>() * machine.costs().head_ticks();
    Ok(machine.costs().cycles(forecast.ticks + heads + adding(task, flow)))
}

/// The messages of a flow between nodes, all of one phase.
pub fn messages(task: &Task<'_>, flow: &Flow) -> Vec<Message> {
    let of = |(index, transfer): (usize, &Transfer)| Message {
        source: task.nodes()[transfer.source as usize],
        target: task.nodes()[transfer.target as usize],
        bytes: Bytes(flow.bytes(index)),
        phase: 1,
    };
    flow.transfers().iter().enumerate().map(of).collect()
}

/// By message its step, that of what is copied for a copy, and how many routers have copied it.
fn copies(flow: &Flow) -> Vec<(u32, u64)> {
    let relays = flow.relays();
    let mut levels: Vec<(u32, u64)> = flow.transfers().iter().map(|transfer| (transfer.step, 0)).collect();
    let mut order: Vec<usize> = (0..levels.len()).filter(|&index| relays[index].is_some()).collect();
    order.sort_unstable_by_key(|&index| (flow.transfers()[index].step, index));
    for index in order {
        let (step, level) = levels[relays[index].expect("these are copies") as usize];
        levels[index] = (step, level + 1);
    }
    levels
}

/// Ticks of adding up, the busiest member of each step.
fn adding(task: &Task<'_>, flow: &Flow) -> u64 {
    let Some(combine) = task.combine else { return 0 };
    let mut sums: Vec<(u32, u32, u64)> = flow
        .transfers()
        .iter()
        .enumerate()
        .filter(|(_, transfer)| transfer.sums() > 0)
        .map(|(index, transfer)| (transfer.step, transfer.target, flow.bytes(index) * transfer.sums()))
        .collect();
    sums.sort_unstable();
    let of_member = |all: &[(u32, u32, u64)]| all.iter().map(|&(.., bytes)| bytes).sum::<u64>();
    let of_step =
        |step: &[(u32, u32, u64)]| step.chunk_by(|a, b| a.1 == b.1).map(of_member).max().unwrap_or(0);
    let bytes: u64 = sums.chunk_by(|a, b| a.0 == b.0).map(of_step).sum();
    let cycles = (bytes * combine.numerator()).div_ceil(combine.denominator());
    cycles * task.machine().costs().ticks_per_cycle()
}
