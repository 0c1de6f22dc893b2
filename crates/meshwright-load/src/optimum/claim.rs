//! The flows that decide a claim: sinks are the claimed shares, links carry until the claimed makespan.

use super::network::{TimeExpandedNetwork, phases, share};
use crate::claim::{Claim, TOLERANCE};
use crate::flow::FlowPhase;
use crate::witness::Stretch;
use crate::{Cells, Cut, Problem};
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// A set that refutes a claim, and the moment until which it cannot send out enough.
pub(crate) type Refuted = (Cut, Option<f64>);

/// How many nodes of the machine the flows of single sources see altogether, each as often as there are flows, so that a thousand sources on a million nodes
/// do not take minutes.
const ALONE_MAX: usize = 1 << 22;

/// Moments that differ by less than this share of the makespan are one.
const ONE_MOMENT: f64 = 1e-12;

/// The flow that keeps a claim when any source may serve anybody, or the set that refutes it.
pub(crate) fn decide(problem: &Problem, claim: &Claim) -> Result<std::result::Result<Vec<Stretch>, Refuted>> {
    let everyone: Vec<usize> = (0..problem.sources().len()).collect();
    let network = routed(problem, claim, &everyone, |_| true, |_, _| true)?;
    Ok(match certificate(&network) {
        Some(refuted) => Err(refuted),
        None => Ok(stretches(&network, intervals(problem, claim).1)),
    })
}

/// The flow by which every source serves its nodes over links of its own cell, or the sources that cannot.
///
/// # Complexity
///
/// One maximum flow: cells share no links.
pub(crate) fn fit_within_cells(
    problem: &Problem,
    claim: &Claim,
    cells: &Cells,
) -> Result<std::result::Result<Vec<Stretch>, Vec<usize>>> {
    let is_own = |source: usize| cells.label[problem.sources()[source].node.index()] == source as u32;
    let (own, away): (Vec<usize>, Vec<usize>) = (0..problem.sources().len()).partition(|&s| is_own(s));
    let is_inside = |from: usize, to: usize| cells.label[from] == cells.label[to];
    let network = routed(problem, claim, &own, |_| true, is_inside)?;
    // A source outside of its cell gets nothing into it.
    let mut stuck: Vec<usize> = away.into_iter().filter(|&s| problem.sources()[s].load > 0.0).collect();
    let held = (0..network.flow.nodes()).filter(|&copy| network.flow.left_at(copy) > 0);
    stuck.extend(held.map(|copy| cells.label[copy % network.nodes()] as usize));
    stuck.sort_unstable();
    stuck.dedup();
    if !stuck.is_empty() {
        return Ok(Err(stuck));
    }
    let mut flow = stretches(&network, intervals(problem, claim).1);
    flow.iter_mut().for_each(|stretch| stretch.source = Some(cells.label[stretch.from.index()] as usize));
    flow.sort_by_key(|stretch| stretch.source);
    Ok(Ok(flow))
}

/// The set that refutes a claim because one of these sources alone cannot serve its nodes over any links.
///
/// # Complexity
///
/// A maximum flow for each source, of as many as [`ALONE_MAX`] has room for.
pub(crate) fn refute_alone(
    problem: &Problem,
    claim: &Claim,
    cells: &Cells,
    sources: &[usize],
) -> Result<Option<Refuted>> {
    let room = ALONE_MAX / problem.machine().nodes() as usize;
    for &source in sources.iter().take(room.max(1)) {
        let is_own = |node: usize| cells.label[node] == source as u32;
        if let Some(refuted) = certificate(&routed(problem, claim, &[source], is_own, |_, _| true)?) {
            return Ok(Some(refuted));
        }
    }
    Ok(None)
}

/// What crosses every link in every interval.
fn stretches(network: &TimeExpandedNetwork, last: f64) -> Vec<Stretch> {
    let machine = network.problem().machine();
    let of_phase =
        |phase: &FlowPhase| Stretch::of_links(machine, &phase.flow.link, (phase.from, phase.until), None);
    phases(network, last).iter().flat_map(of_phase).collect()
}

