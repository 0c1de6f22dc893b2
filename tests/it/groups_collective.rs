//! Operations of groups on every structure: right values (judge itself folds and compares), predictions against
//! formulas and against the referee, choices.

use rand::seq::SliceRandom;

use meshwright_core::rng::stream;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::barrier_time::{self, Delays};
use meshwright_groups::exchange::{Exchange, Structure};
use meshwright_groups::protocol::{Operation, Script, members};
use meshwright_groups::{Extent, Group, TREES, exchange, portfolio, rank_halving};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::overhead::WithOverhead;
use meshwright_sim as sim;
use meshwright_verdict::groups::collective::{COLLECTIVES, Collective, CollectiveVerdict, judge};

fn machine(name: &str) -> Machine {
    Machine::new(name).unwrap().in_packets()
}

/// So many members, at random.
fn random(machine: &Machine, size: usize, seed: u64) -> Group {
    let mut nodes: Vec<NodeId> = machine.living().collect();
    nodes.shuffle(&mut stream(seed, "collective"));
    nodes.truncate(size);
    Group::of(machine, "hilbert", &nodes).unwrap_or_else(|_| Group::in_order(nodes))
}

fn all() -> Vec<Collective> {
    COLLECTIVES.iter().map(|&(_, collective)| collective).collect()
}

/// The cycles of a structure.
fn predicted(verdict: &CollectiveVerdict, name: &str) -> u64 {
    verdict.structures.iter().find(|row| row.name == name).expect("a row").predicted_cycles
}

fn distance(machine: &Machine, group: &Group, a: u32, b: u32) -> u64 {
    u64::from(machine.distance(group.node(a), group.node(b)).unwrap().0)
}

/// D and R by their definitions.
fn diameter_and_radius(machine: &Machine, group: &Group) -> (u64, u64) {
    let farthest = |a| (0..group.size()).map(|b| distance(machine, group, a, b)).max().unwrap();
    let all = (0..group.size()).map(farthest);
    (all.clone().max().unwrap(), all.min().unwrap())
}

/// When all know, if everybody who knows tells one after the other, `every` cycles apart, what is there after `latency`.
fn told_one_by_one(size: u64, every: u64, latency: u64) -> u64 {
    let mut begins = std::collections::BinaryHeap::from([std::cmp::Reverse(0)]);
    let mut last = 0;
    for _ in 1..if every == 0 { 1 } else { size } {
        let std::cmp::Reverse(begin) = begins.pop().unwrap();
        last = begin + latency;
        begins.extend([begin + every, last].map(std::cmp::Reverse));
    }
    last
}

#[test]
fn every_operation_keeps_its_bound_on_every_structure() {
    let shapes = [
        ("mesh:1", 1),
        ("mesh:5x4", 20),
        ("torus:4x4", 16),
        ("torus:11x11", 121),
        ("mesh:6x6", 11),
        ("hypercube:3", 5),
        ("mesh:2x3x2", 7),
    ];
    for (name, size) in shapes {
        let machine = machine(name);
        let group = random(&machine, size, 1);
        let (diameter, radius) = diameter_and_radius(&machine, &group);
        for overhead in [0, 3] {
            let verdicts = judge(&machine, &group, &all(), overhead, "auto").unwrap();
            assert_eq!(
                verdicts.iter().map(|verdict| verdict.operation).collect::<Vec<_>>(),
                COLLECTIVES.iter().map(|known| known.0).collect::<Vec<_>>()
            );
            for verdict in &verdicts {
                let links = match verdict.operation {
                    "broadcast" | "reduce" => radius,
                    "gather" => {
                        let ports =
                            group.members().iter().map(|&node| machine.ports(node)).max().unwrap().max(1);
                        radius.max((u64::from(group.size()) - 1).div_ceil(u64::from(ports)))
                    }
                    _ => diameter,
                };
                let rounds = told_one_by_one(u64::from(group.size()), overhead, 1 + 2 * overhead);
                let bound = if group.size() == 1 { 0 } else { (links + 2 * overhead).max(rounds) };
                let least = verdict.structures.iter().map(|row| row.simulated_cycles.unwrap()).min();
                assert_eq!(verdict.chosen().unwrap().simulated_cycles, least, "no row beats the one to use");
                for row in &verdict.structures {
                    let what = format!("{} on {} of {name}, alpha {overhead}", verdict.operation, row.name);
                    assert_eq!(row.bound_cycles, bound, "{what}");
                    let simulated = row.simulated_cycles.expect("it ends");
                    assert!(bound <= row.predicted_cycles, "{what}: {row:?}");
                    let gap = if bound == 0 { 0.0 } else { simulated as f64 / bound as f64 - 1.0 };
                    assert_eq!(row.gap, Some(gap), "{what}");
                }
            }
        }
    }
}

