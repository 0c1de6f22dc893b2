//! The least makespan: against the reference, against every cut of small machines, and its flows link by link.

use std::path::Path;

use meshwright_core::units::{LinkId, NodeId, Port};
use meshwright_load::optimum::{self, Flow, Optimum, closed_form, fewest};
use meshwright_load::{Problem, Source, Speeds};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, Machine, Topology};
use rand::RngExt;
use serde_json::Value;

/// Whether two numbers agree to a relative error.
#[track_caller]
fn close(a: f64, b: f64, error: f64, what: &str) {
    assert!((a - b).abs() <= error * b.abs(), "{what}: {a} is not {b}");
}

/// The reference.
fn golden() -> Value {
    serde_json::from_str(&crate::text(Path::new("tests/golden/load.json"))).expect("JSON")
}

/// The Gaussian network of a + bi: the integers modulo a^2 + b^2 with steps 1 and i = -a/b.
fn gaussian(a: u32, b: u32) -> Machine {
    let n = a * a + b * b;
    let i = (1..n).find(|i| (a + b * i).is_multiple_of(n)).expect("a and b have no common divisor");
    let arc = |from, step| Arc { from, to: (from + step) % n, weight: 1 };
    let arcs = (0..n).flat_map(|node| [arc(node, 1), arc(node, i)]).collect();
    let graph = Graph::from_arcs(&ArcList { vertices: n, arcs }).expect("a small graph");
    Machine::of("a Gaussian network", &graph).expect("wires both ways")
}

fn machine(topology: &Value) -> Machine {
    let number = |key: &str| topology[key].as_u64().expect("a number") as u32;
    let specification = match topology["kind"].as_str().expect("a word") {
        "gaussian" => return gaussian(number("a"), number("b")),
        "hypercube" => format!("hypercube:{}", number("d")),
        kind => format!("{kind}:{}x{}", number("m"), number("n")),
    };
    Machine::new(&specification).expect("a box")
}

fn sources(loads: &Value) -> Vec<Source> {
    let loads = loads.as_object().expect("loads by node").iter();
    let source = |(node, load): (&String, &Value)| {
        Source::at(NodeId(node.parse().expect("a node")), load.as_f64().expect("a load"))
    };
    loads.map(source).collect()
}

/// Every law a flow must keep from the beginning to `time`.
pub(crate) fn certify(problem: &Problem, flow: &Flow, time: f64) {
    let machine = problem.machine();
    let mut balance = vec![0.0; machine.nodes() as usize];
    problem.sources().iter().for_each(|source| balance[source.node.index()] += source.load);
    for node in machine.living() {
        let most = time / problem.work(node) * (1.0 + 1e-9);
        assert!(flow.node[node.index()] >= 0.0 && flow.node[node.index()] <= most, "{node} is not faster");
        balance[node.index()] -= flow.node[node.index()];
        for port in 0..machine.ports(node) {
            let link = machine.link(node, Port(port));
            let units = flow.link[link.index()];
            let Some(next) = machine.neighbour(node, Port(port)) else {
                assert_eq!(units, 0.0, "nothing crosses what is not wired");
                continue;
            };
            let back = machine.wire(next, node).expect("links come in pairs");
            assert!(units == 0.0 || flow.link[back.index()] == 0.0, "{link:?} and its mate are both used");
            assert!(
                units >= 0.0 && units <= time / problem.link_time(link) * (1.0 + 1e-9),
                "{link:?}: {units}"
            );
            balance[node.index()] -= units;
            balance[next.index()] += units;
        }
    }
    assert!(balance.iter().all(|rest| rest.abs() < 1e-12), "what enters a node leaves it or is worked off");
    let rows = flow.node.chunks(1000).map(|row| row.iter().sum::<f64>());
    close(rows.sum(), 1.0, 1e-12, "the whole load");
}

/// What a set can do per unit of time.
fn rate(problem: &Problem, is_inside: impl Fn(NodeId) -> bool) -> f64 {
    let machine = problem.machine();
    let mut rate = 0.0;
    for node in machine.living().filter(|&node| is_inside(node)) {
        rate += 1.0 / problem.work(node);
        for port in 0..machine.ports(node) {
            if machine.neighbour(node, Port(port)).is_some_and(|next| !is_inside(next)) {
                rate += 1.0 / problem.link_time(machine.link(node, Port(port)));
            }
        }
    }
    rate
}

