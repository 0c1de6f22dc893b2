//! Flows by potential: what arrives late is late by as little as can be.
//!
//! A node is late by the sum, over the links of its way, of the parts of the time that they are busy (see `branching`). Of all
//! flows the one with the least sum of t_l x_l^2 is that of a potential p:
//!
//! ```text
//! busy part of the link from i to j = min(1, max(0, p_i - p_j)),   part of the time that j works = min(1, max(0, p_j / late))
//! ```
//!
//! So all that comes to a node is equally late, by whichever way and from whichever source. It goes over nearly all links.
//! Where a circle of links can do without its emptiest one, that load may go round the other way: of fewer links each has more
//! messages.
//!
//! # Source
//!
//! `bertsekas1998`, chapter 9: separable convex costs and potentials.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::forest::fill_up;
use crate::Problem;
use crate::flow::{Flow, FlowPhase};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The most steps towards balance, and of conjugate gradients for each.
const NEWTON: usize = 60;
const GRADIENTS: usize = 400;

/// How near to even a step ends, how far it goes at the most, and how often it is halved.
const EVEN: f64 = 0.1;
const FAR: f64 = 64.0;
const HALVINGS: usize = 20;

/// What is out of balance at the end, as a part of the load; the rest is sent where there is room.
const BALANCED: f64 = 1e-5;

/// By how much of the potential sources fall behind.
const AT_ONCE: f64 = 1e-3;

/// How long a way round may be, in links.
const ROUND: u32 = 15;

/// A flow by potential that is through at a given moment, and in which the later the load of a node comes the more of the time
/// it is idle: all of it where the potential is 0, none of it from `late` on. None if there is no such flow, or not all of the load
/// is there from the beginning.
///
/// The part `lean` of its links, those that carry least, is spared where that can be.
///
/// # Complexity
///
/// O(nodes + links), some ten times a hundred times, and a maximum flow for what is left.
pub(super) fn by_potential(problem: &Problem, end: f64, late: f64, lean: f64) -> Option<FlowPhase> {
    if !problem.starts_at_once() {
        return None;
    }
    let mut field = Field::new(problem, end, late)?;
    field.relax();
    let mut flow = field.flow();
    let mut left = Vec::new();
    for node in 0..field.balance.len() {
        let excess = field.excess(node).0;
        if excess > 0.0 {
            left.push((NodeId(node as u32), excess));
        } else if flow.node[node] + excess >= 0.0 {
            flow.node[node] += excess;
        } else {
            return None;
        }
    }
    if !left.is_empty() {
        fill_up(problem, end, &field.most, &mut flow, &left)?;
    }
    if lean > 0.0 {
        thin_out(problem, end, &mut flow, lean);
    }
    Some(FlowPhase { from: 0.0, until: end, flow })
}

/// A wire as one of its ends sees it.
struct Wire {
    next: u32,
    out: LinkId,
    /// The most that can go out over it, and come in, as parts of the load.
    most: (f64, f64),
}

/// Potentials of a machine.
struct Field {
    /// The wires of all nodes, and by node id where its own begin.
    wires: Vec<Wire>,
    first: Vec<usize>,
    links: usize,
    /// By node id, what enters, what it can work off, the potential above which it does, and the potential.
    balance: Vec<f64>,
    most: Vec<f64>,
    late: Vec<f64>,
    potential: Vec<f64>,
}

impl Field {
    fn new(problem: &Problem, end: f64, late: f64) -> Option<Self> {
        let machine = problem.machine();
        let nodes = machine.nodes();
        let (mut wires, mut first) = (Vec::new(), vec![0]);
        for node in (0..nodes).map(NodeId) {
            for (out, next) in machine.neighbours(node).filter(|_| machine.is_alive(node)) {
                let most = |link: LinkId| end / problem.link_time(link);
                let back = machine.wire(next, node)?;
                wires.push(Wire { next: next.0, out, most: (most(out), most(back)) });
            }
            first.push(wires.len());
        }
        if wires.iter().any(|wire| !wire.most.0.is_finite()) {
            return None;
        }
        let most = (0..nodes).map(NodeId).map(|node| match machine.is_alive(node) {
            true => end / problem.work(node),
            false => 0.0,
        });
        let mut field = Self {
            wires,
            first,
            links: machine.links() as usize,
            balance: vec![0.0; nodes as usize],
            most: most.collect(),
            late: vec![late.max(AT_ONCE); nodes as usize],
            potential: vec![0.0; nodes as usize],
        };
        field.potential.fill(late.max(AT_ONCE) / 2.0);
        for source in problem.sources() {
            field.balance[source.node.index()] += source.load;
            field.late[source.node.index()] = AT_ONCE;
        }
        Some(field)
    }

