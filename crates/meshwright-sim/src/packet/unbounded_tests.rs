//! Queues without bound: beside the rules once more on plain lists, and the theorem on permutations.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::engine::Packets;
use super::routing::{Leg, PacketRouting, Plane};
use crate::phased::Barriers;
use crate::simulate::Task;
use meshwright_core::rng;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases};

const ALL: [PacketRouting; 3] = [
    PacketRouting::DimensionOrder,
    PacketRouting::ThreePhase { seed: 3 },
    PacketRouting::LocalThreePhase { seed: 3 },
];

/// A packet of the plain model: where it stands, the nodes it is still to visit, and when it came.
struct Plain {
    at: u32,
    ways: Vec<(Vec<u32>, bool)>,
    came: usize,
}

/// The nodes of every leg of a way, and whether it goes before others.
fn ways(plane: &mut Plane, source: u32, target: u32) -> Vec<(Vec<u32>, bool)> {
    let (mut at, mut leg, mut ways) = (source, plane.first_leg(source, target), Vec::new());
    while let Some((port, links, here)) = plane.go_on(at, target, leg) {
        let mut nodes = Vec::new();
        for _ in 0..links {
            at = plane.behind(at, port);
            nodes.push(at);
        }
        ways.push((nodes, matches!(here, Leg::ToRow(_))));
        leg = here;
    }
    assert_eq!(at, target);
    ways.reverse();
    ways.iter_mut().for_each(|(nodes, _)| nodes.reverse());
    ways
}

/// Steps, crossings and the longest queue of one packet for each message, by the rules on plain lists.
fn plain(machine: &Machine, routing: PacketRouting, messages: &[Message]) -> (u64, u64, usize) {
    let mut plane = Plane::new(machine, routing).unwrap();
    let others = messages.iter().filter(|message| message.source != message.target);
    let mut packets: Vec<Plain> = others
        .enumerate()
        .map(|(came, message)| Plain {
            at: message.source.0,
            ways: ways(&mut plane, message.source.0, message.target.0),
            came,
        })
        .collect();
    let (mut steps, mut crossings, mut longest, mut arrivals) = (0, 0, 0, packets.len());
    while !packets.is_empty() {
        let link = |packet: &Plain| (packet.at, *packet.ways.last().unwrap().0.last().unwrap());
        let rank = |packet: &Plain| {
            let (nodes, is_first) = packet.ways.last().unwrap();
            (std::cmp::Reverse((*is_first, nodes.len())), packet.came)
        };
        // By port: the order in which links are looked at decides who comes first among equals.
        let port = |(from, to): (u32, u32)| {
            let columns = machine.sides()[1];
            [from + 1, from.wrapping_sub(1), from + columns].iter().position(|&next| next == to).unwrap_or(3)
        };
        packets.sort_by_key(|packet| {
            let link = link(packet);
            (link.0, port(link), rank(packet))
        });
        for queue in packets.chunk_by_mut(|a, b| link(a) == link(b)) {
            longest = longest.max(queue.len());
            let first = &mut queue[0];
            let nodes = &mut first.ways.last_mut().unwrap().0;
            first.at = nodes.pop().unwrap();
            if nodes.is_empty() {
                first.ways.pop();
            }
            first.came = arrivals;
            arrivals += 1;
            crossings += 1;
        }
        packets.retain(|packet| !packet.ways.is_empty());
        steps += 1;
    }
    (steps, crossings, longest)
}

fn run(machine: &Machine, routing: PacketRouting, messages: Vec<Message>) -> (u64, u64, usize) {
    let mut engine = Packets::unbounded(machine, routing).unwrap();
    let phases = Phases::new(machine.nodes(), messages);
    let trace = Barriers { machine, phases: &phases, routes: None }.on(&mut engine).unwrap();
    let longest = crate::engine::Referee::longest_queue(&engine).map_or(0, |(_, most)| most as usize);
    assert_eq!(crate::engine::Referee::busiest(&engine).is_some(), longest > 0);
    let startup = machine.costs().startup_ticks();
    let steps = trace.ticks.saturating_sub(startup) / machine.costs().head_ticks();
    (steps, engine.routers.crossings(), longest)
}