/// The makespan that a set demands.
fn ratio(problem: &Problem, is_inside: impl Fn(NodeId) -> bool) -> f64 {
    let load: f64 =
        problem.sources().iter().filter(|source| is_inside(source.node)).map(|source| source.load).sum();
    if load == 0.0 { 0.0 } else { load / rate(problem, is_inside) }
}

/// The greatest makespan that any set demands.
fn brute_force(problem: &Problem) -> f64 {
    let sets = 1u32..1 << problem.machine().nodes();
    sets.map(|set| ratio(problem, |node| set >> node.0 & 1 == 1)).fold(0.0, f64::max)
}

/// An optimum whose flow and whose cut prove it.
fn proved(problem: &Problem) -> Optimum {
    let found = optimum::solve(problem).expect("a problem that can be solved");
    certify(problem, &found.flow, found.makespan);
    close(ratio(problem, |node| found.cut.nodes.binary_search(&node).is_ok()), found.makespan, 1e-12, "cut");
    close(found.cut.capacity, found.cut.demand, 1e-12, "a cut is full");
    close(optimum::makespan(problem).expect("solved before").0, found.makespan, 1e-12, "without a flow");
    found
}

#[test]
fn every_fluid_value_of_the_reference() {
    let golden = golden();
    let mut counts = [0; 4];
    for entry in golden["fluid"].as_array().expect("a list") {
        let flag = |key: &str| entry.get(key).is_some_and(|value| !value.is_null());
        let back = entry["ret"].as_f64().unwrap_or(0.0);
        if flag("one_port") || flag("front_end") {
            counts[3] += 1;
            continue; // Those are linear programmes, not flows.
        }
        // Half duplex loses nothing to a net flow. Results go back over the reverse directions, which are as fast;
        // where both share a wire, it carries both.
        let factor = if flag("half_duplex") { 1.0 + back } else { back.max(1.0) };
        let machine = machine(&entry["topology"]);
        let sigma = entry["sigma"].as_f64().expect("sigma") * factor;
        let problem = Problem::new(&machine, sources(&entry["loads"]), sigma).expect("a problem");
        let found = proved(&problem);
        close(found.makespan, entry["T"].as_f64().expect("T"), 1e-7, &entry.to_string());
        if let Some(speedup) = entry.get("closed_form").and_then(Value::as_f64) {
            close(1.0 / found.makespan, speedup, 1e-12, &entry.to_string());
            counts[1] += 1;
        }
        counts[2] += usize::from(found.method == "closed form");
        counts[0] += 1;
    }
    assert_eq!([counts[0] + counts[3], counts[1], counts[3]], [197, 118, 14]);
    assert!(counts[2] > 100, "closed forms hold for most: {}", counts[2]);
}

#[test]
fn every_heterogeneous_value_of_the_reference() {
    let golden = golden();
    let entries = golden["fluid_heterogeneous"].as_array().expect("a list");
    for entry in entries {
        let machine = machine(&entry["topology"]);
        let work = entry["w"].as_array().expect("a list").iter().map(|w| w.as_f64().expect("w")).collect();
        let mut link = vec![f64::INFINITY; machine.links() as usize];
        for wire in entry["z"].as_array().expect("a list") {
            let end = |at: usize| NodeId(wire[at].as_u64().expect("a node") as u32);
            let id = machine.wire(end(0), end(1)).expect("a wire");
            link[id.index()] = wire[2].as_f64().expect("z");
        }
        let problem = Problem::new(&machine, sources(&entry["loads"]), 1.0).expect("a problem");
        let problem = problem.with_speeds(Speeds { work, link }).expect("speeds");
        close(
            proved(&problem).makespan,
            entry["T"].as_f64().expect("T"),
            1e-7,
            &entry["topology"].to_string(),
        );
        if machine.nodes() <= 12 {
            close(proved(&problem).makespan, brute_force(&problem), 1e-12, "every cut");
        }
    }
    assert_eq!(entries.len(), 7);
}

