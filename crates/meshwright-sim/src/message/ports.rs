//! One-port nodes: two channels more for each, beside the links.
//!
//! A message holds its source's injection port from its start until its last byte has left the node, and its
//! target's ejection port while it comes in (store-and-forward: while it crosses its last link). Both serve the
//! message that asked first. A message to oneself is a copy in memory and passes neither.

use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// Where the channels of one-port nodes begin: after the links.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortChannels {
    pub(super) injection: u32,
    pub(super) ejection: u32,
}

impl PortChannels {
    /// The channels of a machine whose links have so many, if its nodes have one port each, and how many there are in all.
    pub(super) fn of(machine: &Machine, links: u32) -> (Option<Self>, usize) {
        let nodes = machine.nodes();
        match machine.port_model() {
            PortModel::All => (None, links as usize),
            PortModel::One => {
                (Some(Self { injection: links, ejection: links + nodes }), (links + 2 * nodes) as usize)
            }
        }
    }

    pub(super) fn injection(self, node: NodeId) -> LinkId {
        LinkId(self.injection + node.0)
    }

    pub(super) fn ejection(self, node: NodeId) -> LinkId {
        LinkId(self.ejection + node.0)
    }
}
