//! A flow under repair on a whole grid: it respects the links, but not yet the processors.
//!
//! Amounts are floats, so nothing counts below a threshold, and the wires of a million nodes are computed, not kept:
//! that is why it is no [`MaxFlow`](crate::flow::max_flow::MaxFlow).

use crate::flow::blocking::Residual;
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{Grid, Topology};

/// What crosses each link, what is left at each node, and the limits of both.
pub(super) struct Net<'g> {
    pub(super) grid: &'g Grid,
    /// By link id, net: one of the two directions is 0.
    pub(super) link: Vec<f64>,
    /// By node id: what entered and came in less what went out.
    pub(super) work: Vec<f64>,
    pub(super) link_limit: f64,
    pub(super) work_limit: f64,
}

impl Net<'_> {
    /// Moves an amount over a link in its direction; flow in the other direction is taken back first.
    fn push(&mut self, link: usize, reverse: usize, amount: f64) {
        let back = amount.min(self.link[reverse]);
        self.link[reverse] -= back;
        self.link[link] += amount - back;
    }
}

/// What is wrong with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// More is left than it can work off: the rest goes out to where there is room.
    TooMuch,
    /// More goes out than comes in: the rest comes from where something is left.
    TooLittle,
}

/// Limits below which nothing counts, in loads.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    /// The least fault that is repaired.
    pub(super) fault: f64,
    /// The least room that is looked for.
    pub(super) room: f64,
    /// The least residual of a link that is used.
    pub(super) residual: f64,
}

/// A flow with one kind of fault.
pub(super) struct Faults<'n, 'g> {
    pub(super) net: &'n mut Net<'g>,
    pub(super) fault: Fault,
    pub(super) thresholds: Thresholds,
}

impl Faults<'_, '_> {
    /// How much is wrong with a node; below 0, how much room it has for what is wrong with others.
    fn excess(&self, node: u32) -> f64 {
        let work = self.net.work[node as usize];
        if self.fault == Fault::TooMuch { work - self.net.work_limit } else { -work }
    }

    /// What a link can take on in addition, against its flow in the case of [`Fault::TooLittle`].
    fn residual(&self, (link, reverse): (usize, usize)) -> f64 {
        let net = self.net.link[link] - self.net.link[reverse];
        self.net.link_limit - if self.fault == Fault::TooMuch { net } else { -net }
    }
}

impl Residual for Faults<'_, '_> {
    /// The link and the link back.
    type Edge = (usize, usize);

    fn ports(&self, _: u32) -> u32 {
        2 * self.net.grid.dimensions() as u32
    }

    fn across(&self, node: u32, port: u32) -> Option<(u32, Self::Edge)> {
        let grid = self.net.grid;
        let other = grid.neighbour(NodeId(node), Port(port))?;
        let (link, reverse) = (grid.link(NodeId(node), Port(port)), grid.link(other, Port(port ^ 1)));
        Some((other.0, (link.index(), reverse.index())))
    }

    fn is_open(&self, arc: Self::Edge) -> bool {
        self.residual(arc) > self.thresholds.residual
    }

    fn has_excess(&self, node: u32) -> bool {
        self.excess(node) > self.thresholds.fault
    }

    fn has_room(&self, node: u32) -> bool {
        -self.excess(node) > self.thresholds.room
    }

    fn augment(&mut self, start: u32, end: u32, path: &[(u32, Self::Edge)]) {
        let surplus = self.excess(start).min(-self.excess(end));
        let amount = path.iter().fold(surplus, |least, &(_, arc)| least.min(self.residual(arc)));
        for &(_, (link, reverse)) in path {
            match self.fault {
                Fault::TooMuch => self.net.push(link, reverse, amount),
                Fault::TooLittle => self.net.push(reverse, link, amount),
            }
        }
        let signed = if self.fault == Fault::TooMuch { amount } else { -amount };
        self.net.work[start as usize] -= signed;
        self.net.work[end as usize] += signed;
    }
}
