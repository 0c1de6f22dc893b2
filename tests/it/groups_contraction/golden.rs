//! Every TAC tree of `tests/golden/groups.json`.
//!
//! The reference splits the rank-halving tree of the nodes in the order of the Hilbert curve; on a mesh whose side is no
//! power of two it walks the next larger curve and leaves out what lies outside.

use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::contraction::Contraction;
use meshwright_network::topology::Machine;
use meshwright_network::topology::order::order;
use serde_json::Value;

/// The reference's nodes, in its order, and per node its index there.
fn walk(side: u32, nodes: &[NodeId]) -> Vec<(NodeId, usize)> {
    let curve = side.next_power_of_two();
    let walk = (order("hilbert").unwrap().walk)(&[curve, curve]);
    let on_mesh = walk.into_iter().map(|node| (node.0 / curve, node.0 % curve));
    on_mesh
        .filter_map(|(row, column)| {
            let node = NodeId(row * side + column);
            let at = nodes.iter().position(|&other| row < side && column < side && other == node)?;
            Some((node, at))
        })
        .collect()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn trees_are_those_of_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../../golden/groups.json")).unwrap();
    let mut checked = 0;
    for entry in golden["better_trees"].as_array().unwrap() {
        let side = entry["mesh"].as_u64().unwrap() as u32;
        let nodes: Vec<NodeId> = (entry["nodes"].as_array().unwrap().iter())
            .map(|at| NodeId((at[1].as_u64().unwrap() as u32) * side + at[0].as_u64().unwrap() as u32))
            .collect();
        let machine = Machine::mesh([side, side]).unwrap();
        let contraction = Contraction::new(&machine).unwrap();
        let walk = walk(side, &nodes);
        let from = contraction.halving(&Group::in_order(walk.iter().map(|&(node, _)| node).collect()));
        let labels = numbers(&entry["labels"]);
        let colours: Vec<u32> = walk.iter().map(|&(_, at)| labels[at] as u32).collect();
        for (colour, part) in contraction.split(&from, &colours) {
            let expected = &entry["TAC"][colour.to_string()];
            let index = |node: NodeId| nodes.iter().position(|&other| other == node).unwrap() as u64;
            let name = |rank: u32| index(part.group.node(rank));
            let order: Vec<u64> = (0..part.group.size()).map(name).collect();
            assert_eq!(order, numbers(&expected["order"]));
            assert_eq!(name(part.tree.root()), expected["root"].as_u64().unwrap());
            let height = part.tree.height_links(&machine, &part.group);
            assert_eq!(u64::from(height), expected["height"].as_u64().unwrap());
            for rank in 0..part.group.size() {
                let parent = part.tree.parent(rank).map(name);
                assert_eq!(parent, expected["parent"][name(rank) as usize].as_u64());
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 20 + 2 + 60 + 150);
}
