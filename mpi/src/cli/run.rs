//! `meshwright-mpi run`.

use meshwright_cli as cli;
use meshwright_runtime::transport::Endpoint;

use super::Outcome;

pub(super) use cli::run::RunArguments;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &RunArguments, endpoint: impl Endpoint) -> Outcome {
    cli::run::run_on(arguments, endpoint)
}
