//! Shortest-path routing: around dead nodes and links and on general graphs.
//!
//! At each node a message takes the first port, in port order, that brings it nearer to its target. On a
//! box this is the dimension-order route wherever that meets nothing dead, because ports are numbered from the
//! last axis on; a test compares the two.

use super::next_hops::{NextHops, check_connected};
use super::relation::{Choices, PortChoice, Relation};
use super::{Pair, Routes, Routing, dimension_order};
use crate::topology::{Machine, Network, Topology, search};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId, Port};

/// A table of the first ports that lead nearer; on most networks with rings it can deadlock.
pub const SHORTEST_PATH: Routing = Routing {
    name: "shortest-path",
    aliases: &[],
    summary: "the first port that leads nearer, around what is dead; it can deadlock",
    relation: |machine| Ok(Relation::ShortestPath(table(machine)?)),
};

/// The first port that leads nearer, for every node and target.
fn table(machine: &Machine) -> Result<NextHops> {
    check_connected("shortest-path", machine)?;
    let mut hops = NextHops::new(machine, 1)?;
    let mut search = PathSearch::new(machine);
    for target in machine.living() {
        search.aim(target);
        for at in machine.living().filter(|&at| at != target) {
            hops.set(0, at, target, search.nearer(at).0);
        }
    }
    Ok(hops)
}

/// The choice of the relation.
#[inline]
pub(super) fn choose(hops: &NextHops, at: NodeId, target: NodeId, choices: &mut Choices) {
    if at != target {
        choices.push(PortChoice { port: hops.get(0, at, target), class: 0 });
    }
}

/// Stored links beyond this are refused: 2 GiB.
const STORED_LINKS_MAX: usize = 1 << 29;

/// The shortest routes of these pairs.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a pair is not connected, [`Error::TooLarge`] when the routes take more than
/// 2 GiB.
///
/// # Complexity
///
/// O(hops) for a pair whose dimension-order route meets nothing dead, else O(nodes + links) for each
/// different target.
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::shortest_path;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Hops, NodeId};
/// let mesh = Machine::new("mesh:3x3")?.with_dead(vec![NodeId(4)])?;
/// let pairs = [(NodeId(3), NodeId(5))];
/// assert_eq!(shortest_path::routes(&mesh, &pairs)?.hops(0, pairs[0]), Hops(4), "around the hole");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn routes<'m>(machine: &'m Machine, pairs: &[Pair]) -> Result<Routes<'m>> {
    let mut by_target: Vec<u32> = (0..pairs.len() as u32).collect();
    by_target.sort_by_key(|&message| pairs[message as usize].1);
    let mut search = PathSearch::new(machine);
    let mut found: Vec<(u32, u32)> = vec![(0, 0); pairs.len()];
    let mut links = Vec::new();
    for message in by_target {
        let (from, to) = pairs[message as usize];
        let start = links.len();
        if !search.route(from, to, &mut links) {
            return Err(Error::not_applicable(
                "routing",
                format!("there is no path from node {from} to node {to}"),
            ));
        }
        check_stored(links.len())?;
        found[message as usize] = (start as u32, links.len() as u32);
    }
    let mut first = vec![0];
    let mut in_order = Vec::with_capacity(links.len());
    for (start, end) in found {
        in_order.extend_from_slice(&links[start as usize..end as usize]);
        first.push(in_order.len() as u32);
    }
    Ok(Routes::Stored { first, links: in_order })
}

/// Refuses more stored links than fit.
///
/// # Errors
///
/// [`Error::TooLarge`] above 2 GiB.
pub(super) fn check_stored(links: usize) -> Result<()> {
    if links <= STORED_LINKS_MAX {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: "storing the routes",
        needed: format!("more than {STORED_LINKS_MAX} links"),
        limit: format!("{STORED_LINKS_MAX} links (2 GiB)"),
    })
}

/// Shortest paths, with the distances to one target at a time.
#[derive(Debug)]
pub struct PathSearch<'m> {
    machine: &'m Machine,
    target: Option<NodeId>,
    distance: Vec<u32>,
}

impl<'m> PathSearch<'m> {
    /// No target yet.
    pub fn new(machine: &'m Machine) -> Self {
        Self { machine, target: None, distance: Vec::new() }
    }

    /// Appends the route, or returns false if there is none.
    pub fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        if !self.machine.is_alive(from) || !self.machine.is_alive(to) {
            return false;
        }
        self.straight(from, to, links) || self.searched(from, to, links)
    }

    /// The route by the definition: at each node the first port that leads nearer.
    fn searched(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        self.aim(to);
        if self.distance[from.index()] == u32::MAX {
            return false;
        }
        let mut at = from;
        while at != to {
            let (port, next) = self.nearer(at);
            links.push(self.machine.link(at, port));
            at = next;
        }
        true
    }

    /// Measures the distances to a target, if that is not done yet.
    fn aim(&mut self, target: NodeId) {
        if self.target != Some(target) {
            // Links come in pairs, so distances to the target are distances from it.
            search(self.machine, target, &mut self.distance);
            self.target = Some(target);
        }
    }

    /// The first port that leads nearer to the target, and where it leads.
    fn nearer(&self, at: NodeId) -> (Port, NodeId) {
        let nearer = self.distance[at.index()] - 1;
        (0..self.machine.ports(at))
            .find_map(|port| {
                let next = self.machine.neighbour(at, Port(port))?;
                (self.distance[next.index()] == nearer).then_some((Port(port), next))
            })
            .expect("a node at distance d has a neighbour at distance d - 1")
    }

    /// The dimension-order route, if it meets nothing dead: then it is the shortest one by port order.
    fn straight(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        let Network::Grid(grid) = self.machine.network() else { return false };
        let start = links.len();
        let mut alive = true;
        dimension_order::for_each_link(grid, from, to, |link| {
            alive &= self.machine.target(link).is_some();
            links.push(link);
        });
        if !alive {
            links.truncate(start);
        }
        alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortcut and the definition, for every pair that has both, on whole boxes and around holes.
    #[test]
    fn the_straight_route_is_the_searched_one() {
        for (name, dead) in [
            ("mesh:4x5", vec![]),
            ("torus:4x5", vec![]),
            ("torus:6x2x4", vec![]),
            ("mesh:2x3x4", vec![]),
            ("hypercube:4", vec![]),
            ("mesh:4x5", vec![NodeId(6), NodeId(13)]),
            ("torus:4x6", vec![NodeId(0), NodeId(9)]),
        ] {
            let machine = Machine::new(name).unwrap().with_dead(dead).unwrap();
            let mut search = PathSearch::new(&machine);
            let living: Vec<NodeId> = machine.living().collect();
            let mut compared = 0;
            for (&to, &from) in living.iter().flat_map(|to| living.iter().map(move |from| (to, from))) {
                let (mut straight, mut searched) = (Vec::new(), Vec::new());
                if search.straight(from, to, &mut straight) {
                    assert!(search.searched(from, to, &mut searched), "{name}: {from} reaches {to}");
                    assert_eq!(straight, searched, "{name}: {from} to {to}");
                    compared += 1;
                }
            }
            assert!(2 * compared > living.len() * living.len(), "{name}: {compared} pairs");
        }
    }
}
