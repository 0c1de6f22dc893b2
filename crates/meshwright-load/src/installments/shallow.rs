//! Flows that stay close to the sources: what arrives soon can be worked off soon.

use std::collections::VecDeque;

use super::streams::supplies;
use crate::Problem;
use crate::flow::{Flow, Phase};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The whole load in units.
const WHOLE: u64 = 1 << 40;

/// What nothing limits.
const ENDLESS: u64 = 8 * WHOLE;

/// A flow that is through at a given moment and in which the processors beside the sources are idle for a share of the
/// time; none if there is no such flow.
///
/// The nearest processors are filled first: load goes along shortest paths of what is left of the network (Dinic).
/// With several releases there is one copy of the machine for each interval, and load may wait at a node.
///
/// # Complexity
///
/// O(paths diameter + distances (nodes + links)) and memory O(nodes + links), for each release.
///
/// # Source
///
/// `dinitz1970`: augmenting along shortest paths, all of one length at a time.
pub(super) fn shallow_flow(problem: &Problem, end: f64, slack: f64) -> Option<Vec<Phase>> {
    let mut begins: Vec<f64> = problem.sources().iter().map(|source| source.release).collect();
    begins.sort_by(f64::total_cmp);
    begins.dedup();
    if *begins.last()? >= end {
        return None;
    }
    let mut graph = Graph::new(problem, &begins, end, slack);
    graph.fill().then(|| graph.phases(problem, &begins, end))
}

/// What is left of the network, in units.
struct Graph {
    nodes: usize,
    /// By node of a copy, its arcs in `arcs`.
    first: Vec<u32>,
    arcs: Vec<u32>,
    /// By arc; the arc back is its partner, with the last bit turned.
    target: Vec<u32>,
    left: Vec<u64>,
    /// By arc pair: the link of the first of the two and of the second; none for waiting.
    links: Vec<Option<(LinkId, LinkId)>>,
    whole: Vec<u64>,
    /// By node of a copy, what it can still work off, and could at first; what is still to be sent from it.
    spare: Vec<u64>,
    could: Vec<u64>,
    excess: Vec<u64>,
}

impl Graph {
    fn new(problem: &Problem, begins: &[f64], end: f64, slack: f64) -> Self {
        let machine = problem.machine();
        let nodes = machine.nodes() as usize;
        let all = nodes * begins.len();
        let mut graph = Self {
            nodes,
            first: Vec::new(),
            arcs: Vec::new(),
            target: Vec::new(),
            left: Vec::new(),
            links: Vec::new(),
            whole: Vec::new(),
            spare: vec![0; all],
            could: Vec::new(),
            excess: vec![0; all],
        };
        let mut ends = Vec::new();
        let mut speed: Vec<f64> =
            (0..nodes as u32).map(|node| (1.0 - slack) / problem.work(NodeId(node))).collect();
        problem
            .sources()
            .iter()
            .for_each(|source| speed[source.node.index()] = 1.0 / problem.work(source.node));
        for (copy, &begin) in begins.iter().enumerate() {
            let length = begins.get(copy + 1).copied().unwrap_or(end) - begin;
            let base = (copy * nodes) as u32;
            for node in machine.living() {
                graph.spare[base as usize + node.index()] = units(length * speed[node.index()]);
                graph.add_wires(problem, node, (base, length), &mut ends);
                if copy + 1 < begins.len() {
                    graph.add((base + node.0, base + node.0 + nodes as u32), (ENDLESS, 0), None, &mut ends);
                }
            }
        }
        graph.could = graph.spare.clone();
        for supply in supplies(problem, WHOLE) {
            let copy =
                begins.iter().position(|begin| *begin == supply.release).expect("each release begins a copy");
            graph.excess[copy * nodes + supply.node.index()] += supply.bytes;
        }
        graph.index(all, &ends);
        graph
    }

    /// The wires from a node to higher neighbours, in both directions.
    fn add_wires(
        &mut self,
        problem: &Problem,
        node: NodeId,
        (base, length): (u32, f64),
        ends: &mut Vec<(u32, u32)>,
    ) {
        let machine = problem.machine();
        let first = machine.first_link(node).0;
        for there in (first..first + machine.ports(node)).map(LinkId) {
            let Some(next) = machine.target(there).filter(|next| *next > node) else { continue };
            let Some(back) = machine.wire(next, node) else { continue };
            let room = |link| units(length / problem.link_time(link));
            let ends_of = (base + node.0, base + next.0);
            self.add(ends_of, (room(there), room(back)), Some((there, back)), ends);
        }
    }

    fn add(
        &mut self,
        (from, to): (u32, u32),
        (there, back): (u64, u64),
        links: Option<(LinkId, LinkId)>,
        ends: &mut Vec<(u32, u32)>,
    ) {
        ends.push((from, to));
        self.target.extend([to, from]);
        self.left.extend([there, back]);
        self.whole.push(there);
        self.links.push(links);
    }

