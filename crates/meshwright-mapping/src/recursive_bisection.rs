//! Dual recursive bisection: tasks that talk much to each other share a half of a half of the machine.
//!
//! Machine and tasks are cut in two together, level by level: the machine across its longest side (a general
//! network into nodes near one of its ends and the rest), the tasks into parts of matching size. What a cut makes
//! small is weight times distance, between the two halves and to all tasks outside: a task that talks to others on
//! a part of the machine is pulled to the half nearer to that part. Cut in any order, the first parts do not yet know to
//! which halves the others go; so each level is gone through again.
//!
//! | file | what |
//! |---|---|
//! | this one | the levels, and what is cut from what |
//! | `halves` | halves of the machine, and how far parts are from each other |
//! | `weighted`, `cut` | the halves of the tasks |
//! | `exchange` | tasks that change places in the end |
//! | `parts` | [`parts()`]: tasks alone, in parts of given sizes |

mod cut;
mod exchange;
mod halves;
mod parts;
mod weighted;

use std::ops::Range;

use cut::Cut;
use halves::{Apart, Halves};
pub use parts::parts;
use rand::{Rng, RngExt};
use weighted::Weighted;

use super::task_graph::Edge;
use super::{Method, TaskGraph, phases};
use meshwright_core::error::Result;
use meshwright_core::interrupt;
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_schedule::cost;

/// How often each level is gone through again when all its parts are cut.
const SWEEPS: usize = 2;
/// How many cuts are tried for each part, the best of them counts.
const TRIES: usize = 2;
/// More tasks than this are cut once, without going through a level again: the time then grows like n log n.
const THRIFTY_TASKS: usize = 1 << 13;
/// How many placements are made in a box, the one with the least predicted time counts.
const ATTEMPTS: u32 = 8;
/// Fewer placements are made when their tasks together would be more.
const TASKS_IN_ALL: u32 = 1 << 14;
/// All weights together are less than 2 to this power: times the longest way in half links, 2^25, they fit into 62 bits.
const WEIGHT_BITS: u32 = 36;

/// What is to be made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The messages between the halves; among equals, tasks that talk to those outside go to the first half.
    Cut,
    /// Distance times the start-up and the bytes of each message.
    Traffic,
}

/// Tasks and nodes cut in two together, again and again.
///
/// Without a task graph the tasks stay in the order of their numbers.
///
/// # Source
///
/// `pellegrini1996`: dual recursive bipartitioning.
pub const RECURSIVE_BISECTION: Method = Method {
    name: "recursive-bisection",
    summary: "tasks and machine cut in two together, again and again",
    place: |request| {
        let mut rng = stream(request.seed, "recursive-bisection");
        let nodes: Vec<NodeId> = request.machine.living().collect();
        let tasks: Vec<u32> = (0..request.tasks).collect();
        let weights = Weights::new(request.graph, request.machine, Aim::Traffic);
        let mut attempt = || {
            let mut place = vec![NodeId(0); request.tasks as usize];
            weights.place(request.machine, &mut tasks.clone(), &mut nodes.clone(), &mut place, &mut rng);
            place
        };
        let attempts = (TASKS_IN_ALL / request.tasks.max(1)).clamp(1, ATTEMPTS);
        match request.graph {
            Some(graph) if attempts > 1 && request.machine.whole_grid().is_some() => {
                let mut best = (u64::MAX, Vec::new());
                for _ in 0..attempts {
                    let place = attempt();
                    let ticks = predicted(graph, request.machine, &place)?;
                    if ticks < best.0 {
                        best = (ticks, place);
                    }
                }
                Ok(best.1)
            }
            _ => Ok(attempt()),
        }
    },
};

/// The predicted ticks of a placement.
fn predicted(graph: &TaskGraph, machine: &Machine, nodes: &[NodeId]) -> Result<u64> {
    Ok(cost::forecast(&phases(graph, nodes, machine), machine)?.ticks)
}

/// Who talks how much to whom over all phases.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    graph: Option<Weighted>,
    aim: Aim,
}

