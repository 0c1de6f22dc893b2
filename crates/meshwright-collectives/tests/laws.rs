//! Laws that every algorithm of the table keeps, on machines of every kind.

use meshwright_collectives::flow::Flow;
use meshwright_collectives::{OPERATIONS, Operation, Task, algorithm, bound, synthesis};
use meshwright_core::error::Error;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_sim::flit::Router;
use meshwright_sim::link_use::blame;
use meshwright_sim::{Engine, simulate};
use proptest::prelude::*;

/// Boxes with sides even and odd, alike and not; one with holes; one that is no box.
fn machines() -> Vec<Machine> {
    let boxes = [
        "mesh:2",
        "mesh:5",
        "torus:8",
        "mesh:4x4",
        "torus:4x4",
        "mesh:3x5",
        "torus:3x5",
        "torus:6x4",
        "mesh:2x3x4",
        "torus:4x4x4",
        "torus:9",
        "torus:3x9",
        "hypercube:4",
        "ccc:3",
    ];
    let mut machines: Vec<Machine> = boxes.iter().map(|name| Machine::new(name).unwrap()).collect();
    machines.push(Machine::new("mesh:4x5").unwrap().with_dead(vec![NodeId(7), NodeId(19)]).unwrap());
    machines
}

/// Tasks of few and of many bytes, the root in a corner and elsewhere.
fn tasks(machine: &Machine, operation: Operation) -> Vec<Task<'_>> {
    let last = machine.living_count() - 1;
    let roots = if operation.is_rooted() { vec![0, last / 2, last] } else { vec![0] };
    let sizes: &[u64] = if operation == Operation::Barrier { &[0] } else { &[1, 1000, 4096] };
    let each =
        |&root: &u32| sizes.iter().map(move |&bytes| Task::new(machine, operation, bytes, root).unwrap());
    roots.iter().flat_map(each).collect()
}

