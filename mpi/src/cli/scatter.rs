//! `meshwright-mpi scatter`.

use meshwright_cli::scatter::{ScatterArguments, run_on};
use meshwright_mpi::MpiEndpoint;
use meshwright_runtime::transport::Endpoint;

use super::Outcome;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &ScatterArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let host = endpoint.processes()[endpoint.rank() as usize].host.clone();
    if arguments.is_adaptive() {
        endpoint.forgive();
    }
    run_on(arguments, endpoint, &host)
}
