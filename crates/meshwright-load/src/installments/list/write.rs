//! A list schedule as the programs of all nodes.

use super::run::Times;
use super::steps::{Kind, Steps};
use crate::installments::record::{Installments, Programs, Record, most_waiting};
use crate::installments::scale::Scale;
use crate::installments::streams::CarryingLink;
use meshwright_core::units::Cycles;
use meshwright_network::topology::Topology;

/// The programs that keep these times.
///
/// A step follows the steps of its own node that it needs. Where it begins later than they end, because of something that its
/// node does not see (the port of the receiver, the other direction of the wire), it waits for its node's clock: a
/// computation on a second processor.
pub(super) fn write(scale: &Scale, steps: &Steps, times: &Times, installments: Vec<f64>) -> Installments {
    let machine = scale.problem().machine();
    let per_cycle = scale.costs().ticks_per_cycle();
    let mut programs = Programs::new(machine.nodes(), machine.links());
    let mut order: Vec<u32> = (0..steps.all.len() as u32).collect();
    order.sort_unstable_by_key(|&step| (times.begin[step as usize], step));
    // By step, the step of the program that ends with it at the node where others wait for it.
    let mut ended = vec![u32::MAX; steps.all.len()];
    let mut link_free = vec![0; machine.links() as usize];
    let mut processor_free = vec![0; machine.nodes() as usize];
    let (mut worked, mut messages) = (vec![0u64; machine.nodes() as usize], 0);
    // By message, when its last byte has gone on.
    let mut gone_by = vec![0; steps.all.len()];
    for number in order {
        let (step, index) = (steps.all[number as usize], number as usize);
        let begin = times.begin[index];
        // A message that went out over this link before is no step at this node that others wait for.
        let own = |&&on: &&u32| {
            let other = &steps.all[on as usize];
            if other.kind == Kind::Work { other.from == step.from } else { other.to == step.from }
        };
        let waits: Vec<u32> = steps.waits_of(index).iter().filter(own).copied().collect();
        let ready = waits.iter().map(|&on| times.end[on as usize]).max().unwrap_or(0);
        let before = match step.kind {
            Kind::Work => processor_free[step.from.index()],
            _ => link_free[step.link.index()],
        };
        let clock = (begin > ready.max(before)).then(|| programs.clock(step.from, Cycles(begin / per_cycle)));
        let after = waits.iter().map(|&on| ended[on as usize]).chain(clock);
        if step.kind == Kind::Work {
            ended[index] = programs.work(step.from, scale.work(step.from, step.bytes), after);
            processor_free[step.from.index()] = times.end[index];
            worked[step.from.index()] += step.bytes;
        } else {
            let channel = CarryingLink { link: step.link, from: step.from, to: step.to };
            let message = scale.message(step.link, step.bytes);
            ended[index] = programs.send(channel, message, after);
            link_free[step.link.index()] = times.end[index];
            messages += 1;
        }
        for on in waits.into_iter().filter(|&on| steps.all[on as usize].round == step.round) {
            let gone = if step.kind == Kind::Work { begin } else { times.end[index] };
            gone_by[on as usize] = gone_by[on as usize].max(gone);
        }
    }
    let bytes = scale.bytes() as f64;
    Installments {
        schedule: programs.into_schedule(),
        messages,
        processors: worked.iter().filter(|&&bytes| bytes > 0).count(),
        predicted_cycles: scale.costs().cycles(times.last).0,
        makespan: scale.units_of_ticks(times.last),
        installments,
        shares: worked.iter().map(|&worked| worked as f64 / bytes).collect(),
        waiting_max: most(steps, times, &gone_by),
    }
}

/// The most messages that wait at one node at a time.
fn most(steps: &Steps, times: &Times, gone_by: &[u64]) -> u64 {
    let mut changes: Vec<(u32, u64, i64)> = Vec::new();
    for (index, step) in steps.all.iter().enumerate() {
        if step.kind != Kind::Work && gone_by[index] > times.end[index] {
            changes.extend([(step.to.0, times.end[index], 1), (step.to.0, gone_by[index], -1)]);
        }
    }
    changes.sort_unstable();
    let count = |of_node: &[(u32, u64, i64)]| most_waiting(of_node.iter().map(|(_, _, change)| *change));
    changes.chunk_by(|a, b| a.0 == b.0).map(count).max().unwrap_or(0)
}
