//! The messages lead to the trees of the direct construction, on every machine with coordinates and in every order.

use std::collections::BTreeMap;

use meshwright_core::Error;
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_groups::Group;
use meshwright_groups::contraction::{Contraction, OrderedTree};
use meshwright_groups::protocol::{Operation, Operator, Scheme};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::any_order::{self, Adversary, Order};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{check_order, check_place, members, split};

/// Machines with something odd about each.
fn machines() -> Vec<Machine> {
    let corner = |machine: Machine, rows: u32, columns: u32| {
        let width = machine.sides()[1];
        let dead = (0..machine.nodes()).filter(|node| node / width < rows && node % width < columns);
        let dead = dead.map(NodeId).collect();
        machine.with_dead(dead).unwrap()
    };
    let names = ["mesh:8x8", "mesh:5x7", "mesh:1x1", "mesh:1x23", "mesh:4x3x5", "hypercube:6", "torus:6x9"];
    let mut machines: Vec<Machine> = names.iter().map(|name| Machine::new(name).unwrap()).collect();
    machines.extend(["torus:31", "torus:3x4x5"].iter().map(|name| Machine::new(name).unwrap()));
    machines.push(corner(Machine::new("mesh:8x8").unwrap(), 4, 5));
    machines.push(Machine::new("mesh:6x6").unwrap().with_dead([7, 8, 20].map(NodeId).to_vec()).unwrap());
    machines
}

/// A random set of living nodes, in a random order of the box.
fn random_group(machine: &Machine, random: &mut ChaCha8Rng) -> Group {
    let share = [1.0, 0.5, 0.2][random.random_range(0..3)];
    let mut nodes: Vec<NodeId> = machine.living().filter(|_| random.random::<f64>() < share).collect();
    if nodes.is_empty() {
        nodes.extend(machine.living().next());
    }
    let order = ["row", "column", "snake", "hilbert"][random.random_range(0..4)];
    Group::of(machine, order, &nodes).unwrap()
}

/// Per level the groups with their trees, and per member what it is asked to do.
struct Nest {
    levels: Vec<Vec<OrderedTree>>,
    scripts: Vec<Vec<Operation>>,
}

/// Splits a group again and again, each group by colours of its own.
fn nest(contraction: &Contraction, from: &OrderedTree, depth: usize, random: &mut ChaCha8Rng) -> Nest {
    let mut levels = vec![vec![from.clone()]];
    let mut of_node = BTreeMap::new();
    for node in from.group.members() {
        of_node.insert(*node, Vec::new());
    }
    for _ in 0..depth {
        let mut next = Vec::new();
        for tree in levels.last().unwrap() {
            let colours = draw_colours(tree.group.size(), random);
            for (node, colour) in tree.group.members().iter().zip(&colours) {
                of_node.get_mut(node).unwrap().push(split(*colour));
            }
            next.extend(contraction.split(tree, &colours).into_iter().map(|(_, part)| part));
        }
        levels.push(next);
    }
    let scripts = from.group.members().iter().map(|node| of_node[node].clone()).collect();
    Nest { levels, scripts }
}

fn draw_colours(size: u32, random: &mut ChaCha8Rng) -> Vec<u32> {
    let kinds = [1, 2, 2, 2, 3, 7, u32::MAX][random.random_range(0..7)];
    let cut = random.random_range(0..=size);
    match random.random_range(0..5) {
        0 => (0..size).map(|rank| u32::from(rank < cut)).collect(),
        1 => (0..size).map(|rank| u32::MAX - rank / 3).collect(),
        _ => (0..size).map(|_| random.random_range(0..kinds)).collect(),
    }
}

fn adversary(machine: &Machine, random: &mut ChaCha8Rng) -> Adversary {
    let node = |random: &mut ChaCha8Rng| NodeId(random.random_range(0..machine.nodes()));
    let order = match random.random_range(0..5) {
        0 => Order::OldestFirst,
        1 => Order::NewestFirst,
        2 => Order::StarveNode(node(random)),
        3 => Order::StarvePair(node(random), node(random)),
        _ => Order::Random,
    };
    Adversary { order, in_channels: random.random_range(0..4) == 0, seed: random.random() }
}

