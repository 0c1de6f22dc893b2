//! `meshwright map`; `series`: several start-ups; `text`, `csv`: tables for people and for programs.

pub(crate) mod csv;
mod series;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::output as disk;
use meshwright_core::output::Writing;
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
use meshwright_network::topology::{Machine, Switching};
use meshwright_report::{File, PlanReport};
use meshwright_verdict::map::{self, MapReport};
use meshwright_verdict::{Job, MappingVerdict, mapping};

use super::completion::{Asked, CompletionArguments};
use super::costs::{MachineArguments, preset, seed, share, volume};
use super::csv::CsvFile;
use super::emit::EmitArguments;
use super::files::{self, Force, Png};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::search::SearchArguments;
use super::{Answer, explain, manner};

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
    let startups = arguments.machine.startups();
    if arguments.completion.is_asked() {
        arguments.csv.refuse_beside("--work, --nodes and --per-node: --json and --out have the numbers")?;
        MachineArguments::check_one(startups)?;
        return completion(arguments, &names, &machine, weights);
    }
    let named = disk::NamedJob::new("map", [arguments.tasks.as_str()]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let wanted = Wanted { arguments, names, switchings, weights };
    match startups {
        [] | [_] => one(&wanted, &machine, &named),
        several => series::run(&wanted, &machine, several, &named),
    }
}

/// What is asked for on a machine.
struct Wanted<'a> {
    arguments: &'a MapArguments,
    names: Vec<String>,
    switchings: Vec<Switching>,
    weights: Weights,
}

impl Wanted<'_> {
    /// The tasks on this machine.
    fn job(&self, machine: &Machine) -> Result<Job> {
        let Self { arguments, weights, .. } = self;
        tasks::read(&arguments.tasks, Path::new(""), (*weights, &arguments.axes), machine)
    }

    /// The answer for this machine; `is_judged` is whether there is to be a verdict in any case.
    fn report(
        &self,
        job: &mut Job,
        machine: &Machine,
        is_judged: bool,
        progress: &mut Progress,
    ) -> Result<MapReport> {
        let Self { arguments, names, switchings, .. } = self;
        let seed = arguments.seed.unwrap_or(0);
        given::read_maps(job, names, Path::new(""), machine)?;
        let mut names = tasks::expand(names.clone(), job, machine)?;
        let search = arguments.search.search(machine)?;
        arguments.search.look(job, &mut names, machine, &search, seed)?;
        let methods: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut tell = |what: &str| progress.tell(what);
        let report = map::report_under(job, machine, &methods, seed, (switchings, is_judged), &mut tell)?;
        for skipped in &report.skipped {
            output::detail(&format!("{} is left out: {}", skipped.method, skipped.why));
        }
        Ok(report)
    }
}

/// Answers for one machine.
fn one(wanted: &Wanted<'_>, machine: &Machine, named: &disk::NamedJob) -> Result<Answer> {
    let arguments = wanted.arguments;
    let mut job = wanted.job(machine)?;
    let emission = arguments.emit.check(&job.tasks, machine)?;
    let mut progress = Progress::new();
    let is_judged = arguments.out.is_some() || arguments.explain;
    let mut report = wanted.report(&mut job, machine, is_judged, &mut progress)?;
    // One winner for the files of launchers and those of a plan: by the time without barriers where cycles are equal.
    let mut verdict = report.verdict.take();
    let rivals = emission.rivals(&report, machine.switching());
    if verdict.is_none() && !rivals.is_empty() {
        let mut tell = |what: &str| progress.tell(what);
        verdict = Some(mapping::judge(
            &report.tasks,
            &job,
            machine,
            &rivals,
            arguments.seed.unwrap_or(0),
            &mut tell,
        )?);
    }
    drop(progress);
    if let Some(verdict) = verdict.as_ref().filter(|_| arguments.explain) {
        report.explain = explain::of_winner(verdict, machine)?;
    }
    let winner = verdict.as_ref().and_then(|verdict| verdict.winner_name());
    let emitted = emission.texts(&job.tasks, machine, &report, winner)?;
    let mut writing = Writing::new(arguments.force.force);
    let written = match (&arguments.out, verdict) {
        (Some(folder), Some(verdict)) => {
            let files = arguments.png.with(of_folder(verdict, machine, &report)?);
            "\n".to_string() + &files::add(&mut writing, folder, named, files)?
        }
        _ => String::new(),
    };
    let written = written + &emitted.add(&mut writing)?;
    let written = written + &arguments.csv.add(&mut writing, || csv::one(&report, machine))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| emitted.json(&report)),
        || text::line(&report, machine),
        || text::one(&report, machine) + &race(arguments, machine) + &written,
    )?;
    let is_done = arguments.formulas || ends(&report, machine);
    Ok(if is_done { Answer::Done } else { Answer::Negative })
}