    /// What comes to a node and has no place there, and how much less that is for each bit of potential.
    fn excess(&self, node: usize) -> (f64, f64) {
        let own = self.potential[node];
        let works = own / self.late[node];
        let mut excess = self.balance[node] - self.most[node] * works.clamp(0.0, 1.0);
        let mut slope = if works > 0.0 && works < 1.0 { self.most[node] / self.late[node] } else { 0.0 };
        for wire in &self.wires[self.first[node]..self.first[node + 1]] {
            let down = own - self.potential[wire.next as usize];
            let most = if down > 0.0 { wire.most.0 } else { wire.most.1 };
            excess -= most * down.clamp(-1.0, 1.0);
            if down.abs() < 1.0 {
                slope += most;
            }
        }
        (excess, slope)
    }

    /// Moves potentials until all nodes are in balance: Newton's method on the convex function whose slope is what is out of
    /// balance, each step by conjugate gradients.
    fn relax(&mut self) {
        let nodes = self.balance.len();
        let least = 1e-4 * self.most.iter().sum::<f64>() / nodes as f64;
        let (mut out, mut slopes) = (vec![0.0; nodes], vec![0.0; nodes]);
        for _ in 0..NEWTON {
            for node in 0..nodes {
                (out[node], slopes[node]) = self.excess(node);
                slopes[node] += least;
            }
            let wrong: f64 = out.iter().map(|out| out.abs()).sum();
            if wrong < BALANCED {
                break;
            }
            let by = self.step(&out, &slopes);
            let whole: f64 = out.iter().zip(&by).map(|(out, by)| out * by).sum();
            self.go(&by, whole);
        }
    }

    /// Moves potentials along a step to where the balance along it, which is `whole` at its beginning and falls, is about even.
    fn go(&mut self, by: &[f64], whole: f64) {
        let start = self.potential.clone();
        let mut along = |part: f64| {
            for (own, (start, by)) in self.potential.iter_mut().zip(start.iter().zip(by)) {
                *own = start + part * by;
            }
            by.iter().enumerate().map(|(node, by)| self.excess(node).0 * by).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 1.0);
        let mut rest = along(high);
        while rest > EVEN * whole && high < FAR {
            (low, high) = (high, 2.0 * high);
            rest = along(high);
        }
        for _ in 0..HALVINGS {
            if rest.abs() <= EVEN * whole {
                break;
            }
            let middle = (low + high) / 2.0;
            rest = along(middle);
            if rest > 0.0 { low = middle } else { high = middle }
        }
    }

    /// By how much potentials are to move so that nodes come into balance, if nothing else gets full or empty by that.
    fn step(&self, out: &[f64], slopes: &[f64]) -> Vec<f64> {
        let nodes = out.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |rest: &[f64]| -> Vec<f64> {
            rest.iter().zip(slopes).map(|(rest, slope)| rest / slope).collect()
        };
        let mut by = vec![0.0; nodes];
        let mut rest = out.to_vec();
        let mut next = scaled(&rest);
        let mut towards = next.clone();
        let mut size = dot(&rest, &next);
        let enough = 1e-6 * size;
        let mut image = vec![0.0; nodes];
        for _ in 0..GRADIENTS {
            for node in 0..nodes {
                let mut sum = slopes[node] * towards[node];
                for wire in &self.wires[self.first[node]..self.first[node + 1]] {
                    let down = self.potential[node] - self.potential[wire.next as usize];
                    if down.abs() < 1.0 {
                        sum -=
                            if down > 0.0 { wire.most.0 } else { wire.most.1 } * towards[wire.next as usize];
                    }
                }
                image[node] = sum;
            }
            let far = size / dot(&towards, &image);
            for node in 0..nodes {
                by[node] += far * towards[node];
                rest[node] -= far * image[node];
            }
            next = scaled(&rest);
            let before = std::mem::replace(&mut size, dot(&rest, &next));
            if size <= enough {
                break;
            }
            for node in 0..nodes {
                towards[node] = next[node] + size / before * towards[node];
            }
        }
        by
    }

