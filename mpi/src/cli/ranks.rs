//! `meshwright-mpi ranks`.

use clap::Args;

use meshwright::cli::{Answer, output, table};
use meshwright::transport::{Endpoint, Mailbox};

use super::Outcome;

/// Show which rank runs on which host
#[derive(Args)]
pub(super) struct Arguments {}

/// Runs the verb on this rank.
pub(super) fn run(_: &Arguments, endpoint: impl Endpoint) -> Outcome {
    let mut mail = Mailbox::new(endpoint);
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "unknown".to_string());
    if mail.rank() > 0 {
        mail.send(0, 0, &host)?;
        return Ok(Answer::Done);
    }
    let mut rows = vec![vec!["0".to_string(), host]];
    for rank in 1..mail.ranks() {
        rows.push(vec![rank.to_string(), mail.receive(rank, 0)?]);
    }
    output::print(&table::table(&["rank", "host"], 1, rows))?;
    Ok(Answer::Done)
}
