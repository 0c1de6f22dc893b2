//! A flow without circles, its nodes in an order in which each comes after all that send to it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Problem;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, Topology};

/// What is less than this share of the load is noise.
pub(crate) const NOISE: f64 = 1e-12;

/// The nodes that send, receive, work or have a load, each after all that send to it, the lowest first. Circles of flow
/// carry nothing anywhere: they are taken out.
pub(crate) fn order(problem: &Problem, link: &mut [f64], work: &[f64]) -> Vec<NodeId> {
    let machine = problem.machine();
    let nodes = machine.nodes() as usize;
    loop {
        let mut incoming = vec![0u32; nodes];
        let mut used: Vec<bool> = work.iter().map(|work| *work > NOISE).collect();
        problem.sources().iter().for_each(|source| used[source.node.index()] = true);
        for id in (0..machine.links()).map(LinkId).filter(|id| link[id.index()] > 0.0) {
            let to = machine.target(id).expect("a link that carries something leads somewhere");
            incoming[to.index()] += 1;
            used[to.index()] = true;
            used[machine.source(id).index()] = true;
        }
        let all = used.iter().filter(|used| **used).count();
        let ready = (0..nodes as u32).filter(|&node| used[node as usize] && incoming[node as usize] == 0);
        let mut ready: BinaryHeap<Reverse<u32>> = ready.map(Reverse).collect();
        let mut order = Vec::with_capacity(all);
        while let Some(Reverse(node)) = ready.pop() {
            order.push(NodeId(node));
            for (_, to) in carrying(machine, link, NodeId(node)) {
                incoming[to.index()] -= 1;
                if incoming[to.index()] == 0 {
                    ready.push(Reverse(to.0));
                }
            }
        }
        if order.len() == all {
            return order;
        }
        let start = (0..nodes as u32).map(NodeId).find(|node| incoming[node.index()] > 0);
        take_out_circle(machine, link, &incoming, start.expect("nodes that never became ready"));
    }
}

/// The links out of a node that carry something, with the nodes they enter.
pub(crate) fn carrying(
    machine: &Machine,
    link: &[f64],
    node: NodeId,
) -> impl Iterator<Item = (LinkId, NodeId)> {
    machine.neighbours(node).filter(|(id, _)| link[id.index()] > 0.0)
}

/// Takes out a circle of flow: every node with a positive count has a link from another such node.
fn take_out_circle(machine: &Machine, link: &mut [f64], incoming: &[u32], start: NodeId) {
    let mut place = vec![usize::MAX; incoming.len()];
    let (mut path, mut at) = (Vec::new(), start);
    // Against the flow one always finds the next node.
    while place[at.index()] == usize::MAX {
        place[at.index()] = path.len();
        let back = machine.neighbours(at).find_map(|(_, before)| {
            let id = machine.wire(before, at)?;
            (incoming[before.index()] > 0 && link[id.index()] > 0.0).then_some((id, before))
        });
        let (id, before) = back.expect("a node that waits has one before it that waits");
        path.push(id);
        at = before;
    }
    let circle = &path[place[at.index()]..];
    let least = circle.iter().map(|id| link[id.index()]).fold(f64::INFINITY, f64::min);
    for id in circle {
        link[id.index()] -= least;
        if link[id.index()] <= NOISE {
            link[id.index()] = 0.0;
        }
    }
}
