//! Routes between any two nodes, without memory for each: by coordinates on a whole box, by next links on a small machine, and
//! round the holes of a large box as they are asked for.

use std::cell::RefCell;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::Routes;
use meshwright_network::routing::shortest_path::PathSearch;
use meshwright_network::topology::{Machine, Network, Topology, distances_from};

/// No tables of next links for more nodes than this: 256 MiB.
const TABLE_NODES_MAX: u32 = 1 << 13;

/// No link.
const NONE: u32 = u32::MAX;

/// The routes of [`meshwright_network::routing::routes`], for any pair at any time.
#[derive(Debug)]
pub(super) enum Ways<'m> {
    /// Dimension order on a box where everything works.
    Box(Routes<'m>),
    /// For each node and target the first link that leads nearer; where each link leads.
    Table { nodes: usize, next: Vec<u32>, target: Vec<u32> },
    /// Round the holes of a box too large for a table; room for the links of one route.
    Holes(Box<RefCell<(PathSearch<'m>, Vec<LinkId>)>>),
}

impl<'m> Ways<'m> {
    /// The routes of a machine.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for a network that is no box of more than 8192 nodes: there each route would take a search of the whole
    /// machine.
    pub(super) fn new(machine: &'m Machine) -> Result<Self> {
        if let Some(grid) = machine.whole_grid() {
            return Ok(Self::Box(Routes::DimensionOrder(grid)));
        }
        let nodes = machine.nodes();
        if nodes > TABLE_NODES_MAX {
            if matches!(machine.network(), Network::Grid(_)) {
                return Ok(Self::holes(machine));
            }
            return Err(Error::TooLarge {
                what: "the search on a network that is no box",
                needed: format!("a table of next links for {nodes} nodes"),
                limit: format!("{TABLE_NODES_MAX} nodes, 256 MiB"),
            });
        }
        Ok(Self::table(machine))
    }

    fn holes(machine: &'m Machine) -> Self {
        Self::Holes(Box::new(RefCell::new((PathSearch::new(machine), Vec::new()))))
    }

    fn table(machine: &Machine) -> Self {
        let nodes = machine.nodes() as usize;
        let mut next = vec![NONE; nodes * nodes];
        for target in machine.living() {
            let distance = distances_from(machine, target);
            for at in machine.living().filter(|at| !matches!(distance[at.index()], 0 | u32::MAX)) {
                let nearer =
                    machine.neighbours(at).find(|(_, to)| distance[to.index()] + 1 == distance[at.index()]);
                next[at.index() * nodes + target.index()] = nearer.expect("some neighbour is nearer").0.0;
            }
        }
        let target = (0..machine.links())
            .map(|link| machine.target(meshwright_core::units::LinkId(link)).map_or(NONE, |node| node.0))
            .collect();
        Self::Table { nodes, next, target }
    }

    /// Calls `visit` with each link of the route and returns how many there are.
    ///
    /// # Panics
    ///
    /// When there is no route.
    #[inline]
    pub(super) fn for_each_link(&self, from: u32, to: u32, mut visit: impl FnMut(usize)) -> u32 {
        match self {
            Self::Box(routes) => {
                let mut hops = 0;
                routes.for_each_link(0, (NodeId(from), NodeId(to)), |link| {
                    visit(link.index());
                    hops += 1;
                });
                hops
            }
            Self::Table { nodes, next, target } => {
                let (mut at, mut hops) = (from, 0);
                while at != to {
                    let link = next[at as usize * nodes + to as usize];
                    assert!(link != NONE, "messages stay within a part of the machine");
                    visit(link as usize);
                    at = target[link as usize];
                    hops += 1;
                }
                hops
            }
            Self::Holes(search) => {
                let (search, links) = &mut *search.borrow_mut();
                links.clear();
                let is_found = search.route(NodeId(from), NodeId(to), links);
                assert!(is_found, "messages stay within a part of the machine");
                links.iter().for_each(|link| visit(link.index()));
                links.len() as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::routing;

    #[test]
    fn ways_are_the_routes_of_the_machine() {
        let machines =
            ["mesh:4x5", "torus:4x5", "torus:3x4x2", "hypercube:4", "mesh:1x7", "torus:8", "torus:2x6"];
        let whole = machines.map(|name| Machine::new(name).unwrap());
        let mut all: Vec<Machine> = whole.to_vec();
        for machine in whole.iter().filter(|machine| machine.nodes() > 12 && machine.nodes() < 24) {
            all.push(machine.clone().with_dead(vec![NodeId(6), NodeId(3)]).unwrap());
        }
        for machine in all {
            let ways = Ways::new(&machine).unwrap();
            let holes = matches!(machine.network(), Network::Grid(_)).then(|| Ways::holes(&machine));
            for (from, to) in machine.living().flat_map(|from| machine.living().map(move |to| (from, to))) {
                let mut links = vec![];
                let hops = ways.for_each_link(from.0, to.0, |link| links.push(link as u32));
                let routes = routing::routes(&machine, &[(from, to)]).unwrap();
                let mut expected = vec![];
                routes.for_each_link(0, (from, to), |link| expected.push(link.0));
                assert_eq!((links, hops as usize), (expected.clone(), expected.len()), "{}", machine.name());
                if let Some(holes) = &holes {
                    let mut links = vec![];
                    holes.for_each_link(from.0, to.0, |link| links.push(link as u32));
                    assert_eq!(links, expected, "{}", machine.name());
                }
            }
        }
    }
}
