//! Phases in which some messages share no link with any other: these are never in each other's way.
//!
//! With all ports a message waits for links only. One that shares none with any other message of its phase takes the time it
//! takes alone, and nobody else notices it; so of all of these the slowest stands for the rest, and only messages that
//! share links are run.

use super::engine::Open;
use super::network;
use super::phased::{Barriers, Fewer};
use super::simulate::Task;
use super::trace::Trace;
use meshwright_core::error::Result;
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Machine, PortModel, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Phases};

/// Whether messages wait for links only. What cannot surely be counted is left to the run of all, which refuses it.
pub(super) fn is_all(machine: &Machine, phases: &Phases) -> bool {
    let total = (phases.messages(), phases.messages_total());
    machine.port_model() == PortModel::All && network::crude_serial_sum(total, machine).is_some()
}

/// Phases with one message for all those of a phase that share no link. Of messages that arrived it counts those that ran; where
/// they end in a ring, it says no more than that.
pub(super) struct Slowest<'j> {
    pub(super) machine: &'j Machine,
    pub(super) phases: &'j Phases,
    /// Those of all messages, if they are known.
    pub(super) routes: Option<&'j Routes<'j>>,
}

impl<'m> Task<'m> for Slowest<'m> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        let Self { machine, phases, routes } = self;
        let mut loads = LinkLoads::new(machine.links());
        let mut fewer = |messages: &[Message], routes: &Routes<'m>| {
            loads.fill(messages, routes);
            slowest_of_those_apart(machine, messages, routes, &loads)
        };
        Barriers { machine, phases, routes }.run_by(engine, &mut fewer, |_, _| ())
    }
}

/// The messages that share links and the slowest of the others; nothing when that leaves out nobody.
///
/// # Complexity
///
/// O(messages), and O(links of the lines in use) on a box, else O(sum of hops).
fn slowest_of_those_apart<'m>(
    machine: &Machine,
    messages: &[Message],
    routes: &Routes<'m>,
    loads: &LinkLoads,
) -> Fewer<'m> {
    let apart = apart(messages, routes, loads);
    let ticks = |&index: &usize| {
        let message = &messages[index];
        let hops = routes.hops(index, message.pair());
        machine.costs().alone_ticks(machine.switching(), message.bytes, hops)
    };
    let alone = (0..messages.len()).filter(|&index| apart[index]);
    // Of equal ones the first.
    let slowest = alone.rev().max_by_key(ticks)?;
    let kept: Vec<usize> = (0..messages.len()).filter(|&index| !apart[index] || index == slowest).collect();
    let some = kept.iter().map(|&index| messages[index]).collect();
    (kept.len() < messages.len()).then(|| (some, routes.of_some(&kept)))
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
    use crate::{Engine, Routed, simulate};
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
            // Holes may part the machine, and then there is no route.
            let Ok(all) = (Barriers { machine: &machine, phases: &phases, routes: None }).on(&mut Core::new(&machine)) else { return Ok(()) };
            let fewer = (Slowest { machine: &machine, phases: &phases, routes: None }).on(&mut Core::new(&machine)).unwrap();
            prop_assert_eq!(fewer.deadlock.is_some(), all.deadlock.is_some());
            prop_assert!(fewer.messages <= all.messages);
            if all.deadlock.is_none() {
                prop_assert_eq!(Trace { messages: all.messages, ..fewer }, all);
            }
            // Routes that are known are those that would be found.
            let routes = network::routes(&machine, phases.messages()).unwrap();
            let routed = simulate(&machine, &Routed { phases: &phases, routes: &routes }, &Engine::Message).unwrap();
            prop_assert_eq!(routed, simulate(&machine, &phases, &Engine::Message).unwrap());
        }
    }
}
