//! Work that really runs: on this thread, on all threads, on ranks.
//!
//! | file | what |
//! |---|---|
//! | [`divide_and_conquer`] | [`DivideAndConquer`]: divide, is-small, solve, combine; executors on one thread and on all |
//! | [`play`] | any schedule, rank by rank, every byte checked |

pub mod divide_and_conquer;
pub mod play;

pub use divide_and_conquer::DivideAndConquer;
