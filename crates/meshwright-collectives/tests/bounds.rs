//! Lower bounds of collectives: proved again by their certificates, never above a simulated time, each the strongest somewhere.

use std::collections::BTreeSet;

use meshwright_collectives::bound::{self, certificate};
use meshwright_collectives::flow::{Block, Flow, Mode, Transfer, share};
use meshwright_collectives::{OPERATIONS, Operation, Task, algorithm};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};
use meshwright_sim::{Engine, simulate};
use proptest::prelude::*;

/// Costs in cycles and bytes.
fn costs(startup: u64, byte_time: [u64; 2], flit: u64) -> Costs {
    let byte_time = Ratio::new(byte_time[0], byte_time[1]).unwrap();
    Costs { startup: Cycles(startup), byte_time, flit: Bytes(flit) }
}

fn machine(name: &str) -> impl Strategy<Value = Machine> + use<> {
    let plain = Machine::new(name).unwrap();
    let nodes = plain.nodes();
    let byte_times = prop_oneof![Just([1u64, 1]), Just([1, 50]), Just([3, 2]), Just([1, 32])];
    let costs = (
        prop_oneof![Just(0u64), 1..50u64, Just(500)],
        byte_times,
        prop_oneof![Just(0u64), 1..40u64, Just(20_000)],
    )
        .prop_map(|(startup, byte_time, flit)| costs(startup, byte_time, flit));
    let ends = prop_oneof![2 => Just((0u64, 0u64)), 1 => (0..60u64, 0..90u64)];
    let switching =
        prop_oneof![Just(Switching::Wormhole), Just(Switching::CutThrough), Just(Switching::StoreAndForward)];
    let dead = prop_oneof![3 => Just(None), 1 => (0..nodes).prop_map(Some)];
    (costs, ends, switching, any::<bool>(), dead).prop_map(move |(costs, (o, g), switching, one, dead)| {
        let port_model = if one { PortModel::One } else { PortModel::All };
        let machine = plain.clone().with_switching(switching).with_costs(costs).unwrap();
        let ends = Endpoints { overhead: Cycles(o), gap: Cycles(g) };
        let machine = machine.with_port_model(port_model).with_endpoints(ends).unwrap();
        let dead = dead.filter(|_| machine.nodes() > 2).map(NodeId);
        machine.with_dead(dead.into_iter().collect()).unwrap()
    })
}

fn machines() -> impl Strategy<Value = Machine> {
    let names = [
        "mesh:2",
        "mesh:5",
        "torus:8",
        "mesh:4x4",
        "torus:4x4",
        "mesh:3x5",
        "torus:3x5",
        "torus:2x6",
        "mesh:2x3x4",
        "hypercube:4",
        "ccc:3",
        "torus:3x9",
    ];
    proptest::sample::select(names.to_vec()).prop_flat_map(machine)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever the machine, its costs, ports and ends: no algorithm of the table is faster than what is proved.
    #[test]
    fn no_algorithm_is_faster(
        machine in machines(),
        operation in proptest::sample::select(OPERATIONS.to_vec()),
        bytes in prop_oneof![0..40u64, 1000..5000u64, Just(1u64 << 20)],
        root in any::<proptest::sample::Index>(),
        combine in proptest::option::of(1..5u64),
        chunks in 1..7u32,
    ) {
        let root = root.index(machine.living_count() as usize) as u32;
        let mut task = Task::new(&machine, operation.1, bytes, root).unwrap();
        task.combine = combine.map(|quarters| Ratio::new(quarters, 4).unwrap());
        let Ok(all) = bound::bounds(&task) else { return Ok(()) };
        for bound in &all {
            let proved = certificate::check(&task, &bound.certificate);
            prop_assert_eq!(proved, Ok(bound.cycles), "{} on {}: {:?}", operation.0, machine.name(), bound);
        }
        let best = bound::bound(&task).unwrap();
        prop_assert_eq!(Some(best.cycles), all.iter().map(|bound| bound.cycles).max());
        for algorithm in algorithm::all() {
            let Ok(flow) = algorithm.of(&task) else { continue };
            let flow = if algorithm.streams { flow.chunked(chunks).unwrap() } else { flow };
            let schedule = flow.schedule(task.nodes(), machine.nodes(), task.combine);
            let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
            if trace.deadlock.is_none() {
                let what = format!("{} by {} on {}: {best:?}", operation.0, algorithm.name, machine.name());
                prop_assert!(trace.cycles >= best.cycles, "{}: {:?}", what, trace.cycles);
            }
        }
    }
}

