//! Arguments of one message or one task.

use super::referee::Referee;
use super::{Refuted, Side};
use crate::task_graph::Edge;
use meshwright_network::topology::PortModel;

/// A message of some phase alone: over one link, or none if it stays with its task.
pub(super) fn message(
    referee: &Referee<'_>,
    phases: &[u32],
    (source, target, bytes): (u32, u32, u64),
) -> Result<u128, Refuted> {
    let same = |edge: &&Edge| (edge.source, edge.target, edge.bytes.0) == (source, target, bytes);
    let Some(edge) = referee.edges(phases).find(same) else {
        return Refuted::because(format!("task {source} sends no message of {bytes} bytes to task {target}"));
    };
    let hops = u32::from(source != target);
    let ends = if hops > 0 { 2 * referee.overhead() } else { 0 };
    Ok(referee.alone(edge, hops) + ends)
}

/// Of the partners with the largest messages of one phase one is far.
pub(super) fn partner(
    referee: &Referee<'_>,
    phases: &[u32],
    (task, partners, hops): (u32, u32, u32),
) -> Result<u128, Refuted> {
    let phase = only(phases)?;
    let of_task = |edge: &&Edge| edge.source == task || edge.target == task;
    let mut messages: Vec<(u32, &Edge)> = Vec::new();
    for edge in referee.between(&[phase]).filter(of_task) {
        let other = edge.source ^ edge.target ^ task;
        match messages.iter_mut().find(|known| known.0 == other) {
            Some((_, known)) if known.bytes >= edge.bytes => {}
            Some(known) => known.1 = edge,
            None => messages.push((other, edge)),
        }
    }
    messages.sort_by_key(|(_, edge)| std::cmp::Reverse(edge.bytes));
    let Some(&(_, lightest)) = (partners as usize).checked_sub(1).and_then(|last| messages.get(last)) else {
        return Refuted::because(format!("task {task} has {} partners, not {partners}", messages.len()));
    };
    // All of them nearer: then some node has so many others within hops - 1 links.
    for &node in &referee.living {
        let near = referee.nearest(node, partners as usize);
        if near.len() == partners as usize && near.iter().all(|&distance| distance < hops) {
            return Refuted::because(format!(
                "node {node} has {partners} others less than {hops} links away"
            ));
        }
    }
    Ok(referee.alone(lightest, hops) + 2 * referee.overhead())
}

/// The messages of one task in one phase through its one port.
pub(super) fn ports(referee: &Referee<'_>, phases: &[u32], task: u32, side: Side) -> Result<u128, Refuted> {
    if referee.machine.port_model() == PortModel::All {
        return Refuted::because("nodes have a port for every link");
    }
    let own = own(referee, phases, task, side)?;
    let costs = referee.machine.costs();
    let startup = u128::from(costs.startup_ticks());
    let transfers: u128 = own.iter().map(|edge| u128::from(costs.transfer_ticks(edge.bytes))).sum();
    let once = !referee.stores() && side == Side::Received;
    Ok(transfers + startup * if once { 1 } else { own.len() as u128 })
}

/// What a node takes for the messages of its task in one phase: `o + (d - 1) max(o, g) + the shortest alone + o`.
pub(super) fn ends(referee: &Referee<'_>, phases: &[u32], task: u32, side: Side) -> Result<u128, Refuted> {
    let own = own(referee, phases, task, side)?;
    let endpoints = referee.machine.endpoints();
    let cycles = u128::from(endpoints.overhead.0.max(endpoints.gap.0));
    let between = cycles * u128::from(referee.machine.costs().ticks_per_cycle());
    let least = own.iter().map(|edge| referee.alone(edge, 1)).min().unwrap_or(0);
    Ok(2 * referee.overhead() + (own.len() as u128 - 1) * between + least)
}

/// The messages that a task sends, or receives, in the one phase.
fn own<'a>(referee: &Referee<'a>, phases: &[u32], task: u32, side: Side) -> Result<Vec<&'a Edge>, Refuted> {
    let phase = only(phases)?;
    let is_own = |edge: &&Edge| task == if side == Side::Sent { edge.source } else { edge.target };
    let own: Vec<&Edge> = referee.between(&[phase]).filter(is_own).collect();
    if own.is_empty() {
        return Refuted::because(format!("task {task} has no such message in phase {phase}"));
    }
    Ok(own)
}

fn only(phases: &[u32]) -> Result<u32, Refuted> {
    match phases {
        &[phase] => Ok(phase),
        _ => Refuted::because(format!("this argument is about one phase, not about {}", phases.len())),
    }
}
