//! `meshwright race`; `sizes`: what `--bytes` says; `emit`: the winner as a file; `series`: several sizes, start-ups and flits; `text`, `csv`: tables for people
//! and for programs.

pub(crate) mod csv;
mod emit;
mod series;
mod sizes;
pub(crate) mod text;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use meshwright_collectives::{Algorithm, OPERATIONS, Operation, algorithm};
use meshwright_core::find;
use meshwright_core::output as disk;
use meshwright_core::output::Writing;
use meshwright_core::units::Ratio;
use meshwright_core::{Error, Result};
use meshwright_formats::json::RaceForm;
use meshwright_formats::scenario::{places, quantity};
use meshwright_network::topology::Machine;
use meshwright_report::PlanReport;
use meshwright_verdict::explain::Explanation;
use meshwright_verdict::race::{self, Asked};

use self::sizes::Sizes;
use super::costs::{MachineArguments, told};
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::output::{self, Progress};
use super::{Answer, explain, manner, table};

const HELP: &str = "\
BYTES is the whole buffer of one member: of an all-gather the result, of a reduce-scatter the
input, of scatter and gather the buffer of the root, of an all-to-all what one member sends.
Members are all nodes that work.

Examples:
  meshwright race broadcast --bytes 1MB --on mesh:16x16
  meshwright race all-reduce --bytes 1MB --on torus:16x16 --startup 40 --byte-time 1/32 --flit 32
  meshwright race reduce --bytes 4KB --on mesh:8x8 --root 0,0 --combine-time 1/4
  meshwright race barrier --on torus:8x8
  meshwright race broadcast --bytes 64KiB --on mesh:4x4 --emit goal:broadcast.goal
  meshwright race broadcast --bytes 64KiB --on mesh:4x4 --explain
  meshwright race all-reduce --bytes 16KiB --on torus:4x4 --emit msccl-xml:all-reduce.xml
  meshwright race all-reduce --bytes 1KB,32KB,1MB --startup 10,1000 --on torus:4x4 --out race
  meshwright race all-reduce --bytes 1KB,64KB,1MB --on torus:4x4 --csv race.csv

Exit codes:
  0  done
  1  a negative answer: every algorithm that was simulated ends in a deadlock
  2  unacceptable input; nothing is written
 70  two numbers of the program contradict each other: a bug, please report it";

/// Run a collective operation by every published algorithm, and hold the fastest against a bound
///
/// Every algorithm that suits the machine is simulated message by message, also in chunks that stream where that helps.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct RaceArguments {
    #[arg(value_name = "OPERATION", value_parser = operation, help = operations())]
    operation: Operation,
    /// The buffer of one member, such as 65536, 64KiB or 1MB; several with commas between, or a range: 1KB..1GB by factors of
    /// four, 1KB..1GB/9 nine of them at equal factors
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = |text: &str| told(Sizes::read(text)))]
    bytes: Option<Sizes>,
    #[command(flatten)]
    machine: MachineArguments,
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = one_algorithm, help = algorithms())]
    algorithm: Vec<&'static Algorithm>,
    /// broadcast, reduce, scatter, gather: the node it begins or ends at, R,C or an id [default: each algorithm chooses, from the
    /// centre of the machine and its first node]
    #[arg(long, value_name = "NODE")]
    root: Option<String>,
    /// Cycles of adding up a byte at a node, such as 1/4; of a message rounded up to whole cycles [default: nothing]
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true, value_parser = |text: &str| told(quantity::byte_time(text, None)))]
    combine_time: Option<Ratio>,
    /// Routers copy messages that pass them: adds multicasts; cut-through only
    #[arg(long)]
    multicast: bool,
    /// Also tell why the winner takes as long as it does, see meshwright explain
    #[arg(long)]
    explain: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write race.json, report.html and drawings into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    emit: emit::EmitArguments,
    #[command(flatten)]
    csv: CsvFile,
}

fn operation(name: &str) -> Result<Operation, String> {
    told(Operation::named(name))
}

/// The operations there are, for the help.
fn operations() -> String {
    let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
    format!("What all members do together: {}", names.join(", "))
}

fn one_algorithm(name: &str) -> Result<&'static Algorithm, String> {
    let all: Vec<&'static Algorithm> = algorithm::all().collect();
    told(find("algorithm", name, &all, |one| one.name).copied())
}

/// The algorithms there are, for the help.
fn algorithms() -> String {
    let names: Vec<&str> = algorithm::all().map(|one| one.name).collect();
    format!(
        "Only these, simulated whatever their prospects [default: all that suit; one whose busiest link, or longest chain of \
         messages, alone takes four times the best time is not simulated]: {}",
        names.join(", ")
    )
}

