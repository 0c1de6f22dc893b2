//! Operations by others: every two algorithms of the table, whatever their blocks, are right one after the other, and every algorithm for all members
//! is right for one.

use meshwright_collectives::flow::Flow;
use meshwright_collectives::synthesis::Recipe;
use meshwright_collectives::synthesis::joined::{Joined, Narrowed, Part, of_all, pairs};
use meshwright_collectives::{Operation, Task, algorithm};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::{Engine, simulate};

/// Those that suit, whole and in chunks.
fn parts(task: &Task<'_>) -> Vec<Part> {
    let suits = algorithm::all().filter(|one| one.of(task).is_ok_and(|flow| !flow.is_copied()));
    let part = |name, chunks| Part {
        operation: task.operation,
        root: task.root,
        recipe: Recipe::Published(name, chunks),
    };
    suits.flat_map(|one| [part(one.name, 1), part(one.name, 3)]).collect()
}

/// None after a standstill: worms may wait for each other on rings.
fn cycles(task: &Task<'_>, flow: &Flow) -> Option<u64> {
    let schedule = flow.schedule(task.nodes(), task.machine().nodes(), None);
    let trace = simulate(task.machine(), &schedule, &Engine::Message).unwrap();
    trace.deadlock.is_none().then_some(trace.cycles.0)
}

#[test]
fn every_two_algorithms_are_right_one_after_the_other() {
    let holed = Machine::new("mesh:3x3").unwrap().with_dead(vec![NodeId(4)]).unwrap();
    for machine in [holed, Machine::new("torus:2x4").unwrap(), Machine::new("mesh:5").unwrap()] {
        for operation in [
            Operation::AllReduce,
            Operation::Broadcast,
            Operation::Reduce,
            Operation::AllGather,
            Operation::ReduceScatter,
        ] {
            for bytes in [3, 100] {
                let task = Task::new(&machine, operation, bytes, u32::from(operation.is_rooted())).unwrap();
                let bound = meshwright_collectives::bound::bound(&task).unwrap().cycles.0;
                let mut pieces = 0;
                for &[first, second] in pairs(operation) {
                    let root = if operation.is_rooted() { task.root } else { 2 };
                    let (ones, others) = (parts(&task.with(first, root)), parts(&task.with(second, root)));
                    assert!(ones.len() > 3 && others.len() > 3, "{} {}", ones.len(), others.len());
                    // Each against every fifth: all come up.
                    for (at, one) in ones.iter().enumerate() {
                        for other in others.iter().skip(at % 5).step_by(5) {
                            let joined = Joined([one.clone(), other.clone()]);
                            let flow = joined.flow(&task).unwrap();
                            assert_eq!(flow.check(operation, task.root, bytes), Ok(()), "{joined}");
                            assert!(cycles(&task, &flow).is_none_or(|cycles| bound <= cycles), "{joined}");
                            pieces = pieces.max(flow.blocks().len());
                        }
                    }
                }
                assert!(bytes < 100 || pieces > task.members() as usize, "blocks are cut: {pieces}");
            }
        }
    }
}

#[test]
fn every_algorithm_for_all_members_is_right_for_one() {
    let holed = Machine::new("mesh:3x3").unwrap().with_dead(vec![NodeId(4)]).unwrap();
    for machine in [holed, Machine::new("torus:2x4").unwrap(), Machine::new("mesh:5").unwrap()] {
        for operation in [Operation::Broadcast, Operation::Reduce, Operation::Scatter, Operation::Gather] {
            let all = of_all(operation).unwrap();
            for (bytes, root) in [(3, 0), (100, 2), (0, 3)] {
                let task = Task::new(&machine, operation, bytes, root).unwrap();
                let bound = meshwright_collectives::bound::bound(&task).unwrap().cycles.0;
                let (mut right, mut refused) = (0, 0);
                for part in parts(&task.with(all, root)) {
                    let whole = part.recipe.flow(&task.with(all, root)).unwrap();
                    let narrowed = Narrowed(part);
                    let Ok(flow) = narrowed.flow(&task) else {
                        assert!(whole.is_added_up() || whole.values() > 1, "{narrowed}");
                        refused += 1;
                        continue;
                    };
                    assert_eq!(flow.check(operation, root, bytes), Ok(()), "{narrowed}");
                    assert!(cycles(&task, &flow).is_none_or(|cycles| bound <= cycles), "{narrowed}");
                    assert!(flow.bytes_total() <= whole.bytes_total(), "{narrowed}");
                    // Nobody gets anything twice.
                    let others = u64::from(task.members() - 1);
                    assert!(
                        operation != Operation::Broadcast || flow.bytes_total() == bytes * others,
                        "{narrowed}"
                    );
                    right += 1;
                }
                assert!(right > 6 && refused < right, "{} {right} {refused}", operation.name());
            }
        }
    }
}
