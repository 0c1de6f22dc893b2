//! Dimension-order routing: one axis after the other, the last axis first.
//!
//! On a 2-D mesh this is XY routing (along the row, then along the column), on a hypercube e-cube
//! routing. It is minimal and, on meshes and hypercubes, free of deadlock; the wrap-around links of a
//! torus close cycles of channels, which [`super::deadlock`] finds.

use super::{Pair, Routes, Routing};
use crate::error::Error;
use crate::topology::{Grid, Topology};
use crate::units::{LinkId, NodeId};

/// The last dimension first.
///
/// # Source
///
/// `dally1987`, section III (e-cube).
pub const DIMENSION_ORDER: Routing = Routing {
    name: "dimension-order",
    summary: "one axis after the other, the last first (XY, e-cube)",
    routes: |machine, _: &[Pair]| match machine.whole_grid() {
        Some(grid) => Ok(Routes::DimensionOrder(grid)),
        None => Err(Error::not_applicable("dimension-order", "it needs a box without dead nodes")),
    },
};

/// The next link from `at` towards `to`, or `None` when `at` is `to`.
///
/// # Complexity
///
/// O(dimensions).
///
/// # Examples
///
/// ```
/// use meshwright::routing::dimension_order::next_link;
/// use meshwright::topology::{Grid, Topology};
/// use meshwright::units::NodeId;
/// let mesh = Grid::mesh(&[2, 3])?;
/// let link = next_link(&mesh, NodeId(0), NodeId(5)).expect("they differ");
/// assert_eq!(mesh.target(link), Some(NodeId(1)), "east before south");
/// assert_eq!(next_link(&mesh, NodeId(5), NodeId(5)), None);
/// # Ok::<(), meshwright::Error>(())
/// ```
#[inline]
pub fn next_link(grid: &Grid, at: NodeId, to: NodeId) -> Option<LinkId> {
    if at == to {
        return None;
    }
    (0..grid.dimensions()).rev().find_map(|axis| {
        let (steps, up) = grid.offset(at, to, axis);
        (steps > 0).then(|| grid.link(at, grid.port(axis, up)))
    })
}

/// Calls `visit` with each link from `from` to `to`.
///
/// # Complexity
///
/// O(dimensions + hops).
#[inline]
pub fn for_each_link(grid: &Grid, from: NodeId, to: NodeId, mut visit: impl FnMut(LinkId)) {
    let mut at = from;
    for axis in (0..grid.dimensions()).rev() {
        let (steps, up) = grid.offset(at, to, axis);
        let port = grid.port(axis, up);
        for _ in 0..steps {
            visit(grid.link(at, port));
            at = grid.step(at, axis, up).expect("an offset stays inside the box");
        }
    }
}
