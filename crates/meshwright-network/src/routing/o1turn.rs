//! O1TURN: a coin at the source decides between the two dimension orders, each on its own classes.
//!
//! Either order alone is free of deadlock, and a packet never leaves the classes of its order, so both together
//! are. On a 2-D mesh the worst case over all permutations is near the best possible; in more dimensions the two
//! orders are still sound, but that result does not carry over.

use rand::Rng;

use super::Routing;
use super::dimension_order::{Axes, whole};
use super::relation::{Choices, Header, Relation};
use crate::topology::Machine;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;

/// A coin between XY and YX.
///
/// # Source
///
/// `seo2005`.
pub const O1TURN: Routing = Routing {
    name: "o1turn",
    aliases: &[],
    summary: "a coin at the source: the last axis first, or the first axis first",
    relation: |machine| Ok(Relation::O1turn(O1turn::new(machine)?)),
};

/// The two orders; a header's variant says which.
#[derive(Clone, Debug)]
pub struct O1turn<'m> {
    orders: [Axes<'m>; 2],
}

impl<'m> O1turn<'m> {
    fn new(machine: &'m Machine) -> Result<Self> {
        let grid = whole("o1turn", machine)?;
        Ok(Self { orders: [false, true].map(|first_first| Axes::new(grid, true, first_first)) })
    }

    pub(super) fn classes(&self) -> u32 {
        2 * self.orders[0].classes()
    }

    pub(super) fn header(&self, target: NodeId, rng: &mut impl Rng) -> Header {
        Header { target, via: target, stage: 0, variant: (rng.next_u32() >> 31) as u8 }
    }

    #[inline]
    pub(super) fn choose(&self, at: NodeId, header: &Header, choices: &mut Choices) {
        let order = &self.orders[usize::from(header.variant)];
        order.push(at, header.target, header.variant * order.classes() as u8, choices);
    }
}