/// All-reduce by few messages: pieces meet at the nearest of some members, which exchange what they have; points of the k-th piece are
/// `apart` members further on.
fn meeting(task: &Task<'_>, points: u32, pieces: u32, apart: u32) -> Flow {
    let (members, whole) = (task.members(), task.blocks()[0]);
    let blocks = (0..pieces).map(|k| Block { bytes: share(whole.bytes, pieces, k), ..whole }).collect();
    let mut flow = Flow::new(members, blocks);
    for piece in 0..pieces {
        let at = |k: u32| (k * members / points + piece * apart) % members;
        let far = |from: u32, k: u32| task.distance(from, at(k)).expect("a link");
        let near = |from: u32| at((0..points).min_by_key(|&k| (far(from, k), k)).expect("a point"));
        for member in 0..members {
            flow.combine(0, member, near(member), [piece]);
            flow.copy(2, near(member), member, [piece]);
        }
        for (from, to) in (0..points).flat_map(|a| (0..points).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            flow.combine(1, at(from), at(to), [piece]);
        }
    }
    flow
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// What goes in few messages is no faster than the bound of few messages.
    #[test]
    fn few_messages_are_not_faster(
        name in proptest::sample::select(vec!["torus:4x4", "mesh:4x4", "torus:6x5", "mesh:3x7", "torus:8x8", "mesh:9"]),
        startup in prop_oneof![0..8u64, 30..60u64, Just(500)],
        byte_time in prop_oneof![Just([1u64, 1]), Just([1, 50]), Just([1, 32])],
        flit in prop_oneof![0..3u64, Just(32), Just(5_000), Just(20_000)],
        (overhead, gap) in prop_oneof![3 => Just((0u64, 0u64)), 1 => (0..60u64, 0..90u64)],
        bytes in prop_oneof![1..60u64, 500..3000u64, Just(1u64 << 16)],
        (points, pieces, apart) in (1..9u32, 1..9u32, 1..12u32),
    ) {
        let ends = Endpoints { overhead: Cycles(overhead), gap: Cycles(gap) };
        let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
        let machine = machine.with_costs(costs(startup, byte_time, flit)).unwrap().with_endpoints(ends).unwrap();
        let task = Task::new(&machine, Operation::AllReduce, bytes, 0).unwrap();
        let all = bound::bounds(&task).unwrap();
        for bound in all.iter().filter(|bound| ["few messages", "meeting"].contains(&bound.kind)) {
            prop_assert_eq!(certificate::check(&task, &bound.certificate), Ok(bound.cycles));
        }
        let best = bound::bound(&task).unwrap();
        for points in [1, points] {
            let flow = meeting(&task, points, pieces, apart);
            prop_assert_eq!(flow.check(Operation::AllReduce, 0, bytes), Ok(()));
            let trace = simulate(&machine, &flow.schedule(task.nodes(), machine.nodes(), None), &Engine::Message).unwrap();
            prop_assert!(trace.deadlock.is_some() || trace.cycles >= best.cycles, "{:?}: {:?}", trace.cycles, best);
        }
    }
}

/// Each argument has a machine on which it says more than all others.
#[test]
fn each_argument_is_the_strongest_somewhere() {
    let on = |name: &str, costs: Costs| Machine::new(name).unwrap().with_costs(costs).unwrap();
    let chip = costs(40, [1, 32], 32);
    let slow_to_send = Endpoints { overhead: Cycles(20), gap: Cycles(900) };
    let cases = [
        (on("mesh:8x8", costs(500, [1, 50], 20_000)), Operation::Barrier, 0, "distance"),
        (on("hypercube:6", chip).with_endpoints(slow_to_send).unwrap(), Operation::Broadcast, 64, "rounds"),
        (on("torus:8x8", chip).with_port_model(PortModel::One), Operation::Scatter, 1 << 20, "port"),
        (on("mesh:8x8", chip), Operation::Broadcast, 1 << 20, "cut"),
        (on("torus:8x8", chip), Operation::AllReduce, 1 << 20, "traffic"),
        (on("torus:16x16", chip), Operation::AllReduce, 1 << 10, "few messages"),
        (on("mesh:8x8", chip), Operation::AllReduce, 1 << 10, "meeting"),
        (on("torus:8x8", chip), Operation::Scan, 1 << 20, "ring"),
        (on("torus:8x8", chip), Operation::Reduce, 1 << 20, "adding up"),
    ];
    for (machine, operation, bytes, kind) in cases {
        let mut task = Task::new(&machine, operation, bytes, 0).unwrap();
        task.combine = (kind == "adding up").then(|| Ratio::whole(1));
        let bound = bound::bound(&task).unwrap();
        assert_eq!(bound.kind, kind, "{operation:?} on {}: {}", machine.name(), bound.why);
        assert_eq!(certificate::check(&task, &bound.certificate), Ok(bound.cycles));
    }
}

