//! A maximum flow in whole units by push and relabel, from nodes with a supply to nodes that work off.
//!
//! There is neither a source nor a sink node: an excess lies at a node from the beginning, and a node takes in what
//! it can work off. What no node can take in stays where it is, and the nodes it could still get to are a cut.
//!
//! # Source
//!
//! `goldberg1988`: first in, first out; heights are set anew by a search from the nodes with work to spare. Raising
//! capacities without starting again: `gallo1989`.

mod nearest;

use std::collections::VecDeque;

/// The height of a node from which no node with work to spare can be got to.
const CUT_OFF: u32 = u32::MAX;

/// One direction of a wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResidualArc {
    /// The node it enters; its own node if there is no wire.
    pub(crate) target: u32,
    /// The arc in the other direction.
    pub(crate) mate: u32,
    /// What may still cross it.
    residual: i64,
}

/// A network with a flow on it. Capacities only grow.
#[derive(Clone, Debug)]
pub(crate) struct MaxFlow {
    first: Vec<u32>,
    arcs: Vec<ResidualArc>,
    capacity: Vec<i64>,
    /// By node what it can work off.
    sink: Vec<i64>,
    /// By node what it works off.
    taken: Vec<i64>,
    excess: Vec<i64>,
    height: Vec<u32>,
    /// By node the arc to be looked at next.
    current: Vec<u32>,
    queue: VecDeque<u32>,
}

impl MaxFlow {
    /// A network without capacities: the arcs of node v are `first[v]..first[v + 1]`, and a target that is the node
    /// itself is no wire.
    ///
    /// # Complexity
    ///
    /// O(arcs times ports).
    pub(crate) fn new(first: Vec<u32>, targets: &[u32]) -> Self {
        let nodes = first.len() - 1;
        let mut arcs: Vec<ResidualArc> =
            targets.iter().map(|&target| ResidualArc { target, mate: 0, residual: 0 }).collect();
        for node in 0..nodes as u32 {
            for arc in first[node as usize]..first[node as usize + 1] {
                let target = targets[arc as usize] as usize;
                arcs[arc as usize].mate = if target == node as usize {
                    arc
                } else {
                    let mut back = first[target]..first[target + 1];
                    back.find(|&back| targets[back as usize] == node).expect("links come in pairs")
                };
            }
        }
        let capacity = vec![0; arcs.len()];
        let zeros = vec![0i64; nodes];
        Self {
            current: first[..nodes].to_vec(),
            first,
            arcs,
            capacity,
            sink: zeros.clone(),
            taken: zeros.clone(),
            excess: zeros,
            height: vec![1; nodes],
            queue: VecDeque::new(),
        }
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.height.len()
    }

