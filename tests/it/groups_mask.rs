//! The scheme MASK: new groups equal what the definition of a split says, on every machine and in every order of
//! arrival; what it sends is counted by hand; its figures in the paper's model.

mod figures;
mod programs;
mod witness;

use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::mask::{Mask, TreeOf};
use meshwright_groups::protocol::{Label, Member, Operation, Scheme, Script, members};
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim as sim;

/// The trees of the paper.
const HALVING: TreeOf = |_, group| Ok(rank_halving::tree(group.size()));

fn label(colour: u32, key: u32) -> Label {
    Label { colour, key }
}

/// The members of a group after one split.
fn split<'s, 'm>(
    mask: &'s Mask<'m>,
    machine: &Machine,
    group: &Group,
    labels: &[Label],
) -> Vec<Member<'s, Mask<'m>, Script>> {
    let script = |&label: &Label| Script::new(vec![Operation::Split(label)]);
    let programs = labels.iter().map(script).collect();
    let mut processes = members(mask, machine, group, programs).unwrap();
    let trace = sim::run(machine, &mut processes, &sim::Engine::Message).unwrap();
    assert!(trace.unfinished.is_empty(), "{}: {:?}", machine.name(), trace.unfinished);
    processes
}

/// Asserts that after one split everybody is where the definition says.
fn check(mask: &Mask<'_>, machine: &Machine, group: &Group, labels: &[Label]) {
    let processes = split(mask, machine, group, labels);
    let colours: Vec<u32> = labels.iter().map(|label| label.colour).collect();
    let keys: Vec<u32> = labels.iter().map(|label| label.key).collect();
    for (colour, part) in group.split_by(&colours, &keys) {
        for (rank, &node) in (0..).zip(part.members()) {
            let place = processes[node.index()].places().last().unwrap();
            let membership = place.known();
            assert_eq!(
                (membership.group(), place.rank()),
                (&part, rank),
                "{} colour {colour}",
                machine.name()
            );
            assert_eq!(membership.tree(), &rank_halving::tree(part.size()));
            assert_eq!(place.links(), &membership.links(rank));
        }
    }
}

/// Numbers that look random, the same in every run.
fn mix(i: u32) -> u32 {
    let mut z = i.wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    z = (z ^ (z >> 13)).wrapping_mul(0xc2b2_ae35);
    z ^ (z >> 16)
}

/// What each rank brings to a split.
type Labelling = fn(u32) -> Label;

#[test]
fn special_splits_are_right() {
    let cases: [(&str, Labelling); 8] = [
        ("all equal", |_| label(7, 0)),
        ("all different", |i| label(mix(i), 0)),
        ("two halves", |i| label(u32::from(i < 13), 0)),
        ("one against all", |i| label(u32::from(i == 4), 0)),
        ("one colour backwards", |i| label(0, u32::MAX - i)),
        ("duplicate colours and keys", |i| label(mix(i) % 3, mix(i + 99) % 2)),
        ("the ends of the numbers", |i| {
            label(if i % 2 == 0 { 0 } else { u32::MAX }, if i % 3 == 0 { u32::MAX } else { 0 })
        }),
        ("runs", |i| label(i / 9 * 1_000_000_000, i / 5)),
    ];
    for machine in ["mesh:1x1", "mesh:1x2", "mesh:5x5"].map(|name| Machine::new(name).unwrap()) {
        let group = Group::whole(&machine, "hilbert").unwrap();
        for (_, label) in cases {
            let labels: Vec<Label> = (0..group.size()).map(label).collect();
            for block in [8, 24, 1 << 20] {
                let mask = Mask::new(&machine, HALVING).in_blocks(Bytes(block));
                check(&mask, &machine, &group, &labels);
            }
        }
    }
}

#[test]
fn it_works_on_every_machine_with_the_dead_left_out() {
    for name in ["torus:4x5", "torus:7", "mesh:3x7", "mesh:3x4x5", "torus:3x3x3", "hypercube:5", "mesh:9x2"] {
        let machine = Machine::new(name).unwrap();
        for dead in [vec![], vec![NodeId(1)], vec![NodeId(0), NodeId(1)]] {
            let Ok(machine) = machine.clone().with_dead(dead.clone()) else { continue };
            let group = Group::whole(&machine, "hilbert").unwrap();
            assert!(dead.iter().all(|node| !group.members().contains(node)));
            let labels: Vec<Label> = (0..group.size()).map(|i| label(mix(i) % 3, mix(i + 7) % 4)).collect();
            check(&Mask::new(&machine, HALVING), &machine, &group, &labels);
            check(&Mask::new(&machine, HALVING).knowing(3, 4), &machine, &group, &labels);
        }
    }
    // An L: the lower left of a mesh without its upper right quarter.
    let machine = Machine::new("mesh:8x8").unwrap();
    let l_shape: Vec<NodeId> = (0..64).filter(|i| i / 8 >= 4 || i % 8 < 4).map(NodeId).collect();
    let group = Group::of(&machine, "snake", &l_shape).unwrap();
    let labels: Vec<Label> = (0..48).map(|i| label(mix(i) % 2, 0)).collect();
    check(&Mask::new(&machine, HALVING).knowing(2, 1), &machine, &group, &labels);
}

