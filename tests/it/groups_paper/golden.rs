//! Every value of `tests/golden/groups.json` about the paper's split: an independent reference.

use meshwright_core::units::NodeId;
use meshwright_groups::protocol::{Label, Member, Operation, Script, members};
use meshwright_groups::rank_split::{Functions, RankSplit};
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::Machine;
use meshwright_papers::chochia1996::definition;
use meshwright_sim as sim;
use serde_json::Value;

type Members<'s> = Vec<Member<'s, RankSplit, Script>>;

fn golden(key: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../golden/groups.json")).unwrap();
    all[key].as_array().unwrap().clone()
}

fn integer(value: &Value) -> Option<u32> {
    value.as_u64().map(|v| v as u32)
}

fn integers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|v| integer(v).unwrap()).collect()
}

/// The node at (column, row).
fn node(value: &Value, columns: u32) -> Option<NodeId> {
    let at = value.as_array()?;
    Some(NodeId(integer(&at[1]).unwrap() * columns + integer(&at[0]).unwrap()))
}

fn nodes(value: &Value, columns: u32) -> Vec<NodeId> {
    value.as_array().unwrap().iter().map(|at| node(at, columns).unwrap()).collect()
}

fn machine(columns: u32, rows: u32) -> Machine {
    Machine::mesh([rows, columns]).unwrap()
}

/// The members after one split.
fn split<'s>(paper: &'s RankSplit, machine: &Machine, group: &Group, labels: &[u32]) -> Members<'s> {
    let script = |&colour: &u32| Script::new(vec![Operation::Split(Label { colour, key: 0 })]);
    let mut members = members(paper, machine, group, labels.iter().map(script).collect()).unwrap();
    let trace = sim::run(machine, &mut members, &sim::Engine::Message).unwrap();
    assert!(trace.unfinished.is_empty());
    members
}

fn sent(members: &Members) -> Vec<u64> {
    let kinds = members[0].sent().len();
    (0..kinds).map(|kind| members.iter().map(|m| u64::from(m.sent()[kind])).sum()).collect()
}

#[test]
fn groups_and_their_trees() {
    for case in golden("cases") {
        let what = &case["name"];
        let mesh = integers(&case["mesh"]);
        let machine = machine(mesh[0], mesh[1]);
        let order = nodes(&case["order"], mesh[0]);
        let group = Group::in_order(order.clone());
        assert_eq!(group.size(), integer(&case["size"]).unwrap(), "{what}");
        // The generalised Hilbert walk of the reference is ours.
        let index = case["index"].as_str().unwrap().replace("gilbert", "hilbert");
        assert_eq!(Group::of(&machine, &index, &order).unwrap(), group, "{what}: the order {index}");
        let tree = rank_halving::tree(group.size());
        let parents: Vec<_> = case["parent_rank"].as_array().unwrap().iter().map(integer).collect();
        assert_eq!((0..group.size()).map(|r| tree.parent(r)).collect::<Vec<_>>(), parents, "{what}");
        assert_eq!(tree.height_links(&machine, &group), integer(&case["height_links"]).unwrap(), "{what}");
        let depth = (0..group.size()).map(|r| rank_halving::place(r, group.size()).depth).max();
        assert_eq!(depth, integer(&case["depth_edges"]), "{what}");
        let labels = integers(&case["labels"]);
        let mut heights = [None; 2];
        for (colour, part) in group.split(&labels) {
            let height = rank_halving::tree(part.size()).height_links(&machine, &part);
            heights[colour as usize] = Some(height);
        }
        let expected: Vec<_> = case["sub_height_links"].as_array().unwrap().iter().map(integer).collect();
        assert_eq!(heights, expected[..], "{what}: heights of the new trees");
    }
}

/// The functions of the reference at one vertex.
fn expected(case: &Value, rank: usize) -> Functions {
    let pair = |key: &str| [0, 1].map(|x| integer(&case[key][rank][x]).unwrap());
    let largest = |key: &str| [0, 1].map(|x| integer(&case[key][rank][x]));
    Functions {
        state: integer(&case["labels"][rank]).unwrap() as u8,
        left: pair("fL"),
        right: pair("fR"),
        total: [0, 1].map(|x| integer(&case["t"][x]).unwrap()),
        before: pair("b"),
        max_left: largest("mL"),
        max_right: largest("mR"),
    }
}

