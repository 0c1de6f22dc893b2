//! Which of equal hosts takes which part, and which place of it each vertex.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_mapping::recursive_bisection::{RECURSIVE_BISECTION, parts};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{Request, TaskGraph, place};
use meshwright_network::topology::Topology;

use super::{Job, Seating, measure};

/// How many processes each host runs.
pub(super) fn rooms(seating: &Seating) -> Vec<u32> {
    let mut rooms = vec![0; seating.hosts() as usize];
    (0..seating.places()).for_each(|place| rooms[seating.host(place) as usize] += seating.room(place));
    rooms
}

/// The place of each vertex, if group k has as many vertices as host k has processes.
///
/// Where all places are alike, who takes which is left to the placement of tasks on machines, if that is better.
pub(super) fn on_hosts(job: &Job<'_>, group: &[u32]) -> Vec<u32> {
    let seating = job.seating;
    let places = within_hosts(job, group);
    let is_alike = (1..seating.places()).all(|place| seating.room(place) == seating.room(0));
    let is_free = seating.hosts() == 1 || seating.hosts() == seating.places();
    if !(is_alike && is_free && (job.goes_on)()) {
        return places;
    }
    let Some(order) = on_machine(job, &places) else { return places };
    let other: Vec<u32> = places.iter().map(|&place| order[place as usize]).collect();
    let cost = |places: &[u32]| measure(job.topology, seating, places);
    if cost(&other) < cost(&places) { other } else { places }
}

/// The vertices of each host on its places, those that talk much to each other on one.
fn within_hosts(job: &Job<'_>, group: &[u32]) -> Vec<u32> {
    let seating = job.seating;
    let mut number = vec![0; group.len()];
    let mut members = vec![Vec::new(); seating.hosts() as usize];
    for (vertex, &host) in group.iter().enumerate() {
        let own: &mut Vec<u32> = &mut members[host as usize];
        number[vertex] = own.len() as u32;
        own.push(vertex as u32);
    }
    let mut places = vec![0; group.len()];
    let mut first = 0;
    for (host, own) in (0..).zip(&members) {
        let rooms: Vec<u32> = (first..seating.places())
            .take_while(|&place| seating.host(place) == host)
            .map(|place| seating.room(place))
            .collect();
        let edges = own.iter().flat_map(|&from| {
            let inside = job.topology.neighbours(from).iter();
            let inside = inside.filter(move |(to, _)| *to > from && group[*to as usize] == host);
            inside.map(move |&(to, weight)| (from, to, weight))
        });
        let edges = edges.map(|(from, to, weight)| (number[from as usize], number[to as usize], weight));
        let part =
            if rooms.len() == 1 { vec![0; own.len()] } else { parts(edges.collect(), &rooms, job.seed) };
        own.iter().zip(part).for_each(|(&vertex, part)| places[vertex as usize] = first + part);
        first += rooms.len() as u32;
    }
    places
}

/// For what stands at each place now, the place where it goes when it is placed as tasks are; nothing where that is not possible.
fn on_machine(job: &Job<'_>, places: &[u32]) -> Option<Vec<u32>> {
    let (machine, nodes) = job.seating.nodes.as_ref()?;
    let mut edges: Vec<(u32, u32, u64)> = job
        .topology
        .edges()
        .map(|(from, to, weight)| (places[from as usize], places[to as usize], weight))
        .filter(|(from, to, _)| from != to)
        .map(|(from, to, weight)| (from.min(to), from.max(to), weight))
        .collect();
    edges.sort_unstable();
    let task = |same: &[(u32, u32, u64)]| {
        let bytes = Bytes(same.iter().map(|(_, _, weight)| weight).sum());
        (0, Edge { source: same[0].0, target: same[0].1, bytes })
    };
    let edges = edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(task).collect();
    let tasks = TaskGraph::new("places", nodes.len() as u32, edges).ok()?;
    let mut place_of = vec![u32::MAX; machine.nodes() as usize];
    (0..).zip(nodes).for_each(|(place, node)| place_of[node.index()] = place);
    let unused = machine.living().filter(|node| place_of[node.index()] == u32::MAX);
    let dead: Vec<NodeId> = machine.dead().iter().copied().chain(unused).collect();
    let machine = machine.clone().with_dead(dead).ok()?;
    let placed = place(RECURSIVE_BISECTION.name, &Request::of(&tasks, &machine, job.seed)).ok()?;
    Some(placed.nodes.iter().map(|node| place_of[node.index()]).collect())
}