/// Who compares more than placements, where the tasks are a collective operation.
fn race(arguments: &MapArguments, machine: &Machine) -> String {
    let preset = arguments.preset.map(|preset| preset.name);
    match preset.filter(|name| ["broadcast", "reduce"].contains(name)) {
        Some(name) => {
            let bytes = arguments.volume.map_or(65536, |volume| volume.0);
            format!(
                "These are placements of a tree that sends whole messages; `meshwright race {name} --bytes {bytes} --on {}` \
                 compares published algorithms, those in chunks among them.\n",
                machine.name()
            )
        }
        None => String::new(),
    }
}

/// Whether some placement comes to its end.
fn ends(report: &MapReport, machine: &Machine) -> bool {
    report.placements.iter().any(|row| row.simulated_cycles.of(machine.switching()).is_some())
}

/// How the file of the tasks is read, where they are one.
fn format(arguments: &MapArguments) -> Result<Option<Provided>> {
    let tasks = &arguments.tasks;
    if tasks::is_tree(tasks) || logical::is_logical(tasks) {
        return arguments.format.refuse_beside(tasks).map(|()| None);
    }
    arguments.format.apply(Path::new(tasks), &task_files::names())
}

/// Runs the verb for times of completion, which places trees of many sizes.
fn completion(
    arguments: &MapArguments,
    names: &[String],
    machine: &Machine,
    weights: Weights,
) -> Result<Answer> {
    arguments.emit.refuse_beside("--work, --nodes and --per-node: --out writes the schedule of the best")?;
    if arguments.explain || arguments.formulas {
        let option = if arguments.explain { "--explain" } else { "--formulas" };
        return Err(Error::value(
            option,
            "given beside times of completion",
            "no --work, --nodes or --per-node beside it",
        ));
    }
    let MapArguments { ref tasks, ref placement, json, force, .. } = *arguments;
    let seed = arguments.seed.unwrap_or(0);
    // Nobody has named any: those that suit.
    let is_table =
        placement.iter().any(|name| name == tasks::ALL) || placement.iter().all(|name| name == "auto");
    let names = if is_table { &[] } else { names };
    if let Some(name) = names.iter().find(|name| !is_method(name)) {
        let expected =
            "a placement that needs no search and no file, as the tree changes with the number of nodes";
        return Err(Error::value("placement", format!("`{name}`"), expected));
    }
    let out = arguments.out.as_ref();
    let asked = Asked { tasks, machine, placements: names, weights, seed, json, out, force };
    arguments.completion.run(&asked)
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

/// The answer, and the files of a plan for the one job under the machine's switching.
fn of_folder(verdict: MappingVerdict, machine: &Machine, report: &MapReport) -> Result<Vec<File>> {
    let jobs = [verdict.into()];
    let plan = PlanReport { title: &report.tasks, scenario: "", machine, seed: report.seed, jobs: &jobs };
    let mut files = files::of_plan(&plan)?;
    files.push(files::file("map.json", "the answer for scripts", output::json(report)));
    Ok(files)
}