/// A claim that is a tick too high is refused, and so is one about others.
#[test]
fn wrong_certificates_are_refused() {
    use bound::Certificate as C;
    let machine = Machine::new("torus:4x4").unwrap();
    let task = Task::new(&machine, Operation::AllReduce, 1 << 16, 0).unwrap();
    let traffic = bound::bounds(&task).unwrap().into_iter().find(|bound| bound.kind == "traffic").unwrap();
    let C::Traffic { ports, ticks } = traffic.certificate else { panic!("{traffic:?}") };
    assert!(certificate::check(&task, &C::Traffic { ports, ticks: ticks + 1 }).is_err());
    assert!(certificate::check(&task, &C::Port { member: 0, inward: false }).is_err());
    assert!(certificate::check(&task, &C::Adding).is_err());
    assert!(certificate::check(&task, &C::Ring).is_err(), "members need all, not those before them");
    let skew = Machine::new("torus:2x2").unwrap();
    let scan = Task::new(&skew, Operation::Scan, 1 << 16, 0).unwrap();
    assert!(certificate::check(&scan, &C::Ring).is_err(), "two columns are no ring");
    assert!(certificate::check(&task, &C::Distance { from: 3, to: 3 }).is_err());
    let few = bound::bounds(&task).unwrap().into_iter().find(|bound| bound.kind == "few messages").unwrap();
    let C::FewMessages { shift, meets, price, share } = few.certificate else { panic!("{few:?}") };
    let claim = |shift: &[u32], share| C::FewMessages { shift: shift.to_vec(), meets, price, share };
    assert_eq!(certificate::check(&task, &claim(&shift, share)), Ok(few.cycles));
    assert!(certificate::check(&task, &claim(&shift, share + 1)).is_err(), "a pair may pay less");
    assert!(certificate::check(&task, &claim(&[0, 0], share)).is_err(), "nobody is far away");
    assert!(certificate::check(&task, &claim(&[2], share)).is_err(), "two axes");
    let stored = machine.clone().with_switching(Switching::StoreAndForward);
    let stored = Task::new(&stored, Operation::AllReduce, 1 << 16, 0).unwrap();
    assert!(certificate::check(&stored, &claim(&shift, share)).is_err(), "heads do not run ahead");
    assert!(
        certificate::check(&task, &C::Meeting { members: vec![[0, 15]] }).is_err(),
        "nobody else is there"
    );
    assert!(certificate::check(&task, &C::Meeting { members: vec![[0, 7]] }).is_ok());
    let gather = task.with(Operation::Gather, 0);
    assert!(
        certificate::check(&gather, &C::Meeting { members: vec![[0, 7]] }).is_err(),
        "only the root gets something"
    );
    assert!(
        certificate::check(&gather, &C::Distance { from: 0, to: 5 }).is_err(),
        "only the root gets something"
    );
    let of_one = C::Cut { from: Some(1), to: Some(0), members: vec![[1, 2]] };
    assert!(certificate::check(&gather, &of_one).is_err(), "what leaves is not of member 1 alone");
    let of_all = C::Cut { from: None, to: Some(0), members: vec![[1, 2]] };
    assert!(certificate::check(&gather, &of_all).is_ok());
}

