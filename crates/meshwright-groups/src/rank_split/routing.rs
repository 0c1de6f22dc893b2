//! Routing on the tree: where a packet for a rank of a new tree goes next.

use meshwright_core::units::NodeId;

pub use meshwright_member::routing::{Hop, Role, route};

/// A packet (q, r, c) with a role: 1 + 29 + 32 + 2 bits.
pub type Routed = meshwright_member::routing::Routed<NodeId>;