    fn flow(&self) -> Flow {
        let mut link = vec![0.0; self.links];
        let nodes = self.balance.len();
        for node in 0..nodes {
            for wire in &self.wires[self.first[node]..self.first[node + 1]] {
                let down = self.potential[node] - self.potential[wire.next as usize];
                link[wire.out.index()] = wire.most.0 * down.clamp(0.0, 1.0);
            }
        }
        let work = |node: usize| self.most[node] * (self.potential[node] / self.late[node]).clamp(0.0, 1.0);
        Flow { link, node: (0..nodes).map(work).collect() }
    }
}

/// Sends what goes over this part of the links, those that carry least, another way, over links that carry something, where there is room.
fn thin_out(problem: &Problem, end: f64, flow: &mut Flow, part: f64) {
    let machine = problem.machine();
    let mut used: Vec<(NodeId, NodeId, LinkId)> = Vec::new();
    for node in machine.living() {
        let carrying = machine.neighbours(node).filter(|(link, _)| flow.link[link.index()] > 0.0);
        used.extend(carrying.map(|(link, next)| (node, next, link)));
    }
    used.sort_unstable_by(|a, b| {
        flow.link[a.2.index()].total_cmp(&flow.link[b.2.index()]).then(a.2.cmp(&b.2))
    });
    used.truncate((used.len() as f64 * part).ceil() as usize);
    let mut round = Round {
        cost: vec![f64::INFINITY; machine.nodes() as usize],
        met: Vec::new(),
        before: vec![None; machine.nodes() as usize],
    };
    for (from, to, link) in used {
        let load = flow.link[link.index()];
        if load <= 0.0 {
            continue;
        }
        if let Some(way) = round.cheapest(problem, end, flow, (from, to, link), load) {
            flow.link[link.index()] = 0.0;
            for (one, is_back) in way {
                let carried = &mut flow.link[one.index()];
                *carried = if is_back { *carried - load } else { *carried + load };
                if *carried < 1e-12 {
                    *carried = 0.0;
                }
            }
        }
    }
}

/// A search for a way round.
struct Round {
    /// By node id, of those that were met.
    cost: Vec<f64>,
    before: Vec<Option<(NodeId, LinkId, bool)>>,
    met: Vec<NodeId>,
}

