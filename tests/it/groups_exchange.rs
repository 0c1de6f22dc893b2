//! Hubs, sweeps, trees of boxes: right values, nobody leaves a barrier early, predictions, bounds.

mod shapes;

use rand::{RngExt, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use meshwright_core::rng::stream;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::exchange::{Exchange, FullBox, Hubs, Structure, Sweeps, gibbons_paterson};
use meshwright_groups::protocol::{Here, LogEntry, Operation, Operator, Outcome, Program, members};
use meshwright_groups::{Extent, Group, monotone_nearest, rank_halving};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_sim as sim;
use meshwright_sim::any_order::{self, Adversary, Order};

/// A script that keeps what its operations left.
#[derive(Clone, Debug, Default)]
struct Diary {
    operations: Vec<Operation>,
    begun: usize,
    outcomes: Vec<Outcome>,
}

impl Program for Diary {
    fn next(&mut self, here: Here) -> Operation {
        if self.begun > 0 {
            self.outcomes.push(here.outcome);
        }
        self.begun += 1;
        self.operations.get(self.begun - 1).copied().unwrap_or(Operation::Stop)
    }
}

const MACHINES: &[&str] = &[
    "mesh:1",
    "mesh:9",
    "torus:9",
    "torus:2x2",
    "mesh:5x7",
    "torus:6x5",
    "mesh:8x4",
    "torus:4x4x3",
    "mesh:3x2x4",
    "hypercube:4",
];

/// Every structure that fits a group.
fn structures(machine: &Machine, group: &Group) -> Vec<Structure> {
    let mut all = vec![
        Structure::Rooted(rank_halving::tree(group.size())),
        Structure::Rooted(monotone_nearest::tree(machine, group).expect("connected")),
    ];
    all.extend([1, 3, 16].map(|hubs| Structure::Hubs(Hubs::new(machine, group, hubs).expect("connected"))));
    if let Ok(full_box) = FullBox::of(machine, group) {
        all.push(Structure::Sweeps(Sweeps::new(full_box)));
        if machine.sides().len() <= 2 {
            all.push(Structure::Rooted(gibbons_paterson::tree(machine, group).expect("a box")));
        }
    }
    all
}

/// A box at a random place, across the border of a torus too, or any set of members, in a random order of ranks or row
/// by row.
fn random_group(machine: &Machine, rng: &mut ChaCha8Rng) -> Group {
    let nodes = machine.nodes();
    let mut members: Vec<NodeId> = if rng.random_bool(0.5) {
        let grid = machine.whole_grid().expect("a box");
        let sides = grid.sides();
        let cut = |&side: &u32, rng: &mut ChaCha8Rng| {
            let length = if rng.random_bool(0.4) { side } else { rng.random_range(1..=side) };
            (rng.random_range(0..if grid.wraps() && side > 2 { side } else { side - length + 1 }), length)
        };
        let cuts: Vec<_> = sides.iter().map(|side| cut(side, rng)).collect();
        let inside = |node: &NodeId| {
            let axes = cuts.iter().zip(sides).enumerate();
            axes.into_iter().all(|(axis, (&(first, length), &side))| {
                (grid.coordinate(*node, axis) + side - first) % side < length
            })
        };
        (0..nodes).map(NodeId).filter(inside).collect()
    } else {
        let mut all: Vec<_> = (0..nodes).map(NodeId).collect();
        all.shuffle(rng);
        all.truncate(rng.random_range(1..=nodes as usize));
        all.sort_unstable();
        all
    };
    if rng.random_bool(0.5) {
        members.shuffle(rng);
    }
    Group::in_order(members)
}

/// Random operations, per operation the values of all ranks.
fn random_operations(size: u32, rng: &mut ChaCha8Rng) -> Vec<Vec<Operation>> {
    let mut all = Vec::new();
    for _ in 0..rng.random_range(1..8) {
        let operator = [Operator::Sum, Operator::Min, Operator::Max][rng.random_range(0..3)];
        let kind = rng.random_range(0..7);
        let from = rng.random_range(0..size);
        let operation = |value: u64| match kind {
            0 => Operation::Barrier,
            1 => Operation::Broadcast { from, value },
            2 => Operation::Reduce(operator, value),
            3 => Operation::AllReduce(operator, value),
            4 => Operation::Scan(operator, value),
            5 => Operation::Gather(value),
            _ => Operation::Compute(Cycles(value % 50)),
        };
        all.push((0..size).map(|_| operation(rng.random())).collect());
    }
    all
}

fn value(operation: Operation) -> u64 {
    match operation {
        Operation::Broadcast { value, .. }
        | Operation::Reduce(_, value)
        | Operation::AllReduce(_, value)
        | Operation::Scan(_, value)
        | Operation::Gather(value) => value,
        _ => 0,
    }
}

/// What an operation must leave at a rank, by a sequential fold.
fn expected(all: &[Operation], rank: u32, root: u32) -> Outcome {
    let fold = |operator: Operator, part: &[Operation]| {
        part.iter().fold(operator.identity(), |sum, &each| operator.apply(sum, value(each)))
    };
    match all[0] {
        Operation::Broadcast { from, .. } => Outcome::Value(value(all[from as usize])),
        Operation::Reduce(operator, _) if rank == root => Outcome::Value(fold(operator, all)),
        Operation::AllReduce(operator, _) => Outcome::Value(fold(operator, all)),
        Operation::Scan(operator, _) => Outcome::Value(fold(operator, &all[..=rank as usize])),
        Operation::Gather(_) if rank == root => {
            Outcome::Values(all.iter().map(|&each| value(each)).collect())
        }
        _ => Outcome::Done,
    }
}

fn diaries(operations: &[Vec<Operation>], size: u32) -> Vec<Diary> {
    let own = |rank: usize| operations.iter().map(|all| all[rank]).collect();
    (0..size as usize).map(|rank| Diary { operations: own(rank), ..Diary::default() }).collect()
}

fn check_values(operations: &[Vec<Operation>], root: u32, outcomes: &[&[Outcome]], what: &str) {
    for (rank, outcomes) in (0..).zip(outcomes) {
        assert_eq!(outcomes.len(), operations.len(), "{what}: rank {rank} comes to its end");
        for (all, outcome) in operations.iter().zip(*outcomes) {
            assert_eq!(*outcome, expected(all, rank, root), "{what}: rank {rank}, {:?}", all[rank as usize]);
        }
    }
}

/// Nobody leaves a barrier, an all-reduction or anything else that needs all before the last has come.
fn check_barriers(logs: &[&[LogEntry]], what: &str) {
    for at in 0..logs[0].len() {
        if matches!(logs[0][at].operation, Operation::Barrier | Operation::AllReduce(..)) {
            let last = logs.iter().map(|log| log[at].begin).max();
            let first = logs.iter().map(|log| log[at].end).min();
            assert!(last <= first, "{what}: operation {at}: {last:?} came, {first:?} left");
        }
    }
}

fn adversary(trial: usize) -> Adversary {
    let orders = [Order::OldestFirst, Order::NewestFirst, Order::Random, Order::StarveNode(NodeId(0))];
    Adversary { order: orders[trial / 3 % 4], in_channels: trial.is_multiple_of(2), seed: trial as u64 }
}

fn of_members<'a, T>(group: &Group, all: &'a [T]) -> Vec<&'a T> {
    group.members().iter().map(|node| &all[node.index()]).collect()
}

