//! `meshwright fit`.

use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::output as disk;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::constants::MachineFile;
use meshwright_formats::trace::{self, RecordedTrace};
use meshwright_verdict::fit::{self, FitOptions, FitVerdict, FreeConstant, HeldOut, TraceFit};
use meshwright_verdict::transactions::{Recorded, Run, fabric_of};

use super::csv::{self, Column, CsvFile, column_list, known};
use super::files::{self, Force};
use super::output::{self, Progress};
use super::simulate::Engine;
use super::trace::{TABLES, beside};
use super::{Answer, table};

const HELP: &str = "\
Traces are read as by simulate --trace; begins.csv, traces.csv and barriers.csv beside them are
their tables and may stand in the list. KEYS are numbers of the machine's file: processors.tail,
overhead, first, gap, barrier, empty, resume; interfaces.out, in, memory, memory_rate;
networks.rate, links.rate; shared.out, in, both; routers.header, channels, buffers, requests; hop.
interfaces[1].out is that of the second such table; without a number it is that of all of them.
For each a few values around that of the file are tried, one key after the other.

Examples:
  meshwright fit wormhole data/silicon/wormhole/*.csv
  meshwright fit mine.toml traces/*.csv --free processors.tail,routers.buffers --closed-loop
  meshwright fit wormhole traces/*.json --folds 20 --engine message --out fitted

Exit codes:
  0  done
  2  unacceptable input";

/// Find a machine's free constants from traces; the error on traces that took no part
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct FitArguments {
    /// The machine: a TOML file, or the name of one that comes with the program
    #[arg(value_name = "MACHINE.toml")]
    machine: String,
    /// At least four traces whose measured times are known: CSV tables or tt-npe's JSON
    #[arg(value_name = "TRACES", required = true)]
    traces: Vec<PathBuf>,
    /// The constants to be found, at most six [default: processors.tail and the first interfaces.out]
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    free: Vec<String>,
    /// How often the traces are halved at random: one half fits, the other is predicted
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    folds: u32,
    /// Leave the times of issue out: program order, barriers and kernel begins only
    #[arg(long)]
    closed_loop: bool,
    /// What is simulated: whole messages or every flit [default: flit if the machine describes routers]
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    /// What the halves follow from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write fit.json and the fitted machine.toml into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb.
pub(super) fn run(arguments: &FitArguments) -> Result<Answer> {
    let job = disk::NamedJob::new("fit", Some(arguments.machine.clone()));
    files::check(arguments.out.as_ref(), arguments.force, &job)?;
    arguments.csv.check()?;
    let file = MachineFile::read(&arguments.machine)?;
    let machine = file.machine()?;
    let fabric = fabric_of(&machine)?;
    let keys = if arguments.free.is_empty() { file.usual()? } else { arguments.free.clone() };
    let constants = file.constants(&keys)?;
    let traces = paths(&arguments.traces)?
        .into_iter()
        .map(|path| trace::read(path, &beside(path), fabric))
        .collect::<Result<Vec<RecordedTrace>>>()?;
    let recorded: Vec<Recorded<'_>> = traces.iter().map(RecordedTrace::recorded).collect();
    let run = Run { closed_loop: arguments.closed_loop, movement: arguments.engine.map(Engine::movement) };
    let options = FitOptions { run, folds: arguments.folds, seed: arguments.seed };
    let points = constants.iter().map(|constant| constant.values.len() as u64).product();
    let mut progress = Progress::with_steps(points);
    progress.tell(&format!("at most {points} settings of {} traces", traces.len()));
    let told = |values: &[f64]| progress.step(&setting(&constants, values));
    let machine_of = |values: &[f64]| file.with(&keys, values)?.machine();
    let verdict = fit::fit(&constants, &recorded, machine_of, options, told)?;
    drop(progress);
    let of_folder = || {
        let found: Vec<f64> = keys.iter().map(|key| verdict.free[key]).collect();
        let fitted = file.with(&keys, &found)?.text().to_string();
        Ok(vec![
            files::file("machine.toml", "the machine with the constants found", fitted),
            files::file("fit.json", "the same for scripts", output::json(&verdict)),
        ])
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, &job));
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| rows(&verdict)))?;
    let found = |constant: &FreeConstant| format!("{} = {}", constant.name, verdict.free[&constant.name]);
    output::say(
        arguments.json.then(|| output::json(&verdict)),
        || constants.iter().map(found).collect::<Vec<_>>().join(", "),
        || text(&verdict, &constants) + &written,
    )?;
    Ok(Answer::Done)
}

/// The columns of a fit for programs.
pub(super) fn columns<'a>() -> Vec<Column<&'a TraceFit>> {
    column_list![
        "trace", "its name", |row| row.trace.clone();
        "measured_cycles", "the measured time", |row| row.measured_cycles.to_string();
        "folds", "in how many halves it was held out", |row| row.folds.to_string();
        "error_held_out", "the mean of its errors there, as a share of the measured time; empty if it never was", |row| known(row.error_held_out);
        "error_given", "simulated less measured, over measured, with the constants as given", |row| row.error_given.to_string();
    ]
}

/// A row for each trace.
fn rows(verdict: &FitVerdict) -> String {
    csv::table(&[], &columns(), verdict.traces.iter().map(|row| (Vec::new(), row)))
}

/// The traces without the tables that stand beside them, each once.
fn paths(given: &[PathBuf]) -> Result<Vec<&Path>> {
    let is_table =
        |path: &Path| TABLES.iter().any(|table| path.file_name().is_some_and(|name| name == *table));
    let mut paths: Vec<&Path> = Vec::new();
    for path in given.iter().map(PathBuf::as_path).filter(|path| !is_table(path)) {
        if paths.iter().any(|known| disk::is_same_file(known, path)) {
            let expected = "each trace once: it would stand in both halves";
            return Err(Error::value("trace", format!("`{}` twice", path.display()), expected));
        }
        paths.push(path);
    }
    Ok(paths)
}

/// `processors.tail 110, interfaces[0].out 28.4`.
fn setting(constants: &[FreeConstant], values: &[f64]) -> String {
    let one = |(constant, value): (&FreeConstant, &f64)| format!("{} {value}", constant.name);
    constants.iter().zip(values).map(one).collect::<Vec<_>>().join(", ")
}

fn text(verdict: &FitVerdict, constants: &[FreeConstant]) -> String {
    let loops = if verdict.closed_loop { "closed loop" } else { "open loop" };
    let mut text = format!(
        "{} · {} traces · {loops} · {} engine · {} random halves · seed {}\n",
        verdict.machine,
        verdict.traces.len(),
        verdict.engine,
        verdict.error_held_out.folds,
        verdict.seed
    );
    let row = |constant: &FreeConstant| {
        let chosen = verdict.chosen[&constant.name].iter();
        let chosen: Vec<String> = chosen.map(|one| format!("{}: {}", one.value, one.folds)).collect();
        let values = [verdict.given[&constant.name], verdict.free[&constant.name]];
        vec![constant.name.clone(), values[0].to_string(), values[1].to_string(), chosen.join(", ")]
    };
    let head = ["constant", "given", "found", "by halves: value and how often"];
    text += &table::table(&head, 1, constants.iter().map(row).collect());
    let error = |held_out: HeldOut| {
        let [mean, deviation] = [held_out.mean, held_out.deviation].map(|share| share * 100.0);
        vec![format!("{mean:.2} %"), format!("{deviation:.2} %")]
    };
    let rows = [("found on one half", verdict.error_held_out), ("as given", verdict.error_given)];
    let rows = rows.map(|(name, held_out)| [vec![name.to_string()], error(held_out)].concat());
    text += &table::table(&["error on the other half", "mean", "deviation"], 1, rows.to_vec());
    text += &format!(
        "Fitting is better in {} halves, worse in {}. Mean over traces, each held out: {:.2} %.\n",
        verdict.fitted_better,
        verdict.fitted_worse,
        verdict.error_mean * 100.0
    );
    if !verdict.at_edge.is_empty() {
        text += &format!(
            "At the edge of what was tried: {}. A better value may lie beyond: fit again from the machine found (--out).\n",
            verdict.at_edge.join(", ")
        );
    }
    text += &format!("{} settings were simulated, each with every trace.\n", verdict.points);
    text
}
