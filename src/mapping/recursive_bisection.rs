//! Dual recursive bisection: tasks that talk much to each other share a half of a half of the machine.
//!
//! Machine and tasks are cut in two together, again and again: the machine across its longest side (a general
//! network into nodes near one of its ends and the rest), the tasks into parts of matching size with little weight
//! between them. The half of the tasks that talks more to the tasks outside goes to the lower half of the nodes.

mod cut;

use cut::Weighted;
use rand::Rng;

use super::{Method, TaskGraph};
use crate::rng::stream;
use crate::topology::{Machine, Network, Topology};
use crate::units::{NodeId, Port};

/// What is to be made small between halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Each message counts 1.
    Messages,
    /// Each message counts its start-up and its bytes.
    Time,
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
        let mut nodes: Vec<NodeId> = request.machine.living().collect();
        let mut tasks: Vec<u32> = (0..request.tasks).collect();
        let mut place = vec![NodeId(0); request.tasks as usize];
        let weighted = Weights::new(request.graph, request.machine, Weight::Messages);
        weighted.place(request.machine, &mut tasks, &mut nodes, &mut place, &mut rng);
        Ok(place)
    },
};

/// Who talks how much to whom over all phases.
#[derive(Clone, Debug)]
pub(crate) struct Weights(Option<Weighted>);

impl Weights {
    /// The weights of a graph on this machine; without a graph tasks stay in the order of their numbers.
    pub(crate) fn new(graph: Option<&TaskGraph>, machine: &Machine, weight: Weight) -> Self {
        Self(graph.map(|graph| {
            let between = graph.edges().iter().filter(|edge| edge.source != edge.target);
            let mut edges = between
                .map(|edge| {
                    let time = machine.costs.startup_ticks() + machine.costs.transfer_ticks(edge.bytes);
                    (edge.source, edge.target, if weight == Weight::Messages { 1 } else { time.max(1) })
                })
                .collect();
            Weighted::new(vec![1; graph.tasks as usize], &mut edges)
        }))
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
        let mut local = Local { number: vec![0; place.len()], stamp: vec![0; place.len()], now: 0 };
        let mut halves = Halves::new(machine);
        let mut waiting = vec![(0..tasks.len(), 0..nodes.len())];
        while let Some((task_range, node_range)) = waiting.pop() {
            let (tasks, nodes) = (&mut tasks[task_range.clone()], &mut nodes[node_range.clone()]);
            if tasks.len() <= 1 || nodes.len() == 1 {
                for (task, node) in tasks.iter().zip(nodes.iter()) {
                    place[*task as usize] = *node;
                }
                continue;
            }
            let first_nodes = halves.cut(nodes);
            // Rounded, the share of the tasks fits into both halves, because all tasks fit into all nodes.
            let first_tasks = (2 * tasks.len() * first_nodes + nodes.len()) / (2 * nodes.len());
            self.cut(tasks, first_tasks, &mut local, rng);
            let (task, node) = (task_range.start + first_tasks, node_range.start + first_nodes);
            waiting.push((task..task_range.end, node..node_range.end));
            waiting.push((task_range.start..task, node_range.start..node));
        }
    }