/// The greatest flow from some sources to the nodes they serve.
fn routed<'p>(
    problem: &'p Problem<'p>,
    claim: &Claim,
    sources: &[usize],
    is_served: impl Fn(usize) -> bool,
    is_open: impl Fn(usize, usize) -> bool,
) -> Result<TimeExpandedNetwork<'p>> {
    let (begins, end) = intervals(problem, claim);
    let mut network = TimeExpandedNetwork::new(problem, begins)?;
    sources.iter().for_each(|&source| network.supply(source));
    network.raise_links_where(end, 1.0 + TOLERANCE, is_open);
    let sum: f64 = claim.shares.iter().sum();
    for (node, &share) in claim.shares.iter().enumerate() {
        if share > 0.0 && is_served(node) {
            place_share(&mut network, claim, node, share / sum * (1.0 + TOLERANCE), end);
        }
    }
    network.flow.run();
    Ok(network)
}

/// When the intervals begin in which rates may be taken as constant, and when the last one ends.
fn intervals(problem: &Problem, claim: &Claim) -> (Vec<f64>, f64) {
    let mut releases = problem.releases();
    let Some(timed) = claim.timed else {
        releases.retain(|&release| release < claim.makespan);
        return (releases, claim.makespan);
    };
    let moments = timed.iter().zip(claim.shares).filter(|(_, share)| **share > 0.0);
    let mut points: Vec<f64> = moments.map(|(&moment, _)| moment + 0.0).chain(releases.clone()).collect();
    points.sort_unstable_by(f64::total_cmp);
    let apart = ONE_MOMENT * claim.makespan;
    points
        .dedup_by(|later, first| *later == *first || (*later - *first < apart && !releases.contains(later)));
    let end = *points.last().expect("there is a source");
    // What is released at a moment is there at this moment: an interval of no length.
    let twice = |&point: &f64| 1 + usize::from(releases.contains(&point));
    let mut begins: Vec<f64> = points.iter().flat_map(|point| vec![*point; twice(point)]).collect();
    begins.pop();
    (begins, end)
}

/// Puts a share where it is due: with moments, in the last interval that ends in time; otherwise as late as the
/// processor can still do it, which any other order of work can be turned into.
fn place_share(network: &mut TimeExpandedNetwork, claim: &Claim, node: usize, share: f64, end: f64) {
    if let Some(timed) = claim.timed {
        let in_time = |copy: &usize| network.begins.get(copy + 1).copied().unwrap_or(end) <= timed[node];
        let copy = (0..network.copies()).take_while(in_time).last().unwrap_or(0);
        return network.raise_node(copy, node, share);
    }
    let mut rest = share;
    for copy in (0..network.copies()).rev() {
        let work = network.problem().work(NodeId(node as u32));
        let most = network.length(copy, end) * (1.0 + TOLERANCE) / work;
        network.raise_node(copy, node, rest.min(most));
        rest -= rest.min(most);
    }
}

/// The set with the most that is left over, and until when it holds this back.
fn certificate(network: &TimeExpandedNetwork) -> Option<Refuted> {
    let flow = &network.flow;
    let excess = |set: &Vec<u32>| set.iter().map(|&copy| flow.left_at(copy as usize)).sum::<i64>();
    let worst = flow.violated().into_iter().max_by_key(excess)?;
    let capacity = share(flow.capacity_of(&worst)) / (1.0 + TOLERANCE);
    let demand = share(flow.capacity_of(&worst) + excess(&worst));
    let nodes = network.nodes() as u32;
    let members = |copy: u32| -> Vec<NodeId> {
        let all = worst.iter().filter(|&&member| member / nodes == copy);
        all.map(|&member| NodeId(member % nodes)).collect()
    };
    let living = network.problem().machine().living_count() as usize;
    let mut copies = (0..network.copies() as u32).map(|copy| (copy, members(copy)));
    let held = copies.rfind(|(_, members)| !members.is_empty() && members.len() < living);
    let (copy, nodes) = held.unwrap_or_else(|| (0, network.nodes_of(&worst)));
    let moment = network.begins.get(copy as usize + 1).copied();
    Some((Cut { nodes, capacity, demand }, moment))
}
