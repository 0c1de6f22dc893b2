//! One message per processor, one message at a time per link.

use meshwright_core::exact::Exact;
use meshwright_core::units::{NodeId, Port};
use meshwright_load::shares::closed_form;
use meshwright_load::{Forwarding, layers};
use meshwright_network::topology::{Machine, Topology};
use meshwright_papers::zhang2018::formulas::{serial, threshold};
use microlp::{ComparisonOp, OptimizationDirection, Problem as Programme};

use super::{assert_close, counts, float, forwarding, golden, largest, machine};

const MODELS: [Forwarding; 2] = [Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward];

#[test]
fn speedups_of_balanced_branches() {
    for entry in golden("serial_single_path") {
        let [nodes, degree] = ["N", "deg"].map(|key| entry[key].as_u64().expect("a count"));
        let (sigma, forwarding) = (float(&entry["sigma"]), forwarding(&entry));
        let found = serial::speedup(nodes, degree, &sigma, forwarding).expect("a machine");
        assert_close(found, float(&entry["speedup"]), 1e-12, &entry.to_string());
    }
}

/// The formula with powers, and a branch served message by message: each stops at T.
#[test]
fn messages_of_a_branch_stop_together() {
    for (nodes, degree) in [(1, 0), (1, 4), (2, 1), (5, 2), (25, 4), (26, 4), (28, 4)] {
        for sigma in [Exact::zero(), Exact::fraction(1, 10), Exact::fraction(3, 4), Exact::whole(1)] {
            for forwarding in MODELS {
                let answer = serial::with_startup(nodes, degree, &sigma, &Exact::zero(), forwarding);
                let answer = answer.expect("a machine");
                let makespan = Exact::whole(1) / &answer.speedup;
                let mut sent = Exact::zero();
                for message in &answer.messages {
                    let begin = sent.clone();
                    sent = &sent + message * &sigma;
                    let starts = if forwarding == Forwarding::CutThrough { &begin } else { &sent };
                    assert_eq!(starts + message, makespan, "{nodes} {degree} {sigma} {}", forwarding.name());
                }
                assert_eq!(answer.speedup, by_powers(nodes, degree, &sigma, forwarding));
            }
        }
    }
}

/// 1 + sum_j (1 - (1 - s)^n_j) / s and its like, and 1 + sum_j n_j at sigma 0.
fn by_powers(nodes: u64, degree: u64, sigma: &Exact, forwarding: Forwarding) -> Exact {
    let branches = (0..degree).map(|branch| (nodes - 1) / degree + u64::from(branch < (nodes - 1) % degree));
    Exact::whole(1) + branches.map(|length| on_branch(length as u32, sigma, forwarding)).sum::<Exact>()
}

fn on_branch(length: u32, sigma: &Exact, forwarding: Forwarding) -> Exact {
    let one = Exact::whole(1);
    if *sigma == Exact::zero() {
        return Exact::from(length);
    }
    let left = match forwarding {
        Forwarding::CutThrough => (&one - sigma).power(length),
        _ => &one / (&one + sigma).power(length),
    };
    (one - left) / sigma
}

/// No other sizes of the branches are better: all ways to put 9 processors on 4 branches.
#[test]
fn balanced_branches_are_best() {
    let sigma = Exact::fraction(1, 5);
    for forwarding in MODELS {
        let best = serial::speedup(10, 4, &sigma, forwarding).expect("a machine");
        let mut reached = false;
        for sizes in 0..10u32.pow(3) {
            let three = [sizes % 10, sizes / 10 % 10, sizes / 100];
            let Some(last) = 9u32.checked_sub(three.iter().sum()) else { continue };
            let lengths = three.into_iter().chain([last]);
            let speedup =
                Exact::whole(1) + lengths.map(|length| on_branch(length, &sigma, forwarding)).sum::<Exact>();
            assert!(speedup <= best, "{three:?} {last}");
            reached |= speedup == best;
        }
        assert!(reached);
    }
}

/// The thesis is a serial schedule just where no layer beyond the source holds more nodes than the source has links.
#[test]
fn where_the_thesis_is_serial() {
    let profiles: [&[u64]; 11] = [
        &[1, 2, 1],
        &[1, 2, 2, 2, 1],
        &[1, 3, 3, 2],
        &[1, 4, 4],
        &[1, 3, 3, 3, 3, 3, 3, 3, 2],
        &[1, 3, 3, 1],
        &[1, 2, 3, 2, 1],
        &[1, 4, 8, 8, 4],
        &[1, 3, 4, 2],
        &[1, 4, 6, 4, 1],
        &[1, 4, 8, 10, 8, 4, 1],
    ];
    for layers in profiles {
        let (nodes, degree) = (layers.iter().sum(), layers[1]);
        for forwarding in MODELS {
            let sigma = Exact::fraction(1, 3);
            let serial = serial::speedup(nodes, degree, &sigma, forwarding).expect("a machine");
            let claim = closed_form::speedup(layers, &sigma, forwarding);
            assert!(claim >= serial);
            assert_eq!(claim == serial, layers[1..].iter().all(|&nodes| nodes <= degree), "{layers:?}");
        }
    }
}

