//! The protocol under messages that take as long as they like.

use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, LogEntry, Member, Operation, Program, Scheme, Script, members};
use meshwright_groups::rank_split::{Joining, RankSplit};
use meshwright_network::topology::Machine;
use meshwright_sim as sim;
use meshwright_sim::any_order::{self, Adversary, Order};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::direct;

const SWITCHES: [(bool, bool); 4] = [(true, true), (false, true), (true, false), (false, false)];

fn paper((partial, full): (bool, bool)) -> RankSplit {
    RankSplit { partial, full, ..RankSplit::default() }
}

/// One of all adversaries.
pub(super) fn adversary(in_channels: bool, seed: u64, group: &Group) -> Adversary {
    let victim = |of: u64| group.node((seed / of % u64::from(group.size())) as u32);
    let orders = [
        Order::Random,
        Order::NewestFirst,
        Order::StarveNode(victim(5)),
        Order::StarvePair(victim(5), victim(7)),
        Order::OldestFirst,
    ];
    Adversary { order: orders[seed as usize % orders.len()], in_channels, seed }
}

/// Runs members to the end.
pub(super) fn run<S: Scheme, P: Program>(members: &mut [Member<'_, S, P>], adversary: Adversary) {
    let trace = any_order::run_processes(members, adversary).unwrap();
    assert!(trace.unfinished.is_empty(), "{adversary:?}: {:?} wait for ever", trace.unfinished);
}

/// Members that all do the same, but with labels of their own.
fn all<'s>(
    paper: &'s RankSplit,
    machine: &Machine,
    group: &Group,
    labels: &[u32],
    operations: impl Fn(Operation) -> Vec<Operation>,
) -> Vec<Member<'s, RankSplit, Script>> {
    let script = |&colour: &u32| Script::new(operations(Operation::Split(Label { colour, key: 0 })));
    members(paper, machine, group, labels.iter().map(script).collect()).unwrap()
}

