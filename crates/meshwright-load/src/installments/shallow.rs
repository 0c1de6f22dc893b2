//! Flows that stay close to the sources: what arrives soon can be worked off soon.

use super::streams::supplies;
use crate::Problem;
use crate::flow::max_flow::MaxFlow;
use crate::flow::{Flow, FlowPhase};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The whole load in units.
const WHOLE: u64 = 1 << 40;

/// What nothing limits.
const ENDLESS: i64 = 8 << 40;

/// A flow that is through at a given moment and in which the processors beside the sources are idle for a share of the
/// time; none if there is no such flow.
///
/// The nearest processors are filled first. With several releases there is one copy of the machine for each interval,
/// and load may wait at a node.
///
/// # Complexity
///
/// O(paths diameter + distances (nodes + links)) and memory O(nodes + links), for each release.
pub(super) fn shallow_flow(problem: &Problem, end: f64, slack: f64) -> Option<Vec<FlowPhase>> {
    let begins = problem.releases();
    if *begins.last()? >= end {
        return None;
    }
    let nodes = problem.machine().nodes() as usize;
    let ends = begins[1..].iter().copied().chain([end]);
    let intervals: Vec<(f64, f64)> = begins.iter().copied().zip(ends).collect();
    let (mut flow, links) = network(problem, &intervals, slack);
    for supply in supplies(problem, WHOLE) {
        let copy =
            begins.iter().position(|begin| *begin == supply.release).expect("each release begins a copy");
        flow.supply(copy * nodes + supply.node.index(), supply.bytes as i64);
    }
    if !flow.run_nearest() {
        return None;
    }
    let share = |units: i64| units as f64 / WHOLE as f64;
    let phase = |(copy, &(from, until)): (usize, &(f64, f64))| {
        let mut link = vec![0.0; problem.machine().links() as usize];
        for arc in (copy * nodes..(copy + 1) * nodes).flat_map(|node| flow.arcs(node)) {
            if let Some(id) = links[arc] {
                link[id.index()] = share(flow.flow(arc));
            }
        }
        let node = (0..nodes).map(|node| share(flow.taken(copy * nodes + node))).collect();
        FlowPhase { from, until, flow: Flow { link, node } }
    };
    Some(intervals.iter().enumerate().map(phase).collect())
}

/// One copy of the machine for each interval, and by arc its link; none where a node keeps what it has.
///
/// Of equally short ways the first is taken: over earlier copies and lower neighbours, then by ports, then to later copies.
fn network(problem: &Problem, intervals: &[(f64, f64)], slack: f64) -> (MaxFlow, Vec<Option<LinkId>>) {
    let machine = problem.machine();
    let (nodes, copies) = (machine.nodes(), intervals.len() as u32);
    let (mut first, mut targets, mut links) = (vec![0], Vec::new(), Vec::new());
    for own in 0..copies * nodes {
        let (base, node) = (own - own % nodes, NodeId(own % nodes));
        if machine.is_alive(node) {
            let mut wires: Vec<(LinkId, NodeId)> = machine.neighbours(node).collect();
            wires.sort_by_key(|&(_, next)| if next < node { next.0 } else { nodes });
            let earlier = (base > 0).then(|| own - nodes);
            let later = (base + nodes < copies * nodes).then(|| own + nodes);
            targets
                .extend(earlier.into_iter().chain(wires.iter().map(|(_, next)| base + next.0)).chain(later));
            links.extend(earlier.map(|_| None).into_iter().chain(wires.iter().map(|&(link, _)| Some(link))));
            links.extend(later.map(|_| None));
        }
        first.push(targets.len() as u32);
    }
    let mut flow = MaxFlow::new(first, &targets);
    let mut speed: Vec<f64> = (0..nodes).map(|node| (1.0 - slack) / problem.work(NodeId(node))).collect();
    problem.sources().iter().for_each(|source| speed[source.node.index()] = 1.0 / problem.work(source.node));
    for (copy, &(from, until)) in intervals.iter().enumerate() {
        for node in machine.living() {
            let own = copy * nodes as usize + node.index();
            flow.raise_sink(own, units((until - from) * speed[node.index()]));
            for arc in flow.arcs(own) {
                let room = match links[arc] {
                    Some(link) => units((until - from) / problem.link_time(link)),
                    None => {
                        if flow.target(arc) > own {
                            ENDLESS
                        } else {
                            0
                        }
                    }
                };
                flow.raise_arc(arc, room);
            }
        }
    }
    (flow, links)
}

/// A share in units, one more than would fit: what is on the edge must not fail by rounding.
fn units(share: f64) -> i64 {
    match share {
        share if share <= 0.0 => 0,
        share => ((share * WHOLE as f64) as i64).saturating_add(1).min(ENDLESS),
    }
}
