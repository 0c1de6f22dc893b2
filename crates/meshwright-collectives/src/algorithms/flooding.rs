//! Flooding: everyone tells all its neighbours what it has heard.
//!
//! # Source
//!
//! `hedetniemi1988`: where a member calls all its neighbours at a time, gossip takes as many rounds as the diameter.

use std::collections::BTreeSet;

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use super::multitree::neighbours;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::{Operation, Task};

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
    let of_member = |(from, beside): (u32, Vec<(u32, u32)>)| {
        // A side of two has two links to the same neighbour.
        let others: BTreeSet<u32> = beside.into_iter().map(|(_, to)| to).collect();
        others.into_iter().map(move |to| (from, to))
    };
    let pairs: Vec<(u32, u32)> = (0..).zip(neighbours(task)).flat_map(of_member).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    /// Everybody has heard of everybody after as many rounds as the diameter, and not one round before.
    #[test]
    fn it_takes_as_many_rounds_as_the_diameter() {
        let holes = |name: &str, dead: &[u32]| {
            Machine::new(name).unwrap().with_dead(dead.iter().copied().map(NodeId).collect()).unwrap()
        };
        for (machine, rounds) in [
            (holes("mesh:3x5", &[]), 6),
            (holes("torus:4x4", &[]), 4),
            (holes("torus:2x2", &[]), 2),
            (holes("hypercube:4", &[]), 4),
            (holes("mesh:1x1", &[]), 0),
            (holes("torus:3x3", &[0]), 2),
            (holes("mesh:3x3", &[1, 4]), 6),
            (holes("ccc:3", &[]), 6),
        ] {
            let task = Task::new(&machine, Operation::Barrier, 0, 0).unwrap();
            let flow = flooding(&task).unwrap();
            assert_eq!(flow.steps(), rounds, "{}", machine.name());
            assert_eq!(flow.check(Operation::Barrier, 0, 0), Ok(()), "{}", machine.name());
            let mut short = task.flow();
            let all = flow.transfers().iter().filter(|transfer| transfer.step + 1 < rounds);
            all.for_each(|transfer| short.combine(transfer.step, transfer.source, transfer.target, [0]));
            assert_eq!(short.check(Operation::Barrier, 0, 0).is_ok(), rounds == 0, "{}", machine.name());
        }
    }
}
