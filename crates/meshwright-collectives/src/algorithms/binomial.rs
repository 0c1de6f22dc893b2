//! The binomial tree over the numbers of the members.
//!
//! # Source
//!
//! `thakur2005`, section 3.2.

use meshwright_core::error::Result;

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::Tree;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "binomial",
    summary: "a binomial tree: who has it tells the member p/2, p/4, ..., 1 after itself",
    formula: "ceil(log2 p) (c + h d + b V)",
    source: "thakur2005",
    operations: &[
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Scatter,
        Operation::Gather,
        Operation::AllReduce,
        Operation::Barrier,
    ],
    streams: true,
    flow: binomial,
}];

/// The member that the one at a place of the tree is. Of a power of two of members the tree is that of the hypercube,
/// whatever its root: neighbours differ in one bit.
fn member(members: u32, root: u32, at: u32) -> u32 {
    if members.is_power_of_two() { root ^ at } else { (root + at) % members }
}

fn binomial(task: &Task<'_>) -> Result<Flow> {
    let (members, root) = (task.members(), task.root);
    let member = |at: u32| member(members, root, at);
    let steps = members.next_power_of_two().trailing_zeros();
    let mut tree = Tree::default();
    for step in 0..steps {
        let far = 1u32 << (steps - 1 - step);
        for at in (0..members).step_by(2 * far as usize) {
            if at + far < members {
                tree.edges.push((step, member(at), member(at + far)));
            }
        }
    }
    tree.flow(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};

    /// On a hypercube every message of the tree takes one link, from any root.
    #[test]
    fn neighbours_of_a_hypercube_tell_each_other() {
        let machine = Machine::new("hypercube:4").unwrap();
        for root in 0..16 {
            let member = |at: u32| member(16, root, at);
            let steps =
                (0..4).flat_map(|step| (0..1u32 << step).map(move |at| (at << (4 - step), 8u32 >> step)));
            for (at, far) in steps {
                let [from, to] = [member(at), member(at + far)].map(NodeId);
                assert_eq!(machine.distance(from, to).map(|hops| hops.0), Some(1), "{root}: {from:?} {to:?}");
            }
        }
        // Of another number of members all take part, from any root.
        for members in 1..40 {
            for root in 0..members {
                let mut all: Vec<u32> = (0..members).map(|at| member(members, root, at)).collect();
                assert_eq!(all[0], root);
                all.sort_unstable();
                assert!(all.into_iter().eq(0..members));
            }
        }
    }
}
