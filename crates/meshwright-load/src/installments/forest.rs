//! Flows along trees: every node gets its load over one link, from one source.
//!
//! Trees grow from the links of all sources at once. The one that carries the least of what it can takes the next node,
//! the nearest first; a node joins where the least goes through so far. Sources that others have closed in take nodes of
//! them (`enclosed`). Then nodes move to where they get their load sooner (`branching`), and what has no place goes through
//! the trees of others; at last those that get theirs late get less of it (`levelling`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Problem;
use crate::flow::max_flow::MaxFlow;
use crate::flow::{Flow, FlowPhase};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// What is less than this share of the load is not worth a message.
pub(super) const CRUMB: f64 = 1e-9;

/// A flow along trees that is through at a given moment and in which the processors beside the sources are idle for a
/// share of the time; none if there is none, or not all of the load is there from the beginning.
///
/// Where trees find no room, what is left goes through those of others.
///
/// # Complexity
///
/// O((nodes + links) log nodes + nodes depth of the trees), for each of some 30 passes, and a maximum flow where load is left.
pub(super) fn forest(problem: &Problem, end: f64, slack: f64) -> Option<FlowPhase> {
    if !problem.starts_at_once() {
        return None;
    }
    let (nodes, links) = (problem.machine().nodes() as usize, problem.machine().links() as usize);
    let mut growth = Growth {
        problem,
        end,
        left: Vec::new(),
        tree: vec![UNCLAIMED; nodes],
        depth: vec![0; nodes],
        into: vec![None; nodes],
        trees: Vec::new(),
        link: vec![0.0; links],
        node: vec![0.0; nodes],
    };
    growth.plant();
    growth.grow(1.0 - slack);
    growth.break_out(1.0 - slack);
    growth.branch_out();
    let trees = growth.link.clone();
    growth.overflow(1.0 - slack)?;
    growth.level_out(&trees);
    let flow = Flow { link: growth.link, node: growth.node };
    Some(FlowPhase { from: 0.0, until: end, flow })
}

/// The whole load in units.
const WHOLE: f64 = (1u64 << 40) as f64;

/// Nodes of no tree, and sources.
const UNCLAIMED: u32 = u32::MAX;
const SOURCE: u32 = u32::MAX - 1;

/// What grows from one link of a source.
pub(super) struct Tree {
    source: u32,
    /// The node that its first link leads to.
    first: NodeId,
    /// The most its first link can carry, and what it carries.
    most: f64,
    pub(super) carries: f64,
    /// Nodes beside it, by depth.
    edge: BinaryHeap<Reverse<(u32, u32)>>,
}

pub(super) struct Growth<'a, 'p> {
    pub(super) problem: &'a Problem<'p>,
    pub(super) end: f64,
    /// By source, what has no place yet.
    pub(super) left: Vec<f64>,
    /// By node id its tree, how many links it is from the source, and the link it is reached by.
    pub(super) tree: Vec<u32>,
    pub(super) depth: Vec<u32>,
    pub(super) into: Vec<Option<LinkId>>,
    pub(super) trees: Vec<Tree>,
    pub(super) link: Vec<f64>,
    pub(super) node: Vec<f64>,
}

impl Growth<'_, '_> {
    /// Sources keep what they can work off; a tree begins at each link to a node without load.
    fn plant(&mut self) {
        let machine = self.problem.machine();
        for source in self.problem.sources() {
            let kept = source.load.min(self.end / self.problem.work(source.node));
            self.node[source.node.index()] = kept;
            self.left.push(source.load - kept);
            self.tree[source.node.index()] = SOURCE;
        }
        for (number, source) in self.problem.sources().iter().enumerate() {
            for (link, next) in machine.neighbours(source.node) {
                if self.tree[next.index()] == UNCLAIMED {
                    let most = self.end / self.problem.link_time(link);
                    let edge = BinaryHeap::from([Reverse((1, next.0))]);
                    self.trees.push(Tree { source: number as u32, first: next, most, carries: 0.0, edge });
                }
            }
        }
    }

    /// Lets trees take nodes, each for this part of the time, until all load has a place or no tree can grow.
    pub(super) fn grow(&mut self, part: f64) {
        // The bits of numbers that are not below 0 are in their order.
        let fill = |tree: &Tree| (tree.carries / tree.most).to_bits();
        let mut agenda: BinaryHeap<Reverse<(u64, u32)>> =
            self.trees.iter().enumerate().map(|(at, tree)| Reverse((fill(tree), at as u32))).collect();
        while let Some(Reverse((_, number))) = agenda.pop() {
            let source = self.trees[number as usize].source as usize;
            if self.left[source] <= 0.0 {
                continue;
            }
            let Some(Reverse((depth, node))) = self.trees[number as usize].edge.pop() else { continue };
            let node = NodeId(node);
            if self.tree[node.index()] == UNCLAIMED {
                self.claim(number, node, depth, part);
            }
            if self.has_room(number) {
                agenda.push(Reverse((fill(&self.trees[number as usize]), number)));
            }
        }
    }

    /// The index of the source whose tree a node is of; none for sources and nodes of no tree.
    pub(super) fn owner(&self, node: NodeId) -> Option<usize> {
        match self.tree[node.index()] {
            UNCLAIMED | SOURCE => None,
            tree => Some(self.trees[tree as usize].source as usize),
        }
    }

    /// The tree of a source that begins with the link to this node.
    pub(super) fn tree_by(&self, source: usize, first: NodeId) -> Option<u32> {
        let is_it = |tree: &Tree| tree.source as usize == source && tree.first == first;
        self.trees.iter().position(is_it).map(|at| at as u32)
    }

