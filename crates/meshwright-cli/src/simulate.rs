//! `meshwright simulate`; `text`, `csv`: tables for people and for programs.

pub(crate) mod csv;
mod text;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use meshwright_core::output as disk;
use meshwright_core::output::check_place;
use meshwright_core::{Error, Result};
use meshwright_formats::perfetto::Run;
use meshwright_formats::scenario::tasks;
use meshwright_network::topology::Machine;
use meshwright_report::File;
use meshwright_schedule::Schedule;
use meshwright_sim::Engine as Simulator;
use meshwright_sim::fabric::transactions::Movement;
use meshwright_sim::flit::{Replay, Router};
use meshwright_sim::point::TrafficReport;
use meshwright_sim::report::{self, SimulateReport};
use meshwright_sim::sweep::seed_of;
use meshwright_verdict::explain::{Explanation, Subject, Work};

use super::costs::MachineArguments;
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::traffic::{RouterArguments, TrafficArguments};
use super::{Answer, emit, explain, manner, sweep::csv as sweep_csv, table};

const HELP: &str = "\
Examples:
  meshwright simulate broadcast.goal --on mesh:4x8
  meshwright simulate broadcast.goal --on torus:8x8 --switching store-and-forward --json
  meshwright simulate broadcast.goal --on mesh:4x8 --emit perfetto:trace.json
  meshwright simulate broadcast.goal --on torus:8x8 --engine flit --set virtual_channels=2
  meshwright simulate --on mesh:16x16 --traffic uniform --load 0.1 --packet 4
  meshwright simulate --on torus:8x8 --traffic transpose --load 0.05 --set virtual_channels=2
  meshwright simulate --trace 2x2_BLOCK_TO_2x4_BLOCK.csv --on wormhole --closed-loop

Exit codes:
  0  done
  1  the schedule or the traffic ends in a deadlock
  2  unacceptable input";

/// Run a schedule, a trace or open-loop traffic on a machine and measure it
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct SimulateArguments {
    /// The schedule: GOAL text; rank r runs on node r; `-` for standard input
    #[arg(value_name = "SCHEDULE.goal", required_unless_present_any = ["traffic", "trace", "load"], conflicts_with_all = ["traffic", "trace", "packet", "warm_up", "measure", "drain", "threads"])]
    schedule: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgument,
    #[command(flatten)]
    machine: MachineArguments,
    /// What is simulated: whole messages or every flit [default: message for schedules, flit for traffic; flit, too, if the message engine deadlocks or a router is described]
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    /// In place of a schedule, packets at random, by pattern: uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot or permutation:FILE
    #[arg(long, value_name = "PATTERN", requires = "load", conflicts_with = "trace")]
    traffic: Option<String>,
    #[command(flatten)]
    trace: super::trace::TraceArguments,
    /// Flits per node and cycle that sources create
    #[arg(long, value_name = "LOAD", requires = "traffic", conflicts_with_all = ["schedule", "trace"], allow_negative_numbers = true, value_parser = one_load)]
    load: Option<f64>,
    #[command(flatten)]
    run: TrafficArguments,
    #[command(flatten)]
    router: RouterArguments,
    /// Of a schedule on whole messages: also tell why it takes as long as it does, see meshwright explain
    #[arg(long, conflicts_with_all = ["traffic", "trace"])]
    explain: bool,
    /// Write what happens, event by event, for Perfetto or chrome://tracing: perfetto:FILE.json
    #[arg(long, value_name = "FORMAT:FILE", value_parser = emit::trace_file)]
    emit: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write simulate.json into this folder, and of a schedule links.svg: how long each link is busy
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    csv: CsvFile,
}

fn one_load(text: &str) -> Result<f64, String> {
    let expected = "expected one load such as 0.1: meshwright sweep measures several, --loads 0.1,0.2";
    text.parse().map_err(|_| expected.to_string())
}

/// What is simulated.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    Message,
    Flit,
}

impl Engine {
    /// How the bytes of transactions move on it.
    pub(super) fn movement(self) -> Movement {
        match self {
            Self::Message => Movement::Flows,
            Self::Flit => Movement::Flits,
        }
    }
}

