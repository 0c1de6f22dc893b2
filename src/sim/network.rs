//! Flat tables of a machine, made once so that no engine asks a topology in its loop.

use crate::error::Result;
use crate::routing::{self, Pair, Routes};
use crate::schedule::Message;
use crate::topology::{Machine, Topology};
use crate::units::{LinkId, NodeId, Port};

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
    match machine.whole_grid() {
        // A formula needs no list of pairs.
        Some(grid) => Ok(Routes::DimensionOrder(grid)),
        None => {
            let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
            routing::routes(machine, &pairs)
        }
    }
}