#[test]
fn every_optimum_of_unequal_loads_of_the_reference() {
    let golden = golden();
    let entries = golden["epsea"].as_array().expect("a list");
    for entry in entries {
        let machine = machine(&entry["topology"]);
        let numbers = |key: &str| entry[key].as_array().expect("a list").clone().into_iter();
        let pairs = numbers("nodes").zip(numbers("loads"));
        let sources = pairs.map(|(node, load)| {
            Source::at(NodeId(node.as_u64().expect("a node") as u32), load.as_f64().expect("a load"))
        });
        let sources = sources.filter(|source| source.load > 0.0);
        let sigma = entry["sigma"].as_f64().expect("sigma");
        let problem = Problem::new(&machine, sources.collect(), sigma).expect("a problem");
        close(proved(&problem).makespan, entry["fluid_opt_T"].as_f64().expect("T"), 1e-7, "epsea");
    }
    assert_eq!(entries.len(), 5);
}

/// Every set of nodes with how many they are and how many wires leave them.
fn counts(machine: &Machine) -> Vec<(u32, u32, u32)> {
    let next = |node: u32| {
        (0..machine.ports(NodeId(node))).filter_map(move |port| machine.neighbour(NodeId(node), Port(port)))
    };
    let around: Vec<u32> =
        (0..machine.nodes()).map(|node| next(node).map(|next| 1 << next.0).sum()).collect();
    let wires = |set: u32| {
        (0..machine.nodes())
            .filter(|node| set >> node & 1 == 1)
            .map(|node| (around[node as usize] & !set).count_ones())
            .sum()
    };
    (1u32..1 << machine.nodes()).map(|set| (set, set.count_ones(), wires(set))).collect()
}

#[test]
fn a_deadline_is_met_from_the_least_makespan_on() {
    let machine = Machine::new("mesh:6x6").expect("a mesh");
    let late = Source { node: NodeId(20), load: 1.0, release: 0.05 };
    let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 2.0), late], 0.3).expect("a problem");
    let (least, _) = optimum::makespan(&problem).expect("a whole mesh");
    for deadline in [0.0, 0.04, 0.05, 0.9 * least, 0.999_999 * least] {
        let cut = optimum::within(&problem, deadline).expect("a deadline").expect_err("too early");
        assert!(cut.demand > cut.capacity, "{deadline}: {cut:?}");
    }
    for deadline in [least, 1.1 * least, 5.0 * least] {
        let flow = optimum::within(&problem, deadline).expect("a deadline").expect("time enough");
        certify(&problem, &flow, deadline);
    }
    assert!(optimum::within(&problem, f64::NAN).is_err() && optimum::within(&problem, -1.0).is_err());
}

#[test]
fn closed_forms_are_the_worst_of_all_cuts() {
    let boxes = [
        "mesh:1",
        "mesh:1x1",
        "mesh:7",
        "mesh:1x9",
        "mesh:2x2",
        "mesh:2x5",
        "mesh:5x2",
        "mesh:3x3",
        "mesh:3x4",
        "mesh:4x3",
        "mesh:2x1x4",
        "mesh:2x2x3",
        "torus:2",
        "torus:5",
        "torus:2x3",
        "torus:3x4",
        "torus:2x2x3",
        "hypercube:0",
        "hypercube:1",
        "hypercube:3",
    ];
    let mut forms = 0;
    let best = |counts: &[(u32, u32, u32)], node: NodeId, sigma: f64| {
        let sets = counts.iter().filter(|(set, ..)| set >> node.0 & 1 == 1);
        let out = |wires: u32| if wires == 0 { 0.0 } else { f64::from(wires) / sigma };
        sets.map(|&(_, nodes, wires)| f64::from(nodes) + out(wires)).fold(f64::INFINITY, f64::min)
    };
    for specification in boxes {
        let machine = Machine::new(specification).expect("a box");
        let counts = counts(&machine);
        for node in (0..machine.nodes()).map(NodeId) {
            for sigma in [0.0, 0.05, 0.3, 0.5, 1.0, 2.5] {
                let problem = Problem::new(&machine, vec![Source::at(node, 2.0)], sigma).expect("a problem");
                let Some(form) = closed_form(&problem) else { continue };
                let found = optimum::solve(&problem).expect("a whole box");
                let what = format!("{specification} {node} {sigma}");
                close(1.0 / form.makespan, best(&counts, node, sigma), 1e-12, &what);
                close(form.makespan, found.makespan, 1e-12, &what);
                certify(&problem, &found.flow, found.makespan);
                let cut = form.cut(&problem);
                let inside = |node: NodeId| cut.nodes.binary_search(&node).is_ok();
                close(ratio(&problem, inside), form.makespan, 1e-12, "the region decides");
                forms += 1;
            }
        }
    }
    assert!(forms > 500, "{forms}");
}

