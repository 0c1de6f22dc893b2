//! `meshwright-mpi sort`.

use meshwright_cli::sort;
use meshwright_runtime::transport::Endpoint;

use super::Outcome;

pub(super) use sort::SortArguments;

/// Runs the verb on this rank.
pub(super) fn run(arguments: &SortArguments, endpoint: impl Endpoint) -> Outcome {
    sort::run_on(arguments, endpoint)
}
