//! Every value of `tests/golden/mapping.json`, an independent reference (positions, dilations, contention,
//! link loads, store-and-forward steps and totals as exact fractions).

use dashu_ratio::RBig;
use meshwright_core::units::Bytes;
use meshwright_mapping::{Divide, Shape, metrics};
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::{Job, map};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/mapping.json")).unwrap()
}

fn fraction(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse::<RBig>().unwrap().to_f64().value(),
        other => other.as_f64().unwrap(),
    }
}

fn integers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect()
}

fn report(case: &Value, alpha: f64) -> (map::MapReport, Machine) {
    let name = case["mapping"].as_str().unwrap().replace("halving", "centred-halving");
    let sides = integers(&case["shape"]);
    let mesh = Machine::mesh([sides[0] as u32, sides[1] as u32]).unwrap();
    let n = case["n"].as_u64().unwrap() as u32;
    let job = Job::divide(&Divide {
        shape: Shape::Binomial(n),
        alpha: Some(alpha),
        combine_alpha: None,
        volume: Bytes(1 << 20),
    })
    .unwrap();
    (map::report(&job, &mesh, &[&name], 0, &mut |_| {}).unwrap(), mesh)
}

#[test]
fn positions_and_phases() {
    for case in golden()["cases"].as_array().unwrap() {
        let (report, mesh) = report(case, 1.0);
        let (row, what) = (&report.placements[0], format!("{} B({})", case["mapping"], case["n"]));
        let positions: Value = serde_json::to_value(&row.positions).unwrap();
        assert_eq!(positions, case["positions"], "{what}: positions");
        let root = mesh.coordinates(*row.nodes().last().unwrap());
        assert_eq!(
            root.iter().map(|&c| u64::from(c)).collect::<Vec<_>>(),
            integers(&case["root"]),
            "{what}: root"
        );
        let column = |pick: fn(&map::MapPhase) -> u64| row.phases.iter().map(pick).collect::<Vec<u64>>();
        assert_eq!(column(|p| p.dilation.into()), integers(&case["dilation"]), "{what}: dilation");
        assert_eq!(column(|p| p.contention.into()), integers(&case["wh_interference"]), "{what}: contention");
        assert_eq!(column(|p| p.link_load.into()), integers(&case["wh_linkload"]), "{what}: link load");
        classic(case, row, &mesh, &what);
    }
}

/// Definitions 4 and 5; the golden contention counts both directions of a link together.
fn classic(case: &Value, row: &map::MapRow, mesh: &Machine, what: &str) {
    use meshwright_schedule::Message;
    use meshwright_schedule::cost::LinkLoads;
    let n = case["n"].as_u64().unwrap() as u32;
    let messages: Vec<Message> = (0..(1u32 << n) - 1)
        .map(|label| {
            let (source, target) = (row.nodes()[(label | (label + 1)) as usize], row.nodes()[label as usize]);
            Message { source, target, bytes: Bytes(1), phase: 1 }
        })
        .collect();
    let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
    let routes = meshwright_network::routing::routes(mesh, &pairs).unwrap();
    let classic = metrics::classic(&messages, &routes, mesh.links());
    assert_eq!(u64::from(classic.dilation.0), case["classic"]["dilation"].as_u64().unwrap(), "{what}");
    let mut loads = LinkLoads::new(mesh.links());
    loads.fill(&messages, &routes);
    let both_ways = loads.used().map(|(link, _)| {
        let (from, to) = (mesh.source(link), mesh.target(link).unwrap());
        let back = (0..mesh.ports(to))
            .map(meshwright_core::units::Port)
            .find(|&port| mesh.neighbour(to, port) == Some(from));
        loads.messages(link) + loads.messages(mesh.link(to, back.unwrap()))
    });
    let most = u64::from(both_ways.max().unwrap_or(0));
    assert_eq!(most, case["classic"]["contention_undirected"].as_u64().unwrap(), "{what}");
}

#[test]
fn totals_are_the_exact_fractions() {
    for case in golden()["cases"].as_array().unwrap() {
        for (alpha, totals) in case["totals"].as_object().unwrap() {
            let alpha: f64 = match alpha.split_once('/') {
                Some((p, q)) => p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(),
                None => alpha.parse().unwrap(),
            };
            let (report, _) = report(case, alpha);
            let row = &report.placements[0];
            let (time, slowdown) = (&row.time, &row.slowdown);
            for (key, ours) in [
                ("wh_small", time.wormhole.small),
                ("wh_large", time.wormhole.large_contention_free),
                ("wh_large_link", time.wormhole.large),
                ("wh_large_path", time.wormhole.large_path_level),
                ("sf_small", time.store_and_forward.small),
                ("sf_large", time.store_and_forward.large),
                ("perfect_small", row.bound.wormhole.small),
                ("perfect_large", row.bound.wormhole.large),
                ("S_sf_small", slowdown.store_and_forward.small),
                ("S_sf_large", slowdown.store_and_forward.large),
                ("S_wh_large_link", slowdown.wormhole.large),
                ("S_sf_large_float", slowdown.store_and_forward.large),
            ] {
                // B(0) sends nothing and has no slowdown in the reference.
                let Some(exact) = totals.get(key) else { continue };
                let exact = fraction(exact);
                assert!(
                    (ours - exact).abs() <= 1e-12 * exact.abs().max(1.0),
                    "{} B({}) alpha {alpha}: {key} is {ours}, not {exact}",
                    case["mapping"],
                    case["n"]
                );
            }
        }
    }
}

/// One message per directed link and step: the referee's store-and-forward with c = 0, b = 1 and one byte.
#[test]
fn store_and_forward_steps() {
    for case in golden()["cases"].as_array().unwrap() {
        let (report, mut mesh) = report(case, 1.0);
        mesh = mesh.with_startup(meshwright_core::units::Cycles(1)).unwrap();
        mesh = mesh.with_byte_time(meshwright_core::units::Ratio::whole(0)).unwrap();
        mesh = mesh.with_switching(meshwright_network::topology::Switching::StoreAndForward);
        let n = case["n"].as_u64().unwrap() as u32;
        let job = Job::divide(&Divide {
            shape: Shape::Binomial(n),
            alpha: Some(1.0),
            combine_alpha: None,
            volume: Bytes(1),
        })
        .unwrap();
        let placement = meshwright_mapping::Placement {
            name: String::new(),
            nodes: report.placements[0].nodes().to_vec(),
        };
        let phases = placement.phases(&job.tasks, &mesh);
        let trace = meshwright_sim::simulate(&mesh, &phases, &meshwright_sim::Engine::Message).unwrap();
        assert_eq!(trace.phase_ticks, integers(&case["sf_steps"]), "{} B({n})", case["mapping"]);
    }
}
