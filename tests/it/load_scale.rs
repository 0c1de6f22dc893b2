//! The Poisson flow against limits that are checked link by link, against closed forms and against cuts.

use meshwright_core::rng;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_load::poisson::{self, Attempt, TOLERANCE, attempt};
use meshwright_load::{Problem, Source, Speeds, optimum};
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;

fn machine(name: &str) -> Machine {
    Machine::new(name).expect("a machine")
}

/// A makespan below which no flow exists: all nodes, each source alone, and each set of adjacent sources.
fn start(problem: &Problem<'_>) -> f64 {
    let mut load = vec![0.0; problem.machine().nodes() as usize];
    problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
    let everything: Vec<NodeId> = (0..problem.machine().nodes()).map(NodeId).collect();
    let alone = problem.sources().iter().map(|source| vec![source.node]);
    alone
        .chain([everything])
        .chain(clusters(problem, &load))
        .map(|set| ratio(problem, &load, &set))
        .fold(0.0, f64::max)
}

/// Connected sets of sources.
fn clusters(problem: &Problem<'_>, load: &[f64]) -> Vec<Vec<NodeId>> {
    let machine = problem.machine();
    let mut seen = vec![false; load.len()];
    let mut clusters = Vec::new();
    for source in problem.sources() {
        let (mut cluster, mut next) = (vec![source.node], 0);
        if std::mem::replace(&mut seen[source.node.index()], true) {
            continue;
        }
        while let Some(&node) = cluster.get(next) {
            next += 1;
            for (_, other) in neighbours(machine, node) {
                if load[other.index()] > 0.0 && !std::mem::replace(&mut seen[other.index()], true) {
                    cluster.push(other);
                }
            }
        }
        clusters.push(cluster);
    }
    clusters
}

fn neighbours(machine: &Machine, node: NodeId) -> Vec<(LinkId, NodeId)> {
    let first = machine.first_link(node).0;
    let links = first..first + machine.ports(node);
    links.filter_map(|link| Some((LinkId(link), machine.target(LinkId(link))?))).collect()
}

/// The makespan a set of nodes asks for: what enters over what it works off and sends out in a unit of time.
fn ratio(problem: &Problem<'_>, load: &[f64], set: &[NodeId]) -> f64 {
    let mut inside = vec![false; load.len()];
    set.iter().for_each(|node| inside[node.index()] = true);
    let leaving = set
        .iter()
        .flat_map(|&node| neighbours(problem.machine(), node))
        .filter(|(_, other)| !inside[other.index()]);
    let out = leaving.count() as f64;
    let links = if out == 0.0 { 0.0 } else { out / problem.sigma() };
    set.iter().map(|node| load[node.index()]).sum::<f64>() / (set.len() as f64 + links)
}

