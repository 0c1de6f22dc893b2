//! One network of a machine: its links and the order in which messages take the axes.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{NodeId, Ratio};

use crate::topology::{Grid, Topology};

/// Which way a network runs along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Coordinates grow, over the border where the ring closes.
    Up,
    /// Coordinates fall, over the border where the ring closes.
    Down,
    /// The shorter way; half-way round a ring, up.
    Shorter,
    /// Up or down inside the box, never over the border: an axis that is a line in a box whose other axes are rings, such
    /// as those of a job that fills a part of a larger torus. Links over the border stay unused.
    ///
    /// It adds no ring of links that wait for each other: along a line those upwards depend on those further up only,
    /// those downwards on those further down, and a packet that never crosses the border never changes its side of the
    /// date-line. Axes are taken in their order, as by every network.
    Straight,
}

/// A straight part of every route: one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The axis, 0 for rows.
    pub axis: usize,
    /// Which way along it.
    pub turn: Turn,
}

impl Leg {
    /// Along an axis, upwards only.
    pub fn up(axis: usize) -> Self {
        Self { axis, turn: Turn::Up }
    }

    /// Along an axis, downwards only.
    pub fn down(axis: usize) -> Self {
        Self { axis, turn: Turn::Down }
    }

    /// Along an axis, the shorter way.
    pub fn shorter(axis: usize) -> Self {
        Self { axis, turn: Turn::Shorter }
    }

    /// Along an axis, up or down inside the box.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::NodeId;
    /// use meshwright_network::Grid;
    /// use meshwright_network::fabric::Leg;
    /// let ring = Grid::torus(&[8])?;
    /// let steps = |leg: Leg| leg.steps(&ring, NodeId(0), NodeId(7));
    /// assert_eq!(steps(Leg::shorter(0)), (1, false), "over the border");
    /// assert_eq!(steps(Leg::straight(0)), (7, true));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn straight(axis: usize) -> Self {
        Self { axis, turn: Turn::Straight }
    }

    /// Whether its messages may cross the border of a box.
    pub fn wraps(&self, grid: &Grid) -> bool {
        grid.wraps() && self.turn != Turn::Straight
    }

    /// Whether messages run along an axis in a direction.
    pub fn runs(&self, axis: usize, up: bool) -> bool {
        let this_way = match self.turn {
            Turn::Up => up,
            Turn::Down => !up,
            Turn::Shorter | Turn::Straight => true,
        };
        self.axis == axis && this_way
    }

    /// How many links of its axis a message takes, and whether upwards.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    pub fn steps(&self, grid: &Grid, from: NodeId, to: NodeId) -> (u32, bool) {
        let side = grid.sides()[self.axis];
        let (a, b) = (grid.coordinate(from, self.axis), grid.coordinate(to, self.axis));
        match self.turn {
            Turn::Up => ((b + side - a) % side, true),
            Turn::Down => ((a + side - b) % side, false),
            Turn::Shorter => grid.offset(from, to, self.axis),
            Turn::Straight => (a.abs_diff(b), b >= a),
        }
    }
}

/// A network: its name, the legs of its routes in their order, bytes per cycle of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Its name, for people and files.
    pub name: String,
    /// The axes in the order in which messages take them.
    pub legs: Vec<Leg>,
    /// Bytes per cycle on each of its links.
    pub rate: Ratio,
}

impl Plane {
    /// A network of equal links.
    pub fn new(name: impl Into<String>, legs: Vec<Leg>, rate: Ratio) -> Self {
        Self { name: name.into(), legs, rate }
    }

    /// Refuses a network that cannot reach every node of a box.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when its rate is 0, or its route takes an axis twice, leaves one out, or is one-way along an axis
    /// that does not close to a ring.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        super::positive("rate of a link", self.rate)?;
        let mut seen = vec![false; grid.dimensions()];
        let every = format!("each axis from 0 to {} once", grid.dimensions() - 1);
        for leg in &self.legs {
            let known = seen.get_mut(leg.axis).filter(|seen| !**seen);
            let Some(seen) = known else {
                return Err(Error::value("a route", format!("along axis {} twice", leg.axis), every));
            };
            *seen = true;
            let one_way = matches!(leg.turn, Turn::Up | Turn::Down);
            if one_way && !grid.wraps() && grid.sides()[leg.axis] > 1 {
                let value = format!("one-way along axis {}", leg.axis);
                let expected = format!(
                    "\"{}\", both ways, or a torus: without wrap-around no node behind is reached",
                    leg.axis
                );
                return Err(Error::value("a route", value, expected));
            }
        }
        match seen.iter().zip(grid.sides()).position(|(seen, &side)| !seen && side > 1) {
            Some(axis) => Err(Error::value("a route", format!("without axis {axis}"), every)),
            None => Ok(()),
        }
    }
}

/// The node after a step along an axis, over the border too.
#[inline]
pub(super) fn step(grid: &Grid, node: NodeId, axis: usize, up: bool) -> NodeId {
    let (side, stride) = (grid.sides()[axis], grid.stride(axis));
    let at = grid.coordinate(node, axis);
    let next = if up { (at + 1) % side } else { (at + side - 1) % side };
    NodeId(node.0 - at * stride + next * stride)
}
