//! Flooding: everyone tells all its neighbours what it has heard.
//!
//! # Source
//!
//! `hedetniemi1988`: where a member calls all its neighbours at a time, gossip takes as many rounds as the diameter.

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::{Operation, Task};

/// No member.
const NONE: u32 = u32::MAX;

/// The diameter of a machine that is no whole box is searched for up to so many members.
const MEMBERS_MAX: u32 = 4096;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "flooding",
    summary: "a word to all neighbours, as often as the two members farthest apart have links between them",
    formula: "D (c + h), D the diameter",
    source: "hedetniemi1988",
    operations: &[Operation::Barrier],
    streams: false,
    flow: flooding,
}];

fn flooding(task: &Task<'_>) -> Result<Flow> {
    let machine = task.machine();
    if machine.whole_grid().is_none() && task.members() > MEMBERS_MAX {
        let why = format!("{} members of no whole box are more than {MEMBERS_MAX}", task.members());
        return Err(Error::not_applicable("flooding", why));
    }
    let mut number = vec![NONE; machine.nodes() as usize];
    (0..).zip(task.nodes()).for_each(|(member, node)| number[node.index()] = member);
    let mut pairs = Vec::new();
    for (from, &node) in (0..).zip(task.nodes()) {
        let beside = machine.neighbours(node).map(|(_, there)| (from, number[there.index()]));
        let first = pairs.len();
        pairs.extend(beside.filter(|&(_, to)| to != NONE));
        // A side of two has two links to the same neighbour.
        pairs[first..].sort_unstable();
    }
    pairs.dedup();
    // From the first corner of a box nobody is farther than from any other.
    let ends = if machine.whole_grid().is_some() { &task.nodes()[..1] } else { task.nodes() };
    let rounds = ends.iter().map(|&node| machine.eccentricity(node).0).max().unwrap_or(0);
    task.fits(pairs.len().saturating_mul(rounds as usize))?;
    let mut flow = task.flow();
    for round in 0..rounds {
        pairs.iter().for_each(|&(from, to)| flow.combine(round, from, to, [0]));
    }
    Ok(flow)
}
