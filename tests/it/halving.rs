//! Centred halving on boxes of any sides: one-to-one, without contention, and with the dilations of its proof.

use meshwright_core::units::Bytes;
use meshwright_mapping::metrics::{self, PhaseMetrics};
use meshwright_mapping::{Divide, Placement, Request, Shape, TaskGraph, divide, halving, place};
use meshwright_network::routing::{Pair, routes};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::Message;
use meshwright_schedule::cost::LinkLoads;
use meshwright_verdict as verdict;
use meshwright_verdict::Job;

/// The tree of a shape, divide stage only.
pub(crate) fn tree(shape: Shape) -> TaskGraph {
    divide::task_graph(&Divide { shape, alpha: Some(0.5), combine_alpha: None, volume: Bytes(1 << 16) })
        .unwrap()
}

/// The metrics of every phase, links counted one by one.
pub(crate) fn measured(tasks: &TaskGraph, placement: &Placement, machine: &Machine) -> Vec<PhaseMetrics> {
    let phases = placement.phases(tasks, machine);
    let mut loads = LinkLoads::new(machine.links());
    let phase = |index| {
        let messages: &[Message] = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routes(machine, &pairs).unwrap();
        loads.fill(messages, &routes);
        metrics::phase(messages, &routes, &loads, &metrics::meetings(messages, &routes, &loads))
    };
    (0..phases.len()).map(phase).collect()
}

pub(crate) fn assert_one_to_one(placement: &Placement, machine: &Machine, what: &str) {
    let mut seen = vec![false; machine.nodes() as usize];
    for node in &placement.nodes {
        assert!(machine.is_alive(*node), "{what}: a dead node has a task");
        assert!(!std::mem::replace(&mut seen[node.index()], true), "{what}: {node} has two tasks");
    }
}

fn sum_of(dilations: impl IntoIterator<Item = u32>) -> u32 {
    dilations.into_iter().sum()
}

/// ceil(log2 side), by counting doublings.
fn rounds(side: u32) -> u32 {
    (0..).find(|&rounds| 1u32 << rounds >= side).unwrap()
}

/// Everything docs/centred-halving.md claims of one box.
fn check(sides: &[u32], machine: &str) {
    let (shape, machine) = (Shape::Halving(sides.to_vec()), Machine::new(machine).unwrap());
    let what = format!("{sides:?} on {}", machine.name());
    let tasks = tree(shape.clone());
    let placement = place("centred-halving", &Request::of(&tasks, &machine, 0)).unwrap();
    assert_one_to_one(&placement, &machine, &what);
    let phases = measured(&tasks, &placement, &machine);
    assert_eq!(shape.phases(), sum_of(sides.iter().map(|&side| rounds(side))), "{what}: phases");
    assert_eq!(phases.len() as u32, shape.phases(), "{what}: phases with messages");
    assert!(phases.iter().all(|phase| phase.contention == 0 && phase.link_load == 1), "{what}: {phases:?}");
    let dilations: Vec<u32> = phases.iter().map(|phase| phase.dilation.0).collect();
    assert_eq!(dilations, halving::steps(sides), "{what}: dilations");
    let longest = sides.iter().filter(|&&side| side > 1).map(|side| side.div_ceil(2));
    assert_eq!(sum_of(dilations), sum_of(longest), "{what}: sum of dilations");
}

fn named(family: &str, sides: &[u32]) -> String {
    let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
    format!("{family}:{}", sides.join("x"))
}

#[test]
fn lines_and_rings_of_any_length() {
    for length in 1..=300 {
        check(&[length], &named("mesh", &[length]));
    }
    for length in (1..=40).chain([255, 256, 257]) {
        check(&[length], &named("torus", &[length]));
        check(&[length], &named("mesh", &[1, length]));
    }
}

#[test]
#[ignore = "long: lines to 2049 nodes"]
fn long_lines() {
    for length in 301..=2049 {
        check(&[length], &named("mesh", &[length]));
        check(&[length], &named("torus", &[length]));
    }
}

#[test]
fn boxes_of_two_dimensions() {
    for rows in 1..=9 {
        for columns in 1..=9 {
            check(&[rows, columns], &named("mesh", &[rows, columns]));
            check(&[rows, columns], &named("torus", &[rows, columns]));
        }
    }
}

#[test]
fn boxes_of_more_dimensions() {
    for sides in [[5, 5, 5], [3, 4, 5], [7, 2, 3], [1, 6, 5], [6, 6, 6]] {
        check(&sides, &named("mesh", &sides));
        check(&sides, &named("torus", &sides));
    }
    for sides in [[3, 3, 3, 3], [5, 2, 4, 3]] {
        check(&sides, &named("mesh", &sides));
        check(&sides, &named("torus", &sides));
    }
    check(&[2, 2, 2, 2, 2], "hypercube:5");
}

/// The box lies along whatever axes it fits, and on a corner of a larger machine.
#[test]
fn boxes_inside_machines() {
    for (sides, machine) in [
        (&[5, 7][..], "mesh:7x5"),
        (&[5, 7], "mesh:9x9"),
        (&[35], "mesh:3x40"),
        (&[35], "torus:40x3"),
        (&[3, 9], "torus:2x9x4"),
        (&[1, 1, 6], "mesh:6x6"),
        (&[2, 2], "hypercube:4"),
    ] {
        check(sides, machine);
    }
    for (sides, machine) in [(&[5, 7][..], "mesh:6x6"), (&[35], "mesh:6x6"), (&[2, 3, 4], "mesh:5x5")] {
        let (tasks, machine) = (tree(Shape::Halving(sides.to_vec())), Machine::new(machine).unwrap());
        let error = place("centred-halving", &Request::of(&tasks, &machine, 0)).unwrap_err();
        assert!(error.to_string().contains("no box of"), "{error}");
    }
}

