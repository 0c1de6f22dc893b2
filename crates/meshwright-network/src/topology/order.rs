//! Orders of the nodes of a box: row, column, snake and Hilbert.
//!
//! An order is a walk over all nodes of the box. Where its [`Order::unit_steps`] says so, consecutive
//! nodes are neighbours; a test walks every shape up to 24 x 24 and a set of 3-D ones.

use meshwright_core::error::Result;
use meshwright_core::find;
use meshwright_core::units::NodeId;

/// A named walk over the nodes of a box with given sides (last side fastest in the ids).
pub struct Order {
    /// Its name.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// All nodes in order.
    pub walk: fn(&[u32]) -> Vec<NodeId>,
    /// The node at one place of the walk, without walking there: O(axes), on Hilbert walks O(log nodes).
    pub at: fn(&[u32], u32) -> NodeId,
    /// Whether consecutive nodes are promised to be neighbours for these sides.
    pub unit_steps: fn(&[u32]) -> bool,
}

/// Every order the program knows.
pub const ORDERS: &[Order] = &[
    Order {
        name: "row",
        summary: "row after row, each from the west",
        walk: row,
        at: row_at,
        unit_steps: |sides| sides.iter().filter(|&&side| side > 1).count() <= 1,
    },
    Order {
        name: "column",
        summary: "column after column, each from the north",
        walk: column,
        at: column_at,
        unit_steps: |sides| sides.iter().filter(|&&side| side > 1).count() <= 1,
    },
    Order {
        name: "snake",
        summary: "row after row, every other one backwards",
        walk: snake,
        at: snake_at,
        unit_steps: |_| true,
    },
    Order {
        name: "hilbert",
        summary: "the Hilbert curve, generalised to every rectangle",
        walk: hilbert,
        at: hilbert_at,
        unit_steps: |sides| !has_diagonal(plane(sides)),
    },
];

/// The order with this name.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) listing the names.
pub fn order(name: &str) -> Result<&'static Order> {
    find("order", name, ORDERS, |order| order.name)
}

fn row(sides: &[u32]) -> Vec<NodeId> {
    (0..sides.iter().product()).map(NodeId).collect()
}

fn row_at(_: &[u32], index: u32) -> NodeId {
    NodeId(index)
}

fn column(sides: &[u32]) -> Vec<NodeId> {
    (0..sides.iter().product()).map(|index| column_at(sides, index)).collect()
}

fn column_at(sides: &[u32], mut index: u32) -> NodeId {
    let (mut id, mut stride) = (0, sides.iter().product::<u32>());
    for &side in sides {
        stride /= side;
        id += index % side * stride;
        index /= side;
    }
    NodeId(id)
}

fn snake(sides: &[u32]) -> Vec<NodeId> {
    (0..sides.iter().product()).map(|index| snake_at(sides, index)).collect()
}

fn snake_at(sides: &[u32], index: u32) -> NodeId {
    let (mut id, mut stride) = (0, sides.iter().product::<u32>());
    for &side in sides {
        stride /= side;
        let block = index / stride;
        // The block before this one ended where this one starts, so odd blocks run backwards.
        let c = block % side;
        let backwards = (block / side) % 2 == 1;
        id += if backwards { side - 1 - c } else { c } * stride;
    }
    NodeId(id)
}

/// The Hilbert walk: from the north-west corner to the other end of the longer side.
///
/// Squares of side 2^k follow the Hilbert curve from (0, 0) to (0, side - 1); other rectangles the
/// generalised walk; in three dimensions and more, planes of the last two axes follow each other in
/// snake order, every other one backwards.
///
/// # Source
///
/// `hilbert1891`; `cerveny2018` for the rectangles.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::order::order;
/// let walk = (order("hilbert")?.walk)(&[2, 2]);
/// assert_eq!(walk.iter().map(|node| node.0).collect::<Vec<_>>(), [0, 2, 3, 1]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
fn hilbert(sides: &[u32]) -> Vec<NodeId> {
    let (rows, columns) = plane(sides);
    let mut walk = Vec::with_capacity((rows * columns) as usize);
    if rows == columns && rows.is_power_of_two() {
        let order = rows.trailing_zeros() as u8;
        for index in 0..u64::from(rows) * u64::from(columns) {
            let (x, y): (u32, u32) = fast_hilbert::h2xy(index, order);
            walk.push(NodeId(y * columns + x));
        }
    } else {
        let (major, minor) = spanning(rows, columns);
        let mut push = |row: i64, column: i64| walk.push(NodeId((row * i64::from(columns) + column) as u32));
        generalised(&mut push, GridStep { row: 0, column: 0 }, major, minor);
    }
    let planes = sides.iter().product::<u32>() / (rows * columns);
    let mut all = Vec::with_capacity(walk.len() * planes as usize);
    for (index, base) in snake(&sides[..sides.len().saturating_sub(2)]).into_iter().enumerate() {
        let base = base.0 * rows * columns;
        let place = |node: &NodeId| NodeId(base + node.0);
        if index % 2 == 0 {
            all.extend(walk.iter().map(place));
        } else {
            all.extend(walk.iter().rev().map(place));
        }
    }
    all
}

