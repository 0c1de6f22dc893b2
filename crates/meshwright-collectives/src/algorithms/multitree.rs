//! MultiTree: a tree from every member, grown together so that no step uses a link twice.
//!
//! # Source
//!
//! `huang2021`: top-down construction by turns.

use std::collections::VecDeque;

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::by_all_gather;
use crate::{Operation, Task};

/// No member.
const NONE: u32 = u32::MAX;

/// More members than this would have too many trees.
const MEMBERS_MAX: u32 = 1024;

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "multitree",
    summary: "a tree from every member for its part, all grown together so that no step uses a link twice",
    formula: "2 s (c + h + b V / p) in s steps, at least (p - 1) / deg of them",
    source: "huang2021",
    operations: &[Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter],
    streams: false,
    flow: |task| by_all_gather(task, &all_gather(task)?),
}];

/// A tree that grows.
struct Growing {
    /// Who has the part, in the order in which they got it, those first that may still have a neighbour without it.
    front: VecDeque<u32>,
    /// By member the step from which on it has the part.
    since: Vec<u32>,
    /// How many have it.
    reached: u32,
}

/// All trees, in each step each by turns one link, as long as one finds one.
fn all_gather(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    if members > MEMBERS_MAX {
        let why = format!("{members} members are more than {MEMBERS_MAX}");
        return Err(Error::not_applicable("MultiTree", why));
    }
    task.fits((members * members) as usize)?;
    let mut flow = task.with(Operation::AllGather, task.root).flow();
    let links = neighbours(task);
    let start = |root: u32| {
        let mut since = vec![NONE; members as usize];
        since[root as usize] = 0;
        Growing { front: VecDeque::from([root]), since, reached: 1 }
    };
    let mut trees: Vec<Growing> = (0..members).map(start).collect();
    let mut used = vec![NONE; links.iter().flatten().map(|&(link, _)| link as usize + 1).max().unwrap_or(0)];
    let mut step = 0;
    while trees.iter().any(|tree| tree.reached < members) {
        let before = flow.transfers().len();
        loop {
            let mut is_over = true;
            for (root, tree) in (0..).zip(&mut trees).filter(|(_, tree)| tree.reached < members) {
                if let Some((from, to)) = tree.grow(step, &links, &mut used) {
                    flow.copy(step, from, to, [root]);
                    is_over = false;
                }
            }
            if is_over {
                break;
            }
        }
        if flow.transfers().len() == before {
            return Err(Error::not_applicable(
                "MultiTree",
                "the members are not connected by links of their own",
            ));
        }
        step += 1;
    }
    Ok(flow)
}

/// By member its links to other members.
pub(super) fn neighbours(task: &Task<'_>) -> Vec<Vec<(u32, u32)>> {
    let mut number = vec![NONE; task.machine().nodes() as usize];
    for (member, node) in (0..).zip(task.nodes()) {
        number[node.index()] = member;
    }
    let of = |&node: &meshwright_core::units::NodeId| {
        let those = task.machine().neighbours(node);
        those
            .map(|(link, there)| (link.0, number[there.index()]))
            .filter(|&(_, there)| there != NONE)
            .collect()
    };
    task.nodes().iter().map(of).collect()
}

impl Growing {
    /// One more link, free in this step, from the first that has the part; none if there is none.
    fn grow(&mut self, step: u32, links: &[Vec<(u32, u32)>], used: &mut [u32]) -> Option<(u32, u32)> {
        let lacks = |since: &[u32], there: u32| since[there as usize] == NONE;
        while let Some(&first) = self.front.front() {
            if links[first as usize].iter().any(|&(_, there)| lacks(&self.since, there)) {
                break;
            }
            self.front.pop_front();
        }
        for &from in &self.front {
            if self.since[from as usize] > step {
                break;
            }
            for &(link, there) in &links[from as usize] {
                if lacks(&self.since, there) && used[link as usize] != step {
                    used[link as usize] = step;
                    self.since[there as usize] = step + 1;
                    self.reached += 1;
                    self.front.push_back(there);
                    return Some((from, there));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    #[test]
    fn no_step_uses_a_link_twice() -> Result<()> {
        for (name, most) in [("torus:8x8", 20), ("mesh:8x8", 40), ("torus:4x4x4", 14), ("mesh:5x3", 11)] {
            let machine = Machine::new(name)?;
            let task = Task::new(&machine, Operation::AllGather, 1 << 16, 0)?;
            let flow = all_gather(&task)?;
            let wire = |t: &crate::flow::Transfer| {
                let [from, to] = [t.source, t.target].map(|member| task.nodes()[member as usize]);
                (t.step, machine.wire(from, to).expect("a neighbour"))
            };
            let mut wires: Vec<_> = flow.transfers().iter().map(wire).collect();
            wires.sort_unstable();
            assert!(wires.windows(2).all(|two| two[0] != two[1]), "{name}");
            let least = (task.members() - 1).div_ceil(machine.neighbours(task.nodes()[0]).count() as u32);
            assert!(
                (least..=most).contains(&flow.steps()),
                "{name}: {} steps, at least {least}",
                flow.steps()
            );
        }
        Ok(())
    }
}