fn one(source: u32, target: u32) -> Message {
    Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(1), phase: 1 }
}

fn drawn(nodes: u32, count: usize, draws: &mut impl Rng) -> Vec<Message> {
    let mut messages: Vec<Message> =
        (0..count).map(|_| one(draws.random_range(0..nodes), draws.random_range(0..nodes))).collect();
    messages.sort_by_key(|message| message.source);
    messages
}

#[test]
fn queues_are_those_of_plain_lists() {
    let mut draws = rng::stream(1, "unbounded");
    for (name, count) in [("mesh:1x7", 30), ("mesh:5x4", 60), ("mesh:8x8", 300), ("mesh:3x9", 9)] {
        let machine = Machine::new(name).unwrap().in_packets();
        for routing in ALL {
            let messages = drawn(machine.nodes(), count, &mut draws);
            assert_eq!(
                run(&machine, routing, messages.clone()),
                plain(&machine, routing, &messages),
                "{name} {routing:?}"
            );
        }
    }
}

/// Leighton: in dimension order, the farthest first, no permutation takes more than 2 n - 2 steps.
#[test]
fn dimension_order_needs_no_more_than_2_n_minus_2_steps() {
    for side in [4u32, 8, 16] {
        let machine = Machine::mesh([side, side]).unwrap().in_packets();
        let mut targets: Vec<u32> = (0..side * side).collect();
        let transposed: Vec<u32> = targets.iter().map(|node| node % side * side + node / side).collect();
        let mut all = vec![transposed];
        for seed in 0..4 {
            targets.shuffle(&mut rng::stream(seed, "permutation"));
            all.push(targets.clone());
        }
        for targets in all {
            let messages = || (0..).zip(&targets).map(|(source, &target)| one(source, target)).collect();
            let (steps, _, longest) = run(&machine, PacketRouting::DimensionOrder, messages());
            assert!(steps <= u64::from(2 * side - 2), "side {side}: {steps} steps");
            assert!(longest <= side as usize);
            for routing in &ALL[1..] {
                assert!(run(&machine, *routing, messages()).0 >= steps.min(u64::from(side)));
            }
        }
    }
}

#[test]
fn ways_are_as_long_as_is_said_and_follow_the_seed() {
    let machine = Machine::new("mesh:16x9").unwrap();
    let lengths = |routing: PacketRouting| {
        let mut plane = Plane::new(&machine, routing).unwrap();
        let mut all = Vec::new();
        for (source, target) in (0..144).flat_map(|source| (0..144).map(move |target| (source, target))) {
            let links: usize = ways(&mut plane, source, target).iter().map(|(nodes, _)| nodes.len()).sum();
            let distance = machine.distance(NodeId(source), NodeId(target)).unwrap().0 as usize;
            assert!((distance..=plane.hops(source, target) as usize).contains(&links));
            if matches!(routing, PacketRouting::LocalThreePhase { .. }) {
                assert!(links <= 3 * distance, "a short way stays short");
            }
            all.push(links);
        }
        all
    };
    for routing in ALL {
        assert_eq!(lengths(routing), lengths(routing));
        let is_random = routing != PacketRouting::DimensionOrder;
        assert_eq!(lengths(routing) != lengths(routing.seeded(4)), is_random);
    }
}

#[test]
fn long_messages_are_as_many_packets_and_what_has_no_plane_is_refused() {
    let line = Machine::new("mesh:1x5").unwrap().in_packets();
    let long = Message { bytes: Bytes(8 * 10), ..one(0, 4) };
    // Ten packets one behind the other over four links.
    assert_eq!(run(&line, PacketRouting::DimensionOrder, vec![long]), (10 + 4 - 1, 40, 1));
    for name in ["torus:4x4", "mesh:2x2x2", "hypercube:3"] {
        let error = Packets::unbounded(&Machine::new(name).unwrap(), ALL[0]).unwrap_err().to_string();
        assert!(error.contains("2-D mesh"), "{error}");
    }
}
