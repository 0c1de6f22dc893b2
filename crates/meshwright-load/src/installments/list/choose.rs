//! The schedules that are known for a machine that does less at a time, the fastest first.

use std::collections::BTreeSet;

use super::{Basis, Found, ListSettings, Task, balance, horizon, of_basis};
use crate::installments::NEAR;
use crate::installments::record::Installments;
use crate::installments::scale::Scale;
use crate::installments::singles::stay;
use crate::lp::{Distribution, Variant};
use crate::{Plan, Problem, Source, layers};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// So many nodes beside the sources get the same each, to begin with.
const NEAREST: &[usize] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/// How many sizes are tried for each at first, and how many of the best are looked at again.
const FEW_TRIES: usize = 16;
const LOOKED_AT_AGAIN: usize = 3;

/// Of so many sources each sends to so many nodes while the others keep their loads.
const SENDERS: usize = 4;
const SENT_BY_ONE: usize = 4;

/// Not many more nodes than the bound's speedup are of use.
const TOO_MANY: f64 = 3.0;

/// List schedules for all that is known to be worth a try: the distributions, the nearest processors, equal shares; and
/// the load where it enters, if that is allowed. None is slower than the load where it enters.
///
/// `bound` is a makespan that no schedule beats: as many nodes as its speedup are of use, and not many more.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no schedule is found.
///
/// # Complexity
///
/// Some ten times that of [`list`](super::list()).
pub fn limited(
    scale: &Scale,
    variant: &Variant,
    distributions: &[&Distribution],
    bound: f64,
    settings: &ListSettings,
) -> Result<Vec<Installments>> {
    let problem = scale.problem();
    let mut found: Vec<Installments> = Vec::new();
    let stays = variant.results == 0.0
        || variant.home.is_none_or(|home| problem.sources().iter().all(|source| source.node == home));
    if stays {
        found.extend(stay(scale));
    }
    let mut tried: Vec<(Task, Found)> = Vec::new();
    let mut add = |basis: Basis<'_>, settings: &ListSettings| {
        let ways = match of_basis(scale, variant, basis) {
            Ok(ways) => ways,
            Err(Error::NotApplicable { .. } | Error::TooLarge { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let task = Task { scale, variant, settings: *settings, horizon: horizon(scale, &ways) };
        if let Some(found) = task.search(&ways, FEW_TRIES) {
            let found = if settings.moves { balance::improve(&task, found) } else { found };
            tried.push((task, found));
        }
        Ok(())
    };
    for distribution in distributions {
        add(Basis::Distribution(distribution), settings)?;
    }
    let sources: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    let workers = workers_near(problem, &sources);
    let useful = (TOO_MANY / bound).min(workers.len() as f64) as usize;
    // Without start-ups, with any number of messages and all loads there at once the programme says who is worth a message.
    let is_free = scale.costs().startup_ticks() == 0 && variant.memory.is_none() && settings.chunks.is_none();
    let is_known = !distributions.is_empty() && is_free && problem.releases().len() == 1;
    let counts = NEAREST.iter().copied().take_while(|&count| !is_known && count <= useful);
    for count in counts.chain([0]) {
        add(Basis::Shares(&equal(problem, &workers[..count.min(workers.len())])), settings)?;
    }
    for source in senders(problem, settings) {
        let nearest = workers_near(problem, &[source]);
        for count in 1..=SENT_BY_ONE.min(nearest.len()) {
            add(Basis::Shares(&sent_by_one(problem, source, &nearest[..count])), settings)?;
        }
    }
    if workers.len() <= NEAREST[NEAREST.len() - 1] {
        add(Basis::Shares(&equal(problem, &workers)), &ListSettings { moves: false, ..*settings })?;
    }
    tried.sort_by_key(|(_, found)| found.last);
    let near = bound * (1.0 + NEAR);
    for (task, one) in tried.into_iter().take(LOOKED_AT_AGAIN) {
        if found.iter().all(|found| found.makespan > near) && scale.units_of_ticks(one.last) > near {
            found.extend(task.resized(&one));
        }
        found.push(task.write(&task.again(one)));
    }
    found.sort_by_key(|one| (one.predicted_cycles, one.messages));
    if found.is_empty() {
        let why = "no schedule of messages was found that this machine has the ports, links and room for";
        return Err(Error::not_applicable("sending the load in messages", why));
    }
    Ok(found)
}

/// The nodes beside all sources that work, those first that are nearest to one of these.
fn workers_near(problem: &Problem, sources: &[NodeId]) -> Vec<NodeId> {
    let depth = layers::depths(problem.machine(), sources);
    let own: BTreeSet<NodeId> = problem.sources().iter().map(|source| source.node).collect();
    let is_worker = |node: &NodeId| {
        depth[node.index()] != u32::MAX && !own.contains(node) && problem.work(*node).is_finite()
    };
    let mut nodes: Vec<NodeId> = problem.machine().living().filter(is_worker).collect();
    // Of those as near the ones that are soonest done with a load.
    let ways = layers::link_times(problem, sources);
    let time = |node: &NodeId| ways[node.index()] + problem.work(*node);
    nodes.sort_unstable_by(|a, b| {
        depth[a.index()].cmp(&depth[b.index()]).then(time(a).total_cmp(&time(b))).then(a.cmp(b))
    });
    nodes
}

/// Of few messages, one source may send all: those that have most to do.
fn senders(problem: &Problem, settings: &ListSettings) -> Vec<NodeId> {
    let mut sources: Vec<_> = problem.sources().iter().filter(|_| settings.chunks.is_some()).collect();
    if sources.len() < 2 {
        return Vec::new();
    }
    let time = |source: &Source| source.load * problem.work(source.node);
    sources.sort_by(|a, b| time(b).total_cmp(&time(a)).then(a.node.cmp(&b.node)));
    sources.iter().map(|source| source.node).take(SENDERS).collect()
}

/// Every source keeps its load, but this one, which shares it with these nodes.
fn sent_by_one(problem: &Problem, sender: NodeId, nodes: &[NodeId]) -> Plan {
    let mut shares = vec![0.0; problem.machine().nodes() as usize];
    problem.sources().iter().for_each(|source| shares[source.node.index()] += source.load);
    let load = std::mem::take(&mut shares[sender.index()]);
    let all = || nodes.iter().copied().chain([sender]);
    let speed: f64 = all().map(|node| 1.0 / problem.work(node)).sum();
    all().for_each(|node| shares[node.index()] += load / problem.work(node) / speed);
    Plan { makespan: 1.0, shares, cells: None }
}

/// Equal shares, by speed, for the sources that work and these nodes.
fn equal(problem: &Problem, nodes: &[NodeId]) -> Plan {
    let mut shares = vec![0.0; problem.machine().nodes() as usize];
    let sources = problem.sources().iter().map(|source| source.node);
    for node in sources.chain(nodes.iter().copied()) {
        shares[node.index()] = 1.0 / problem.work(node);
    }
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    Plan { makespan: 1.0, shares, cells: None }
}
