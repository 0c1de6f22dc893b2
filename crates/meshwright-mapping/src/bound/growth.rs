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
//! often are what the best placement has. Phases between the same pairs of tasks have one dilation: a class. A phase may leave
//! out its light messages, so that the lightest of it weighs more.
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

/// Edges looked at, in all: some tens of milliseconds.
pub(super) const STEPS_MAX: u64 = 16_000_000;

/// Messages lighter than this part of the heaviest of their phase are left out: half of it.
pub(super) const SHARE: u32 = 2;

/// A class of phases.
pub(super) struct Class {
    pairs: Vec<(u32, u32)>,
    /// Their indices.
    pub(super) phases: Vec<u32>,
    /// The lightest and the heaviest message of each, and how often it runs.
    loads: Vec<(u128, u128, u128)>,
    left_out: bool,
}

impl Class {
    /// Whether no message of it is left out.
    pub(super) fn is_whole(&self) -> bool {
        !self.left_out
    }
}

/// The ticks of a message of this load alone over so many links.
pub(super) type Alone<'a> = &'a dyn Fn(u128, u128) -> u128;

/// The classes of a graph, the heaviest first, if there are many only those; messages are left out that are lighter than a
/// part of the heaviest of their phase, 0 for none. No classes for graphs and machines that are large.
pub(super) fn classes(
    graph: &TaskGraph,
    machine: &Machine,
    share: u32,
    load: impl Fn(&Edge) -> u128,
) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    if machine.nodes() > NODES_MAX || graph.edges().len() as u64 > STEPS_MAX {
        return classes;
    }
    for index in 0..graph.phases() {
        let between = || graph.phase(index).iter().filter(|edge| edge.source != edge.target);
        let Some(most) = between().map(|edge| edge.bytes.0).max() else { continue };
        let heavy = || between().filter(|edge| share == 0 || edge.bytes.0 * u64::from(share) >= most);
        let mut pairs: Vec<(u32, u32)> =
            heavy().map(|edge| (edge.source.min(edge.target), edge.source.max(edge.target))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let least = heavy().map(&load).min().unwrap_or(0);
        let heaviest = heavy().map(&load).max().unwrap_or(0);
        let at = classes.iter().position(|class| class.pairs == pairs).unwrap_or_else(|| {
            classes.push(Class { pairs, phases: Vec::new(), loads: Vec::new(), left_out: false });
            classes.len() - 1
        });
        classes[at].left_out |= heavy().count() < between().count();
        classes[at].phases.push(index as u32);
        classes[at].loads.push((least, heaviest, graph.repeats(index).into()));
    }
    let sent = |class: &Class| class.loads.iter().map(|(least, _, times)| least * times).sum::<u128>();
    classes.sort_by_key(|class| Reverse(sent(class)));
    classes.truncate(CLASSES_MAX);
    classes
}

/// The least ticks of the phases of these classes together, 0 where nothing is found out; `ends` is paid by every phase, and
/// `steps` are left for all classes.
pub(super) fn least(
    classes: &[Class],
    (tasks, machine): (u32, &Machine),
    alone: Alone<'_>,
    ends: u128,
    steps: &mut u64,
) -> u128 {
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
    let mut around = Around::default();
    while let Some(Reverse((ticks, dilations))) = open.pop() {
        around.steps = 0;
        if *steps == 0 || room.is_enough(&dilations, &mut around) {
            return ticks;
        }
        *steps = steps.saturating_sub(around.steps);
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
        let mut balls: Vec<Vec<u32>> = balls.into_iter().map(padded).collect();
        balls.sort_by_key(|ball| ball.iter().sum::<u32>());
        Some(Self { partners, balls, diameter: diameter as u32, is_full: living == tasks })
    }

    /// Whether every task finds a node with room around it for what is around the task, and every node such a task if there are
    /// as many.
    fn is_enough(&self, dilations: &[u32], around: &mut Around) -> bool {
        let tasks = 0..self.partners.len() as u32;
        // Narrow nodes decide most often, and tasks that do not fit there are told soon.
        let mut is_held =
            |ball: &Vec<u32>| tasks.clone().any(|task| around.fits(self, task, dilations, ball));
        if self.is_full && !self.balls.iter().all(&mut is_held) {
            return false;
        }
        let mut has_node =
            |task| self.balls.iter().rev().any(|ball| around.fits(self, task, dilations, ball));
        tasks.clone().all(&mut has_node)
    }
}

/// The tasks around one task, in tables that are used again.
#[derive(Default)]
struct Around {
    distance: Vec<u32>,
    /// The tasks that are so far away, at most.
    rings: Vec<Vec<u32>>,
    /// Edges looked at, or what takes as long.
    steps: u64,
}

impl Around {
    /// Whether within 0, 1, 2, ... links of a task there are no more tasks than there are nodes.
    fn fits(&mut self, room: &Room, task: u32, dilations: &[u32], ball: &[u32]) -> bool {
        let radii = ball.len();
        self.distance.clear();
        self.distance.resize(room.partners.len(), u32::MAX);
        self.rings.resize(radii, Vec::new());
        self.rings.iter_mut().for_each(Vec::clear);
        self.rings[0].push(task);
        self.distance[task as usize] = 0;
        self.steps += (room.partners.len() / 16 + radii) as u64;
        let mut count = 0;
        for (far, &nodes) in ball.iter().enumerate() {
            let ring = std::mem::take(&mut self.rings[far]);
            for &task in &ring {
                if self.distance[task as usize] != far as u32 {
                    continue;
                }
                count += 1;
                self.steps += room.partners[task as usize].len() as u64;
                for &(partner, class) in &room.partners[task as usize] {
                    let next = far as u32 + dilations[class as usize];
                    if next < self.distance[partner as usize] && (next as usize) < radii {
                        self.distance[partner as usize] = next;
                        self.rings[next as usize].push(partner);
                    }
                }
            }
            self.rings[far] = ring;
            if count > nodes {
                return false;
            }
        }
        true
    }
}