impl Weights {
    /// The weights of a graph on this machine; without a graph tasks stay in the order of their numbers.
    pub(crate) fn new(graph: Option<&TaskGraph>, machine: &Machine, aim: Aim) -> Self {
        let graph = graph.map(|graph| {
            let weight = |edge: &Edge| {
                let startup = machine.costs().startup_ticks();
                let time = startup.saturating_add(machine.costs().transfer_ticks(edge.bytes));
                if aim == Aim::Cut { 1 } else { time.max(1) }
            };
            let all = || {
                let of_phase =
                    |index| graph.phase(index).iter().map(move |edge| (edge, graph.repeats(index)));
                (0..graph.phases()).flat_map(of_phase).filter(|(edge, _)| edge.source != edge.target)
            };
            let sum = all()
                .fold(0u128, |sum, (edge, times)| sum + (u128::from(weight(edge)) + 1) * u128::from(times));
            let surplus = (u128::BITS - sum.leading_zeros()).saturating_sub(WEIGHT_BITS);
            let scaled = |edge, times| (weight(edge) >> surplus.min(63)).max(1) * u64::from(times);
            let mut edges: Vec<_> =
                all().map(|(edge, times)| (edge.source, edge.target, scaled(edge, times))).collect();
            Weighted::new(vec![1; graph.tasks as usize], &mut edges)
        });
        Self { graph, aim }
    }

    /// Gives each of these tasks one of these nodes; both lists are reordered. Tasks must not be more than nodes.
    ///
    /// # Complexity
    ///
    /// O((n + m) log^3 n) for n nodes and m edges between tasks.
    pub(crate) fn place(
        &self,
        machine: &Machine,
        tasks: &mut [u32],
        nodes: &mut [NodeId],
        place: &mut [NodeId],
        rng: &mut impl Rng,
    ) {
        assert!(tasks.len() <= nodes.len(), "every task gets a node of its own");
        let mut parts = vec![SharedPart { tasks: 0..tasks.len(), nodes: 0..nodes.len() }];
        let mut levels = Levels {
            graph: self.graph.as_ref(),
            aim: self.aim,
            halves: Halves::new(machine),
            apart: Apart::new(machine),
            dimensions: machine.sides().len(),
            part_of: vec![ELSEWHERE; place.len()],
            number: vec![0; place.len()],
        };
        while parts.iter().any(|part| !part.is_done()) {
            if interrupt::has_come() {
                // The rest stays in the order of its numbers: soon done, and a placement.
                levels.graph = None;
            }
            parts = levels.halve(&parts, tasks, nodes, rng);
        }
        for part in parts {
            for (task, node) in tasks[part.tasks].iter().zip(&nodes[part.nodes]) {
                place[*task as usize] = *node;
            }
        }
        if let (Some(graph), Aim::Traffic, Network::Grid(grid)) = (levels.graph, self.aim, machine.network())
        {
            exchange::exchange(graph, grid, tasks, nodes, place);
        }
    }
}

/// A task that is placed elsewhere.
const ELSEWHERE: u32 = u32::MAX;

/// Tasks and the nodes they are to share, as ranges of the two lists.
#[derive(Clone, Debug)]
struct SharedPart {
    tasks: Range<usize>,
    nodes: Range<usize>,
}

impl SharedPart {
    fn is_done(&self) -> bool {
        self.tasks.len() <= 1 || self.nodes.len() == 1
    }
}

/// One level after the other.
///
/// Of k parts on a level, part i has number i until it is cut; then its halves have the numbers k + 2i and k + 2i + 1.
#[derive(Debug)]
struct Levels<'a> {
    graph: Option<&'a Weighted>,
    aim: Aim,
    halves: Halves<'a>,
    apart: Apart<'a>,
    dimensions: usize,
    part_of: Vec<u32>,
    /// The number of each task within its part, while that is cut.
    number: Vec<u32>,
}