#[test]
fn speedups_with_a_startup() {
    for entry in golden("serial_startup") {
        let [nodes, degree] = ["N", "deg"].map(|key| entry[key].as_u64().expect("a count"));
        let [sigma, startup] = ["sigma", "ell"].map(|key| float(&entry[key]));
        let answer =
            serial::with_startup(nodes, degree, &sigma, &startup, forwarding(&entry)).expect("a machine");
        assert_close(answer.speedup, float(&entry["speedup"]), 1e-12, &entry.to_string());
        assert_eq!(answer.used, entry["used"].as_u64().expect("a count"), "{entry}");
        let bisected = bisected_speedup(nodes, degree, sigma, startup, forwarding(&entry));
        assert_close(answer.speedup, bisected, 1e-12, &entry.to_string());
    }
}

/// The makespan at which the messages that can be finished in time hold the whole load, by bisection.
fn bisected_speedup(nodes: u64, degree: u64, sigma: f64, startup: f64, forwarding: Forwarding) -> f64 {
    let load = |makespan: f64| {
        let mut load = makespan;
        for branch in 0..degree {
            let length = (nodes - 1) / degree + u64::from(branch < (nodes - 1) % degree);
            let mut clock = 0.0;
            for _ in 0..length {
                let message = match forwarding {
                    Forwarding::CutThrough => {
                        (makespan - clock - startup).min((makespan - clock - startup) / sigma)
                    }
                    _ => (makespan - clock - startup) / (1.0 + sigma),
                };
                if message <= 0.0 {
                    break;
                }
                load += message;
                clock += startup + sigma * message;
            }
        }
        load
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if load(middle) < 1.0 { low = middle } else { high = middle }
    }
    1.0 / high
}

/// Slow links, dear start-ups: the same by bisection, and nothing below the source alone.
#[test]
fn slow_links_and_dear_startups() {
    for sigma in [0.5, 1.0, 1.5, 4.0] {
        for startup in [0.0, 1e-4, 0.3, 2.0] {
            for forwarding in MODELS {
                for (nodes, degree) in [(2, 1), (9, 3), (30, 4)] {
                    let found =
                        serial::with_startup(nodes, degree, &sigma, &startup, forwarding).expect("a machine");
                    let bisected = bisected_speedup(nodes, degree, sigma, startup, forwarding);
                    assert_close(
                        found.speedup,
                        bisected,
                        1e-12,
                        &format!("{sigma} {startup} {nodes} {degree}"),
                    );
                    assert!(found.speedup >= 1.0);
                }
            }
        }
    }
    assert!(serial::speedup(9, 2, &0.5, Forwarding::StoreAndForward).is_err());
    assert!(serial::speedup(0, 2, &0.5, Forwarding::CutThrough).is_err());
    assert!(serial::speedup(9, 2, &f64::NAN, Forwarding::CutThrough).is_err());
    assert!(serial::with_startup(9, 2, &0.5, &-1.0, Forwarding::CutThrough).is_err());
}

#[test]
fn one_installment_over_all_paths() {
    for entry in golden("sf1_one_installment") {
        let machine = machine(&entry["topology"]);
        let source = NodeId(entry["source"].as_u64().expect("a node") as u32);
        let ports = (0..machine.ports(source)).map(Port);
        let degree = ports.filter(|&port| machine.neighbour(source, port).is_some()).count() as u32;
        let sigma = float(&entry["sigma"]);
        let found = serial::one_installment_speedup(machine.nodes(), degree, &sigma).expect("a machine");
        assert_close(found, float(&entry["speedup"]), 1e-12, &entry.to_string());
        assert_close(found, by_programme(machine.nodes(), degree, sigma), 1e-9, &entry.to_string());
    }
}

/// The one installment as a linear programme, T = 1: shares a_i complete in the order i at times t_i, with
/// sum_(j <= i) a_j <= d t_i / s and t_i + a_i <= 1.
fn by_programme(nodes: u32, degree: u32, sigma: f64) -> f64 {
    let mut programme = Programme::new(OptimizationDirection::Maximize);
    let shares: Vec<_> = (1..nodes).map(|_| programme.add_var(1.0, (0.0, 1.0))).collect();
    let times: Vec<_> = (1..nodes).map(|_| programme.add_var(0.0, (0.0, 1.0))).collect();
    for (i, &time) in times.iter().enumerate() {
        let mut terms: Vec<_> = shares[..=i].iter().map(|&share| (share, 1.0)).collect();
        terms.push((time, -f64::from(degree) / sigma));
        programme.add_constraint(&terms, ComparisonOp::Le, 0.0);
        programme.add_constraint([(shares[i], 1.0), (time, 1.0)], ComparisonOp::Le, 1.0);
    }
    1.0 + largest(&programme)
}

