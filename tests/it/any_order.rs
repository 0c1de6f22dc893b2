//! Adversaries: what they promise of the order of messages, and a protocol that must not mind.

use meshwright_core::Error;
use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Operation, Script, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_network::topology::Machine;
use meshwright_schedule::process::{Context, Process};
use meshwright_sim::any_order::{Adversary, Order, run_processes};
use rand::RngExt;

/// Sends numbered messages to everybody and computes, all at the start; notes what it hears and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Crier {
    nodes: u32,
    each: u32,
    heard: Vec<(NodeId, u32, u64)>,
    sent: Vec<u32>,
    computed: Vec<u32>,
}

impl Process for Crier {
    type Payload = u32;

    fn on_start(&mut self, context: &mut Context<'_, u32>) {
        for number in 0..self.each {
            (0..self.nodes).for_each(|to| context.send_with(NodeId(to), Bytes(8), number, number));
            context.compute(Cycles(1), number);
        }
        context.finish();
    }

    fn on_message(&mut self, from: NodeId, number: u32, context: &mut Context<'_, u32>) {
        self.heard.push((from, number, context.now().0));
    }

    fn on_sent(&mut self, token: u32, _: &mut Context<'_, u32>) {
        self.sent.push(token);
    }

    fn on_computed(&mut self, token: u32, _: &mut Context<'_, u32>) {
        self.computed.push(token);
    }
}

const NODES: u32 = 5;
const EACH: u32 = 7;

fn cry(order: Order, in_channels: bool, seed: u64) -> Vec<Crier> {
    let mut criers = vec![Crier { nodes: NODES, each: EACH, ..Crier::default() }; NODES as usize];
    let trace = run_processes(&mut criers, Adversary { order, in_channels, seed }).unwrap();
    assert_eq!(trace.messages, u64::from(NODES * NODES * EACH));
    assert_eq!(trace.ticks, trace.messages + u64::from(NODES * EACH), "an event each");
    assert!(trace.unfinished.is_empty());
    criers
}

const ORDERS: [Order; 5] = [
    Order::OldestFirst,
    Order::NewestFirst,
    Order::Random,
    Order::StarveNode(NodeId(2)),
    Order::StarvePair(NodeId(1), NodeId(3)),
];

#[test]
fn everything_arrives_once_and_computations_keep_their_order() {
    for order in ORDERS {
        for in_channels in [false, true] {
            for crier in cry(order, in_channels, 4) {
                let mut heard: Vec<_> =
                    crier.heard.iter().map(|&(from, number, _)| (from.0, number)).collect();
                let in_order = |from| heard.iter().filter(|h| h.0 == from).is_sorted();
                assert!(!in_channels || (0..NODES).all(in_order), "{order:?}");
                heard.sort_unstable();
                let all = (0..NODES).flat_map(|from| (0..EACH).map(move |number| (from, number)));
                assert_eq!(heard, all.collect::<Vec<_>>(), "{order:?}");
                assert_eq!(crier.sent.len() as u32, NODES * EACH);
                assert_eq!(crier.computed, (0..EACH).collect::<Vec<_>>(), "{order:?}");
            }
            assert_eq!(cry(order, in_channels, 4), cry(order, in_channels, 4), "the same seed");
        }
    }
}

#[test]
fn orders_are_what_they_are_called() {
    let numbers = |criers: &[Crier], node: usize| -> Vec<u32> {
        criers[node].heard.iter().filter(|h| h.0 == NodeId(0)).map(|h| h.1).collect()
    };
    assert!(numbers(&cry(Order::OldestFirst, false, 0), 1).is_sorted());
    assert!(numbers(&cry(Order::NewestFirst, false, 0), 1).is_sorted_by(|a, b| a > b));
    assert!(!numbers(&cry(Order::Random, false, 0), 1).is_sorted());
    assert_ne!(cry(Order::Random, false, 0), cry(Order::Random, false, 1), "another seed");

    let times = |criers: &[Crier], starved: &dyn Fn(NodeId, NodeId) -> bool| {
        let (mut last_willing, mut first_starved) = (0, u64::MAX);
        for (to, crier) in (0..).map(NodeId).zip(criers) {
            for &(from, _, now) in &crier.heard {
                if starved(from, to) {
                    first_starved = first_starved.min(now);
                } else {
                    last_willing = last_willing.max(now);
                }
            }
        }
        (last_willing, first_starved)
    };
    let node = |from, to| from == NodeId(2) || to == NodeId(2);
    let pair = |from: NodeId, to: NodeId| (from.0.min(to.0), from.0.max(to.0)) == (1, 3);
    for in_channels in [false, true] {
        let (last, first) = times(&cry(Order::StarveNode(NodeId(2)), in_channels, 0), &node);
        assert!(last < first);
        let (last, first) = times(&cry(Order::StarvePair(NodeId(1), NodeId(3)), in_channels, 0), &pair);
        assert!(last < first);
    }
}

/// Random nested splits: in every order no member leaves a barrier before all of its group have come to it.
#[test]
fn no_order_breaks_a_barrier() {
    let mesh = Machine::new("mesh:4x5").unwrap();
    let group = Group::whole(&mesh, "snake").unwrap();
    let paper = RankSplit::default();
    let mut rng = rng::stream(3, "labels");
    for seed in 0..40 {
        let mut script = || {
            let mut split = || Operation::Split(Label { colour: rng.random_range(0..2), key: 0 });
            let down = [split(), Operation::Barrier, split(), Operation::Barrier];
            Script::new([&down[..], &[Operation::Join, Operation::Barrier, Operation::Join]].concat())
        };
        let scripts: Vec<Script> = (0..group.size()).map(|_| script()).collect();
        let mut all = members(&paper, &mesh, &group, scripts).unwrap();
        let adversary = Adversary { order: ORDERS[seed as usize % 5], in_channels: seed % 2 == 0, seed };
        let trace = run_processes(&mut all, adversary).unwrap();
        assert!(trace.unfinished.is_empty(), "{adversary:?}");
        let entries: Vec<_> = all.iter().flat_map(|member| member.log().iter().copied()).collect();
        let barriers: Vec<_> = entries.iter().filter(|entry| entry.operation == Operation::Barrier).collect();
        assert_eq!(barriers.len(), 20 * 3);
        for member in &all {
            for (at, entry) in
                member.log().iter().enumerate().filter(|(_, e)| e.operation == Operation::Barrier)
            {
                // The same barrier of the same group has the same place in every log.
                let others = all.iter().filter_map(|other| other.log().get(at));
                let late = others.filter(|other| other.group == entry.group).map(|other| other.begin).max();
                assert!(late.unwrap() <= entry.end, "{adversary:?}");
            }
        }
    }
}

#[test]
fn a_message_to_nobody_is_an_error() {
    let mut criers = vec![Crier { nodes: 3, each: 1, ..Crier::default() }; 2];
    let adversary = Adversary { order: Order::Random, in_channels: true, seed: 0 };
    assert!(matches!(run_processes(&mut criers, adversary), Err(Error::Value { .. })));
}
