//! The layout of a machine in a drawing: the places of its nodes and the strokes of its links.

use super::{Point, Svg};
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// The largest machine that is drawn node by node.
const NODES_DRAWN_MAX: u32 = 4096;

/// The longest side that is drawn node by node: beyond it, tiles become lines.
const SIDE_DRAWN_MAX: u32 = 128;

/// With more planes than this, planes become dots.
const PLANES_DRAWN_MAX: u32 = 64;

/// The width a drawing aims at: two of them and a gap fill a wide page.
const WIDTH: f64 = 560.0;

/// Room for the axis at the upper and the left border.
const AXIS: f64 = 36.0;

/// Room at the other two borders.
const MARGIN: f64 = 10.0;

/// The heading above a plane.
const HEADING: f64 = 18.0;

/// How far a link lies beside the middle of its nodes, as a part of the pitch.
const LANE: f64 = 0.1;

/// How far the links of a hypercube lie from those of the next bit, and all of one node from each other at most.
const LANES_CUBE: f64 = 0.08;
const LANES_CUBE_ALL: f64 = 0.3;

/// With more bits than this, rows and columns of a hypercube have numbers.
const BITS_NAMED_MAX: u32 = 4;

/// A machine spread out on paper.
///
/// The last two dimensions of a grid are a plane, row 0 on top; further dimensions lay planes side by side.
/// A hypercube is one plane: the lower half of the bits of a node is its column, the upper half its row.
/// The nodes of a general graph stand on a circle.
pub struct Layout<'a> {
    pub machine: &'a Machine,
    /// From one node to the next.
    pub pitch: f64,
    pub width: f64,
    pub height: f64,
    shape: Shape,
}

enum Shape {
    Planes { rows: u32, columns: u32, abreast: u32, gap: f64, stub: f64, heading: f64 },
    Circle { middle: Point, radius: f64 },
}

/// Where a link leaves its node: towards a neighbour in the plane, beside the middle by a part of the pitch, or out of
/// the plane.
enum LinkWay {
    InPlane { x: f64, y: f64, around: bool, lane: f64 },
    OutOfPlane { x: f64, y: f64 },
}

impl<'a> Layout<'a> {
    /// The layout of a machine, or `None` when it is too large to be drawn node by node.
    pub fn of(machine: &'a Machine) -> Option<Self> {
        if machine.nodes() > NODES_DRAWN_MAX {
            return None;
        }
        match machine.network() {
            Network::Grid(grid) => Self::planes(machine, grid),
            Network::Graph(_) => Some(Self::circle(machine)),
        }
    }

    fn planes(machine: &'a Machine, grid: &Grid) -> Option<Self> {
        let (rows, columns) = match grid.sides() {
            sides if is_cube(sides) => (1 << (sides.len() / 2), 1 << sides.len().div_ceil(2)),
            [.., rows, columns] => (*rows, *columns),
            [columns] => (1, *columns),
            [] => (1, 1),
        };
        let planes = grid.nodes() / (rows * columns);
        if planes > PLANES_DRAWN_MAX || rows.max(columns) > SIDE_DRAWN_MAX {
            return None;
        }
        // About as wide as high, and no row of planes longer than the others.
        let square = (f64::from(planes * rows) / f64::from(columns)).sqrt().ceil() as u32;
        let stacked = planes.div_ceil(square.clamp(1, planes));
        let abreast = planes.div_ceil(stacked);
        let cells = f64::from(abreast * columns + abreast - 1);
        // Even, so that the middle of a tile is a whole number and path data stay short.
        let pitch = ((WIDTH - AXIS - MARGIN) / cells / 2.0).floor().clamp(4.0, 27.0) * 2.0;
        let stub = if grid.wraps() { (pitch * 0.5).ceil() } else { 0.0 };
        let heading = if planes > 1 { HEADING } else { 0.0 };
        let gap = (pitch * 0.9).max(16.0).round() + 2.0 * stub;
        let along = |count: u32, length: f64| f64::from(count) * length + f64::from(count - 1) * gap;
        let width = AXIS + MARGIN + 2.0 * stub + along(abreast, f64::from(columns) * pitch);
        let height = AXIS + MARGIN + 2.0 * stub + along(stacked, f64::from(rows) * pitch + heading);
        let shape = Shape::Planes { rows, columns, abreast, gap, stub, heading };
        Some(Self { machine, pitch, width, height, shape })
    }