#[test]
fn predicted_barriers_and_broadcasts_are_what_the_formulas_say() {
    for (name, size) in [("mesh:7x5", 35), ("mesh:8x8", 23), ("torus:5x6", 30), ("hypercube:4", 9)] {
        let machine = machine(name);
        let group = random(&machine, size, 2);
        for overhead in [0, 1, 4, 16] {
            let delays = Delays { link: 1, overhead };
            let wanted = [Collective::Barrier, Collective::Broadcast, Collective::Reduce];
            let verdicts = judge(&machine, &group, &wanted, overhead, "auto").unwrap();
            for candidate in portfolio::compare(&machine, &group, delays).unwrap().candidates {
                let down =
                    barrier_time::down(&candidate.tree, &candidate.tree.edge_links(&machine, &group), delays);
                let found =
                    verdicts.iter().map(|verdict| predicted(verdict, candidate.name)).collect::<Vec<_>>();
                assert_eq!(found, [2 * down, down, down], "{} on {name}, alpha {overhead}", candidate.name);
                let row = verdicts[0].structures.iter().find(|row| row.name == candidate.name).unwrap();
                assert_eq!((row.height_links, row.edges), (candidate.height_links, candidate.hops));
            }
            if overhead == 0 {
                for structure in exchange::structures(&machine, &group, &[4, 8, 16]).unwrap() {
                    let links = u64::from(structure.barrier_links(&machine, &group));
                    assert_eq!(
                        predicted(&verdicts[0], &structure.name()),
                        links,
                        "{} on {name}",
                        structure.name()
                    );
                }
            }
        }
    }
}

#[test]
fn sweeps_and_hubs_beat_trees_where_they_should() {
    let torus = machine("torus:8x8");
    let whole = Group::whole(&torus, "row").unwrap();
    let verdict = &judge(&torus, &whole, &[Collective::AllReduce], 0, "auto").unwrap()[0];
    let best = verdict.chosen().unwrap();
    assert_eq!((best.name.as_str(), best.simulated_cycles, best.gap), ("sweeps", Some(8), Some(0.0)));
    assert_eq!(predicted(verdict, "monotone-nearest"), 16);
    assert_eq!(verdict.why, "it takes 8 cycles, and 12 cycles with hubs:8");
    // With dear messages, few of them one after the other win.
    let few = random(&machine("mesh:16x16"), 64, 3);
    let mesh = machine("mesh:16x16");
    let edges = |overhead| {
        let verdict = judge(&mesh, &few, &[Collective::Barrier], overhead, "auto").unwrap().remove(0);
        // Where messages cost nothing the least height is predicted to be the best.
        let told = verdict.structures.iter().min_by_key(|row| row.predicted_cycles).unwrap().edges;
        (told, verdict.chosen().unwrap().edges)
    };
    assert_eq!((edges(0).0, edges(64)), (7, (4, 4)));
}

/// How much sooner a barrier of 64 random members of 16 x 16 is over than on the paper's trees. Without overhead an
/// independent simulation of packets took 82.0 and 32.9 steps; with it, the reference names one digit after the point
/// and not its groups, so that a tenth is as near as one can ask. Where messages cost time, they are rarely in each
/// other's way.
#[test]
fn the_best_trees_gain_what_the_reference_says() {
    let mesh = machine("mesh:16x16");
    for (overhead, reference, within) in
        [(0, 82.0 / 32.9, 0.05), (1, 2.3, 0.1), (4, 1.5, 0.1), (16, 1.2, 0.1)]
    {
        let (mut paper, mut best, mut formula) = (0, 0, 0);
        for seed in 0..12 {
            let group = random(&mesh, 64, seed);
            let verdict = judge(&mesh, &group, &[Collective::Barrier], overhead, "auto").unwrap().remove(0);
            let simulated = |name: &str| {
                let row = verdict.structures.iter().find(|row| row.name == name).unwrap();
                row.simulated_cycles.unwrap()
            };
            paper += simulated("rank-halving");
            best += ["monotone-nearest", "ecrb2", "ecrb4"].into_iter().map(simulated).min().unwrap();
            let tree = rank_halving::tree(64);
            let delays = Delays { link: 1, overhead };
            formula += barrier_time::barrier(&tree, &tree.edge_links(&mesh, &group), delays);
        }
        let gain = paper as f64 / best as f64;
        assert!((gain / reference - 1.0).abs() < within, "alpha {overhead}: {gain}");
        let waited = paper as f64 / formula as f64 - 1.0;
        assert!(
            (0.0..if overhead == 0 { 0.03 } else { 0.005 }).contains(&waited),
            "alpha {overhead}: {waited}"
        );
    }
}

