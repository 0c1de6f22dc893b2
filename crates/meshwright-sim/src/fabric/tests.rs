//! Reads, writes and multicasts: alone they take what their formulas say, together never less than the bound.

use super::transactions::{Movement, TransactionTrace, simulate};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::Grid;
use meshwright_network::fabric::{Fabric, Leg, Plane, Processor, Resource};
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Program, Receivers, Step, Transaction};
use proptest::prelude::*;

const HOP: u64 = 9;
const OVERHEAD: u64 = 5;
const RATE: u64 = 32;

/// Four rows and five columns, one network of one-way rings, or one of two-way links on a mesh.
fn fabric(rings: bool) -> Fabric {
    let (grid, leg): (_, fn(usize) -> Leg) = match rings {
        true => (Grid::torus(&[4, 5]), Leg::up),
        false => (Grid::mesh(&[4, 5]), Leg::shorter),
    };
    let plane = Plane::new("A", vec![leg(1), leg(0)], Ratio::whole(RATE));
    let nodes: Vec<NodeId> = (0..20).map(NodeId).collect();
    let port = Some(Ratio::whole(RATE));
    let kind = Processor { overhead: Cycles(OVERHEAD), gap: Cycles(3), ..Processor::default() };
    let fabric = Fabric::new(grid.expect("a box"), vec![plane]).expect("a network");
    let fabric = fabric.with_ports(&[0], &nodes, (port, port)).expect("ports");
    fabric.with_hop(Cycles(HOP)).with_processors(vec![kind])
}

fn one(operation: Operation, peer: u32, bytes: u64) -> Step {
    Step::Issue(Transaction { operation, peer: NodeId(peer), bytes: Bytes(bytes), plane: 0, issue: None })
}

fn to_box(last: u32, acknowledged: bool) -> Operation {
    Operation::Multicast { receivers: Receivers::UpTo(NodeId(last)), acknowledged }
}

fn program(processors: Vec<(u32, Vec<Step>)>, lists: Vec<Vec<NodeId>>) -> Program {
    let own = |(node, mut steps): (u32, Vec<Step>)| {
        steps.push(Step::Barrier);
        ProcessorProgram { processor: 0, node: NodeId(node), begin: Cycles(0), steps }
    };
    Program { processors: processors.into_iter().map(own).collect(), lists }
}

fn alone(rings: bool, node: u32, step: Step) -> (f64, f64, TransactionTrace) {
    let (fabric, program) = (fabric(rings), program(vec![(node, vec![step])], vec![]));
    let trace = simulate(&fabric, &program, Movement::Flows).expect("flows");
    (trace.cycles, program.bound(&fabric), trace)
}

/// Bytes on links and out of the network.
fn carried(fabric: &Fabric, trace: &TransactionTrace) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (resource, &(bytes, _)) in (0..).zip(&trace.carried) {
        match fabric.resource(resource) {
            Resource::Link { .. } => sums[0] += bytes,
            Resource::Ejection { .. } => sums[1] += bytes,
            Resource::Injection { .. } | Resource::Shared(_) => {}
        }
    }
    sums
}

#[test]
fn a_multicast_alone_takes_what_the_farthest_write_takes() {
    // From (1,1) to rows 2 and 3, columns 2 to 4: the farthest is 3 + 2 links away, and its ring closes 5 + 4.
    let (cycles, bound, trace) = alone(true, 6, one(to_box(19, true), 12, 4096));
    let expected = (OVERHEAD + 4096 / RATE + 9 * HOP) as f64;
    assert_eq!([cycles, bound], [expected; 2]);
    // One link east for each column, in each column two down.
    assert_eq!(carried(&fabric(true), &trace), [(3 + 3 * 2) as f64 * 4096.0, 6.0 * 4096.0]);
    let [posted, bound, ..] = [alone(true, 6, one(to_box(19, false), 12, 4096))].map(|it| [it.0, it.1])[0];
    assert_eq!(
        [posted, bound],
        [expected - (4 * HOP) as f64; 2],
        "the way back of 2 + 2 links is not waited for"
    );
}

