//! The way of a message as straight pieces: within one, the next link is an addition away.

use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::{Pair, Routes, Run, Runs};
use meshwright_network::topology::{Grid, Topology};

/// The link a message takes next and, on a box, how many follow it in a straight line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// The next link; of no meaning when the way is over.
    pub(super) link: LinkId,
    /// What is added to come to the link after it.
    step: i32,
    /// Links of this piece from here on, the next one included.
    ahead: u32,
}

impl Cursor {
    /// The cursor of a message at its source and the length of its way.
    /// Where links have date-line classes, the channels of the upper one are `above` their links.
    pub(super) fn first(routes: &Routes<'_>, above: u32, message: u32, (from, to): Pair) -> (Self, u32) {
        match routes {
            Routes::DimensionOrder(grid) => Self::straight(grid, above, from, to),
            Routes::Runs(runs) => {
                let hops = runs.of(message as usize).iter().map(|run| run.links).sum();
                (Self::in_runs(runs, message, 0), hops)
            }
            Routes::Stored { first, links } => {
                let [begin, end] = [0, 1].map(|more| first[message as usize + more] as usize);
                let link = links[begin..end].first().copied().unwrap_or_default();
                (Self { link, step: 0, ahead: 1 }, (end - begin) as u32)
            }
        }
    }

    /// The cursor of a message at a node after `hop` links; the way must not be over.
    pub(super) fn after(routes: &Routes<'_>, above: u32, message: u32, hop: u32, (at, to): Pair) -> Self {
        match routes {
            Routes::DimensionOrder(grid) => Self::straight(grid, above, at, to).0,
            Routes::Runs(runs) => Self::in_runs(runs, message, hop),
            Routes::Stored { first, links } => {
                Self { link: links[(first[message as usize] + hop) as usize], step: 0, ahead: 1 }
            }
        }
    }

    /// The cursor at the run that begins after `hop` links.
    fn in_runs(runs: &Runs<'_>, message: u32, hop: u32) -> Self {
        let mut before = 0;
        let begins = |run: &&Run| {
            before += run.links;
            before > hop
        };
        let Some(run) = runs.of(message as usize).iter().find(begins) else { return Self::default() };
        Self { link: run.first, step: runs.step(run.first), ahead: run.links }
    }

    /// Moves on within a piece; whether there was more of it.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        if self.ahead <= 1 {
            return false;
        }
        self.ahead -= 1;
        self.link.0 = self.link.0.wrapping_add_signed(self.step);
        true
    }

    /// The next piece of the dimension-order route, and the length of the whole; going over the border of a torus
    /// begins a new piece.
    fn straight(grid: &Grid, above: u32, at: NodeId, to: NodeId) -> (Self, u32) {
        let (mut piece, mut hops) = (Self::default(), 0);
        for axis in (0..grid.dimensions()).rev() {
            let (steps, up) = grid.offset(at, to, axis);
            if steps > 0 && hops == 0 {
                let (here, side) = (grid.coordinate(at, axis), grid.sides()[axis]);
                // Up to the date-line, the link over the border included: who has to cross it is in the upper class.
                let border = if up { side - here } else { here + 1 };
                let class = if steps >= border { above } else { 0 };
                let next = grid.step(at, axis, up).expect("an offset stays inside the box");
                let ports = grid.ports(at) as i32;
                let step = (next.0 as i32 - at.0 as i32) * ports;
                let link = LinkId(grid.link(at, grid.port(axis, up)).0 + class);
                piece = Self { link, step, ahead: steps.min(border) };
            }
            hops += steps;
        }
        (piece, hops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::routing::routes;
    use meshwright_network::topology::Machine;

    /// Piece by piece and link by link are the same way.
    #[test]
    fn pieces_add_up_to_the_route() {
        let dead = Machine::new("mesh:4x5").unwrap().with_dead(vec![NodeId(7)]).unwrap();
        let names = ["mesh:4x5", "torus:5", "torus:2x6", "torus:5x4x3", "hypercube:4"];
        for machine in names.map(|name| Machine::new(name).unwrap()).iter().chain([&dead]) {
            let living: Vec<NodeId> = machine.living().collect();
            let pairs: Vec<_> = living.iter().flat_map(|&a| living.iter().map(move |&b| (a, b))).collect();
            let routes = routes(machine, &pairs).unwrap();
            for (m, &(from, to)) in pairs.iter().enumerate() {
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                routes.for_each_link(m, (from, to), |link| expected.push(link));
                let (mut cursor, hops) = Cursor::first(&routes, 0, m as u32, (from, to));
                assert_eq!(hops as usize, expected.len());
                let mut at = from;
                while at != to {
                    if at != from && !cursor.advance() {
                        cursor = Cursor::after(&routes, 0, m as u32, found.len() as u32, (at, to));
                    }
                    found.push(cursor.link);
                    at = machine.target(cursor.link).unwrap();
                }
                assert_eq!(found, expected, "{} from {from} to {to}", machine.name());
            }
        }
    }
}
