//! The tasks and the machine as the definitions have them.

use std::collections::BTreeMap;

use super::{Refuted, Side};
use crate::TaskGraph;
use crate::task_graph::Edge;
use meshwright_core::units::{Hops, NodeId};
use meshwright_network::topology::{Machine, Switching, Topology};

/// What goes from one task to another, in ticks on a link.
pub(super) type Loads = BTreeMap<(u32, u32), u128>;

/// On more nodes the distances of all pairs are not looked at.
const NODES_MAX: usize = 4096;

/// What is looked at, without any table made beforehand.
pub(crate) struct Referee<'a> {
    pub(super) graph: &'a TaskGraph,
    pub(super) machine: &'a Machine,
    pub(super) switching: Switching,
    /// In increasing order.
    pub(super) living: Vec<NodeId>,
}

impl<'a> Referee<'a> {
    /// One task on a node.
    pub(super) fn new(
        graph: &'a TaskGraph,
        machine: &'a Machine,
        switching: Switching,
    ) -> Result<Self, Refuted> {
        let living: Vec<NodeId> = machine.living().collect();
        if graph.tasks as usize > living.len() {
            return Refuted::because(format!(
                "{} tasks do not fit on {} living nodes",
                graph.tasks,
                living.len()
            ));
        }
        Ok(Self { graph, machine, switching, living })
    }

    pub(super) fn tasks(&self) -> usize {
        self.graph.tasks as usize
    }

    /// Dead ones included.
    pub(super) fn nodes(&self) -> usize {
        self.machine.nodes() as usize
    }

    /// Refuses machines on which all distances between all nodes would take too long.
    pub(super) fn is_small(&self) -> Result<(), Refuted> {
        match self.living.len() {
            0..=NODES_MAX => Ok(()),
            nodes => {
                Refuted::because(format!("{nodes} nodes are too many to look at all distances between them"))
            }
        }
    }

    /// Nodes that no task needs.
    pub(super) fn spare(&self) -> usize {
        self.living.len() - self.tasks()
    }

    pub(super) fn stores(&self) -> bool {
        self.switching == Switching::StoreAndForward
    }

    /// The edges of some phases, those of a task to itself among them.
    pub(super) fn edges(&self, phases: &[u32]) -> impl Iterator<Item = &'a Edge> {
        let graph = self.graph;
        phases.iter().flat_map(move |&phase| graph.phase(phase as usize))
    }

    /// The edges of some phases between different tasks.
    pub(super) fn between(&self, phases: &[u32]) -> impl Iterator<Item = &'a Edge> {
        self.edges(phases).filter(|edge| edge.source != edge.target)
    }

    /// The ticks for which a message occupies every link it crosses.
    pub(super) fn load(&self, edge: &Edge) -> u128 {
        let costs = self.machine.costs();
        let stored = if self.stores() { u128::from(costs.startup_ticks()) } else { 0 };
        u128::from(costs.transfer_ticks(edge.bytes)) + stored
    }

    /// The ticks of a message alone over so many links.
    pub(super) fn alone(&self, edge: &Edge, hops: u32) -> u128 {
        self.machine.costs().alone_ticks(self.switching, edge.bytes, Hops(hops)).into()
    }

    /// How often a phase is counted among these: once if it is the only one, else as often as it runs.
    pub(super) fn times(&self, phases: &[u32], phase: u32) -> u128 {
        if phases.len() == 1 { 1 } else { self.graph.repeats(phase as usize).into() }
    }

    /// What each task sends to each other in one run of one phase, or in all runs of several.
    pub(super) fn loads(&self, phases: &[u32]) -> Loads {
        let mut loads = Loads::new();
        for &phase in phases {
            for edge in self.between(&[phase]) {
                let load = self.load(edge) * self.times(phases, phase);
                *loads.entry((edge.source, edge.target)).or_default() += load;
            }
        }
        loads
    }

    /// By task what it sends, or receives, in all.
    pub(super) fn traffic(&self, loads: &Loads, side: Side) -> Vec<u128> {
        let mut traffic = vec![0; self.tasks()];
        for (&(source, target), load) in loads {
            let task = if side == Side::Sent { source } else { target };
            traffic[task as usize] += load;
        }
        traffic
    }

    /// What comes before and after the links in some phases: a start-up where messages are not stored, and the overhead of both
    /// ends, in each run of a phase with a message between two tasks.
    pub(super) fn beside_links(&self, phases: &[u32]) -> u128 {
        let costs = self.machine.costs();
        let startup = if self.stores() { 0 } else { u128::from(costs.startup_ticks()) };
        let active = phases.iter().filter(|&&phase| self.between(&[phase]).next().is_some());
        active.map(|&phase| self.times(phases, phase)).sum::<u128>() * (startup + 2 * self.overhead())
    }

    /// Ticks of the overhead o.
    pub(super) fn overhead(&self) -> u128 {
        u128::from(self.machine.endpoints().overhead.0) * u128::from(self.machine.costs().ticks_per_cycle())
    }

    /// All links between living nodes, by their two ends.
    pub(super) fn wires(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let out = |&node: &NodeId| self.machine.neighbours(node).map(move |(_, next)| (node, next));
        self.living.iter().flat_map(out)
    }

    /// The distances of the nearest other nodes from one, in increasing order, at most so many.
    pub(super) fn nearest(&self, from: NodeId, count: usize) -> Vec<u32> {
        let (mut seen, mut queue) = (BTreeMap::from([(from, 0)]), vec![from]);
        let mut next = 0;
        while next < queue.len() && queue.len() <= count {
            let node = queue[next];
            let distance = seen[&node] + 1;
            for (_, other) in self.machine.neighbours(node) {
                seen.entry(other).or_insert_with(|| {
                    queue.push(other);
                    distance
                });
            }
            next += 1;
        }
        queue.iter().skip(1).take(count).map(|node| seen[node]).collect()
    }

    /// By task the loads it shares with each partner, both ways, the heaviest first.
    pub(super) fn partners(&self, loads: &Loads) -> Vec<Vec<u128>> {
        let mut both: BTreeMap<(u32, u32), u128> = BTreeMap::new();
        for (&(source, target), load) in loads {
            *both.entry((source, target)).or_default() += load;
            *both.entry((target, source)).or_default() += load;
        }
        let mut partners = vec![Vec::new(); self.tasks()];
        both.iter().for_each(|(&(task, _), &load)| partners[task as usize].push(load));
        partners.iter_mut().for_each(|loads: &mut Vec<u128>| loads.sort_unstable_by(|a, b| b.cmp(a)));
        partners
    }
}
