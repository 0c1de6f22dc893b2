//! Target-aware contraction: the reference's trees, the messages against the direct construction, quality and cost.

mod golden;
mod machines;
mod quality;
mod steps;

use meshwright_core::units::NodeId;
use meshwright_groups::contraction::{Contraction, OrderedTree};
use meshwright_groups::protocol::{Label, Member, Operation, Position, Scheme, Script, Side};
use meshwright_network::topology::{Machine, Topology};

/// The processes of all nodes of a machine, the members of a tree with their programs.
fn members<'s>(
    contraction: &'s Contraction,
    machine: &Machine,
    from: &OrderedTree,
    scripts: Vec<Vec<Operation>>,
) -> Vec<Member<'s, Contraction, Script>> {
    let mut all: Vec<_> =
        (0..machine.nodes()).map(|_| Member::new(contraction, None, Script::default())).collect();
    for ((place, script), node) in
        contraction.places_in(from).into_iter().zip(scripts).zip(from.group.members())
    {
        all[node.index()] = Member::new(contraction, Some((*node, place)), Script::new(script));
    }
    all
}

/// The split by a colour.
fn split(colour: u32) -> Operation {
    Operation::Split(Label { colour, key: 0 })
}

/// Refuses a member's place that is not its place in a tree.
fn check_place(place: &Position<<Contraction as Scheme>::Known>, tree: &OrderedTree, rank: u32) {
    let name = |rank| tree.group.node(rank);
    let links = place.links();
    assert_eq!((place.rank(), place.size()), (rank, tree.group.size()));
    assert_eq!(links.parent, tree.tree.parent(rank).map(name));
    let children: Vec<(NodeId, Side)> = (tree.tree.children(rank).iter())
        .map(|&child| (name(child), if child < rank { Side::Left } else { Side::Right }))
        .collect();
    assert_eq!(links.children[..], children);
}

/// Refuses a tree in which a sub-tree has a gap in its ranks.
fn check_order(tree: &OrderedTree) {
    let size = tree.group.size() as usize;
    let mut low: Vec<u32> = (0..size as u32).collect();
    let (mut high, mut count) = (low.clone(), vec![1u32; size]);
    for &rank in tree.tree.top_down().iter().rev() {
        let at = rank as usize;
        assert_eq!(high[at] - low[at] + 1, count[at], "the ranks below {rank} are consecutive");
        if let Some(up) = tree.tree.parent(rank).map(|up| up as usize) {
            (low[up], high[up]) = (low[up].min(low[at]), high[up].max(high[at]));
            count[up] += count[at];
        }
    }
}
