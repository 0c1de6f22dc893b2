//! Meshwright on MPI: ranks are processes, perhaps on many machines.
//!
//! | file | what |
//! |---|---|
//! | [`endpoint`] | [`MpiEndpoint`]: one rank's end of the network; [`Attendant`]: while MPI blocks |
//! | [`collectives`] | [`MpiCollectives`]: the collective operations of MPI |
//! | [`process`] | [`Process`]: on which host a rank runs |

pub mod collectives;
pub mod endpoint;
pub mod process;

pub use collectives::MpiCollectives;
pub use endpoint::{Attendant, MpiEndpoint};
pub use process::Process;
