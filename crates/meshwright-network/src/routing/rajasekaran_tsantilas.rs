//! The randomised three-phase routing of permutations on a 2-D mesh.
//!
//! The rows are cut into slices. A packet goes along its column to a random row of its slice, along that row to the
//! column of its target, and along that column to the target. The first phase spreads packets over the rows, so
//! that few of them meet; as a slice is low, it costs little.
//!
//! ```text
//! slice height h = ceil(n / ceil(log2 n)) for n rows;  hops <= distance + 2 (h - 1)
//! ```
//!
//! Steps along columns before the row use class 0, those after it class 1: columns of class 0, rows, columns of class
//! 1 are left for each other in this order only, so no ring can close.

use rand::{Rng, RngExt};

use super::Routing;
use super::dimension_order::Axes;
use super::relation::{Choices, Header, Relation};
use super::turn_model::plane;
use crate::topology::{Machine, Topology};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;

/// Column, row, column, by way of a random row of the slice.
///
/// # Source
///
/// `rajasekaran1992`, the algorithm with queues of O(log n): slices of n / log n rows. The paper gives priority to
/// the packet with the farthest way to go, which is up to the engine here; its separate treatment of the packets
/// that start near the corners, which lowers the time to 2n + O(log n), is left out.
pub const RAJASEKARAN_TSANTILAS: Routing = Routing {
    name: "rajasekaran-tsantilas",
    aliases: &["three-phase"],
    summary: "to a random row near by, along it, then along the column (2-D mesh)",
    relation: |machine| Ok(Relation::RajasekaranTsantilas(Slices::new(machine)?)),
};

/// The rows of a slice: n / log n.
///
/// ```text
/// ceil(n / ceil(log2 n)) for n rows, one logarithm at least
/// ```
pub fn slice_height(rows: u32) -> u32 {
    rows.div_ceil(rows.next_power_of_two().trailing_zeros().max(1))
}

/// The mesh and its slices; a header's `via` is where the first phase ends.
#[derive(Clone, Debug)]
pub struct Slices<'m> {
    axes: Axes<'m>,
    height: u32,
}

impl<'m> Slices<'m> {
    fn new(machine: &'m Machine) -> Result<Self> {
        let grid = plane("rajasekaran-tsantilas", machine)?;
        let rows = grid.sides()[0];
        Ok(Self { axes: Axes::new(grid, true, false), height: slice_height(rows) })
    }

    pub(super) fn classes(&self) -> u32 {
        2
    }

    /// Where the first phase can end: the nodes of the source's column within its slice.
    pub(super) fn vias(&self, source: NodeId, target: NodeId) -> Vec<NodeId> {
        if source == target {
            return vec![target];
        }
        let (first, rows) = self.slice(source);
        (0..rows).map(|row| self.node(first + row, source)).collect()
    }

    pub(super) fn header(&self, source: NodeId, target: NodeId, rng: &mut impl Rng) -> Header {
        let (first, rows) = self.slice(source);
        let via = match source == target {
            true => target,
            false => self.node(first + rng.random_range(0..rows), source),
        };
        Header { target, via, stage: 0, variant: 0 }
    }

    /// The first row of a node's slice, and how many rows the slice has.
    fn slice(&self, node: NodeId) -> (u32, u32) {
        let row = self.axes.grid.coordinate(node, 0);
        let first = row - row % self.height;
        (first, self.height.min(self.axes.grid.sides()[0] - first))
    }

    /// The node of another row in the same column.
    fn node(&self, row: u32, column_of: NodeId) -> NodeId {
        NodeId(row * self.axes.grid.sides()[1] + self.axes.grid.coordinate(column_of, 1))
    }

    #[inline]
    pub(super) fn choose(&self, at: NodeId, header: &mut Header, choices: &mut Choices) {
        if at == header.via {
            header.stage = 1;
        }
        match header.stage {
            0 => self.axes.push(at, header.via, 0, choices),
            _ => {
                let in_target_column = self.axes.grid.offset(at, header.target, 1).0 == 0;
                self.axes.push(at, header.target, u8::from(in_target_column), choices);
            }
        }
    }
}
