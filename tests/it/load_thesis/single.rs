//! Layers, shares, determinants and timing diagrams.

use meshwright_core::exact::Exact;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::shares::flow_matrix;
use meshwright_load::shares::{closed_form, timing};
use meshwright_load::{FORWARDINGS, Forwarding, Problem, Source, Speeds, layers};
use meshwright_network::topology::{Machine, Topology};
use meshwright_papers::zhang2018::formulas::flow_matrix::{
    FlowMatrix, determinant_by_elimination, determinant_by_lu,
};
use serde_json::Value;

use super::{assert_close, counts, exact, float, forwarding, golden, machine};

/// Closed form, LU and Cramer's determinants against the golden shares, speedup and |det A|.
fn check_case(layers: &[u64], case: &Value, what: &str) {
    let (sigma, forwarding) = (exact(&case["sigma"]), forwarding(case));
    let what = format!("{what}, sigma {sigma}, {}", forwarding.name());
    if case["fractions"].is_array() {
        let expected: Vec<Exact> = case["fractions"].as_array().expect("a list").iter().map(exact).collect();
        assert_eq!(closed_form::fractions(layers, &sigma, forwarding), expected, "{what}");
        assert_eq!(closed_form::speedup(layers, &sigma, forwarding), exact(&case["speedup"]), "{what}");
    }
    let shares = closed_form::fractions(layers, &sigma.to_f64(), forwarding);
    let expected = case["fractions_f"].as_array().expect("a list").iter().map(float);
    for (share, expected) in shares.iter().zip(expected) {
        assert_close(*share, expected, 1e-12, &what);
    }
    let speedup = closed_form::speedup(layers, &sigma.to_f64(), forwarding);
    assert_close(speedup, float(&case["speedup_f"]), 1e-12, &what);
    assert_close(1.0 / shares[0], speedup, 1e-12, &what);

    let matrix = FlowMatrix::new(layers, forwarding);
    let values = matrix.values(&sigma.to_f64());
    let determinant = determinant_by_lu(matrix.order(), &values).abs();
    let by_formula = speedup * matrix.determinant_per_speedup(&sigma.to_f64());
    assert_close(by_formula, float(&case["det_abs"]), 1e-12, &what);
    // Each of `order` steps of a decomposition rounds in proportion to the largest entry, which is a layer.
    let largest = *layers.iter().max().expect("a layer") as f64;
    assert_close(determinant, by_formula, 1e-15 * matrix.order() as f64 * largest, &what);
    let solved = matrix.solve_by_lu(sigma.to_f64()).expect("not singular for sigma up to 1");
    for (solved, share) in solved.iter().zip(&shares) {
        assert!((solved - share).abs() <= 1e-13, "{what}: LU {solved}, closed form {share}");
    }
}

#[test]
fn shares_of_one_source() {
    for entry in golden("single_source") {
        let machine = machine(&entry["topology"]);
        let source = NodeId(entry["source"].as_u64().expect("a node") as u32);
        let what = format!("{} from {source}", entry["topology"]);
        let found = layers::counts(&machine, &[source]);
        assert_eq!(found, counts(&entry["layers"]), "{what}");
        assert_eq!(found, layers::counts_of_depths(&layers::depths(&machine, &[source])), "{what}");
        let wired =
            (0..machine.ports(source)).filter_map(|port| machine.neighbour(source, Port(port))).count();
        assert_eq!(
            (u64::from(machine.nodes()), wired as u64),
            (entry["nodes"].as_u64().expect("a count"), entry["degree"].as_u64().expect("a count"),)
        );
        for case in entry["cases"].as_array().expect("cases") {
            check_case(&found, case, &what);
        }
    }
}

#[test]
fn speedups_of_collapsed_sources() {
    for entry in golden("raw_layers") {
        let layers = counts(&entry["layers"]);
        for case in entry["cases"].as_array().expect("cases") {
            let (sigma, forwarding) = (exact(&case["sigma"]), forwarding(case));
            assert_eq!(closed_form::speedup(&layers, &sigma, forwarding), exact(&case["speedup"]), "{entry}");
            assert_eq!(
                closed_form::fractions(&layers, &sigma, forwarding)[0],
                exact(&case["alpha0"]),
                "{entry}"
            );
        }
    }
}

