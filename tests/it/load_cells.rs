//! Several sources: Voronoi cells and the thesis's schedulers, against the independent reference and against
//! definitions.

use meshwright::load::accelerated::{accelerated, constrained_accelerated};
use meshwright::load::constrained::constrained;
use meshwright::load::reduced::reduced;
use meshwright::load::schedulers::{Reduction, Scheduled, Settings};
use meshwright::load::{Forwarding, Problem, Source, UNUSED, voronoi};
use meshwright::topology::Machine;
use meshwright::units::NodeId;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/load.json")).unwrap()
}

fn entries(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn counts(value: &Value) -> Vec<u32> {
    entries(value).iter().map(|v| v.as_u64().unwrap() as u32).collect()
}

fn floats(value: &Value) -> Vec<f64> {
    entries(value).iter().map(|v| v.as_f64().unwrap()).collect()
}

fn is_near(ours: f64, theirs: f64, tolerance: f64) -> bool {
    (ours - theirs).abs() <= tolerance * theirs.abs()
}

fn machine_of(case: &Value) -> Machine {
    let family =
        if case["torus"].as_bool() == Some(true) || case["kind"] == "torus" { "torus" } else { "mesh" };
    Machine::new(&format!("{family}:{}x{}", case["m"], case["n"])).unwrap()
}

/// The sources of a case, those of one cell together.
fn sites(case: &Value) -> Vec<Vec<NodeId>> {
    let columns = case["n"].as_u64().unwrap() as u32;
    let node = |at: &Value| NodeId(counts(at)[0] * columns + counts(at)[1]);
    let site = |site: &Value| {
        if site[0].is_array() { entries(site).iter().map(node).collect() } else { vec![node(site)] }
    };
    entries(&case["sources"]).iter().map(site).collect()
}

fn forwarding(run: &Value) -> Forwarding {
    match run["mode"].as_str().unwrap() {
        "vct" => Forwarding::CutThrough,
        "msf" => Forwarding::ModifiedStoreAndForward,
        other => panic!("an unknown mode {other}"),
    }
}

/// One row per row of the machine: the digit of the cell, or a point.
fn drawn(labels: &[u32], columns: usize) -> Vec<String> {
    let digit = |&label: &u32| if label == UNUSED { '.' } else { char::from_digit(label, 10).unwrap() };
    labels.chunks(columns).map(|row| row.iter().map(digit).collect()).collect()
}

fn words(value: &Value) -> Vec<String> {
    entries(value).iter().map(|v| v.as_str().unwrap().to_string()).collect()
}

#[test]
fn voronoi_cells_of_the_reference() {
    for case in entries(&golden()["voronoi"]) {
        let (machine, sites) = (machine_of(case), sites(case));
        let cells = voronoi::cells(&machine, &sites);
        assert_eq!(drawn(&cells.label, count(&case["n"])), words(&case["labels"]));
        let layers = voronoi::layers(&cells, sites.len());
        let theirs: Vec<Vec<u32>> = entries(&case["layer_counts"]).iter().map(counts).collect();
        assert_eq!(layers, theirs);
        let sizes: Vec<u32> = layers.iter().map(|layers| layers.iter().sum()).collect();
        assert_eq!(sizes, counts(&case["cell_sizes"]));
        let radius: Vec<u32> = layers.iter().map(|layers| layers.len() as u32 - 1).collect();
        assert_eq!(radius, counts(&case["radius"]));
        assert_eq!(voronoi::ties(&machine, &sites), count(&case["ties"]));
        assert!(voronoi::is_star_shaped(&machine, &cells));
    }
}

/// A run's answer against what the reference says of it: everything it says.
fn compare(scheduled: &Scheduled, columns: usize, theirs: &Value, slowest_before: f64, what: &str) {
    let of_cells = scheduled.cells.iter().map(|cell| cell.nodes()).collect::<Vec<_>>();
    let speedups: Vec<f64> = scheduled.cells.iter().map(|cell| cell.speedup).collect();
    let slowest = speedups.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = speedups.iter().copied().fold(0.0, f64::max);
    for (key, value) in theirs.as_object().unwrap() {
        let place = format!("{what}: {key}");
        match key.as_str() {
            "sizes" => assert_eq!(of_cells, counts(value), "{place}"),
            "saved" => assert_eq!(scheduled.saved as usize, count(value), "{place}"),
            "min_sp" => {
                assert!(is_near(slowest, value.as_f64().unwrap(), 1e-12), "{place}: {slowest} {value}")
            }
            "max_over_min" => assert!(is_near(fastest / slowest, value.as_f64().unwrap(), 1e-12), "{place}"),
            "makespan_kept" => assert_eq!(slowest >= slowest_before, value.as_bool().unwrap(), "{place}"),
            "depth" => {
                let depth: Vec<u32> = scheduled.cells.iter().map(|cell| cell.radius() as u32).collect();
                assert_eq!(depth, counts(value), "{place}");
            }
            "steps" => assert_eq!(scheduled.merged as usize, count(value), "{place}"),
            "labels" => {
                let first: Vec<u32> = scheduled.cells.iter().map(|cell| cell.sources[0] as u32).collect();
                let index =
                    |&label: &u32| first.iter().position(|&f| f == label).map_or(UNUSED, |at| at as u32);
                let labels: Vec<u32> =
                    scheduled.plan.cells.as_ref().unwrap().label.iter().map(index).collect();
                assert_eq!(drawn(&labels, columns), words(value), "{place}");
            }
            other => panic!("an unknown key {other}"),
        }
    }
}

/// Every node's share, by its depth and its cell, works off the whole load within the makespan.
fn check_shares(problem: &Problem, scheduled: &Scheduled) {
    let mut by_cell = vec![0.0; problem.sources().len()];
    let cells = scheduled.plan.cells.as_ref().unwrap();
    for (&share, &label) in scheduled.plan.shares.iter().zip(&cells.label) {
        assert!(share == 0.0 || label != UNUSED);
        if label != UNUSED {
            by_cell[label as usize] += share;
        }
        assert!(share <= scheduled.plan.makespan * (1.0 + 1e-12));
    }
    for cell in &scheduled.cells {
        assert!(is_near(by_cell[cell.sources[0]], cell.load, 1e-12), "what enters in a cell is done in it");
    }
}

#[test]
fn runs_of_the_reference() {
    for (number, case) in entries(&golden()["voronoi"]).iter().enumerate() {
        let (machine, sites) = (machine_of(case), sites(case));
        let sources: Vec<Source> = sites.iter().flatten().map(|&node| Source::at(node, 1.0)).collect();
        let is_grouped = sites.len() < sources.len();
        let (reduce, accelerate) = if is_grouped {
            (constrained as Run, constrained_accelerated as Run)
        } else {
            (reduced as Run, accelerated as Run)
        };
        for run in entries(&case["runs"]) {
            let (sigma, forwarding) = (run["sigma"].as_f64().unwrap(), forwarding(run));
            let problem = Problem::new(&machine, sources.clone(), sigma).unwrap();
            for (key, value) in run.as_object().unwrap() {
                let what = format!("case {number}, sigma {sigma}, {}: {key}", forwarding.name());
                let settings = |reduction| Settings { reduction, weighted: false, ..Settings::default() };
                let (run, reduction): (Run, _) = match key.as_str() {
                    "sigma" | "mode" | "paper_partition_optimum_lp" => continue,
                    "sp" | "bottleneck" | "peel" => (reduce, Reduction::Peel),
                    "literal" => (reduce, Reduction::Literal),
                    "node" => (reduce, Reduction::Node),
                    "armdvda_peel" => (accelerate, Reduction::Peel),
                    "peel_weighted" => {
                        let settings = Settings::default();
                        let scheduled = constrained(&problem, forwarding, &settings).unwrap();
                        compare_weighted(&scheduled, value);
                        continue;
                    }
                    other => panic!("an unknown key {other}"),
                };
                let scheduled = run(&problem, forwarding, &settings(reduction)).unwrap();
                check_shares(&problem, &scheduled);
                let before = &scheduled.speedups_before;
                let slowest = before.iter().copied().fold(f64::INFINITY, f64::min);
                match key.as_str() {
                    "sp" => assert!(
                        before.iter().zip(floats(value)).all(|(&a, b)| is_near(a, b, 1e-12)),
                        "{what}"
                    ),
                    "bottleneck" => {
                        assert_eq!(before.iter().position(|&s| s == slowest), Some(count(value)), "{what}");
                    }
                    _ => compare(&scheduled, count(&case["n"]), value, slowest, &what),
                }
            }
        }
    }
}

type Run = fn(&Problem, Forwarding, &Settings) -> meshwright::Result<Scheduled>;

fn compare_weighted(scheduled: &Scheduled, theirs: &Value) {
    let sizes: Vec<u32> = scheduled.cells.iter().map(|cell| cell.nodes()).collect();
    let loads: Vec<f64> = scheduled.cells.iter().map(|cell| cell.load).collect();
    for (key, value) in theirs.as_object().unwrap() {
        match key.as_str() {
            "loads" => assert!(loads.iter().zip(floats(value)).all(|(&a, b)| is_near(a, b, 1e-12))),
            "sizes" => assert_eq!(sizes, counts(value)),
            "saved" => assert_eq!(scheduled.saved as usize, count(value)),
            "total_speedup" => assert!(is_near(scheduled.plan.speedup(), value.as_f64().unwrap(), 1e-12)),
            "total_speedup_before" => {
                let before =
                    scheduled.speedups_before.iter().zip(&loads).map(|(speedup, load)| speedup / load);
                assert!(is_near(before.fold(f64::INFINITY, f64::min), value.as_f64().unwrap(), 1e-12));
            }
            other => panic!("an unknown key {other}"),
        }
    }
}
