//! Blocking flows along shortest paths, from nodes with an excess to the nearest nodes with room.
//!
//! Where a flow is nearly right, each search stays in the neighbourhood of the fault; where there is none yet, the
//! nearest nodes are filled first. Push and relabel ([`max_flow`](super::max_flow)) is faster where neither matters.
//!
//! # Source
//!
//! `dinitz1970`: augmenting along shortest paths, all of one length at a time.

/// What the method asks of a network with a flow on it.
pub(crate) trait Residual {
    /// What names an arc.
    type Edge: Copy;

    /// How many arcs leave a node, those without a target included.
    fn ports(&self, node: u32) -> u32;

    /// The arc at a port and the node it enters.
    fn across(&self, node: u32, port: u32) -> Option<(u32, Self::Edge)>;

    /// Whether something may still cross an arc.
    fn is_open(&self, arc: Self::Edge) -> bool;

    /// Whether a node has more than it can take.
    fn has_excess(&self, node: u32) -> bool;

    /// Whether a node can take something.
    fn has_room(&self, node: u32) -> bool;

    /// Sends as much as fits along a path of arcs, each with the node it leaves.
    fn augment(&mut self, start: u32, end: u32, path: &[(u32, Self::Edge)]);
}

/// How a flow ended.
pub(crate) enum FlowOutcome {
    /// No excess is left.
    Done,
    /// The nodes that can be reached from an excess: all full, and so are the arcs that leave them.
    Stuck(Vec<u32>),
    /// The search has taken too many steps.
    Tired,
}

/// The searches of one network, with their memory.
pub(crate) struct Blocking<A> {
    /// Arcs from the nearest excess; `u32::MAX` where the search has not been.
    level: Vec<u32>,
    /// The port to be tried next.
    port: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<(u32, A)>,
    steps: u64,
}

impl<A: Copy> Blocking<A> {
    /// Searches on this many nodes that give up after so many steps.
    pub(crate) fn new(nodes: usize, steps: u64) -> Self {
        Self { level: vec![u32::MAX; nodes], port: vec![0; nodes], queue: vec![], path: vec![], steps }
    }

    /// Moves every excess to where there is room.
    pub(crate) fn run(&mut self, network: &mut impl Residual<Edge = A>) -> FlowOutcome {
        let mut faults: Vec<u32> =
            (0..self.level.len() as u32).filter(|&node| network.has_excess(node)).collect();
        while !faults.is_empty() {
            let found = self.search(network, &faults);
            if found {
                for &node in &faults {
                    self.relieve(network, node);
                }
            }
            for &node in &self.queue {
                self.level[node as usize] = u32::MAX;
                self.port[node as usize] = 0;
            }
            if !found {
                return FlowOutcome::Stuck(std::mem::take(&mut self.queue));
            }
            if self.steps == 0 {
                return FlowOutcome::Tired;
            }
            faults.retain(|&node| network.has_excess(node));
        }
        FlowOutcome::Done
    }

    /// Numbers the nodes by their distance from the faults, up to the first with room; whether there is one.
    fn search(&mut self, network: &impl Residual<Edge = A>, faults: &[u32]) -> bool {
        self.queue.clear();
        self.queue.extend(faults);
        faults.iter().for_each(|&node| self.level[node as usize] = 0);
        let (mut next, mut last) = (0, u32::MAX);
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let level = self.level[node as usize];
            if level >= last {
                break;
            }
            for port in 0..network.ports(node) {
                let Some((other, arc)) = network.across(node, port) else { continue };
                if self.level[other as usize] != u32::MAX || !network.is_open(arc) {
                    continue;
                }
                self.level[other as usize] = level + 1;
                self.queue.push(other);
                if network.has_room(other) {
                    last = level + 1;
                }
            }
        }
        self.steps = self.steps.saturating_sub(next as u64);
        last != u32::MAX
    }

    /// Sends the excess of one node along shortest paths until none is left.
    fn relieve(&mut self, network: &mut impl Residual<Edge = A>, start: u32) {
        self.path.clear();
        let mut node = start;
        while network.has_excess(start) && self.steps > 0 {
            if node != start && network.has_room(node) {
                network.augment(start, node, &self.path);
                // On from the first arc that is full; without one the end is full now, and the search goes back one step.
                let full = self.path.iter().position(|&(_, arc)| !network.is_open(arc));
                let stop = full.unwrap_or(self.path.len() - 1);
                node = self.path[stop].0;
                self.path.truncate(stop);
                continue;
            }
            let port = self.port[node as usize];
            if port == network.ports(node) {
                let Some((before, _)) = self.path.pop() else { return };
                self.port[before as usize] += 1;
                node = before;
                continue;
            }
            self.steps -= 1;
            match network.across(node, port) {
                Some((other, arc))
                    if self.level[other as usize] == self.level[node as usize] + 1
                        && network.is_open(arc) =>
                {
                    self.path.push((node, arc));
                    node = other;
                }
                _ => self.port[node as usize] += 1,
            }
        }
    }
}