/// A box of powers of two is the binomial tree, task by task and node by node.
#[test]
fn powers_of_two_are_the_binomial_tree() {
    for sides in [&[1][..], &[32], &[4, 8], &[8, 4], &[16, 16], &[4, 4, 8], &[2, 1, 4, 2]] {
        let machine = Machine::new(&named("mesh", sides)).unwrap();
        let binomial = Shape::Binomial(sides.iter().product::<u32>().ilog2());
        let (boxed, binomial) = (tree(Shape::Halving(sides.to_vec())), tree(binomial));
        assert_eq!(boxed.edges(), binomial.edges(), "{sides:?}");
        let placed = |tasks: &TaskGraph| place("centred-halving", &Request::of(tasks, &machine, 0)).unwrap();
        assert_eq!(placed(&boxed), placed(&binomial), "{sides:?}");
    }
}

/// With one odd side, or none, the sum of dilations meets its bound, so that wormhole time has gap 0; with k of them
/// it is k - 1 hops above it at most.
#[test]
fn at_most_one_odd_side_leaves_no_gap() {
    for (sides, hops_above) in [
        (&[13][..], 0),
        (&[1, 13], 0),
        (&[7], 0),
        (&[6, 10], 0),
        (&[5, 8], 0),
        (&[3, 4, 6], 0),
        (&[5, 5], 0),
        (&[9, 9], 1),
        (&[5, 7, 9], 2),
    ] {
        for family in ["mesh", "torus"] {
            let machine = Machine::new(&named(family, sides)).unwrap().with_switching(Switching::Wormhole);
            let job = Job::trace(tree(Shape::Halving(sides.to_vec())));
            let verdict =
                verdict::mapping::judge("", &job, &machine, &["centred-halving"], 0, &mut |_| {}).unwrap();
            let outcome = &verdict.results[0];
            let above = outcome.simulated() - outcome.bound_cycles;
            assert_eq!(above, hops_above * machine.costs().flit.0, "{} in cycles", machine.name());
        }
    }
}

/// One-dimensional lines of odd length: no placement has a smaller sum, tried one by one.
#[test]
fn short_odd_lines_are_searched() {
    for length in [3u32, 5, 7] {
        let tasks = tree(Shape::Halving(vec![length]));
        let mut least = u32::MAX;
        for_each_permutation(&mut (0..length).collect::<Vec<_>>(), 0, &mut |nodes| {
            let longest = |index: usize| {
                let edges = tasks.phase(index).iter();
                edges.map(|e| nodes[e.source as usize].abs_diff(nodes[e.target as usize])).max().unwrap()
            };
            least = least.min((0..tasks.phases()).map(longest).sum());
        });
        assert_eq!(least, length.div_ceil(2), "a line of {length}");
    }
}

/// M5: parts of data: each task ends with its share of the volume, whatever the box; on powers of two all is as with halves.
#[test]
fn parts_of_data_are_equal_in_the_end() {
    for sides in [&[3][..], &[7], &[35], &[5, 7], &[3, 3], &[6, 9], &[2, 3, 5], &[4, 8]] {
        let tasks: u32 = sides.iter().product();
        let volume = Bytes(40 * u64::from(tasks));
        let shape = Shape::Halving(sides.to_vec());
        let sort = Divide { shape, alpha: Some(0.5), combine_alpha: Some(0.5), volume };
        let graph = divide::in_proportion(&sort).unwrap();
        let mut held = vec![0; tasks as usize];
        held[tasks as usize - 1] = volume.0;
        for index in 0..graph.phases() {
            if graph.number(index) == sort.shape.phases() + 1 {
                assert!(held.iter().all(|&bytes| bytes == 40), "{sides:?}: {held:?}");
            }
            for edge in graph.phase(index) {
                held[edge.source as usize] -= edge.bytes.0;
                held[edge.target as usize] += edge.bytes.0;
            }
        }
        assert_eq!(held.iter().sum::<u64>(), held[tasks as usize - 1], "all of it comes back");
        if tasks.is_power_of_two() {
            assert_eq!(graph.edges(), divide::task_graph(&sort).unwrap().edges());
        }
    }
}

/// M5: bounds hold for messages of unlike size in one phase, whatever the computation; `judge` asserts it.
#[test]
fn parts_of_data_stay_above_their_bound() {
    let names: Vec<&str> = meshwright_mapping::PLACEMENTS.iter().map(|method| method.name).collect();
    for (preset, sides) in
        divide::PRESETS.iter().flat_map(|preset| [&[7][..], &[5, 7], &[3, 3]].map(|sides| (preset, sides)))
    {
        for &(_, switching) in meshwright_network::topology::costs::SWITCHINGS {
            let machine = Machine::new(&named("mesh", sides)).unwrap().with_switching(switching);
            let (shape, volume) = (Shape::Halving(sides.to_vec()), Bytes(1000));
            let divide::Preset { alpha, combine_alpha, .. } = *preset;
            let job = Job::data(&Divide { shape, alpha, combine_alpha, volume }).unwrap();
            let verdict = verdict::mapping::judge("", &job, &machine, &names, 0, &mut |_| {}).unwrap();
            assert!(verdict.results.len() >= 5, "{} on {}", preset.name, machine.name());
        }
    }
}

fn for_each_permutation(items: &mut Vec<u32>, from: usize, visit: &mut impl FnMut(&[u32])) {
    if from == items.len() {
        return visit(items);
    }
    for other in from..items.len() {
        items.swap(from, other);
        for_each_permutation(items, from + 1, visit);
        items.swap(from, other);
    }
}