/// Fractions: elimination and Cramer's rule give the closed form, for each forwarding, small and large sigma.
#[test]
fn cramer_is_the_closed_form() {
    let profiles: [&[u64]; 5] =
        [&[1], &[1, 1], &[1, 2, 3, 2, 1], &[1, 4, 8, 10, 8, 4, 1], &[4, 8, 12, 10, 6, 2]];
    for layers in profiles {
        for &(name, forwarding) in FORWARDINGS {
            for sigma in [Exact::zero(), Exact::fraction(1, 3), Exact::whole(1), Exact::fraction(7, 2)] {
                if forwarding == Forwarding::CutThrough && sigma > Exact::whole(1) {
                    continue;
                }
                let matrix = FlowMatrix::new(layers, forwarding);
                let closed = closed_form::fractions(layers, &sigma, forwarding);
                let shares =
                    matrix.solve_by_cramer(&sigma, determinant_by_elimination).expect("not singular");
                assert_eq!(shares, closed, "{layers:?} {name} {sigma}");
                let determinant = determinant_by_elimination(matrix.order(), &matrix.values(&sigma));
                let speedup = closed_form::speedup(layers, &sigma, forwarding);
                assert_eq!(
                    determinant.distance(&Exact::zero()),
                    speedup * matrix.determinant_per_speedup(&sigma),
                    "{layers:?} {name} {sigma}"
                );
                let floats =
                    matrix.solve_by_cramer(&sigma.to_f64(), determinant_by_lu).expect("not singular");
                for (float, closed) in floats.iter().zip(&closed) {
                    assert!((float - closed.to_f64()).abs() < 1e-14, "{layers:?} {name} {sigma}");
                }
            }
        }
    }
}

/// Beyond sigma = 1 the equations of cut-through have negative solutions, or none; the shares have not.
#[test]
fn equations_beyond_sigma_one() {
    let matrix = FlowMatrix::new(&[1, 2, 1], Forwarding::CutThrough);
    let shares = matrix.solve_by_cramer(&Exact::whole(2), determinant_by_elimination).expect("not singular");
    assert_eq!(shares, [Exact::fraction(1, 2), Exact::fraction(1, 2), Exact::fraction(-1, 2)]);
    let kept = closed_form::fractions(&[1, 2, 1], &Exact::whole(2), Forwarding::CutThrough);
    assert_eq!(kept, [Exact::fraction(1, 3), Exact::fraction(1, 3), Exact::zero()]);
    let singular = FlowMatrix::new(&[1, 2, 3], Forwarding::CutThrough);
    assert_eq!(singular.solve_by_cramer(&Exact::whole(2), determinant_by_elimination), None);
    assert_eq!(singular.solve_by_lu(2.0), None);
}

/// The matrices as printed: equations 3.97 and, with its slip of the sign mended, 5.7.
#[test]
fn matrices_as_printed() {
    let cut_through = FlowMatrix::new(&[4, 8, 12, 10, 6, 2], Forwarding::CutThrough).to_string();
    assert_eq!(
        cut_through,
        "[ 4   8 12 10 6 2 ]\n[ 1  -1  0  0 0 0 ]\n[ 0 s-1  1  0 0 0 ]\n[ 0 s-1  s  1 0 0 ]\n\
         [ 0 s-1  s  s 1 0 ]\n[ 0 s-1  s  s s 1 ]\n"
    );
    let store_and_forward = FlowMatrix::new(&[1, 4, 8, 10], Forwarding::ModifiedStoreAndForward).to_string();
    assert_eq!(
        store_and_forward,
        "[ 1      4      8     10 ]\n[ 1 -(1+s)      0      0 ]\n[ 1     -s -(1+s)      0 ]\n\
         [ 1     -s     -s -(1+s) ]\n"
    );
    let hop_by_hop = FlowMatrix::new(&[1, 2, 2, 1], Forwarding::StoreAndForward).to_string();
    assert!(hop_by_hop.ends_with("[ 1     -s     -2s -(1+2s) ]\n"), "{hop_by_hop}");
}