/// One node of the Hilbert walk: down the rectangles the walk is made of.
fn hilbert_at(sides: &[u32], index: u32) -> NodeId {
    let (rows, columns) = plane(sides);
    let nodes = rows * columns;
    let (plane, index) = (index / nodes, index % nodes);
    let index = if plane.is_multiple_of(2) { index } else { nodes - 1 - index };
    let base = snake_at(&sides[..sides.len().saturating_sub(2)], plane).0 * nodes;
    if rows == columns && rows.is_power_of_two() {
        let (x, y): (u32, u32) = fast_hilbert::h2xy(u64::from(index), rows.trailing_zeros() as u8);
        return NodeId(base + y * columns + x);
    }
    let (major, minor) = spanning(rows, columns);
    let at = generalised_at(i64::from(index), GridStep { row: 0, column: 0 }, major, minor);
    NodeId(base + (at.row * i64::from(columns) + at.column) as u32)
}

/// The sides of a rectangle, the longer one first.
fn spanning(rows: u32, columns: u32) -> (Side, Side) {
    let (east, south) = (GridStep { row: 0, column: 1 }, GridStep { row: 1, column: 0 });
    if columns >= rows {
        ((columns, east).into(), (rows, south).into())
    } else {
        ((rows, south).into(), (columns, east).into())
    }
}

/// Rows and columns of the plane of the last two axes.
fn plane(sides: &[u32]) -> (u32, u32) {
    match sides {
        [] => (1, 1),
        [side] => (1, *side),
        [.., rows, columns] => (*rows, *columns),
    }
}

/// Whether the generalised walk has its one diagonal step: an odd longer side beside an even shorter
/// one. Colour the plane like a chessboard: its two ends then have the same colour although the number
/// of nodes is even, so no walk of unit steps joins them.
fn has_diagonal((rows, columns): (u32, u32)) -> bool {
    let (short, long) = (rows.min(columns), rows.max(columns));
    long % 2 == 1 && short.is_multiple_of(2)
}

/// A displacement on the plane.
#[derive(Clone, Copy)]
struct GridStep {
    row: i64,
    column: i64,
}

impl GridStep {
    fn times(self, n: i64) -> Self {
        Self { row: self.row * n, column: self.column * n }
    }
    fn plus(self, other: Self) -> Self {
        Self { row: self.row + other.row, column: self.column + other.column }
    }
}

/// One side of a rectangle: how long, and which way.
#[derive(Clone, Copy)]
struct Side {
    length: i64,
    unit: GridStep,
}

impl From<(u32, GridStep)> for Side {
    fn from((length, unit): (u32, GridStep)) -> Self {
        Self { length: i64::from(length), unit }
    }
}

impl Side {
    /// The first part, of half the length; an even one where that leaves the walk unit steps.
    fn half(self) -> Self {
        let half = self.length / 2;
        let half = if half % 2 == 1 && self.length > 2 { half + 1 } else { half };
        Self { length: half, unit: self.unit }
    }
    fn rest(self) -> Self {
        Self { length: self.length - self.half().length, unit: self.unit }
    }
    fn reversed(self) -> Self {
        Self { length: self.length, unit: self.unit.times(-1) }
    }
    fn span(self) -> GridStep {
        self.unit.times(self.length)
    }
    fn last(self) -> GridStep {
        self.unit.times(self.length - 1)
    }
}