#[test]
fn a_multicast_to_one_node_is_a_write() {
    for rings in [true, false] {
        for (write, acknowledged) in [(Operation::Write, true), (Operation::PostedWrite, false)] {
            let [write, multicast] =
                [write, to_box(18, acknowledged)].map(|it| alone(rings, 1, one(it, 18, 640)));
            assert_eq!(write, multicast);
        }
    }
}

#[test]
fn a_list_is_the_box_of_the_same_nodes() {
    let list = Operation::Multicast { receivers: Receivers::List(0), acknowledged: true };
    let nodes = [12, 13, 14, 17, 18, 19].map(NodeId).to_vec();
    let program = program(vec![(6, vec![one(list, 12, 4096)])], vec![nodes]);
    let trace = simulate(&fabric(true), &program, Movement::Flows).expect("flows");
    assert_eq!(trace, alone(true, 6, one(to_box(19, true), 12, 4096)).2);
}

#[test]
fn routers_refuse_to_copy_flits() {
    let fabric = fabric(true).with_routers(Default::default()).expect("routers");
    let program = program(vec![(0, vec![one(to_box(3, true), 1, 64)])], vec![]);
    let refused = simulate(&fabric, &program, Movement::Flits).expect_err("no copies").to_string();
    assert!(refused.contains("message engine"), "{refused}");
}

/// Whole flits with their header, on every link, whatever moves them.
#[test]
fn both_engines_count_header_flits() {
    let fabric = fabric(false).with_routers(Default::default()).expect("routers");
    // 33 bytes are two flits of 32 and a header; from (0,0) to (1,1) they cross two links.
    for (operation, target, crossed) in [(Operation::Write, 6, 2.0), (Operation::Read, 6, 2.0)] {
        let program = program(vec![(0, vec![one(operation, target, 33)])], vec![]);
        for movement in [Movement::Flows, Movement::Flits] {
            let trace = simulate(&fabric, &program, movement).expect("both move it");
            assert_eq!(carried(&fabric, &trace), [crossed * 96.0, 96.0], "{operation:?} by {movement:?}");
        }
    }
}

/// Any transaction on 20 nodes.
fn any_step() -> impl Strategy<Value = Step> {
    let operation = prop_oneof![
        Just(Operation::Read),
        Just(Operation::Write),
        Just(Operation::PostedWrite),
        (0u32..20, any::<bool>()).prop_map(|(last, acknowledged)| to_box(last, acknowledged)),
        any::<bool>().prop_map(|acknowledged| {
            Operation::Multicast { receivers: Receivers::List(0), acknowledged }
        }),
    ];
    (operation, 0u32..20, 1u64..5000).prop_map(|(operation, peer, bytes)| match operation {
        Operation::Multicast { receivers: Receivers::List(_), .. } => one(operation, 3, bytes),
        _ => one(operation, peer, bytes),
    })
}

proptest! {
    #[test]
    fn no_run_is_faster_than_its_bound(
        rings in any::<bool>(),
        processors in prop::collection::vec((0u32..20, prop::collection::vec(any_step(), 1..6)), 1..6),
    ) {
        let (fabric, program) = (fabric(rings), program(processors, vec![[3, 8, 16].map(NodeId).to_vec()]));
        let trace = simulate(&fabric, &program, Movement::Flows).expect("flows");
        prop_assert!(program.bound(&fabric) <= trace.cycles + 1e-6);
        let into = |own: &ProcessorProgram| -> f64 {
            let bytes = |one: &Transaction| {
                program.receivers(fabric.grid(), own.node, one).count() as f64 * one.bytes.0 as f64
            };
            own.transactions().map(bytes).sum()
        };
        let received: f64 = program.processors.iter().map(into).sum();
        prop_assert_eq!(carried(&fabric, &trace)[1], received);
    }
}
