//! Bisection on machines of every kind, and what reflecting saves: total hops of all recursive bisections.

use crate::halving::{assert_one_to_one, measured, tree};
use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_mapping::bound::Profile;
use meshwright_mapping::{Placement, Request, Shape, TaskGraph, place};
use meshwright_network::topology::{Machine, Switching, Topology, distances_from};
use meshwright_schedule::cost::forecast;
use rand::seq::IndexedRandom;

/// Sum of dilations and most contention of any phase.
fn judged(tasks: &TaskGraph, placement: &Placement, machine: &Machine) -> (u32, u32) {
    let phases = measured(tasks, placement, machine);
    let contention = phases.iter().map(|phase| phase.contention).max().unwrap_or(0);
    (phases.iter().map(|phase| phase.dilation.0).sum(), contention)
}

/// L1 time in ticks under the machine's switching.
fn predicted(tasks: &TaskGraph, placement: &Placement, machine: &Machine) -> u64 {
    forecast(&placement.phases(tasks, machine), machine).unwrap().ticks
}

fn broken(name: &str, dead: usize, seed: u64) -> Option<Machine> {
    let machine = Machine::new(name).unwrap();
    let nodes: Vec<NodeId> = (0..machine.nodes()).map(NodeId).collect();
    let dead = nodes.sample(&mut stream(seed, "dead"), dead).copied().collect();
    let machine = machine.with_dead(dead).unwrap();
    let start = machine.living().next().unwrap();
    let reached = distances_from(&machine, start).iter().filter(|&&hops| hops != u32::MAX).count();
    (reached as u32 == machine.living_count()).then_some(machine)
}

/// On whole boxes of powers of two, and of the sides of the tree, it is as good as centred halving.
#[test]
fn whole_boxes_are_halved_from_the_centre() {
    for (machine, shape) in [
        ("mesh:8x8", Shape::Binomial(6)),
        ("mesh:8x16", Shape::Binomial(7)),
        ("torus:8x8", Shape::Binomial(6)),
        ("mesh:4x4x4", Shape::Binomial(6)),
        ("hypercube:5", Shape::Binomial(5)),
        ("mesh:16x16", Shape::Binomial(8)),
        ("mesh:13", Shape::Halving(vec![13])),
        ("mesh:1x13", Shape::Halving(vec![1, 13])),
        ("mesh:7", Shape::Halving(vec![7])),
        ("mesh:5x7", Shape::Halving(vec![5, 7])),
    ] {
        let (tasks, machine) = (tree(shape), Machine::new(machine).unwrap());
        let request = Request::of(&tasks, &machine, 0);
        let both = ["bisection", "centred-halving"].map(|method| {
            let placement = place(method, &request).unwrap();
            assert_one_to_one(&placement, &machine, method);
            judged(&tasks, &placement, &machine)
        });
        assert_eq!(both[0], both[1], "{} on {}", tasks.name, machine.name());
    }
}

/// Any number of tasks on any machine: one to one on living nodes, all in one connected part.
#[test]
fn any_number_of_tasks_fits() {
    for name in ["mesh:6x6", "torus:5x7", "mesh:3x4x3", "mesh:1x13", "hypercube:4", "torus:4"] {
        for seed in 0..2 {
            let Some(machine) = broken(name, 2 * seed as usize, seed) else { continue };
            for tasks in (1..=machine.living_count()).step_by(7).chain([machine.living_count()]) {
                let graph = tree(Shape::Halving(vec![tasks]));
                let placement = place("bisection", &Request::of(&graph, &machine, 0)).unwrap();
                assert_one_to_one(&placement, &machine, &format!("{tasks} tasks on {name}"));
                let (dilations, _) = judged(&graph, &placement, &machine);
                let profile = Profile::of_tree(&machine, &Shape::Halving(vec![tasks]).active());
                let least = profile.distance();
                assert!(u64::from(dilations) >= least, "{tasks} tasks on {name}: {dilations} < {least}");
            }
        }
    }
}