/// Where [`generalised`] is at this index: O(log nodes).
fn generalised_at(mut index: i64, mut corner: GridStep, mut major: Side, mut minor: Side) -> GridStep {
    loop {
        if minor.length == 1 || major.length == 1 {
            let line = if minor.length == 1 { major } else { minor };
            return corner.plus(line.unit.times(index));
        }
        if 2 * major.length > 3 * minor.length {
            let first = major.half().length * minor.length;
            if index < first {
                major = major.half();
            } else {
                (index, corner, major) = (index - first, corner.plus(major.half().span()), major.rest());
            }
            continue;
        }
        let (up, half) = (minor.half(), Side { length: major.length / 2, ..major });
        let (first, second) = (up.length * half.length, major.length * minor.rest().length);
        if index < first {
            (major, minor) = (up, half);
        } else if index < first + second {
            (index, corner, minor) = (index - first, corner.plus(up.span()), minor.rest());
        } else {
            let far = Side { length: major.length - half.length, ..major };
            (index, corner) = (index - first - second, corner.plus(major.last()).plus(up.last()));
            (major, minor) = (up.reversed(), far.reversed());
        }
    }
}

/// Walks the rectangle that `major` and `minor` span at `corner`, from there to the end of `major`.
fn generalised(push: &mut dyn FnMut(i64, i64), corner: GridStep, major: Side, minor: Side) {
    if minor.length == 1 || major.length == 1 {
        let line = if minor.length == 1 { major } else { minor };
        for i in 0..line.length {
            let at = corner.plus(line.unit.times(i));
            push(at.row, at.column);
        }
    } else if 2 * major.length > 3 * minor.length {
        generalised(push, corner, major.half(), minor);
        generalised(push, corner.plus(major.half().span()), major.rest(), minor);
    } else {
        // Up the first half of the minor side, along the other half, and back down at the far end.
        let (up, half) = (minor.half(), Side { length: major.length / 2, ..major });
        let far = Side { length: major.length - half.length, ..major };
        generalised(push, corner, up, half);
        generalised(push, corner.plus(up.span()), major, minor.rest());
        generalised(push, corner.plus(major.last()).plus(up.last()), up.reversed(), far.reversed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Grid, Topology};
    use meshwright_core::units::Hops;

    fn check(sides: &[u32]) {
        let mesh = Grid::mesh(sides).unwrap();
        for order in ORDERS {
            let walk = (order.walk)(sides);
            let mut seen = walk.clone();
            seen.sort_unstable();
            assert_eq!(seen, row(sides), "{} visits every node of {sides:?} once", order.name);
            let places: Vec<NodeId> = (0..).take(walk.len()).map(|index| (order.at)(sides, index)).collect();
            assert_eq!(places, walk, "{} finds every place of {sides:?}", order.name);
            let jump = walk.windows(2).position(|pair| mesh.distance(pair[0], pair[1]) != Some(Hops(1)));
            if (order.unit_steps)(sides) {
                assert_eq!(jump, None, "{} promises unit steps on {sides:?}", order.name);
            }
        }
    }

    #[test]
    fn every_order_is_a_walk_over_the_box() {
        for rows in 1..=24 {
            for columns in 1..=24 {
                check(&[rows, columns]);
            }
        }
        for sides in [&[1][..], &[7], &[2, 2, 2], &[3, 4, 5], &[4, 4, 4], &[2, 3, 2, 3], &[5, 3, 4]] {
            check(sides);
        }
    }

    #[test]
    fn a_generalised_walk_has_at_most_one_diagonal_step() {
        for (rows, columns) in (1..=24).flat_map(|rows| (1..=24).map(move |columns| (rows, columns))) {
            let mesh = Grid::mesh(&[rows, columns]).unwrap();
            let walk = hilbert(&[rows, columns]);
            let long: Vec<_> =
                walk.windows(2).map(|p| mesh.distance(p[0], p[1]).unwrap().0).filter(|&d| d > 1).collect();
            assert!(long.is_empty() || long == [2], "{rows}x{columns}: steps {long:?}");
        }
    }

    #[test]
    fn the_generalised_walk_is_the_hilbert_curve_on_squares() {
        for side in [2u32, 4, 8, 16, 32, 64] {
            let mut walk = Vec::new();
            let (east, south) = (GridStep { row: 0, column: 1 }, GridStep { row: 1, column: 0 });
            let mut push = |row: i64, column: i64| walk.push((row as u32, column as u32));
            generalised(&mut push, GridStep { row: 0, column: 0 }, (side, east).into(), (side, south).into());
            let curve = hilbert(&[side, side]);
            let same = curve.iter().zip(&walk).all(|(node, &(row, column))| node.0 == row * side + column);
            let start_and_end_agree = walk[0] == (0, 0) && walk.last() == Some(&(0, side - 1));
            assert!(same && start_and_end_agree, "side {side}");
        }
    }
}
