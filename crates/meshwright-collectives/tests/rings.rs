//! Rings, buckets, exchanges and scans: closed forms against simulation, and the figures that were measured elsewhere.

use meshwright_collectives::flow::{ALL, Block, Flow};
use meshwright_collectives::product::product;
use meshwright_collectives::{Algorithm, Operation, Task, algorithm, line};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_sim::{Engine, simulate};

const MB: u64 = 1 << 20;

fn named(name: &str) -> &'static Algorithm {
    algorithm::all().find(|algorithm| algorithm.name == name).unwrap()
}

/// A machine with start-up in cycles, bytes per cycle, and bytes of a flit.
fn machine(name: &str, startup: u64, bytes: u64, flit: u64) -> Machine {
    let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
    let machine = machine.with_startup(Cycles(startup)).unwrap();
    machine.with_byte_time(Ratio::new(1, bytes).unwrap()).unwrap().with_flit(Bytes(flit)).unwrap()
}

/// Costs as on a chip: c = 40, h = 1, b = 1/32.
fn chip(name: &str) -> Machine {
    machine(name, 40, 32, 32)
}

fn cycles(machine: &Machine, name: &str, operation: Operation, bytes: u64) -> u64 {
    let task = Task::new(machine, operation, bytes, 0).unwrap();
    let flow = named(name).of(&task).unwrap();
    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
    assert_eq!(schedule.verify(), Ok(()));
    let trace = simulate(machine, &schedule, &Engine::Message).unwrap();
    assert_eq!(trace.deadlock, None);
    trace.cycles.0
}

/// All-reduce on boxes of 8 x 8 where nobody waits for a link: steps times (c + h), and the bytes of each step.
#[test]
fn simulated_times_are_the_closed_forms() {
    // V / 8 cycles are the bytes of 4 parts of the 32 bytes of a cycle; 41 are c + h.
    let bucket = |way: u64, v: u64| 14 * (2 * 41 + v / (32 * way) / 8 + v / (32 * way) / 64);
    for v in [64 * 1024, MB, 16 * MB] {
        let part = v / 64 / 32;
        for name in ["torus:8x8", "mesh:8x8"] {
            let of = |algorithm| cycles(&chip(name), algorithm, Operation::AllReduce, v);
            assert_eq!(of("hamiltonian-ring"), 126 * (41 + part), "{name}");
            assert_eq!(of("two-way-hamiltonian-ring"), 126 * (41 + part / 2), "{name}");
            assert_eq!(of("snake-line"), 126 * (41 + part), "{name}");
        }
        let of = |algorithm| cycles(&chip("torus:8x8"), algorithm, Operation::AllReduce, v);
        assert_eq!(of("disjoint-hamiltonian-rings"), 126 * (41 + part / 4));
        assert_eq!(of("bucket"), bucket(1, v));
        assert_eq!(of("all-port-bucket"), bucket(4, v));
        // In each of 2 x 2 rings, 3 steps of a whole and one of a half.
        let whole = v / 2 / 32;
        assert_eq!(of("two-way-bucket"), 16 * 41 + 7 * (whole / 8 + whole / 64));
        // In each of 2 x 2 lines 7 steps.
        let line = cycles(&chip("mesh:8x8"), "two-way-bucket", Operation::AllReduce, v);
        assert_eq!(line, 28 * 41 + 14 * (whole / 8 + whole / 64));
    }
}

/// The table of an earlier study of its own on the same engine: time over 2 V (p - 1) / p b / links of a corner, at 16 MB.
#[test]
fn ratios_of_sixteen_megabytes() {
    let ratio = |name: &str, algorithm: &str, links: u64| {
        let bound = 2 * 16 * MB * 63 / 64 / 32 / links;
        cycles(&chip(name), algorithm, Operation::AllReduce, 16 * MB) as f64 / bound as f64
    };
    let torus = [
        ("hamiltonian-ring", 4.02),
        ("two-way-hamiltonian-ring", 2.02),
        ("all-port-bucket", 1.00),
        ("two-way-bucket", 1.00),
        ("disjoint-hamiltonian-rings", 1.02),
    ];
    for (algorithm, expected) in torus {
        let found = ratio("torus:8x8", algorithm, 4);
        assert!((found - expected).abs() <= 0.005, "{algorithm}: {found}");
    }
    let mesh = [("hamiltonian-ring", 2.01), ("two-way-hamiltonian-ring", 1.01), ("two-way-bucket", 1.00)];
    for (algorithm, expected) in mesh {
        let found = ratio("mesh:8x8", algorithm, 2);
        assert!((found - expected).abs() <= 0.005, "{algorithm}: {found}");
    }
}

