//! Valiant's routing: first to a random node, then to the target, each stage on its own classes.
//!
//! Both stages travel in dimension order. Whatever the pattern of the traffic, each stage looks like uniform
//! traffic; the price is twice the distance on average. A packet passes from the classes of the first stage to
//! those of the second only, so the two together are as free of deadlock as dimension order is.

use rand::{Rng, RngExt};

use super::Routing;
use super::dimension_order::{Axes, whole};
use super::relation::{Choices, Header, Relation};
use crate::topology::{Machine, Topology};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;

/// By way of a random node.
///
/// # Source
///
/// `valiant1981`: two stages, both shortest; here a packet for its own node stays there.
pub const VALIANT: Routing = Routing {
    name: "valiant",
    aliases: &[],
    summary: "in dimension order to a random node, from there to the target",
    relation: |machine| Ok(Relation::Valiant(Valiant::new(machine)?)),
};

/// The box; a header's `via` is the random node, its stage says whether that lies behind.
#[derive(Clone, Debug)]
pub struct Valiant<'m> {
    axes: Axes<'m>,
}

impl<'m> Valiant<'m> {
    fn new(machine: &'m Machine) -> Result<Self> {
        Ok(Self { axes: Axes::new(whole("valiant", machine)?, true, false) })
    }

    pub(super) fn classes(&self) -> u32 {
        2 * self.axes.classes()
    }

    pub(super) fn header(&self, source: NodeId, target: NodeId, rng: &mut impl Rng) -> Header {
        let via = if source == target { target } else { NodeId(rng.random_range(0..self.axes.grid.nodes())) };
        Header { target, via, stage: 0, variant: 0 }
    }

    /// Every node a packet may have to visit first.
    pub(super) fn vias(&self, source: NodeId, target: NodeId) -> Vec<NodeId> {
        if source == target { vec![target] } else { (0..self.axes.grid.nodes()).map(NodeId).collect() }
    }

    #[inline]
    pub(super) fn choose(&self, at: NodeId, header: &mut Header, choices: &mut Choices) {
        if at == header.via {
            header.stage = 1;
        }
        match header.stage {
            0 => self.axes.push(at, header.via, 0, choices),
            _ => self.axes.push(at, header.target, self.axes.classes() as u8, choices),
        }
    }
}
