//! What the networks of a fabric carry together: the rate of each link of the box, and costs that no message stays below.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};

use super::plane::Turn;
use super::{Fabric, Leg, Resource, slot};
use crate::topology::{Costs, Topology};

/// The rate of best costs in parts of a power of two is at least this whole number: off by at most a thousandth.
const FINE: f64 = 1024.0;

/// The finest part is 2^-16, and so many parts are the most: what costs accept.
const PARTS: std::ops::RangeInclusive<u32> = 0..=16;
const PARTS_MAX: f64 = 65_536.0;

impl Fabric {
    /// Costs that no message stays below on the network that it takes by itself: the least overhead, and the time of a byte if
    /// all networks carry it over their fastest links.
    ///
    /// Between two neighbours every network has at most one link of a direction, so that what the networks carry together
    /// over a cut of the box is at most what links of this rate carry.
    ///
    /// # Errors
    ///
    /// As for [`Costs::check`].
    ///
    /// # Complexity
    ///
    /// As for [`Fabric::link_rates`].
    pub fn best_costs(&self) -> Result<Costs> {
        let startup = self.processors().iter().map(|kind| kind.overhead).min().unwrap_or(Cycles(0));
        let mut rate: f64 = 0.0;
        for direction in 0..2 * self.grid().dimensions() {
            let of_plane = |plane: usize| {
                let along = self.along(plane).filter(|&(_, axis, up)| slot(axis, up) == direction);
                along.fold(0.0, |most: f64, (node, axis, up)| most.max(self.rate(plane, node, (axis, up))))
            };
            rate = rate.max(self.taken().map(of_plane).sum());
        }
        // Rounded towards more bytes per cycle. A machine of one node has no link, and beyond what costs can say bytes take no time.
        let fine = PARTS.map(|power| f64::from(1u32 << power)).find(|parts| rate * parts >= FINE);
        let parts = fine.unwrap_or(PARTS_MAX);
        let byte_time = match (rate * parts).ceil() {
            many if many > 0.0 && many <= PARTS_MAX => Ratio::new(parts as u64, many as u64)?,
            _ => Ratio::whole(0),
        };
        Ok(Costs { startup, byte_time, flit: Bytes(0) })
    }

    /// The bytes per cycle of each link of the box, by its id: of all networks whose messages cross it, together; 0 where none
    /// does. A network that no message takes by itself counts nowhere.
    ///
    /// # Complexity
    ///
    /// O(networks · links).
    ///
    /// # Examples
    ///
    /// Of two networks that run alike messages take the first:
    ///
    /// ```
    /// use meshwright_core::units::Ratio;
    /// use meshwright_network::Grid;
    /// use meshwright_network::fabric::{Fabric, Leg, Plane};
    /// let legs = || vec![Leg::shorter(0), Leg::shorter(1)];
    /// let plane = |name, rate| Plane::new(name, legs(), Ratio::whole(rate));
    /// let two = Fabric::new(Grid::torus(&[4, 4])?, vec![plane("A", 4), plane("B", 100)])?;
    /// assert!(two.link_rates().iter().all(|&rate| rate == 4.0));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn link_rates(&self) -> Vec<f64> {
        let mut rates = vec![0.0; self.grid().links() as usize];
        for plane in self.taken() {
            for (node, axis, up) in self.along(plane) {
                rates[self.link(node, axis, up).index()] += self.rate(plane, node, (axis, up));
            }
        }
        rates
    }

    fn rate(&self, plane: usize, node: NodeId, (axis, up): (usize, bool)) -> f64 {
        self.rates()[self.number(&Resource::Link { plane, node, axis, up }) as usize]
    }

    /// The links that messages of a network cross: the node they leave, the axis, and whether upwards.
    fn along(&self, plane: usize) -> impl Iterator<Item = (NodeId, usize, bool)> {
        let grid = self.grid();
        let ways = self.planes()[plane].legs.iter().flat_map(|leg| [(leg, true), (leg, false)]);
        ways.flat_map(move |(leg, up)| {
            // To a neighbour over one link: a one-way ring goes to the node behind over all others.
            let crosses =
                move |&node: &NodeId| leg.steps(grid, node, self.step(node, leg.axis, up)) == (1, up);
            let nodes = (0..grid.nodes()).map(NodeId).filter(crosses);
            nodes.map(move |node| (node, leg.axis, up))
        })
    }

    /// The networks that some message may take by itself: those than which none before is never longer.
    fn taken(&self) -> impl Iterator<Item = usize> {
        let wraps = self.grid().wraps();
        let never_longer = move |one: &Leg, other: &Leg| {
            let turns = [one.turn, other.turn];
            turns[0] == turns[1]
                || turns[0] == Turn::Shorter
                || (!wraps && turns == [Turn::Straight, Turn::Shorter])
        };
        let beats = move |before: usize, plane: usize| {
            let [before, own] = [before, plane].map(|plane| &self.planes()[plane].legs);
            own.iter().all(|leg| before.iter().any(|one| one.axis == leg.axis && never_longer(one, leg)))
        };
        (0..self.planes().len()).filter(move |&plane| !(0..plane).any(|before| beats(before, plane)))
    }
}