#[test]
fn values_equal_sequential_folds() {
    let mut rng = stream(1, "exchange");
    for trial in 0..150 {
        let machine = Machine::new(MACHINES[trial % MACHINES.len()]).expect("a machine");
        // Worms of many hubs would wait for each other in the rings of a torus.
        let machine =
            if trial % 3 == 0 { machine.in_packets() } else { machine.with_switching(Switching::CutThrough) };
        let group = random_group(&machine, &mut rng);
        let operations = random_operations(group.size(), &mut rng);
        for structure in structures(&machine, &group) {
            let what = format!("{} on {}, {:?}", structure.name(), machine.name(), group.members());
            let programs = diaries(&operations, group.size());
            let exchange = Exchange::new(&structure, &group);
            let mut all = members(&exchange, &machine, &group, programs.clone()).expect("members");
            let trace = match trial % 3 {
                0 => sim::run(&machine, &mut all, &sim::Engine::Packet),
                1 => sim::run(&machine, &mut all, &sim::Engine::Message),
                _ => any_order::run_processes(&mut all, adversary(trial)),
            };
            let trace = trace.expect("a run");
            assert!(trace.unfinished.is_empty(), "{what}: {:?} {:?}", trace.unfinished, trace.deadlock);
            let own = of_members(&group, &all);
            let outcomes: Vec<_> = own.iter().map(|party| party.program().outcomes.as_slice()).collect();
            check_values(&operations, structure.root(), &outcomes, &what);
            check_barriers(&own.iter().map(|party| party.log()).collect::<Vec<_>>(), &what);
        }
    }
}

