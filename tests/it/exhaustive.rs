//! The bounds against every placement of small trees, and against a search for good placements of larger ones.

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_mapping::{Divide, Placement, Request, Shape, binomial, bound, place};
use meshwright_network::routing::{Pair, routes};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, PortModel, Topology, distances_from};
use meshwright_schedule::Message;
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_sim::{Engine, simulate};
use meshwright_verdict::Job;
use proptest::prelude::*;

/// Distances between all nodes.
pub(crate) fn table(machine: &Machine) -> Vec<Vec<u32>> {
    (0..machine.nodes()).map(|node| distances_from(machine, NodeId(node))).collect()
}

/// The dilation of each phase of B(n).
pub(crate) fn dilations(distance: &[Vec<u32>], nodes: &[NodeId]) -> Vec<u32> {
    let n = nodes.len().ilog2();
    let mut dilations = vec![0; n as usize];
    for label in 0..nodes.len() as u32 - 1 {
        let (parent, phase) = (binomial::parent(label), binomial::phase(n, label) as usize);
        let hops = distance[nodes[label as usize].index()][nodes[parent as usize].index()];
        dilations[phase - 1] = hops.max(dilations[phase - 1]);
    }
    dilations
}

/// The least sums of one, two, ... phases.
fn least_sums(mut dilations: Vec<u32>) -> Vec<u64> {
    dilations.sort_unstable();
    let add = |sum: &mut u64, d: u32| {
        *sum += u64::from(d);
        Some(*sum)
    };
    dilations.into_iter().scan(0, add).collect()
}

/// Calls `visit` with every way to put `tasks` tasks on different ones of these nodes.
pub(crate) fn every_placement(
    tasks: usize,
    nodes: &mut [NodeId],
    at: usize,
    visit: &mut impl FnMut(&[NodeId]),
) {
    if at == tasks {
        return visit(&nodes[..tasks]);
    }
    for other in at..nodes.len() {
        nodes.swap(at, other);
        every_placement(tasks, nodes, at + 1, visit);
        nodes.swap(at, other);
    }
}

fn graph(vertices: u32, pairs: &[(u32, u32)]) -> Machine {
    let arcs = pairs.iter().map(|&(from, to)| Arc { from, to, weight: 1 }).collect();
    Machine::of("a graph", &Graph::from_arcs(&ArcList { vertices, arcs }).unwrap()).unwrap()
}

/// Boxes, boxes with holes, a star, a ring with chords and a complete network.
pub(crate) fn small_machines() -> Vec<Machine> {
    let named = [
        "mesh:2x4",
        "mesh:8",
        "torus:8",
        "torus:2x4",
        "hypercube:3",
        "mesh:2x2x2",
        "torus:2x2x2",
        "mesh:2x3",
        "torus:5",
    ];
    let mut machines: Vec<Machine> = named.iter().map(|name| Machine::new(name).unwrap()).collect();
    for (name, dead) in [("mesh:3x3", 4), ("mesh:3x3", 0), ("torus:3x3", 4), ("mesh:3x3", 1)] {
        machines.push(Machine::new(name).unwrap().with_dead(vec![NodeId(dead)]).unwrap());
    }
    let all: Vec<_> = (0..8).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let star: Vec<_> = (1..8).map(|leaf| (0, leaf)).collect();
    let chords: Vec<_> = (0..8).flat_map(|a| [(a, (a + 1) % 8), (a, (a + 3) % 8)]).collect();
    let petals: Vec<_> = vec![(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 6), (3, 7)];
    machines.extend([&all, &star, &chords, &petals].map(|pairs| graph(8, pairs)));
    machines
}

#[test]
fn no_placement_of_a_small_tree_beats_the_prefix_bound() {
    for machine in small_machines() {
        let distance = table(&machine);
        for n in 1..=machine.living_count().ilog2() {
            let bound = bound::prefix(&machine, n);
            let mut least = vec![u64::MAX; n as usize];
            let mut living: Vec<NodeId> = machine.living().collect();
            every_placement(1 << n, &mut living, 0, &mut |nodes| {
                for (least, sum) in least.iter_mut().zip(least_sums(dilations(&distance, nodes))) {
                    *least = sum.min(*least);
                }
            });
            let name = machine.name();
            assert!(
                bound.iter().zip(&least).all(|(b, l)| b <= l),
                "{name} B({n}): {bound:?}, true {least:?}"
            );
        }
    }
}

/// bound <= link bounds and ports <= simulation <= serial sum, phase by phase and in all.
fn check_order(machine: &Machine, job: &Job, nodes: Vec<NodeId>) {
    let placement = Placement { name: String::new(), nodes };
    let phases = placement.phases(&job.tasks, machine);
    let trace = simulate(machine, &phases, &Engine::Message).unwrap();
    if trace.deadlock.is_some() {
        return;
    }
    let (mut loads, mut low, mut serial) = (LinkLoads::new(machine.links()), 0, 0);
    for index in 0..phases.len() {
        let messages = phases.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routes(machine, &pairs).unwrap();
        loads.fill(messages, &routes);
        let mut phase = cost::link_bound(messages, &routes, &loads, machine.switching(), machine.costs());
        if machine.port_model() == PortModel::One {
            phase = phase.max(cost::ports(messages, machine.switching(), machine.costs()));
        }
        assert!(phase <= trace.phase_ticks[index]);
        low += phase;
        serial = cost::serial_sum(serial, messages, &routes, machine.switching(), machine.costs()).unwrap();
    }
    let bound = job.bound_ticks(machine);
    assert!(bound <= low && low <= trace.ticks && trace.ticks <= serial, "{machine:?} {placement:?}");
}

