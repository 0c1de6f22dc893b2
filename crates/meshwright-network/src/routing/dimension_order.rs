//! Dimension-order routing: one axis after the other, by default the last axis first.
//!
//! On a 2-D mesh this is XY routing (along the row, then along the column), on a hypercube e-cube
//! routing. It is minimal and, on meshes and hypercubes, free of deadlock; the wrap-around links of a
//! torus close cycles of channels, which [`super::deadlock`] finds.
//!
//! The relation for virtual channels cuts these cycles at the *date-line*, the wrap-around link: a packet uses
//! class 1 of a ring while it still has to cross that link, and class 0 after it or without it. Class 1 is a
//! line of channels that ends in the wrap-around link, class 0 a line that does not contain it, and packets
//! pass from class 1 to class 0 only.

use super::Routing;
use super::relation::{Choices, PortChoice, Relation};
use crate::topology::{Grid, Machine, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};

/// The last dimension first.
///
/// # Source
///
/// `dally1987`, section III (e-cube).
pub const DIMENSION_ORDER: Routing = Routing {
    name: "dimension-order",
    aliases: &["xy", "e-cube"],
    summary: "one axis after the other, the last first (XY, e-cube)",
    relation: |machine| {
        Ok(Relation::DimensionOrder(Axes::new(whole("dimension-order", machine)?, true, false)))
    },
};

/// The first dimension first.
pub const YX: Routing = Routing {
    name: "yx",
    aliases: &["reverse-dimension-order"],
    summary: "one axis after the other, the first first (YX)",
    relation: |machine| Ok(Relation::DimensionOrder(Axes::new(whole("yx", machine)?, true, true))),
};

/// The last dimension first on a single class: a torus then deadlocks, which is what it is for.
pub const ONE_CLASS: Routing = Routing {
    name: "dimension-order-one-class",
    aliases: &[],
    summary: "dimension order without date-line classes: it can deadlock on a torus",
    relation: |machine| {
        Ok(Relation::DimensionOrder(Axes::new(whole("dimension-order-one-class", machine)?, false, false)))
    },
};

/// The box whose nodes and links all work.
pub(super) fn whole<'m>(method: &'static str, machine: &'m Machine) -> Result<&'m Grid> {
    let refuse = || Error::not_applicable(method, "it needs a box without dead nodes or links");
    machine.whole_grid().ok_or_else(refuse)
}

/// Whether some axis of the box is a ring: a torus side of 2 is a single wire.
pub(super) fn has_rings(grid: &Grid) -> bool {
    grid.wraps() && grid.sides().iter().any(|&side| side > 2)
}

/// A box, the order in which its axes are travelled, and whether date-line classes are kept.
#[derive(Clone, Debug)]
pub struct Axes<'m> {
    pub(super) grid: &'m Grid,
    date_line: bool,
    first_first: bool,
    /// For boxes without rings whose coordinates are bit fields: per axis in the order of travel, the bits of the
    /// node id and the port that goes up.
    fields: Vec<(u32, Port)>,
}

impl<'m> Axes<'m> {
    /// Date-line classes are used if they are wanted and the box has rings.
    pub(super) fn new(grid: &'m Grid, date_line: bool, first_first: bool) -> Self {
        let mut axes: Vec<usize> = (0..grid.dimensions()).collect();
        if !first_first {
            axes.reverse();
        }
        let field = |&axis: &usize| Some((grid.bit_field(axis)?, grid.port(axis, true)));
        let fields = if has_rings(grid) { None } else { axes.iter().map(field).collect() };
        Self {
            grid,
            date_line: date_line && has_rings(grid),
            first_first,
            fields: fields.unwrap_or_default(),
        }
    }

    /// How many classes one way through the box needs.
    #[inline]
    pub(super) fn classes(&self) -> u32 {
        1 + u32::from(self.date_line)
    }

    /// The next port by comparing bit fields; nothing if the box has none or `at` is `to`.
    #[inline(always)]
    fn by_fields(&self, at: NodeId, to: NodeId) -> Option<Port> {
        let different = |&&(bits, _): &&(u32, Port)| (at.0 ^ to.0) & bits != 0;
        let &(bits, up) = self.fields.iter().find(different)?;
        // The way down is the port after the way up.
        Some(Port(up.0 + u32::from(to.0 & bits < at.0 & bits)))
    }

    /// The next port towards `to`, whatever the class; nothing at `to`.
    #[inline(always)]
    pub fn port(&self, at: NodeId, to: NodeId) -> Option<Port> {
        if !self.fields.is_empty() {
            return self.by_fields(at, to);
        }
        let mut choices = Choices::new();
        self.push(at, to, 0, &mut choices);
        choices.as_slice().first().map(|choice| choice.port)
    }