/// The cycles of one barrier on a machine of packets: one cycle a link.
fn barrier_cycles(structure: &Structure, machine: &Machine, group: &Group) -> u32 {
    let program = Diary { operations: vec![Operation::Barrier], ..Diary::default() };
    let exchange = Exchange::new(structure, group);
    let mut all = members(&exchange, machine, group, vec![program; group.members().len()]).expect("members");
    let trace = sim::run(machine, &mut all, &sim::Engine::Packet).expect("a run");
    assert!(trace.unfinished.is_empty());
    trace.cycles.0 as u32
}

#[test]
fn predictions_hold_where_nobody_is_in_the_way_and_else_are_bounds() {
    let mut rng = stream(2, "exchange");
    for trial in 0..100 {
        let machine = Machine::new(MACHINES[trial % MACHINES.len()]).expect("a machine").in_packets();
        let group = random_group(&machine, &mut rng);
        let bound = Extent::of(&machine, &group).expect("connected").diameter;
        for structure in structures(&machine, &group) {
            let predicted = structure.barrier_links(&machine, &group);
            let measured = barrier_cycles(&structure, &machine, &group);
            let what = format!("{} on {}: {:?}", structure.name(), machine.name(), group.members());
            assert!(bound <= predicted && predicted <= measured, "{bound} {predicted} {measured} {what}");
            match &structure {
                Structure::Sweeps(_) => assert_eq!(predicted, measured, "{what}"),
                Structure::Hubs(hubs) if hubs.hubs().len() == members_of(&group) => {
                    assert_eq!(predicted, bound, "everybody tells everybody: {what}");
                }
                _ => {}
            }
        }
    }
}

fn members_of(group: &Group) -> usize {
    group.members().len()
}

/// Dead nodes outside of a box do not disturb its sweeps; hubs and trees go round those between their members.
#[test]
fn structures_where_nodes_are_dead() {
    let machine = Machine::new("mesh:6x7").expect("a mesh").with_dead([0, 9, 17].map(NodeId).to_vec());
    let machine = machine.expect("alive").in_packets();
    let lower: Vec<_> = (21..42).map(NodeId).collect();
    let lower = Group::of(&machine, "row", &lower).expect("alive");
    let all = Group::whole(&machine, "hilbert").expect("an order");
    assert!(FullBox::of(&machine, &all).is_err());
    let mut rng = stream(7, "exchange");
    for group in [lower, all] {
        let bound = Extent::of(&machine, &group).expect("connected").diameter;
        let operations = random_operations(group.size(), &mut rng);
        for structure in structures(&machine, &group) {
            let exchange = Exchange::new(&structure, &group);
            let mut all =
                members(&exchange, &machine, &group, diaries(&operations, group.size())).expect("members");
            let trace = sim::run(&machine, &mut all, &sim::Engine::Packet).expect("a run");
            assert!(trace.unfinished.is_empty());
            let own = of_members(&group, &all);
            let outcomes: Vec<_> = own.iter().map(|party| party.program().outcomes.as_slice()).collect();
            check_values(&operations, structure.root(), &outcomes, &structure.name());
            let measured = barrier_cycles(&structure, &machine, &group);
            assert!(structure.barrier_links(&machine, &group) <= measured);
            if let Structure::Sweeps(_) = structure {
                assert_eq!((bound, measured), (2 + 6, 2 + 6));
            }
        }
    }
}

