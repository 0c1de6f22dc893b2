//! The scheme that sorts along a curve: new groups equal what the definition of a split says, for any colours and keys, on
//! every machine, for members in any order, split after split and in every order of arrival; memory grows with log s.

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_groups::curve_sort::{CurveSort, heap, network};
use meshwright_groups::protocol::{Label, Member, Operation, Script, members};
use meshwright_groups::{Group, Tree};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim as sim;
use meshwright_sim::any_order::{self, Adversary, Order};
use rand::{Rng, RngExt, seq::IndexedRandom, seq::SliceRandom};

/// The labels of all nodes in one split.
type Labels = Vec<Label>;

fn labels(machine: &Machine, draws: &mut impl Rng) -> Labels {
    let spans = [1, 2, 3, 40, u32::MAX];
    let (colours, keys) = (*spans.choose(draws).unwrap(), *spans.choose(draws).unwrap());
    // Far from 0, as keys below 0 are when they count from the least of all 32 bits.
    let mut number = |span: u32| u32::MAX - draws.random_range(0..span);
    (0..machine.nodes()).map(|_| Label { colour: number(colours), key: number(keys) }).collect()
}

/// Any members in any order.
fn group(machine: &Machine, draws: &mut impl Rng) -> Group {
    let mut nodes: Vec<NodeId> = machine.living().collect();
    if draws.random() {
        nodes.shuffle(draws);
    }
    let least = draws.random_range(1..=nodes.len());
    nodes.truncate(least);
    Group::in_order(nodes)
}

/// What each split in turn makes of a group, by the definition.
fn parts(group: &Group, rounds: &[Labels]) -> Vec<Group> {
    let mut parts = vec![group.clone()];
    for labels in rounds {
        let split = |part: &Group| {
            let number = |of: fn(&Label) -> u32| -> Vec<u32> {
                part.members().iter().map(|node| of(&labels[node.index()])).collect()
            };
            part.split_by(&number(|label| label.colour), &number(|label| label.key))
        };
        parts = parts.iter().flat_map(split).map(|(_, part)| part).collect();
    }
    parts
}

