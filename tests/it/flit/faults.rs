//! Dead nodes and links in the middle of a machine, on the flit engine.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::flit::{Router, run_traffic};
use meshwright_sim::simulate;
use meshwright_sim::traffic::{OpenLoop, Pattern};

use super::routers;

/// Boxes with holes that leave all living nodes connected.
fn broken() -> Vec<Machine> {
    let machine = |name: &str, dead: &[u32], cut: &[(u32, u32)]| {
        let machine = Machine::new(name).unwrap();
        let machine = machine.with_dead(dead.iter().map(|&node| NodeId(node)).collect()).unwrap();
        machine.with_dead_links(cut.iter().map(|&(a, b)| (NodeId(a), NodeId(b))).collect()).unwrap()
    };
    vec![
        machine("mesh:5x5", &[12, 8], &[]),
        machine("mesh:5x5", &[], &[(11, 12), (12, 17), (7, 12)]),
        machine("torus:5x5", &[12, 8, 0], &[(22, 2)]),
        machine("mesh:3x3x3", &[13], &[(0, 1), (25, 26)]),
        machine("hypercube:4", &[5, 10], &[(0, 1)]),
    ]
}

/// Every living node sends to every other at once; two thousand crossing messages must get through.
#[test]
fn all_pairs_get_through_around_the_holes() {
    for machine in broken() {
        let living = || (0..machine.nodes()).map(NodeId).filter(|&node| machine.is_alive(node));
        let pairs = living().flat_map(|a| living().map(move |b| (a, b))).filter(|(a, b)| a != b);
        let message = |(source, target)| Message { source, target, bytes: Bytes(16), phase: 1 };
        let phases = Phases::new(machine.nodes(), pairs.map(message).collect());
        for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
            let machine = machine.clone().with_switching(switching);
            let trace = simulate(&machine, &phases, &routers(&machine)).unwrap();
            assert_eq!(trace.deadlock, None, "{} {switching:?}", machine.name());
            // Fewer than one flit a link and cycle, and the longest way alone.
            assert!(trace.ticks > 100, "{} {switching:?}", machine.name());
        }
    }
}

#[test]
fn open_traffic_goes_around_the_holes() {
    for machine in broken() {
        let mut router = Router::ideal(&machine);
        router.virtual_channels = 2;
        let pattern = Pattern::new("uniform", &machine).unwrap();
        let open =
            OpenLoop { pattern, load: 0.05, packet: 2, warm_up: 100, measure: 2000, drain: 2000, seed: 3 };
        let measured = run_traffic(&machine, &router, &open, 1).unwrap();
        let carried = measured.accepted >= 0.95 * measured.offered;
        assert_eq!(
            (measured.undelivered, measured.deadlock.as_ref(), carried),
            (0, None, true),
            "{}",
            machine.name()
        );
        // Around the holes no way is shorter than the distance, and at this load nobody is sent twice.
        let living = || (0..machine.nodes()).map(NodeId).filter(|&node| machine.is_alive(node));
        let distance = |a, b| f64::from(machine.distance(a, b).expect("connected").0);
        let all: Vec<f64> = living()
            .flat_map(|a| living().map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| distance(a, b))
            .collect();
        let shortest = all.iter().sum::<f64>() / all.len() as f64;
        let mean = measured.latencies.hops_mean();
        assert!(mean > 0.95 * shortest && mean < 1.5 * shortest, "{}: {mean} {shortest}", machine.name());
    }
}

#[test]
fn nodes_apart_are_one_error_that_names_them() {
    let apart = Machine::new("mesh:4x4").unwrap().with_dead(vec![NodeId(1), NodeId(4)]).unwrap();
    let message = Message { source: NodeId(0), target: NodeId(15), bytes: Bytes(8), phase: 1 };
    let error = simulate(&apart, &Phases::new(16, vec![message]), &routers(&apart)).unwrap_err().to_string();
    assert!(error.contains("there is no path from node (0,0) to node"), "{error}");
}
