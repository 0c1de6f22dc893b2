//! Machines as they are: random networks, ports and transactions, on flows and on flits.

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::Grid;
use meshwright_network::fabric::{Fabric, Leg, Plane, Processor, Routers, Shared, Turn, Ways};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Program, Step, Transaction};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::fabric::transactions::{Movement, simulate};
use meshwright_sim::{Engine, simulate as run};
use proptest::prelude::*;

/// Two networks on a box of 3 by 4: one way on a torus, both ways on a mesh.
fn fabric(wraps: bool, hop: u64) -> Fabric {
    let sides = [3, 4];
    let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) }.unwrap();
    let leg = |axis, turn| if wraps { Leg { axis, turn } } else { Leg::shorter(axis) };
    let planes = vec![
        Plane::new("A", vec![leg(1, Turn::Up), leg(0, Turn::Up)], Ratio::whole(32)),
        Plane::new("B", vec![leg(0, Turn::Down), leg(1, Turn::Down)], Ratio::whole(16)),
    ];
    let processor = Processor {
        name: "cpu".into(),
        overhead: Cycles(5),
        gap: Cycles(7),
        tail: Cycles(9),
        ..Processor::default()
    };
    Fabric::new(grid, planes).unwrap().with_hop(Cycles(hop)).with_processors(vec![processor])
}

fn routers(channels: u32, requests: u32) -> Routers {
    Routers { flit: Bytes(32), header: 1, channels, buffers: 14, requests }
}

fn one(operation: Operation, plane: usize, (node, peer): (u32, u32), bytes: u64) -> Program {
    let transaction = Transaction { operation, peer: NodeId(peer), bytes: Bytes(bytes), plane, issue: None };
    let steps = vec![Step::Issue(transaction), Step::Barrier];
    Program {
        processors: vec![ProcessorProgram { processor: 0, node: NodeId(node), begin: Cycles(0), steps }],
        ..Program::default()
    }
}

#[test]
fn a_read_alone_takes_what_the_formula_says() {
    // Node 0 reads 320 bytes of node 5, one row down and one column right: on A the request goes 2 links and the data
    // 3 + 2 round the rings; port of 16 bytes a cycle at node 5; its memory takes 40 cycles.
    let slow = (Some(Ratio::whole(16)), None);
    let fabric = fabric(true, 4)
        .with_ports(&[0], &[NodeId(5)], slow)
        .unwrap()
        .with_memory(&[NodeId(5)], Cycles(40))
        .unwrap();
    let program = one(Operation::Read, 0, (0, 5), 320);
    let expected = 5.0 + 4.0 * 2.0 + 40.0 + 4.0 * 5.0 + 320.0 / 16.0 + 9.0;
    let trace = simulate(&fabric, &program, Movement::Flows).unwrap();
    assert_eq!((trace.cycles, program.bound(&fabric)), (expected, expected));
    assert_eq!(trace.finishes, [[expected]]);
    // Flits: a header more, and a cycle or two at the ports.
    let flits = fabric.with_routers(routers(2, 0)).unwrap();
    let took = simulate(&flits, &program, Movement::Flits).unwrap().cycles;
    assert!((expected..=expected + 5.0).contains(&took), "{took} against {expected}");
}

#[test]
fn messages_that_share_a_port_share_its_rate() {
    let ports = (None, Some(Ratio::whole(10)));
    let machine = |most| {
        let fabric = fabric(false, 0).with_ports(&[0, 1], &[NodeId(5)], ports).unwrap();
        let all: Vec<NodeId> = (0..12).map(NodeId).collect();
        Machine::new("mesh:3x4").unwrap().with_fabric(fabric.with_in_service(&all, most).unwrap()).unwrap()
    };
    let send =
        |source, bytes| Message { source: NodeId(source), target: NodeId(5), bytes: Bytes(bytes), phase: 1 };
    let phases = Phases::new(12, vec![send(4, 100), send(6, 300), send(4, 100)]);
    // 500 bytes at 10 a cycle, whoever comes first; o = 5 before, no way and no tail behind.
    for most in [0, 1] {
        assert_eq!(run(&machine(most), &phases, &Engine::Message).unwrap().cycles.0, 5 + 50);
    }
}

#[test]
fn what_several_ports_share_is_not_exceeded() {
    let controller = |ways| Shared {
        name: "controller".into(),
        nodes: vec![NodeId(0), NodeId(2)],
        ways,
        rate: Ratio::whole(8),
    };
    let program = |peer| one(Operation::Read, 0, (5, peer), 800);
    let both = Program {
        processors: [program(0), program(2)].into_iter().flat_map(|one| one.processors).collect(),
        ..Program::default()
    };
    for (ways, rate) in [(Ways::Out, 8.0), (Ways::Both, 8.0), (Ways::In, 32.0)] {
        let fabric = fabric(true, 0).with_shared(controller(ways)).unwrap();
        let took = simulate(&fabric, &both, Movement::Flows).unwrap().cycles;
        let least = 5.0 + 1600.0 / rate + 9.0;
        assert!(took >= least && took <= least + 1600.0 / 32.0, "{took}, at least {least}");
        assert!(both.bound(&fabric) <= took);
        let flits = fabric.with_routers(routers(2, 2)).unwrap();
        let took = simulate(&flits, &both, Movement::Flits).unwrap().cycles;
        assert!(took >= least && both.bound(&flits) <= took, "{took}, at least {least}");
    }
}

