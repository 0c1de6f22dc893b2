//! A last look at every task of a placement in a box: it changes places where that makes traffic less.

use super::weighted::Weighted;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

/// Times all tasks are looked at, at most.
const PASSES: usize = 16;
/// More tasks than this are looked at less often: a pass over all of them takes long.
const MANY_TASKS: usize = 1 << 13;
const PASSES_OF_MANY: usize = 2;
/// A task looks around so many of those it talks to, most of all.
const PARTNERS: usize = 6;
/// A node without a task.
const FREE: u32 = u32::MAX;
/// A node that is not to be used.
const CLOSED: u32 = u32::MAX - 1;

/// The coordinates of all nodes: distances without divisions.
struct Coordinates {
    of: Vec<u32>,
    sides: Vec<u32>,
    wraps: bool,
}

impl Coordinates {
    fn new(grid: &Grid) -> Self {
        let all = (0..grid.nodes()).map(NodeId);
        let of = all.flat_map(|node| (0..grid.dimensions()).map(move |axis| grid.coordinate(node, axis)));
        Self { of: of.collect(), sides: grid.sides().to_vec(), wraps: grid.wraps() }
    }

    fn of(&self, node: NodeId) -> &[u32] {
        let dimensions = self.sides.len();
        &self.of[node.index() * dimensions..(node.index() + 1) * dimensions]
    }

    /// Links between two nodes.
    fn hops(&self, from: &[u32], to: &[u32]) -> i64 {
        let along = |((from, to), side): ((&u32, &u32), &u32)| {
            let straight = from.abs_diff(*to);
            if self.wraps { straight.min(side - straight) } else { straight }
        };
        from.iter().zip(to).zip(&self.sides).map(along).sum::<u32>().into()
    }
}

/// Tasks on the nodes of a box.
struct Exchange<'a> {
    graph: &'a Weighted,
    grid: &'a Grid,
    coordinates: Coordinates,
    place: &'a mut [NodeId],
    task_at: Vec<u32>,
}

/// Lets these tasks change places with each other and with free ones of these nodes, as long as that makes the sum of
/// weight times distance less.
///
/// # Complexity
///
/// O(d^2) per edge and pass, for d ports of a node.
pub(super) fn exchange(graph: &Weighted, grid: &Grid, tasks: &[u32], nodes: &[NodeId], place: &mut [NodeId]) {
    let mut task_at = vec![CLOSED; grid.nodes() as usize];
    nodes.iter().for_each(|node| task_at[node.index()] = FREE);
    tasks.iter().for_each(|task| task_at[place[*task as usize].index()] = *task);
    let mut exchange = Exchange { graph, grid, coordinates: Coordinates::new(grid), place, task_at };
    let mut partners = Vec::new();
    let passes = if tasks.len() > MANY_TASKS { PASSES_OF_MANY } else { PASSES };
    for _ in 0..passes {
        let better = tasks.iter().filter(|task| exchange.improve(**task, &mut partners)).count();
        if better == 0 {
            return;
        }
    }
}

impl Exchange<'_> {
    /// Moves a task to the best node next to it or to those it talks to most; whether it moved.
    fn improve(&mut self, task: u32, partners: &mut Vec<(u64, u32)>) -> bool {
        let from = self.place[task as usize];
        partners.clear();
        partners.extend(self.graph.neighbours(task as usize).iter().map(|&(to, weight)| (weight, to)));
        if partners.len() > PARTNERS {
            partners.select_nth_unstable_by(PARTNERS, |a, b| b.cmp(a));
            partners.truncate(PARTNERS);
        }
        let mut best = (0, from);
        let around = partners.iter().map(|(_, partner)| self.place[*partner as usize]);
        for centre in std::iter::once(from).chain(around) {
            for (_, to) in self.grid.neighbours(centre) {
                if to != from && self.task_at[to.index()] != CLOSED {
                    best = best.min((self.change(task, from, to), to));
                }
            }
        }
        if best.0 >= 0 {
            return false;
        }
        let (to, other) = (best.1, self.task_at[best.1.index()]);
        self.place[task as usize] = to;
        if other != FREE {
            self.place[other as usize] = from;
        }
        self.task_at[from.index()] = other;
        self.task_at[to.index()] = task;
        true
    }

    /// How much more traffic there is when a task goes to a node, and the task there comes back instead.
    fn change(&self, task: u32, from: NodeId, to: NodeId) -> i64 {
        let other = self.task_at[to.index()];
        let moved = |who: u32, old: NodeId, new: NodeId, but: u32| {
            let rest = self.graph.neighbours(who as usize).iter().filter(|(partner, _)| *partner != but);
            let (old, new) = (self.coordinates.of(old), self.coordinates.of(new));
            let one = |&(partner, weight): &(u32, u64)| {
                let at = self.coordinates.of(self.place[partner as usize]);
                (self.coordinates.hops(new, at) - self.coordinates.hops(old, at)) * weight as i64
            };
            rest.map(one).sum::<i64>()
        };
        let there = moved(task, from, to, other);
        if other == FREE { there } else { there + moved(other, to, from, task) }
    }
}