    fn circle(machine: &'a Machine) -> Self {
        let nodes = f64::from(machine.nodes());
        let radius = (nodes * 48.0 / std::f64::consts::TAU).clamp(90.0, 225.0).round();
        let pitch = (radius * std::f64::consts::TAU / nodes * 0.85).clamp(3.0, 48.0);
        let room = radius + AXIS + pitch / 2.0;
        let middle = Point::new(room, room);
        Self {
            machine,
            pitch,
            width: 2.0 * room,
            height: 2.0 * room,
            shape: Shape::Circle { middle, radius },
        }
    }

    /// Whether the whole machine is one plane or one circle.
    pub fn is_flat(&self) -> bool {
        self.plane(NodeId(self.machine.nodes() - 1)) == 0
    }

    /// Whether this is a hypercube on one plane, where a link may pass over nodes.
    pub fn is_cube(&self) -> bool {
        is_cube(self.machine.sides())
    }

    /// The grid, unless the nodes stand on a circle.
    pub fn grid(&self) -> Option<&'a Grid> {
        match self.machine.network() {
            Network::Grid(grid) => Some(grid),
            Network::Graph(_) => None,
        }
    }

    /// The middle of the circle the nodes stand on, if they do.
    pub fn middle(&self) -> Option<Point> {
        match self.shape {
            Shape::Circle { middle, .. } => Some(middle),
            Shape::Planes { .. } => None,
        }
    }

    /// Which plane a node belongs to; all nodes of a circle share one.
    pub fn plane(&self, node: NodeId) -> u32 {
        match self.shape {
            Shape::Planes { rows, columns, .. } => node.0 / (rows * columns),
            Shape::Circle { .. } => 0,
        }
    }

    /// The middle of a node.
    pub fn centre(&self, node: NodeId) -> Point {
        match self.shape {
            Shape::Planes { rows, columns, .. } => {
                let (row, column) = (node.0 / columns % rows, node.0 % columns);
                let half = self.pitch / 2.0;
                self.corner(self.plane(node))
                    .plus(f64::from(column) * self.pitch + half, f64::from(row) * self.pitch + half)
            }
            Shape::Circle { middle, radius } => self.on_circle(node, middle, radius),
        }
    }

    fn on_circle(&self, node: NodeId, middle: Point, radius: f64) -> Point {
        // Node 0 on top, the others clockwise.
        let angle = f64::from(node.0) / f64::from(self.machine.nodes()) * std::f64::consts::TAU;
        middle.plus(radius * angle.sin(), -radius * angle.cos())
    }

    /// The upper left corner of a plane.
    fn corner(&self, plane: u32) -> Point {
        let Shape::Planes { rows, columns, abreast, gap, stub, heading } = self.shape else {
            return Point::new(0.0, 0.0);
        };
        let (across, down) = (f64::from(plane % abreast), f64::from(plane / abreast));
        let x = AXIS + stub + across * (f64::from(columns) * self.pitch + gap);
        let y = AXIS + stub + heading + down * (f64::from(rows) * self.pitch + gap + heading);
        Point::new(x, y)
    }

    /// The stroke of a link, beside the stroke of its twin in the other direction.
    pub fn link(&self, from: NodeId, port: Port, to: NodeId) -> (Point, Point) {
        let (a, pitch) = (self.centre(from), self.pitch);
        let Some(grid) = self.grid() else { return self.chord(from, to) };
        match self.way(grid, from, port) {
            LinkWay::InPlane { x, y, around, lane } => {
                let lane = pitch * lane;
                let end = if around { 0.62 } else { 0.76 };
                let at = |share: f64| a.plus(x * pitch * share - y * lane, y * pitch * share + x * lane);
                (at(0.24), at(end))
            }
            LinkWay::OutOfPlane { x, y } => {
                let at = |share: f64| a.plus(x * pitch * share, y * pitch * share);
                (at(0.32), at(0.58))
            }
        }
    }

    fn chord(&self, from: NodeId, to: NodeId) -> (Point, Point) {
        let (a, b) = (self.centre(from), self.centre(to));
        let length = a.distance(b).max(1.0);
        let (x, y) = ((b.x - a.x) / length, (b.y - a.y) / length);
        let (lane, trim) = (3.0, (self.pitch * 0.28).min(length / 3.0));
        (a.plus(x * trim - y * lane, y * trim + x * lane), b.plus(-x * trim - y * lane, -y * trim + x * lane))
    }

    fn way(&self, grid: &Grid, from: NodeId, port: Port) -> LinkWay {
        let (axis, up) = grid.direction(port);
        let sign = if up { 1.0 } else { -1.0 };
        let place = grid.coordinate(from, axis);
        let around = if up { place + 1 == grid.sides()[axis] } else { place == 0 };
        match grid.dimensions() - axis {
            bit if self.is_cube() => {
                // Each bit has a lane of its own; only the lowest one leads to the next tile.
                let across = grid.dimensions().div_ceil(2);
                let (x, y) = if bit <= across { (sign, 0.0) } else { (0.0, sign) };
                let above = (bit - 1) % across;
                let lane = LANE + f64::from(above as u32) * LANES_CUBE.min(LANES_CUBE_ALL / across as f64);
                LinkWay::InPlane { x, y, around: above > 0, lane }
            }
            1 => LinkWay::InPlane { x: sign, y: 0.0, around, lane: LANE },
            2 => LinkWay::InPlane { x: 0.0, y: sign, around, lane: LANE },
            _ => {
                let (x, y) = out_of_plane(grid, axis);
                LinkWay::OutOfPlane { x: sign * x, y: sign * y }
            }
        }
    }

    /// Where a path leaves the plane when it goes beyond the border along one axis.
    pub fn beyond(&self, node: NodeId, axis: usize, up: bool) -> Point {
        let Some(grid) = self.grid() else { return self.centre(node) };
        let Shape::Planes { rows, columns, stub, .. } = self.shape else { return self.centre(node) };
        let (a, corner) = (self.centre(node), self.corner(self.plane(node)));
        let end = |start: f64, cells: u32| {
            if up { start + f64::from(cells) * self.pitch + stub * 0.8 } else { start - stub * 0.8 }
        };
        match grid.dimensions() - axis {
            1 => Point::new(end(corner.x, columns), a.y),
            2 => Point::new(a.x, end(corner.y, rows)),
            _ => {
                let (x, y) = out_of_plane(grid, axis);
                let length = if up { self.pitch * 0.6 } else { -self.pitch * 0.6 };
                a.plus(x * length, y * length)
            }
        }
    }

    /// Draws rows, columns and planes, or the ids around a circle.
    pub fn draw_axes(&self, svg: &mut Svg) {
        match self.shape {
            Shape::Planes { rows, columns, .. } => self.draw_rulers(svg, rows, columns),
            Shape::Circle { middle, radius } if self.pitch >= 12.0 => {
                for node in (0..self.machine.nodes()).map(NodeId) {
                    let at = self.on_circle(node, middle, radius + self.pitch / 2.0 + 14.0).plus(0.0, 4.0);
                    svg.text(at, "axis mid", &node.to_string());
                }
            }
            Shape::Circle { .. } => {}
        }
    }

    fn draw_rulers(&self, svg: &mut Svg, rows: u32, columns: u32) {
        let Shape::Planes { abreast, stub, .. } = self.shape else { return };
        let room = if self.is_cube() { 30.0_f64 } else { 20.0 };
        let every = ((room / self.pitch).ceil() as u32).next_power_of_two() as usize;
        let name = |index: u32, count: u32| self.ruler_name(index, count);
        for plane in 0..self.machine.nodes() / (rows * columns) {
            let corner = self.corner(plane);
            let middle = |index: u32| (f64::from(index) + 0.5) * self.pitch;
            for column in (0..columns).step_by(every) {
                svg.text(corner.plus(middle(column), -stub - 5.0), "axis mid", &name(column, columns));
            }
            if plane % abreast == 0 && rows > 1 {
                for row in (0..rows).step_by(every) {
                    svg.text(corner.plus(-stub - 6.0, middle(row) + 4.0), "axis end", &name(row, rows));
                }
            }
            if let Some(heading) = self.heading(plane, rows * columns) {
                svg.text(corner.plus(-4.0, -stub - 19.0), "plane", &heading);
            }
        }
        if self.heading(0, rows * columns).is_none() {
            let grid_is_line = self.machine.sides().len() == 1;
            let corner = self.corner(0);
            let (across, down) = match (grid_is_line, self.is_cube()) {
                (true, _) => ("node →", ""),
                (_, true) => ("last bits →, first bits ↓", ""),
                _ => ("column →", if rows > 1 { "← row" } else { "" }),
            };
            svg.text(corner.plus(-4.0, -stub - 21.0), "axis", across);
            svg.upwards(Point::new(11.0, corner.y), down);
        }
    }

    /// What a row or column is called: its number, on a hypercube its bits, if they are few.
    fn ruler_name(&self, index: u32, count: u32) -> String {
        let bits = count.trailing_zeros();
        match self.is_cube() && bits <= BITS_NAMED_MAX {
            true => format!("{index:0width$b}", width = bits as usize),
            false => index.to_string(),
        }
    }

    /// The coordinates shared by all nodes of a plane, if there is more than one plane.
    fn heading(&self, plane: u32, tiles: u32) -> Option<String> {
        let grid = self.grid().filter(|grid| grid.dimensions() > 2 && grid.nodes() > tiles)?;
        let coordinates = grid.coordinates(NodeId(plane * tiles));
        match &coordinates[..grid.dimensions() - 2] {
            [outer] => Some(format!("plane {outer}")),
            outer => Some(outer.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        }
    }
}

