//! The way into MPI and out of it. Rank 0 speaks for all, all end with the same code, and nothing that goes wrong leaves ranks
//! behind that wait for ever.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use meshwright_cli::error::{tell, usage};
use meshwright_cli::{Answer, Failure};
use meshwright_core::Error;
use meshwright_mpi::{MpiEndpoint, Process};
use meshwright_runtime::transport::{Endpoint, Finder, Lost};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use super::{CommandLine, Outcome, dispatch, rank_order};

/// What launchers say about a process: how many there are, and which one this is.
const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// How long another rank waits for rank 0 to say what went wrong for all, before it says so itself.
const TURN: Duration = Duration::from_millis(500);

/// How long the start may take, until all ranks know each other: MPI itself waits for all of them.
const START: Duration = Duration::from_secs(120);

/// How long leaving MPI may take, and how long ending all ranks.
const LEAVING: Duration = Duration::from_secs(10);
const ABORT: Duration = Duration::from_secs(2);

/// What is said when that was not enough.
const STUCK: &str = "MPI does not let this process go; it ends now";

/// The exit codes of a rank that has heard of a lost one, and of one that has panicked.
const LOST: u8 = 3;
const PANIC: u8 = 101;

/// Runs the program on this rank.
pub(crate) fn run() -> ExitCode {
    let line = meshwright_cli::grammar::parse::<CommandLine>(std::env::args_os());
    let launched = LAUNCHERS.iter().find_map(|(ranks, rank)| Some((number(ranks)?, number(rank)?)));
    match (&line, launched) {
        (Err(error), None | Some((1, _))) => {
            usage::<CommandLine>(error);
            ExitCode::from(code_of(error))
        }
        _ => with_mpi(line, launched),
    }
}

fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

fn code_of(error: &clap::Error) -> u8 {
    u8::try_from(error.exit_code()).unwrap_or(2)
}

fn with_mpi(line: Result<CommandLine, clap::Error>, launched: Option<(u32, u32)>) -> ExitCode {
    let starting =
        guard(START, LOST, "the ranks did not find each other within 120 s: one of them, or its host, hangs");
    let blocks = line.as_ref().is_ok_and(|line| line.verb.blocks());
    let threading = if blocks { Threading::Multiple } else { Threading::Funneled };
    let (universe, _) = mpi::initialize_with_threading(threading).expect("MPI is started once in a process");
    let world = universe.world();
    let ranks = world.size() as u32;
    if let Some((started, rank)) = launched
        && started > 1
        && ranks == 1
    {
        return refuse(started, rank, universe);
    }
    match line {
        Err(error) => {
            if world.rank() == 0 {
                usage::<CommandLine>(&error);
            }
            world.barrier(); // a rank that ends before the others would end rank 0 before it has spoken
            leave(universe, ExitCode::from(code_of(&error)))
        }
        Ok(line) => {
            // Open MPI gives ranks a terminal for standard output, whatever becomes of that behind it.
            match line.color.as_choice() {
                anstream::ColorChoice::Auto if std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() => {
                    anstream::ColorChoice::Never.write_global();
                }
                chosen => chosen.write_global(),
            }
            meshwright_core::interrupt::watch(meshwright_core::output::clean);
            on_ranks(&line, universe, starting)
        }
    }
}

/// The trap of a machine with two MPIs: every process is alone, and all would do the work of all.
fn refuse(started: u32, rank: u32, universe: Universe) -> ExitCode {
    if rank == 0 {
        let version = mpi::environment::library_version().unwrap_or_default();
        let version = version.split(',').next().unwrap_or_default();
        tell(&format!(
            "{started} processes were started, but each of them is alone: the launcher belongs to another MPI than the one this \
             program was built with ({version})"
        ));
    } else {
        sleep(TURN);
    }
    leave(universe, ExitCode::from(2))
}

