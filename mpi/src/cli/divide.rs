//! `meshwright-mpi divide`.

use clap::Args;
use meshwright_cli::output::Progress;
use meshwright_cli::{Answer, divide};
use meshwright_demos::speedup::measure_on_ranks;
use meshwright_mpi::{MpiCollectives, MpiEndpoint};
use meshwright_runtime::transport::{Endpoint, Mailbox};

use super::Outcome;

const HELP: &str = "\
Examples:
  mpirun -n 4 meshwright-mpi divide merge-sort
  mpirun -n 16 meshwright-mpi divide all --on mesh:4x4 --placement auto --json

sequential is one rank while the others wait; ranks keep half and send half along the placed tree,
one thread each. Beside them stand the collective operations of MPI, with the same root.";

/// Run divide and conquer on one rank and on all, beside the collective operations of MPI
#[derive(Args)]
#[command(after_help = format!("{}\n\n{HELP}", divide::APPLICATIONS))]
pub(super) struct DivideArguments {
    #[command(flatten)]
    work: divide::DivideOptions,
}

/// Runs the verb on this rank.
pub(super) fn run(arguments: &DivideArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let mut collectives = MpiCollectives::new(endpoint.world(), endpoint.attendant());
    let ranks = endpoint.ranks();
    let mut mail = Mailbox::new(endpoint);
    // Every rank plans the same, and a search takes its time.
    let tasks = mail.compute(|| arguments.work.tasks(ranks))??;
    let mut progress = (mail.rank() == 0).then(Progress::new);
    let mut all = Vec::new();
    for (task, ranked) in &tasks {
        mail.endpoint().tell(&format!("at {}, one way or another", task.application.name));
        if let Some(progress) = &mut progress {
            progress.tell(task.application.name);
        }
        all.extend(measure_on_ranks(task, ranked, &mut mail, &mut collectives)?);
    }
    drop(progress);
    if mail.rank() > 0 {
        return Ok(Answer::Done);
    }
    Ok(arguments.work.print(None, ranks, all)?)
}
