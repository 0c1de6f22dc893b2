//! Minimal adaptive routing: any shortest way on the adaptive class, dimension order as the escape.
//!
//! A packet may take the adaptive class of every port that leads nearer to its target. Rings of waiting packets
//! exist on that class, but each of the packets may also ask for one escape channel, and the escape channels wait
//! for each other in no ring, even through the adaptive ones: after every adaptive hop the rest of the way in
//! dimension order is the rest of a way that could have been taken before.

use super::Routing;
use super::dimension_order::{Axes, whole};
use super::relation::{Choices, PortChoice, Relation};
use crate::topology::{Machine, Topology};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;

/// Every shortest way, and an escape.
///
/// # Source
///
/// `duato1993`, theorem 1, with dimension order as the connected routing subfunction.
pub const MIN_ADAPTIVE: Routing = Routing {
    name: "min-adaptive",
    aliases: &["duato"],
    summary: "every port that leads nearer, with dimension order as the escape",
    relation: |machine| Ok(Relation::MinAdaptive(MinAdaptive::new(machine)?)),
};

/// The box; the escape has the first classes, the adaptive class is the last.
#[derive(Clone, Debug)]
pub struct MinAdaptive<'m> {
    escape: Axes<'m>,
}

impl<'m> MinAdaptive<'m> {
    fn new(machine: &'m Machine) -> Result<Self> {
        Ok(Self { escape: Axes::new(whole("min-adaptive", machine)?, true, false) })
    }

    /// An escape that keeps no date-line classes, for the test that it is refused.
    #[cfg(test)]
    pub(super) fn without_date_line(machine: &'m Machine) -> Self {
        Self { escape: Axes::new(whole("min-adaptive", machine).unwrap(), false, false) }
    }

    pub(super) fn classes(&self) -> u32 {
        self.escape.classes() + 1
    }

    #[inline]
    pub(super) fn choose(&self, at: NodeId, target: NodeId, choices: &mut Choices) {
        let grid = self.escape.grid;
        let class = self.escape.classes() as u8;
        for axis in (0..grid.dimensions()).rev() {
            let (steps, up) = grid.offset(at, target, axis);
            if steps == 0 {
                continue;
            }
            choices.push(PortChoice { port: grid.port(axis, up), class });
            let half_way = grid.wraps() && grid.sides()[axis] > 2 && 2 * steps == grid.sides()[axis];
            if half_way {
                choices.push(PortChoice { port: grid.port(axis, !up), class });
            }
        }
        self.escape.push(at, target, 0, choices);
    }
}