/// Holds a flow to every limit, from nothing but its numbers.
fn validate(problem: &Problem<'_>, makespan: f64, link: &[f64], node: &[f64]) {
    let machine = problem.machine();
    assert_eq!((link.len(), node.len()), (machine.links() as usize, machine.nodes() as usize));
    let mut rest = vec![0.0; node.len()];
    problem.sources().iter().for_each(|source| rest[source.node.index()] += source.load);
    let limit = makespan * (1.0 + TOLERANCE);
    let mut used = vec![false; link.len()];
    for v in (0..machine.nodes()).map(NodeId) {
        assert!((0.0..=limit).contains(&node[v.index()]), "node {v} works off {}", node[v.index()]);
        for (LinkId(id), other) in neighbours(machine, v) {
            let flow = link[id as usize];
            used[id as usize] = true;
            assert!(flow >= 0.0 && flow * problem.sigma() <= limit, "link {id} carries {flow}");
            let back = machine.wire(other, v).expect("links come in pairs");
            assert!(flow == 0.0 || link[back.index()] == 0.0, "both ways between {v} and {other}");
            rest[v.index()] -= flow;
            rest[other.index()] += flow;
        }
    }
    assert!(
        link.iter().zip(used).all(|(&flow, used)| used || flow == 0.0),
        "flow on a link that is not there"
    );
    for (v, (rest, work)) in rest.iter().zip(node).enumerate() {
        assert!(
            (rest - work).abs() <= 1e-9 * makespan,
            "at node {v} {rest} is left, and {work} is worked off"
        );
    }
    assert!((node.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

/// `count` different nodes, with loads of 1 to `most`.
fn random(machine: &Machine, count: usize, most: u32, seed: u64) -> Vec<Source> {
    let mut rng = rng::stream(seed, "sources");
    let mut nodes = std::collections::BTreeSet::new();
    while nodes.len() < count {
        nodes.insert(rng.random_range(0..machine.nodes()));
    }
    nodes.into_iter().map(|node| Source::at(NodeId(node), f64::from(rng.random_range(1..=most)))).collect()
}

/// The optimum by Newton on the sets that the attempts return.
fn newton(problem: &Problem<'_>) -> (f64, usize) {
    let mut load = vec![0.0; problem.machine().nodes() as usize];
    problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
    let mut makespan = start(problem);
    for round in 1.. {
        match attempt(problem, makespan) {
            Attempt::Flow(flow) => {
                validate(problem, makespan, &flow.link, &flow.node);
                return (makespan, round);
            }
            Attempt::Overloaded(set) => {
                let next = ratio(problem, &load, &set);
                assert!(next > makespan, "{next} after {makespan}");
                makespan = next;
            }
            Attempt::Unsettled => panic!("unsettled at {makespan}"),
        }
    }
    unreachable!("there are finitely many sets")
}

/// Newton on the sets of this module and the general method find the same optimum.
#[test]
fn agrees_with_the_general_max_flow() {
    let names = [
        "mesh:7x9",
        "torus:6x8",
        "mesh:3x11",
        "mesh:1x17",
        "torus:2x7",
        "torus:15",
        "hypercube:5",
        "torus:3x4x5",
        "mesh:4x3x4",
    ];
    let mut rounds = [0; 4];
    for (seed, name) in names.into_iter().enumerate() {
        let machine = machine(name);
        for (count, most) in [(1, 1), (2, 5), (5, 1), (12, 20)] {
            let sources = random(&machine, count, most, seed as u64);
            for sigma in [0.01, 0.2, 0.7, 3.0] {
                let problem = Problem::new(&machine, sources.clone(), sigma).expect("a problem");
                let (general, _) = optimum::makespan(&problem).expect("everything is connected");
                let (makespan, round) = newton(&problem);
                rounds[round.min(3)] += 1;
                let from_below = (general - makespan) / general;
                assert!(
                    (-1e-12..TOLERANCE).contains(&from_below),
                    "{name}, {count} sources, {sigma}: {from_below}"
                );
            }
        }
    }
    assert!(rounds[2] > 0, "some optimum needs a set that one does not begin with: {rounds:?}");
}

/// One source on a network that looks the same from every node: 1 / T = min(N, 1 + deg/sigma).
#[test]
fn closed_forms_are_attained() {
    for (name, degree) in
        [("torus:31x20", 4.0), ("torus:7x9x8", 6.0), ("hypercube:9", 9.0), ("torus:100", 2.0)]
    {
        let machine = machine(name);
        for sigma in [0.001, 0.013, 0.1, 1.0, 25.0] {
            let problem =
                Problem::new(&machine, vec![Source::at(NodeId(17), 2.0)], sigma).expect("a problem");
            let speedup = f64::from(machine.nodes()).min(1.0 + degree / sigma);
            let flow = poisson::flow(&problem, 1.0 / speedup).expect("the bound is attained");
            validate(&problem, 1.0 / speedup, &flow.link, &flow.node);
            assert!(
                poisson::flow(&problem, (1.0 - 2.0 * TOLERANCE) / speedup).is_none(),
                "{name}, sigma {sigma}"
            );
        }
    }
}

/// Sources side by side: the set that comes back asks for more time than was given.
#[test]
fn a_set_that_is_too_full_comes_back() {
    let machine = machine("mesh:20x30");
    let sources: Vec<Source> = [301, 303, 331, 333].map(|node| Source::at(NodeId(node), 1.0)).to_vec();
    let problem = Problem::new(&machine, sources, 0.3).expect("a problem");
    let mut load = vec![0.0; 600];
    problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
    let alone = start(&problem);
    let Attempt::Overloaded(set) = attempt(&problem, alone) else {
        panic!("two pairs share the links between")
    };
    assert!(set.is_sorted() && ratio(&problem, &load, &set) > alone);
    let (makespan, _) = newton(&problem);
    let (general, _) = optimum::makespan(&problem).expect("everything is connected");
    assert!((makespan / general - 1.0).abs() < TOLERANCE, "{makespan} and {general}");
}

#[test]
fn small_and_extreme_problems() {
    let cases = [
        ("mesh:1x1", vec![0], 0.5, 1.0),
        ("mesh:1x2", vec![1], 1.0, 2.0),
        ("mesh:1x5", vec![2], 0.0, 5.0),
        ("torus:5x5", vec![3, 4, 9], 0.0, 25.0),
        ("torus:4x4", (0..16).collect(), 0.1, 16.0),
        ("torus:4x4", vec![0], 1e9, 1.0 + 4e-9),
    ];
    for (name, nodes, sigma, speedup) in cases {
        let machine = machine(name);
        let sources = nodes.into_iter().map(|node| Source::at(NodeId(node), 1.0)).collect();
        let problem = Problem::new(&machine, sources, sigma).expect("a problem");
        let flow = poisson::flow(&problem, 1.0 / speedup).unwrap_or_else(|| panic!("{name} at {sigma}"));
        validate(&problem, 1.0 / speedup, &flow.link, &flow.node);
        let later = poisson::flow(&problem, 3.0 / speedup).expect("there is time in plenty");
        validate(&problem, 3.0 / speedup, &later.link, &later.node);
    }
}

#[test]
fn what_does_not_fit_is_left_to_others() {
    let whole = machine("mesh:4x4");
    let at = |release| vec![Source { node: NodeId(5), load: 1.0, release }];
    let late = Problem::new(&whole, at(0.5), 0.1).expect("a problem");
    assert_eq!(attempt(&late, 1.0), Attempt::Unsettled);
    let speeds = Speeds { work: vec![1.0; 16], link: vec![0.1; 64] };
    let unlike = Problem::new(&whole, at(0.0), 0.1).and_then(|problem| problem.with_speeds(speeds));
    assert_eq!(attempt(&unlike.expect("a problem"), 1.0), Attempt::Unsettled);
    let broken = machine("mesh:4x4").with_dead(vec![NodeId(0)]).expect("a machine");
    let problem = Problem::new(&broken, at(0.0), 0.1).expect("a problem");
    assert_eq!(attempt(&problem, 1.0), Attempt::Unsettled);
}

/// Above its size `optimum::solve` takes this way; speeds that are given one by one take the other.
#[test]
fn solve_takes_either_way() {
    let machine = machine("mesh:130x131");
    let problem = Problem::new(&machine, random(&machine, 60, 3, 9), 0.02).expect("a problem");
    let fast = optimum::solve(&problem).expect("everything is connected");
    validate(&problem, fast.makespan, &fast.flow.link, &fast.flow.node);
    let speeds =
        Speeds { work: vec![1.0; machine.nodes() as usize], link: vec![0.02; machine.links() as usize] };
    let (general, _) = optimum::makespan(&problem.clone().with_speeds(speeds).expect("speeds"))
        .expect("everything is connected");
    assert!((fast.makespan / general - 1.0).abs() < 1e-9, "{} and {general}", fast.makespan);
    assert!((fast.cut.demand / fast.cut.capacity - 1.0).abs() < 1e-12);
}

/// The sizes of the issue; links and processors within 1e-6 of the bound.
#[test]
#[ignore = "a million nodes, a minute"]
fn a_million_nodes() {
    for name in ["mesh:1000x1000", "torus:999x1001", "hypercube:18", "torus:100x100x50"] {
        let machine = machine(name);
        for count in [1, 10, 100, 1000] {
            let balanced = 4.0 * count as f64 / f64::from(machine.nodes());
            for sigma in [0.1, balanced, 1e-5] {
                let problem =
                    Problem::new(&machine, random(&machine, count, 1, 1), sigma).expect("a problem");
                let optimum = optimum::solve(&problem).expect("everything is connected");
                validate(&problem, optimum.makespan, &optimum.flow.link, &optimum.flow.node);
                let mut load = vec![0.0; machine.nodes() as usize];
                problem.sources().iter().for_each(|source| load[source.node.index()] += source.load);
                assert!(optimum.makespan <= ratio(&problem, &load, &optimum.cut.nodes) * (1.0 + 1e-12));
            }
        }
    }
}
