//! Shortest ways round the holes of a box, found near the straight way.
//!
//! A way has as many links as its ends are apart on the whole box, and some more: its *spare* links. They are tried in turn,
//! fewest first. With so many to spare, one goes from node to node by the first port, in port order, that leaves enough
//! of them, and turns back where none does; nodes from which no way was found with so many to spare are not entered
//! again with as many or fewer. So the first way found is a shortest one, and at each node it takes the first port that leads
//! nearer: the way of [`shortest_path`](super::shortest_path), without a search of the whole machine.
//!
//! # Source
//!
//! `korf1985` (iterative deepening with a bound on the distance that is left).

use crate::topology::{Grid, Machine, Network, Topology};
use meshwright_core::units::{LinkId, NodeId, Port};

/// More spare links than this are not tried.
const SPARE_MAX: u8 = 128;

/// So many nodes may be entered for one way, whatever the machine; on a larger one as many as it has.
const ENTERED_MIN: u32 = 1 << 10;

/// A node on the way that is tried.
#[derive(Clone, Copy, Debug)]
struct Standing {
    at: NodeId,
    /// Links to spare from here on.
    spare: u8,
    /// The port that is tried next.
    port: u8,
}

/// Ways round what is dead on a box.
#[derive(Debug)]
pub(super) struct Detours<'m> {
    machine: &'m Machine,
    grid: &'m Grid,
    /// What the number of spare links of any way differs by.
    step: u8,
    target: Option<NodeId>,
    /// By node one more than the spare links with which no way leads to the target.
    failed: Vec<u8>,
    touched: Vec<NodeId>,
    way: Vec<Standing>,
}

impl<'m> Detours<'m> {
    /// No target yet; nothing for a machine that is no box.
    pub(super) fn new(machine: &'m Machine) -> Option<Self> {
        let Network::Grid(grid) = machine.network() else { return None };
        // Without odd rings all ways between two nodes are odd, or all are even.
        let is_odd_ring = |&side: &u32| grid.wraps() && side > 2 && side % 2 == 1;
        let step = if grid.sides().iter().any(is_odd_ring) { 1 } else { 2 };
        let (failed, touched, way) = (Vec::new(), Vec::new(), Vec::new());
        Some(Self { machine, grid, step, target: None, failed, touched, way })
    }

    /// Calls `visit` with each link of the way between two living nodes; whether one was found.
    pub(super) fn route(&mut self, from: NodeId, to: NodeId, mut visit: impl FnMut(LinkId)) -> bool {
        self.aim(to);
        let mut left = self.machine.nodes().max(ENTERED_MIN);
        let mut spare = 0;
        while spare <= SPARE_MAX && left > 0 {
            if self.try_with(spare, from, to, &mut left) {
                for standing in &self.way[..self.way.len() - 1] {
                    visit(self.machine.link(standing.at, Port(u32::from(standing.port) - 1)));
                }
                return true;
            }
            spare += self.step;
        }
        false
    }

    fn aim(&mut self, target: NodeId) {
        if self.target == Some(target) {
            return;
        }
        self.failed.resize(self.machine.nodes() as usize, 0);
        for node in self.touched.drain(..) {
            self.failed[node.index()] = 0;
        }
        self.target = Some(target);
    }

    /// Looks for a way with so many links to spare, entering at most so many nodes.
    fn try_with(&mut self, spare: u8, from: NodeId, to: NodeId, left: &mut u32) -> bool {
        self.way.clear();
        self.way.push(Standing { at: from, spare, port: 0 });
        while let Some(&Standing { at, spare, port }) = self.way.last() {
            if at == to {
                return true;
            }
            *left = left.saturating_sub(1);
            if *left == 0 {
                return false;
            }
            let ports = self.machine.ports(at) as u8;
            let (next, tried) =
                match (port..ports).find_map(|port| Some((self.enter(at, to, spare, port)?, port))) {
                    Some((next, port)) => (Some(next), port + 1),
                    None => (None, ports),
                };
            if let Some(top) = self.way.last_mut() {
                top.port = tried;
            }
            match next {
                Some(next) => self.way.push(next),
                None => {
                    self.way.pop();
                    if self.failed[at.index()] == 0 {
                        self.touched.push(at);
                    }
                    self.failed[at.index()] = self.failed[at.index()].max(spare + 1);
                }
            }
        }
        false
    }

    /// The node behind a port, if enough links are left to spare there.
    #[inline]
    fn enter(&self, at: NodeId, to: NodeId, spare: u8, port: u8) -> Option<Standing> {
        let port = Port(u32::from(port));
        let next = self.machine.neighbour(at, port)?;
        let axis = self.grid.direction(port).0;
        let (before, after) = (self.grid.offset(at, to, axis).0, self.grid.offset(next, to, axis).0);
        // A step nearer spares nothing.
        let spare = spare.checked_sub((1 + after - before) as u8)?;
        (self.failed[next.index()] <= spare).then_some(Standing { at: next, spare, port: 0 })
    }
}
