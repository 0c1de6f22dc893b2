//! Shortest-path routing: around dead nodes and links and on general graphs.
//!
//! At each node a message takes the first port, in port order, that brings it nearer to its target. On a
//! box this is the dimension-order route wherever that meets nothing dead, because ports are numbered from the
//! last axis on; a test compares the two.

use super::detour::Detours;
use super::next_hops::{NextHops, check_connected};
use super::relation::{Choices, PortChoice, Relation};
use super::runs::{Runs, end_row, push_links};
use super::straight::StraightWays;
use super::{Pair, Routes, Routing, dimension_order};
use crate::topology::{Grid, Machine, Network, Topology, search};
use meshwright_core::csr::Csr;
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

/// Where there are as many pairs as nodes or one in so many, the wires that lead nowhere are counted beforehand.
const STRAIGHT: u64 = 8;

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
/// On a box O(hops) for a pair whose dimension-order route meets nothing dead, and about that round holes that lie apart;
/// else O(nodes + links) for each different target.
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
    match machine.network() {
        Network::Grid(grid) => in_runs(machine, grid, pairs),
        Network::Graph(_) => one_by_one(machine, pairs),
    }
}

/// The routes on a box: as they come, and those that go round holes by target.
fn in_runs<'m>(machine: &'m Machine, grid: &'m Grid, pairs: &[Pair]) -> Result<Routes<'m>> {
    let mut search = PathSearch::new(machine);
    let straight = (pairs.len() as u64 * STRAIGHT >= u64::from(machine.nodes()))
        .then(|| StraightWays::new(machine, grid));
    let (mut runs, mut links, mut far) = (Csr::default(), Vec::new(), Vec::new());
    for (message, &(from, to)) in (0u32..).zip(pairs) {
        if !straight.as_ref().is_some_and(|straight| straight.push(from, to, &mut runs)) {
            links.clear();
            if !search.nearby(from, to, &mut links) {
                far.push(message);
            }
            push_links(grid, &links, &mut runs);
        }
        end_row(&mut runs)?;
    }
    far.sort_by_key(|&message| pairs[message as usize].1);
    let mut round = Csr::default();
    for &message in &far {
        let (from, to) = pairs[message as usize];
        links.clear();
        if !search.route(from, to, &mut links) {
            return Err(no_path(machine, from, to));
        }
        push_links(grid, &links, &mut round);
        end_row(&mut round)?;
    }
    check_stored(runs.entries().len() + round.entries().len())?;
    let mut places: Vec<(u32, u32)> = far.into_iter().zip(0..).collect();
    places.sort_unstable();
    runs.fill(&places, &round);
    Ok(Routes::Runs(Runs::new(grid, runs)))
}

fn no_path(machine: &Machine, from: NodeId, to: NodeId) -> Error {
    let [from, to] = [from, to].map(|node| machine.node_name(node));
    Error::not_applicable("routing", format!("there is no path from node {from} to node {to}"))
}

