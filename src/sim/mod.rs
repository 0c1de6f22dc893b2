//! The referee: simulates a schedule and knows nothing about who planned it.
//!
//! | file | what |
//! |---|---|
//! | [`network`] | flat tables of the machine |
//! | [`queue`] | who waits for a channel, and who is next |
//! | [`channel`] | the event-driven core: messages acquire, hold and release channels |
//! | [`message`] | the message engine: phased and dependency-driven runs of a schedule |
//! | [`trace`] | what was measured |

pub mod channel;
pub mod message;
pub mod network;
pub mod queue;
pub mod trace;

pub use message::run_phased;
pub use trace::Trace;