#[test]
fn urgency_decides_who_is_told_first() {
    let line = machine("mesh:8");
    let group = Group::whole(&line, "row").unwrap();
    let star = meshwright_groups::Tree::new(
        0,
        std::iter::once(meshwright_groups::Tree::NONE).chain([0; 7]).collect(),
    );
    let cycles = |urgent: bool| {
        let star = Structure::Rooted(star.clone());
        let exchange = Exchange::new(&star, &group);
        let script = |_| Script::new(vec![Operation::Broadcast { from: 0, value: 5 }]);
        let all = members(&exchange, &line, &group, (0..8).map(script).collect()).unwrap();
        let urgency =
            if urgent { (1..8).map(|node| (NodeId(node), u64::from(node))).collect() } else { Vec::new() };
        let with = |member| WithOverhead::new(member, Cycles(2)).with_urgency(urgency.clone());
        let mut all: Vec<_> = all.into_iter().map(with).collect();
        let trace = sim::run(&line, &mut all, &sim::Engine::Packet).unwrap();
        assert!(trace.unfinished.is_empty());
        trace.cycles
    };
    assert_eq!(cycles(false), Cycles(7 * 2 + 7 + 2));
    assert_eq!(cycles(true), Cycles(7 * 2 + 1 + 2));
}

#[test]
fn what_does_not_fit_is_refused_or_named() {
    let mesh = machine("mesh:4x4");
    let group = Group::of(&mesh, "row", &[0, 5, 10].map(NodeId)).unwrap();
    assert_eq!(Extent::of(&mesh, &group).unwrap().diameter, 4);
    let barrier = |overhead, wanted| judge(&mesh, &group, &[Collective::Barrier], overhead, wanted);
    let verdict = barrier(0, "ecrb2").unwrap().remove(0);
    assert_eq!((verdict.chosen.as_str(), verdict.why.as_str()), ("ecrb2", "it was asked for"));
    let skipped: Vec<&str> = verdict.skipped.iter().map(|skipped| skipped.method.as_str()).collect();
    assert_eq!(skipped, ["gibbons-paterson", "hubs:4", "hubs:8", "hubs:16", "sweeps"]);
    assert_eq!(verdict.structures.len(), TREES.len(), "all trees but one, and the flat one");
    for (overhead, wanted, part) in
        [(0, "sweeps", "fill no box"), (0, "oak", "monotone-nearest"), (u64::MAX, "auto", "overhead")]
    {
        let error = barrier(overhead, wanted).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let none = judge(&mesh, &Group::in_order(Vec::new()), &[Collective::Scan], 0, "auto");
    assert!(none.unwrap_err().to_string().contains("at least one member"));
}

#[test]
fn dead_nodes_are_gone_round() {
    let mesh = machine("mesh:5x5").with_dead([6, 12, 18].map(NodeId).to_vec()).unwrap();
    let group = random(&mesh, 17, 4);
    for verdict in judge(&mesh, &group, &all(), 2, "auto").unwrap() {
        assert!(verdict.structures.len() >= 4, "{:?}", verdict.skipped);
        assert!(verdict.structures.iter().all(|row| row.simulated_cycles.is_some()));
    }
}

/// Whatever packets hold, ports, start-ups and ends cost: nothing is below its bound, which `judge` would refuse to tell.
#[test]
fn no_machine_is_faster_than_its_bound() {
    use meshwright_core::units::{Bytes, Cycles, Ratio};
    use meshwright_network::topology::{Costs, Endpoints, PortModel, Switching};
    for (case, name) in
        (0usize..).zip(["mesh:4x4", "mesh:2x3x3", "torus:5x3", "hypercube:4", "mesh:1x7"].repeat(12))
    {
        let flit = Bytes([16, 2, 8, 64][case % 4]);
        let costs =
            Costs { startup: Cycles([0, 1, 100][case % 3]), byte_time: Ratio::new(1, 1).unwrap(), flit };
        let ends =
            Endpoints { overhead: Cycles([0, 0, 7][case / 3 % 3]), gap: Cycles([0, 60][case / 5 % 2]) };
        let switching =
            [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward][case / 4 % 3];
        let ports = [PortModel::One, PortModel::All][case / 2 % 2];
        let machine = Machine::new(name).unwrap().with_switching(switching).with_costs(costs).unwrap();
        let machine = machine.with_port_model(ports).with_endpoints(ends).unwrap();
        let group = Group::whole(&machine, "hilbert").unwrap();
        for verdict in judge(&machine, &group, &all(), [0, 3][case / 7 % 2], "auto").unwrap() {
            assert!(verdict.structures.iter().all(|row| row.bound_cycles > 0), "{name} {case}");
        }
    }
}
