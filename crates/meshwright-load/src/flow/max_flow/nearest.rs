//! The same network filled along shortest paths, so that nothing goes farther than it must.

use super::MaxFlow;
use crate::flow::blocking::{Blocking, FlowOutcome, Residual};

impl MaxFlow {
    /// Moves supplies along shortest paths, the nearest work to spare first; whether nothing is left over.
    ///
    /// # Complexity
    ///
    /// O(paths length + distances arcs).
    pub(crate) fn run_nearest(&mut self) -> bool {
        for node in 0..self.nodes() {
            let here = self.excess[node].min(self.spare(node));
            self.taken[node] += here;
            self.excess[node] -= here;
        }
        matches!(Blocking::new(self.nodes(), u64::MAX).run(self), FlowOutcome::Done)
    }
}

impl Residual for MaxFlow {
    type Edge = u32;

    fn ports(&self, node: u32) -> u32 {
        self.arcs(node as usize).len() as u32
    }

    fn across(&self, node: u32, port: u32) -> Option<(u32, u32)> {
        let arc = self.first[node as usize] + port;
        Some((self.arcs[arc as usize].target, arc))
    }

    fn is_open(&self, arc: u32) -> bool {
        self.arcs[arc as usize].residual > 0
    }

    fn has_excess(&self, node: u32) -> bool {
        self.excess[node as usize] > 0
    }

    fn has_room(&self, node: u32) -> bool {
        self.spare(node as usize) > 0
    }

    fn augment(&mut self, start: u32, end: u32, path: &[(u32, u32)]) {
        let most = self.excess[start as usize].min(self.spare(end as usize));
        let units = path.iter().fold(most, |least, &(_, arc)| least.min(self.residual(arc as usize)));
        path.iter().for_each(|&(_, arc)| self.push(arc as usize, units));
        self.excess[start as usize] -= units;
        self.taken[end as usize] += units;
    }
}