/// Whether everybody is where the definition says, in a tree over exactly the members of its group.
fn check(members: &[Member<'_, CurveSort, Script>], parts: &[Group], what: &str) {
    for part in parts {
        let place = |rank| members[part.node(rank).index()].places().last().unwrap();
        let rank_of =
            |node: NodeId| part.members().iter().position(|&other| other == node).expect(what) as u32;
        let mut parents = Vec::new();
        for rank in 0..part.size() {
            let found = place(rank);
            assert_eq!((found.rank(), found.size()), (rank, part.size()), "{what}");
            parents.push(found.links().parent.map_or(Tree::NONE, rank_of));
            for (child, _) in &found.links().children {
                assert_eq!(place(rank_of(*child)).links().parent, Some(part.node(rank)), "{what}");
            }
        }
        let root = parents.iter().position(|&parent| parent == Tree::NONE).expect(what) as u32;
        let tree = Tree::new(root, parents);
        assert_eq!(tree.hops(), heap::tree(part.size()).hops(), "{what}");
        assert!(tree.fan_out() <= 2, "{what}");
    }
}

fn scripts(group: &Group, rounds: &[Labels], is_barrier: bool) -> Vec<Script> {
    let script = |node: &NodeId| {
        let splits = rounds.iter().map(|labels| Operation::Split(labels[node.index()]));
        Script::new(
            splits
                .flat_map(|split| [split, Operation::Barrier])
                .take(2 * rounds.len() - usize::from(!is_barrier))
                .collect(),
        )
    };
    group.members().iter().map(script).collect()
}

#[test]
fn new_groups_are_those_of_the_definition() {
    let names =
        ["mesh:7", "mesh:5x6", "mesh:8x8", "mesh:3x4x3", "torus:6x5", "hypercube:5", "ccc:3", "mesh:1x1"];
    for seed in 0..240 {
        let draws = &mut rng::stream(seed, "sort");
        let mut machine = Machine::new(names.choose(draws).unwrap()).unwrap().in_packets();
        // A line with a hole is two.
        if draws.random_range(0..4) == 0 && machine.nodes() > 7 {
            let dead = NodeId(draws.random_range(0..machine.nodes()));
            machine = machine.clone().with_dead(vec![dead]).unwrap_or(machine);
        }
        let group = group(&machine, draws);
        let rounds: Vec<Labels> = (0..draws.random_range(1..4)).map(|_| labels(&machine, draws)).collect();
        let what = format!("seed {seed}: {} of {}", group.size(), machine.name());
        let sort = CurveSort::new(&machine).unwrap().with_passes(*[0, 1, 2, 7].choose(draws).unwrap());
        let mut all = members(&sort, &machine, &group, scripts(&group, &rounds, draws.random())).unwrap();
        if draws.random() {
            let engine = if machine.is_whole() { sim::Engine::Packet } else { sim::Engine::Message };
            let trace = sim::run(&machine, &mut all, &engine).unwrap();
            assert!(trace.unfinished.is_empty(), "{what}");
        } else {
            let two = [0, 1].map(|_| NodeId(draws.random_range(0..machine.nodes())));
            let orders = [
                Order::NewestFirst,
                Order::Random,
                Order::StarveNode(two[0]),
                Order::StarvePair(two[0], two[1]),
            ];
            let order = *orders.choose(draws).unwrap();
            let trace =
                any_order::run_processes(&mut all, Adversary { order, in_channels: false, seed }).unwrap();
            assert!(trace.unfinished.iter().all(|&node| !machine.is_alive(node)), "{what}");
        }
        check(&all, &parts(&group, &rounds), &what);
    }
}

/// Rounds, messages and bytes counted by hand: two colours without keys on a row of eight, which everybody knows.
#[test]
fn messages_are_those_of_the_network() {
    let machine = Machine::new("mesh:1x8").unwrap().in_packets();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let rounds = [(0..8).map(|node| Label { colour: node % 2, key: 0 }).collect::<Labels>()];
    let sort = CurveSort::new(&machine).unwrap().knowing(2, 1);
    let mut all = members(&sort, &machine, &group, scripts(&group, &rounds, false)).unwrap();
    sim::run(&machine, &mut all, &sim::Engine::Packet).unwrap();
    check(&all, &parts(&group, &rounds), "a row");
    let mut sent = vec![0; all[0].sent().len()];
    for member in &all {
        sent.iter_mut().zip(member.sent()).for_each(|(sum, count)| *sum += count);
    }
    // Fingers are given. Seven pairs stand beside each other, seven edges of the old tree go up and down. Of each new tree, 1 and 3 are two apart. Four records come home: 0 and 7 stay.
    let home = 8 - (0..8u32).filter(|&place| (place % 4) * 2 + place / 4 == place).count() as u32;
    // Counts go up and down the same edges; the records that move are those that come home.
    assert_eq!(sent[..13], [0, 0, 0, 7, 7, home, 0, 14, 7, 7, 2 * 2, home, 0]);
    // Forty colours are compared: 4 + 4 + 2 + 4 + 2 + 3 pairs.
    let sort = CurveSort::new(&machine).unwrap().knowing(40, 1);
    let mut all = members(&sort, &machine, &group, scripts(&group, &rounds, false)).unwrap();
    sim::run(&machine, &mut all, &sim::Engine::Packet).unwrap();
    check(&all, &parts(&group, &rounds), "a row");
    let compared: u32 = all.iter().map(|member| member.sent()[6]).sum();
    assert_eq!(compared, 2 * (4 + 4 + 2 + 4 + 2 + 3));
}

#[test]
fn memory_grows_with_the_logarithm() {
    let mut most = Vec::new();
    for side in [8u32, 32, 64] {
        let machine = Machine::new(&format!("mesh:{side}x{side}")).unwrap().in_packets();
        let group = Group::whole(&machine, "hilbert").unwrap();
        let draws = &mut rng::stream(3, "memory");
        let rounds = [(0..side * side)
            .map(|_| Label { colour: draws.random_range(0..5), key: draws.random() })
            .collect::<Labels>()];
        let sort = CurveSort::new(&machine).unwrap();
        let mut all = members(&sort, &machine, &group, scripts(&group, &rounds, false)).unwrap();
        sim::run(&machine, &mut all, &sim::Engine::Packet).unwrap();
        check(&all, &parts(&group, &rounds), "memory");
        most.push(all.iter().map(Member::bytes_kept).max().unwrap());
    }
    // Two nodes of four bytes for each doubling of the members, and a few records that came early.
    assert!(most[1] <= most[0] + 8 * 4 + 256 && most[2] <= most[1] + 8 * 2 + 256, "{most:?}");
    assert!(most[2] < 1024, "{most:?}");
    assert_eq!(network::rounds(4096), 78);
}
