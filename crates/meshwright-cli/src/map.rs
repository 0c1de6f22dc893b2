//! `meshwright map`; `series`: several start-ups; `csv`: tables for programs.

pub(crate) mod csv;
mod series;

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
use meshwright_mapping::divide::Preset;
use meshwright_mapping::logical::{OPERATIONS, Operation};
use meshwright_mapping::{PLACEMENTS, family, task_file};
use meshwright_network::topology::{Machine, Switching};
use meshwright_report::{File, PlanReport};
use meshwright_verdict::map::{self, MapReport, MapRow};
use meshwright_verdict::{Job, MappingVerdict, mapping};

use super::completion::{Asked, CompletionArguments};
use super::costs::{MachineArguments, preset, seed, share, volume};
use super::csv::CsvFile;
use super::emit::EmitArguments;
use super::files::{self, Force};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::search::{self, SearchArguments};
use super::{Answer, explain, manner, table};

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
    /// (a logical mesh, with --axis), or a file: *.phases.csv, *.mtx, *.graph, *.grf, *.goal; `-` with --format for standard input
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
            let files = of_folder(verdict, machine, &report)?;
            "\n".to_string() + &files::add(&mut writing, folder, named, files)?
        }
        _ => String::new(),
    };
    let written = written + &emitted.add(&mut writing)?;
    let written = written + &arguments.csv.add(&mut writing, || csv::one(&report, machine))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| emitted.json(&report)),
        || line(&report, machine),
        || text(&report, machine) + &written,
    )?;
    let is_done = arguments.formulas || ends(&report, machine);
    Ok(if is_done { Answer::Done } else { Answer::Negative })
}

/// Whether some placement comes to its end.
fn ends(report: &MapReport, machine: &Machine) -> bool {
    report.placements.iter().any(|row| row.simulated_cycles.of(machine.switching()).is_some())
}

/// The placements with the least simulated time under a switching.
fn best(placements: &[MapRow], switching: Switching) -> Vec<&MapRow> {
    let time = |row: &MapRow| *row.simulated_cycles.of(switching);
    let least = placements.iter().filter_map(time).min();
    placements.iter().filter(|row| least.is_some() && time(row) == least).collect()
}

/// The answer in one line: which placement takes the least time, and how far from the bound it is.
fn line(report: &MapReport, machine: &Machine) -> String {
    let own = machine.switching();
    let best = best(&report.placements, own);
    let names: Vec<&str> = best.iter().map(|row| &*row.name).collect();
    match best.first().and_then(|row| Some((row, (*row.simulated_cycles.of(own))?))) {
        Some((row, cycles)) => format!(
            "{}: {}, {} above the bound",
            names.join(", "),
            table::in_words(cycles, machine),
            row.gap.of(own).map_or("not known how far".to_string(), table::percent)
        ),
        None if report.switchings.is_empty() => {
            format!("no placement takes less than {}", table::in_words(report.bound_cycles, machine))
        }
        None => "every placement ends in a deadlock".to_string(),
    }
}

/// How the file of the tasks is read, where they are one.
fn format(arguments: &MapArguments) -> Result<Option<Provided>> {
    let tasks = &arguments.tasks;
    if tasks::is_tree(tasks) || logical::is_logical(tasks) {
        return arguments.format.refuse_beside(tasks).map(|()| None);
    }
    arguments.format.apply(Path::new(tasks), &task_file::endings())
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

/// The tables: one for each switching, and the phases of a single placement.
fn text(report: &MapReport, machine: &Machine) -> String {
    let mut text = format!("{} on {} · seed {}\n", report.tasks, report.machine, report.seed);
    let own = [machine.switching()];
    for &switching in if report.switchings.is_empty() { &own[..] } else { &report.switchings } {
        text += &format!("\n{}; times in {}\n", switching.name(), table::unit(machine));
        text += &times(&report.placements, switching, machine);
        text += &links(&report.placements, switching, machine);
        let runs = report.placements.iter().map(|row| (&*row.name, row.routers.of(switching).as_ref()));
        text += &table::on_routers(runs);
    }
    text += "\nalone: as if no two messages met · link: no schedule on these routes is faster · \
             path: each message waits for all it meets\n";
    // An explanation begins with it.
    if let Some(best) = report.culprit.as_ref().filter(|_| report.explain.is_none()) {
        text += &format!("{}, {}:\n", best.placement, best.switching.name());
        for sentence in best.culprit.sentences(machine, best.simulated_cycles) {
            text += &format!("  {sentence}\n");
        }
    }
    if let Some(searched) = &report.searched {
        let simulated =
            |cycles: Option<u64>| cycles.map_or("endless".to_string(), |cycles| cycles.to_string());
        text += &format!(
            "search: {} steps from {} simulated cycles to {} (predicted {}); --steps {0} gives the same again\n\
             search: {}\n",
            searched.steps,
            simulated(searched.start_simulated_cycles),
            simulated(searched.simulated_cycles[0]),
            searched.predicted_cycles[0],
            search::since(searched.last_improved_steps, searched.converged)
        );
    }
    for placement in &report.placements {
        text.extend(placement.proved.iter().map(|proved| search::proved(proved, machine)));
    }
    if report.interrupted {
        text += search::INTERRUPTED;
    }
    if let Some(choice) = &report.choice {
        text += &format!("auto, under {}: {}\n", choice.switching.name(), choice.reason);
        text.extend(choice.advice.iter().map(|advice| format!("{advice}\n")));
    }
    for row in &report.placements {
        text.extend(row.axes.iter().map(|words| format!("{}: {words}\n", row.name)));
    }
    for skipped in &report.skipped {
        text += &format!("{} is left out: {}\n", skipped.method, skipped.why);
    }
    if let [placement] = report.placements.as_slice() {
        text += &format!("\n{}, phase by phase\n", placement.name);
        text += &phases(placement);
    }
    if let Some(told) = &report.explain {
        text += &format!("\n{}", explain::text(told, machine));
    }
    text
}

/// What stands in place of a simulated time: a run that came to a standstill says why.
fn missing(placement: &MapRow, switching: Switching) -> &'static str {
    if placement.reason.of(switching).is_some() { "deadlock" } else { "not run" }
}

