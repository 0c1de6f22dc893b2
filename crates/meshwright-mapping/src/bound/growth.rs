//! Growth: what comes near a task must find room near its node.
//!
//! Let the messages of phase p go over at most D_p links. Then tasks that reach each other by messages of phases p, q, ... are
//! at most D_p + D_q + ... links apart, so that for every radius r
//!
//! ```text
//! #{tasks within r of task t, an edge of phase p counted D_p}  <=  #{nodes within r of the node of t}
//! ```
//!
//! Every task needs a node on which that holds, and where there are as many tasks as nodes every node needs such a task: the
//! corners, too. Only longer ways make room. Phase p takes at least the time of its lightest message over D_p links, and of its
//! heaviest over one. So the cheapest dilations that are not excluded bound the sum of all phases; under store-and-forward they
//! often are what the best placement has. Phases between the same pairs of tasks have one dilation: a class. Messages lighter
//! than half of the heaviest of their phase are left out.
//!
//! The search opens dilations in the order of their cost. When its work runs out, the next cost is proved all the same.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::TaskGraph;
use crate::task_graph::Edge;
use meshwright_network::topology::{Machine, Topology, distances_from};

/// More tasks are not looked at, nor more nodes.
const NODES_MAX: u32 = 256;

/// More classes are not looked at.
const CLASSES_MAX: usize = 8;

/// Edges and tasks looked at, in all.
const STEPS_MAX: u64 = 60_000_000;

/// A class of phases.
pub(super) struct Class {
    pairs: Vec<(u32, u32)>,
    /// Their indices.
    pub(super) phases: Vec<u32>,
    /// The lightest and the heaviest message of each, and how often it runs.
    loads: Vec<(u128, u128, u128)>,
}

/// The ticks of a message of this load alone over so many links.
pub(super) type Alone<'a> = &'a dyn Fn(u128, u128) -> u128;

/// The classes of a graph; those that send the most, if there are many. None for graphs and machines that are large.
pub(super) fn classes(graph: &TaskGraph, machine: &Machine, load: impl Fn(&Edge) -> u128) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    if machine.nodes() > NODES_MAX || graph.edges().len() as u64 > STEPS_MAX {
        return classes;
    }
    for index in 0..graph.phases() {
        let between = || graph.phase(index).iter().filter(|edge| edge.source != edge.target);
        let Some(most) = between().map(|edge| edge.bytes.0).max() else { continue };
        let heavy = || between().filter(|edge| edge.bytes.0 * 2 >= most);
        let mut pairs: Vec<(u32, u32)> =
            heavy().map(|edge| (edge.source.min(edge.target), edge.source.max(edge.target))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let least = heavy().map(&load).min().unwrap_or(0);
        let most = heavy().map(&load).max().unwrap_or(0);
        let at = classes.iter().position(|class| class.pairs == pairs).unwrap_or_else(|| {
            classes.push(Class { pairs, phases: Vec::new(), loads: Vec::new() });
            classes.len() - 1
        });
        classes[at].phases.push(index as u32);
        classes[at].loads.push((least, most, graph.repeats(index).into()));
    }
    let sent = |class: &Class| class.loads.iter().map(|(least, _, times)| least * times).sum::<u128>();
    classes.sort_by_key(|class| Reverse(sent(class)));
    classes.truncate(CLASSES_MAX);
    classes
}

/// The least ticks of the phases of these classes together, 0 where nothing is found out; `ends` is paid by every phase.
pub(super) fn least(classes: &[Class], tasks: u32, machine: &Machine, alone: Alone<'_>, ends: u128) -> u128 {
    let Some(room) = Room::new(classes, tasks, machine) else { return 0 };
    let cost = |class: &Class, dilation: u32| -> u128 {
        let one = |&(least, most, times): &(u128, u128, u128)| {
            times * (alone(least, dilation.into()).max(alone(most, 1)) + ends)
        };
        class.loads.iter().map(one).sum()
    };
    let all = |dilations: &[u32]| -> u128 {
        classes.iter().zip(dilations).map(|(class, &hops)| cost(class, hops)).sum()
    };
    let first = vec![1u32; classes.len()];
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = BinaryHeap::from([Reverse((all(&first), first))]);
    let mut steps = 0;
    while let Some(Reverse((ticks, dilations))) = open.pop() {
        steps += room.steps;
        if steps > STEPS_MAX || room.is_enough(&dilations) {
            return ticks;
        }
        for class in 0..classes.len() {
            let mut longer = dilations.clone();
            longer[class] += 1;
            if longer[class] <= room.diameter && seen.insert(longer.clone()) {
                open.push(Reverse((all(&longer), longer)));
            }
        }
    }
    0
}

