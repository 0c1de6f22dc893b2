//! Open-loop synthetic traffic: who sends to whom, how much, and what is measured.
//!
//! | file | what |
//! |---|---|
//! | [`pattern`] | who sends to whom |
//! | `permutation` | a pattern from a file |
//! | [`channel_load`] | mean distance and the throughput no router can exceed |
//! | [`routed_load`] | the load that a routing, or any, can carry in full |
//! | [`open_loop`] | load, packet length, warm-up, measurement, drain |
//! | [`latency`] | exact latencies with their confidence interval |
//! | [`measured`] | what a run measured |

pub mod channel_load;
pub mod latency;
pub mod measured;
pub mod open_loop;
pub mod pattern;
mod permutation;
pub mod routed_load;

pub use latency::Latencies;
pub use measured::{Arrival, Measured};
pub use open_loop::OpenLoop;
pub use pattern::{PATTERNS, Pattern};