/// The answer for one size.
#[derive(Serialize)]
struct One<'a> {
    format: u32,
    machine: &'a str,
    #[serde(flatten)]
    race: RaceForm<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<&'a Explanation>,
}

/// Runs the verb.
pub(super) fn run(arguments: &RaceArguments) -> Result<Answer> {
    let machines = arguments.machine.machines()?;
    manner::check(&machines[0])?;
    arguments.csv.check()?;
    arguments.emit.check()?;
    let named = disk::NamedJob::new("race", [arguments.operation.name()]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let sizes = sizes(arguments)?;
    match (machines.as_slice(), sizes.as_slice()) {
        ([machine], [bytes]) => one(arguments, machine, *bytes, &named),
        (machines, sizes) => series::run(arguments, machines, sizes, &named),
    }
}

/// Answers for one size on one machine.
fn one(arguments: &RaceArguments, machine: &Machine, bytes: u64, named: &disk::NamedJob) -> Result<Answer> {
    let asked = asked(arguments, machine, bytes)?;
    let mut progress = Progress::new();
    let name = asked.operation.name();
    let verdict = race::judge(name, &asked, machine, &mut |what: &str| progress.tell(what))?;
    drop(progress);
    table::left_out(&verdict.skipped).lines().for_each(output::detail);
    let explain = if arguments.explain { explain::of_schedule(&verdict, machine)? } else { None };
    let told = explain.as_ref();
    let json =
        output::json(&One { format: 1, machine: machine.name(), race: (&verdict).into(), explain: told });
    let [line, mut text] = [text::line(&verdict, machine), text::one(&verdict, machine)];
    text.extend(told.map(|told| format!("\n{}", explain::text(told, machine))));
    let is_done = verdict.winner().is_some();
    let mut writing = Writing::new(arguments.force.force);
    let emitted = arguments.emit.add(&mut writing, &verdict, machine)?;
    let mut written = emitted + &arguments.csv.add(&mut writing, || csv::table(&[(&verdict, machine)]))?;
    if let Some(folder) = &arguments.out {
        let jobs = [verdict.into()];
        let title = format!("{name} on {}", machine.name());
        let plan = PlanReport { title: &title, scenario: "", machine, seed: 0, jobs: &jobs };
        let mut files = arguments.png.with(files::of_plan(&plan)?);
        files.push(files::file("race.json", "the answer for scripts", json.clone()));
        written = "\n".to_string() + &files::add(&mut writing, folder, named, files)? + &written;
    }
    writing.finish()?;
    output::say(arguments.json.then_some(json), || line, || text + &written)?;
    Ok(if is_done { Answer::Done } else { Answer::Negative })
}

/// The sizes that were asked for; a barrier has none.
fn sizes(arguments: &RaceArguments) -> Result<Vec<u64>> {
    match (&arguments.bytes, arguments.operation) {
        (None, Operation::Barrier) => Ok(vec![0]),
        (Some(_), Operation::Barrier) => {
            Err(Error::value("--bytes", "given", "none for a barrier, which carries nothing"))
        }
        (None, operation) => Err(Error::value(
            "--bytes",
            "missing",
            format!("the buffer of one member for {}", operation.name()),
        )),
        (Some(sizes), _) => Ok(sizes.0.clone()),
    }
}

/// What is asked on this machine.
fn asked(arguments: &RaceArguments, machine: &Machine, bytes: u64) -> Result<Asked> {
    let root = arguments.root.as_ref().map(|root| places::root(root, machine)).transpose()?;
    let RaceArguments { operation, ref algorithm, combine_time, .. } = *arguments;
    if let Some(time) = combine_time.filter(|_| !operation.reduces() || operation == Operation::Barrier) {
        let expected = format!("none: {} adds nothing up", operation.name());
        return Err(Error::value("--combine-time", time, expected));
    }
    if arguments.multicast && arguments.explain {
        let expected = "no --explain beside --multicast: copies of routers are not followed link by link";
        return Err(Error::value("--explain", "given", expected));
    }
    if let Some(at) =
        (1..algorithm.len()).find(|&at| algorithm[..at].iter().any(|one| one.name == algorithm[at].name))
    {
        return Err(Error::value(
            "--algorithm",
            format!("`{}` twice", algorithm[at].name),
            "each algorithm once",
        ));
    }
    let (algorithms, multicast) = (algorithm.clone(), arguments.multicast);
    Ok(Asked { root, combine: combine_time, multicast, algorithms, ..Asked::new(operation, bytes) })
}
