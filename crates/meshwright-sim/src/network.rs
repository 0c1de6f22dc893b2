//! Flat tables of a machine, made once so that no engine asks a topology in its loop.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Hops, LinkId, NodeId, Port};
use meshwright_network::routing::{self, Pair, Routes};
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::Message;

/// Where each link leads.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The node each link enters; the node it leaves, where the port is unwired.
    targets: Vec<NodeId>,
}

impl Network {
    /// Reads the machine, dead nodes left out.
    ///
    /// # Complexity
    ///
    /// O(nodes + links).
    pub(super) fn new(machine: &Machine) -> Self {
        let mut targets = Vec::with_capacity(machine.links() as usize);
        for node in (0..machine.nodes()).map(NodeId) {
            let ports = (0..machine.ports(node)).map(Port);
            targets.extend(ports.map(|port| machine.neighbour(node, port).unwrap_or(node)));
        }
        Self { targets }
    }

    /// How many link ids there are.
    pub(super) fn links(&self) -> usize {
        self.targets.len()
    }

    /// The node a link enters.
    #[inline]
    pub(super) fn target(&self, link: LinkId) -> NodeId {
        self.targets[link.index()]
    }
}

/// The usual routes of some messages; errors as for [`routing::routes`].
pub(super) fn routes<'m>(machine: &'m Machine, messages: &[Message]) -> Result<Routes<'m>> {
    match machine.whole_grid().filter(|_| machine.fabric().is_none()) {
        // A formula needs no list of pairs.
        Some(grid) => Ok(Routes::DimensionOrder(grid)),
        None => {
            let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
            routing::routes(machine, &pairs)
        }
    }
}

/// A time, in ticks, within which all messages fit one after the other: what the largest would take over a way
/// through all nodes, for each; `count` of them with repetitions. `None` if this crude sum, or the volume of all, leaves 63 bits, or the costs fail
/// their check; then [`meshwright_schedule::cost::serial_sum`] must decide.
pub(super) fn crude_serial_sum((messages, count): (&[Message], u64), machine: &Machine) -> Option<u64> {
    machine.costs().check().ok()?;
    let largest = messages.iter().map(|message| message.bytes.0).max().unwrap_or(0);
    if largest > BYTES_MAX || largest.checked_mul(count)? >> 63 != 0 {
        return None;
    }
    // With the costs of a machine, which were checked, one hop stays below 2^58 ticks.
    let hop = machine.costs().alone_ticks(machine.switching(), Bytes(largest), Hops(1));
    let sum = hop.checked_mul(u64::from(machine.nodes()))?.checked_mul(count)?;
    (sum >> 63 == 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::Cycles;
    use meshwright_network::topology::costs::SWITCHINGS;
    use meshwright_schedule::cost::serial_sum;
    use proptest::prelude::*;

    proptest! {
        /// What the crude sum accepts, the exact one accepts and does not exceed it.
        #[test]
        fn the_crude_sum_is_an_upper_bound(
            (switching, which, startup) in (0usize..3, 0usize..3, 0u64..=1 << 32),
            ends in prop::collection::vec((0u32..12, 0u32..12, 0u64..=1 << 40), 0..6),
        ) {
            let mut machine = Machine::new(["mesh:3x4", "torus:12", "hypercube:4"][which]).unwrap();
            machine = machine.with_switching(SWITCHINGS[switching].1);
            machine = machine.with_startup(Cycles(startup)).unwrap();
            let message = |&(source, target, bytes): &(u32, u32, u64)| Message {
                source: NodeId(source),
                target: NodeId(target),
                bytes: Bytes(bytes),
                phase: 1,
            };
            let messages: Vec<Message> = ends.iter().map(message).collect();
            let routes = routes(&machine, &messages).unwrap();
            let exact = serial_sum(0, &messages, &routes, machine.switching(), machine.costs());
            let crude = crude_serial_sum((&messages, messages.len() as u64), &machine).expect("costs and messages are within bounds");
            prop_assert!(exact.unwrap() <= crude);
        }
    }
}
