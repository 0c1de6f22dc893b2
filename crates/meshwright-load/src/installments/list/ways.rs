//! Ways: which node gets how much of which load, over which links, and how its results come back.

use std::collections::VecDeque;

use crate::Plan;
use crate::Problem;
use crate::flow::acyclic::{self, NOISE, carrying};
use crate::installments::consign::consignments;
use crate::installments::paths::BalancedTree;
use crate::installments::scale::Scale;
use crate::lp::{Distribution, Variant};
use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, Topology};

/// Part of the load of one source that goes to one node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Way {
    /// The index of the source.
    pub(super) source: usize,
    pub(super) node: NodeId,
    /// From the source to the node.
    pub(super) links: Vec<LinkId>,
    /// From the node to where its results go; empty where they are, or without results.
    pub(super) back: Vec<LinkId>,
    /// As a share of the whole load.
    pub(super) amount: f64,
}

/// What is less than this share of the load is left to others.
const LEAST: f64 = 1e-9;

/// So little, whose results have no way in the flow, comes from the solver's rounding.
const CRUMB: f64 = 1e-7;

/// The ways of a distribution: its flows, taken apart.
///
/// # Complexity
///
/// O(ways * diameter + links).
pub(super) fn of_distribution(problem: &Problem, variant: &Variant, found: &Distribution) -> Vec<Way> {
    let mut ways = Vec::new();
    for part in &found.parts {
        let (mut link, mut work, mut back) = (part.flow.clone(), part.work.clone(), part.returned.clone());
        for flow in [&mut link, &mut back] {
            flow.iter_mut().filter(|amount| **amount <= NOISE).for_each(|amount| *amount = 0.0);
        }
        acyclic::order(problem, &mut link, &part.work);
        acyclic::order(problem, &mut back, &part.work);
        for &source in &part.sources {
            let mut left = problem.sources()[source].load;
            while left > LEAST {
                let Some(way) = peel(problem, source, left, &mut link, &mut work) else { break };
                left -= way.amount;
                match part.home {
                    Some(home) if variant.results > 0.0 => {
                        returns(problem.machine(), variant.results, home, way, &mut back, &mut ways);
                    }
                    _ => ways.push(way),
                }
            }
        }
    }
    ways
}

/// Takes out of a flow what goes from a source to the first node with work that it meets.
fn peel(problem: &Problem, source: usize, most: f64, link: &mut [f64], work: &mut [f64]) -> Option<Way> {
    let machine = problem.machine();
    let mut at = problem.sources()[source].node;
    let (mut links, mut amount) = (Vec::new(), most);
    while work[at.index()] <= LEAST {
        let next = carrying(machine, link, at).max_by(|a, b| link[a.0.index()].total_cmp(&link[b.0.index()]));
        let (id, to) = next?;
        links.push(id);
        (amount, at) = (amount.min(link[id.index()]), to);
    }
    amount = amount.min(work[at.index()]);
    work[at.index()] -= amount;
    for id in &links {
        let left = link[id.index()] - amount;
        link[id.index()] = if left > NOISE { left } else { 0.0 };
    }
    Some(Way { source, node: at, links, back: Vec::new(), amount })
}

/// Gives a way its ways back, as many as its results take. What the solver's rounding has left goes with the rest: ways of its own
/// might lead round in circles.
fn returns(machine: &Machine, results: f64, home: NodeId, way: Way, back: &mut [f64], ways: &mut Vec<Way>) {
    let (mut left, first) = (way.amount, ways.len());
    while left > NOISE {
        let (mut at, mut links, mut amount) = (way.node, Vec::new(), left * results);
        while at != home {
            let next =
                carrying(machine, back, at).max_by(|a, b| back[a.0.index()].total_cmp(&back[b.0.index()]));
            let Some((id, to)) = next else { break };
            links.push(id);
            (amount, at) = (amount.min(back[id.index()]), to);
        }
        if at != home || amount <= NOISE {
            let own = ways.len() > first || left <= CRUMB;
            if let Some(last) = ways.last_mut().filter(|last| own && last.source == way.source) {
                last.amount += left;
                return;
            }
            let links = shortest(machine, way.node, home);
            ways.push(Way { back: links, amount: left, ..way });
            return;
        }
        links.iter().for_each(|id| back[id.index()] = (back[id.index()] - amount).max(0.0));
        ways.push(Way { back: links, amount: amount / results, ..way.clone() });
        left -= amount / results;
    }
}

/// The links of a shortest way.
pub(super) fn shortest(machine: &Machine, from: NodeId, to: NodeId) -> Vec<LinkId> {
    let mut before: Vec<Option<LinkId>> = vec![None; machine.nodes() as usize];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for (link, next) in machine.neighbours(node) {
            if next != from && before[next.index()].is_none() {
                before[next.index()] = Some(link);
                queue.push_back(next);
            }
        }
    }
    let (mut links, mut at) = (Vec::new(), to);
    while let Some(link) = before[at.index()] {
        links.push(link);
        at = machine.source(link);
    }
    links.reverse();
    links
}

/// The ways of a plan's shares: along shortest paths, results back the way their load came.
///
/// # Errors
///
/// As for [`consignments`].
pub(super) fn of_plan(scale: &Scale, variant: &Variant, plan: &Plan) -> Result<Vec<Way>> {
    let problem = scale.problem();
    let machine = problem.machine();
    let mut ways = Vec::new();
    let mut tree = BalancedTree::new(machine);
    let all = consignments(scale, plan)?;
    for of_source in all.chunk_by(|a, b| a.source == b.source) {
        let Some(first) = of_source.first() else { continue };
        let entry = problem.sources()[first.source].node;
        tree.grow(entry, of_source.iter().map(|one| (one.node, one.bytes)));
        for one in of_source {
            let links = tree.links_to(one.node);
            let back = match (variant.results > 0.0, variant.home) {
                (false, _) => Vec::new(),
                (true, Some(home)) => shortest(machine, one.node, home),
                (true, None) => reversed(machine, &links),
            };
            let amount = one.bytes as f64 / scale.bytes() as f64;
            ways.push(Way { source: one.source, node: one.node, links, back, amount });
        }
    }
    Ok(ways)
}

/// The same wires in the other direction.
fn reversed(machine: &Machine, links: &[LinkId]) -> Vec<LinkId> {
    let turned = |&link: &LinkId| {
        let end = machine.target(link).expect("a link of a way leads somewhere");
        machine.wire(end, machine.source(link)).expect("links come in pairs")
    };
    links.iter().rev().map(turned).collect()
}
