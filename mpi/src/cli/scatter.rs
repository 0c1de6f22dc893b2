//! `meshwright-mpi scatter`.

use meshwright::cli::scatter::{Arguments, run_on};
use meshwright::transport::Endpoint;

use super::Outcome;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &Arguments, endpoint: impl Endpoint) -> Outcome {
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "unknown".to_string());
    run_on(arguments, endpoint, &host)
}
