//! The flit engine: input-queued routers with virtual channels and credits, cycle by cycle.
//!
//! | file | what |
//! |---|---|
//! | `router` | how a router is built; presets that speak for other simulators |
//! | `settings` | the same by name |
//! | `setup` | from a machine and a router to tables; whether they fit |
//! | `wiring` | flat tables: which output feeds which input |
//! | `region` | the state of a range of routers, and one cycle of it |
//! | `source`, `arrive`, `depart` | flits enter a router, come in from a link, leave by the switch |
//! | `allocate`, `single` | who gets which output channel and who crosses the switch |
//! | `worm` | the same for one virtual channel, with events for heads, tails and standstills only |
//! | `fabric` | what the driver asks of either |
//! | `parts`, `wheel`, `packet` | blocks within a region; what comes in when; the packets under way |
//! | `injector` | open-loop sources |
//! | `blocks`, `lockstep`, `meeting` | blocks of routers in turn and side by side on threads, bit for bit as one |
//! | `replay` | schedules: messages become packets |
//! | `waiting` | the ring of channels of a network that stands still |

mod allocate;
mod arrive;
mod blocks;
mod depart;
mod fabric;
mod injector;
mod lockstep;
mod meeting;
mod packet;
mod parts;
mod region;
mod replay;
mod router;
mod settings;
mod setup;
mod single;
mod source;
mod waiting;
mod wheel;
mod wiring;
mod worm;

#[cfg(test)]
mod tests;

pub(crate) use lockstep::record_traffic;
pub use lockstep::run_traffic;
pub use replay::Replay;
pub use router::{Allocator, ROUTERS, Router, RouterModel, Stages};
pub use settings::{SETTINGS, Setting};