impl Levels<'_> {
    /// Cuts all parts that are not done in two.
    fn halve(
        &mut self,
        parts: &[SharedPart],
        tasks: &mut [u32],
        nodes: &mut [NodeId],
        rng: &mut impl Rng,
    ) -> Vec<SharedPart> {
        self.apart.clear();
        for (index, part) in parts.iter().enumerate() {
            self.apart.push(&nodes[part.nodes.clone()]);
            tasks[part.tasks.clone()].iter().for_each(|task| self.part_of[*task as usize] = index as u32);
        }
        let mut halves = Vec::with_capacity(2 * parts.len());
        let (axis, sweeps, tries) = match self.aim {
            Aim::Cut => (0, 0, 1),
            Aim::Traffic if tasks.len() > THRIFTY_TASKS => (rng.random_range(0..self.dimensions), 0, 1),
            Aim::Traffic => (rng.random_range(0..self.dimensions), SWEEPS, TRIES),
        };
        for part in parts {
            let [first, second] = self.cut_nodes(part, nodes, axis);
            self.apart.push(&nodes[first.nodes.clone()]);
            self.apart.push(&nodes[second.nodes.clone()]);
            halves.extend([first, second]);
        }
        for sweep in 0..=sweeps {
            let Some(graph) = self.graph else { break };
            for index in (0..parts.len()).filter(|index| !parts[*index].is_done()) {
                let half = parts.len() + 2 * index;
                self.apart.between(half, half + 1, parts[index].nodes.len());
                let tasks = &tasks[parts[index].tasks.clone()];
                let cut = self.cut_of(graph, [index, half, half + 1], tasks, &halves[2 * index]);
                let known = tasks.iter().map(|task| self.part_of[*task as usize] == half as u32).collect();
                let side =
                    if sweep == 0 { cut.best(None, tries, rng) } else { cut.best(Some(known), 1, rng) };
                for (task, first) in tasks.iter().zip(side) {
                    self.part_of[*task as usize] = (half + usize::from(!first)) as u32;
                }
            }
        }
        for part in parts.iter().filter(|part| !part.is_done()) {
            // By the number of the half; without a graph nothing is cut, and the order stays.
            tasks[part.tasks.clone()].sort_by_key(|task| self.part_of[*task as usize]);
        }
        let mut next = Vec::with_capacity(halves.len());
        for (part, halves) in parts.iter().zip(halves.chunks_exact(2)) {
            if part.is_done() {
                next.push(part.clone());
            } else {
                next.extend(halves.iter().filter(|half| !half.tasks.is_empty()).cloned());
            }
        }
        next
    }

    /// The halves of a part; of one that is done, twice itself.
    fn cut_nodes(&mut self, part: &SharedPart, nodes: &mut [NodeId], axis: usize) -> [SharedPart; 2] {
        if part.is_done() {
            return [part.clone(), part.clone()];
        }
        let first_nodes = self.halves.cut(&mut nodes[part.nodes.clone()], axis);
        // Rounded, the share of the tasks fits into both halves, because all tasks fit into all nodes.
        let (tasks, nodes) = (part.tasks.len(), part.nodes.len());
        let first_tasks = (2 * tasks * first_nodes + nodes) / (2 * nodes);
        let (task, node) = (part.tasks.start + first_tasks, part.nodes.start + first_nodes);
        [
            SharedPart { tasks: part.tasks.start..task, nodes: part.nodes.start..node },
            SharedPart { tasks: task..part.tasks.end, nodes: node..part.nodes.end },
        ]
    }

    /// How to cut the tasks of a part; `own` are the numbers of the part and its halves.
    fn cut_of(&mut self, graph: &Weighted, own: [usize; 3], tasks: &[u32], first: &SharedPart) -> Cut {
        for (number, task) in tasks.iter().enumerate() {
            self.number[*task as usize] = number as u32;
        }
        let mut edges = Vec::new();
        let mut pull = vec![0i64; tasks.len()];
        for (number, task) in tasks.iter().enumerate() {
            for &(to, weight) in graph.neighbours(*task as usize) {
                let there = self.part_of[to as usize];
                if own.contains(&(there as usize)) {
                    if self.number[to as usize] < number as u32 {
                        edges.push((number as u32, self.number[to as usize], weight));
                    }
                } else if there != ELSEWHERE {
                    let farther = if self.aim == Aim::Cut { 1 } else { self.apart.farther(there as usize) };
                    pull[number] += farther * weight as i64;
                }
            }
        }
        let factor = match self.aim {
            Aim::Cut => 1 + 2 * pull.iter().sum::<i64>() as u64,
            Aim::Traffic => self.apart.apart(),
        };
        edges.iter_mut().for_each(|(_, _, weight)| *weight *= factor);
        let graph = Weighted::new(vec![1; tasks.len()], &mut edges);
        Cut { graph, pull, first_size: first.tasks.len() as u64 }
    }
}
