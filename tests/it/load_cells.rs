//! Several sources: Voronoi cells and the thesis's schedulers, against the independent reference and against
//! definitions.

mod edges;
mod ties;

use meshwright_core::units::NodeId;
use meshwright_load::shares::accelerated::{accelerated, constrained_accelerated};
use meshwright_load::shares::constrained::{constrained, constrained_extended};
use meshwright_load::shares::earth_mover::{Rebalance, rebalance};
use meshwright_load::shares::equivalence::{epsa, epsea};
use meshwright_load::shares::partition::{Partition, constrained_partition, partition};
use meshwright_load::shares::reduced::reduced;
use meshwright_load::shares::schedulers::{Cell, METHODS, Reduction, Scheduled, SchedulerSettings};
use meshwright_load::shares::voronoi;
use meshwright_load::{FORWARDINGS, Forwarding, Problem, Source, UNUSED};
use meshwright_network::topology::{Machine, Topology};
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
                assert!(is_near(slowest, value.as_f64().unwrap(), 1e-12), "{place}: {slowest} {value}");
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
                let settings = |reduction| SchedulerSettings {
                    reduction,
                    weighted: false,
                    ..SchedulerSettings::default()
                };
                let (run, reduction): (Run, _) = match key.as_str() {
                    "sigma" | "mode" => continue,
                    "paper_partition_optimum_lp" => {
                        let partition = if is_grouped { constrained_partition } else { partition };
                        let best = partition(&problem, forwarding, &settings(Reduction::Peel)).unwrap();
                        compare_partition(&problem, &best, value, &what);
                        continue;
                    }
                    "sp" | "bottleneck" | "peel" => (reduce, Reduction::Peel),
                    "literal" => (reduce, Reduction::Literal),
                    "node" => (reduce, Reduction::Node),
                    "armdvda_peel" => (accelerate, Reduction::Peel),
                    "peel_weighted" => {
                        let settings = SchedulerSettings::default();
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

type Run = fn(&Problem, Forwarding, &SchedulerSettings) -> meshwright_core::Result<Scheduled>;

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

/// The bound is the linear programme's value, and whole nodes lose fewer processors than there are cells.
fn compare_partition(problem: &Problem, best: &Partition, theirs: &Value, what: &str) {
    let (cells, theirs) = (best.scheduled.cells.len() as f64, theirs.as_f64().unwrap());
    assert!(
        is_near(best.bound_speedup / cells, theirs, 1e-7),
        "{what}: {} {theirs}",
        best.bound_speedup / cells
    );
    assert!(best.shared_nodes < best.scheduled.cells.len(), "{what}");
    let speedups = best.scheduled.cells.iter().map(|cell| cell.speedup);
    let lost: f64 = speedups.map(|speedup| (theirs - speedup).max(0.0)).sum();
    assert!(lost <= cells - 1.0, "{what}: {lost} processors lost");
    check_shares(problem, &best.scheduled);
}

#[test]
fn rebalancing_of_the_reference() {
    for case in entries(&golden()["epsea"]) {
        let (machine, sigma) = (machine_of(&case["topology"]), case["sigma"].as_f64().unwrap());
        let nodes: Vec<NodeId> = counts(&case["nodes"]).into_iter().map(NodeId).collect();
        let loads = floats(&case["loads"]);
        let Rebalance { distance, time, .. } = rebalance(&machine, &nodes, &loads, sigma).unwrap();
        assert!(is_near(distance, case["emd_hops"].as_f64().unwrap(), 1e-12));
        assert!(is_near(time, case["rebalance_time"].as_f64().unwrap(), 1e-12));
        let sources: Vec<Source> =
            nodes.iter().zip(&loads).map(|(&node, &load)| Source::at(node, load.max(1e-300))).collect();
        let problem = Problem::new(&machine, sources, sigma).unwrap();
        let speedup = case["epsa_speedup_vct"].as_f64().unwrap();
        let alone = epsa(&problem, Forwarding::CutThrough, &SchedulerSettings::default()).unwrap();
        assert_eq!(alone.cells[0].layers, counts(&case["layers"]));
        assert!(is_near(alone.plan.speedup(), speedup, 1e-12));
        assert!(alone.warning.unwrap().contains("epsea"));
        let whole = epsea(&problem, Forwarding::CutThrough, &SchedulerSettings::default()).unwrap();
        assert!(is_near(whole.plan.makespan, time + 1.0 / speedup, 1e-9), "erratum 24: the moving counts");
        let (best, _) = meshwright_load::optimum::makespan(&problem).unwrap();
        assert!(is_near(best, case["fluid_opt_T"].as_f64().unwrap(), 1e-7));
        assert!(best < whole.plan.makespan);
    }
}

/// The two numbers of a rebalancing as linear programmes: the least work, and the least load of the busiest link.
fn rebalance_by_lp(machine: &Machine, nodes: &[NodeId], loads: &[f64]) -> (f64, f64) {
    use microlp::{ComparisonOp, LinearExpr, OptimizationDirection};
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    let solve = |per_link: f64, for_busiest: f64| {
        let mut model = microlp::Problem::new(OptimizationDirection::Minimize);
        let busiest = model.add_var(for_busiest, (0.0, f64::INFINITY));
        let mut rows = vec![LinearExpr::empty(); nodes.len()];
        for (i, &a) in nodes.iter().enumerate() {
            for (j, &b) in nodes.iter().enumerate() {
                if machine.wire(a, b).is_some() {
                    let flow = model.add_var(per_link, (0.0, f64::INFINITY));
                    rows[i].add(flow, 1.0);
                    rows[j].add(flow, -1.0);
                    model.add_constraint([(flow, 1.0), (busiest, -1.0)], ComparisonOp::Le, 0.0);
                }
            }
        }
        for (row, load) in rows.into_iter().zip(loads) {
            model.add_constraint(row, ComparisonOp::Eq, load - mean);
        }
        model.solve().unwrap().into_solution().unwrap().objective()
    };
    (solve(1.0, 0.0), solve(0.0, 1.0))
}

/// A number below `end` from a seed: no generator needed.
fn draw(state: &mut u64, end: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(end)) as u32
}

#[test]
fn rebalancing_is_the_linear_programme() {
    let mut seed = 5;
    for specification in ["mesh:3x4", "torus:3x3", "hypercube:3", "mesh:1x6"] {
        let machine = Machine::new(specification).unwrap();
        for _ in 0..6 {
            // A connected set grown from one node.
            let mut nodes = vec![NodeId(draw(&mut seed, machine.nodes()))];
            while nodes.len() < 5 {
                let next = NodeId(draw(&mut seed, machine.nodes()));
                if !nodes.contains(&next) && nodes.iter().any(|&node| machine.wire(node, next).is_some()) {
                    nodes.push(next);
                }
            }
            let loads: Vec<f64> = nodes.iter().map(|_| f64::from(draw(&mut seed, 100)) / 400.0).collect();
            let moved = rebalance(&machine, &nodes, &loads, 2.0).unwrap();
            let (distance, busiest) = rebalance_by_lp(&machine, &nodes, &loads);
            assert!((moved.distance - distance).abs() < 1e-7, "{specification} {nodes:?} {loads:?}");
            assert!((moved.busiest_link - busiest).abs() < 1e-7, "{specification} {nodes:?} {loads:?}");
            assert_eq!(moved.time, 2.0 * moved.busiest_link);
        }
    }
}

/// The definition: the first of the sites with the least distance, and a tie where there are several.
fn cells_by_definition(machine: &Machine, sites: &[Vec<NodeId>]) -> ((Vec<u32>, Vec<u32>), usize) {
    let mut ties = 0;
    let of_node = |node: NodeId| {
        let hops =
            |site: &Vec<NodeId>| site.iter().filter_map(|&s| machine.distance(s, node)).map(|h| h.0).min();
        let all: Vec<u32> = sites.iter().map(|site| hops(site).unwrap_or(u32::MAX)).collect();
        let least = *all.iter().min().unwrap();
        if least == u32::MAX {
            return (UNUSED, least);
        }
        ties += usize::from(all.iter().filter(|&&hops| hops == least).count() > 1);
        (all.iter().position(|&hops| hops == least).unwrap() as u32, least)
    };
    let nearest = (0..machine.nodes()).map(NodeId).map(of_node).unzip();
    (nearest, ties)
}

#[test]
fn cells_are_those_of_the_definition_on_any_machine() {
    let mut seed = 11;
    let names = [
        "mesh:7x9",
        "torus:6x5",
        "torus:4x3x2",
        "torus:2x5",
        "hypercube:5",
        "mesh:1x8",
        "mesh:3x2x4",
        "torus:7",
    ];
    for name in names {
        for dead in [vec![], vec![1, 2, 6]] {
            let machine =
                Machine::new(name).unwrap().with_dead(dead.into_iter().map(NodeId).collect()).unwrap();
            let living: Vec<NodeId> = machine.living().collect();
            for count in [1, 2, 3, 4] {
                let site = |seed: &mut u64| {
                    let members = 1 + draw(seed, 2);
                    (0..members).map(|_| living[draw(seed, living.len() as u32) as usize]).collect()
                };
                let sites: Vec<Vec<NodeId>> = (0..count).map(|_| site(&mut seed)).collect();
                let cells = voronoi::cells(&machine, &sites);
                let ((label, depth), ties) = cells_by_definition(&machine, &sites);
                assert_eq!((&cells.label, &cells.depth), (&label, &depth), "{name} {sites:?}");
                assert_eq!(voronoi::ties(&machine, &sites), ties, "{name} {sites:?}");
                assert!(voronoi::is_star_shaped(&machine, &cells));
            }
        }
    }
}

/// Figure 5.10 on: nine copies of the torus side by side on a plane, and the cells of the one in the middle.
#[test]
fn the_cells_of_a_torus_are_those_of_the_tile_in_the_middle() {
    let (rows, columns) = (6, 9);
    let torus = Machine::new("torus:6x9").unwrap();
    let plane = Machine::new("mesh:18x27").unwrap();
    let sources = [(0, 1), (2, 7), (5, 5), (3, 0)];
    let on_plane = |(r, c): (u32, u32)| {
        let copies = (0..9).map(move |tile| (r + tile / 3 * rows, c + tile % 3 * columns));
        copies.map(|(r, c)| NodeId(r * 3 * columns + c)).collect::<Vec<_>>()
    };
    let tiled = voronoi::cells(&plane, &sources.map(on_plane));
    let cells = voronoi::cells(&torus, &sources.map(|(r, c)| vec![NodeId(r * columns + c)]));
    for node in 0..rows * columns {
        let (r, c) = (node / columns + rows, node % columns + columns);
        let image = (r * 3 * columns + c) as usize;
        assert_eq!(cells.label[node as usize], tiled.label[image]);
        assert_eq!(cells.depth[node as usize], tiled.depth[image]);
    }
}

#[test]
fn a_cell_that_is_no_star_is_seen() {
    let line = Machine::new("mesh:1x4").unwrap();
    let mut cells = voronoi::cells(&line, &[vec![NodeId(0)], vec![NodeId(3)]]);
    assert!(voronoi::is_star_shaped(&line, &cells));
    cells.label[1] = 1;
    assert!(!voronoi::is_star_shaped(&line, &cells), "node 1 is one hop from 0, but belongs to 3");
}

/// Of all lines and all pairs of sources, none shorter than 1x7 loses time by the literal reduction.
#[test]
fn erratum_22_has_no_smaller_example() {
    let broken = |length: u32, a: u32, b: u32, reduction| {
        let line = Machine::mesh([1, length]).unwrap();
        let sources = [a, b].map(|node| Source::at(NodeId(node), 1.0)).to_vec();
        let problem = Problem::new(&line, sources, 0.01).unwrap();
        let settings = SchedulerSettings { reduction, ..SchedulerSettings::default() };
        let scheduled = reduced(&problem, Forwarding::CutThrough, &settings).unwrap();
        assert_eq!(scheduled.makespan_kept, scheduled.warning.is_none());
        !scheduled.makespan_kept
    };
    for length in 2..7 {
        for (a, b) in (0..length).flat_map(|a| (0..length).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            assert!(!broken(length, a, b, Reduction::Literal), "1x{length} from {a} and {b}");
        }
    }
    assert!(broken(7, 1, 3, Reduction::Literal));
    assert!(!broken(7, 1, 3, Reduction::Peel) && !broken(7, 1, 3, Reduction::Node));
}

/// One pass over a million nodes, whatever the number of sources: the cells cover the machine, and the layers count it.
#[test]
#[ignore = "a million nodes; prints how long it takes"]
fn a_million_nodes_and_a_thousand_sources() {
    let mesh = Machine::new("mesh:1000x1000").unwrap();
    let mut seed = 3;
    let sites: Vec<Vec<NodeId>> = (0..1000).map(|_| vec![NodeId(draw(&mut seed, 1_000_000))]).collect();
    let begin = std::time::Instant::now();
    let cells = voronoi::cells(&mesh, &sites);
    println!("cells {:?}", begin.elapsed());
    let begin = std::time::Instant::now();
    let hole = mesh.clone().with_dead(vec![NodeId(0)]).unwrap();
    let searched = voronoi::cells(&hole, &sites);
    println!("searched {:?}", begin.elapsed());
    assert_eq!(cells.label[1..], searched.label[1..]);
    let layers = voronoi::layers(&cells, 1000);
    assert_eq!(layers.iter().flatten().sum::<u32>(), 1_000_000);
}