/// Sweeps reach the bound on meshes and on full tori; scans and all-reductions take as long as barriers.
#[test]
fn sweeps_reach_the_diameter() {
    for name in
        ["mesh:13", "mesh:6x9", "mesh:4x5x3", "torus:7", "torus:8", "torus:6x9", "torus:5x4x3", "torus:2x6"]
    {
        let machine = Machine::new(name).expect("a machine").in_packets();
        let group = Group::whole(&machine, "row").expect("an order");
        let sweeps = Structure::Sweeps(Sweeps::new(FullBox::of(&machine, &group).expect("a box")));
        let bound = Extent::of(&machine, &group).expect("connected").diameter;
        assert_eq!(barrier_cycles(&sweeps, &machine, &group), bound, "{name}");
        let lines: u32 = machine.sides().iter().map(|side| side - 1).sum();
        let (sum, scan) = (Operation::AllReduce(Operator::Sum, 7), Operation::Scan(Operator::Sum, 7));
        let (here, root) = (group.node(3), group.node(sweeps.root()));
        let broadcast = Operation::Broadcast { from: 3, value: 7 };
        let reduce = Operation::Reduce(Operator::Sum, 7);
        let (near, far) = (machine.eccentricity(root).0, machine.eccentricity(here).0);
        for (operation, links) in [(sum, bound), (scan, lines), (broadcast, far), (reduce, near)] {
            let program = Diary { operations: vec![operation], ..Diary::default() };
            let exchange = Exchange::new(&sweeps, &group);
            let mut all =
                members(&exchange, &machine, &group, vec![program; members_of(&group)]).expect("members");
            let trace = sim::run(&machine, &mut all, &sim::Engine::Packet).expect("a run");
            assert_eq!(trace.cycles.0, u64::from(links), "{name} {operation:?}");
        }
    }
}

/// A rooted tree costs two radii, on a full torus two diameters; hubs come nearer to one, with the packets of all hubs
/// in each other's way too.
#[test]
fn hubs_beat_rooted_trees_on_tori() {
    let mut rng = stream(6, "exchange");
    for (side, share, most, least) in
        [(16, 1, 1.63, 1.2), (16, 2, 1.63, 1.1), (32, 1, 1.44, 1.3), (32, 4, 1.5, 1.25)]
    {
        let machine = Machine::torus([side, side]).expect("a torus").in_packets();
        let mut nodes: Vec<_> = (0..side * side).map(NodeId).collect();
        nodes.shuffle(&mut rng);
        nodes.truncate((side * side / share) as usize);
        let group = Group::of(&machine, "hilbert", &nodes).expect("alive");
        let bound = f64::from(Extent::of(&machine, &group).expect("connected").diameter);
        let hubs = Structure::Hubs(Hubs::new(&machine, &group, 16).expect("connected"));
        let ratio = |structure: &Structure| f64::from(barrier_cycles(structure, &machine, &group)) / bound;
        let predicted = f64::from(hubs.barrier_links(&machine, &group)) / bound;
        let measured = ratio(&hubs);
        let tree = Structure::Rooted(monotone_nearest::tree(&machine, &group).expect("connected"));
        let rooted = ratio(&tree);
        let what = format!("{side}, 1/{share}: {predicted} {measured}, tree {rooted}");
        assert!((1.2..=1.5).contains(&predicted) && measured <= most, "{what}");
        assert!(rooted >= least * measured, "{what}");
    }
}

/// On rectangles sweeps are at D, the best rooted tree within two links of it, the paper's trees at twice.
#[test]
fn sweeps_trees_and_halving_on_full_rectangles() {
    for (name, halving, binary) in [("mesh:8x8", 28, 22), ("mesh:16x16", 60, 42), ("mesh:12x20", 82, 42)] {
        let machine = Machine::new(name).expect("a mesh").in_packets();
        let group = Group::whole(&machine, "hilbert").expect("an order");
        let bound = Extent::of(&machine, &group).expect("connected").diameter;
        let trees = [
            rank_halving::tree(group.size()),
            gibbons_paterson::tree(&machine, &group).expect("a box"),
            monotone_nearest::tree(&machine, &group).expect("connected"),
        ];
        for (tree, links) in trees.into_iter().zip([halving, binary, bound + 2]) {
            let tree = Structure::Rooted(tree);
            assert_eq!(tree.barrier_links(&machine, &group), links, "{name}");
            let measured = barrier_cycles(&tree, &machine, &group);
            assert!((links..=links + 4).contains(&measured), "{name}: {measured} for {links}");
        }
        let sweeps = Structure::Sweeps(Sweeps::new(FullBox::of(&machine, &group).expect("a box")));
        assert_eq!(barrier_cycles(&sweeps, &machine, &group), bound, "{name}");
    }
}
