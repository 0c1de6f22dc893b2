//! Divide and conquer, written once and run by different executors.

/// A problem that is divided until it is small, in the words of the field.
///
/// What one rank keeps and what it sends away are a problem each; how large they are, in bytes, is their
/// [`volume`](crate::transport::Wire::volume).
pub trait DivideAndConquer: Sync {
    /// What is to be solved.
    type Problem: Send;
    /// What comes of it.
    type Solution: Send;

    /// Whether dividing is not worth while.
    fn is_small(&self, problem: &Self::Problem) -> bool;

    /// Solves a problem without dividing it.
    fn solve(&self, problem: Self::Problem) -> Self::Solution;

    /// What is kept and what is sent away, for so many workers on each side: (kept, sent). With equal numbers these are halves.
    fn divide(&self, problem: Self::Problem, workers: (u32, u32)) -> (Self::Problem, Self::Problem);

    /// One solution of what was kept and what was sent away.
    fn combine(&self, kept: Self::Solution, sent: Self::Solution) -> Self::Solution;
}
