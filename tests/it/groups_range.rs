//! Ranges of an order against lists of members, and trees that are cut along one path.

use meshwright_core::units::NodeId;
use meshwright_groups::protocol::{
    Here, Label, Operation, Operator, Outcome, Program, Scheme, Script, members,
};
use meshwright_groups::{Group, Tree, rank_halving};
use meshwright_network::topology::Machine;
use meshwright_network::topology::order::ORDERS;
use meshwright_papers::range::{RangeGroup, Ranges, cut};
use meshwright_sim as sim;
use proptest::prelude::*;

const MACHINES: [&str; 6] = ["mesh:8x8", "mesh:5x7", "torus:4x6", "mesh:3x4x5", "mesh:13", "hypercube:4"];

#[test]
fn ranges_are_stretches_of_the_order() {
    for name in MACHINES {
        let machine = Machine::new(name).unwrap();
        for order in ORDERS {
            let list = Group::whole(&machine, order.name).unwrap();
            let whole = RangeGroup::whole(&machine, order.name).unwrap();
            assert_eq!(whole.to_group(), list);
            let size = list.size();
            for (first, end) in [(0, size), (size / 3, size - 1), (size / 2, size / 2), (size - 1, size)] {
                let part = whole.part(first, end);
                let members = &list.members()[first as usize..end as usize];
                assert_eq!(part.to_group().members(), members, "{name} {}", order.name);
                assert_eq!(part.part(0, part.size()), part);
                if members.is_empty() {
                    continue;
                }
                let tree = rank_halving::tree(part.size());
                for rank in 0..part.size() {
                    let links = part.links(rank);
                    let node = |rank: u32| members[rank as usize];
                    assert_eq!(links.parent, tree.parent(rank).map(node));
                    let children: Vec<NodeId> = links.children.iter().map(|&(child, _)| child).collect();
                    assert_eq!(children, tree.children(rank).iter().map(|&c| node(c)).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn ranges_need_a_whole_machine_and_their_own_group() {
    let machine = Machine::new("mesh:2x3").unwrap();
    let wounded = machine.clone().with_dead(vec![NodeId(5)]).unwrap();
    assert!(RangeGroup::whole(&wounded, "row").is_err());
    assert!(RangeGroup::whole(&machine, "diagonal").is_err());
    let half = RangeGroup::whole(&machine, "row").unwrap().part(0, 3);
    let other = Group::whole(&machine, "snake").unwrap();
    assert!(Ranges::new(half).places(&machine, &other).is_err());
    assert!(Ranges::new(half).places(&machine, &half.to_group()).is_ok());
}

fn range(first: u32, end: u32) -> Operation {
    Operation::Split(Label { colour: first, key: end })
}

#[test]
fn splits_into_known_ranges_send_nothing_and_keep_two_numbers() {
    let machine = Machine::new("mesh:16x16").unwrap();
    let whole = RangeGroup::whole(&machine, "hilbert").unwrap();
    let scheme = Ranges::new(whole);
    // Three parts, and the middle one in halves.
    let script = |rank: u32| {
        Script::new(match rank {
            0..50 => vec![range(0, 50), Operation::AllReduce(Operator::Sum, 1)],
            50..200 if rank < 120 => vec![range(50, 200), range(0, 70)],
            50..200 => vec![range(50, 200), range(70, 150)],
            _ => vec![range(200, 256)],
        })
    };
    let group = whole.to_group();
    let mut processes = members(&scheme, &machine, &group, (0..256).map(script).collect()).unwrap();
    let trace = sim::run(&machine, &mut processes, &sim::Engine::Message).unwrap();
    assert!(trace.unfinished.is_empty());
    assert_eq!(trace.messages, 2 * 49, "those of the one all-reduce");
    let parts = [whole.part(0, 50), whole.part(50, 120), whole.part(120, 200), whole.part(200, 256)];
    for (rank, &node) in (0..).zip(group.members()) {
        let place = processes[node.index()].places().last().unwrap();
        let part = parts.iter().find(|part| *place.known() == **part).expect("one of the four");
        assert_eq!(part.node(place.rank()), node);
        assert_eq!(group.node(rank), node);
        assert!(processes[node.index()].bytes_kept() < 1000, "three levels of O(1)");
    }
}

/// The root of the tree finds where to cut; all others hear of it.
#[derive(Default)]
struct Told {
    step: u32,
    place: (u32, u32),
}

const CUT: u64 = 77;

impl Program for Told {
    fn next(&mut self, here: Here) -> Operation {
        self.step += 1;
        self.place = (here.rank, here.size);
        match (self.step, here.outcome) {
            (1, _) => {
                let root = here.size / 2;
                Operation::Broadcast { from: root, value: if here.rank == root { CUT } else { 0 } }
            }
            (2, Outcome::Value(cut)) if u64::from(here.rank) < cut => range(0, cut as u32),
            (2, Outcome::Value(cut)) => range(cut as u32, here.size),
            _ => Operation::Stop,
        }
    }
}

#[test]
fn a_cut_that_one_member_knows_takes_one_broadcast() {
    let machine = Machine::new("mesh:10x10").unwrap();
    let whole = RangeGroup::whole(&machine, "snake").unwrap();
    let scheme = Ranges::new(whole);
    let programs = (0..100).map(|_| Told::default()).collect();
    let mut processes = members(&scheme, &machine, &whole.to_group(), programs).unwrap();
    let trace = sim::run(&machine, &mut processes, &sim::Engine::Message).unwrap();
    assert_eq!(trace.messages, 99);
    for rank in 0..100 {
        let place = processes[whole.node(rank).index()].program().place;
        assert_eq!(place, if rank < 77 { (rank, 77) } else { (rank - 77, 23) });
    }
}

/// The ranks whose parent or children differ, from the trees alone.
fn different(before: &Tree, at: u32, below: Option<&Tree>, above: Option<&Tree>) -> Vec<u32> {
    let edges = |rank: u32| {
        let (tree, shift) = if rank < at { (below, 0) } else { (above, at) };
        let tree = tree.expect("it has a member");
        let children: Vec<u32> = tree.children(rank - shift).iter().map(|c| c + shift).collect();
        (tree.parent(rank - shift).map(|p| p + shift), children)
    };
    let old = |rank| (before.parent(rank), before.children(rank).to_vec());
    (0..before.size()).filter(|&rank| edges(rank) != old(rank)).collect()
}

fn depth(tree: &Tree) -> usize {
    let up = |rank: u32| std::iter::successors(Some(rank), |&rank| tree.parent(rank)).count();
    (0..tree.size()).map(up).max().unwrap_or(0)
}

proptest! {
    #[test]
    fn a_cut_changes_the_edges_on_one_path(size in 1u32..300, cuts in prop::collection::vec(0.0f64..1.0, 1..4)) {
        let mut tree = rank_halving::tree(size);
        for place in cuts {
            let at = (place * f64::from(tree.size() + 1)) as u32;
            let halves = cut(&tree, at);
            prop_assert_eq!(halves.below.is_some(), at > 0);
            prop_assert_eq!(halves.above.is_some(), at < tree.size());
            prop_assert_eq!(&halves.changed, &different(&tree, at, halves.below.as_ref(), halves.above.as_ref()));
            // One path of at most depth edges, each cut or hung at two ends.
            prop_assert!(halves.changed.len() <= 2 * depth(&tree));
            for half in [&halves.below, &halves.above].into_iter().flatten() {
                prop_assert!(half.keeps_order());
                prop_assert!(depth(half) <= depth(&tree));
            }
            let Some(next) = halves.above.or(halves.below) else { unreachable!("a tree has a vertex") };
            tree = next;
        }
    }
}
