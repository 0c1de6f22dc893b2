//! The command line, for `meshwright` and `meshwright-mpi`: one file per verb; here what they share: the grammar and the exit codes.
//!
//! | file | what |
//! |---|---|
//! | `plan`, `map`, `split`, `groups`, `race`, `check`, `explain`, `machines`, `fit`, `simulate`, `sweep`, `run`, [`sort`], [`divide`], [`scatter`], `claims` | the verbs |
//! | `costs`, `traffic`, `search`, `input` | the options that change a machine; those of routers and traffic; those of a search; that of standard input |
//! | `call` | a verb inside another process, such as Python |
//! | `table`, `output`, `error` | tables, printing and progress, errors drawn on the text |
//! | `manner` | how much is said, in which unit, how wide |
//! | `load` | divisible loads in tables and words |
//! | `collective` | operations of one group on every structure, for `groups` |
//! | `group_tables`, `group_csv` | programs of groups in tables and words, and for programs |
//! | `trace` | traces of real programs, for `simulate` and `fit` |
//! | `further` | variants of a machine, a further source, loads that keep coming |
//! | `files`, `emit` | the files of a plan, and those of launchers |
//! | `values` | several values of one option |
//! | `csv` | tables for programs |
//! | `init`, `tour` | a scenario to begin with; the planners at work |
//! | [`grammar`] | old names and short names of options; the list of verbs |
//! | `shell` | completions and manual pages |

// The text of `--help` is no Markdown: brackets in it are no links.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags, rustdoc::bare_urls)]

mod call;
mod check;
#[cfg(feature = "papers")]
mod claims;
mod collective;
mod completion;
mod costs;
pub mod csv;
#[cfg(feature = "demos")]
pub mod divide;
mod emit;
pub mod error;
mod explain;
mod factors;
pub mod files;
mod fit;
mod further;
pub mod grammar;
mod group_csv;
mod group_tables;
mod groups;
mod init;
mod input;
mod load;
mod machines;
pub mod manner;
mod map;
pub mod output;
mod plan;
#[cfg(test)]
mod python;
mod race;
pub mod run;
#[cfg(feature = "demos")]
pub mod scatter;
mod schedule_files;
mod search;
mod shell;
mod simulate;
#[cfg(feature = "demos")]
pub mod sort;
mod split;
pub mod sweep;
pub mod table;
mod tour;
mod trace;
mod traffic;
mod values;

use std::process::ExitCode;

pub use call::{Called, call};
use clap::{Parser, Subcommand};

pub use costs::{Broken, MACHINES};
use meshwright_core::{Error, Result};
#[cfg(feature = "demos")]
use meshwright_network::topology::Machine;
use meshwright_runtime::transport::Lost;

/// The most ranks that are threads of one process.
const THREADS_MAX: u32 = 1024;

/// How many ranks there are as threads when nobody says: these nodes of the machine, if one is named.
#[cfg(feature = "demos")]
fn ranks_as_threads(
    machine: Option<Machine>,
    nodes: fn(&Machine) -> u32,
    otherwise: impl FnOnce() -> u32,
) -> Result<u32> {
    let ranks = machine.as_ref().map_or_else(otherwise, nodes);
    check_threads(ranks).map(|()| ranks)
}

/// Refuses more ranks than threads.
fn check_threads(ranks: u32) -> Result<()> {
    if ranks <= THREADS_MAX {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: "a run on threads",
        needed: format!("{ranks} ranks"),
        limit: format!("{THREADS_MAX}; `mpirun -n {ranks} meshwright-mpi` takes more"),
    })
}

/// What a verb found; an error is the third exit code.
#[derive(Debug)]
pub enum Answer {
    /// Done: exit 0.
    Done,
    /// A negative answer, such as a deadlock: exit 1.
    Negative,
    /// An answer beside numbers that contradict each other and were shown on stderr: exit 70.
    Contradicted,
}

impl Answer {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Negative => 1,
            Self::Contradicted => CONTRADICTION,
        }
    }
}

/// The exit code where a time falls below its bound: `EX_SOFTWARE` of `sysexits.h`.
const CONTRADICTION: u8 = 70;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  a negative answer (a deadlock, an impossible claim, another verdict than the recorded one)
  2  unacceptable input; nothing is written
  3  a rank was lost (run, sort, scatter)
 70  two numbers of the program contradict each other: a bug, please report it";

/// The longest line of a text that is set by hand; `--help` is no wider than 100 columns.
const HELP_WIDTH: usize = 98;

#[derive(Parser)]
#[command(
    name = "meshwright",
    version,
    about = "Place parallel work on mesh-connected machines, prove how good that is, simulate and run it",
    after_help = EXIT_CODES,
    max_term_width = 100
)]
struct CommandLine {
    #[command(flatten)]
    color: colorchoice_clap::Color,
    #[command(flatten)]
    manner: manner::Manner,
    #[command(subcommand)]
    verb: Verb,
}

impl CommandLine {
    /// Refuses what has no effect.
    fn check(&self) -> Result<()> {
        let expected = match self.verb {
            Verb::Plan(_)
            | Verb::Explain(_)
            | Verb::Map(_)
            | Verb::Race(_)
            | Verb::Simulate(_)
            | Verb::Sweep(_)
            | Verb::Groups(_) => return Ok(()),
            Verb::Split(_) => {
                "none with split: its times are parts of w Tcp, the time of the whole load on one processor"
            }
            _ => {
                "only with plan, explain, map, race, simulate, sweep and groups: their times are cycles of the machine"
            }
        };
        self.manner.units().map_or(Ok(()), |_| Err(Error::value("units", "given", expected)))
    }
}

