//! Symmetries: renamings of nodes and of tasks that change no bound.
//!
//! A renaming of nodes takes every route to a route; one of tasks takes the messages of every phase to messages of the same
//! sizes. Candidates are tried and kept if they do: of a box its reflections, exchanges of equal sides and, on rings,
//! rotations. Dead nodes and the order of the axes on a route leave few of them.

use super::routes::RouteTable;
use crate::TaskGraph;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, Network, Switching, Topology};

/// So many renamings of nodes are tried.
const NODE_CANDIDATES_MAX: usize = 1 << 16;

/// Of a job with more symmetries none is used.
const TASK_SYMMETRIES_MAX: usize = 1024;

/// The steps of looking for them.
const TASK_STEPS_MAX: u64 = 2_000_000;

/// So many placements that are alike are looked at one by one.
const IMAGES_MAX: usize = 1 << 13;

/// The symmetries of a job on a machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Symmetries {
    /// Renamings of nodes, the identity first.
    pub(super) nodes: Vec<Vec<u16>>,
    /// Renamings of tasks, the identity first.
    pub(super) tasks: Vec<Vec<u16>>,
    /// Tasks with the same number can change places.
    pub(super) twins: Vec<u16>,
    /// Whether renamed nodes leave the simulated time as it is, too.
    keeps_time: bool,
}

impl Symmetries {
    pub(super) fn new(graph: &TaskGraph, machine: &Machine, routes: &RouteTable) -> Self {
        let twins = twins(graph);
        let has_twins = twins.iter().enumerate().any(|(task, &twin)| task != usize::from(twin));
        let identity: Vec<u16> = (0..graph.tasks as u16).collect();
        let tasks = if has_twins { vec![identity] } else { of_tasks(graph).unwrap_or(vec![identity]) };
        let classes = machine.switching() == Switching::Wormhole;
        let keeps_time = machine.whole_grid().is_some_and(|grid| !(classes && grid.wraps()));
        Self { nodes: of_nodes(machine, routes), tasks, twins, keeps_time }
    }

