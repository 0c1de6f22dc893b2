//! Straight ways on a box with holes: whether a piece is whole is the difference of two counts.

use super::dimension_order;
use super::runs::Run;
use crate::topology::{Grid, Machine, Topology};
use meshwright_core::csr::Csr;
use meshwright_core::units::NodeId;

/// By axis and node how many wires of its line lead nowhere that come before it.
pub(super) struct StraightWays<'m> {
    machine: &'m Machine,
    grid: &'m Grid,
    broken_before: Vec<Vec<u32>>,
}

impl<'m> StraightWays<'m> {
    /// Counts the wires of a machine.
    ///
    /// # Complexity
    ///
    /// O(nodes times dimensions), in memory too.
    pub(super) fn new(machine: &'m Machine, grid: &'m Grid) -> Self {
        let before = |axis: usize| {
            let (stride, up) = (grid.stride(axis), grid.port(axis, true));
            let mut before = vec![0u32; grid.nodes() as usize];
            for node in 0..grid.nodes() {
                if grid.coordinate(NodeId(node), axis) > 0 {
                    let last = node - stride;
                    let broken = machine.neighbour(NodeId(last), up).is_none();
                    before[node as usize] = before[last as usize] + u32::from(broken);
                }
            }
            before
        };
        Self { machine, grid, broken_before: (0..grid.dimensions()).map(before).collect() }
    }

    /// Adds the runs of the dimension-order route to the row that is being filled, if that meets nothing dead: then it is the
    /// shortest one by port order. If it does, nothing is added.
    #[inline]
    pub(super) fn push(&self, from: NodeId, to: NodeId, runs: &mut Csr<Run>) -> bool {
        let mut is_whole = self.machine.is_alive(from) && self.machine.is_alive(to);
        if !is_whole {
            return false;
        }
        dimension_order::for_each_piece(self.grid, from, to, |piece| {
            is_whole &= self.is_whole(piece.axis, piece.up, piece.from, piece.links);
        });
        if is_whole {
            dimension_order::for_each_piece(self.grid, from, to, |piece| {
                let (axis, up) = (piece.axis, piece.up);
                let first = |node| self.grid.link(node, self.grid.port(axis, up));
                let (c, side) = (self.grid.coordinate(piece.from, axis), self.grid.sides()[axis]);
                let straight = piece.links.min(if up { side - c } else { c + 1 });
                runs.push(Run { first: first(piece.from), links: straight });
                if straight < piece.links {
                    let behind = self.at(piece.from, axis, if up { 0 } else { side - 1 });
                    runs.push(Run { first: first(behind), links: piece.links - straight });
                }
            });
        }
        is_whole
    }

    /// The node at this place of the line of another.
    fn at(&self, node: NodeId, axis: usize, c: u32) -> NodeId {
        let stride = self.grid.stride(axis);
        NodeId(node.0 - self.grid.coordinate(node, axis) * stride + c * stride)
    }

    /// Whether all wires of a piece lead somewhere, the one over the border of a ring among them.
    #[inline]
    fn is_whole(&self, axis: usize, up: bool, from: NodeId, links: u32) -> bool {
        let (c, side) = (self.grid.coordinate(from, axis), self.grid.sides()[axis]);
        let broken = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|c| self.broken_before[axis][self.at(from, axis, c).index()]);
            a != b
        };
        let end = if up { c + links } else { c.wrapping_sub(links) };
        if end < side {
            return !broken(c, end);
        }
        let (border, behind) = if up { (side - 1, 0) } else { (0, side - 1) };
        let end = if up { end - side } else { end.wrapping_add(side) };
        let over = self.machine.neighbour(self.at(from, axis, border), self.grid.port(axis, up));
        !broken(c, border) && over.is_some() && !broken(behind, end)
    }
}