/// Crossovers that were measured before, by other code, on the same engine: on 8x8 Swing is the faster one up to 1 MB on costs like those of
/// network cards and up to 64 KB on those of a chip, the bucket from 16 MB and from 1 MB on; and at every size Swing beats
/// recursive doubling.
#[test]
fn the_bucket_overtakes_swing_where_it_did_before() {
    let card = machine("torus:8x8", 500, 50, 20_000);
    for (machine, swings, buckets) in [
        (&card, vec![1024, 65_536, MB], vec![16 * MB]),
        (&chip("torus:8x8"), vec![1024, 65_536], vec![MB, 16 * MB]),
    ] {
        let of = |names: &[&str], bytes| {
            names.iter().map(|name| cycles(machine, name, Operation::AllReduce, bytes)).min().unwrap()
        };
        let swing = |bytes| of(&["swing-l", "swing-b", "swing-b-multiport"], bytes);
        for &bytes in swings.iter().chain(&buckets) {
            let bucket = of(&["all-port-bucket"], bytes);
            assert_eq!(
                swing(bytes) < bucket,
                swings.contains(&bytes),
                "{bytes}: {} and {bucket}",
                swing(bytes)
            );
            assert!(swing(bytes) < of(&["recursive-doubling"], bytes), "{bytes}");
        }
    }
}

/// Three trees carry two thirds of a large vector over the busiest link of a mesh, where rings and buckets carry all of it.
#[test]
fn three_trees_near_two_thirds_of_the_vector() {
    let machine = chip("mesh:8x8");
    let task = Task::new(&machine, Operation::AllReduce, 12 * MB, 0).unwrap();
    let flow = named("three-trees").of(&task).unwrap().chunked(512).unwrap();
    let trace = simulate(&machine, &flow.schedule(task.nodes(), 64, None), &Engine::Message).unwrap();
    let bytes = 12 * MB / 32;
    assert!((bytes * 2 / 3..bytes * 3 / 4).contains(&trace.cycles.0), "{} of {bytes}", trace.cycles.0);
    let published = cycles(&machine, "two-way-bucket", Operation::AllReduce, 12 * MB);
    assert!(4 * trace.cycles.0 < 3 * published, "{} against {published}", trace.cycles.0);
}

/// A one-way ring gains nothing from the wrap, a two-way ring does: c = 500, 12 bytes a cycle.
#[test]
fn only_two_ways_gain_from_a_wrap() {
    let of = |name, algorithm| cycles(&machine(name, 500, 12, 12), algorithm, Operation::AllReduce, MB);
    assert_eq!((of("mesh:8", "ring"), of("torus:8", "ring")), (159_944, 159_932));
    assert_eq!((of("mesh:8", "two-way-ring"), of("torus:8", "two-way-ring")), (153_956, 83_473));
    // 8 steps instead of 14.
    assert_eq!(of("torus:8", "short-ring"), (8 * 501 * 12 + 2 * 7 * MB / 8 / 2).div_ceil(12));
}