    /// The placements that are like this one for bounds and may take another time; `None` where there are too many.
    ///
    /// Which of two messages that ask at once is served first depends on their numbers, and where a ring has its date-line on
    /// the numbers of nodes.
    pub(super) fn images(&self, node_of: &[u16]) -> Option<Vec<Vec<u16>>> {
        let mut images = vec![node_of.to_vec()];
        // Changing places with each later twin, class by class, gives every order.
        for task in 0..node_of.len() {
            let twins: Vec<usize> =
                (task + 1..node_of.len()).filter(|&other| self.twins[other] == self.twins[task]).collect();
            let known = images.len();
            if known * (twins.len() + 1) > IMAGES_MAX {
                return None;
            }
            for twin in twins {
                images.extend_from_within(..known);
                let from = images.len() - known;
                images[from..].iter_mut().for_each(|image| image.swap(task, twin));
            }
        }
        let nodes = if self.keeps_time { &self.nodes[..1] } else { &self.nodes[..] };
        if images.len() * nodes.len() * self.tasks.len() > IMAGES_MAX {
            return None;
        }
        let renamed = images.iter().flat_map(|image| {
            self.tasks.iter().flat_map(move |tasks| {
                let image: Vec<u16> = tasks.iter().map(|&task| image[usize::from(task)]).collect();
                nodes.iter().map(move |nodes| image.iter().map(|&node| nodes[usize::from(node)]).collect())
            })
        });
        let mut all: Vec<Vec<u16>> = renamed.collect();
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}

/// The renamings of nodes under which routes stay routes.
fn of_nodes(machine: &Machine, routes: &RouteTable) -> Vec<Vec<u16>> {
    let identity: Vec<u16> = (0..machine.nodes() as u16).collect();
    let mut kept = vec![identity];
    let Network::Grid(grid) = machine.network() else { return kept };
    for candidate in candidates(grid) {
        if candidate != kept[0] && keeps_routes(machine, routes, &candidate) {
            kept.push(candidate);
        }
    }
    kept
}

/// Reflections, exchanges of equal sides and rotations of a box.
fn candidates(grid: &Grid) -> Vec<Vec<u16>> {
    let (sides, dimensions) = (grid.sides(), grid.dimensions());
    let nodes: u32 = sides.iter().product();
    let offsets = if grid.wraps() { nodes } else { 1 };
    let orders = orders(sides);
    if (orders.len() * offsets as usize) << dimensions > NODE_CANDIDATES_MAX {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for order in &orders {
        for flips in 0u32..1 << dimensions {
            for offset in 0..offsets {
                let by = grid.coordinates(NodeId(offset));
                let image = |node: u32| {
                    let from = grid.coordinates(NodeId(node));
                    let moved = |axis: usize| {
                        let at = from[order[axis]];
                        let at = if flips >> axis & 1 == 1 { sides[axis] - 1 - at } else { at };
                        (at + by[axis]) % sides[axis]
                    };
                    grid.node_at(&(0..dimensions).map(moved).collect::<Vec<_>>()).0 as u16
                };
                candidates.push((0..nodes).map(image).collect());
            }
        }
    }
    candidates
}

/// The orders of the axes in which each has a side as long as before.
fn orders(sides: &[u32]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for axis in 0..sides.len() {
        let longer = |order: &Vec<usize>| {
            let fits = |other: &usize| sides[*other] == sides[axis] && !order.contains(other);
            (0..sides.len()).filter(fits).map(|other| [&order[..], &[other]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// Whether every route, renamed, is the route between the renamed nodes: link by link.
fn keeps_routes(machine: &Machine, routes: &RouteTable, renamed: &[u16]) -> bool {
    let living: Vec<u16> = machine.living().map(|node| node.0 as u16).collect();
    if living.iter().any(|&node| !machine.is_alive(NodeId(renamed[usize::from(node)].into()))) {
        return false;
    }
    let mut link_of = vec![u32::MAX; machine.links() as usize];
    living.iter().all(|&from| {
        living.iter().all(|&to| {
            let route = routes.route(from, to);
            let other = routes.route(renamed[usize::from(from)], renamed[usize::from(to)]);
            route.len() == other.len()
                && route.iter().zip(other).all(|(&link, &other)| {
                    let known = &mut link_of[link as usize];
                    if *known == u32::MAX {
                        *known = other;
                    }
                    *known == other
                })
        })
    })
}

/// The phases and bytes of what one task sends another.
type Relation = Vec<(usize, u64)>;

/// Of two tasks what one sends the other in each phase, as a number: the same number, the same messages.
fn relations(graph: &TaskGraph) -> Vec<Vec<u32>> {
    let tasks = graph.tasks as usize;
    let mut all: Vec<(usize, usize, usize, u64)> = Vec::new();
    for index in 0..graph.phases() {
        let edges = graph.phase(index).iter();
        all.extend(edges.map(|edge| (edge.source as usize, edge.target as usize, index, edge.bytes.0)));
    }
    all.sort_unstable();
    let mut lists: Vec<(Relation, usize, usize)> = all
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .map(|same| (same.iter().map(|one| (one.2, one.3)).collect(), same[0].0, same[0].1))
        .collect();
    lists.sort_unstable();
    let mut relation = vec![vec![0; tasks]; tasks];
    for (number, same) in (1..).zip(lists.chunk_by(|a, b| a.0 == b.0)) {
        same.iter().for_each(|&(_, source, target)| relation[source][target] = number);
    }
    relation
}

/// For each task the first one with which it can change places.
fn twins(graph: &TaskGraph) -> Vec<u16> {
    let relation = relations(graph);
    let tasks = graph.tasks as usize;
    let alike = |a: usize, b: usize| {
        relation[a][a] == relation[b][b]
            && relation[a][b] == relation[b][a]
            && (0..tasks).filter(|&other| other != a && other != b).all(|other| {
                relation[a][other] == relation[b][other] && relation[other][a] == relation[other][b]
            })
    };
    let mut first: Vec<u16> = Vec::with_capacity(tasks);
    for task in 0..tasks {
        let twin = (0..task).find(|&other| usize::from(first[other]) == other && alike(other, task));
        first.push(twin.unwrap_or(task) as u16);
    }
    first
}

/// All renamings of tasks that keep every message; `None` where there are too many, or finding them takes long.
fn of_tasks(graph: &TaskGraph) -> Option<Vec<Vec<u16>>> {
    let relation = relations(graph);
    let tasks = graph.tasks as usize;
    // Each task after those it has to do with.
    let mut order: Vec<usize> = Vec::with_capacity(tasks);
    while order.len() < tasks {
        let known = |&task: &usize| {
            let knows = |&&other: &&usize| relation[task][other] + relation[other][task] > 0;
            (order.iter().filter(knows).count(), usize::MAX - task)
        };
        order.extend((0..tasks).filter(|task| !order.contains(task)).max_by_key(known));
    }
    let (mut found, mut steps) = (Vec::new(), 0);
    let mut image: Vec<usize> = Vec::with_capacity(tasks);
    let mut next = 0;
    loop {
        let task = order.get(image.len()).copied();
        let fits = |&other: &usize| {
            let task = task.expect("there is one more");
            relation[task][task] == relation[other][other]
                && !image.contains(&other)
                && order.iter().zip(&image).all(|(&before, &renamed)| {
                    relation[task][before] == relation[other][renamed]
                        && relation[before][task] == relation[renamed][other]
                })
        };
        let step = if task.is_some() { (next..tasks).find(fits) } else { None };
        steps += 1;
        if steps > TASK_STEPS_MAX || found.len() > TASK_SYMMETRIES_MAX {
            return None;
        }
        if let Some(other) = step {
            image.push(other);
            next = 0;
            continue;
        }
        if task.is_none() {
            let mut renamed = vec![0; tasks];
            order.iter().zip(&image).for_each(|(&task, &other)| renamed[task] = other as u16);
            found.push(renamed);
        }
        match image.pop() {
            Some(last) => next = last + 1,
            None => break,
        }
    }
    found.sort_unstable();
    Some(found)
}