/// Runs the verb.
pub(super) fn run(arguments: &SimulateArguments) -> Result<Answer> {
    let machine = arguments.machine.machine()?;
    manner::check(&machine)?;
    arguments.csv.check()?;
    files::check(arguments.out.as_ref(), arguments.force, &named(arguments))?;
    if arguments.png.png && arguments.schedule.is_none() {
        return Err(Error::value("png", "given", "none beside --traffic and --trace, which draw nothing"));
    }
    let _format = match (&arguments.schedule, &arguments.traffic, arguments.trace.path()) {
        (Some(schedule), ..) => arguments.format.apply(schedule, &["goal"])?,
        (None, Some(traffic), _) => arguments.format.refuse_beside(traffic).map(|()| None)?,
        (None, None, trace) => arguments.format.apply(trace.unwrap_or(Path::new("")), &["csv", "json"])?,
    };
    match (&arguments.schedule, &arguments.traffic) {
        (Some(schedule), _) => run_schedule(arguments, &machine, schedule),
        (None, Some(traffic)) => run_traffic(arguments, &machine, traffic),
        (None, None) => run_trace(arguments, &machine),
    }
}

/// What its folder is the answer to.
fn named(arguments: &SimulateArguments) -> disk::NamedJob {
    let schedule = arguments.schedule.as_ref().map(|path| path.display().to_string());
    let traffic = arguments.traffic.as_ref().map(|pattern| format!("--traffic {pattern}"));
    let trace = arguments.trace.path().map(|path| format!("--trace {}", path.display()));
    disk::NamedJob::new("simulate", schedule.or(traffic).or(trace))
}

fn run_schedule(arguments: &SimulateArguments, machine: &Machine, schedule: &Path) -> Result<Answer> {
    let is_flit = arguments.engine == Some(Engine::Flit) || Router::described(machine)?.is_some();
    if !is_flit && arguments.router.given().is_none() {
        arguments.run.refuse_seed(
            "none beside whole messages, which draw nothing; routers do: --engine flit, --router, --set",
        )?;
    }
    if let Some(path) = &arguments.emit {
        check_place("--emit", path)?;
    }
    let read = || tasks::schedule(schedule, machine);
    let (report, simulator) = reported(arguments, machine, &read)?;
    let emitted = match &arguments.emit {
        Some(path) => {
            record(path, arguments.force.force, machine, &report, Run::Schedule(read()?, simulator))?
        }
        None => String::new(),
    };
    let explain = if arguments.explain && report.deadlock.is_none() {
        Some(explained(arguments, machine, schedule)?)
    } else {
        None
    };
    let told = Told { report: &report, explain: explain.as_ref() };
    let words =
        || explain.as_ref().map_or(String::new(), |told| format!("\n{}", explain::text(told, machine)));
    let words = || text::one(&report, machine) + &words() + &emitted;
    let run = schedule.file_name().unwrap_or_default().to_string_lossy();
    let links = || meshwright_report::links_file(machine, &run, &report.links, report.hottest_link);
    finish(arguments, &told, || text::line(&report, machine), words, (&|| csv::one(&report), &links))?;
    Ok(if report.deadlock.is_some() { Answer::Negative } else { Answer::Done })
}

/// What a schedule does on the engine that was asked for or that fits, and that engine.
fn reported(
    arguments: &SimulateArguments,
    machine: &Machine,
    read: &dyn Fn() -> Result<Schedule>,
) -> Result<(SimulateReport, Simulator)> {
    let replay = || -> Result<Replay> {
        Ok(Replay { router: arguments.router.router(machine)?, packet: None, seed: arguments.run.seed() })
    };
    let is_described = arguments.router.given().is_some() || Router::described(machine)?.is_some();
    match (arguments.engine, arguments.router.given()) {
        (Some(Engine::Message), Some((option, value))) => {
            let expected = "--engine flit beside it: whole messages know no routers";
            Err(Error::value(option, value, expected))
        }
        (Some(Engine::Message), None) => Ok((report::report(&read()?, machine)?, Simulator::Message)),
        (None, None) if !is_described => Ok((report::fitting_report(&read()?, machine)?, Simulator::Message)),
        (Some(Engine::Flit), _) | (None, _) => {
            let replay = replay()?;
            Ok((report::report_on_routers(&read()?, machine, &replay)?, Simulator::Flit(replay)))
        }
    }
}

/// Writes a run event by event; what there is to say of it.
fn record(path: &Path, force: bool, machine: &Machine, report: &SimulateReport, run: Run) -> Result<String> {
    if report.engine == "flit" && matches!(run, Run::Schedule(_, Simulator::Message)) {
        let expected = "--engine flit beside it: whole messages end in a deadlock here";
        return Err(Error::value("emit", "perfetto", expected));
    }
    emit::trace(path, force, machine, &run)
}

