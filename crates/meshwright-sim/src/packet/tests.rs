//! Tests from inside: nothing is lost, and rings of packets that wait for each other are found.

use rand::RngExt;

use super::engine::{Packets, Steps};
use super::wires::Wires;
use crate::phased::Barriers;
use crate::simulate::Task;
use meshwright_core::rng;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases};

fn machine(name: &str, buffers: u32) -> Machine {
    let mut machine = Machine::new(name).unwrap().in_packets();
    machine = machine.with_buffers(buffers);
    machine
}

/// Every node of a ring sends to the node so many links on.
fn round(machine: &Machine, links: u32, bytes: u64) -> Phases {
    let nodes = machine.nodes();
    let message = |node| Message {
        source: NodeId(node),
        target: NodeId((node + links) % nodes),
        bytes: Bytes(bytes),
        phase: 1,
    };
    Phases::new(nodes, (0..nodes).map(message).collect())
}

#[test]
fn a_ring_of_packets_is_named() {
    for (buffers, bytes) in [(1, 8), (2, 40)] {
        let ring = machine("torus:7", buffers);
        let phases = round(&ring, 3, bytes);
        let mut one_class = Packets::new(&ring, "dimension-order-one-class").unwrap();
        let stuck = Barriers { machine: &ring, phases: &phases, routes: None }.on(&mut one_class).unwrap();
        let links = stuck.deadlock.expect("every queue is full and wants the next");
        assert_eq!(links.len(), 7);
        assert!(!one_class.renew(), "packets stand in its queues");
        for (link, next) in links.iter().zip(links.iter().cycle().skip(1)) {
            assert_eq!(ring.target(*link), Some(ring.source(*next)), "each link leads to the next");
        }
        let mut two_classes = Packets::new(&ring, routing::usual(&ring)).unwrap();
        assert_eq!(
            Barriers { machine: &ring, phases: &phases, routes: None }.on(&mut two_classes).unwrap().deadlock,
            None
        );
    }
}

/// What crossed links are the packets times the links of their ways, and nothing is left.
#[test]
fn nothing_is_lost() {
    for (seed, name) in (0..).zip(["mesh:5x4", "torus:4x5", "mesh:3x2x4", "hypercube:4", "ccc:3"]) {
        let machine = machine(name, 1 + seed as u32);
        let mut rng = rng::stream(seed, "messages");
        let mut draw = || NodeId(rng.random_range(0..machine.nodes()));
        let mut messages: Vec<Message> = (0..200)
            .map(|i| Message { source: draw(), target: draw(), bytes: Bytes(i % 41), phase: 1 })
            .collect();
        messages.sort_by_key(|message| message.source);
        let mut engine = Packets::new(&machine, routing::usual(&machine)).unwrap();
        let mut expected = 0;
        for message in &messages {
            let hops = engine.routers.hops(message.source.0, message.target.0);
            expected += u64::from(hops) * message.bytes.0.div_ceil(8).max(1);
        }
        let phases = Phases::new(machine.nodes(), messages);
        Barriers { machine: &machine, phases: &phases, routes: None }.on(&mut engine).unwrap();
        assert_eq!(engine.routers.crossings(), expected, "{name}");
        engine.routers.assert_empty();
    }
}

/// Whose turn it is at a link is forgotten, and so is the hour.
#[test]
fn an_engine_runs_again_as_if_it_were_new() {
    for name in ["mesh:4x4", "torus:5x3"] {
        let machine = machine(name, 1);
        let mut rng = rng::stream(4, "messages");
        let mut draw = || NodeId(rng.random_range(0..machine.nodes()));
        let messages =
            (0..300).map(|_| Message { source: draw(), target: draw(), bytes: Bytes(8), phase: 1 });
        let phases = Phases::new(machine.nodes(), messages.collect());
        let mut engine = Packets::new(&machine, routing::usual(&machine)).unwrap();
        let mut run = || {
            let trace =
                Barriers { machine: &machine, phases: &phases, routes: None }.on(&mut engine).unwrap();
            assert!(engine.renew());
            trace
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn both_ways_of_a_plane_at_once_are_the_ways_of_the_relation() {
    for (name, routing) in [("mesh:16x16", "xy"), ("mesh:4x8", "xy"), ("mesh:8x2", "yx"), ("mesh:2x4", "yx")]
    {
        let machine = Machine::new(name).unwrap();
        let mut wires = Wires::new(&machine, routing).unwrap();
        assert!(wires.is_plane(), "{name}");
        for (at, to) in (0..machine.nodes()).flat_map(|at| (0..machine.nodes()).map(move |to| (at, to))) {
            assert_eq!(wires.hops(at, to), machine.distance(NodeId(at), NodeId(to)).unwrap().0, "{name}");
            if at != to {
                assert_eq!(wires.route(at, None, to), wires.look_up(at, None, to), "{name} {at} {to}");
            }
        }
    }
}
