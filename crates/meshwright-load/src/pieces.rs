//! The connected pieces of a set of nodes.

use fixedbitset::FixedBitSet;

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

/// The pieces of a set that hang together by links between its members: each in increasing order, and one before the
/// other as their first members stand in the set.
///
/// # Complexity
///
/// O(nodes / 64 + n log n + ports of the members) for n members.
pub(super) fn pieces(machine: &Machine, set: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut left = FixedBitSet::with_capacity(machine.nodes() as usize);
    left.extend(set.iter().map(|node| node.index()));
    let mut pieces = Vec::new();
    for &first in set {
        if !left.contains(first.index()) {
            continue;
        }
        left.remove(first.index());
        let (mut piece, mut at) = (vec![first], 0);
        while let Some(&node) = piece.get(at) {
            at += 1;
            for (_, next) in machine.neighbours(node) {
                if left.contains(next.index()) {
                    left.remove(next.index());
                    piece.push(next);
                }
            }
        }
        piece.sort_unstable();
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    #[test]
    fn pieces_hang_together_by_links() {
        let mesh = Machine::new("mesh:3x4").unwrap();
        let set = [9, 0, 1, 5, 11, 3].map(NodeId);
        let expected: Vec<Vec<NodeId>> = [&[0, 1, 5, 9][..], &[11], &[3]]
            .map(|piece| piece.iter().copied().map(NodeId).collect())
            .to_vec();
        assert_eq!(pieces(&mesh, &set), expected);
        let split = mesh.with_dead(vec![NodeId(5)]).unwrap();
        assert_eq!(pieces(&split, &[9, 1].map(NodeId)), [[NodeId(9)], [NodeId(1)]]);
    }
}