#[test]
fn timing_diagrams() {
    for entry in golden("timing") {
        let machine = machine(&entry["topology"]);
        let source = NodeId(entry["source"].as_u64().expect("a node") as u32);
        let (sigma, forwarding) = (exact(&entry["sigma"]), forwarding(&entry));
        let layers = layers::counts(&machine, &[source]);
        let rows = timing::timing(&layers, &sigma, forwarding);
        let floats = timing::timing(&layers, &sigma.to_f64(), forwarding);
        let expected = entry["layers"].as_array().expect("layers");
        assert_eq!(rows.len(), expected.len());
        for ((row, float), expected) in rows.iter().zip(&floats).zip(expected) {
            let interval =
                |key: &str| expected[key].as_array().map(|ends| [exact(&ends[0]), exact(&ends[1])]);
            assert_eq!(row.load, exact(&expected["load"]), "{entry}");
            assert_eq!(row.communication, interval("comm"), "{entry}");
            assert_eq!(Some(row.computing.clone()), interval("comp"), "{entry}");
            assert_eq!(row.computing[1], exact(&entry["T"]), "{entry}");
            assert_eq!(&row.computing[1] - &row.computing[0], row.load, "{entry}");
            assert_close(float.load, row.load.to_f64(), 1e-12, "load");
            assert_close(float.computing[0], row.computing[0].to_f64(), 1e-12, "computing");
            let ends = float.communication.zip(row.communication.clone());
            assert_eq!(ends.is_some(), expected["comm"].is_array());
            for (float, exact) in ends.into_iter().flat_map(|(float, exact)| float.into_iter().zip(exact)) {
                assert_close(float, exact.to_f64(), 1e-12, "communication");
            }
        }
    }
}

/// Every connected set of `size` nodes, each once, as sorted node ids.
fn connected_sets(machine: &Machine, size: usize) -> std::collections::BTreeSet<Vec<NodeId>> {
    let mut sets: std::collections::BTreeSet<Vec<NodeId>> = machine.living().map(|node| vec![node]).collect();
    for _ in 1..size {
        let mut grown = std::collections::BTreeSet::new();
        for set in &sets {
            for &node in set {
                let neighbours =
                    (0..machine.ports(node)).filter_map(|port| machine.neighbour(node, Port(port)));
                for next in neighbours.filter(|next| !set.contains(next)) {
                    let mut larger = set.clone();
                    larger.push(next);
                    larger.sort();
                    grown.insert(larger);
                }
            }
        }
        sets = grown;
    }
    sets
}

/// Equations 3.97 and 5.5: all connected sources with these layers, and no others.
#[test]
fn layers_of_connected_sources() {
    for entry in golden("epsa_sources") {
        let (machine, expected) = (machine(&entry["topology"]), counts(&entry["layers"]));
        let found: Vec<Vec<NodeId>> = connected_sets(&machine, 4)
            .into_iter()
            .filter(|set| layers::counts(&machine, set) == expected)
            .collect();
        let listed: Vec<Vec<NodeId>> = entry["source_sets"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|set| counts(set).into_iter().map(|node| NodeId(node as u32)).collect())
            .collect();
        let number = entry["count_of_connected_4_subsets"].as_u64().unwrap_or(listed.len() as u64);
        assert_eq!(found.len() as u64, number, "{entry}");
        for set in &listed {
            assert!(found.contains(set), "{set:?}");
        }
    }
    let torus = Machine::new("torus:5x5").expect("a machine");
    let layers_of = |nodes: [u32; 4]| layers::counts(&torus, &nodes.map(NodeId));
    assert_eq!(layers_of([0, 1, 5, 6]), [4, 8, 8, 4, 1], "a block");
    assert_eq!(layers_of([0, 1, 2, 7]), [4, 9, 9, 3], "an L");
    assert_eq!(layers_of([0, 1, 2, 3]), [4, 9, 10, 2], "an I");
}

fn at(node: u32) -> Vec<Source> {
    vec![Source::at(NodeId(node), 2.0)]
}

