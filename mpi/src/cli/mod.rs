//! One file per verb; here the grammar.
//!
//! | file | what |
//! |---|---|
//! | [`divide`] | divide and conquer beside the collective operations of MPI |
//! | [`frame`] | the way into MPI and out of it, whatever happens |
//! | [`groups`] | groups that split, beside those of MPI |
//! | [`race`] | collective operations with verified bytes, beside those of MPI |
//! | `rank_order` | ranks in the order of a file |
//! | [`run`](mod@run) | any schedule, every byte checked |
//! | [`ranks`] | which rank runs where, and how fast messages are |
//! | [`trial`] | what goes wrong on purpose, for tests |
//! | [`sweep`] | latency against load, the loads spread over the ranks |
//! | [`sort`] | merge sort of a file |
//! | [`scatter`] | divisible load on ranks |
//! | `seats` | its options that have to do with where ranks are |

mod divide;
mod frame;
mod groups;
mod race;
mod rank_order;
mod ranks;
mod run;
mod scatter;
mod seats;
mod sort;
mod sweep;
mod trial;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use meshwright_cli::{Answer, Failure};
use meshwright_mpi::MpiEndpoint;

pub(crate) use frame::run;

const AFTER: &str = "\
Start it with mpirun, one process for each rank:
  mpirun -n 4 meshwright-mpi ranks

Ranks watch each other. One that is silent for longer than --patience, because its process or its
host has died or hangs, ends the run; the message names it. mpirun itself notices processes that
die.

After an error mpirun adds words of its own; mpirun -q leaves them out.

Exit codes:
  0    done
  1    a negative answer
  2    unacceptable input; nothing is written
  3    a rank was lost
  101  a bug: a rank has panicked";

/// The heading of the options that all verbs have.
const RANKS: &str = "Ranks";

#[derive(Parser)]
#[command(name = "meshwright-mpi", version, about = "Runs the plans of Meshwright on MPI", after_help = AFTER, max_term_width = 100)]
struct CommandLine {
    #[command(flatten)]
    color: colorchoice_clap::Color,
    /// A rank that is silent for longer than this is lost; 0: nobody watches
    #[arg(long, global = true, help_heading = RANKS, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    patience: u32,
    /// Number the ranks as a file of `meshwright map --emit mpich-rank-order` says; for an MPI that does not read it
    #[arg(long, global = true, help_heading = RANKS, value_name = "FILE")]
    rank_order: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

impl CommandLine {
    fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.into())
    }
}

#[derive(Subcommand)]
enum Verb {
    Ranks(ranks::RanksArguments),
    Run(run::RunArguments),
    Sort(sort::SortArguments),
    Divide(divide::DivideArguments),
    Scatter(meshwright_cli::scatter::ScatterArguments),
    Groups(groups::GroupsArguments),
    Race(race::RaceArguments),
    Sweep(Box<sweep::SweepArguments>),
}

impl Verb {
    /// Whether it calls operations of MPI that block, during which a second thread answers other ranks.
    fn blocks(&self) -> bool {
        match self {
            Self::Divide(_) | Self::Groups(_) | Self::Race(_) => true,
            Self::Ranks(arguments) => arguments.blocks(),
            Self::Run(_) | Self::Sweep(_) | Self::Sort(_) | Self::Scatter(_) => false,
        }
    }
}

/// What a verb comes to on one rank.
type Outcome = Result<Answer, Failure>;

/// Runs the verb on this rank.
fn dispatch(verb: &Verb, endpoint: &mut MpiEndpoint) -> Outcome {
    match verb {
        Verb::Ranks(arguments) => ranks::run(arguments, endpoint),
        Verb::Run(arguments) => run::run(arguments, endpoint),
        Verb::Sort(arguments) => sort::run(arguments, endpoint),
        Verb::Divide(arguments) => divide::run(arguments, endpoint),
        Verb::Scatter(arguments) => scatter::run(arguments, endpoint),
        Verb::Groups(arguments) => groups::run(arguments, endpoint),
        Verb::Race(arguments) => race::run(arguments, endpoint),
        Verb::Sweep(arguments) => sweep::run(arguments, endpoint),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn lines_of_help_do_not_wrap() {
        let none: [&str; 0] = [];
        assert_eq!(meshwright_cli::lines_too_long(&super::CommandLine::command()), none);
    }
}
