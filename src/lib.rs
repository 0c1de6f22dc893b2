//! Meshwright plans, proves, simulates and draws parallel work on mesh-connected machines.

pub mod error;
pub mod mapping;
pub mod report;
pub mod rng;
pub mod routing;
pub mod scenario;
pub mod schedule;
pub mod sim;
pub mod text;
pub mod topology;
pub mod units;
pub mod verdict;

pub use error::{Error, Result};