/// Products of any lines in any order of the axes: an all-gather, in the sum of the steps, nothing sent twice.
#[test]
fn products_of_any_lines_are_all_gathers() {
    let lines: [fn(u32) -> Flow; 5] =
        [|n| line::round(n, true), line::both_ways, line::outward, line::direct, |n| line::doubling(n, 3)];
    for (name, orders) in [
        ("torus:4x6", &[[0, 1, 2], [1, 0, 2]][..]),
        ("mesh:3x4x2", &[[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]]),
        ("torus:1x5x4", &[[0, 2, 1], [2, 1, 0]]),
    ] {
        let machine = Machine::new(name).unwrap();
        let task = Task::new(&machine, Operation::AllGather, 10_007, 0).unwrap();
        let sides = machine.whole_grid().unwrap().sides();
        for order in orders {
            for first in 0..lines.len() {
                let line = |axis: usize, n| lines[(first + axis) % lines.len()](n);
                let flow = product(&task, &order[..sides.len()], |axis, n| Ok(line(axis, n))).unwrap();
                assert_eq!(flow.check(Operation::AllGather, 0, 10_007), Ok(()), "{name} {order:?} {first}");
                let steps: u32 = (0..sides.len()).map(|axis| line(axis, sides[axis]).steps()).sum();
                assert_eq!(flow.steps(), steps, "{name} {order:?} {first}");
                assert_eq!(flow.bytes_total(), 10_007 * u64::from(task.members() - 1), "{name}");
            }
        }
    }
}

#[test]
fn products_of_what_is_no_all_gather_are_refused() {
    let machine = Machine::new("mesh:3x3").unwrap();
    let task = Task::new(&machine, Operation::AllGather, 90, 0).unwrap();
    assert!(product(&task, &[0, 0], |_, n| Ok(line::outward(n))).is_err(), "an axis twice");
    assert!(product(&task, &[0], |_, n| Ok(line::outward(n))).is_err(), "an axis left out");
    let sums = |_, n| Ok(Flow::new(n, vec![Block { bytes: 1, from: ALL, to: ALL }]));
    assert!(product(&task, &[0, 1], sums).is_err(), "no all-gather");
    let unlike = |_, n| Ok(Flow::new(n, vec![Block { bytes: 1, from: 0, to: ALL }]));
    assert!(product(&task, &[0, 1], unlike).is_err(), "two members without a block");
}

/// Where there are holes the snake goes on at the next living node; elsewhere next members are neighbours.
#[test]
fn a_snake_goes_from_neighbour_to_neighbour_except_round_holes() {
    let hops = |machine: &Machine| {
        let task = Task::new(machine, Operation::AllGather, 2000, 0).unwrap();
        let flow = named("snake-line").of(&task).unwrap();
        let far = |transfer: &meshwright_collectives::flow::Transfer| {
            task.distance(transfer.source, transfer.target).unwrap().0
        };
        flow.transfers().iter().map(far).max().unwrap()
    };
    let whole = Machine::new("mesh:4x5").unwrap();
    assert_eq!(hops(&whole), 1);
    assert_eq!(hops(&whole.with_dead(vec![NodeId(7)]).unwrap()), 4, "round one hole within a row");
}

/// From neighbour to neighbour the shorter way: all bytes together are bytes times distances.
#[test]
fn parts_of_an_exchange_over_links_go_the_shortest_way() {
    for name in ["torus:4x6", "torus:5x3", "mesh:4x3", "torus:8", "torus:2x3x4", "hypercube:4"] {
        let machine = Machine::new(name).unwrap();
        let task = Task::new(&machine, Operation::AllToAll, 3600, 0).unwrap();
        let flow = named("by-dimension-ringwise").of(&task).unwrap();
        let way = |block: &Block| block.bytes * u64::from(task.distance(block.from, block.to).unwrap().0);
        assert_eq!(flow.bytes_total(), task.blocks().iter().map(way).sum::<u64>(), "{name}");
        for transfer in flow.transfers() {
            assert_eq!(task.distance(transfer.source, transfer.target).unwrap().0, 1, "{name}");
        }
    }
}

