//! What messages hold while their bytes flow.

use meshwright_core::units::{NodeId, Ratio};

/// Something with a rate that messages hold while their bytes flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// What a node puts into a network.
    Injection {
        /// The network.
        plane: usize,
        /// The node.
        node: NodeId,
    },
    /// What a node takes out of a network.
    Ejection {
        /// The network.
        plane: usize,
        /// The node.
        node: NodeId,
    },
    /// A link of one direction.
    Link {
        /// The network.
        plane: usize,
        /// The node it leaves.
        node: NodeId,
        /// The axis it runs along.
        axis: usize,
        /// Whether it goes up.
        up: bool,
    },
    /// What several ports share, such as a memory controller; by its number.
    Shared(usize),
}

/// A resource behind the ports of some nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Its name, for people.
    pub name: String,
    /// The nodes whose traffic passes it.
    pub nodes: Vec<NodeId>,
    /// What of their traffic passes it.
    pub ways: Ways,
    /// Bytes per cycle.
    pub rate: Ratio,
}

/// Directions of traffic at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// What leaves it.
    Out,
    /// What comes to it.
    In,
    /// Both.
    Both,
}
