//! Steps from the root of a group to its members.

use super::Group;
use meshwright_network::topology::{Grid, Topology};

/// Steps from the root to every member, along the axes that have more than one node, the last axis first.
///
/// On a torus they go the shorter way round, half-way up. Between the root and a member the box of their steps is then a
/// box of the network: of two members in one orthant, the difference of their steps is a shortest way.
pub(super) struct Displacements {
    /// How many axes there are.
    pub(super) axes: usize,
    steps: Vec<i32>,
}

impl Displacements {
    pub(super) fn new(grid: &Grid, group: &Group, root: u32) -> Self {
        let axes: Vec<usize> = (0..grid.dimensions()).rev().filter(|&axis| grid.sides()[axis] > 1).collect();
        let root = group.node(root);
        let mut steps = Vec::with_capacity(axes.len() * group.members().len());
        for &node in group.members() {
            steps.extend(axes.iter().map(|&axis| {
                let (links, is_up) = grid.offset(root, node, axis);
                if is_up { links as i32 } else { -(links as i32) }
            }));
        }
        Self { axes: axes.len(), steps }
    }

    /// The steps from the root to a member.
    #[inline]
    pub(super) fn of(&self, rank: u32) -> &[i32] {
        &self.steps[rank as usize * self.axes..(rank as usize + 1) * self.axes]
    }
}