/// Whether a box with these sides is a hypercube that is no plane already.
fn is_cube(sides: &[u32]) -> bool {
    sides.len() > 2 && sides.iter().all(|&side| side == 2)
}

/// The direction in which an axis leaves the paper, upwards: to the upper right, fanned out if there are many.
fn out_of_plane(grid: &Grid, axis: usize) -> (f64, f64) {
    let outer = grid.dimensions().saturating_sub(2).max(1);
    let angle = std::f64::consts::FRAC_PI_2 * (axis + 1) as f64 / (outer + 1) as f64;
    (angle.cos(), -angle.sin())
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use meshwright_core::units::{NodeId, Port};
    use meshwright_network::topology::{Machine, Topology};
    use std::collections::BTreeSet;

    /// 2^ceil(d / 2) columns and 2^floor(d / 2) rows; every link begins in its own tile, no two at the same place, and points
    /// to the tile of its other end.
    #[test]
    fn a_hypercube_is_one_plane() {
        for dimension in 3..=8u32 {
            let machine = Machine::new(&format!("hypercube:{dimension}")).unwrap();
            let layout = Layout::of(&machine).unwrap();
            assert!(layout.is_cube() && layout.is_flat());
            let place = |node| {
                let at = layout.centre(node);
                (at.x.round() as i64, at.y.round() as i64)
            };
            let places: BTreeSet<_> = (0..machine.nodes()).map(|node| place(NodeId(node))).collect();
            let columns: BTreeSet<_> = places.iter().map(|(x, _)| x).collect();
            assert_eq!((places.len(), columns.len()), (1 << dimension, 1 << dimension.div_ceil(2)));
            let mut strokes = BTreeSet::new();
            for from in (0..machine.nodes()).map(NodeId) {
                for port in (0..machine.ports(from)).map(Port) {
                    let Some(to) = machine.neighbour(from, port) else { continue };
                    let ((a, b), (x, y)) =
                        (layout.link(from, port, to), (layout.centre(from), layout.centre(to)));
                    let towards = (b.x - a.x) * (y.x - x.x) + (b.y - a.y) * (y.y - x.y);
                    assert!(towards > 0.0 && a.distance(x) < 0.5 * layout.pitch, "{from} to {to}");
                    assert!(strokes.insert(format!("{:.2} {:.2}", a.x, a.y)), "{from} to {to}");
                }
            }
        }
    }
}
