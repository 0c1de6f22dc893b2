//! Each application: a problem of any size, and the ways in which others would solve it.

mod broadcast;
mod components;
mod matrix_chain;
mod merge_sort;
mod reduce;

use std::ops::Range;

use super::Task;
use super::collectives::{Collectives, Peers};
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;
use meshwright_runtime::transport::{Endpoint, Lost, Wire};

/// What is solved.
pub(super) type Problem<C> = <<C as SpeedupCase>::App as DivideAndConquer>::Problem;
/// What comes of it.
pub(super) type Solution<C> = <<C as SpeedupCase>::App as DivideAndConquer>::Solution;
/// A way of others, by its name; it runs in a pool of threads.
pub(super) type PoolWay<C> = (&'static str, fn(&C, Problem<C>) -> Solution<C>);

/// An application with a problem.
pub(super) trait SpeedupCase: Sync + Sized + 'static {
    type App: DivideAndConquer<Problem: Wire + Clone + Sync + 'static, Solution: Wire + PartialEq + Sync + 'static>;

    /// What others call on one machine; the last one is the joins of rayon, written by hand.
    const WAYS: &'static [PoolWay<Self>];

    /// What others call on ranks, with [`Collectives::PREFIX`] in the place of each `*`.
    const COLLECTIVES: &'static str;

    /// The problem of a task; everything else is ready on every rank.
    fn new(task: &Task) -> Self;

    fn app(&self) -> &Self::App;

    fn problem(&self) -> Problem<Self>;

    /// How large the problem is, without making it.
    fn volume(&self) -> Bytes;

    /// The solution, found by an independent way.
    fn reference(&self, problem: &Problem<Self>) -> Solution<Self>;

    /// The solution at the root, by collective operations.
    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        problem: Option<Problem<Self>>,
    ) -> Result<Option<Solution<Self>>, Lost>;
}

/// Something that can be done with every application.
pub(super) trait Visit {
    type Outcome;

    fn visit<C: SpeedupCase>(self, case: C) -> Self::Outcome;
}

/// Does it with the application of this task.
pub(super) fn visit<V: Visit>(task: &Task, visitor: V) -> V::Outcome {
    match task.application.name {
        "merge-sort" => visitor.visit(merge_sort::MergeSortCase::new(task)),
        "matrix-chain" => visitor.visit(matrix_chain::MatrixChainCase::new(task)),
        "components" => visitor.visit(components::ComponentsCase::new(task)),
        "broadcast" => visitor.visit(broadcast::BroadcastCase::new(task)),
        "reduce" => visitor.visit(reduce::ReduceCase::new(task)),
        other => unreachable!("{other} has a case"),
    }
}

/// The bytes of a task's problem.
pub(super) fn volume(task: &Task) -> u64 {
    struct Volume;
    impl Visit for Volume {
        type Outcome = u64;

        fn visit<C: SpeedupCase>(self, case: C) -> u64 {
            case.volume().0
        }
    }
    visit(task, Volume)
}

/// The share of one worker of so many things.
fn share(things: usize, worker: u32, workers: u32) -> Range<usize> {
    let cut = |worker: u32| (things as u128 * u128::from(worker) / u128::from(workers)) as usize;
    cut(worker)..cut(worker + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speedup::APPLICATIONS;

    #[test]
    fn volumes_are_those_of_the_problems() {
        struct Made;
        impl Visit for Made {
            type Outcome = u64;

            fn visit<C: SpeedupCase>(self, case: C) -> u64 {
                case.problem().volume().0
            }
        }
        for application in APPLICATIONS {
            for size in [1, 2, 65, 100] {
                let task = Task::new(application, Some(size), (3, 1, 1)).unwrap();
                assert_eq!(volume(&task), visit(&task, Made), "{} {size}", application.name);
            }
        }
    }

    #[test]
    fn shares_are_all_there_is() {
        for (things, workers) in [(0, 1), (0, 3), (7, 3), (3, 7), (64, 64)] {
            let all: Vec<usize> = (0..workers).flat_map(|worker| share(things, worker, workers)).collect();
            assert_eq!(all, (0..things).collect::<Vec<_>>(), "{things} among {workers}");
        }
    }
}