/// In chunks the exchange from neighbour to neighbour fills the links of the middle: half of the members send their parts for the other
/// half over 8 links of a mesh, 16 of a torus.
#[test]
fn an_exchange_that_streams_fills_the_bisection() {
    for (name, links) in [("mesh:8x8", 8), ("torus:8x8", 16)] {
        let machine = chip(name);
        let task = Task::new(&machine, Operation::AllToAll, 4 * MB, 0).unwrap();
        let flow = named("by-dimension-ringwise").of(&task).unwrap().chunked(16).unwrap();
        let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
        let found = simulate(&machine, &schedule, &Engine::Message).unwrap().cycles.0;
        let bound = 32 * 32 * (4 * MB / 64) / links / 32;
        assert!(bound <= found && found * 50 <= bound * 51, "{name}: {found} against {bound}");
    }
}

/// Number of steps against ceil(log_r p), and the bytes of Bruck's exchange against its digits.
#[test]
fn logarithmic_steps_for_any_number_of_members() {
    for members in 2..=33u32 {
        let machine = Machine::new(&format!("torus:{members}")).unwrap();
        let flow = |name, operation, bytes| {
            named(name).of(&Task::new(&machine, operation, bytes, 0).unwrap()).unwrap()
        };
        let log = |radix: u32| (0..).find(|&k| radix.pow(k) >= members).unwrap();
        let ports = if members == 2 { 1 } else { 2 };
        assert_eq!(flow("bruck", Operation::AllGather, 990).steps(), log(2));
        assert_eq!(flow("all-port-bruck", Operation::AllGather, 990).steps(), log(ports + 1));
        assert_eq!(flow("dissemination", Operation::Barrier, 0).steps(), log(2));
        assert_eq!(flow("scan-doubling", Operation::Scan, 990).steps(), log(2));
        assert_eq!(flow("scan-tree", Operation::Scan, 990).transfers().len() as u32, {
            let up: u32 = (0..log(2)).map(|k| members >> (k + 1)).sum();
            // Down from every multiple of 2^(k+1) but the last, if 2^k more are there.
            let down: u32 = (0..log(2)).map(|k| (members / (1 << k)).saturating_sub(1) / 2).sum();
            up + down
        });
        for (name, radix) in [("bruck-exchange", 2), ("all-port-bruck-exchange", ports + 1)] {
            let exchange = flow(name, Operation::AllToAll, u64::from(members));
            assert_eq!(exchange.steps(), log(radix), "{name} {members}");
            let digits = |mut far: u32| {
                let mut sum = 0;
                while far > 0 {
                    sum += u64::from(!far.is_multiple_of(radix));
                    far /= radix;
                }
                sum
            };
            let sent: u64 = (1..members).map(digits).sum();
            assert_eq!(exchange.bytes_total(), u64::from(members) * sent, "{name} {members}");
        }
    }
}

/// Sums of p contributions that are sent p times need as many dependencies as contributions and sends, not their product.
#[test]
fn dependencies_of_sums_grow_with_the_members() {
    let machine = Machine::new("torus:8x8").unwrap();
    let task = Task::new(&machine, Operation::AllReduce, 64 * 64, 0).unwrap();
    let schedule = named("direct").of(&task).unwrap().schedule(task.nodes(), 64, None);
    for rank in &schedule.ranks {
        assert_eq!(rank.dependencies.len(), 2 * 63, "one step waits for 63 parts, and 63 messages for it");
    }
}

/// A stepwise member waits for what it does not send on; the same bytes go over the same links.
#[test]
fn stepwise_members_wait_for_all_that_came() {
    let blocks = vec![Block { bytes: 64, from: 0, to: ALL }, Block { bytes: 64, from: 1, to: ALL }];
    let mut flow = Flow::new(2, blocks);
    flow.copy(0, 0, 1, [0]);
    flow.copy(1, 1, 0, [1]);
    let nodes = [NodeId(0), NodeId(1)];
    let waits = |flow: &Flow| flow.schedule(&nodes, 2, None).ranks[1].dependencies.len();
    assert_eq!((waits(&flow), waits(&flow.clone().stepwise())), (0, 1));
    assert_eq!(
        waits(&flow.clone().stepwise().chunked(2).unwrap()),
        4,
        "the first for one, then a step for two"
    );
    assert!(
        flow.clone().stepwise().reversed().is_stepwise()
            && flow.clone().beside(&flow.clone().stepwise()).is_stepwise()
    );
}