    /// Whether more can go over the first link of a tree.
    pub(super) fn has_room(&self, tree: u32) -> bool {
        let tree = &self.trees[tree as usize];
        tree.carries < tree.most * (1.0 - 1e-12)
    }

    /// Leaves a node to nobody.
    pub(super) fn abandon(&mut self, node: NodeId) {
        self.tree[node.index()] = UNCLAIMED;
    }

    /// Shows a node of no tree to the trees beside it.
    pub(super) fn offer(&mut self, node: NodeId) {
        for (_, beside) in self.problem.machine().neighbours(node) {
            if self.owner(beside).is_some() {
                let depth = self.depth[beside.index()] + 1;
                let tree = self.tree[beside.index()] as usize;
                self.trees[tree].edge.push(Reverse((depth, node.0)));
            }
        }
    }

    /// Takes a node into a tree, if anything can come to it.
    pub(super) fn claim(&mut self, number: u32, node: NodeId, depth: u32, part: f64) {
        let (problem, machine) = (self.problem, self.problem.machine());
        let source = self.trees[number as usize].source;
        let home = problem.sources()[source as usize].node;
        // Of the nodes before it the one through which the least goes.
        let before = machine.neighbours(node).filter_map(|(_, before)| {
            let is_before = match depth {
                1 => before == home,
                _ => self.tree[before.index()] == number && self.depth[before.index()] + 1 == depth,
            };
            let link = machine.wire(before, node).filter(|_| is_before)?;
            let through = self.into[before.index()].map_or(0.0, |into| self.link[into.index()]);
            Some((through.to_bits(), link))
        });
        let Some((_, into)) = before.min() else { return };
        let wanted = (part * self.end / problem.work(node)).min(self.left[source as usize]);
        let room = |link: LinkId| self.end / problem.link_time(link) - self.link[link.index()];
        let (mut amount, mut at) = (wanted, Some(into));
        while let Some(link) = at {
            amount = amount.min(room(link));
            at = self.into[machine.source(link).index()];
        }
        if amount <= CRUMB.min(wanted / 2.0) {
            return;
        }
        (self.tree[node.index()], self.depth[node.index()], self.into[node.index()]) =
            (number, depth, Some(into));
        self.node[node.index()] = amount;
        self.left[source as usize] -= amount;
        self.trees[number as usize].carries += amount;
        let mut at = Some(into);
        while let Some(link) = at {
            self.link[link.index()] += amount;
            at = self.into[machine.source(link).index()];
        }
        for (_, next) in machine.neighbours(node) {
            if self.tree[next.index()] == UNCLAIMED {
                self.trees[number as usize].edge.push(Reverse((depth + 1, next.0)));
            }
        }
    }

    /// Sends what has no place along shortest ways to where there is room, through the trees of others; none if there is no
    /// way.
    fn overflow(&mut self, part: f64) -> Option<()> {
        let (problem, machine) = (self.problem, self.problem.machine());
        let left: Vec<(NodeId, f64)> =
            problem.sources().iter().zip(&self.left).map(|(source, left)| (source.node, *left)).collect();
        if left.iter().all(|(_, left)| *left <= 0.0) {
            return Some(());
        }
        let most = |node: NodeId| {
            let part = if self.tree[node.index()] == SOURCE { 1.0 } else { part };
            if machine.is_alive(node) { part * self.end / problem.work(node) } else { 0.0 }
        };
        let most: Vec<f64> = (0..machine.nodes()).map(NodeId).map(most).collect();
        let mut flow = Flow { link: std::mem::take(&mut self.link), node: std::mem::take(&mut self.node) };
        fill_up(problem, self.end, &most, &mut flow, &left)?;
        (self.link, self.node) = (flow.link, flow.node);
        Some(())
    }
}

/// Sends what is left at some nodes along shortest ways to where there is room beside a flow, by node id up to `most`; none if
/// there is no way.
pub(super) fn fill_up(
    problem: &Problem,
    end: f64,
    most: &[f64],
    flow: &mut Flow,
    left: &[(NodeId, f64)],
) -> Option<()> {
    let machine = problem.machine();
    let (mut first, mut targets, mut links) = (vec![0], Vec::new(), Vec::new());
    for node in (0..machine.nodes()).map(NodeId) {
        for (link, next) in machine.neighbours(node).filter(|_| machine.is_alive(node)) {
            targets.push(next.0);
            links.push(link);
        }
        first.push(targets.len() as u32);
    }
    let mut more = MaxFlow::new(first, &targets);
    // No link and no node takes more than all there is, however fast it is.
    let units = |share: f64| (share.clamp(0.0, 1.0) * WHOLE) as i64;
    for node in machine.living() {
        more.raise_sink(node.index(), units(most[node.index()] - flow.node[node.index()]));
        for arc in more.arcs(node.index()) {
            let room = end / problem.link_time(links[arc]) - flow.link[links[arc].index()];
            more.raise_arc(arc, units(room));
        }
    }
    for (node, left) in left {
        more.supply(node.index(), units(*left));
    }
    if !more.run_nearest() {
        return None;
    }
    for node in machine.living() {
        flow.node[node.index()] += more.taken(node.index()) as f64 / WHOLE;
        for arc in more.arcs(node.index()) {
            flow.link[links[arc].index()] += more.flow(arc) as f64 / WHOLE;
        }
    }
    // What goes both ways over a wire need not go at all.
    for node in machine.living() {
        for (link, next) in machine.neighbours(node) {
            let back = machine.wire(next, node).expect("wires go both ways");
            let both = flow.link[link.index()].min(flow.link[back.index()]);
            flow.link[link.index()] -= both;
            flow.link[back.index()] -= both;
        }
    }
    Some(())
}