    /// The arcs that leave a node.
    pub(crate) fn arcs(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// The node an arc enters.
    pub(crate) fn target(&self, arc: usize) -> usize {
        self.arcs[arc].target as usize
    }

    /// Whether an arc is a wire.
    pub(crate) fn is_wire(&self, arc: usize) -> bool {
        self.arcs[arc].mate as usize != arc
    }

    /// Puts a supply on a node.
    pub(crate) fn supply(&mut self, node: usize, units: i64) {
        self.excess[node] += units;
    }

    /// Raises the capacity of an arc; a lower value than before changes nothing.
    pub(crate) fn raise_arc(&mut self, arc: usize, units: i64) {
        let more = units - self.capacity[arc];
        if more > 0 && self.is_wire(arc) {
            self.capacity[arc] = units;
            self.arcs[arc].residual += more;
        }
    }

    /// Raises what a node can work off; a lower value than before changes nothing.
    pub(crate) fn raise_sink(&mut self, node: usize, units: i64) {
        self.sink[node] = self.sink[node].max(units);
    }

    /// What crosses an arc; 0 when the flow goes the other way.
    pub(crate) fn flow(&self, arc: usize) -> i64 {
        (self.capacity[arc] - self.arcs[arc].residual).max(0)
    }

    /// What a node works off.
    pub(crate) fn taken(&self, node: usize) -> i64 {
        self.taken[node]
    }

    /// What a node could work off besides.
    pub(crate) fn spare(&self, node: usize) -> i64 {
        self.sink[node] - self.taken[node]
    }

    /// What has found nobody to work it off.
    pub(crate) fn left_over(&self) -> i64 {
        self.excess.iter().sum()
    }

    /// What has found nobody, at one node.
    pub(crate) fn left_at(&self, node: usize) -> i64 {
        self.excess[node]
    }

    /// The arc in the other direction.
    pub(crate) fn mate(&self, arc: usize) -> usize {
        self.arcs[arc].mate as usize
    }

    /// What may still cross an arc.
    pub(crate) fn residual(&self, arc: usize) -> i64 {
        self.arcs[arc].residual
    }

    /// Sends units over an arc that has room for them.
    pub(crate) fn push(&mut self, arc: usize, units: i64) {
        let mate = self.mate(arc);
        self.arcs[arc].residual -= units;
        self.arcs[mate].residual += units;
    }

    /// Lets one node work off what another one did; the flow must have brought it there.
    pub(crate) fn move_work(&mut self, from: usize, to: usize, units: i64) {
        self.taken[from] -= units;
        self.taken[to] += units;
    }

    /// What a set of nodes in increasing order can work off and send out.
    pub(crate) fn capacity_of(&self, set: &[u32]) -> i64 {
        let is_outside = |target: u32| set.binary_search(&target).is_err();
        let of_node = |&node: &u32| {
            let arcs = self.arcs(node as usize).filter(|&arc| is_outside(self.arcs[arc].target));
            self.sink[node as usize] + arcs.map(|arc| self.capacity[arc]).sum::<i64>()
        };
        set.iter().map(of_node).sum()
    }

    /// Moves supplies until every excess is worked off or cut off from all work to spare.
    ///
    /// # Complexity
    ///
    /// O(nodes^3) at worst; on meshes a few searches through the network.
    pub(crate) fn run(&mut self) {
        let patience = 6 * self.nodes() as u64 + self.arcs.len() as u64;
        loop {
            self.set_heights();
            let mut work = 0;
            while let Some(node) = self.queue.pop_front() {
                work += self.discharge(node as usize);
                if work > patience {
                    break;
                }
            }
            if self.queue.is_empty() {
                return;
            }
        }
    }

    /// Sets every height to 1 + the links to the nearest work to spare, and queues the nodes with an excess.
    fn set_heights(&mut self) {
        self.height.fill(CUT_OFF);
        self.queue.clear();
        for node in 0..self.nodes() {
            if self.spare(node) > 0 {
                self.height[node] = 1;
                self.queue.push_back(node as u32);
            }
        }
        // The queue of the search is as long as the network once: no need of a second one.
        while let Some(node) = self.queue.pop_front() {
            let above = self.height[node as usize] + 1;
            for arc in self.arcs(node as usize) {
                let ResidualArc { target, mate, .. } = self.arcs[arc];
                if self.height[target as usize] == CUT_OFF && self.arcs[mate as usize].residual > 0 {
                    self.height[target as usize] = above;
                    self.queue.push_back(target);
                }
            }
        }
        let nodes = self.nodes();
        self.current.copy_from_slice(&self.first[..nodes]);
        for node in 0..nodes {
            if self.excess[node] > 0 && self.height[node] != CUT_OFF {
                self.queue.push_back(node as u32);
            }
        }
    }

    /// Moves the excess of a node on until none is left or the node rises; returns what was looked at.
    fn discharge(&mut self, node: usize) -> u64 {
        let here = self.excess[node].min(self.spare(node));
        self.taken[node] += here;
        let mut excess = self.excess[node] - here;
        let end = self.first[node + 1];
        let height = self.height[node];
        let mut arc = self.current[node];
        let begun = arc;
        while excess > 0 && arc < end {
            let ResidualArc { target, mate, residual } = self.arcs[arc as usize];
            if residual > 0 && self.height[target as usize].saturating_add(1) == height {
                let units = residual.min(excess);
                self.arcs[arc as usize].residual -= units;
                self.arcs[mate as usize].residual += units;
                excess -= units;
                if self.excess[target as usize] == 0 {
                    self.queue.push_back(target);
                }
                self.excess[target as usize] += units;
                if excess == 0 {
                    break;
                }
            }
            arc += 1;
        }
        self.excess[node] = excess;
        self.current[node] = arc;
        let mut work = u64::from(arc - begun) + 1;
        if excess > 0 {
            work += self.rise(node);
            if self.height[node] != CUT_OFF {
                self.queue.push_back(node as u32);
            }
        }
        work
    }

    /// Lifts a node just above the lowest node it can still send to.
    fn rise(&mut self, node: usize) -> u64 {
        let arcs = self.arcs(node);
        let looked_at = arcs.len() as u64 + 12;
        let open = self.arcs[arcs].iter().filter(|arc| arc.residual > 0);
        let lowest = open.map(|arc| self.height[arc.target as usize]).min().unwrap_or(CUT_OFF);
        // A height of the number of nodes or more means that no work to spare can be got to.
        let cut_off = lowest == CUT_OFF || lowest as usize > self.nodes();
        self.height[node] = if cut_off { CUT_OFF } else { lowest + 1 };
        self.current[node] = self.first[node];
        looked_at
    }

    /// The nodes that what is left over can still get to, by component: every set has more than it can work off and
    /// send out. Empty when nothing is left over.
    pub(crate) fn violated(&self) -> Vec<Vec<u32>> {
        let mut is_new = vec![true; self.nodes()];
        let mut reached: Vec<u32> =
            (0..self.nodes() as u32).filter(|&node| self.excess[node as usize] > 0).collect();
        self.spread(&mut reached, &mut is_new, |arc| arc.residual > 0);
        reached.sort_unstable();
        let mut is_left = is_new;
        is_left.iter_mut().for_each(|is_left| *is_left = !*is_left);
        let mut components = Vec::new();
        for start in reached {
            if is_left[start as usize] {
                let mut component = vec![start];
                self.spread(&mut component, &mut is_left, |_| true);
                component.sort_unstable();
                components.push(component);
            }
        }
        components
    }

    /// Adds to a set all nodes its arcs lead to, of those that are left.
    fn spread(&self, set: &mut Vec<u32>, is_left: &mut [bool], may_cross: impl Fn(&ResidualArc) -> bool) {
        set.iter().for_each(|&node| is_left[node as usize] = false);
        let mut at = 0;
        while let Some(&node) = set.get(at) {
            at += 1;
            for arc in &self.arcs[self.arcs(node as usize)] {
                if may_cross(arc) && std::mem::replace(&mut is_left[arc.target as usize], false) {
                    set.push(arc.target);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use petgraph::algo::ford_fulkerson;
    use petgraph::graph::DiGraph;
    use rand::RngExt;

    use super::*;

    #[test]
    fn the_amount_is_that_of_another_library_and_the_cut_is_full() {
        for seed in 0..200 {
            let mut rng = meshwright_core::rng::stream(seed, "max_flow");
            let nodes = rng.random_range(2..30usize);
            let mut wires: Vec<Vec<u32>> = vec![Vec::new(); nodes];
            for a in 0..nodes {
                for b in 0..a {
                    if rng.random_bool(0.2) {
                        wires[a].push(b as u32);
                        wires[b].push(a as u32);
                    }
                }
            }
            let mut first = vec![0];
            wires.iter().for_each(|wires| first.push(first[first.len() - 1] + wires.len() as u32));
            let mut flow = MaxFlow::new(first, &wires.concat());
            let mut graph = DiGraph::<(), u64>::new();
            let vertices: Vec<_> = (0..nodes + 2).map(|_| graph.add_node(())).collect();
            let (source, sink) = (vertices[nodes], vertices[nodes + 1]);
            let mut whole = 0;
            for node in 0..nodes {
                for arc in flow.arcs(node) {
                    let units = rng.random_range(0..20);
                    flow.raise_arc(arc, units);
                    graph.add_edge(vertices[node], vertices[flow.target(arc)], units as u64);
                }
                let (takes, gives) = (rng.random_range(0..15), rng.random_range(0..12));
                flow.raise_sink(node, takes);
                flow.supply(node, gives);
                graph.add_edge(vertices[node], sink, takes as u64);
                graph.add_edge(source, vertices[node], gives as u64);
                whole += gives;
            }
            let mut nearest = flow.clone();
            flow.run();
            assert_eq!(nearest.run_nearest(), flow.left_over() == 0, "seed {seed}");
            assert_eq!(nearest.left_over(), flow.left_over(), "seed {seed}: by shortest paths");
            let amount = ford_fulkerson(&graph, source, sink).0 as i64;
            assert_eq!(whole - flow.left_over(), amount, "seed {seed}");
            let left = |set: &[u32]| set.iter().map(|&node| flow.left_at(node as usize)).sum::<i64>();
            let cuts = flow.violated();
            assert_eq!(cuts.iter().map(|cut| left(cut)).sum::<i64>(), flow.left_over());
            assert!(cuts.iter().all(|cut| left(cut) > 0), "seed {seed}: every set has too much");
        }
    }
}
