//! A flow that respects the links but not yet the processors is repaired where it is wrong.
//!
//! Blocking flows along shortest paths (Dinic), which begin at the nodes that have too much and end at the nearest
//! that have room. Where the flow was nearly right, each search stays in the neighbourhood of the fault.

use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Grid, Topology};

/// A flow under repair: what crosses each link, what is left at each node, and the limits of both.
pub(crate) struct Net<'g> {
    pub(crate) grid: &'g Grid,
    /// By link id, net: one of the two directions is 0.
    pub(crate) link: Vec<f64>,
    /// By node id: what entered and came in less what went out.
    pub(crate) work: Vec<f64>,
    pub(crate) link_limit: f64,
    pub(crate) work_limit: f64,
}

/// What is wrong with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// More is left than it can work off: the rest goes out to where there is room.
    TooMuch,
    /// More goes out than comes in: the rest comes from where something is left.
    TooLittle,
}

/// How a repair ended.
pub(crate) enum Repaired {
    /// No fault above the threshold is left.
    Done,
    /// The nodes that can be reached from the faults: all full, and so are the links that leave them.
    Stuck(Vec<u32>),
    /// The search has taken too many steps.
    Tired,
}

impl Net<'_> {
    /// How much is wrong with a node; below 0, how much room it has for what is wrong with others.
    fn fault(&self, fault: Fault, node: u32) -> f64 {
        let work = self.work[node as usize];
        if fault == Fault::TooMuch { work - self.work_limit } else { -work }
    }

    /// What a link can take on in addition, against its flow in the case of [`Fault::TooLittle`].
    fn residual(&self, fault: Fault, link: usize, reverse: usize) -> f64 {
        let net = self.link[link] - self.link[reverse];
        self.link_limit - if fault == Fault::TooMuch { net } else { -net }
    }

    /// Moves an amount over a link in its direction; flow in the other direction is taken back first.
    fn push(&mut self, link: usize, reverse: usize, amount: f64) {
        let back = amount.min(self.link[reverse]);
        self.link[reverse] -= back;
        self.link[link] += amount - back;
    }
}

/// The searches of one flow, with their memory.
pub(crate) struct Repair<'n, 'g> {
    net: &'n mut Net<'g>,
    /// Hops from the faults; `u32::MAX` where the search has not been.
    level: Vec<u32>,
    /// The port to be tried next.
    port: Vec<u8>,
    queue: Vec<u32>,
    path: Vec<(u32, usize, usize)>,
    steps: u64,
}

/// Limits below which nothing counts, in loads.
#[derive(Clone, Copy)]
pub(crate) struct Thresholds {
    /// The least fault that is repaired.
    pub(crate) fault: f64,
    /// The least room that is looked for.
    pub(crate) room: f64,
    /// The least residual of a link that is used.
    pub(crate) residual: f64,
}

impl<'n, 'g> Repair<'n, 'g> {
    /// A repair that gives up after so many steps.
    pub(crate) fn new(net: &'n mut Net<'g>, steps: u64) -> Self {
        let nodes = net.work.len();
        Self { net, level: vec![u32::MAX; nodes], port: vec![0; nodes], queue: vec![], path: vec![], steps }
    }

    /// Repairs all faults of one kind.
    pub(crate) fn run(&mut self, fault: Fault, thresholds: Thresholds) -> Repaired {
        let nodes = self.net.work.len() as u32;
        let mut faults: Vec<u32> =
            (0..nodes).filter(|&node| self.net.fault(fault, node) > thresholds.fault).collect();
        while !faults.is_empty() {
            let found = self.search(&faults, fault, thresholds);
            if found {
                for &node in &faults {
                    self.relieve(node, fault, thresholds);
                }
            }
            for &node in &self.queue {
                self.level[node as usize] = u32::MAX;
                self.port[node as usize] = 0;
            }
            if !found {
                return Repaired::Stuck(std::mem::take(&mut self.queue));
            }
            if self.steps == 0 {
                return Repaired::Tired;
            }
            faults.retain(|&node| self.net.fault(fault, node) > thresholds.fault);
        }
        Repaired::Done
    }

