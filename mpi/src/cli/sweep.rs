//! `meshwright-mpi sweep`.

use clap::Args;
use meshwright_cli::error::tell;
use meshwright_cli::sweep;
use meshwright_mpi::MpiEndpoint;
use meshwright_runtime::transport::{Endpoint, Lost};

use super::{Outcome, frame};

const AFTER: &str = "\
Examples:
  mpirun -n 4 meshwright-mpi sweep --on mesh:16x16 --traffic uniform --results mesh.jsonl
  mpirun --enable-recovery -n 64 meshwright-mpi sweep --on torus:8x8 --traffic transpose \\
    --points 100 --saturation --results torus.jsonl --json

Rank 0 hands out the loads, heaviest first, keeps the files and prints; it measures as well.
The answer and the finished --results file are those of `meshwright sweep`, byte for byte,
however many ranks there are. --threads counts for each rank [default: the cores of its host,
divided among the ranks there]. Files such as graph:FILE must be the same on every host.

A rank that dies or hangs costs only the loads it was at: others measure them, if mpirun lets
them; Open MPI does with --enable-recovery. Where all ends, the same command goes on with what
the --results file holds.

Exit codes (Open MPI with --enable-recovery says 0 whatever they are):
  0  done
  1  the network deadlocks
  2  unacceptable input
  3  rank 0 was lost";

/// Measure latency against load as `meshwright sweep` does, the loads spread over the ranks
#[derive(Args)]
#[command(after_help = AFTER)]
#[group(skip)] // the name would be that of the group inside
pub(super) struct SweepArguments {
    #[command(flatten)]
    sweep: sweep::SweepArguments,
}

/// Runs the verb on this rank.
pub(super) fn run(arguments: &SweepArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    endpoint.forgive();
    let processes = endpoint.processes().to_vec();
    let own = endpoint.rank();
    let host = &processes[own as usize].host;
    let sharers = processes.iter().filter(|process| process.host == *host).count();
    let told = |lost: &Lost| {
        if own > 0 {
            frame::end_for_forgiven(lost, own, &processes);
        }
        let Lost { rank, why } = lost;
        let process = &processes[*rank as usize];
        tell(&format!("rank {rank} ({process}) is lost: {why}; the other ranks measure its points"));
    };
    sweep::run_on(&arguments.sweep, endpoint, sharers, told)
}