    /// Sorts the arcs by the nodes they leave.
    fn index(&mut self, nodes: usize, ends: &[(u32, u32)]) {
        self.first = vec![0; nodes + 1];
        for &(from, to) in ends {
            self.first[from as usize + 1] += 1;
            self.first[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            self.first[node + 1] += self.first[node];
        }
        let mut place = self.first.clone();
        self.arcs = vec![0; 2 * ends.len()];
        for (pair, &(from, to)) in (0u32..).zip(ends) {
            for (node, arc) in [(from, 2 * pair), (to, 2 * pair + 1)] {
                self.arcs[place[node as usize] as usize] = arc;
                place[node as usize] += 1;
            }
        }
    }

    /// Sends all there is to send; whether that was possible.
    fn fill(&mut self) -> bool {
        let mut level = vec![u32::MAX; self.spare.len()];
        let mut queue = VecDeque::new();
        loop {
            let Some(depth) = self.levels(&mut level, &mut queue) else {
                return self.excess.iter().all(|&excess| excess == 0);
            };
            let mut next = self.first.clone();
            for node in 0..self.excess.len() {
                while self.excess[node] > 0 && self.send(node, depth, &level, &mut next) {}
            }
        }
    }

    /// The distances from what has something to send, up to the nearest that can work; that distance.
    fn levels(&self, level: &mut [u32], queue: &mut VecDeque<u32>) -> Option<u32> {
        level.fill(u32::MAX);
        queue.clear();
        for node in (0..self.excess.len()).filter(|&node| self.excess[node] > 0) {
            level[node] = 0;
            queue.push_back(node as u32);
        }
        let mut depth = None;
        while let Some(node) = queue.pop_front() {
            let node = node as usize;
            if depth.is_some_and(|depth| level[node] >= depth) {
                break;
            }
            if self.spare[node] > 0 {
                depth = Some(level[node]);
                continue;
            }
            for &arc in &self.arcs[self.first[node] as usize..self.first[node + 1] as usize] {
                let to = self.target[arc as usize] as usize;
                if self.left[arc as usize] > 0 && level[to] == u32::MAX {
                    level[to] = level[node] + 1;
                    queue.push_back(to as u32);
                    if self.spare[to] > 0 && depth.is_none() {
                        depth = Some(level[to]);
                    }
                }
            }
        }
        depth
    }

    /// Sends something from a node to a processor at a distance, if there is a way; `next` are the arcs not yet found
    /// useless.
    fn send(&mut self, start: usize, depth: u32, level: &[u32], next: &mut [u32]) -> bool {
        let (mut path, mut at): (Vec<u32>, usize) = (Vec::new(), start);
        loop {
            if level[at] == depth && self.spare[at] > 0 {
                let room = path.iter().map(|&arc| self.left[arc as usize]).min().unwrap_or(u64::MAX);
                let amount = room.min(self.excess[start]).min(self.spare[at]);
                self.excess[start] -= amount;
                self.spare[at] -= amount;
                for &arc in &path {
                    self.left[arc as usize] -= amount;
                    self.left[arc as usize ^ 1] += amount;
                }
                return true;
            }
            if level[at] < depth && next[at] < self.first[at + 1] {
                let arc = self.arcs[next[at] as usize];
                let to = self.target[arc as usize] as usize;
                if self.left[arc as usize] > 0 && level[to] == level[at] + 1 {
                    path.push(arc);
                    at = to;
                } else {
                    next[at] += 1;
                }
                continue;
            }
            let Some(arc) = path.pop() else { return false };
            at = self.target[arc as usize ^ 1] as usize;
            next[at] += 1;
        }
    }

    fn phases(&self, problem: &Problem, begins: &[f64], end: f64) -> Vec<Phase> {
        let share = |units: u64| units as f64 / WHOLE as f64;
        let links = problem.machine().links() as usize;
        let empty = |copy: usize| Phase {
            from: begins[copy],
            until: begins.get(copy + 1).copied().unwrap_or(end),
            flow: Flow { link: vec![0.0; links], node: vec![0.0; self.nodes] },
        };
        let mut phases: Vec<Phase> = (0..begins.len()).map(empty).collect();
        for (pair, ends) in self.links.iter().enumerate() {
            let Some((there, back)) = *ends else { continue };
            let flow = &mut phases[self.target[2 * pair] as usize / self.nodes].flow.link;
            let (left, whole) = (self.left[2 * pair], self.whole[pair]);
            flow[there.index()] = share(whole.saturating_sub(left));
            flow[back.index()] = share(left.saturating_sub(whole));
        }
        for (place, (could, spare)) in self.could.iter().zip(&self.spare).enumerate() {
            phases[place / self.nodes].flow.node[place % self.nodes] = share(could - spare);
        }
        phases
    }
}

/// A share in units, one more than would fit: what is on the edge must not fail by rounding.
fn units(share: f64) -> u64 {
    match share {
        share if share <= 0.0 => 0,
        share => ((share * WHOLE as f64) as u64).saturating_add(1).min(ENDLESS),
    }
}