#[test]
fn members_that_died_are_left_out_of_the_group_that_goes_on() {
    let machine = Machine::new("mesh:4x4").unwrap();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let dead = [group.node(0), group.node(9), group.node(15)];
    let left = group.without(&dead);
    let expected: Vec<NodeId> = (0..16).filter(|r| ![0, 9, 15].contains(r)).map(|r| group.node(r)).collect();
    assert_eq!(left.members(), expected, "the others keep their order");
    let wounded = machine.clone().with_dead(dead.to_vec()).unwrap();
    assert_eq!(left, Group::whole(&wounded, "hilbert").unwrap());
    let labels: Vec<Label> = (0..13).map(|i| label(i % 2, 13 - i)).collect();
    check(&Mask::new(&wounded, HALVING), &wounded, &left, &labels);
    assert_eq!(group.without(group.members()).size(), 0);
}

#[test]
fn what_is_sent_is_counted_by_hand() {
    // On a line of seven, ranks along the line: the root is 3, its children 1 and 5, four leaves.
    let machine = Machine::new("mesh:1x7").unwrap();
    let group = Group::whole(&machine, "row").unwrap();
    let sent = |mask: &Mask<'_>, labels: &[Label]| {
        let processes = split(mask, &machine, &group, labels);
        let sum = |step: usize| processes.iter().map(|member| member.sent()[step]).sum::<u32>();
        [0, 1, 2, 3].map(sum)
    };
    let halves: Vec<Label> = (0..7).map(|i| label(u32::from(i > 2), 0)).collect();
    let wide: Vec<Label> = (0..7).map(|i| label(i << 29, i << 29)).collect();
    let mask = Mask::new(&machine, HALVING);
    // Two colours fit into one block on each of the six edges, both ways.
    assert_eq!(sent(&mask.clone().knowing(2, 1), &halves), [0, 0, 6, 6]);
    assert_eq!(sent(&mask.clone(), &halves), [12, 12, 6, 6]);
    // Equal labels: nothing has to be told when it is known, one barrier when it is not.
    assert_eq!(sent(&mask.clone().knowing(1, 1), &[label(0, 0); 7]), [0; 4]);
    assert_eq!(sent(&mask.clone(), &[label(9, 9); 7]), [12, 12, 0, 0]);
    // 2 x 32 bits a label: a block each, so 1 + 1 + 3 on the edges of each side, and 7 down every edge.
    assert_eq!(sent(&mask.clone().knowing(u32::MAX, u32::MAX), &wide), [0, 0, 10, 42]);
    // In one block: 2 (s - 1) messages whatever the labels are.
    assert_eq!(sent(&mask.knowing(u32::MAX, u32::MAX).in_blocks(Bytes(56)), &wide), [0, 0, 6, 6]);
}

#[test]
fn memory_grows_with_the_group_and_goes_with_the_join() {
    let machine = Machine::new("mesh:8x8").unwrap();
    let group = Group::whole(&machine, "row").unwrap();
    let mask = Mask::new(&machine, HALVING);
    let places = mask.places(&machine, &group).unwrap();
    let alone = Mask::bytes_kept(&places[0], None);
    // A member and six numbers of four bytes for each of 64 members, and what does not grow.
    assert!((64 * 28..64 * 28 + 600).contains(&alone), "{alone}");
    let programs = (0..64).map(|i| Script::new(vec![Operation::Split(label(i % 2, 0)), Operation::Join]));
    let mut processes = members(&mask, &machine, &group, programs.collect()).unwrap();
    sim::run(&machine, &mut processes, &sim::Engine::Message).unwrap();
    assert_eq!(processes[0].bytes_kept(), alone);
    let labels: Vec<Label> = (0..64).map(|i| label(i % 2, 0)).collect();
    let inside = split(&mask, &machine, &group, &labels)[0].bytes_kept();
    assert!(inside >= alone + 64 * 8 + 32 * 28, "the labels and the new group: {inside}");
}

#[test]
fn a_promise_about_labels_is_held() {
    let machine = Machine::new("mesh:1x3").unwrap();
    let group = Group::whole(&machine, "row").unwrap();
    let mask = Mask::new(&machine, HALVING).knowing(2, 1);
    for labels in [[label(2, 0); 3], [label(0, 1); 3]] {
        let broken = std::panic::catch_unwind(|| drop(split(&mask, &machine, &group, &labels)));
        assert!(broken.is_err(), "{labels:?}");
    }
    assert_eq!(machine.nodes(), 3);
}