    /// Of a plane without rings whose coordinates are bit fields: the bits of each axis in the order of travel, and the
    /// port that goes up; the way down is the port after it.
    pub fn plane(&self) -> Option<[(u32, u32); 2]> {
        match self.fields[..] {
            [(first, up), (second, above)] if first != 0 && second != 0 => {
                Some([(first, up.0), (second, above.0)])
            }
            _ => None,
        }
    }

    /// Whether some axis is a ring, on which worms could wait for each other.
    pub fn has_rings(&self) -> bool {
        has_rings(self.grid)
    }

    /// The links of a way.
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.grid.distance(from, to).map_or(0, |hops| hops.0)
    }

    /// The next channel towards `to`, with classes counted from `base`; nothing at `to`.
    #[inline]
    pub(crate) fn push(&self, at: NodeId, to: NodeId, base: u8, choices: &mut Choices) {
        if at == to {
            return;
        }
        if let Some(port) = self.by_fields(at, to) {
            choices.push(PortChoice { port, class: base });
            return;
        }
        let dimensions = self.grid.dimensions();
        for index in 0..dimensions {
            let axis = if self.first_first { index } else { dimensions - 1 - index };
            if let Some((port, crosses)) = self.along(at, to, axis) {
                choices.push(PortChoice { port, class: base + u8::from(crosses) });
                return;
            }
        }
    }

    /// The port along one axis, and whether the way along it crosses the date-line; nothing if the axis is done.
    #[inline]
    fn along(&self, at: NodeId, to: NodeId, axis: usize) -> Option<(Port, bool)> {
        let (steps, up) = self.grid.offset(at, to, axis);
        // The way leads over the border if it leaves away from where the target lies.
        let straight_up = || self.grid.coordinate(to, axis) > self.grid.coordinate(at, axis);
        (steps > 0).then(|| (self.grid.port(axis, up), self.date_line && up != straight_up()))
    }
}

/// The next link from `at` towards `to`, or `None` when `at` is `to`.
///
/// # Complexity
///
/// O(dimensions).
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::dimension_order::next_link;
/// use meshwright_network::topology::{Grid, Topology};
/// use meshwright_core::units::NodeId;
/// let mesh = Grid::mesh(&[2, 3])?;
/// let link = next_link(&mesh, NodeId(0), NodeId(5)).expect("they differ");
/// assert_eq!(mesh.target(link), Some(NodeId(1)), "east before south");
/// assert_eq!(next_link(&mesh, NodeId(5), NodeId(5)), None);
/// # Ok::<(), meshwright_core::Error>(())
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

/// A straight piece of a way: links along one axis, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Straight {
    /// The axis.
    pub axis: usize,
    /// Whether it leads up.
    pub up: bool,
    /// The node it leaves.
    pub from: NodeId,
    /// Its links, one at least.
    pub links: u32,
}

/// Calls `visit` with each straight piece of the way from `from` to `to`, at most one for each axis.
///
/// # Complexity
///
/// O(dimensions).
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::dimension_order::{Straight, for_each_piece};
/// use meshwright_network::topology::Grid;
/// use meshwright_core::units::NodeId;
/// let mut pieces = Vec::new();
/// for_each_piece(&Grid::mesh(&[2, 3])?, NodeId(0), NodeId(5), |piece| pieces.push(piece));
/// let along = Straight { axis: 1, up: true, from: NodeId(0), links: 2 };
/// assert_eq!(pieces, [along, Straight { axis: 0, up: true, from: NodeId(2), links: 1 }]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[inline]
pub fn for_each_piece(grid: &Grid, from: NodeId, to: NodeId, mut visit: impl FnMut(Straight)) {
    let mut at = from;
    for axis in (0..grid.dimensions()).rev() {
        let (links, up) = grid.offset(at, to, axis);
        if links > 0 {
            visit(Straight { axis, up, from: at, links });
            let (here, there) = (grid.coordinate(at, axis), grid.coordinate(to, axis));
            at = NodeId(at.0 - here * grid.stride(axis) + there * grid.stride(axis));
        }
    }
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
        let (port, side, stride) = (grid.port(axis, up), grid.sides()[axis], grid.stride(axis));
        // Counted along: a coordinate read off a node takes two divisions.
        let mut here = if steps > 0 { grid.coordinate(at, axis) } else { 0 };
        for _ in 0..steps {
            visit(grid.link(at, port));
            (here, at.0) = match up {
                true if here + 1 < side => (here + 1, at.0 + stride),
                true => (0, at.0 - here * stride),
                false if here > 0 => (here - 1, at.0 - stride),
                false => (side - 1, at.0 + (side - 1) * stride),
            };
        }
    }
}
