//! Divide and conquer, written once and run by different executors.

use crate::transport::Wire;

/// A problem that is divided until it is small, in the words of the field.
///
/// What one rank keeps and what it sends away are a problem each; how large they are, in bytes, is their
/// [`volume`](crate::transport::Wire::volume).
///
/// # Examples
///
/// The sum of a list: its parts on one thread, on all threads, on ranks.
///
/// ```
/// use meshwright_schedule::RankTree;
/// use meshwright_runtime::skeleton::{DivideAndConquer, on_ranks, on_threads, sequential};
/// use meshwright_runtime::transport::{Mailbox, threads};
/// struct Sum;
/// impl DivideAndConquer for Sum {
///     type Problem = Vec<u64>;
///     type Solution = u64;
///     fn is_small(&self, list: &Vec<u64>) -> bool {
///         list.len() < 2
///     }
///     fn solve(&self, list: Vec<u64>) -> u64 {
///         list.iter().sum()
///     }
///     fn divide(&self, mut list: Vec<u64>, (kept, sent): (u32, u32)) -> (Vec<u64>, Vec<u64>) {
///         let rest = list.split_off(list.len() * kept as usize / (kept + sent) as usize);
///         (list, rest)
///     }
///     fn combine(&self, kept: u64, sent: u64) -> u64 {
///         kept + sent
///     }
/// }
/// let list: Vec<u64> = (1..=100).collect();
/// assert_eq!(sequential(&Sum, list.clone()), 5050);
/// assert_eq!(on_threads(&Sum, list.clone()), 5050);
/// let tree = RankTree::halving(5);
/// let ended = threads::run(5, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let problem = (mail.rank() == tree.root()).then(|| list.clone());
///     on_ranks(&Sum, &tree, &mut mail, problem)
/// })?;
/// assert_eq!(ended[0].solution, Some(5050));
/// assert!(ended[1..].iter().all(|run| run.solution.is_none()));
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
///
/// # Source
///
/// `lo1990`, section 3.
pub trait DivideAndConquer: Sync {
    /// What is to be solved.
    type Problem: Send;
    /// What comes of it.
    type Solution: Send;

    /// Whether dividing is not worth while.
    fn is_small(&self, problem: &Self::Problem) -> bool;

    /// Solves a problem without dividing it.
    fn solve(&self, problem: Self::Problem) -> Self::Solution;

    /// Solves a problem of any size that nobody else helps with: what one thread or one rank does with its own part. It divides until
    /// problems are small, as [`sequential`] does, unless the application knows a quicker way.
    fn solve_alone(&self, problem: Self::Problem) -> Self::Solution
    where
        Self: Sized,
    {
        sequential(self, problem)
    }

    /// What is kept and what is sent away, for so many workers on each side: (kept, sent). With equal numbers these are halves.
    fn divide(&self, problem: Self::Problem, workers: (u32, u32)) -> (Self::Problem, Self::Problem);

    /// One solution of what was kept and what was sent away.
    fn combine(&self, kept: Self::Solution, sent: Self::Solution) -> Self::Solution;

    /// The same of a solution as it has come from another rank; none when these bytes are none. An application may know how to do
    /// without a second copy of it.
    fn combine_bytes(&self, kept: Self::Solution, sent: &[u8]) -> Option<Self::Solution>
    where
        Self::Solution: Wire,
    {
        Some(self.combine(kept, Self::Solution::from_bytes(sent)?))
    }
}

/// Divides into halves until they are small, on this thread.
pub fn sequential<A: DivideAndConquer>(app: &A, problem: A::Problem) -> A::Solution {
    if app.is_small(&problem) {
        return app.solve(problem);
    }
    let (kept, sent) = app.divide(problem, (1, 1));
    let kept = sequential(app, kept);
    app.combine(kept, sequential(app, sent))
}

/// Divides into halves until they are small, on all threads of the pool: who has nothing to do steals the largest part
/// that waits.
pub fn on_threads<A: DivideAndConquer>(app: &A, problem: A::Problem) -> A::Solution {
    if app.is_small(&problem) {
        return app.solve(problem);
    }
    let (kept, sent) = app.divide(problem, (1, 1));
    let (kept, sent) = rayon::join(|| on_threads(app, kept), || on_threads(app, sent));
    app.combine(kept, sent)
}