/// A report with its explanation, if that was asked for.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    report: &'a SimulateReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<&'a Explanation>,
}

/// Why a schedule takes as long as it does on whole messages.
fn explained(arguments: &SimulateArguments, machine: &Machine, schedule: &Path) -> Result<Explanation> {
    if arguments.engine == Some(Engine::Flit) || arguments.router.given().is_some() {
        let expected =
            "no --engine flit and no router beside it: only whole messages tell who waits for whom";
        return Err(Error::value("explain", "given", expected));
    }
    let name = schedule.file_name().unwrap_or_default().to_string_lossy();
    let work = Work::Schedule(Cow::Owned(tasks::schedule(schedule, machine)?));
    explain::of(&Subject { name: &name, method: "", machine, work })
}

fn run_traffic(arguments: &SimulateArguments, machine: &Machine, traffic: &str) -> Result<Answer> {
    if arguments.engine == Some(Engine::Message) {
        return Err(Error::value("engine", "message", "flit: packets at random need routers"));
    }
    if traffic.contains(',') && !traffic.starts_with("permutation:") {
        return Err(Error::value("traffic", format!("`{traffic}`"), "one pattern: sweep compares several"));
    }
    arguments.machine.refuse_costs_of_messages()?;
    let router = arguments.router.router(machine)?;
    let router_name = arguments.router.router.as_deref();
    let experiment = arguments.run.experiment(machine, router, traffic, router_name)?;
    output::remark_on_flits(machine);
    let load = arguments.load.expect("the grammar asks for a load beside traffic");
    if let Some(path) = &arguments.emit {
        check_place("--emit", path)?;
    }
    let mut progress = Progress::new();
    progress.tell(&format!("load {load}"));
    let seed = seed_of(arguments.run.seed(), load);
    let point = experiment.measure(load, seed, arguments.run.threads(1))?;
    let emitted = match &arguments.emit {
        Some(_) if point.deadlock.is_some() => "\nNothing is emitted: the routing can deadlock\n".to_string(),
        Some(path) => {
            let (router, open) = experiment.run(load, seed);
            emit::trace(path, arguments.force.force, machine, &Run::Traffic(router.clone(), open))?
        }
        None => String::new(),
    };
    drop(progress);
    let report = TrafficReport::new(experiment.conditions, experiment.reference, point);
    let table = || sweep_csv::point(&report.conditions.traffic, &report.reference, &report.point);
    finish(
        arguments,
        &report,
        || text::traffic_line(&report, machine),
        || text::traffic(&report, machine) + &emitted,
        (&table, &|| None),
    )?;
    Ok(if report.point.deadlock.is_some() { Answer::Negative } else { Answer::Done })
}

fn run_trace(arguments: &SimulateArguments, machine: &Machine) -> Result<Answer> {
    if let Some((option, value)) = arguments.router.given() {
        return Err(Error::value(
            option,
            value,
            "no router beside --trace: the machine file describes its own",
        ));
    }
    arguments.run.refuse_seed("none beside --trace, which draws nothing")?;
    if let Some(path) = &arguments.emit {
        check_place("--emit", path)?;
    }
    let movement = arguments.engine.map(Engine::movement);
    let verdict = arguments.trace.judge(machine, movement)?;
    let emitted = match &arguments.emit {
        Some(path) => {
            emit::trace(path, arguments.force.force, machine, &arguments.trace.events(machine, movement)?)?
        }
        None => String::new(),
    };
    let cycles = || format!("{} simulated", table::in_words(verdict.cycles, machine));
    let text = || super::trace::text(&verdict, machine) + &emitted;
    finish(arguments, &verdict, cycles, text, (&|| super::trace::csv(&verdict), &|| None))?;
    Ok(Answer::Done)
}

/// Writes the files that are asked for and prints the answer.
fn finish(
    arguments: &SimulateArguments,
    report: &impl Serialize,
    line: impl Fn() -> String,
    text: impl Fn() -> String,
    (table, picture): (&dyn Fn() -> String, &dyn Fn() -> Option<File>),
) -> Result<()> {
    let named = named(arguments);
    let folder = arguments.out.as_deref().map(|folder| (folder, &named));
    let of_folder = || {
        let json = files::file("simulate.json", "the same for scripts", output::json(report));
        Ok(arguments.png.with(picture().into_iter().chain([json]).collect()))
    };
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, table))?;
    output::say(arguments.json.then(|| output::json(report)), line, || text() + &written)
}