/// The routes on any network, target by target.
fn one_by_one<'m>(machine: &'m Machine, pairs: &[Pair]) -> Result<Routes<'m>> {
    let mut by_target: Vec<u32> = (0..pairs.len() as u32).collect();
    by_target.sort_by_key(|&message| pairs[message as usize].1);
    let mut search = PathSearch::new(machine);
    let mut found: Vec<(u32, u32)> = vec![(0, 0); pairs.len()];
    let mut links = Vec::new();
    for message in by_target {
        let (from, to) = pairs[message as usize];
        let start = links.len();
        if !search.route(from, to, &mut links) {
            return Err(no_path(machine, from, to));
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
    detours: Option<Detours<'m>>,
    /// How many nodes were entered on ways round holes to the last target.
    entered: (Option<NodeId>, usize),
    target: Option<NodeId>,
    distance: Vec<u32>,
}

impl<'m> PathSearch<'m> {
    /// No target yet.
    pub fn new(machine: &'m Machine) -> Self {
        let detours = Detours::new(machine);
        Self { machine, detours, entered: (None, 0), target: None, distance: Vec::new() }
    }

    /// Appends the route, or returns false if there is none. Routes to one target are best asked for one after the other.
    pub fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        if !self.machine.is_alive(from) || !self.machine.is_alive(to) {
            return false;
        }
        self.nearby(from, to, links) || self.around(from, to, links)
    }

    /// Appends the route if it always leads nearer on the whole box.
    pub fn nearby(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        if !self.machine.is_alive(from) || !self.machine.is_alive(to) {
            return false;
        }
        self.straight(from, to, links)
            || self.detours.as_mut().is_some_and(|detours| detours.always_nearer(from, to, links))
    }

    /// The route round holes, found near it; once that took as long as a search of the whole machine, from its table.
    pub fn around(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        let Some(detours) = &mut self.detours else { return self.searched(from, to, links) };
        if self.entered.0 != Some(to) {
            self.entered = (Some(to), 0);
        }
        if self.entered.1 >= self.machine.nodes() as usize {
            return self.searched(from, to, links);
        }
        let (is_found, entered) = detours.around(from, to, links);
        self.entered.1 += entered;
        is_found
    }

    /// The route by the definition: at each node the first port that leads nearer.
    pub fn searched(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
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
        let mut is_whole = true;
        dimension_order::for_each_piece(grid, from, to, |piece| {
            let (mut at, port) = (piece.from, grid.port(piece.axis, piece.up));
            for _ in 0..if is_whole { piece.links } else { 0 } {
                let Some(next) = self.machine.neighbour(at, port) else {
                    is_whole = false;
                    return;
                };
                links.push(grid.link(at, port));
                at = next;
            }
        });
        if !is_whole {
            links.truncate(start);
        }
        is_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The shortcuts and the definition, for every pair that has both, on whole boxes and around holes.
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
            let (mut compared, mut detoured) = (0, 0);
            for (&to, &from) in living.iter().flat_map(|to| living.iter().map(move |from| (to, from))) {
                let (mut straight, mut searched, mut near) = (Vec::new(), Vec::new(), Vec::new());
                assert!(search.searched(from, to, &mut searched), "{name}: {from} reaches {to}");
                if search.straight(from, to, &mut straight) {
                    assert_eq!(straight, searched, "{name}: {from} to {to}");
                    compared += 1;
                }
                let detours = search.detours.as_mut().expect("a box");
                if detours.around(from, to, &mut near).0 {
                    assert_eq!(near, searched, "{name}: {from} to {to} round the holes");
                    detoured += 1;
                }
            }
            assert!(2 * compared > living.len() * living.len(), "{name}: {compared} pairs");
            assert_eq!(detoured, living.len() * living.len(), "{name}: all are found without a search");
        }
    }

    /// Many holes and walls, wires among them: whatever is found near the straight way is what a search of the whole machine
    /// finds, who cannot be reached is not reached, and stored runs are the links.
    #[test]
    fn ways_round_holes_are_the_searched_ones() {
        let mut rng = meshwright_core::rng::stream(7, "holes");
        for (name, percent) in [
            ("mesh:9x11", 5),
            ("mesh:9x11", 30),
            ("torus:9x11", 20),
            ("torus:8x6", 35),
            ("mesh:4x5x6", 25),
            ("mesh:40", 3),
        ] {
            for _ in 0..4 {
                let whole = Machine::new(name).unwrap();
                let nodes = whole.nodes();
                let mut some =
                    |of: u32| (0..of * percent / 100).map(|_| rng.random_range(0..of)).collect::<Vec<u32>>();
                let dead = some(nodes).into_iter().map(NodeId).collect();
                let wires = some(whole.links()).into_iter().filter_map(|link| {
                    let link = LinkId(link);
                    Some((whole.source(link), whole.target(link)?))
                });
                let wires = wires.collect();
                let machine = whole.clone().with_dead(dead).unwrap().with_dead_links(wires).unwrap();
                let living: Vec<NodeId> = machine.living().collect();
                let (mut near, mut far) = (PathSearch::new(&machine), PathSearch::new(&machine));
                let mut pairs = Vec::new();
                for (&to, &from) in living.iter().flat_map(|to| living.iter().map(move |from| (to, from))) {
                    let (mut found, mut searched) = (Vec::new(), Vec::new());
                    let is_reached = far.searched(from, to, &mut searched);
                    if near.nearby(from, to, &mut found) {
                        assert_eq!((is_reached, &found), (true, &searched), "{name}: {from} to {to}");
                    }
                    found.clear();
                    let detours = near.detours.as_mut().expect("a box");
                    assert_eq!(detours.around(from, to, &mut found).0, is_reached, "{name}: {from} to {to}");
                    assert_eq!(found, searched, "{name}: {from} to {to}");
                    if is_reached && pairs.len() < 2000 {
                        pairs.push((from, to));
                    }
                }
                let routes = routes(&machine, &pairs).unwrap();
                for (message, &(from, to)) in pairs.iter().enumerate() {
                    let (mut stored, mut searched) = (Vec::new(), Vec::new());
                    routes.for_each_link(message, (from, to), |link| stored.push(link));
                    far.searched(from, to, &mut searched);
                    assert_eq!(stored, searched, "{name}: {from} to {to}");
                    assert_eq!(routes.hops(message, (from, to)).0 as usize, searched.len());
                    for (hop, &link) in (0..).zip(&searched) {
                        assert_eq!(routes.next(message, hop, machine.source(link), to), Some(link));
                    }
                }
            }
        }
    }
}