    /// Numbers the nodes by their distance from the faults, up to the first with room; whether there is one.
    fn search(&mut self, faults: &[u32], fault: Fault, thresholds: Thresholds) -> bool {
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
            for port in 0..2 * self.net.grid.dimensions() as u32 {
                let Some((other, link, reverse)) = self.across(node, port) else { continue };
                if self.level[other as usize] != u32::MAX
                    || self.net.residual(fault, link, reverse) <= thresholds.residual
                {
                    continue;
                }
                self.level[other as usize] = level + 1;
                self.queue.push(other);
                if self.has_room(other, fault, thresholds) {
                    last = level + 1;
                }
            }
        }
        self.steps = self.steps.saturating_sub(next as u64);
        last != u32::MAX
    }

    /// The node behind a port, the link to it and the link back.
    fn across(&self, node: u32, port: u32) -> Option<(u32, usize, usize)> {
        let grid = self.net.grid;
        let other = grid.neighbour(NodeId(node), Port(port))?;
        let (link, reverse) = (grid.link(NodeId(node), Port(port)), grid.link(other, Port(port ^ 1)));
        Some((other.0, link.index(), reverse.index()))
    }

    fn has_room(&self, node: u32, fault: Fault, thresholds: Thresholds) -> bool {
        -self.net.fault(fault, node) > thresholds.room
    }

    /// Sends what is wrong at one node along shortest paths until none is left.
    fn relieve(&mut self, start: u32, fault: Fault, thresholds: Thresholds) {
        let ports = 2 * self.net.grid.dimensions() as u32;
        self.path.clear();
        let mut node = start;
        while self.net.fault(fault, start) > thresholds.fault && self.steps > 0 {
            if node != start && self.has_room(node, fault, thresholds) {
                node = self.augment(start, node, fault, thresholds);
                continue;
            }
            let port = u32::from(self.port[node as usize]);
            if port == ports {
                let Some((before, _, _)) = self.path.pop() else { return };
                self.port[before as usize] += 1;
                node = before;
                continue;
            }
            self.steps -= 1;
            match self.across(node, port) {
                Some((other, link, reverse))
                    if self.level[other as usize] == self.level[node as usize] + 1
                        && self.net.residual(fault, link, reverse) > thresholds.residual =>
                {
                    self.path.push((node, link, reverse));
                    node = other;
                }
                _ => self.port[node as usize] += 1,
            }
        }
    }

    /// Sends as much as fits along the path; returns the node before the first link that is full, from which the
    /// search goes on.
    fn augment(&mut self, start: u32, end: u32, fault: Fault, thresholds: Thresholds) -> u32 {
        let surplus = self.net.fault(fault, start).min(-self.net.fault(fault, end));
        let amount = self
            .path
            .iter()
            .fold(surplus, |least, &(_, link, back)| least.min(self.net.residual(fault, link, back)));
        let mut stop = None;
        for at in 0..self.path.len() {
            let (_, link, reverse) = self.path[at];
            match fault {
                Fault::TooMuch => self.net.push(link, reverse, amount),
                Fault::TooLittle => self.net.push(reverse, link, amount),
            }
            if stop.is_none() && self.net.residual(fault, link, reverse) <= thresholds.residual {
                stop = Some(at);
            }
        }
        let signed = if fault == Fault::TooMuch { amount } else { -amount };
        self.net.work[start as usize] -= signed;
        self.net.work[end as usize] += signed;
        // Without a full link the end is full now, and the search goes back one step from it.
        let stop = stop.unwrap_or(self.path.len() - 1);
        let node = self.path[stop].0;
        self.path.truncate(stop);
        node
    }
}