#[derive(Subcommand)]
enum Verb {
    Map(map::MapArguments),
    Simulate(simulate::SimulateArguments),
    Sweep(sweep::SweepArguments),
    Plan(plan::PlanArguments),
    Split(split::SplitArguments),
    Groups(groups::GroupsArguments),
    Race(race::RaceArguments),
    Explain(explain::ExplainArguments),
    Check(check::CheckArguments),
    Run(run::RunArguments),
    Machines(machines::MachinesArguments),
    Fit(fit::FitArguments),
    #[cfg(feature = "demos")]
    Sort(sort::SortCommand),
    #[cfg(feature = "demos")]
    Divide(divide::DivideArguments),
    #[cfg(feature = "demos")]
    Scatter(scatter::OnThreads),
    #[cfg(feature = "papers")]
    Claims(claims::ClaimsArguments),
    Init(init::InitArguments),
    Tour(tour::TourArguments),
    Completions(shell::CompletionsArguments),
    Man(shell::ManArguments),
}

/// The verbs of `meshwright` with their options, for pages about them.
///
/// # Examples
///
/// ```
/// assert!(meshwright_cli::command_line().get_subcommands().any(|verb| verb.get_name() == "map"));
/// ```
pub fn command_line() -> clap::Command {
    grammar::command::<CommandLine>()
}

/// Runs the program.
pub fn run() -> ExitCode {
    let line = match grammar::parse::<CommandLine>(std::env::args_os()) {
        Ok(line) => line,
        Err(error) => {
            error::usage::<CommandLine>(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    meshwright_core::interrupt::watch(meshwright_core::output::clean);
    line.color.write_global();
    line.manner.set();
    output::pulse();
    ExitCode::from(on_line(&line))
}

/// Runs what a command line asks for; the exit code.
fn on_line(line: &CommandLine) -> u8 {
    code_of(line.check().map_err(Failure::Input).and_then(|()| answer(&line.verb)))
}

/// Runs a verb.
fn answer(verb: &Verb) -> Result<Answer, Failure> {
    let answer = match verb {
        Verb::Plan(arguments) => plan::run(arguments),
        Verb::Map(arguments) => map::run(arguments),
        Verb::Split(arguments) => split::run(arguments),
        Verb::Groups(arguments) => groups::run(arguments),
        Verb::Race(arguments) => race::run(arguments),
        Verb::Check(arguments) => check::run(arguments),
        Verb::Explain(arguments) => explain::run(arguments),
        Verb::Machines(arguments) => machines::run(arguments),
        Verb::Simulate(arguments) => simulate::run(arguments),
        Verb::Fit(arguments) => fit::run(arguments),
        Verb::Sweep(arguments) => sweep::run(arguments),
        Verb::Run(arguments) => return run::run(arguments),
        #[cfg(feature = "demos")]
        Verb::Sort(arguments) => return sort::run(arguments),
        #[cfg(feature = "demos")]
        Verb::Divide(arguments) => divide::run(arguments),
        #[cfg(feature = "demos")]
        Verb::Scatter(arguments) => return scatter::run(arguments),
        #[cfg(feature = "papers")]
        Verb::Claims(arguments) => claims::run(arguments),
        Verb::Init(arguments) => init::run(arguments),
        Verb::Tour(arguments) => tour::run(arguments),
        Verb::Completions(arguments) => shell::completions(arguments),
        Verb::Man(arguments) => shell::man(arguments),
    };
    answer.map_err(Failure::Input)
}

/// Why a verb came to no answer.
#[derive(Debug)]
pub enum Failure {
    /// Unacceptable input: exit 2; or numbers that contradict each other: exit 70.
    Input(Error),
    /// Rank 0 refuses its input, and says why: exit 2, without a word.
    Told,
    /// A rank died or hangs: exit 3.
    Lost(Lost),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Input(error)
    }
}

impl From<Lost> for Failure {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Input(Error::Contradiction(_)) => CONTRADICTION,
            Self::Input(_) | Self::Told => 2,
            Self::Lost(_) => 3,
        }
    }

    /// Says on stderr what went wrong.
    pub fn show(&self) {
        match self {
            Self::Input(error) => error::show(error),
            Self::Told => {}
            Self::Lost(lost) => error::tell(&lost.to_string()),
        }
    }
}

/// Says what went wrong, if anything did; the exit code.
pub fn exit(outcome: Result<Answer, Failure>) -> ExitCode {
    ExitCode::from(code_of(outcome))
}

/// The same as a number.
fn code_of(outcome: Result<Answer, Failure>) -> u8 {
    match outcome {
        Ok(answer) => answer.code(),
        Err(failure) => {
            failure.show();
            failure.code()
        }
    }
}

/// The lines of `--help` that are set by hand and do not fit beside the others, of all verbs.
pub fn lines_too_long(command: &clap::Command) -> Vec<String> {
    let own = [command.get_after_help(), command.get_after_long_help(), command.get_before_help()];
    let own = own.into_iter().flatten().map(ToString::to_string);
    let lines = own.flat_map(|text| text.lines().map(str::to_string).collect::<Vec<_>>());
    let long = lines.filter(|line| line.chars().count() > HELP_WIDTH);
    let long = long.map(|line| format!("{}: {line}", command.get_name()));
    long.chain(command.get_subcommands().flat_map(lines_too_long)).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn lines_of_help_do_not_wrap() {
        let none: [&str; 0] = [];
        assert_eq!(super::lines_too_long(&super::CommandLine::command()), none);
    }
}
