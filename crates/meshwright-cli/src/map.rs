//! `meshwright map`.
//!
//! | file | what |
//! |---|---|
//! | this one | the options, and which of the three answers they ask for |
//! | `one` | the answer for one machine |
//! | `series` | an answer for each of several start-ups |
//! | `completion` | times of completion |
//! | `text`, `csv` | tables for people and for programs |

mod completion;
pub(crate) mod csv;
mod one;
mod series;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::output as disk;
use meshwright_core::text::Provided;
use meshwright_core::units::Bytes;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::given;
use meshwright_formats::scenario::logical::{self, AxisOption};
use meshwright_formats::scenario::tasks::{self, Weights};
use meshwright_formats::task_files;
use meshwright_mapping::divide::Preset;
use meshwright_mapping::logical::{OPERATIONS, Operation};
use meshwright_mapping::{PLACEMENTS, family};

use super::completion::CompletionArguments;
use super::costs::{MachineArguments, preset, seed, share, volume};
use super::csv::CsvFile;
use super::emit::EmitArguments;
use super::files::{self, Force, Png};
use super::input::FormatArgument;
use super::search::SearchArguments;
use super::{Answer, manner};

const HELP: &str = "\
Examples:
  meshwright map binomial:6 --on mesh:8x8
  meshwright map binomial:10 --on mesh:32x32 --placement reflecting,growing --switching all --json
  meshwright map binomial:14 --on mesh:128x128 --placement auto --switching store-and-forward
  meshwright map binomial:8 --on mesh:16x16 --preset broadcast --emit rankfile:ranks.txt
  meshwright map divide:5x7 --on mesh:5x7 --placement centred-halving
  meshwright map binomial:10 --on mesh:32x32 --preset merge-sort --work 4 --nodes 1..1024
  meshwright map binomial:20 --on mesh:1024x1024 --placement growing --formulas
  meshwright map examples/lammps-lj-64.phases.csv --on mesh:8x8 --placement search --time 5
  meshwright map examples/lammps-lj-16.phases.csv --on torus:4x4 --placement hilbert
  meshwright map examples/lammps-lj-16.phases.csv --on mesh:4x4 --placement exact --time 60
  meshwright map binomial:6 --on mesh:8x8 --emit rankfile:ranks.txt --hosts nodes.txt
  meshwright map logical:16x8 --axis 0=all-reduce:512MB --on torus:8x16 --emit jax:order.py

Exit codes:
  0  done
  1  a negative answer: every placement ends in a deadlock
  2  unacceptable input; nothing is written";

/// Place tasks on a machine and measure the placement: dilation, contention, times, bounds
///
/// Prints times under the switching of the machine, or under those that --switching asks for; with a single placement, also
/// its phases.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct MapArguments {
    /// binomial:N (2^N tasks), divide:N or divide:RxC (any number), complete-binary:N, logical:data=16,model=8 or logical:16x8
    /// (a logical mesh, with --axis), or a file: *.csv, *.mtx, *.graph, *.grf, *.goal,
    /// *.npy, *.graphml, *.json; `-` with --format for standard input
    #[arg(value_name = "TASKS")]
    tasks: String,
    #[command(flatten)]
    format: FormatArgument,
    #[command(flatten)]
    machine: MachineArguments,
    #[arg(long = "axis", value_name = "NAME=OPERATION:BYTES", value_parser = axis, help = axes())]
    axes: Vec<AxisOption>,
    #[arg(long, value_name = "NAMES", default_value = "all", value_delimiter = ',', help = placements())]
    placement: Vec<String>,
    /// binomial, divide: the share of the volume a child gets, as a number or p/q [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    alpha: Option<f64>,
    /// binomial, divide: the share on the way back up [default: no combining phases]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    combine_alpha: Option<f64>,
    /// binomial, divide: bytes at the root, such as 65536 or "64 KiB" [default: 65536]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = volume)]
    volume: Option<Bytes>,
    /// binomial, divide: a well-known computation in place of both shares: broadcast, reduce, leader-election, merge-sort,
    /// data-distribution, matrix-chain or graph-halving; where a tree does not halve evenly, parts of data are in proportion
    #[arg(long, value_name = "NAME", conflicts_with_all = ["alpha", "combine_alpha"], value_parser = preset)]
    preset: Option<&'static Preset>,
    /// The seed of the placements random and recursive-bisection and of the search: a whole number [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,
    /// Bounds and formulas only: simulate nothing
    #[arg(long, conflicts_with_all = ["out", "emit", "explain"])]
    formulas: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write map.json, report.html, plan.json, drawings and schedules into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    emit: EmitArguments,
    #[command(flatten)]
    search: SearchArguments,
    /// Also tell why the best placement takes as long as it does, see meshwright explain
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    completion: CompletionArguments,
    #[command(flatten)]
    csv: CsvFile,
}

