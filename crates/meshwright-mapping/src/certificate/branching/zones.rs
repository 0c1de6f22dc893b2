//! Which tasks can be together on a set of nodes, from the definitions.
//!
//! If the tasks on a zone are those of a set S, what they send to others leaves over the links out of the zone, and what they
//! hear enters over those into it. The fullest of these links has the mean at least, rounded up. All sets S are gone through.

use super::patterns::Pattern;
use super::{NOWHERE, Partial, Refuted};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// Proofs of more tasks name no zones.
const TASKS_MAX: usize = 16;

/// A set of nodes, and the sets of tasks that can be on it.
#[derive(Clone)]
pub(super) struct Zone {
    inside: Vec<bool>,
    /// Sets of tasks as bits.
    sets: Vec<u32>,
}

/// The zones of a proof with every set of tasks that takes less than the claim.
pub(super) fn zones(
    ranges: &[Vec<[u32; 2]>],
    machine: &Machine,
    tasks: usize,
    (patterns, start, claim): (&[Pattern], u64, u64),
) -> Result<Vec<Zone>, Refuted> {
    if ranges.is_empty() {
        return Ok(Vec::new());
    }
    if tasks > TASKS_MAX {
        return Refuted::because(format!("{tasks} tasks are too many to look at all sets of them"));
    }
    let crossing: Vec<Vec<[u64; 2]>> =
        (0..1u32 << tasks).map(|set| patterns.iter().map(|one| one.crossing(set)).collect()).collect();
    let mut zones = Vec::new();
    for ranges in ranges {
        let mut inside = vec![false; machine.nodes() as usize];
        for &[first, last] in ranges {
            if last >= machine.nodes() {
                return Refuted::because(format!("there is no node {last}"));
            }
            (first..=last).for_each(|node| inside[node as usize] = true);
        }
        let (mut out, mut into) = (0, 0);
        for node in machine.living() {
            for (_, next) in machine.neighbours(node) {
                out += u64::from(inside[node.index()] && !inside[next.index()]);
                into += u64::from(!inside[node.index()] && inside[next.index()]);
            }
        }
        let is_inside = |node: &NodeId| inside[node.index()];
        let room = machine.living().filter(is_inside).count();
        let room_outside = machine.living().count() - room;
        let is_left = |&set: &u32| {
            let size = set.count_ones() as usize;
            let sums = patterns.iter().zip(&crossing[set as usize]);
            let ticks = |(pattern, sums): (&Pattern, &[u64; 2])| pattern.across(start, *sums, [out, into]);
            let total: Option<u64> = sums.map(ticks).sum();
            size <= room && tasks - size <= room_outside && total.is_some_and(|total| total < claim)
        };
        let sets = (0..1u32 << tasks).filter(is_left).collect();
        zones.push(Zone { inside, sets });
    }
    Ok(zones)
}

/// Takes nodes from tasks that cannot be inside, or outside, with the others; whether anything was taken, or nothing if no set
/// of tasks is left for a zone.
pub(super) fn narrow(partial: &mut Partial) -> Option<bool> {
    let mut changes = false;
    for Zone { inside, sets } in &mut partial.zones {
        let can_be = |task: usize, side: bool| match partial.node_of[task] {
            NOWHERE => (0..inside.len()).any(|node| partial.allowed[task][node] && inside[node] == side),
            node => inside[node] == side,
        };
        let tasks = partial.node_of.len();
        let bits =
            |side: bool| (0..tasks).filter(|&task| can_be(task, side)).fold(0, |set, task| set | 1 << task);
        let (can_be_in, can_be_out): (u32, u32) = (bits(true), bits(false));
        sets.retain(|set| set & !can_be_in == 0 && !set & ((1 << tasks) - 1) & !can_be_out == 0);
        if sets.is_empty() {
            return None;
        }
        for task in (0..tasks).filter(|&task| partial.node_of[task] == NOWHERE) {
            for side in [true, false] {
                if sets.iter().any(|set| (set >> task & 1 == 1) == side) {
                    continue;
                }
                for node in (0..inside.len()).filter(|&node| inside[node] == side) {
                    changes |= std::mem::replace(&mut partial.allowed[task][node], false);
                }
            }
        }
    }
    Some(changes)
}
