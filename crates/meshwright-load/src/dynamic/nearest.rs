//! A flow within a given time that goes as short ways as it finds.

use crate::Problem;
use crate::flow::blocking::{Blocking, FlowOutcome, Residual};
use crate::optimum::Flow;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The searches that are made at most, in steps for each node.
const STEPS: u64 = 100_000;

struct Amounts {
    /// By node its links: where they lead, and the ids of both directions.
    arcs: Vec<Vec<(u32, LinkId, LinkId)>>,
    /// By link, net.
    flow: Vec<f64>,
    most: Vec<f64>,
    excess: Vec<f64>,
    room: Vec<f64>,
    small: f64,
}

impl Residual for Amounts {
    type Edge = (LinkId, LinkId);

    fn ports(&self, node: u32) -> u32 {
        self.arcs[node as usize].len() as u32
    }

    fn across(&self, node: u32, port: u32) -> Option<(u32, Self::Edge)> {
        let (to, link, back) = self.arcs[node as usize][port as usize];
        Some((to, (link, back)))
    }

    fn is_open(&self, (link, back): Self::Edge) -> bool {
        self.most[link.index()] - self.flow[link.index()] + self.flow[back.index()] > self.small
    }

    fn has_excess(&self, node: u32) -> bool {
        self.excess[node as usize] > self.small
    }

    fn has_room(&self, node: u32) -> bool {
        self.room[node as usize] > self.small
    }

    fn augment(&mut self, start: u32, end: u32, path: &[(u32, Self::Edge)]) {
        let ends = self.excess[start as usize].min(self.room[end as usize]);
        let amount = path.iter().fold(ends, |least, &(_, (link, back))| {
            least.min(self.most[link.index()] - self.flow[link.index()] + self.flow[back.index()])
        });
        for &(_, (link, back)) in path {
            // What comes the other way is not sent at all.
            let saved = amount.min(self.flow[back.index()]);
            self.flow[back.index()] -= saved;
            self.flow[link.index()] += amount - saved;
        }
        self.excess[start as usize] -= amount;
        self.room[end as usize] -= amount;
    }
}

/// A flow that is done at a deadline, in units of w Tcp, which the optimum says is possible; what rounding leaves over
/// stays where it entered.
///
/// Among such flows one that uses no link for more than it must of the time, to some 1/16 of it: a link that is planned to
/// be busy all the time forgives no delay.
///
/// # Complexity
///
/// Five times a blocking flow for each length of way.
pub(super) fn within(problem: &Problem<'_>, deadline: f64) -> Flow {
    let (mut low, mut high) = (0u32, PARTS);
    let mut best = None;
    while high - low > 1 {
        let middle = low.midpoint(high);
        match part(problem, deadline, f64::from(middle) / f64::from(PARTS)) {
            (flow, true) => (high, best) = (middle, Some(flow)),
            (_, false) => low = middle,
        }
    }
    best.unwrap_or_else(|| part(problem, deadline, 1.0).0)
}

/// The parts of the time in which a link may be busy.
const PARTS: u32 = 32;

/// The flow with links that are busy for at most this part of the time, and whether nothing is left over.
fn part(problem: &Problem<'_>, deadline: f64, busy: f64) -> (Flow, bool) {
    let machine = problem.machine();
    // A little more time, for what floats lose.
    let deadline = deadline * (1.0 + 1e-9);
    let arcs = |node: NodeId| {
        let living =
            machine.neighbours(node).filter(|&(_, to)| machine.is_alive(node) && machine.is_alive(to));
        let both = living.filter_map(|(link, to)| Some((to.0, link, machine.wire(to, node)?)));
        both.collect::<Vec<_>>()
    };
    let nodes = || (0..machine.nodes()).map(NodeId);
    let rate = |time: f64| if time > 0.0 { (deadline / time).min(2.0) } else { 2.0 };
    let mut amounts = Amounts {
        arcs: nodes().map(arcs).collect(),
        flow: vec![0.0; machine.links() as usize],
        most: (0..machine.links()).map(|link| rate(problem.link_time(LinkId(link))) * busy).collect(),
        excess: vec![0.0; machine.nodes() as usize],
        room: nodes().map(|node| rate(problem.work(node))).collect(),
        small: 1e-12,
    };
    for source in problem.sources() {
        amounts.excess[source.node.index()] += source.load;
    }
    let whole = amounts.room.clone();
    for (excess, room) in amounts.excess.iter_mut().zip(&mut amounts.room) {
        let kept = excess.min(*room);
        (*excess, *room) = (*excess - kept, *room - kept);
    }
    let steps = STEPS * u64::from(machine.nodes());
    let outcome = Blocking::new(machine.nodes() as usize, steps).run(&mut amounts);
    let node = whole.iter().zip(&amounts.room).zip(&amounts.excess);
    let node = node.map(|((whole, room), excess)| whole - room + excess).collect();
    (Flow { link: amounts.flow, node }, matches!(outcome, FlowOutcome::Done))
}
