//! How long messages are on their way: what a claim about whole messages, or messages with a start-up, must leave time
//! for.

use super::feasible::{Asked, WHOLE_CYCLES};
use meshwright_core::units::NodeId;
use meshwright_load::{Forwarding, Problem, Source, check, layers};

/// More pairs of a source and a node than this are not looked at for the time of a way.
const WAYS_MAX: usize = 5_000_000;

/// A node whose share cannot be there in time whatever else is sent, because of the way of a message; and with one
/// source, when it can.
///
/// Every message waits for its start-up. Under store-and-forward a share comes as one message from each source that
/// serves it, hop by hop, so it takes its time on every link of its way:
///
/// ```text
/// share <= sum over sources of min(L, (t - release - startup hops) / sum of z_e)      t = T - w share
/// ```
pub(super) fn late(problem: &Problem<'_>, asked: &Asked<'_>) -> Option<(NodeId, Option<f64>)> {
    let Asked { terms, shares, makespan, switching, cells, .. } = *asked;
    let sources = problem.sources();
    if sources.len() * shares.len() > WAYS_MAX {
        return None;
    }
    let stores = switching == Forwarding::StoreAndForward;
    // What is refuted by no more than whole bytes and cycles explain, a schedule may show all the same.
    let makespan = makespan * (1.0 + WHOLE_CYCLES);
    // By source: the least time of the whole load on a way to each node, and the fewest links.
    let ways: Vec<(Vec<f64>, Vec<u32>)> = sources
        .iter()
        .map(|source| {
            (layers::link_times(problem, &[source.node]), layers::depths(problem.machine(), &[source.node]))
        })
        .collect();
    let room = |node: usize, source: usize| {
        let Source { load, release, node: at } = sources[source];
        let work = shares[node] * problem.work(NodeId(node as u32));
        let (time, hops) = (ways[source].0[node], ways[source].1[node]);
        if cells.is_some_and(|cells| cells.label[node] != source as u32) || hops == u32::MAX {
            return 0.0;
        }
        if at.index() == node {
            return load;
        }
        if !stores {
            // It works on what comes, at the most from the first start-up on.
            let left = makespan - release - terms.startup;
            return if left > 0.0 { load.min(left / problem.work(NodeId(node as u32))) } else { 0.0 };
        }
        let left = makespan - work - release - terms.startup * f64::from(hops);
        match left >= -check::TOLERANCE * makespan {
            true if time > 0.0 => load.min(left.max(0.0) / time),
            true => load,
            false => 0.0,
        }
    };
    let is_late = |node: &usize| {
        let room: f64 = (0..sources.len()).map(|source| room(*node, source)).sum();
        shares[*node] > 0.0 && shares[*node] > room * (1.0 + check::TOLERANCE) + check::TOLERANCE
    };
    let node = (0..shares.len()).find(is_late)?;
    let moment = (sources.len() == 1 && stores).then(|| {
        let (times, hops) = &ways[0];
        sources[0].release + terms.startup * f64::from(hops[node]) + shares[node] * times[node]
    });
    Some((NodeId(node as u32), moment))
}
