//! The time of a flow before it is simulated.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{PortModel, Switching, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Phases, cost};

use crate::Task;
use crate::flow::{Flow, Transfer};

/// The predicted time: as if a barrier ended every step, and start-ups of messages that do not wait for each other overlapped.
///
/// ```text
/// sum over steps of the predicted time of its messages less one start-up, each as if it crossed its busiest link last
/// + c times the most messages that wait for each other in a row
/// + combine times the most bytes that one member adds up in the step
/// ```
///
/// In a chain of L links with k chunks that is L c + (k + L - 1) (h + b V / k). Exact where all messages of a step are
/// alike and nobody waits. A node with one port, and one that stores and forwards, pays the start-up of every step: there it is
/// (k + L - 1) (c + h + b V / k). Copies of routers are of the step of what they copy, and add a head for each
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
    let phases = Phases::new(machine.nodes(), messages);
    let forecast = cost::forecast(&phases, machine)?;
    let mut deepest: BTreeMap<u32, u64> = BTreeMap::new();
    for (step, level) in levels {
        let deep = deepest.entry(step).or_default();
        *deep = level.max(*deep);
    }
    let heads = deepest.values().sum::<u64>() * machine.costs().head_ticks();
    let ticks = forecast.ticks - overlapped(task, flow, phases.len() as u64) + heads;
    Ok(machine.costs().cycles(ticks + adding(task, flow)))
}

/// Ticks of start-ups that are paid while others are: of so many steps those beyond the longest chain of messages.
fn overlapped(task: &Task<'_>, flow: &Flow, steps: u64) -> u64 {
    let (machine, costs) = (task.machine(), task.machine().costs());
    let pays_all =
        machine.port_model() == PortModel::One || machine.switching() == Switching::StoreAndForward;
    if costs.startup_ticks() == 0 || pays_all || flow.is_copied() {
        return 0;
    }
    let chain = flow.longest_chain(|_| 1).unwrap_or(steps);
    costs.startup_ticks() * steps.saturating_sub(chain)
}

/// The predicted time where steps are no more than the order of sending, as in what was searched for: at most that of [`predicted()`].
///
/// ```text
/// the longest chain of messages that wait for each other, each as long as it takes alone
/// + the time of the link with the most to carry, but for one message
/// + combine times the most bytes that one member adds up in each step
/// ```
///
/// # Errors
///
/// As for [`predicted()`].
pub fn in_order(task: &Task<'_>, flow: &Flow) -> Result<Cycles> {
    let by_steps = predicted(task, flow)?;
    let Some(chain) = chain(task, flow, |index| flow.bytes(index)) else { return Ok(by_steps) };
    let (machine, costs) = (task.machine(), task.machine().costs());
    let messages = messages(task, flow);
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let mut loads = LinkLoads::new(machine.links());
    loads.fill(&messages, &routing::routes(machine, &pairs)?);
    let occupied = loads.used().map(|(_, load)| load.occupied_ticks(machine.switching(), costs));
    let link = occupied.max().unwrap_or(0);
    let one = messages.iter().map(|message| costs.transfer_ticks(message.bytes)).max().unwrap_or(0);
    Ok(by_steps.min(costs.cycles(chain + link.saturating_sub(one) + adding(task, flow))))
}

/// Ticks of the longest chain of messages that wait for each other, each as long as it takes alone with so many bytes; none where there
/// is too much to look at, and where routers copy what is still on its way.
///
/// # Panics
///
/// When members cannot reach each other.
pub fn chain(task: &Task<'_>, flow: &Flow, bytes: impl Fn(usize) -> u64) -> Option<u64> {
    if flow.is_copied() {
        return None;
    }
    let (machine, nodes) = (task.machine(), task.nodes());
    let pair = |transfer: &Transfer| (nodes[transfer.source as usize], nodes[transfer.target as usize]);
    let pairs: Vec<Pair> = flow.transfers().iter().map(pair).collect();
    let ends = 2 * machine.endpoints().overhead.0 * machine.costs().ticks_per_cycle();
    // Not asked for where there is too much to look at.
    let routes = LazyCell::new(|| routing::routes(machine, &pairs).expect("members reach each other"));
    flow.longest_chain(|index| {
        let hops = routes.hops(index, pairs[index]);
        ends + machine.costs().alone_ticks(machine.switching(), Bytes(bytes(index)), hops)
    })
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
    let at_last = if flow.is_added_up() { task.bytes * u64::from(task.members() - 1) } else { 0 };
    let cycles = ((bytes + at_last) * combine.numerator()).div_ceil(combine.denominator());
    cycles * task.machine().costs().ticks_per_cycle()
}
