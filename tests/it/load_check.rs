//! The checker of claims: against every set of small machines, and on the claims of the thesis.

use std::path::Path;

use meshwright_core::units::{NodeId, Port};
use meshwright_load::check::{Claim, Reading, check};
use meshwright_load::{Cells, Problem, Source, optimum};
use meshwright_network::topology::{Machine, Topology, distances_from};
use rand::RngExt;
use serde_json::Value;

/// The shares and the makespan that the thesis gives one source, by its closed forms.
fn thesis(machine: &Machine, source: NodeId, sigma: f64, stores: bool) -> (Vec<f64>, f64) {
    let layer = |depth: u32| match (stores, depth) {
        (true, _) => (1.0 + sigma).powi(-(depth as i32)),
        (false, 0) => 1.0,
        (false, _) => (1.0 - sigma).powi(depth as i32 - 1),
    };
    let shares: Vec<f64> = distances_from(machine, source).into_iter().map(layer).collect();
    let sum: f64 = shares.iter().sum();
    (shares.iter().map(|share| share / sum).collect(), 1.0 / sum)
}

/// Whether the claim of the thesis is possible: cut-through as a static flow, store-and-forward with its moments.
fn is_feasible(specification: &str, source: u32, sigma: f64, stores: bool, is_timed: bool) -> bool {
    let machine = Machine::new(specification).expect("a box");
    let source = NodeId(source);
    let problem = Problem::new(&machine, vec![Source::at(source, 1.0)], sigma).expect("a problem");
    let (shares, makespan) = thesis(&machine, source, sigma, stores);
    let moment = |(node, share): (usize, &f64)| if node == source.index() { 0.0 } else { makespan - share };
    let moments: Vec<f64> = shares.iter().enumerate().map(moment).collect();
    let timed = is_timed.then_some(moments.as_slice());
    let verdict = check(&problem, &Claim { makespan, shares: &shares, timed, cells: None }).expect("a claim");
    assert_eq!(verdict.overloaded, None);
    assert_eq!(verdict.feasible, verdict.cut.is_none());
    assert!(verdict.cut.is_none_or(|cut| cut.demand > cut.capacity && cut.nodes.contains(&source)));
    verdict.feasible
}

#[test]
fn the_claims_of_the_thesis_that_are_possible() {
    let possible = [
        ("mesh:2x2", 0),
        ("mesh:2x10", 0),
        ("mesh:3x3", 1),
        ("mesh:3x3", 4),
        ("mesh:3x8", 8),
        ("hypercube:2", 0),
        ("hypercube:3", 5),
        ("torus:3x3", 4),
    ];
    for (specification, source) in possible {
        for sigma in [0.02, 0.1, 0.3, 0.5, 0.75, 0.95] {
            assert!(
                is_feasible(specification, source, sigma, false, false),
                "{specification} {source} {sigma}"
            );
            assert!(
                is_feasible(specification, source, sigma, true, true),
                "{specification} {source} {sigma}"
            );
        }
    }
}

#[test]
fn store_and_forward_as_printed_fails_wherever_a_layer_is_wider_than_the_source_has_links() {
    for (specification, source) in [("mesh:3x3", 0), ("mesh:5x5", 12), ("torus:5x5", 0), ("hypercube:4", 0)] {
        for sigma in [0.02, 0.1, 0.3, 0.75, 0.95] {
            assert!(!is_feasible(specification, source, sigma, true, true), "{specification} {sigma}");
        }
    }
}

