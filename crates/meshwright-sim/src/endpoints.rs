//! What messages cost the nodes at their ends: overhead o and gap g, by node.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// When nodes may send and receive again, in ticks.
#[derive(Debug)]
pub(super) struct NodeTimes {
    overhead: u64,
    /// max(o, g).
    between: u64,
    sends: Vec<u64>,
    receives: Vec<u64>,
}

impl NodeTimes {
    /// Those of a machine, unless messages cost its nodes nothing.
    pub(super) fn of(machine: &Machine) -> Option<Self> {
        let endpoints = machine.endpoints();
        let ticks = |cycles: u64| cycles * machine.costs().ticks_per_cycle();
        let free = vec![0; if endpoints.is_free() { 0 } else { machine.nodes() as usize }];
        (!endpoints.is_free()).then(|| Self {
            overhead: ticks(endpoints.overhead.0),
            between: ticks(endpoints.overhead.0.max(endpoints.gap.0)),
            sends: free.clone(),
            receives: free,
        })
    }

    /// Whether nobody waits any more for what was sent and received before.
    pub(super) fn are_over(&self, now: u64) -> bool {
        self.sends.iter().chain(&self.receives).all(|&free| free <= now)
    }

    /// When a message that is to be sent enters the network.
    pub(super) fn sent(&mut self, node: NodeId, asked: u64) -> u64 {
        let begin = asked.max(self.sends[node.index()]);
        self.sends[node.index()] = begin + self.between;
        begin + self.overhead
    }

    /// When a message that has arrived is received.
    pub(super) fn received(&mut self, node: NodeId, arrived: u64) -> u64 {
        let begin = arrived.max(self.receives[node.index()]);
        self.receives[node.index()] = begin + self.between;
        begin + self.overhead
    }
}