/// Peer, network, bytes, whether it reads, and whether a barrier follows (0).
type StepOf = (u32, usize, u64, bool, u32);

/// Programs of a few processors.
fn programs() -> impl Strategy<Value = Program> {
    let step = (0u32..12, 0usize..2, 1u64..3000, any::<bool>(), 0u32..5);
    let steps = prop::collection::vec(step, 1..10);
    prop::collection::vec((0u32..12, 0u64..200, steps), 1..7).prop_map(|all| {
        let processor = |(node, begin, steps): (u32, u64, Vec<StepOf>)| {
            let mut own = ProcessorProgram {
                processor: 0,
                node: NodeId(node),
                begin: Cycles(begin),
                steps: Vec::new(),
            };
            for (peer, plane, bytes, reads, barrier) in steps {
                let operation = if reads { Operation::Read } else { Operation::Write };
                let transaction =
                    Transaction { operation, peer: NodeId(peer), bytes: Bytes(bytes), plane, issue: None };
                own.steps.push(Step::Issue(transaction));
                own.steps.extend((barrier == 0).then_some(Step::Barrier));
            }
            own.steps.push(Step::Barrier);
            own
        };
        Program { processors: all.into_iter().map(processor).collect(), ..Program::default() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// No engine beats the bound, every barrier ends, every byte is carried, and the same run is the same.
    #[test]
    fn no_run_is_faster_than_its_bound(
        program in programs(),
        (wraps, hop) in (any::<bool>(), 0u64..12),
        (channels, requests) in (1u32..4, 0u32..4),
        (port, controller, most) in (1u64..40, 1u64..60, 0u32..4),
    ) {
        let all: Vec<NodeId> = (0..12).map(NodeId).collect();
        let rates = (Some(Ratio::whole(port.min(32))), Some(Ratio::whole(24)));
        let shared = Shared { name: "c".into(), nodes: all[..5].to_vec(), ways: Ways::Both, rate: Ratio::whole(controller) };
        let fabric = fabric(wraps, hop).with_ports(&[0, 1], &all, rates).unwrap();
        let fabric = fabric.with_shared(shared).unwrap().with_in_service(&all, most).unwrap();
        let described = fabric.clone().with_routers(routers(channels, requests)).unwrap();
        let barriers = |own: &ProcessorProgram| own.steps.iter().filter(|step| **step == Step::Barrier).count();
        for (fabric, movement) in [(&fabric, Movement::Flows), (&described, Movement::Flows), (&described, Movement::Flits)] {
            let trace = simulate(fabric, &program, movement).unwrap();
            let bound = program.bound(fabric);
            prop_assert!(trace.cycles >= bound - 1e-6, "{movement:?}: {} below {bound}", trace.cycles);
            let ended: Vec<usize> = trace.finishes.iter().map(Vec::len).collect();
            prop_assert_eq!(ended, program.processors.iter().map(barriers).collect::<Vec<_>>());
            let transactions = program.processors.iter().flat_map(ProcessorProgram::transactions).count() as u64;
            let ports = (0..24).map(|port| fabric.number(&meshwright_network::fabric::Resource::Ejection {
                plane: port / 12,
                node: NodeId((port % 12) as u32),
            }));
            let received: u64 = ports.map(|resource| trace.carried[resource as usize].1).sum();
            prop_assert_eq!(received, transactions);
            prop_assert_eq!(&simulate(fabric, &program, movement).unwrap(), &trace);
        }
    }

    /// Costs of a machine with a fabric are the best that any message on it has: no message alone is faster.
    #[test]
    fn no_message_is_faster_than_the_costs_of_its_machine(
        (source, target, bytes) in (0u32..12, 0u32..12, 1u64..5000),
        (wraps, hop) in (any::<bool>(), 0u64..12),
    ) {
        let fabric = fabric(wraps, hop);
        let machine = Machine::new(if wraps { "torus:3x4" } else { "mesh:3x4" }).unwrap().with_fabric(fabric).unwrap();
        let message = Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(bytes), phase: 1 };
        let ticks = run(&machine, &Phases::new(12, vec![message]), &Engine::Message).unwrap().ticks;
        let hops = machine.distance(NodeId(source), NodeId(target)).unwrap();
        let least = machine.costs().alone_ticks(machine.switching(), Bytes(bytes), hops);
        prop_assert!(source == target || ticks >= least, "{ticks} below {least}");
    }
}
