//! Lower bounds: nothing beats them, and where the literature or a search knows the optimum they meet it.

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_mapping::{Divide, PLACEMENTS, Shape, bound};
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::{Job, map, mapping};

fn job(n: u32, alpha: f64, combine_alpha: Option<f64>) -> Job {
    Job::divide(&Divide {
        shape: Shape::Binomial(n),
        alpha: Some(alpha),
        combine_alpha,
        volume: Bytes(1 << 16),
    })
    .unwrap()
}

fn every_placement() -> Vec<&'static str> {
    PLACEMENTS.iter().map(|method| method.name).collect()
}

/// The radius by definition, on machines small enough to look at every node.
#[test]
fn the_radius_bound_holds_for_every_root_and_size() {
    for name in ["mesh:4x6", "torus:5x4", "hypercube:4", "mesh:3x3x3", "mesh:24"] {
        let machine = Machine::new(name).unwrap();
        for tasks in 1..=machine.nodes() {
            // From any root the nearest `tasks` nodes reach at least this far.
            let farthest = |root: NodeId| {
                let mut distances = meshwright_network::topology::distances_from(&machine, root);
                distances.sort_unstable();
                distances[tasks as usize - 1]
            };
            let least = (0..machine.nodes()).map(|root| farthest(NodeId(root))).min().unwrap();
            let bound = bound::radius(&machine, tasks).0;
            assert!(bound <= least, "{name}, {tasks} tasks: bound {bound}, true {least}");
            assert!(tasks < machine.nodes() || bound == least, "{name}: exact for all nodes");
        }
    }
}

/// `judge` itself asserts bound <= simulated; here it gets every machine, switching and stage to try.
#[test]
fn no_placement_beats_the_bound() {
    for (name, n, dead) in [
        ("mesh:8x8", 6, vec![]),
        ("torus:4x8", 5, vec![]),
        ("mesh:4x4x4", 6, vec![]),
        ("hypercube:6", 6, vec![]),
        ("mesh:7x9", 5, vec![NodeId(31), NodeId(0)]),
        ("mesh:1x16", 4, vec![]),
    ] {
        for &(_, switching) in SWITCHINGS {
            for (alpha, combine) in [(1.0, None), (0.5, Some(1.0)), (0.25, None), (0.9, Some(0.9))] {
                let mut machine =
                    Machine::new(name).unwrap().with_dead(dead.clone()).unwrap().with_switching(switching);
                machine = machine.with_startup(Cycles(3)).unwrap();
                machine = machine.with_byte_time(Ratio::new(1, 7).unwrap()).unwrap();
                let verdict =
                    mapping::judge("", &job(n, alpha, combine), &machine, &every_placement(), 5, &mut |_| {})
                        .unwrap();
                for result in &verdict.results {
                    assert!(result.bound_cycles <= result.simulated());
                    assert_eq!(
                        result.gap().unwrap_or_default() == 0.0,
                        result.bound_cycles == result.simulated()
                    );
                }
                let least = verdict.results.iter().map(|result| result.simulated_cycles).min();
                let winner = verdict.winner().unwrap().outcome;
                assert_eq!(Some(winner.simulated_cycles), least, "the winner is the fastest");
            }
        }
    }
}

/// Centred halving under wormhole: every start-up, byte time, flit, alpha and size.
#[test]
fn centred_halving_meets_the_wormhole_bound() {
    for n in 1..=10u32 {
        let mut mesh = Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap();
        for (c, b, h) in
            [(100, Ratio::whole(1), 2), (0, Ratio::new(3, 8).unwrap(), 1), (5, Ratio::whole(2), 64)]
        {
            mesh =
                mesh.with_startup(Cycles(c)).unwrap().with_byte_time(b).unwrap().with_flit(Bytes(h)).unwrap();
            for alpha in [1.0, 0.5, 0.3] {
                let verdict = mapping::judge(
                    "",
                    &job(n, alpha, Some(alpha)),
                    &mesh,
                    &["centred-halving"],
                    0,
                    &mut |_| {},
                )
                .unwrap();
                let result = &verdict.results[0];
                assert_eq!(result.simulated(), result.bound_cycles, "B({n}), alpha {alpha}, c {c}, h {h}");
                assert!(result.waited_link.is_none() && result.detail.deadlock_free);
            }
        }
    }
}

/// Growing under store-and-forward: optimal for every alpha and size. Optima found by an independent search: B(5) 6 and 1.0, B(6) 66/64 (alpha 1/2).
#[test]
fn growing_meets_the_store_and_forward_bound() {
    for n in 1..=12u32 {
        let mesh = Machine::mesh([1 << (n / 2), 1 << n.div_ceil(2)]).unwrap();
        for alpha in [1.0, 0.9, 0.5, 0.25] {
            let report = map::report(&job(n, alpha, None), &mesh, &["growing"], 0, &mut |_| {}).unwrap();
            let (time, bound) =
                (report.placements[0].time.store_and_forward, report.placements[0].bound.store_and_forward);
            assert!(bound.small == time.small, "B({n}): small volume is the radius");
            assert!(bound.large <= time.large + 1e-12 && bound.exact <= time.exact);
            assert!(
                (bound.large - time.large).abs() < 1e-12,
                "B({n}), alpha {alpha}: {} < {}",
                bound.large,
                time.large
            );
            let gap = report.placements[0].gap.store_and_forward;
            assert_eq!(gap, Some(0.0), "B({n}), alpha {alpha}: in whole cycles");
            match (n, alpha) {
                (5, 1.0) => assert!((bound.large - 6.0).abs() < 1e-12),
                (5, 0.5) => assert!((bound.large - 1.0).abs() < 1e-12),
                (6, 0.5) => assert!((bound.large - 66.0 / 64.0).abs() < 1e-12),
                _ => {}
            }
        }
    }
}

#[test]
fn a_network_without_room_has_a_bound_too() {
    use meshwright_network::topology::Graph;
    use meshwright_network::topology::graph_file::{Arc, ArcList};
    let arcs = ArcList {
        vertices: 4,
        arcs: vec![Arc { from: 0, to: 1, weight: 1 }, Arc { from: 2, to: 3, weight: 1 }],
    };
    let machine = Machine::of("two wires", &Graph::from_arcs(&arcs).unwrap()).unwrap();
    assert_eq!(bound::radius(&machine, 3).0, 4, "no ball holds three nodes: as far as anything can be");
}