#[test]
fn functions_and_neighbours_of_every_vertex() {
    // The largest case comes without them.
    let cases: Vec<_> = golden("cases").into_iter().filter(|case| !case["b"].is_null()).collect();
    assert_eq!(cases.len(), 19);
    for case in cases {
        let what = &case["name"];
        let mesh = integers(&case["mesh"]);
        let machine = machine(mesh[0], mesh[1]);
        let group = Group::in_order(nodes(&case["order"], mesh[0]));
        let labels = integers(&case["labels"]);
        let states: Vec<u8> = labels.iter().map(|&colour| colour as u8).collect();
        let recursion = definition::evaluate(&states);
        let sets = definition::functions(&rank_halving::tree(group.size()), &states);
        let paper = RankSplit::default();
        let members = split(&paper, &machine, &group, &labels);
        for (rank, &at) in group.members().iter().enumerate() {
            let expected = expected(&case, rank);
            let member = &members[at.index()];
            let splitting = member.splitting(0).unwrap();
            assert_eq!(splitting.functions(), Some(&expected), "{what}: rank {rank}");
            assert_eq!((recursion[rank], sets[rank]), (expected, expected), "{what}: rank {rank}");
            let place = member.places().last().unwrap();
            let new_rank = integer(&case["new_rank"][rank]).unwrap();
            assert_eq!(place.rank(), new_rank, "{what}: rank {rank}");
            assert_eq!(expected.new_rank(), new_rank, "{what}: rank {rank}");
            let neighbours = splitting.neighbours();
            let given = |key: &str| node(&case[key][rank], mesh[0]);
            assert_eq!(neighbours.parent, given("new_parent"), "{what}: rank {rank}");
            assert_eq!(neighbours.left, given("new_left"), "{what}: rank {rank}");
            assert_eq!(neighbours.right, given("new_right"), "{what}: rank {rank}");
            assert_eq!(neighbours.adjacent_root, given("new_adjacent"), "{what}: rank {rank}");
        }
    }
}

#[test]
fn message_counts_of_every_step() {
    for case in golden("cases") {
        let what = &case["name"];
        let mesh = integers(&case["mesh"]);
        let machine = machine(mesh[0], mesh[1]);
        let group = Group::in_order(nodes(&case["order"], mesh[0]));
        let labels = integers(&case["labels"]);
        let count = |kind: &str| case["messages"][kind].as_u64().unwrap_or(0);
        let all = ["F", "B", "P", "R", "S", "T"].map(count);
        assert_eq!(all[3], case["routing_tree_hops"].as_u64().unwrap(), "{what}");
        for (partial, full) in [(true, true), (false, true), (true, false), (false, false)] {
            let paper = RankSplit { partial, full, ..RankSplit::default() };
            let sent = sent(&split(&paper, &machine, &group, &labels));
            let mut expected = all.to_vec();
            expected[2] *= u64::from(partial);
            expected[4] *= u64::from(full);
            expected[5] *= u64::from(full);
            expected.extend([0, 0, 0]);
            assert_eq!(sent, expected, "{what}: {paper:?}");
        }
        assert_eq!(routed(&group, &labels), case["routing_packets"].as_u64().unwrap(), "{what}");
    }
}

/// Packets of step 4: two for each edge of a new tree, two between the roots where both states are there.
fn routed(group: &Group, labels: &[u32]) -> u64 {
    let parts = group.split(labels);
    let edges: usize = parts.iter().map(|(_, part)| part.members().len() - 1).sum();
    2 * (edges + parts.len() - 1) as u64
}

#[test]
fn the_nested_chain() {
    for level in golden("nested") {
        let mesh = machine(16, 16);
        let group = Group::in_order(nodes(&level["order"], 16));
        let labels = integers(&level["labels"]);
        let paper = RankSplit::short();
        let members = split(&paper, &mesh, &group, &labels);
        let parts = group.split(&labels);
        assert_eq!(parts.len(), 2);
        for (colour, part) in parts {
            let x = colour as usize;
            let tree = rank_halving::tree(part.size());
            assert_eq!(Some(tree.height_links(&mesh, &part)), integer(&level["heights"][x]));
            let root = node(&level["roots"][x], 16).unwrap();
            assert_eq!(part.node(tree.root()), root);
            let place = members[root.index()].places().last().unwrap();
            assert_eq!((place.links().parent, place.size()), (None, part.size()));
            assert_eq!(place.adjacent_root(), node(&level["roots"][1 - x], 16));
        }
    }
}