#[test]
fn from_where_on_the_thesis_claims_too_much() {
    for entry in golden("paper_exceeds_cut_bound_above_sigma") {
        let (layers, cut) = (counts(&entry["layers"]), entry["cut"].as_u64().expect("a count"));
        let found =
            threshold::claim_holds_up_to(&layers, cut, Forwarding::CutThrough).expect("it is exceeded");
        assert_close(found, float(&entry["vct"]), 1e-12, &entry.to_string());
    }
}

/// Nowhere below the threshold is the claim above the bound, and right above it is; without one it never is.
#[test]
fn thresholds_separate_claim_and_bound() {
    let profiles: [(&[u64], u64); 12] = [
        (&[1, 2, 3, 2, 1], 2),
        (&[1, 4, 8, 8, 4], 4),
        (&[1, 4, 6, 4, 1], 4),
        (&[1, 3, 4, 4, 4, 3, 1], 3),
        (&[4, 8, 12, 10, 6, 2], 8),
        (&[4, 8, 12, 10, 6, 2], 10),
        (&[1, 2, 2, 1], 2),
        (&[1, 2, 1, 3], 2),
        (&[1, 2, 1, 9], 2),
        (&[1, 2, 2, 9], 2),
        (&[1], 0),
        (&[1, 1, 1, 1, 30], 1),
    ];
    let mut crossings = 0;
    for (layers, cut) in profiles {
        for forwarding in [MODELS[0], MODELS[1], Forwarding::StoreAndForward] {
            let over = |sigma: f64| {
                let bound = layers[0] as f64 + cut as f64 / sigma;
                closed_form::speedup(layers, &sigma, forwarding) > bound * (1.0 + 1e-12)
            };
            let threshold = threshold::claim_holds_up_to(layers, cut, forwarding);
            let end = if forwarding == Forwarding::CutThrough { 1.0 } else { 20.0 };
            let safe = threshold.unwrap_or(end);
            for step in 1..=2000 {
                let sigma = safe * f64::from(step) / 2000.0;
                assert!(!over(sigma), "{layers:?} {cut} {} {sigma} {threshold:?}", forwarding.name());
            }
            if let Some(threshold) = threshold {
                assert!(over(threshold * (1.0 + 1e-6)), "{layers:?} {cut} {} {threshold}", forwarding.name());
                crossings += 1;
            }
        }
    }
    assert!(crossings >= 12, "{crossings}");
}

/// The thresholds of both forwardings to three digits, on machines and on a community of 250 nodes around a source.
#[test]
fn thresholds_of_machines() {
    let community: Vec<u64> = [1].into_iter().chain((1..=10).map(|k| 4 * k)).chain([29]).collect();
    assert_eq!(community.iter().sum::<u64>(), 250);
    let of_machine = |specification: &str, node: u32| {
        let machine = Machine::new(specification).expect("a machine");
        layers::counts(&machine, &[NodeId(node)])
    };
    let cases = [
        (of_machine("mesh:3x3", 0), 0.456, 0.839, 3),
        (of_machine("hypercube:4", 5), 0.479, 0.918, 3),
        (of_machine("mesh:5x5", 12), 0.245, 0.325, 3),
        (of_machine("hypercube:5", 0), 0.239, 0.313, 3),
        (of_machine("mesh:2x10", 4), 0.298, 0.425, 3),
        (of_machine("torus:6x6", 0), 0.161, 0.191, 3),
        (of_machine("mesh:3x8", 0), 0.146, 0.171, 3),
        (of_machine("hypercube:6", 0), 0.123, 0.141, 3),
        (of_machine("mesh:5x5", 24), 0.122, 0.139, 3),
        (community, 0.018, 0.018, 3),
        (of_machine("hypercube:10", 0), 0.0102, 0.0103, 4),
    ];
    for (layers, cut_through, modified, digits) in cases {
        for (forwarding, expected) in MODELS.into_iter().zip([cut_through, modified]) {
            let found = threshold::claim_holds_up_to(&layers, layers[1], forwarding).expect("it is exceeded");
            let half = 0.5 * 0.1f64.powi(digits);
            assert!((found - expected).abs() <= half, "{layers:?} {}: {found}", forwarding.name());
        }
    }
}