/// The tasks around each task, and the nodes around each node.
struct Room {
    /// By task its partners with their classes.
    partners: Vec<Vec<(u32, u32)>>,
    /// Of different nodes how many others are within 0, 1, 2, ... links.
    balls: Vec<Vec<u32>>,
    diameter: u32,
    is_full: bool,
    /// What it takes to look at dilations once.
    steps: u64,
}

impl Room {
    /// None where some nodes do not reach each other.
    fn new(classes: &[Class], tasks: u32, machine: &Machine) -> Option<Self> {
        let mut partners = vec![Vec::new(); tasks as usize];
        for (class, Class { pairs, .. }) in (0..).zip(classes) {
            for &(a, b) in pairs {
                partners[a as usize].push((b, class));
                partners[b as usize].push((a, class));
            }
        }
        let mut balls = BTreeSet::new();
        let living = machine.living_count();
        let mut diameter = 0;
        for node in machine.living() {
            let mut rings = Vec::new();
            for hops in distances_from(machine, node).into_iter().filter(|&hops| hops != u32::MAX) {
                rings.resize(rings.len().max(hops as usize + 1), 0u32);
                rings[hops as usize] += 1;
            }
            (1..rings.len()).for_each(|hops| rings[hops] += rings[hops - 1]);
            if rings.last() != Some(&living) {
                return None;
            }
            diameter = diameter.max(rings.len() - 1);
            balls.insert(rings);
        }
        let padded = |mut ball: Vec<u32>| {
            ball.resize(diameter + 1, living);
            ball
        };
        let edges: usize = partners.iter().map(Vec::len).sum();
        let steps = edges as u64 * u64::from(tasks);
        let balls = balls.into_iter().map(padded).collect();
        Some(Self { partners, balls, diameter: diameter as u32, is_full: living == tasks, steps })
    }

    /// Whether every task finds a node with room around it for what is around the task, and every node such a task if there are
    /// as many.
    fn is_enough(&self, dilations: &[u32]) -> bool {
        let mut is_held = vec![false; self.balls.len()];
        let mut around = Around::default();
        for task in 0..self.partners.len() as u32 {
            let within = around.count(self, task, dilations);
            let mut has_node = false;
            for (ball, held) in self.balls.iter().zip(&mut is_held) {
                if within.iter().zip(ball).all(|(tasks, nodes)| tasks <= nodes) {
                    (has_node, *held) = (true, true);
                }
            }
            if !has_node {
                return false;
            }
        }
        !self.is_full || is_held.into_iter().all(|held| held)
    }
}

/// The tasks around one task, in tables that are used again.
#[derive(Default)]
struct Around {
    distance: Vec<u32>,
    /// The tasks that are so far away, at most.
    rings: Vec<Vec<u32>>,
    within: Vec<u32>,
}

impl Around {
    /// How many tasks are within 0, 1, 2, ... links of one at most.
    fn count(&mut self, room: &Room, task: u32, dilations: &[u32]) -> &[u32] {
        let radii = room.diameter as usize + 1;
        self.distance.clear();
        self.distance.resize(room.partners.len(), u32::MAX);
        self.rings.resize(radii, Vec::new());
        self.rings.iter_mut().for_each(Vec::clear);
        self.within.clear();
        self.rings[0].push(task);
        self.distance[task as usize] = 0;
        let mut count = 0;
        for far in 0..radii {
            let mut ring = std::mem::take(&mut self.rings[far]);
            for &task in &ring {
                if self.distance[task as usize] != far as u32 {
                    continue;
                }
                count += 1;
                for &(partner, class) in &room.partners[task as usize] {
                    let next = far as u32 + dilations[class as usize];
                    if next < self.distance[partner as usize] && (next as usize) < radii {
                        self.distance[partner as usize] = next;
                        self.rings[next as usize].push(partner);
                    }
                }
            }
            ring.clear();
            self.rings[far] = ring;
            self.within.push(count);
        }
        &self.within
    }
}