fn axis(text: &str) -> Result<AxisOption, String> {
    logical::axis(text).map_err(|error| error.to_string())
}

/// The operations there are, for the help.
fn axes() -> String {
    let one = |operation: &Operation| format!("{} ({})", operation.name, operation.summary);
    let operations: Vec<String> = OPERATIONS.iter().map(one).collect();
    format!(
        "logical: what runs along an axis, such as data=all-reduce:512MB; given several times, one phase after the other. BYTES \
         is V, the buffer of one of the p devices on the axis, the larger of before and after. Operations: {}",
        operations.join("; ")
    )
}

/// The placements there are, for the help.
fn placements() -> String {
    let names: Vec<&str> = PLACEMENTS.iter().map(|method| method.name).collect();
    format!(
        "Which placements, with commas between: all; auto, which prices them and simulates the front runners; search; \
         exact, proved optimal in simulated time up to 16 tasks and beyond where bounds allow; a \
         Scotch FILE.map; front, the Pareto members between growing and centred-halving; one of them, such as \
         steps:x1y1x2x1y1; or any of {}",
        names.join(", ")
    )
}

/// Runs the verb.
pub(super) fn run(arguments: &MapArguments) -> Result<Answer> {
    let names: Vec<&str> = arguments.placement.iter().map(String::as_str).collect();
    let names = tasks::placements(&names)?;
    arguments.search.check(&names)?;
    let _format = format(arguments)?;
    let (machine, mut switchings) = arguments.machine.machine_and_switchings()?;
    manner::check(&machine)?;
    arguments.csv.check()?;
    if arguments.formulas {
        switchings.clear();
    }
    check_seed(arguments, &names)?;
    let MapArguments { alpha, combine_alpha, volume, preset, .. } = *arguments;
    let weights = Weights { alpha, combine_alpha, volume, preset };
    let startups = arguments.machine.startups(&machine)?;
    if arguments.completion.is_asked() {
        arguments.csv.refuse_beside("--work, --nodes and --per-node: --json and --out have the numbers")?;
        arguments.machine.check_one_startup()?;
        return completion::run(arguments, &names, &machine, weights);
    }
    let named = disk::NamedJob::new("map", [arguments.tasks.as_str()]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let wanted = one::Wanted { arguments, names, switchings, weights };
    match &startups[..] {
        [] | [_] => one::one(&wanted, &machine, &named),
        several => series::run(&wanted, &machine, several, &named),
    }
}

/// How the file of the tasks is read, where they are one.
fn format(arguments: &MapArguments) -> Result<Option<Provided>> {
    let tasks = &arguments.tasks;
    if tasks::is_tree(tasks) || logical::is_logical(tasks) {
        return arguments.format.refuse_beside(tasks).map(|()| None);
    }
    arguments.format.apply(Path::new(tasks), &task_files::names())
}

/// Refuses a seed where no placement draws anything.
fn check_seed(arguments: &MapArguments, names: &[String]) -> Result<()> {
    let is_fixed = |name: &String| {
        let draws = ["random", "recursive-bisection"].contains(&name.as_str());
        is_method(name) && !draws || name.starts_with(family::PREFIX) || name.ends_with(given::MAP_ENDING)
    };
    match arguments.seed.filter(|_| names.iter().all(is_fixed)) {
        Some(seed) => {
            Err(Error::value("--seed", seed, "a placement that draws: random, recursive-bisection, search"))
        }
        None => Ok(()),
    }
}

/// Whether this is an entry of the table of placements.
fn is_method(name: &str) -> bool {
    PLACEMENTS.iter().any(|method| method.name == name)
}