    /// Brings the tasks of the first half to the front.
    fn cut(&self, tasks: &mut [u32], first: usize, local: &mut Local, rng: &mut impl Rng) {
        let Some(graph) = &self.0 else { return };
        if first == 0 || first == tasks.len() {
            return;
        }
        local.now += 1;
        for (number, task) in tasks.iter().enumerate() {
            local.number[*task as usize] = number as u32;
            local.stamp[*task as usize] = local.now;
        }
        let mut edges = Vec::new();
        let mut outside = vec![0u64; tasks.len()];
        for (number, task) in tasks.iter().enumerate() {
            for &(to, weight) in graph.neighbours(*task as usize) {
                let there = local.number[to as usize];
                if local.stamp[to as usize] != local.now {
                    outside[number] = outside[number].saturating_add(weight);
                } else if there < number as u32 {
                    edges.push((number as u32, there, weight));
                }
            }
        }
        let part = Weighted::new(vec![1; tasks.len()], &mut edges);
        let mut side = cut::bisect(&part, first as u64, rng);
        if 2 * first == tasks.len() {
            let sum = |wanted: bool| {
                let of = outside.iter().zip(&side).filter(|(_, side)| **side == wanted);
                of.fold(0u64, |sum, (weight, _)| sum.saturating_add(*weight))
            };
            let (here, there) = (sum(true), sum(false));
            if there > here || (there == here && !side[0]) {
                side.iter_mut().for_each(|side| *side = !*side);
            }
        }
        let mut sorted: Vec<u32> = Vec::with_capacity(tasks.len());
        for wanted in [true, false] {
            sorted
                .extend(tasks.iter().zip(&side).filter(|(_, side)| **side == wanted).map(|(task, _)| *task));
        }
        tasks.copy_from_slice(&sorted);
    }
}

/// The numbers of the tasks of one part within it.
#[derive(Debug)]
struct Local {
    number: Vec<u32>,
    stamp: Vec<u32>,
    now: u32,
}

/// Cuts sets of nodes in two.
#[derive(Debug)]
struct Halves<'m> {
    machine: &'m Machine,
    stamp: Vec<u32>,
    now: u32,
}

impl<'m> Halves<'m> {
    fn new(machine: &'m Machine) -> Self {
        let general = matches!(machine.network, Network::Graph(_));
        Self { machine, stamp: vec![0; if general { machine.nodes() as usize } else { 0 }], now: 0 }
    }

    /// Brings the nodes of the first half to the front and counts them; both halves have some.
    fn cut(&mut self, nodes: &mut [NodeId]) -> usize {
        let Network::Grid(grid) = &self.machine.network else { return self.cut_by_distance(nodes) };
        let extent = |axis: usize| {
            let along = nodes.iter().map(|node| grid.coordinate(*node, axis));
            let (low, high) = along.fold((u32::MAX, 0), |(low, high), c| (low.min(c), high.max(c)));
            (high - low, low)
        };
        let longest = (0..grid.dimensions()).map(|axis| (extent(axis), std::cmp::Reverse(axis)));
        let ((length, low), std::cmp::Reverse(axis)) =
            longest.max_by_key(|((length, _), axis)| (*length, *axis)).expect("a box has sides");
        let middle = low + length.div_ceil(2);
        nodes.sort_by_key(|node| grid.coordinate(*node, axis) >= middle);
        nodes.partition_point(|node| grid.coordinate(*node, axis) < middle)
    }

    /// Half of the nodes, those nearest to one that is far from others.
    fn cut_by_distance(&mut self, nodes: &mut [NodeId]) -> usize {
        let far = *self.by_distance(nodes, nodes[0]).last().expect("there are nodes");
        let order = self.by_distance(nodes, far);
        nodes.copy_from_slice(&order);
        nodes.len() / 2
    }

    /// The nodes by their distance from one of them within the set; those it does not reach last.
    fn by_distance(&mut self, nodes: &[NodeId], start: NodeId) -> Vec<NodeId> {
        self.now += 2;
        let (inside, seen) = (self.now - 1, self.now);
        nodes.iter().for_each(|node| self.stamp[node.index()] = inside);
        let mut order = Vec::with_capacity(nodes.len());
        for &begin in std::iter::once(&start).chain(nodes) {
            if self.stamp[begin.index()] == seen {
                continue;
            }
            self.stamp[begin.index()] = seen;
            let mut next = order.len();
            order.push(begin);
            while next < order.len() {
                let at = order[next];
                next += 1;
                for port in 0..self.machine.ports(at) {
                    let Some(to) = self.machine.neighbour(at, Port(port)) else { continue };
                    if self.stamp[to.index()] == inside {
                        self.stamp[to.index()] = seen;
                        order.push(to);
                    }
                }
            }
        }
        order
    }
}
