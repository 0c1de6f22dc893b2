//! The referee: simulates a schedule and knows nothing about who planned it.
//!
//! | file | what |
//! |---|---|
//! | `network` | flat tables of the machine |
//! | `queue` | who waits for a channel, and who is next |
//! | `agenda` | what happens when |
//! | `channel` | the event-driven core: messages acquire, hold and release channels |
//! | `switching` | how a message moves over links under each switching |
//! | `ports` | what one-port nodes add |
//! | `phased` | runs with a barrier after each phase |
//! | `dependency` | runs in which each rank goes on when its own messages are there |
//! | `trace` | what was measured |
//! | [`traffic`] | open-loop synthetic traffic and its measurement |

mod agenda;
mod channel;
mod dependency;
mod network;
mod phased;
mod ports;
mod queue;
mod switching;
mod trace;
pub mod traffic;

pub use dependency::run_schedule;
pub use phased::run_phased;
pub use trace::{Trace, Wait};