impl Round {
    /// The way round a link for what it carries that makes the sum of t_l x_l^2 least: by links that carry something, or
    /// taken back from those that carry as much the other way.
    fn cheapest(
        &mut self,
        problem: &Problem,
        end: f64,
        flow: &Flow,
        (from, to, link): (NodeId, NodeId, LinkId),
        load: f64,
    ) -> Option<Vec<(LinkId, bool)>> {
        let machine = problem.machine();
        for node in self.met.drain(..) {
            self.cost[node.index()] = f64::INFINITY;
        }
        let mut agenda = BinaryHeap::from([Reverse((0u64, 0u32, from))]);
        self.cost[from.index()] = 0.0;
        self.met.push(from);
        while let Some(Reverse((bits, hops, node))) = agenda.pop() {
            let cost = f64::from_bits(bits);
            if node == to {
                break;
            }
            if cost > self.cost[node.index()] || hops >= ROUND {
                continue;
            }
            for (out, next) in machine.neighbours(node) {
                let back = machine.wire(next, node)?;
                let (goes, comes) = (flow.link[out.index()], flow.link[back.index()]);
                let step = match (goes > 0.0, comes >= load) {
                    _ if out == link || back == link => continue,
                    (true, _) => {
                        let time = problem.link_time(out);
                        if (goes + load) * time > end {
                            continue;
                        }
                        (time * load * (2.0 * goes + load), out, false)
                    }
                    (false, true) => (0.0, back, true),
                    _ => continue,
                };
                let sum = cost + step.0;
                if sum < self.cost[next.index()] {
                    if self.cost[next.index()] == f64::INFINITY {
                        self.met.push(next);
                    }
                    self.cost[next.index()] = sum;
                    self.before[next.index()] = Some((node, step.1, step.2));
                    agenda.push(Reverse((sum.to_bits(), hops + 1, next)));
                }
            }
        }
        if self.cost[to.index()] == f64::INFINITY {
            return None;
        }
        let (mut way, mut at) = (Vec::new(), to);
        while at != from {
            let (node, link, is_back) = self.before[at.index()]?;
            way.push((link, is_back));
            at = node;
        }
        Some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::forest;
    use super::super::shallow::shallow_flow;
    use super::*;
    use crate::{Problem, Source, Speeds, optimum};
    use meshwright_network::topology::Machine;

    /// Holds that all is worked off and nothing is overfull; returns the sum of t_l x_l^2 and how many links are used.
    fn looked_through(problem: &Problem, phase: &FlowPhase) -> (f64, usize) {
        let (machine, flow) = (problem.machine(), &phase.flow);
        let mut balance: Vec<f64> = flow.node.iter().map(|share| -share).collect();
        problem.sources().iter().for_each(|source| balance[source.node.index()] += source.load);
        let (mut sum, mut used) = (0.0, 0);
        for node in machine.living() {
            assert!(flow.node[node.index()] * problem.work(node) <= phase.until * (1.0 + 1e-9));
            for (link, next) in machine.neighbours(node) {
                let load = flow.link[link.index()];
                assert!(load >= 0.0 && load * problem.link_time(link) <= phase.until * (1.0 + 1e-9));
                balance[node.index()] -= load;
                balance[next.index()] += load;
                sum += problem.link_time(link) * load * load;
                used += usize::from(load > 0.0);
            }
        }
        assert!(balance.iter().all(|rest| rest.abs() < 1e-9), "all that comes in goes out: {balance:?}");
        (sum, used)
    }

    #[test]
    fn nothing_is_less_late_and_fewer_links_do() {
        for (name, sources, sigma, unlike) in [
            ("mesh:14x11", vec![20, 21, 140], 0.02, false),
            ("mesh:9x16", vec![77], 0.06, false),
            ("torus:8x9", vec![0, 40, 41], 0.1, true),
        ] {
            let machine = Machine::new(name).expect("a machine");
            let sources = sources.into_iter().map(|node| Source::at(NodeId(node), 1.0)).collect();
            let mut problem = Problem::new(&machine, sources, sigma).expect("a problem");
            if unlike {
                let work = (0..machine.nodes()).map(|node| 1.0 + f64::from(node % 3)).collect();
                let link = (0..machine.links()).map(|link| sigma * (1.0 + f64::from(link % 2))).collect();
                problem = problem.with_speeds(Speeds { work, link }).expect("speeds");
            }
            let end = 1.01 * optimum::solve(&problem).expect("an optimum").makespan;
            let all = by_potential(&problem, end, 0.3, 0.0).expect("a flow");
            let (least, links) = looked_through(&problem, &all);
            let trees = forest(&problem, end, 0.0).expect("trees");
            let near = shallow_flow(&problem, end, 0.0).expect("a flow").remove(0);
            for other in [trees, near] {
                let (sum, _) = looked_through(&problem, &other);
                assert!(least < 0.99 * sum, "{name}: {least} against {sum}");
            }
            let few = by_potential(&problem, end, 0.3, 1.0).expect("a flow");
            let (_, fewer) = looked_through(&problem, &few);
            assert!(4 * fewer < 3 * links, "{name}: {fewer} of {links} links");
        }
    }
}
