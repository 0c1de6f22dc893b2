//! The further networks of the thesis's outlook: the same functions, no special cases.

use meshwright_core::rng;
use meshwright_core::units::{Hops, NodeId, Port};
use meshwright_load::shares::{closed_form, schedulers, voronoi};
use meshwright_load::{Forwarding, Problem, Source, Speeds, layers, optimum};
use meshwright_network::topology::{Machine, Topology, network};
use rand::RngExt;

const NAMES: [&str; 6] = ["gaussian:4+5i", "gaussian:2+4i", "ccc:3", "ccc:4", "hypercube:4", "torus:3x5"];

fn at(nodes: &[u32]) -> Vec<Source> {
    nodes.iter().map(|&node| Source::at(NodeId(node), 1.0)).collect()
}

fn degree(machine: &Machine) -> u32 {
    let node = NodeId(0);
    (0..machine.ports(node)).filter(|&port| machine.neighbour(node, Port(port)).is_some()).count() as u32
}

#[test]
fn a_source_on_a_network_of_like_nodes_is_worth_its_links() {
    for name in NAMES {
        let machine = Machine::new(name).unwrap();
        for sigma in [0.05, 0.3, 1.0, 2.5] {
            for node in [0, machine.nodes() / 3] {
                let problem = Problem::new(&machine, at(&[node]), sigma).unwrap();
                let expected = f64::from(machine.nodes()).min(1.0 + f64::from(degree(&machine)) / sigma);
                let (makespan, cut) = optimum::makespan(&problem).unwrap();
                assert!((1.0 / makespan - expected).abs() < 1e-9 * expected, "{name}, {sigma}: {makespan}");
                assert!((cut.capacity - cut.demand).abs() < 1e-9, "{name}: the certificate is tight");
            }
        }
    }
}

#[test]
fn the_thesis_and_its_schedulers_run_on_every_network() {
    for name in NAMES {
        let machine = Machine::new(name).unwrap();
        let counts = layers::counts(&machine, &[NodeId(1)]);
        assert_eq!(counts.iter().sum::<u64>(), u64::from(machine.nodes()), "{name}");
        assert_eq!(Hops(counts.len() as u32 - 1), machine.eccentricity(NodeId(1)), "{name}");
        let shares = closed_form::fractions(&counts, &0.1, Forwarding::CutThrough);
        let whole: f64 = counts.iter().zip(&shares).map(|(&nodes, share)| nodes as f64 * share).sum();
        assert!((whole - 1.0).abs() < 1e-12, "{name}");
        let nodes = [0, 5, machine.nodes() - 1];
        let sites: Vec<Vec<NodeId>> = nodes.iter().map(|&node| vec![NodeId(node)]).collect();
        let cells = voronoi::cells(&machine, &sites);
        for node in (0..machine.nodes()).map(NodeId) {
            let hops = |source: &u32| machine.distance(NodeId(*source), node).unwrap().0;
            let nearest = nodes.iter().map(hops).min().unwrap();
            assert_eq!(cells.depth[node.index()], nearest, "{name}, {node}");
            let first = nodes.iter().position(|source| hops(source) == nearest).unwrap();
            assert_eq!(cells.label[node.index()], first as u32, "{name}, {node}");
        }
        let problem = Problem::new(&machine, at(&nodes), 0.1).unwrap();
        let (bound, _) = optimum::makespan(&problem).unwrap();
        for method in schedulers::METHODS.iter().filter(|method| method.name.contains("voronoi")) {
            let run =
                (method.run)(&problem, Forwarding::CutThrough, &schedulers::SchedulerSettings::default());
            let plan = run.unwrap().plan;
            assert!((plan.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}, {}", method.name);
            assert!(plan.makespan > 0.0 && bound > 0.0, "{name}, {}", method.name);
        }
    }
}

/// The optimum of several sources and of unlike nodes against every subset of a small network.
#[test]
fn several_sources_and_unlike_nodes_meet_the_worst_of_all_sets() {
    let mut random = rng::stream(11, "networks");
    for name in ["hypercube:3", "gaussian:1+3i", "gaussian:2+3i", "ccc:2"] {
        let machine = Machine::new(name).unwrap();
        for round in 0..6 {
            let sources: Vec<Source> = (0..1 + round % 4)
                .map(|_| {
                    Source::at(NodeId(random.random_range(0..machine.nodes())), random.random_range(0.1..1.0))
                })
                .collect();
            let problem = Problem::new(&machine, sources, random.random_range(0.05..2.0)).unwrap();
            let problem = if round % 2 == 0 {
                problem
            } else {
                problem.with_speeds(unlike(&machine, &mut random)).unwrap()
            };
            let (makespan, _) = optimum::makespan(&problem).unwrap();
            let worst = (1u32..1 << machine.nodes()).map(|set| time_of(&problem, set)).fold(0.0, f64::max);
            assert!((makespan - worst).abs() < 1e-9 * worst, "{name}: {makespan} for {worst}");
        }
    }
}

/// Processors and links of different speeds.
fn unlike(machine: &Machine, random: &mut impl RngExt) -> Speeds {
    Speeds {
        work: (0..machine.nodes()).map(|_| random.random_range(0.5..3.0)).collect(),
        link: (0..machine.links()).map(|_| random.random_range(0.2..2.0)).collect(),
    }
}

/// L(S) / (work of S + links out of S).
fn time_of(problem: &Problem, set: u32) -> f64 {
    let machine = problem.machine();
    let inside = |node: NodeId| set >> node.0 & 1 == 1;
    let load: f64 =
        problem.sources().iter().filter(|source| inside(source.node)).map(|source| source.load).sum();
    let mut capacity = 0.0;
    for node in (0..machine.nodes()).map(NodeId).filter(|&node| inside(node)) {
        capacity += 1.0 / problem.work(node);
        for port in (0..machine.ports(node)).map(Port) {
            if machine.neighbour(node, port).is_some_and(|next| !inside(next)) {
                capacity += 1.0 / problem.link_time(machine.link(node, port));
            }
        }
    }
    load / capacity
}

#[test]
fn specifications_are_read_or_refused() {
    for (name, nodes, links) in [
        ("gaussian:0+1i", 1, 0),
        ("gaussian:1+1i", 2, 2),
        ("gaussian:1+2i", 5, 20),
        ("gaussian:3+0i", 9, 36),
        ("gaussian:0+3i", 9, 36),
        ("gaussian:4+5i", 41, 164),
        ("ccc:1", 2, 2),
        ("ccc:2", 8, 16),
        ("ccc:3", 24, 72),
    ] {
        let network = network(name).unwrap();
        assert_eq!((network.nodes(), network.links()), (nodes, links), "{name}");
    }
    let refused = [
        "gaussian:",
        "gaussian:4",
        "gaussian:4i",
        "gaussian:4+5",
        "gaussian:4-5i",
        "gaussian:x+1i",
        "gaussian:0+0i",
        "gaussian:4096+1i",
        "gaussian:4294967295+4294967295i",
        "gaussian:4294967296+1i",
        "ccc:",
        "ccc:0",
        "ccc:20",
        "ccc:3x3",
        "ccc:-1",
    ];
    for name in refused {
        let error = network(name).unwrap_err().to_string();
        assert!(error.contains("expected"), "{name}: {error}");
    }
}
