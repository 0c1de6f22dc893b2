//! The way of a message as straight pieces: within one, the next link is an addition away.

use crate::routing::Routes;
use crate::topology::{Grid, Topology};
use crate::units::{LinkId, NodeId};

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
    /// The cursor of a message at `at` after `hop` links; the way must not be over.
    pub(super) fn new(routes: &Routes<'_>, message: u32, hop: u32, at: NodeId, to: NodeId) -> Self {
        match routes {
            Routes::DimensionOrder(grid) => Self::straight(grid, at, to),
            Routes::Stored { first, links } => {
                Self { link: links[(first[message as usize] + hop) as usize], step: 0, ahead: 1 }
            }
        }
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

    /// The next piece of the dimension-order route; going over the border of a torus begins a new one.
    fn straight(grid: &Grid, at: NodeId, to: NodeId) -> Self {
        for axis in (0..grid.dimensions()).rev() {
            let (steps, up) = grid.offset(at, to, axis);
            if steps > 0 {
                let (here, side) = (grid.coordinate(at, axis), grid.sides()[axis]);
                let ahead = steps.min(if up { side - here } else { here + 1 });
                let next = grid.step(at, axis, up).expect("an offset stays inside the box");
                let ports = grid.ports(at) as i32;
                let step = (next.0 as i32 - at.0 as i32) * ports;
                return Self { link: grid.link(at, grid.port(axis, up)), step, ahead };
            }
        }
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::routes;
    use crate::topology::Machine;

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
                let mut cursor = Cursor::default();
                let mut at = from;
                while at != to {
                    if !cursor.advance() {
                        cursor = Cursor::new(&routes, m as u32, found.len() as u32, at, to);
                    }
                    found.push(cursor.link);
                    at = machine.target(cursor.link).unwrap();
                }
                assert_eq!(found, expected, "{} from {from} to {to}", machine.name);
            }
        }
    }
}
