//! The measurements of a run of open-loop traffic.

use super::Latencies;
use meshwright_core::units::{LinkId, NodeId};

/// The result of one run under open-loop traffic.
///
/// Rates are in flits per living node and cycle, over the measured interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// All cycles simulated: warm-up, measurement and drain.
    pub cycles: u64,
    /// What the sources created.
    pub offered: f64,
    /// What arrived.
    pub accepted: f64,
    /// Of the packets created in the measured interval that arrived.
    pub latencies: Latencies,
    /// Flits times router-to-router links, over the whole run.
    pub flit_hops: u64,
    /// Packets created in the measured interval that had not arrived when the drain ended.
    pub undelivered: u64,
    /// A ring of channels that wait for each other, if the network stood still.
    pub deadlock: Option<Vec<LinkId>>,
}

/// A packet of open-loop traffic that arrived, times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// When its source created it.
    pub created: u64,
    /// The node that created it: no other packet of this node is of the same cycle.
    pub source: NodeId,
    /// The node it was sent to.
    pub target: NodeId,
    /// When its last flit left the network.
    pub arrived: u64,
}

impl Measured {
    /// Nothing was simulated: the routing can deadlock in this ring.
    pub fn refused(ring: Vec<LinkId>) -> Self {
        Self {
            cycles: 0,
            offered: 0.0,
            accepted: 0.0,
            latencies: Latencies::new(1),
            flit_hops: 0,
            undelivered: 0,
            deadlock: Some(ring),
        }
    }
}