/// A machine of a few nodes with dead nodes and links, speeds of all kinds and a few sources.
fn scattered(seed: u64, check: impl Fn(&Problem)) {
    let mut rng = meshwright_core::rng::stream(seed, "scattered");
    let boxes = ["mesh:3x3", "torus:3x3", "mesh:2x4", "hypercube:3", "mesh:9"];
    let machine = Machine::new(boxes[rng.random_range(0..boxes.len())]).expect("a box");
    let dead: Vec<NodeId> = machine.living().filter(|_| rng.random_bool(0.1)).take(4).collect();
    let wires = (0..machine.links())
        .map(LinkId)
        .filter_map(|link| Some((machine.source(link), machine.target(link)?)));
    let wires: Vec<_> = wires.filter(|_| rng.random_bool(0.05)).collect();
    let machine =
        machine.with_dead(dead).and_then(|machine| machine.with_dead_links(wires)).expect("some work");
    let living: Vec<NodeId> = machine.living().collect();
    let sources = (0..rng.random_range(1..4))
        .map(|_| Source::at(living[rng.random_range(0..living.len())], rng.random_range(0.1..1.0)))
        .collect();
    let mut time = |none: f64, all: f64| match rng.random_range(0..10) {
        0 => none,
        1 => all,
        _ => rng.random_range(0.1..3.0),
    };
    let work = (0..machine.nodes()).map(|_| time(f64::INFINITY, 0.5)).collect();
    let link = (0..machine.links()).map(|_| time(f64::INFINITY, 0.0)).collect();
    let problem = Problem::new(&machine, sources, 1.0).expect("a problem");
    check(&problem.with_speeds(Speeds { work, link }).expect("speeds"));
}

#[test]
fn scattered_machines_against_every_cut() {
    let impossible = std::cell::Cell::new(0);
    for seed in 0..300 {
        scattered(seed, |problem| {
            let greatest = brute_force(problem);
            if greatest.is_infinite() {
                let error = optimum::solve(problem).expect_err("nobody can do it").to_string();
                assert!(error.contains("no working processor can be reached"), "{error}");
                return impossible.set(impossible.get() + 1);
            }
            close(proved(problem).makespan, greatest, 1e-12, &format!("seed {seed}"));
        });
    }
    assert!((1..150).contains(&impossible.get()), "some have no answer, not most: {}", impossible.get());
}

/// The greatest makespan over all chains of sets S_0 in S_1, for two releases.
fn brute_force_in_time(problem: &Problem, releases: [f64; 2]) -> f64 {
    let nodes = problem.machine().nodes();
    let mut greatest = releases[1];
    for last in 1u32..1 << nodes {
        let mut first = last;
        loop {
            let holds = |set: u32, node: NodeId| set >> node.0 & 1 == 1;
            let entered = problem.sources().iter().filter(|source| {
                holds(if source.release == releases[0] { first } else { last }, source.node)
            });
            let load: f64 = entered.map(|source| source.load).sum();
            let before = rate(problem, |node| holds(first, node)) * (releases[1] - releases[0]);
            greatest = greatest.max(releases[1] + (load - before) / rate(problem, |node| holds(last, node)));
            if first == 0 {
                break;
            }
            first = (first - 1) & last;
        }
    }
    greatest
}

