//! Meshwright on MPI: ranks are processes, perhaps on many machines.
//!
//! | file | what |
//! |---|---|
//! | [`endpoint`] | [`MpiEndpoint`]: one rank's end of the network |

pub mod endpoint;

pub use endpoint::MpiEndpoint;
