//! The curve of a message, which leans into the bend of dimension-order routing.

use super::path::Path;
use super::{Layout, Point};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Grid;

/// Adds the way from one node to another to a path.
pub(super) fn draw(layout: &Layout<'_>, from: NodeId, to: NodeId, path: &mut Path) {
    let (a, b) = (layout.centre(from), layout.centre(to));
    let Some(grid) = layout.grid() else {
        let middle = layout.middle().unwrap_or(a);
        // The longer the way, the nearer to the middle: neighbours stay at the rim.
        let share = 0.5 * a.distance(b) / (2.0 * a.distance(middle)).max(1.0);
        // And on the left hand, so that two opposite messages do not coincide.
        let beside = a.towards(b, 0.5).plus((b.y - a.y) * 0.1, (a.x - b.x) * 0.1);
        path.start(a).curve(beside.towards(middle, share), b);
        return;
    };
    let room = layout.pitch * 1.8;
    let around: Vec<usize> =
        (0..grid.dimensions()).filter(|&axis| goes_around(grid, from, to, axis)).collect();
    match around.as_slice() {
        [] if next_plane(layout, grid, from, to) => stubs(layout, grid, from, to, path),
        [] if layout.plane(from) != layout.plane(to) => path.start(a).curve(bulge(a, b, room), b),
        [] if a.x == b.x || a.y == b.y => path.start(a).curve(bulge(a, b, room), b),
        // Columns first, then rows, as the ports are numbered.
        [] => path.start(a).curve(a.towards(b, 0.5).towards(Point::new(b.x, a.y), 0.6), b),
        _ if layout.plane(from) != layout.plane(to) => stubs(layout, grid, from, to, path),
        _ => broken(layout, grid, from, to, path),
    };
}

/// Whether the shorter way along an axis passes the border.
fn goes_around(grid: &Grid, from: NodeId, to: NodeId, axis: usize) -> bool {
    let (steps, up) = grid.offset(from, to, axis);
    let (a, b) = (grid.coordinate(from, axis), grid.coordinate(to, axis));
    steps > 0 && up != (b > a)
}

/// Whether one link out of the plane is the whole way.
fn next_plane(layout: &Layout<'_>, grid: &Grid, from: NodeId, to: NodeId) -> bool {
    let hops: u32 = (0..grid.dimensions()).map(|axis| grid.offset(from, to, axis).0).sum();
    hops == 1 && layout.plane(from) != layout.plane(to)
}

/// A point beside the middle: below a way to the left, right of a way upwards, else opposite.
///
/// Two opposite messages then do not coincide, and those of a tree rooted in the last node keep clear of the
/// labels in the upper left corners. `room` keeps long ways from leaving the drawing.
fn bulge(a: Point, b: Point, room: f64) -> Point {
    let lean = (room / a.distance(b).max(1.0)).min(0.2);
    a.towards(b, 0.5).plus((a.y - b.y) * lean, (a.x - b.x) * lean)
}

/// A way to the next plane, or over a border: only its two ends are drawn, as links are.
fn stubs<'p>(layout: &Layout<'_>, grid: &Grid, from: NodeId, to: NodeId, path: &'p mut Path) -> &'p mut Path {
    for axis in 0..grid.dimensions() {
        let (steps, up) = grid.offset(from, to, axis);
        if steps > 0 {
            path.stroke(layout.centre(from), layout.beyond(from, axis, up));
            path.stroke(layout.beyond(to, axis, !up), layout.centre(to));
            break;
        }
    }
    path
}

/// A way inside one plane, broken where it leaves over one border and comes back over the other.
fn broken<'p>(
    layout: &Layout<'_>,
    grid: &Grid,
    from: NodeId,
    to: NodeId,
    path: &'p mut Path,
) -> &'p mut Path {
    let mut coordinates = grid.coordinates(from);
    let mut here = from;
    path.start(layout.centre(from));
    for axis in (0..grid.dimensions()).rev() {
        let (steps, up) = grid.offset(from, to, axis);
        let around = goes_around(grid, from, to, axis);
        coordinates[axis] = grid.coordinate(to, axis);
        let next = grid.node_at(&coordinates);
        if around {
            path.line(layout.beyond(here, axis, up)).start(layout.beyond(next, axis, !up));
        }
        if steps > 0 {
            path.line(layout.centre(next));
        }
        here = next;
    }
    path
}
