//! The direct construction: what every member has to find, from the whole group and all its labels.

use meshwright_core::units::NodeId;
use meshwright_groups::protocol::Position;
use meshwright_groups::rank_split::AdjacentRoot;
use meshwright_groups::rank_split::neighbours::Neighbours;
use meshwright_groups::{Group, rank_halving};

/// The place of every member.
type Places = Vec<(NodeId, Position<AdjacentRoot>)>;

/// The new place of every member, in the order of old ranks; and the new groups.
pub(super) fn places(group: &Group, labels: &[u32]) -> (Places, Vec<(u32, Group)>) {
    let parts = group.split(labels);
    let root = |part: &Group| part.node(rank_halving::tree(part.size()).root());
    let mut places = Vec::new();
    for (colour, part) in &parts {
        let tree = rank_halving::tree(part.size());
        let other = parts.iter().find(|(other, _)| other != colour).map(|(_, other)| root(other));
        for (rank, &node) in (0..).zip(part.members()) {
            let child = |left: bool| {
                let child = tree.children(rank).iter().find(|&&child| (child < rank) == left);
                child.map(|&child| part.node(child))
            };
            let neighbours = Neighbours {
                parent: tree.parent(rank).map(|parent| part.node(parent)),
                left: child(true),
                right: child(false),
                adjacent_root: other.filter(|_| tree.root() == rank),
            };
            places.push((node, Position::beside(rank, part.size(), neighbours)));
        }
    }
    let old_rank = |node: NodeId| group.members().iter().position(|&member| member == node);
    places.sort_by_key(|&(node, _)| old_rank(node));
    (places, parts)
}