/// Every flow of one block with these many messages in two or three steps, the fastest of those that are right.
fn fastest(task: &Task<'_>, messages: usize) -> Option<Cycles> {
    let members = task.members();
    let pairs = (0..members).flat_map(|a| (0..members).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let modes = if task.operation.reduces() { vec![Mode::Copy, Mode::Combine] } else { vec![Mode::Copy] };
    let steps = if messages > 3 { 2 } else { 3 };
    let all: Vec<Transfer> = pairs
        .flat_map(|(source, target)| (0..steps).map(move |step| (source, target, step)))
        .flat_map(|(source, target, step)| {
            modes.iter().map(move |&mode| Transfer::new(step, source, target, mode))
        })
        .collect();
    let mut chosen: Vec<usize> = (0..messages).collect();
    let mut best = None;
    loop {
        let mut flow = task.flow();
        let mut some: Vec<Transfer> = chosen.iter().map(|&at| all[at]).collect();
        some.sort_by_key(|transfer| transfer.step);
        some.into_iter().for_each(|transfer| flow.send(transfer, [0]));
        if flow.check(task.operation, task.root, task.bytes).is_ok() {
            let schedule = flow.schedule(task.nodes(), task.machine().nodes(), task.combine);
            let trace = simulate(task.machine(), &schedule, &Engine::Message).unwrap();
            if trace.deadlock.is_none() {
                best = Some(best.map_or(trace.cycles, |best: Cycles| best.min(trace.cycles)));
            }
        }
        // The next set in the order of combinations.
        let Some(at) = (0..messages).rfind(|&at| chosen[at] < all.len() - messages + at) else { return best };
        chosen[at] += 1;
        (at + 1..messages).for_each(|behind| chosen[behind] = chosen[behind - 1] + 1);
    }
}

/// All flows of few messages on two to four members: none is faster than the bound, and one is as fast where that is known.
#[test]
fn no_flow_of_few_messages_is_faster() {
    use Operation as O;
    let mut equal = 0;
    for (name, operation, messages) in [
        ("mesh:2", O::AllReduce, 2),
        ("mesh:3", O::AllReduce, 4),
        ("torus:3", O::AllReduce, 4),
        ("mesh:3", O::Scan, 2),
        ("torus:3", O::Scan, 2),
        ("torus:3", O::Scan, 3),
        ("torus:4", O::Scan, 3),
        ("mesh:4", O::Broadcast, 3),
        ("torus:4", O::Broadcast, 3),
        ("mesh:2x2", O::Reduce, 3),
    ] {
        for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
            for one_port in [false, true] {
                for (bytes, gap) in [(1, 0), (64, 0), (8, 150)] {
                    let port_model = if one_port { PortModel::One } else { PortModel::All };
                    let ends = Endpoints { overhead: Cycles(gap / 10), gap: Cycles(gap) };
                    let machine =
                        Machine::new(name).unwrap().with_switching(switching).with_port_model(port_model);
                    let machine = machine.with_endpoints(ends).unwrap();
                    let task = Task::new(&machine, operation, bytes, 0).unwrap();
                    let bound = bound::bound(&task).unwrap();
                    let fastest = fastest(&task, messages).expect("some flow is right");
                    assert!(
                        bound.cycles <= fastest,
                        "{operation:?} on {name}, {switching:?}: {bound:?} > {fastest:?}"
                    );
                    equal += usize::from(bound.cycles == fastest);
                }
            }
        }
    }
    assert!(equal > 30, "{equal} of 180 bounds are attained");
}

/// The one byte of a scatter may be that of the root.
#[test]
fn nothing_to_send_takes_no_time() {
    let machine = Machine::new("mesh:2").unwrap();
    let cycles = |root: u32| {
        let task = Task::new(&machine, Operation::Scatter, 1, root).unwrap();
        bound::bound(&task).unwrap().cycles
    };
    assert_eq!([0, 1].map(cycles), [Cycles(100 + 2 + 1), Cycles(0)]);
}

#[test]
#[ignore = "a million nodes take a few seconds"]
fn a_million_nodes() {
    let machine = Machine::new("mesh:1000x1000").unwrap();
    for (operation, kind) in [(Operation::Broadcast, "cut"), (Operation::AllReduce, "traffic")] {
        let task = Task::new(&machine, operation, 1 << 30, 0).unwrap();
        let bound = bound::bound(&task).unwrap();
        assert_eq!(bound.kind, kind, "{}", bound.why);
    }
}

/// What the race shows: the bounds of all-reduce, on demand with `--ignored --nocapture`.
#[test]
#[ignore = "a table to read"]
fn table_of_all_reduce() {
    for (name, costs) in [("card", costs(500, [1, 50], 20_000)), ("chip", costs(40, [1, 32], 32))] {
        let small =
            ["mesh:2", "mesh:3", "mesh:4", "torus:4", "mesh:2x2", "mesh:3x3", "torus:3x3", "torus:4x4"];
        let large = ["torus:8x8", "torus:16x16", "torus:32x32", "mesh:8x8", "mesh:16x16", "mesh:32x32"];
        for shape in small.into_iter().chain(large) {
            let machine =
                Machine::new(shape).unwrap().with_switching(Switching::CutThrough).with_costs(costs).unwrap();
            for bytes in [1u64 << 10, 1 << 16, 1 << 20, 1 << 24] {
                let task = Task::new(&machine, Operation::AllReduce, bytes, 0).unwrap();
                let all = bound::bounds(&task).unwrap();
                let best = bound::bound(&task).unwrap();
                let kinds: BTreeSet<(u64, &str)> =
                    all.iter().map(|bound| (bound.cycles.0, bound.kind)).collect();
                println!("{name} {shape} {bytes}: {} {} {kinds:?}", best.cycles.0, best.kind);
            }
        }
    }
}