/// Nobody goes on before the last has come: every operation of every group has a moment at which all are inside.
///
/// How many operations of groups there were.
pub(super) fn check_logs<S: Scheme, P: Program>(members: &[Member<'_, S, P>]) -> usize {
    use std::collections::BTreeMap;
    let mut groups: BTreeMap<(u64, usize), Vec<LogEntry>> = BTreeMap::new();
    for member in members {
        let mut done: BTreeMap<u64, usize> = BTreeMap::new();
        for entry in member.log() {
            let number = done.entry(entry.group).or_default();
            groups.entry((entry.group, *number)).or_default().push(*entry);
            *number += 1;
        }
    }
    for entries in groups.values() {
        assert_eq!(entries.len(), entries[0].size as usize, "all members do it: {entries:?}");
        let kind = std::mem::discriminant(&entries[0].operation);
        assert!(entries.iter().all(|entry| std::mem::discriminant(&entry.operation) == kind), "{entries:?}");
        let last = entries.iter().map(|entry| entry.begin).max();
        let first = entries.iter().map(|entry| entry.end).min();
        assert!(last <= first, "somebody left before the last had come: {entries:?}");
    }
    groups.len()
}

/// One split against the direct construction.
fn check_split(machine: &Machine, group: &Group, labels: &[u32], seed: u64) {
    let (expected, _) = direct::places(group, labels);
    for switches in SWITCHES {
        for in_channels in [false, true] {
            let paper = paper(switches);
            let mut members = all(&paper, machine, group, labels, |split| vec![split]);
            let adversary = adversary(in_channels, seed, group);
            run(&mut members, adversary);
            for (node, place) in &expected {
                let found = members[node.index()].places().last();
                assert_eq!(
                    found,
                    Some(place),
                    "{} {labels:?} {paper:?} {adversary:?}: {node}",
                    machine.name()
                );
            }
            check_logs(&members);
        }
    }
}

/// Some nodes of the machine, all of them as often as not.
pub(super) fn some_nodes(machine: &Machine, random: &mut impl RngExt) -> Vec<NodeId> {
    let mut nodes: Vec<_> = machine.living().collect();
    if random.random_bool(0.5) {
        nodes.shuffle(random);
        nodes.truncate(random.random_range(1..=nodes.len()));
    }
    nodes
}

#[test]
fn random_groups_find_the_trees_of_the_direct_construction() {
    let mut random = stream(1, "groups");
    let shapes = [
        "mesh:1x1",
        "mesh:2x2",
        "mesh:5x7",
        "torus:6x6",
        "mesh:2x3x4",
        "mesh:1x9",
        "hypercube:4",
        "mesh:8x8",
    ];
    for seed in 0..48 {
        let machine = Machine::new(shapes[seed as usize % shapes.len()]).unwrap();
        let order = ["row", "column", "snake", "hilbert"][random.random_range(0..4)];
        let group = Group::of(&machine, order, &some_nodes(&machine, &mut random)).unwrap();
        let ones = random.random_range(0..=8);
        let labels: Vec<_> = (0..group.size()).map(|_| u32::from(random.random_range(0..8) < ones)).collect();
        check_split(&machine, &group, &labels, seed);
    }
}

#[test]
fn edge_cases() {
    let line = Machine::new("mesh:1x12").unwrap();
    for size in 1..=6 {
        let group = Group::in_order((0..size).map(NodeId).collect());
        for bits in 0..1u32 << size {
            let labels: Vec<_> = (0..size).map(|rank| bits >> rank & 1).collect();
            check_split(&line, &group, &labels, u64::from(bits));
        }
    }
    // An L, the plane without its middle, a machine with dead nodes, a diagonal of a cube.
    let mesh = Machine::new("mesh:6x6").unwrap();
    let is_l = |node: &NodeId| node.0 / 6 < 2 || node.0 % 6 < 2;
    let l: Vec<_> = (0..36).map(NodeId).filter(is_l).collect();
    let ring: Vec<_> =
        (0..36).map(NodeId).filter(|node| !(1..5).contains(&(node.0 / 6)) || node.0 % 6 == 0).collect();
    let cube = Machine::new("mesh:4x4x4").unwrap();
    let diagonal: Vec<_> = (0..4).map(|i| NodeId(21 * i)).collect();
    let dead = Machine::new("mesh:5x5").unwrap().with_dead([0, 7, 12].map(NodeId).to_vec()).unwrap();
    let living: Vec<_> = dead.living().collect();
    assert_eq!(living.len(), 22);
    for (machine, nodes) in [(&mesh, &l), (&mesh, &ring), (&cube, &diagonal), (&dead, &living)] {
        for order in ["row", "hilbert"] {
            let group = Group::of(machine, order, nodes).unwrap();
            for modulus in [1, 2, 3, 5, 100] {
                let labels: Vec<_> = (0..group.size()).map(|rank| u32::from(rank % modulus == 0)).collect();
                check_split(machine, &group, &labels, u64::from(modulus));
            }
        }
    }
}

#[test]
fn both_joins_bring_the_group_together() {
    let machine = Machine::new("mesh:5x5").unwrap();
    let group = Group::whole(&machine, "snake").unwrap();
    for (ones, joining) in [0, 1, 12, 25]
        .into_iter()
        .flat_map(|ones| [Joining::SubTrees, Joining::ParentTree].map(|joining| (ones, joining)))
    {
        let labels: Vec<_> = (0..25).map(|rank| u32::from(rank * 7 % 25 < ones)).collect();
        let paper = RankSplit { joining, ..RankSplit::short() };
        for seed in 0..5 {
            let operations = |split| vec![split, Operation::Join, Operation::Barrier];
            let mut members = all(&paper, &machine, &group, &labels, operations);
            run(&mut members, adversary(false, seed, &group));
            // A split, a join and a barrier, all of the first group.
            assert_eq!(check_logs(&members), 3);
            assert!(members.iter().all(|member| member.places().count() == 1));
            let sent = |kind: usize| members.iter().map(|member| member.sent()[6 + kind]).sum::<u32>();
            let groups = if ones % 25 == 0 { 1 } else { 2 };
            let (edges, across) = match joining {
                Joining::SubTrees => (25 - groups, if groups == 2 { 2 } else { 0 }),
                Joining::ParentTree => (24, 0),
            };
            assert_eq!([0, 1, 2].map(sent), [24 + edges, 24 + edges, across], "{ones} {joining:?}");
        }
    }
}

#[test]
fn messages_of_the_next_operation_come_early() {
    // The release of a split comes down the old tree, reports of the next barrier come up the new one: a node may hear
    // of the barrier before it has heard that the split is over. A flag that is cleared at the end of the split would
    // forget it: messages carry the number of their operation and wait. On one tree nothing can come early.
    let machine = Machine::new("mesh:4x4").unwrap();
    let group = Group::whole(&machine, "row").unwrap();
    let all_early = |paper: &RankSplit, operations: &dyn Fn(Operation) -> Vec<Operation>| {
        let mut most = 0;
        for seed in 0..30 {
            let mut random = stream(seed, "early");
            let labels: Vec<_> = (0..16).map(|_| random.random_range(0..2)).collect();
            let mut members = all(paper, &machine, &group, &labels, operations);
            run(&mut members, adversary(false, seed, &group));
            check_logs(&members);
            most = most.max(members.iter().map(Member::early_most).max().unwrap());
        }
        most
    };
    use Operation::{Barrier, Join};
    let (paper, fast) = (RankSplit::default(), RankSplit::short());
    assert_eq!(all_early(&paper, &|_| vec![Barrier; 5]), 0);
    assert!(all_early(&paper, &|split| vec![split, Barrier]) > 0, "step 5 does not help");
    let long =
        |split| vec![Barrier, split, Barrier, split, Join, Join, split, Barrier, Barrier, Join, split, Join];
    for joining in [Joining::SubTrees, Joining::ParentTree] {
        let most = all_early(&RankSplit { joining, ..fast }, &long);
        assert!((2..=4).contains(&most), "{most} messages came early, {joining:?}");
    }
}

#[test]
fn a_member_keeps_the_same_however_large_its_group() {
    let mut kept = Vec::new();
    for side in [4, 8, 16, 32] {
        let machine = Machine::mesh([side, side]).unwrap();
        let group = Group::whole(&machine, "hilbert").unwrap();
        let mut random = stream(3, "labels");
        let labels: Vec<_> = (0..side * side).map(|_| random.random_range(0..2)).collect();
        for paper in [RankSplit::default(), RankSplit::short()] {
            let mut members = all(&paper, &machine, &group, &labels, |split| vec![split]);
            sim::run(&machine, &mut members, &sim::Engine::Message).unwrap();
            kept.push(members.iter().map(Member::bytes_kept).max().unwrap());
            // While it waits for step 2 it holds what climbs from two children: lemma 4, with room for small s.
            let held = members.iter().map(|member| member.splitting(0).unwrap().held()).max().unwrap();
            let crossing = 3 * u32::ilog2(side * side) + 3;
            assert!(held <= if paper.partial { 2 * crossing } else { 0 }, "{held} held on side {side}");
        }
    }
    assert!(kept.iter().all(|&bytes| bytes == kept[0] && bytes <= 512), "{kept:?} bytes");
}

#[test]
fn labels_the_paper_has_no_word_for() {
    let label = |(colour, key)| Label { colour, key };
    let check =
        |labels: &[(u32, u32)]| RankSplit::check(&labels.iter().copied().map(label).collect::<Vec<_>>());
    assert!(check(&[]).is_ok());
    assert!(check(&[(0, 5), (1, 1), (1, 1), (0, 7), (1, 2)]).is_ok());
    assert!(check(&[(0, 0), (2, 0)]).unwrap_err().to_string().contains("rank 1 has colour 2"));
    assert!(check(&[(0, 3), (1, 0), (0, 2)]).unwrap_err().to_string().contains("the key of rank 2"));
}
