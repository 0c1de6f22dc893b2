//! Turn models: adaptive routing on a 2-D mesh that forbids just enough turns to break every ring of channels.
//!
//! Both are minimal here, use one class, and offer every minimal port that the model allows.
//!
//! Why no ring can close: a ring of channels on a mesh leads west somewhere and comes into west by a turn, which
//! west-first forbids. In its easternmost column a ring turns out of east and later into west, and of these two turns
//! odd-even forbids the first in even columns and the second in odd ones.

use super::Routing;
use super::relation::{Choices, PortChoice, Relation};
use crate::routing::dimension_order::{has_rings, whole};
use crate::topology::{Grid, Machine};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};

/// No turn into west: all steps west come first.
///
/// # Source
///
/// `glass1992`: west-first, the minimal form.
pub const WEST_FIRST: Routing = Routing {
    name: "west-first",
    aliases: &[],
    summary: "steps west first, then every way that leads nearer (2-D mesh)",
    relation: |machine| Ok(Relation::WestFirst(plane("west-first", machine)?)),
};

/// Turns between rows and columns depend on whether the column is odd or even, counted from 0.
///
/// In even columns no packet turns from east to north or south, in odd columns none turns from north or south to
/// west.
///
/// # Source
///
/// `chiu2000`: the two rules of the odd-even turn model and its minimal routing. Whether a packet stands in the column
/// of its source is read from the link it arrived over: in an even column, only such a packet did not come from the west
/// or may turn.
pub const ODD_EVEN: Routing = Routing {
    name: "odd-even",
    aliases: &[],
    summary: "no turn out of east in even columns, none into west in odd ones (2-D mesh)",
    relation: |machine| Ok(Relation::OddEven(plane("odd-even", machine)?)),
};

const EAST: Port = Port(0);
const WEST: Port = Port(1);
const SOUTH: Port = Port(2);
const NORTH: Port = Port(3);

/// The 2-D mesh all of which works.
pub(super) fn plane<'m>(method: &'static str, machine: &'m Machine) -> Result<&'m Grid> {
    let grid = whole(method, machine)?;
    if grid.dimensions() == 2 && !has_rings(grid) {
        Ok(grid)
    } else {
        Err(Error::not_applicable(method, "it needs a 2-D mesh"))
    }
}

/// Row and column.
#[inline]
fn place(grid: &Grid, node: NodeId) -> (u32, u32) {
    (grid.coordinate(node, 0), grid.coordinate(node, 1))
}

/// The one class there is.
#[inline]
fn only(port: Port) -> PortChoice {
    PortChoice { port, class: 0 }
}

/// The port along the column towards another row.
#[inline]
fn vertical(row: u32, target_row: u32) -> PortChoice {
    only(if target_row > row { SOUTH } else { NORTH })
}

/// The choices of west-first.
#[inline]
pub(super) fn west_first(grid: &Grid, at: NodeId, target: NodeId, choices: &mut Choices) {
    let ((row, column), (target_row, target_column)) = (place(grid, at), place(grid, target));
    if target_column < column {
        choices.push(only(WEST));
        return;
    }
    if target_column > column {
        choices.push(only(EAST));
    }
    if target_row != row {
        choices.push(vertical(row, target_row));
    }
}

/// The choices of odd-even.
#[inline]
pub(super) fn odd_even(
    grid: &Grid,
    at: NodeId,
    arrived: Option<LinkId>,
    target: NodeId,
    choices: &mut Choices,
) {
    let ((row, column), (target_row, target_column)) = (place(grid, at), place(grid, target));
    let odd = |column: u32| column % 2 == 1;
    let mut vertically = target_row != row;
    if target_column > column {
        // It may turn into an even column only to stay there, so the row must be right one column before.
        if target_row == row || odd(target_column) || target_column - column > 1 {
            choices.push(only(EAST));
        }
        // Each node has four ports, so the port of a link is its id modulo 4.
        let heading_east = arrived.is_some_and(|link| Port(link.0 % 4) == EAST);
        vertically &= odd(column) || !heading_east;
    } else if target_column < column {
        choices.push(only(WEST));
        // It must still turn into west, which no odd column allows.
        vertically &= !odd(column);
    }
    if vertically {
        choices.push(vertical(row, target_row));
    }
}
