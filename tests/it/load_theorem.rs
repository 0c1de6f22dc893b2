//! Variants of the optimum that are known without a linear programme: against the programme and the golden values.

use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_load::lp::{Duplex, Ports, Variant, solve, theorem};
use meshwright_load::{Problem, Source, Speeds};
use meshwright_network::topology::{Machine, Topology};
use rand::RngExt;

/// What the programme's solver is good for.
const SOLVER: f64 = 1e-7;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= SOLVER * a.abs().max(b.abs())
}

/// Every combination of ports, duplex and three sizes of results.
fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for ports in [Ports::All, Ports::ONE] {
        for duplex in [Duplex::Full, Duplex::Half] {
            for results in [0.0, 0.6, 2.0] {
                for front_end in [true, false] {
                    variants.push(Variant { ports, front_end, results, duplex, ..Variant::default() });
                }
            }
        }
    }
    variants
}

#[test]
fn theorems_are_what_the_programme_finds() {
    let mut random = rng::stream(11, "theorems");
    let mut known = std::collections::BTreeMap::new();
    for name in ["mesh:1x5", "mesh:3x4", "torus:3x3", "torus:2x4", "hypercube:3", "gaussian:2+1i", "ccc:3"] {
        let machine = Machine::new(name).unwrap();
        for count in [1, 2] {
            let at = |_| Source::at(NodeId(random.random_range(0..machine.nodes())), 1.0);
            let sources: Vec<Source> = (0..count).map(at).collect();
            let sigma = random.random_range(0.1..1.5);
            let problem = Problem::new(&machine, sources, sigma).unwrap();
            for variant in variants() {
                let Some(theorem) = theorem(&problem, &variant).unwrap() else { continue };
                let answer = solve(&problem, &variant).unwrap();
                assert!(
                    answer.attained && close(theorem.makespan, answer.makespan),
                    "{name}, sigma {sigma}, {variant:?}: {theorem:?}, programme {}",
                    answer.makespan
                );
                *known.entry(theorem.formula).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(known.len(), 3, "every formula was met: {known:?}");
    assert!(known.values().all(|&times| times >= 7), "{known:?}");
}

#[test]
fn every_golden_variant_with_a_theorem() {
    let golden: serde_json::Value =
        serde_json::from_str(&crate::text(std::path::Path::new("tests/golden/load.json"))).unwrap();
    let (mut one_port, mut half) = (0, 0);
    for entry in golden["fluid"].as_array().unwrap() {
        let flag = |key: &str| entry[key].as_bool();
        let variant = Variant {
            ports: if flag("one_port") == Some(true) { Ports::ONE } else { Ports::All },
            front_end: flag("front_end") != Some(false),
            results: entry["ret"].as_f64().unwrap_or(0.0),
            duplex: if flag("half_duplex") == Some(true) { Duplex::Half } else { Duplex::Full },
            ..Variant::default()
        };
        if variant == Variant::default() {
            continue;
        }
        let topology = &entry["topology"];
        let of = |key: &str| topology[key].as_u64().unwrap();
        let name = match topology["kind"].as_str().unwrap() {
            "hypercube" => format!("hypercube:{}", of("d")),
            "gaussian" => format!("gaussian:{}+{}i", of("a"), of("b")),
            kind => format!("{kind}:{}x{}", of("m"), of("n")),
        };
        let machine = Machine::new(&name).unwrap();
        let loads = entry["loads"].as_object().unwrap().iter();
        let source = |(node, load): (&String, &serde_json::Value)| {
            Source::at(NodeId(node.parse().unwrap()), load.as_f64().unwrap())
        };
        let problem =
            Problem::new(&machine, loads.map(source).collect(), entry["sigma"].as_f64().unwrap()).unwrap();
        let Some(theorem) = theorem(&problem, &variant).unwrap() else { continue };
        assert!(close(theorem.makespan, entry["T"].as_f64().unwrap()), "{entry}: {theorem:?}");
        one_port += usize::from(variant.ports == Ports::ONE);
        half += usize::from(variant.duplex == Duplex::Half);
    }
    assert!(one_port >= 5 && half >= 5, "{one_port} with one port, {half} with half duplex");
}

#[test]
fn there_is_no_theorem_where_it_would_be_wrong() {
    let mesh = Machine::new("mesh:3x3").unwrap();
    let one_port = Variant { ports: Ports::ONE, ..Variant::default() };
    let half = Variant { duplex: Duplex::Half, results: 0.5, ..Variant::default() };
    let two = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0), Source::at(NodeId(8), 1.0)], 0.5).unwrap();
    assert_eq!(theorem(&two, &one_port).unwrap(), None, "one source only");
    let late = Source { release: 0.1, ..Source::at(NodeId(0), 1.0) };
    let late = Problem::new(&mesh, vec![late, Source::at(NodeId(4), 1.0)], 0.5).unwrap();
    assert_eq!(theorem(&late, &half).unwrap(), None, "results and releases");
    let one = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 0.5).unwrap();
    assert_eq!(theorem(&one, &Variant { front_end: false, ..half }).unwrap(), None);
    let speeds = Speeds { work: vec![1.0; 9], link: vec![0.5; mesh.links() as usize] };
    assert_eq!(theorem(&one.clone().with_speeds(speeds).unwrap(), &half).unwrap(), None);
    // A node behind a dead one does not count, and a release is waited for.
    let walled = Machine::new("mesh:1x4").unwrap().with_dead(vec![NodeId(2)]).unwrap();
    let source = Source { release: 3.0, ..Source::at(NodeId(0), 1.0) };
    let problem = Problem::new(&walled, vec![source], 0.1).unwrap();
    let known = theorem(&problem, &one_port).unwrap().unwrap();
    assert!(close(known.makespan, 3.5) && close(solve(&problem, &one_port).unwrap().makespan, 3.5));
}