/// Runs the verb on this rank, and leaves together with the others.
fn on_ranks(line: &CommandLine, universe: Universe, starting: Sender<()>) -> ExitCode {
    let world = match rank_order::world(&universe.world(), line.rank_order.as_deref()) {
        Ok(world) => world,
        Err(refused) => end_for_input(refused),
    };
    let mut endpoint = MpiEndpoint::watching(&world, line.patience());
    drop(starting);
    drop(world); // the endpoint has its own, and MPI frees nothing after its end
    let rank = endpoint.rank();
    let processes = endpoint.processes().to_vec();
    announce_panics(rank, processes[rank as usize].clone());
    endpoint.on_lost(move |lost, finder| match finder {
        Finder::Own => end_for(lost, &processes),
        Finder::Other => {
            sleep(TURN); // the finder speaks, and ends all ranks if it can
            end(LOST)
        }
    });
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatch(&line.verb, &mut endpoint)));
    let answer = match outcome {
        Ok(outcome) => end_for_failure(outcome, &endpoint),
        Err(panic) => end_for_panic(&panic),
    };
    if let Err(lost) = endpoint.finish() {
        end_for(&lost, endpoint.processes());
    }
    let code = answer.code();
    if !endpoint.losses().is_empty() {
        leave_without_the_lost(rank, code);
    }
    let guard = guard(LEAVING, code, STUCK);
    drop(endpoint);
    drop(guard);
    leave(universe, ExitCode::from(code))
}

/// A verb that failed ends the run here.
fn end_for_failure(outcome: Outcome, endpoint: &MpiEndpoint) -> Answer {
    let failure = match outcome {
        Ok(answer) => return answer,
        Err(failure) => failure,
    };
    if endpoint.rank() > 0 {
        sleep(TURN);
    }
    match &failure {
        Failure::Lost(lost) => end_for(lost, endpoint.processes()),
        Failure::Input(_) | Failure::Told => {
            failure.show();
            end(failure.code())
        }
    }
}

/// Unacceptable input for all ranks, known to one: that one speaks, and all end.
fn end_for_input(refused: Option<Error>) -> ! {
    match refused {
        Some(error) => {
            let failure = Failure::Input(error);
            failure.show();
            end(failure.code())
        }
        None => {
            sleep(TURN);
            end(2)
        }
    }
}

/// Says that a rank is lost, and ends all ranks.
fn end_for(lost: &Lost, processes: &[Process]) -> ! {
    let Lost { rank, why } = lost;
    let process = processes.get(*rank as usize).map_or(String::new(), |process| format!(" ({process})"));
    tell(&format!("rank {rank}{process} is lost: {why}"));
    end(LOST)
}

/// The same where lost ranks are forgiven, so that each of the others comes to this by itself: one of them speaks, if it can.
pub(super) fn end_for_forgiven(lost: &Lost, own: u32, processes: &[Process]) -> ! {
    if own != (lost.rank + 1) % processes.len() as u32 {
        sleep(3 * TURN);
    }
    end_for(lost, processes)
}

/// A panic has been announced where it happened.
fn end_for_panic(_: &(dyn Any + Send)) -> ! {
    end(PANIC)
}

/// Panics say on which rank they happen.
fn announce_panics(rank: u32, process: Process) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(&format!("a bug: rank {rank} ({process}) has panicked"));
        usual(panic);
    }));
}

/// Ends all ranks with this exit code; under `--enable-recovery` Open MPI ends this one only.
fn end(code: u8) -> ! {
    let _guard = guard(ABORT, code, STUCK);
    SimpleCommunicator::world().abort(i32::from(code))
}

/// The others are done; MPI cannot be left in order, because it would wait for those that are lost.
fn leave_without_the_lost(rank: u32, code: u8) -> ! {
    if rank > 0 {
        sleep(TURN); // the exit code is that of rank 0
    }
    end(code)
}

/// Leaves MPI, and ends with this code.
fn leave(universe: Universe, code: ExitCode) -> ExitCode {
    let guard = guard(LEAVING, LOST, STUCK);
    drop(universe);
    drop(guard);
    code
}

/// From now on this process ends after this time with this code, wherever it hangs, unless the guard is dropped.
fn guard(time: Duration, code: u8, sentence: &'static str) -> Sender<()> {
    let (guard, is_gone) = channel();
    std::thread::spawn(move || {
        if is_gone.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
            tell(sentence);
            std::process::exit(code.into());
        }
    });
    guard
}
