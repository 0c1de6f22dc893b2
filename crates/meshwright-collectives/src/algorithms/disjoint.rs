//! Spanning trees that have no link in common, each for its share of the data.
//!
//! # Source
//!
//! `johnsson1989`: rotated trees of a hypercube, here on any box: the generalisation is ours.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::{Tree, beside};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "disjoint-trees",
    summary: "one tree for each axis, on a torus two, without a common link; each streams its share",
    formula: "L (c + h) + b V (k + L - 1) / (t k) in k chunks over t trees of L levels",
    source: "johnsson1989",
    operations: &[Operation::Broadcast, Operation::Reduce, Operation::AllReduce],
    streams: true,
    flow: disjoint,
}];

pub(super) fn disjoint(task: &Task<'_>) -> Result<Flow> {
    let grid = task.grid("disjoint trees")?;
    let axes: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
    let both = if is_torus(grid) { 2 } else { 1 };
    let many = both * axes.len() as u32;
    if many == 1 {
        return Err(Error::not_applicable("disjoint trees", "a line has one tree"));
    }
    beside(task, many, |k, share| {
        let mut turned = axes.clone();
        turned.rotate_left((k / both) as usize);
        let up = (both == 2).then_some(k % 2 == 0);
        Tree::of_parents(task.root, task.members(), |member| parent(grid, &turned, up, task.root, member))
            .flow(share)
    })
}

/// Whether every axis that is one has a wrap link of its own.
fn is_torus(grid: &Grid) -> bool {
    grid.wraps() && grid.sides().iter().all(|&side| side != 2)
}

/// Who tells a member in the tree that leaves the root along the first of these axes, on a torus in this direction only.
///
/// A member that differs from the root there hears along the last axis on which it differs, from the side of the root; any other
/// hears along the first axis, back from there. At each member the trees of different axes so end on different links: if
/// S are the axes on which it differs, those of S take the axis before them in S, the others their own.
fn parent(grid: &Grid, axes: &[usize], up: Option<bool>, root: u32, member: u32) -> u32 {
    let at = |node: u32, axis: usize| grid.coordinate(NodeId(node), axis);
    let differs = |&&axis: &&usize| at(member, axis) != at(root, axis);
    let (axis, inwards) = match axes.first().filter(differs) {
        Some(_) => (*axes.iter().rev().find(differs).expect("the first differs"), true),
        None => (axes[0], false),
    };
    let upwards = match up {
        Some(up) => !up,
        None if inwards => at(member, axis) < at(root, axis),
        None => at(member, axis) + 1 < grid.sides()[axis],
    };
    grid.step(NodeId(member), axis, upwards).expect("inside the box").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    #[test]
    fn no_link_carries_two_trees() -> Result<()> {
        for name in
            ["mesh:4x5", "mesh:2x2", "mesh:3x4x5", "torus:4x5", "torus:3x3x4", "hypercube:5", "torus:2x4"]
        {
            let machine = Machine::new(name)?;
            for root in 0..machine.living_count() {
                let task = Task::new(&machine, Operation::Broadcast, 1 << 20, root)?;
                let flow = disjoint(&task)?;
                let mut wires: Vec<_> = flow
                    .transfers()
                    .iter()
                    .map(|t| machine.wire(NodeId(t.source), NodeId(t.target)).expect("a neighbour"))
                    .collect();
                wires.sort_unstable();
                let many = wires.len();
                wires.dedup();
                assert_eq!(wires.len(), many, "{name} from {root}");
                let levels: u32 = task.grid("a box")?.sides().iter().sum();
                assert!(flow.steps() <= levels, "{name} from {root}: {} levels", flow.steps());
            }
        }
        Ok(())
    }
}
