//! `meshwright-mpi run`.

use meshwright::cli;
use meshwright::transport::Endpoint;

use super::Outcome;

pub(super) use cli::run::Arguments;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &Arguments, endpoint: impl Endpoint) -> Outcome {
    cli::run::run_on(arguments, endpoint)
}