#[test]
fn every_contribution_reaches_every_result_exactly_once() {
    for machine in machines() {
        for &(name, operation) in OPERATIONS {
            for task in tasks(&machine, operation) {
                for algorithm in algorithm::all() {
                    let flow = match algorithm.of(&task) {
                        Ok(flow) => flow,
                        Err(Error::NotApplicable { .. }) => continue,
                        Err(error) => panic!("{} on {}: {error}", algorithm.name, machine.name()),
                    };
                    let what =
                        format!("{name} by {} on {}, {} bytes", algorithm.name, machine.name(), task.bytes);
                    assert_eq!(flow.check(operation, task.root, task.bytes), Ok(()), "{what}");
                    if algorithm.streams {
                        let chunked = flow.chunked(3).unwrap();
                        assert_eq!(
                            chunked.check(operation, task.root, task.bytes),
                            Ok(()),
                            "{what}, in chunks"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn no_simulated_time_is_below_the_bound() {
    for machine in machines() {
        for &(name, operation) in OPERATIONS {
            for mut task in tasks(&machine, operation) {
                task.combine = (task.bytes == 1000).then(|| Ratio::new(1, 4).unwrap());
                let bound = bound::bound(&task).unwrap();
                for algorithm in algorithm::all() {
                    let Ok(flow) = algorithm.of(&task) else { continue };
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), task.combine);
                    assert_eq!(
                        schedule.verify(),
                        Ok(()),
                        "{name} by {} on {}",
                        algorithm.name,
                        machine.name()
                    );
                    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
                    if trace.deadlock.is_some() {
                        continue;
                    }
                    let what = format!("{name} by {} on {}: {}", algorithm.name, machine.name(), bound.why);
                    assert!(trace.cycles >= bound.cycles, "{what}: {:?} < {:?}", trace.cycles, bound.cycles);
                }
            }
        }
    }
}

/// Each operation has at least one algorithm, and no name stands twice.
#[test]
fn the_table_is_complete() {
    let mut names: Vec<&str> = algorithm::all().map(|algorithm| algorithm.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
    for (name, operation) in OPERATIONS {
        let has = algorithm::all().any(|algorithm| algorithm.operations.contains(operation));
        assert!(has, "{name}");
    }
}

/// Where no message waits for a link, whole messages and flits say the same; elsewhere flits are no faster than the bound.
#[test]
fn both_engines_agree_where_nobody_waits() {
    let (mut alike, mut apart) = (0, 0);
    for name in ["mesh:4x4", "mesh:2x6", "torus:4x4", "hypercube:3"] {
        let machine = Machine::new(name).unwrap();
        let flits = Engine::Flit(Router::ideal(&machine).into());
        for &(_, operation) in OPERATIONS {
            // Whole flits, also in a third of a part.
            let bytes = if operation == Operation::Barrier { 0 } else { 192 * u64::from(machine.nodes()) };
            let task = Task::new(&machine, operation, bytes, 0).unwrap();
            for algorithm in algorithm::all() {
                let Ok(flow) = algorithm.of(&task) else { continue };
                let flow = if algorithm.streams { flow.chunked(4).unwrap() } else { flow };
                let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                let whole = simulate(&machine, &schedule, &Engine::Message).unwrap();
                let routed = simulate(&machine, &schedule, &flits).unwrap();
                if whole.deadlock.is_some() || routed.deadlock.is_some() {
                    continue;
                }
                let what = format!("{} by {} on {name}", operation.name(), algorithm.name);
                if blame(&whole, &machine).is_none() {
                    assert_eq!(whole.cycles, routed.cycles, "{what}");
                    alike += 1;
                } else {
                    assert!(routed.cycles >= bound::bound(&task).unwrap().cycles, "{what}");
                    apart += 1;
                }
            }
        }
    }
    assert!(alike > 40 && apart > 40, "{alike} and {apart}");
}

/// A box of any sides, a mesh or a torus, with up to five dead nodes that leave the others connected.
fn holed() -> impl Strategy<Value = Machine> {
    let sides = proptest::collection::vec(1u32..=5, 1..=3);
    let dead = proptest::collection::vec(any::<proptest::sample::Index>(), 0..=5);
    (sides, dead, any::<bool>()).prop_filter_map("more than one node, connected", |(sides, dead, wraps)| {
        let nodes: u32 = sides.iter().product();
        let words: Vec<String> = sides.iter().map(u32::to_string).collect();
        let name = format!("{}:{}", if wraps { "torus" } else { "mesh" }, words.join("x"));
        let mut dead: Vec<NodeId> =
            dead.iter().map(|dead| NodeId(dead.index(nodes as usize) as u32)).collect();
        dead.sort_unstable();
        dead.dedup();
        let machine = Machine::new(&name).ok()?.with_dead(dead).ok()?;
        let living: Vec<NodeId> = machine.living().collect();
        let is_connected = || living.iter().all(|&node| machine.distance(living[0], node).is_some());
        ((2..=60).contains(&living.len()) && is_connected()).then_some(machine)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Any sides, any number of members, holes: an algorithm is right there, or is refused with a reason.
    #[test]
    fn with_holes_an_algorithm_is_right_or_refused(
        machine in holed(),
        operation in proptest::sample::select(OPERATIONS.to_vec()),
        bytes in 1u64..5000,
        root in any::<proptest::sample::Index>(),
    ) {
        let (name, operation) = operation;
        let bytes = if operation == Operation::Barrier { 0 } else { bytes };
        let root = root.index(machine.living_count() as usize) as u32;
        let task = Task::new(&machine, operation, bytes, root).unwrap();
        let mut suit = 0;
        for algorithm in algorithm::all().filter(|one| one.operations.contains(&operation)) {
            let what = format!("{name} by {} on {:?}", algorithm.name, machine.name());
            match algorithm.of(&task) {
                Ok(flow) => {
                    prop_assert_eq!(flow.check(operation, root, bytes), Ok(()), "{}", what);
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                    prop_assert_eq!(schedule.verify(), Ok(()), "{}", what);
                    suit += 1;
                }
                Err(Error::NotApplicable { why, .. }) => prop_assert!(why.len() > 10, "{}: {}", what, why),
                Err(error) => prop_assert!(false, "{}: {}", what, error),
            }
        }
        prop_assert!(suit > 0, "{} on {}: nobody", name, machine.name());
    }
}

/// The first of a published schedule and the best of the search to end, which is right and no faster than the bound.
fn best(machine: &Machine, operation: Operation, bytes: u64) -> Cycles {
    let task = Task::new(machine, operation, bytes, 0).unwrap();
    let run = |flow: &Flow| {
        assert_eq!(flow.check(operation, 0, bytes), Ok(()));
        let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
        let trace = simulate(machine, &schedule, &Engine::Message)?;
        Ok(trace.deadlock.is_none().then_some(trace.cycles))
    };
    let published = algorithm::all().filter_map(|algorithm| algorithm.of(&task).ok());
    let published = published.filter_map(|flow| run(&flow).unwrap()).min();
    let bound = bound::bound(&task).unwrap().cycles;
    let found = synthesis::search(&task, bound, published, &run).unwrap();
    let best = found.map(|found| found.cycles).into_iter().chain(published).min().unwrap();
    assert!(bound <= best, "{} of {bytes} on {}", operation.name(), machine.name());
    best
}

/// Whoever has the vectors of all can add them up: no sum takes longer than to gather them, with long heads and few bytes.
#[test]
fn sums_are_no_slower_than_gathered_vectors() {
    let byte_time = Ratio::new(1, 50).unwrap();
    let costs = Costs { startup: Cycles(500), byte_time, flit: Bytes(20_000) };
    for (name, dead, bytes) in
        [("hypercube:3", vec![], 8), ("mesh:2x3", vec![], 1024), ("mesh:3x4", vec![NodeId(0)], 100)]
    {
        let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
        let machine = machine.with_costs(costs).unwrap().with_dead(dead).unwrap();
        let gathered = best(&machine, Operation::AllGather, bytes * u64::from(machine.living_count()));
        for (operation, bytes) in
            [(Operation::AllReduce, bytes), (Operation::Scan, bytes), (Operation::Barrier, 0)]
        {
            let summed = best(&machine, operation, bytes);
            assert!(summed <= gathered, "{} of {bytes} on {name}: {summed:?} {gathered:?}", operation.name());
        }
    }
}
