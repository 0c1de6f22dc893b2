//! `meshwright-mpi scatter`.

use meshwright::cli::scatter::{Arguments, run_on};
use meshwright::transport::Endpoint;
use meshwright_mpi::MpiEndpoint;

use super::Outcome;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &Arguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let host = endpoint.processes()[endpoint.rank() as usize].host.clone();
    run_on(arguments, endpoint, &host)
}
