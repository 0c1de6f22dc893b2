//! One path after the other from a node that gives work away to nodes with time to spare.

use super::max_flow::MaxFlow;

/// Tables of a search, used again.
pub(crate) struct PathSearch {
    /// By node the number of the search that has seen it last.
    seen: Vec<u32>,
    number: u32,
    /// By node the arc it was entered by.
    by: Vec<u32>,
    queue: Vec<u32>,
    /// How many nodes all searches have looked at.
    pub(crate) looked_at: usize,
}

impl PathSearch {
    /// Tables for a network of so many nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Self { seen: vec![0; nodes], number: 0, by: vec![0; nodes], queue: Vec::new(), looked_at: 0 }
    }

    /// The nearest open node with time to spare that a node can send to.
    fn nearest(&mut self, flow: &MaxFlow, from: usize, open: &[bool]) -> Option<usize> {
        self.number += 1;
        self.queue.clear();
        self.queue.push(from as u32);
        self.seen[from] = self.number;
        let mut at = 0;
        while at < self.queue.len() {
            let node = self.queue[at] as usize;
            if open[node] && flow.spare(node) > 0 {
                return Some(node);
            }
            for arc in flow.arcs(node) {
                let next = flow.target(arc);
                if flow.residual(arc) > 0 && self.seen[next] != self.number {
                    self.seen[next] = self.number;
                    self.by[next] = arc as u32;
                    self.queue.push(next as u32);
                }
            }
            at += 1;
            self.looked_at += 1;
        }
        None
    }
}

impl MaxFlow {
    /// Passes what a node works off to open nodes with time to spare; it keeps what nobody can take.
    pub(crate) fn hand_over(&mut self, node: usize, open: &[bool], search: &mut PathSearch) {
        while self.taken(node) > 0 {
            let Some(taker) = search.nearest(self, node, open) else { return };
            let mut units = self.taken(node).min(self.spare(taker));
            let mut at = taker;
            while at != node {
                let arc = search.by[at] as usize;
                units = units.min(self.residual(arc));
                at = self.target(self.mate(arc));
            }
            at = taker;
            while at != node {
                let arc = search.by[at] as usize;
                self.push(arc, units);
                at = self.target(self.mate(arc));
            }
            self.move_work(node, taker, units);
        }
    }
}