/// The columns of a placement.
const HEAD: [&str; 9] =
    ["placement", "bound", "alone", "link", "path", "simulated", "gap", "slowdown", "hops"];

/// Every placement under one switching, all terms of the time kept.
fn times(placements: &[MapRow], switching: Switching, machine: &Machine) -> String {
    table::table(&HEAD, 1, rows(placements, switching, machine))
}

fn rows(placements: &[MapRow], switching: Switching, machine: &Machine) -> Vec<Vec<String>> {
    let best = best(placements, switching);
    let is_best = |row: &MapRow| placements.len() > 1 && best.iter().any(|one| std::ptr::eq(*one, row));
    let row = |placement: &MapRow| {
        let levels = placement.levels.of(switching);
        let time = |cycles| table::time(cycles, 2, machine);
        let simulated = levels.simulated.map(|cycles| table::cycles(cycles, machine));
        vec![
            format!("{}{}", if is_best(placement) { "* " } else { "  " }, placement.name),
            time(placement.bound.of(switching).exact),
            time(levels.alone),
            time(levels.link),
            time(levels.path),
            simulated.unwrap_or_else(|| missing(placement, switching).to_string()),
            placement.gap.of(switching).map_or(String::new(), table::percent),
            format!("{:.3}", placement.slowdown.of(switching).exact),
            placement.hops_total.to_string(),
        ]
    };
    placements.iter().map(row).collect()
}

/// The links of every placement, and what its time is made of.
fn links(placements: &[MapRow], switching: Switching, machine: &Machine) -> String {
    const HEAD: [&str; 4] = ["placement", table::BUSIEST, table::WAITED, "reason"];
    let ends = |placement: &MapRow| placement.simulated_cycles.of(switching).is_some();
    let reason = |placement: &'_ MapRow| placement.reason.of(switching).clone().unwrap_or_default();
    let row = |placement: &MapRow| {
        vec![
            format!("  {}", placement.name),
            table::busiest(*placement.busiest_link.of(switching), machine),
            table::waited(*placement.waited_link.of(switching), machine),
            if ends(placement) { reason(placement) } else { missing(placement, switching).to_string() },
        ]
    };
    let standing =
        placements.iter().filter(|placement| placement.reason.of(switching).is_some() && !ends(placement));
    let lines = standing.map(|placement| format!("{}: {}\n", placement.name, reason(placement)));
    table::table(&HEAD, 4, placements.iter().map(row).collect()) + &lines.collect::<String>()
}

fn phases(placement: &MapRow) -> String {
    const HEAD: [&str; 6] = ["phase", "messages", "weight", "dilation", "contention", "link load"];
    let row = |phase: &map::MapPhase| {
        let last = phase.phase + phase.repeats - 1;
        vec![
            if phase.repeats == 1 { phase.phase.to_string() } else { format!("{} to {last}", phase.phase) },
            phase.messages.to_string(),
            table::number(phase.weight, 6),
            phase.dilation.to_string(),
            phase.contention.to_string(),
            phase.link_load.to_string(),
        ]
    };
    table::table(&HEAD, 0, placement.phases.iter().map(row).collect())
}
