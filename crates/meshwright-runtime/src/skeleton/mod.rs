//! Work that really runs: on this thread, on all threads, on ranks.
//!
//! | file | what |
//! |---|---|
//! | [`divide_and_conquer`] | [`DivideAndConquer`]: divide, is-small, solve, combine; executors on one thread and on all |
//! | [`execute`] | any schedule, rank by rank, every byte checked |
//! | [`keep_half`] | [`on_ranks`]: the executor on ranks, keep half, send half; what was sent in each phase |
//! | [`host`] | [`from_host`]: rank 0 has the problem, reads the clock and gets the solution |

pub mod divide_and_conquer;
pub mod execute;
pub mod host;
pub mod keep_half;

pub use divide_and_conquer::{DivideAndConquer, on_threads, sequential};
pub use host::{HostRun, from_host, meet};
pub use keep_half::{Record, Run, on_ranks};