#[test]
fn releases_against_every_chain_of_cuts() {
    for (specification, seed) in ["mesh:2x3", "torus:5", "mesh:6", "hypercube:2"].into_iter().zip(0u64..) {
        let machine = Machine::new(specification).expect("a box");
        let mut rng = meshwright_core::rng::stream(seed, "releases");
        for _ in 0..12 {
            let releases = [rng.random_range(0.0..0.1), rng.random_range(0.1..0.3)];
            let mut source = |release| {
                let node = NodeId(rng.random_range(0..machine.nodes()));
                Source { node, load: rng.random_range(0.1..1.0), release }
            };
            let sources = vec![source(releases[0]), source(releases[1]), source(releases[1])];
            let problem = Problem::new(&machine, sources, rng.random_range(0.1..2.0)).expect("a problem");
            let found = optimum::solve(&problem).expect("a whole box");
            close(found.makespan, brute_force_in_time(&problem, releases), 1e-12, specification);
            assert_eq!(found.phases.len(), 2);
            for phase in &found.phases {
                let length = phase.until - phase.from;
                assert!(phase.flow.node.iter().all(|&units| units <= length * (1.0 + 1e-9)));
                assert!(
                    phase.flow.link.iter().all(|&units| units * problem.sigma() <= length * (1.0 + 1e-9))
                );
            }
            assert_eq!((found.phases[0].from, found.phases[1].from), (releases[0], releases[1]));
            close(found.flow.node.iter().sum(), 1.0, 1e-12, "the whole load");
        }
    }
}

#[test]
fn a_late_start_only_moves_the_end() {
    let machine = Machine::new("torus:6x6").expect("a torus");
    let late = Source { node: NodeId(3), load: 1.0, release: 2.0 };
    let problem = Problem::new(&machine, vec![late], 0.5).expect("a problem");
    let found = optimum::solve(&problem).expect("a torus");
    close(found.makespan, 2.0 + 1.0 / 9.0, 1e-12, "1 + 4 / 0.5 after 2");
    assert!(found.phases.is_empty());
}

#[test]
fn the_fewest_processors_are_those_that_are_busy_all_the_time() {
    let mesh = Machine::new("mesh:50x50").expect("a mesh");
    let centre = vec![Source::at(NodeId(1275), 1.0)];
    let mut rng = meshwright_core::rng::stream(5, "fewest");
    let several: Vec<Source> = (0..10).map(|_| Source::at(NodeId(rng.random_range(0..2500)), 1.0)).collect();
    for (sources, sigma) in [(centre.clone(), 0.1), (centre, 0.03), (several.clone(), 0.1), (several, 0.5)] {
        let problem = Problem::new(&mesh, sources, sigma).expect("a problem");
        let (least, _) = optimum::makespan(&problem).expect("a whole mesh");
        for deadline in [least, 1.5 * least, 4.0 * least] {
            let found = fewest(&problem, deadline).expect("not before the least makespan");
            certify(&problem, &found.flow, deadline);
            assert_eq!(found.flow.node.iter().filter(|&&share| share > 0.0).count(), found.processors);
            assert_eq!(found.at_least, (1.0 / deadline - 1e-9).ceil() as usize);
            assert!(found.is_least(), "{} of {} at {deadline}", found.processors, found.at_least);
        }
        assert!(fewest(&problem, 0.99 * least).is_err() && fewest(&problem, f64::NAN).is_err());
    }
}

#[test]
fn parts_that_are_not_connected_have_ends_of_their_own() {
    let line = Machine::new("mesh:7").expect("a line").with_dead(vec![NodeId(2)]).expect("six left");
    let sources = vec![Source::at(NodeId(0), 1.0), Source::at(NodeId(5), 1.0)];
    let problem = Problem::new(&line, sources, 0.0).expect("a problem");
    let found = proved(&problem);
    assert_eq!((found.makespan, found.cut.nodes), (0.25, vec![NodeId(0), NodeId(1)]));
    let everywhere = (0..4).map(|node| Source::at(NodeId(node), 1.0)).collect();
    let square = Machine::new("mesh:2x2").expect("a mesh");
    let problem = Problem::new(&square, everywhere, 9.0).expect("a problem");
    assert_eq!(proved(&problem).makespan, 0.25, "nothing needs to move");
}

/// What comes late and is little is done in a time that is lost in the digits of its release.
#[test]
fn little_that_comes_late_is_no_trouble() {
    let mesh = Machine::new("mesh:3x3").unwrap();
    for (late, release, sigma) in [(1e-9, 5.0, 1e5), (1e-12, 1e6, 0.1), (1e-15, 3.0, 10.0)] {
        let late = Source { node: NodeId(0), load: late, release };
        let problem = Problem::new(&mesh, vec![Source::at(NodeId(4), 1.0), late], sigma).unwrap();
        let found = optimum::solve(&problem).unwrap();
        assert!(found.makespan >= release && found.makespan <= release * (1.0 + 1e-9) + 1e-8, "{found:?}");
        assert!((found.flow.node.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