#[test]
fn the_claims_of_the_thesis_are_possible_up_to_a_sigma() {
    // Cut-through, and the amounts of store-and-forward; three digits each.
    let thresholds = [
        ("mesh:3x3", 0, 0.456, 0.839),
        ("hypercube:4", 0, 0.479, 0.918),
        ("torus:5x5", 0, 0.245, 0.325),
        ("hypercube:5", 0, 0.239, 0.313),
        ("torus:6x6", 0, 0.161, 0.192),
        ("mesh:3x8", 0, 0.146, 0.171),
        ("hypercube:6", 0, 0.123, 0.141),
        ("mesh:5x5", 0, 0.122, 0.139),
    ];
    for (specification, source, cut_through, stores) in thresholds {
        for (sigma, mode) in [(cut_through, false), (stores, true)] {
            let at = |sigma| is_feasible(specification, source, sigma, mode, false);
            assert!(at(sigma - 0.001) && !at(sigma + 0.001), "{specification} {sigma} {mode}");
        }
        assert!(
            is_feasible(specification, source, 1.0, false, false),
            "at sigma 1 only the first layer works"
        );
    }
}

#[test]
fn the_thresholds_of_the_reference() {
    let text = crate::text(Path::new("tests/golden/load.json"));
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let entries = golden["paper_exceeds_cut_bound_above_sigma"].as_array().expect("a list");
    let places =
        [("mesh:3x3", 0), ("torus:5x5", 7), ("mesh:3x8", 0), ("hypercube:4", 9), ("mesh:50x50", 1275)];
    for (entry, (specification, source)) in entries.iter().zip(places) {
        let sigma = entry["vct"].as_f64().expect("sigma");
        let at = |sigma| is_feasible(specification, source, sigma, false, false);
        assert!(at(sigma * (1.0 - 1e-6)) && !at(sigma * (1.0 + 1e-6)), "{entry}");
    }
    assert_eq!(entries.len(), places.len());
}

#[test]
fn fifty_by_fifty_is_refuted_by_its_source() {
    let machine = Machine::new("mesh:50x50").expect("a mesh");
    let source = NodeId(25 * 50 + 25);
    let problem = Problem::new(&machine, vec![Source::at(source, 1.0)], 0.1).expect("a problem");
    let (shares, makespan) = thesis(&machine, source, 0.1, false);
    let verdict =
        check(&problem, &Claim { makespan, shares: &shares, timed: None, cells: None }).expect("a claim");
    let ratio = optimum::makespan(&problem).expect("a whole mesh").0 / makespan;
    assert!(!verdict.feasible && (ratio - 8.43).abs() < 0.005, "{ratio}");
    let cut = verdict.cut.expect("links are too slow");
    assert_eq!(cut.nodes, [source]);
    assert!((cut.capacity - 41.0 * makespan).abs() < 1e-9 && (cut.demand - 1.0).abs() < 1e-12, "{cut:?}");
}