#[test]
fn every_placement_of_four_tasks_keeps_the_order_of_the_numbers() {
    for name in ["mesh:2x2", "mesh:2x3", "torus:5", "torus:2x3", "mesh:1x4"] {
        for &(_, switching) in SWITCHINGS {
            for ports in [PortModel::All, PortModel::One] {
                for (c, h, alpha, combine_alpha) in
                    [(3, 2, 0.5, Some(0.7)), (0, 0, 1.0, None), (1, 9, 0.2, Some(1.0))]
                {
                    let mut machine = Machine::new(name).unwrap().with_switching(switching);
                    machine = machine.with_port_model(ports);
                    machine = machine.with_startup(Cycles(c)).unwrap().with_flit(Bytes(h)).unwrap();
                    let job = Job::divide(&Divide {
                        shape: Shape::Binomial(2),
                        alpha: Some(alpha),
                        combine_alpha,
                        volume: Bytes(20),
                    })
                    .unwrap();
                    let mut living: Vec<NodeId> = machine.living().collect();
                    every_placement(4, &mut living, 0, &mut |nodes| {
                        check_order(&machine, &job, nodes.to_vec());
                    });
                }
            }
        }
    }
}

/// Swaps nodes as long as the sum of the least j dilations, then that of their squares, does not grow.
fn descend(
    distance: &[Vec<u32>],
    nodes: &mut [NodeId],
    tasks: usize,
    j: usize,
    swaps: &[(usize, usize)],
) -> u64 {
    let cost = |nodes: &[NodeId]| {
        let dilations = dilations(distance, &nodes[..tasks]);
        let squares: u32 = dilations.iter().map(|d| d * d).sum();
        (least_sums(dilations)[j - 1], squares)
    };
    let mut best = cost(nodes);
    for &(a, b) in swaps {
        let (a, b) = (a % tasks, b % nodes.len());
        nodes.swap(a, b);
        let next = cost(nodes);
        if next <= best {
            best = next;
        } else {
            nodes.swap(a, b);
        }
    }
    best.0
}

/// All living nodes, those of a placement by a known method first.
fn starting_point(method: &str, machine: &Machine, tasks: u32) -> Vec<NodeId> {
    let mut nodes = place(method, &Request::count(tasks, machine, 0)).unwrap().nodes;
    let rest: Vec<NodeId> = machine.living().filter(|node| !nodes.contains(node)).collect();
    nodes.extend(rest);
    nodes
}

/// Pairs of nodes to swap.
fn swaps(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0usize..64, 0usize..64), count)
}

/// Machines with room for 32 tasks, one node dead or not.
pub(crate) fn machine_with_room() -> impl Strategy<Value = Machine> {
    let names = [
        "mesh:5x8",
        "mesh:6x6",
        "torus:4x9",
        "torus:5x5x2",
        "hypercube:6",
        "mesh:33",
        "mesh:3x4x3",
        "torus:3x12",
    ];
    let build = move |(which, dead): (usize, Option<u32>)| {
        // A node in the middle of a line would cut it in two.
        let dead = dead.map(|dead| if names[which] == "mesh:33" { 0 } else { dead });
        Machine::new(names[which]).unwrap().with_dead(dead.map(NodeId).into_iter().collect()).unwrap()
    };
    (0..names.len(), prop::option::of(0u32..32)).prop_map(build)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_search_finds_nothing_below_the_prefix_bound(
        machine in machine_with_room(),
        method in 0usize..4,
        n in 4u32..6,
        j in 1usize..6,
        shaken in swaps(0..12),
        swaps in swaps(200..2000),
    ) {
        let method = ["row-major", "hilbert", "random", "snake"][method];
        let distance = table(&machine);
        let mut nodes = starting_point(method, &machine, 1 << n);
        let all = nodes.len();
        shaken.into_iter().for_each(|(a, b)| nodes.swap(a % all, b % all));
        let j = j.min(n as usize);
        let found = descend(&distance, &mut nodes, 1 << n, j, &swaps);
        let bound = bound::prefix(&machine, n)[j - 1];
        prop_assert!(bound <= found, "{} B({n}), {j} phases: bound {bound}, found {found}", machine.name());
    }

    #[test]
    fn random_placements_keep_the_order_of_the_numbers(
        mut machine in machine_with_room(),
        n in 1u32..6,
        switching in 0usize..3,
        one_port in any::<bool>(),
        (c, h, volume) in (0u64..9, 0u64..9, 1u64..100),
        (alpha, combine_alpha) in (0.05f64..=1.0, prop::option::of(0.05f64..=1.0)),
        shaken in swaps(80..81),
    ) {
        machine = machine.with_switching(SWITCHINGS[switching].1);
        machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
        machine = machine.with_startup(Cycles(c)).unwrap().with_flit(Bytes(h)).unwrap();
        let mut nodes: Vec<NodeId> = machine.living().collect();
        let all = nodes.len();
        shaken.into_iter().for_each(|(a, b)| nodes.swap(a % all, b % all));
        nodes.truncate(1 << n);
        let job = Job::divide(&Divide { shape: Shape::Binomial(n), alpha: Some(alpha), combine_alpha, volume: Bytes(volume) }).unwrap();
        check_order(&machine, &job, nodes);
    }
}
