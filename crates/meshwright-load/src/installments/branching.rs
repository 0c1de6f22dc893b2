//! Trees that branch early: nodes move, with all that hangs on them, to where less goes through.
//!
//! An installment waits on every node of its way until it is whole. So what delays a node is the sum, over the links of
//! its way, of what they carry:
//!
//! ```text
//! delay of a node = sum over its way of t_l x_l,   sum over nodes of share * delay = sum over links of t_l x_l^2
//! ```
//!
//! with x_l the load that link l carries and t_l its time for a load. The right side is what moves make less.

use super::forest::Growth;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// How often all nodes are asked whether they would hang better elsewhere.
const PASSES: usize = 30;

/// Less than this part of what a node adds to the sum is no gain.
const GAIN: f64 = 1e-9;

/// By node id the number of the last question in which it was on the old way.
struct Marks {
    mark: Vec<u32>,
    question: u32,
}

impl Growth<'_, '_> {
    /// Moves nodes to other trees of their source, or other places of their own, as long as the sum gets less.
    ///
    /// # Complexity
    ///
    /// O(nodes depth of the trees) for each of at most 30 passes.
    pub(super) fn branch_out(&mut self) {
        let nodes = self.problem.machine().nodes();
        let mut marks = Marks { mark: vec![0; nodes as usize], question: 0 };
        for _ in 0..PASSES {
            let moved = (0..nodes).filter(|&node| self.improve(NodeId(node), &mut marks)).count();
            if moved == 0 {
                break;
            }
        }
        self.count_again();
    }

    /// Hangs a node where the sum is least; says whether it moved.
    fn improve(&mut self, node: NodeId, marks: &mut Marks) -> bool {
        let Some(into) = self.into[node.index()] else { return false };
        let (problem, machine) = (self.problem, self.problem.machine());
        let (load, before) = (self.link[into.index()], machine.source(into));
        let source = self.owner(node);
        marks.question += 1;
        let mut at = before;
        while let Some(link) = self.into[at.index()] {
            marks.mark[at.index()] = marks.question;
            at = machine.source(link);
        }
        marks.mark[at.index()] = marks.question;
        let own = self.price(into, 0.0, load);
        let (mut best, mut most) = (None, GAIN * own);
        for (_, next) in machine.neighbours(node) {
            let is_own =
                self.owner(next) == source || source.is_some_and(|one| next == problem.sources()[one].node);
            if next == before || !is_own {
                continue;
            }
            let Some(link) = machine.wire(next, node) else { continue };
            let Some((added, joint)) = self.added(node, next, load, marks) else { continue };
            let saved = self.saved(before, joint, load) + own - self.price(link, 0.0, load);
            if saved - added > most && load <= self.end / problem.link_time(link) {
                (best, most) = (Some((link, joint)), saved - added);
            }
        }
        let Some((link, joint)) = best else { return false };
        self.carry(before, joint, -load);
        self.carry(machine.source(link), joint, load);
        (self.link[into.index()], self.link[link.index()]) = (0.0, load);
        self.into[node.index()] = Some(link);
        true
    }

    /// What a load costs on a link that carries something.
    fn price(&self, link: LinkId, carried: f64, load: f64) -> f64 {
        self.problem.link_time(link) * load * (2.0 * carried + load)
    }

    /// What a load on its way to `next` adds to the sum, over the load, and where that way leaves the marked one; none
    /// where the way goes through `node` or has no room.
    fn added(&self, node: NodeId, next: NodeId, load: f64, marks: &Marks) -> Option<(f64, NodeId)> {
        let (mut sum, mut at) = (0.0, next);
        while marks.mark[at.index()] != marks.question {
            if at == node {
                return None;
            }
            let link = self.into[at.index()]?;
            let (time, carried) = (self.problem.link_time(link), self.link[link.index()]);
            if (carried + load) * time > self.end {
                return None;
            }
            sum += self.price(link, carried, load);
            at = self.problem.machine().source(link);
        }
        Some((sum, at))
    }

    /// What a load that no longer goes from `joint` to `before` takes from the sum, over the load.
    fn saved(&self, before: NodeId, joint: NodeId, load: f64) -> f64 {
        let (mut sum, mut at) = (0.0, before);
        while at != joint {
            let link = self.into[at.index()].expect("ways meet at the source at last");
            sum += self.price(link, self.link[link.index()] - load, load);
            at = self.problem.machine().source(link);
        }
        sum
    }

    /// Adds a load to the links from `joint` to a node.
    fn carry(&mut self, node: NodeId, joint: NodeId, load: f64) {
        let mut at = node;
        while at != joint {
            let link = self.into[at.index()].expect("ways meet at the source at last");
            self.link[link.index()] += load;
            at = self.problem.machine().source(link);
        }
    }

    /// Counts what goes over the links anew: sums of many moves are not exact.
    fn count_again(&mut self) {
        self.link.fill(0.0);
        let machine = self.problem.machine();
        for node in (0..machine.nodes()).map(NodeId) {
            let (amount, mut at) = (self.node[node.index()], node);
            while let Some(link) = self.into[at.index()] {
                self.link[link.index()] += amount;
                at = machine.source(link);
            }
        }
    }
}