/// Against centred halving with its tasks moved off dead nodes: fewer hops in the sum, and less time.
#[test]
fn broken_machines_are_used_better_than_by_repair() {
    let mut compared = 0;
    for (name, n) in [("mesh:9x9", 6), ("mesh:8x9", 6), ("torus:9x9", 6), ("mesh:5x5x5", 6)] {
        for seed in 0..3 {
            let Some(machine) = broken(name, 1 + 3 * seed as usize, seed) else { continue };
            for switching in [Switching::Wormhole, Switching::StoreAndForward] {
                let machine = machine.clone().with_switching(switching);
                let tasks = tree(Shape::Binomial(n));
                let place = |method| place(method, &Request::of(&tasks, &machine, 0)).unwrap();
                let (ours, repaired) = (place("bisection"), place("centred-halving"));
                let sums = [&ours, &repaired].map(|placement| judged(&tasks, placement, &machine));
                // A repair that moved a task or two by a hop can be as good as can be.
                assert!(sums[0].0 <= sums[1].0 + 2, "{name}, seed {seed}, {switching:?}: {sums:?}");
                let times = [&ours, &repaired].map(|placement| predicted(&tasks, placement, &machine));
                assert!(times[0] <= times[1], "{name}, seed {seed}, {switching:?}: {times:?}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 18, "most of the machines are connected: {compared}");
}

/// Trees that fill a part of a machine, or one of other sides than their own.
#[test]
fn odd_machines_by_their_numbers() {
    for (machine, shape, dilations_at_most) in [
        ("mesh:6x6", Shape::Binomial(5), 6),
        ("mesh:6x6", Shape::Halving(vec![36]), 9),
        ("mesh:5x7", Shape::Halving(vec![35]), 10),
        ("torus:6x6", Shape::Halving(vec![36]), 10),
    ] {
        let (tasks, machine) = (tree(shape), Machine::new(machine).unwrap());
        let placement = place("bisection", &Request::of(&tasks, &machine, 0)).unwrap();
        let (dilations, contention) = judged(&tasks, &placement, &machine);
        let hilbert = judged(&tasks, &place("hilbert", &Request::of(&tasks, &machine, 0)).unwrap(), &machine);
        assert_eq!(contention, 0, "{}", machine.name());
        assert!(dilations <= dilations_at_most && dilations < hilbert.0, "{}: {dilations}", machine.name());
    }
}

/// Networks without coordinates: a ring with a chord, and a tree.
#[test]
fn general_graphs_are_bisected_by_hops() {
    let folder = tempfile::tempdir().unwrap();
    let ring: Vec<(u32, u32)> = (0..12).map(|i| (i, (i + 1) % 12)).chain([(0, 6)]).collect();
    let heap: Vec<(u32, u32)> = (1..15).map(|i| (i, (i - 1) / 2)).collect();
    for (name, nodes, wires, at_most) in [("ring", 12, ring, 9), ("heap", 15, heap, 14)] {
        let mut text =
            format!("%%MatrixMarket matrix coordinate pattern symmetric\n{nodes} {nodes} {}\n", wires.len());
        wires.iter().for_each(|(a, b)| text += &format!("{} {}\n", a.max(b) + 1, a.min(b) + 1));
        let path = folder.path().join(format!("{name}.mtx"));
        std::fs::write(&path, text).unwrap();
        let machine = Machine::new(&format!("graph:{}", path.display())).unwrap();
        for tasks in [1, 5, 8, nodes] {
            let graph = tree(Shape::Halving(vec![tasks]));
            let placement = place("bisection", &Request::of(&graph, &machine, 0)).unwrap();
            assert_one_to_one(&placement, &machine, name);
            let (dilations, _) = judged(&graph, &placement, &machine);
            assert!(dilations <= at_most, "{tasks} tasks on the {name}: {dilations}");
        }
    }
}

/// Two halves of a machine that dead nodes keep apart: the larger is used, and what fits in none is refused.
#[test]
fn only_a_connected_part_is_used() {
    let machine = Machine::new("mesh:3x8").unwrap().with_dead([3, 11, 19].map(NodeId).to_vec()).unwrap();
    let of = |tasks| {
        let graph = tree(Shape::Halving(vec![tasks]));
        place("bisection", &Request::of(&graph, &machine, 0))
    };
    for tasks in 1..=12 {
        assert!(of(tasks).unwrap().nodes.iter().all(|node| node.0 % 8 > 3), "{tasks} tasks");
    }
    let error = of(13).unwrap_err().to_string();
    assert!(error.contains("no connected part of mesh:3x8 has 13 living nodes"), "{error}");
}

/// The least total hops of B(n) over all recursive bisections with alternating axes, for each place of the root: the two
/// halves are placed alike, and their roots joined.
fn least_hops(n: u32) -> (usize, Vec<u32>) {
    if n == 0 {
        return (1, vec![0]);
    }
    let (columns, half) = least_hops(n - 1);
    let rows = half.len() / columns;
    // The last doubling of an odd n is along the columns.
    let (wide, down, across) =
        if n.is_multiple_of(2) { (columns, rows, 0) } else { (2 * columns, 0, columns) };
    let mut whole = vec![u32::MAX; 2 * half.len()];
    for (place, own) in half.iter().enumerate() {
        let (row, column) = (place / columns, place % columns);
        let join = |(other, hops): (usize, &u32)| {
            let (r, c) = (other / columns + down, other % columns + across);
            hops + (row.abs_diff(r) + column.abs_diff(c)) as u32
        };
        let least = own + half.iter().enumerate().map(join).min().expect("a half has a node");
        // The mirror image has its root in the other half.
        let (total_rows, total_columns) = (rows + down, columns + across);
        whole[row * wide + column] = least;
        whole[(total_rows - 1 - row) * wide + total_columns - 1 - column] = least;
    }
    (wide, whole)
}

#[test]
fn reflecting_has_the_least_hops_of_all_recursive_bisections() {
    let known = [15, 33, 69, 143, 291, 593, 1197];
    for (n, hops) in (4..=10u32).zip(known) {
        assert_eq!(least_hops(n).1.into_iter().min(), Some(hops), "B({n})");
        let machine = Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap();
        let tasks = tree(Shape::Binomial(n));
        let total = |method| {
            let placement = place(method, &Request::of(&tasks, &machine, 0)).unwrap();
            measured(&tasks, &placement, &machine).iter().map(|phase| phase.hops_total).sum::<u64>()
        };
        assert_eq!(total("reflecting"), u64::from(hops), "B({n})");
        assert!(n == 4 || total("centred-halving") > u64::from(hops), "B({n})");
        assert!(n == 4 || total("growing") > u64::from(hops), "B({n})");
    }
}