#[test]
fn plans_share_the_whole_load() {
    let holes =
        Machine::new("mesh:3x4").and_then(|mesh| mesh.with_dead(vec![NodeId(1), NodeId(4), NodeId(5)]));
    let machines = ["mesh:1x1", "mesh:1x6", "mesh:4x5", "torus:5x5", "hypercube:4"].map(Machine::new);
    for machine in machines.into_iter().chain([holes]).map(|machine| machine.expect("a machine")) {
        for &(name, forwarding) in FORWARDINGS {
            for sigma in [0.0, 0.3, 1.0, 2.5] {
                let source = machine.nodes() - 1;
                let problem = Problem::new(&machine, at(source), sigma).expect("a problem");
                let plan = flow_matrix::plan(&problem, forwarding).expect("one source");
                let what = format!("{} {name} {sigma}", machine.name());
                assert!((plan.shares.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{what}");
                let cells = plan.cells.as_ref().expect("one cell");
                let by_layer = flow_matrix::fractions(&problem, forwarding).expect("one source");
                let layers = flow_matrix::layers_of(&problem).expect("one source");
                let reached = cells.label.iter().filter(|&&label| label == 0).count();
                assert_eq!(layers.iter().sum::<u64>(), reached as u64, "{what}");
                for (node, &share) in plan.shares.iter().enumerate() {
                    let distance = machine.distance(NodeId(source), NodeId(node as u32));
                    let expected = distance.filter(|_| machine.is_alive(NodeId(node as u32)));
                    assert_eq!(
                        share,
                        expected.map_or(0.0, |hops| by_layer[hops.0 as usize]),
                        "{what} node {node}"
                    );
                }
                assert_eq!(plan.makespan, by_layer[0], "{what}");
                if sigma == 0.0 {
                    assert_close(plan.speedup(), reached as f64, 1e-15, &what);
                }
            }
        }
    }
}

#[test]
fn what_the_flow_matrix_has_no_row_for() {
    let mesh = Machine::new("mesh:2x2").expect("a machine");
    let problem = |sources| Problem::new(&mesh, sources, 0.5).expect("a problem");
    let refusal = |problem: &Problem<'_>| {
        flow_matrix::plan(problem, Forwarding::CutThrough).expect_err("it is not of this kind").to_string()
    };
    let two = problem(vec![Source::at(NodeId(0), 1.0), Source::at(NodeId(1), 1.0)]);
    assert!(refusal(&two).contains("2 sources"), "{}", refusal(&two));
    let late = problem(vec![Source { node: NodeId(0), load: 1.0, release: 1.0 }]);
    assert!(refusal(&late).contains("later"), "{}", refusal(&late));
    let speeds = Speeds { work: vec![1.0; 4], link: vec![1.0; mesh.links() as usize] };
    let uneven = problem(at(0)).with_speeds(speeds).expect("speeds");
    assert!(refusal(&uneven).contains("not all alike"), "{}", refusal(&uneven));
}

#[test]
fn sigma_of_its_four_factors() {
    assert_eq!(closed_form::sigma(0.2, 3.0, 1.5, 2.0).expect("numbers"), 0.2 * 3.0 / 3.0);
    assert_eq!(closed_form::sigma(0.0, 1.0, 1.0, 1.0).expect("numbers"), 0.0);
    for [z, tcm, w, tcp] in [
        [-1.0, 1.0, 1.0, 1.0],
        [1.0, f64::NAN, 1.0, 1.0],
        [1.0, 1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0, f64::INFINITY],
        [1e300, 1e300, 1.0, 1.0],
    ] {
        assert!(closed_form::sigma(z, tcm, w, tcp).is_err(), "{z} {tcm} {w} {tcp}");
    }
    // The time of the equivalent processor is the finish time: 10 w Tcp on one, 3.5 times faster here.
    assert_eq!(closed_form::makespan(&[1, 2, 1], &0.5, Forwarding::CutThrough) * 7.0 * 2.0, 4.0);
}

/// Run with `cargo test --release --test it -- --ignored a_million_nodes --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_million_nodes_in_a_millisecond() {
    for specification in ["mesh:1000x1000", "torus:1000x1000", "hypercube:20"] {
        let machine = Machine::new(specification).expect("a machine");
        for &(name, forwarding) in FORWARDINGS {
            let begin = std::time::Instant::now();
            let layers = layers::counts(&machine, &[NodeId(123_456)]);
            let counted = begin.elapsed();
            let speedup = 1.0 / closed_form::fractions(&layers, &0.1, forwarding)[0];
            let all = begin.elapsed();
            println!("{specification} {name}: layers {counted:?}, with fractions {all:?}, speedup {speedup}");
            assert!(all.as_micros() < 1000, "{all:?}");
        }
    }
}
