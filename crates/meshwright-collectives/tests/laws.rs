//! Laws that every algorithm of the table keeps, on machines of every kind.

use meshwright_collectives::{OPERATIONS, Operation, Task, algorithm, bound};
use meshwright_core::error::Error;
use meshwright_core::units::{NodeId, Ratio};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::flit::Router;
use meshwright_sim::link_use::blame;
use meshwright_sim::{Engine, simulate};

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
            let bytes = if operation == Operation::Barrier { 0 } else { 64 * u64::from(machine.nodes()) };
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