#[test]
fn claims_against_every_set() {
    let mut counts = [0, 0];
    for seed in 0..300 {
        let mut rng = meshwright_core::rng::stream(seed, "claims");
        let boxes = ["mesh:3x3", "torus:3x3", "mesh:2x4", "hypercube:3", "mesh:6"];
        let machine = Machine::new(boxes[seed as usize % boxes.len()]).expect("a box");
        let nodes = machine.nodes();
        let sources =
            (0..3).map(|_| Source::at(NodeId(rng.random_range(0..nodes)), rng.random_range(0.1..1.0)));
        let problem =
            Problem::new(&machine, sources.collect(), rng.random_range(0.2..3.0)).expect("a problem");
        let mut shares: Vec<f64> = (0..nodes).map(|_| rng.random_range(0.0..1.0)).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        let makespan = rng.random_range(0.7..0.9);
        // With one moment for all, links carry until then.
        let moment = rng.random_range(0.05..0.3);
        let moments = vec![moment; nodes as usize];
        for (timed, time, makespan) in [(None, makespan, makespan), (Some(moments.as_slice()), moment, 2.0)] {
            let excess = |set: u32| {
                let inside = |node: NodeId| set >> node.0 & 1 == 1;
                let load = problem.sources().iter().filter(|source| inside(source.node));
                let mut excess = load.map(|source| source.load).sum::<f64>();
                for node in (0..nodes).map(NodeId).filter(|&node| inside(node)) {
                    let out = (0..machine.ports(node)).filter_map(|port| machine.neighbour(node, Port(port)));
                    let wires = out.filter(|&next| !inside(next)).count() as f64;
                    excess -= shares[node.index()] + wires * time / problem.sigma();
                }
                excess
            };
            let worst = (0u32..1 << nodes).map(excess).fold(0.0, f64::max);
            let verdict = check(&problem, &Claim { makespan, shares: &shares, timed, cells: None });
            let verdict = verdict.expect("a claim");
            assert_eq!(verdict.overloaded, None, "seed {seed}");
            assert_eq!(verdict.feasible, worst < 1e-9, "seed {seed}: {worst} too much");
            if let Some(cut) = verdict.cut {
                let set = cut.nodes.iter().map(|node| 1 << node.0).sum();
                assert!((excess(set) - (cut.demand - cut.capacity)).abs() < 1e-8, "seed {seed}: {cut:?}");
                assert!(excess(set) > 0.0, "the set has too much");
            }
            counts[usize::from(verdict.feasible)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn a_processor_is_no_faster_than_it_is() {
    let machine = Machine::new("mesh:2").expect("a line");
    let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 1.0)], 0.1).expect("a problem");
    let claim = |makespan: f64, shares: &[f64], timed: Option<&[f64]>| {
        check(&problem, &Claim { makespan, shares, timed, cells: None }).map(|verdict| verdict.overloaded)
    };
    assert_eq!(claim(0.5, &[0.6, 0.4], None).expect("a claim"), Some(NodeId(0)));
    assert_eq!(claim(0.5, &[0.5, 0.5], Some(&[0.0, 0.1])).expect("a claim"), Some(NodeId(1)));
    assert!(claim(0.5, &[0.5, 0.6], None).is_err() && claim(0.5, &[1.0], None).is_err());
    assert!(claim(f64::NAN, &[0.5, 0.5], None).is_err() && claim(0.5, &[1.5, -0.5], None).is_err());
}

#[test]
fn late_loads_cannot_be_worked_off_before() {
    let machine = Machine::new("mesh:2").expect("a line");
    let late = Source { node: NodeId(1), load: 1.0, release: 0.4 };
    let problem = Problem::new(&machine, vec![Source::at(NodeId(0), 1.0), late], 1.0).expect("a problem");
    let feasible = |makespan: f64, shares: &[f64]| {
        check(&problem, &Claim { makespan, shares, timed: None, cells: None }).expect("a claim").feasible
    };
    assert!(feasible(0.9, &[0.5, 0.5]), "each does its own");
    assert!(!feasible(0.6, &[0.5, 0.5]), "0.5 at 0.4 is at most 0.2 + 0.2 of work until 0.6");
    assert!(feasible(0.65, &[0.6, 0.4]), "0.25 each after 0.4, over a link that is full");
    assert!(!feasible(0.64, &[0.6, 0.4]), "0.24 each is not enough");
}

#[test]
fn sources_that_are_kept_apart() {
    let machine = Machine::new("mesh:4").expect("a line");
    let sources = vec![Source::at(NodeId(0), 1.0), Source::at(NodeId(3), 1.0)];
    let verdict = |sigma: f64, label: [u32; 4]| {
        let problem = Problem::new(&machine, sources.clone(), sigma).expect("a problem");
        let cells = Cells { label: label.to_vec(), depth: vec![0; 4] };
        let claim = Claim { makespan: 0.25, shares: &[0.25; 4], timed: None, cells: Some(&cells) };
        let verdict = check(&problem, &claim).expect("a claim");
        let timed = Claim { timed: Some(&[0.0; 4]), ..claim };
        assert!(!check(&problem, &timed).expect("a claim").feasible, "nothing arrives at once");
        (verdict.feasible, verdict.reading)
    };
    assert_eq!(verdict(1.0, [0, 0, 1, 1]), (true, Reading::WithinCells));
    assert_eq!(
        verdict(1.0, [0, 1, 0, 1]),
        (true, Reading::SideBySide),
        "the ways lead through the other's nodes"
    );
    assert_eq!(verdict(2.0, [0, 0, 1, 1]), (false, Reading::Necessary));
    assert_eq!(verdict(1.0, [0, 0, 0, 1]), (false, Reading::Necessary), "three quarters are not a half");
}

#[test]
fn what_fits_alone_and_mixed_need_not_fit_side_by_side() {
    // Everybody has a quarter and could keep it, but works for a source beyond the middle link, where two quarters
    // then go each way.
    let machine = Machine::new("mesh:4").expect("a line");
    let sources = (0..4).map(|node| Source::at(NodeId(node), 1.0)).collect();
    let problem = Problem::new(&machine, sources, 1.0).expect("a problem");
    let cells = Cells { label: vec![2, 3, 0, 1], depth: vec![0; 4] };
    let verdict = |makespan: f64| {
        let claim = Claim { makespan, shares: &[0.25; 4], timed: None, cells: Some(&cells) };
        let verdict = check(&problem, &claim).expect("a claim");
        (verdict.feasible, verdict.reading)
    };
    assert_eq!(verdict(0.5), (true, Reading::SideBySide));
    assert_eq!(verdict(0.49), (false, Reading::SideBySide));
    assert_eq!(verdict(0.25), (false, Reading::SideBySide));
}

#[test]
fn cells_fit_when_each_fits_on_a_machine_of_its_own() {
    let (mut fitting, mut others) = (0, 0);
    for seed in 0..200 {
        let mut rng = meshwright_core::rng::stream(seed, "cells");
        let mut machine = Machine::new("mesh:4x4").expect("a mesh");
        let nodes = rand::seq::index::sample(&mut rng, 16, 3).into_vec();
        let sigma = rng.random_range(0.1..2.0);
        let away: Vec<_> = nodes.iter().map(|&node| distances_from(&machine, NodeId(node as u32))).collect();
        let nearest =
            |node: usize| (0..3).min_by_key(|&cell| away[cell as usize][node]).expect("three cells");
        let label: Vec<u32> = (0..16).map(nearest).collect();
        let mut shares: Vec<f64> = (0..16).map(|_| rng.random_range(0.1..1.0)).collect();
        let within = |shares: &[f64], cell: u32| -> f64 {
            shares.iter().zip(&label).filter(|(_, label)| **label == cell).map(|(share, _)| share).sum()
        };
        let sums: Vec<f64> = (0..3).map(|cell| within(&shares, cell)).collect();
        (0..16).for_each(|node| shares[node] /= 3.0 * sums[label[node] as usize]);
        let most = shares.iter().copied().fold(0.0, f64::max);
        let makespan = most * rng.random_range(1.0..2.0);
        let place = |&node: &usize| Source::at(NodeId(node as u32), 1.0);
        let problem = Problem::new(&machine, nodes.iter().map(place).collect(), sigma).expect("a problem");
        let cells = Cells { label: label.clone(), depth: vec![0; 16] };
        let claim = Claim { makespan, shares: &shares, timed: None, cells: Some(&cells) };
        let together = check(&problem, &claim).expect("a claim").reading == Reading::WithinCells;

        let walls = machine.living().flat_map(|from| machine.neighbours(from).map(move |(_, to)| (from, to)));
        let walls = walls.filter(|(from, to)| label[from.index()] != label[to.index()]).collect();
        machine = machine.clone().with_dead_links(walls).expect("links of the mesh");
        let alone = |(node, cell): (&usize, u32)| {
            let problem = Problem::new(&machine, vec![place(node)], sigma).expect("a problem");
            let own = |node: usize| if label[node] == cell { 3.0 * shares[node] } else { 0.0 };
            let shares: Vec<f64> = (0..16).map(own).collect();
            let claim = Claim { makespan: 3.0 * makespan, shares: &shares, timed: None, cells: None };
            check(&problem, &claim).expect("a claim").feasible
        };
        assert_eq!(together, nodes.iter().zip(0..).all(alone), "seed {seed}");
        *if together { &mut fitting } else { &mut others } += 1;
    }
    assert!(fitting > 20 && others > 20, "{fitting} fit, {others} do not");
}
