//! One file per verb; here the grammar, and the way into MPI and out of it.
//!
//! | file | what |
//! |---|---|
//! | [`groups`] | groups that split, beside those of MPI |
//! | [`ranks`] | which rank runs where |

mod groups;
mod ranks;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use meshwright::cli::{Answer, Failure, exit};
use meshwright_mpi::MpiEndpoint;
use mpi::traits::Communicator;

const AFTER: &str = "\
Start it with mpirun, one process for each rank:
  mpirun -n 4 meshwright-mpi ranks

Exit codes:
  0  done
  1  a negative answer
  2  unacceptable input; nothing is written
  3  a rank was lost";

#[derive(Parser)]
#[command(name = "meshwright-mpi", version, about = "Runs the plans of Meshwright on MPI", after_help = AFTER, max_term_width = 100)]
struct CommandLine {
    #[command(flatten)]
    color: colorchoice_clap::Color,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Ranks(ranks::Arguments),
    Groups(groups::Arguments),
}

/// What a verb comes to on one rank.
type Outcome = Result<Answer, Failure>;

/// Runs the program on this rank.
pub(crate) fn run() -> ExitCode {
    let line = CommandLine::parse();
    line.color.write_global();
    let (universe, _) =
        mpi::initialize_with_threading(mpi::Threading::Funneled).expect("MPI is started once in a process");
    let endpoint = MpiEndpoint::new(&universe.world());
    let outcome = match &line.verb {
        Verb::Ranks(arguments) => ranks::run(arguments, endpoint),
        Verb::Groups(arguments) => groups::run(arguments, &endpoint.world().duplicate(), endpoint),
    };
    exit(outcome)
}
