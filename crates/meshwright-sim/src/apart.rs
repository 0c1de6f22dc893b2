//! Phases in which some messages share no link with any other: these are never in each other's way.
//!
//! With all ports a message waits for links only. One that shares none with any other message of its phase takes the time it
//! takes alone, and nobody else notices it; so of all of these the slowest stands for the rest, and only messages that
//! share links are run.

use super::network;
use meshwright_core::error::Result;
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Machine, PortModel, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Phases};

/// The schedule with one message in every phase for all those that share no link; `None` when nothing can be left out.
///
/// # Complexity
///
/// That of the routes and of [`LinkLoads::fill`].
pub(super) fn slowest_of_each_phase(machine: &Machine, phases: &Phases) -> Result<Option<Phases>> {
    // What cannot surely be counted is left to the run, which refuses it.
    let total = (phases.messages(), phases.messages_total());
    let surely_fits = network::crude_serial_sum(total, machine).is_some();
    if machine.port_model() != PortModel::All || !surely_fits {
        return Ok(None);
    }
    let mut loads = LinkLoads::new(machine.links());
    let mut kept = Vec::new();
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        let routes = network::routes(machine, messages)?;
        loads.fill(messages, &routes);
        let apart = apart(messages, &routes, &loads);
        let ticks = |&index: &usize| {
            let message = &messages[index];
            let hops = routes.hops(index, message.pair());
            machine.costs().alone_ticks(machine.switching(), message.bytes, hops)
        };
        let alone = (0..messages.len()).filter(|&index| apart[index]);
        // Of equal ones the first.
        let slowest = alone.rev().max_by_key(ticks);
        let stays = |index: &usize| !apart[*index] || Some(*index) == slowest;
        kept.extend((0..messages.len()).filter(stays).map(|index| messages[index]));
    }
    let is_less = kept.len() < phases.messages().len();
    Ok(is_less.then(|| Phases::new(phases.ranks, kept).with_repeats(phases.all_repeats().to_vec())))
}

/// Whether each message shares no link with another.
fn apart(messages: &[Message], routes: &Routes<'_>, loads: &LinkLoads) -> Vec<bool> {
    let mut apart = vec![true; messages.len()];
    if loads.messages_max() <= 1 {
        return apart;
    }
    let Some(pieces) = loads.pieces() else {
        for (index, (message, apart)) in messages.iter().zip(&mut apart).enumerate() {
            routes.for_each_link(index, message.pair(), |link| *apart &= loads.messages(link) == 1);
        }
        return apart;
    };
    // Links before each place that several messages use.
    let mut shared = 0;
    let before: Vec<u32> = loads
        .by_place()
        .0
        .iter()
        .map(|&messages| {
            let before = shared;
            shared += u32::from(messages > 1);
            before
        })
        .collect();
    for piece in pieces {
        apart[piece.message as usize] &= before[piece.end as usize] == before[piece.first as usize];
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Core;
    use crate::phased::Barriers;
    use crate::simulate::Task;
    use crate::trace::Trace;
    use meshwright_core::units::{Bytes, Cycles, NodeId};
    use meshwright_network::topology::costs::SWITCHINGS;
    use proptest::prelude::*;

    proptest! {
        /// The trace of all messages is that of those that share links and the slowest of the others.
        #[test]
        fn the_slowest_stands_for_all_that_share_nothing(
            (which, switching, dead) in (0usize..5, 0usize..3, prop::collection::vec(0u32..48, 0..3)),
            ends in prop::collection::vec((0u32..48, 0u32..48, 1u64..30, 1u32..3), 1..16),
            (startup, flit) in (0u64..4, 0u64..4),
        ) {
            let mut machine = Machine::new(["mesh:6x8", "torus:6x8", "mesh:48", "mesh:4x4x3", "ccc:4"][which]).unwrap();
            machine = machine.with_dead(dead.into_iter().map(NodeId).collect()).unwrap();
            machine = machine.with_switching(SWITCHINGS[switching].1);
            machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            let node = |at: u32| living[at as usize % living.len()];
            let message = |&(from, to, bytes, phase): &(u32, u32, u64, u32)| {
                Message { source: node(from), target: node(to), bytes: Bytes(bytes), phase }
            };
            let phases = Phases::new(machine.nodes(), ends.iter().map(message).collect());
            let run = |phases| Barriers { machine: &machine, phases }.on(&mut Core::new(&machine));
            // Holes may part the machine, and then there is no route.
            let Ok(all) = run(&phases) else { return Ok(()) };
            if let Some(fewer) = slowest_of_each_phase(&machine, &phases).unwrap() {
                let fewer = run(&fewer).unwrap();
                prop_assert_eq!(fewer.deadlock.is_some(), all.deadlock.is_some());
                if all.deadlock.is_none() {
                    prop_assert_eq!(Trace { messages: all.messages, ..fewer }, all);
                }
            }
        }
    }
}