/// Nested splits by messages and by the direct construction, then joins with an ordered sum after each.
fn run(machine: &Machine, random: &mut ChaCha8Rng) {
    let contraction = Contraction::new(machine).unwrap().with_penalty(random.random_range(0..3));
    let group = random_group(machine, random);
    let from = if random.random() { contraction.first(&group) } else { contraction.halving(&group) };
    let depth = random.random_range(1..5);
    let Nest { levels, scripts } = nest(&contraction, &from, depth, random);

    let mut down = members(&contraction, machine, &from, scripts.clone());
    let trace = any_order::run_processes(&mut down, adversary(machine, random)).unwrap();
    assert_eq!(trace.unfinished, []);
    for (level, trees) in levels.iter().enumerate() {
        for tree in trees {
            check_order(tree);
            for (rank, node) in (0..).zip(tree.group.members()) {
                check_place(down[node.index()].places().nth(level).unwrap(), tree, rank);
            }
        }
    }

    let scan = Operation::Scan(Operator::Sum, 1);
    let there_and_back = |script: Vec<Operation>| {
        let back = script.iter().flat_map(|_| [scan, Operation::Join]).collect::<Vec<_>>();
        script.into_iter().chain(back).chain([scan, Operation::Barrier]).collect()
    };
    let scripts = scripts.into_iter().map(there_and_back).collect();
    let mut round = members(&contraction, machine, &from, scripts);
    let trace = any_order::run_processes(&mut round, adversary(machine, random)).unwrap();
    assert_eq!(trace.unfinished, []);
    for node in group.members() {
        assert_eq!(round[node.index()].log().len(), 3 * depth + 2);
    }
}

#[test]
fn messages_lead_to_the_direct_trees() {
    let mut random = rng::stream(1, "contraction on machines");
    for machine in machines() {
        for _ in 0..12 {
            run(&machine, &mut random);
        }
    }
}

#[test]
#[ignore = "4,000 nested programs"]
fn messages_lead_to_the_direct_trees_4000_times() {
    let mut random = rng::stream(2, "contraction on machines");
    let machines = machines();
    for repeat in 0..4000 {
        run(&machines[repeat % machines.len()], &mut random);
    }
}

/// A tree of a whole group is the tree of a split in which nobody leaves.
#[test]
fn one_colour_gives_the_group_a_better_tree() {
    let machine = Machine::new("mesh:16x16").unwrap();
    let contraction = Contraction::new(&machine).unwrap();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let height = |tree: &OrderedTree| tree.tree.height_links(&machine, &tree.group);
    let halving = contraction.halving(&group);
    let first = contraction.first(&group);
    check_order(&first);
    // No root of 16 x 16 nodes has all others within less than 16 links.
    assert_eq!((height(&halving), height(&first)), (30, 17));
    let again = contraction.split(&first, &[9; 256]).remove(0);
    assert_eq!((again.0, again.1.group), (9, group));
}

#[test]
fn networks_without_coordinates_and_other_machines_are_refused() {
    let graph = Machine::new("ccc:3").unwrap();
    assert!(matches!(Contraction::new(&graph), Err(Error::NotApplicable { method: "tac", .. })));
    let contraction = Contraction::new(&Machine::new("mesh:4x4").unwrap()).unwrap();
    let other = Machine::new("torus:4x4").unwrap();
    let refused = contraction.places(&other, &Group::whole(&other, "row").unwrap());
    assert!(matches!(refused, Err(Error::NotApplicable { method: "tac", .. })));
}

/// A group that lies across the border of a torus has the tree it has in the middle, only shifted.
#[test]
fn trees_on_a_torus_do_not_know_the_border() {
    let machine = Machine::new("torus:12x12").unwrap();
    let contraction = Contraction::new(&machine).unwrap();
    let mut random = rng::stream(3, "shifted group");
    let spots: Vec<(u32, u32)> = (0..36).filter(|_| random.random()).map(|i| (i / 6, i % 6)).collect();
    let colours: Vec<u32> = spots.iter().map(|_| random.random_range(0..2)).collect();
    let part_at = |shift: (u32, u32)| {
        let node = |&(row, column): &(u32, u32)| NodeId((row + shift.0) % 12 * 12 + (column + shift.1) % 12);
        let group = Group::in_order(spots.iter().map(node).collect());
        let parts = contraction.split(&contraction.first(&group), &colours);
        parts.into_iter().map(|(_, part)| part.tree).collect::<Vec<_>>()
    };
    let middle = part_at((3, 3));
    for shift in [(0, 0), (9, 3), (10, 11), (7, 8)] {
        assert_eq!(part_at(shift), middle, "shifted by {shift:?}");
    }
}
