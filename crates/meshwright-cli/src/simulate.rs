//! `meshwright simulate`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use meshwright_core::output as disk;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::tasks;
use meshwright_network::topology::Machine;
use meshwright_sim::fabric::transactions::Movement;
use meshwright_sim::flit::Replay;
use meshwright_sim::point::TrafficReport;
use meshwright_sim::report::{self, SimulateReport};
use meshwright_sim::sweep::seed_of;
use meshwright_verdict::explain::{Explanation, Subject, Work};

use super::costs::MachineArguments;
use super::files::{self, Force};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::traffic::{self, RouterArguments, TrafficArguments};
use super::{Answer, explain, manner, table};

/// What is said beside a ring of channels.
const RING: &str = "deadlock, each waits for the next";

const HELP: &str = "\
Examples:
  meshwright simulate broadcast.goal --on mesh:4x8
  meshwright simulate broadcast.goal --on torus:8x8 --switching store-and-forward --json
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
    #[arg(value_name = "SCHEDULE.goal", required_unless_present_any = ["traffic", "trace"], conflicts_with_all = ["traffic", "trace"])]
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
    #[arg(long, value_name = "LOAD", requires = "traffic", allow_negative_numbers = true)]
    load: Option<f64>,
    #[command(flatten)]
    run: TrafficArguments,
    #[command(flatten)]
    router: RouterArguments,
    /// Of a schedule on whole messages: also tell why it takes as long as it does, see meshwright explain
    #[arg(long, conflicts_with_all = ["traffic", "trace"])]
    explain: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write simulate.json into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
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
    files::check(arguments.out.as_ref(), arguments.force, &named(arguments))?;
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
    if arguments.engine != Some(Engine::Flit) && arguments.router.given().is_none() {
        arguments.run.refuse_seed(
            "none beside whole messages, which draw nothing; routers do: --engine flit, --router, --set",
        )?;
    }
    let on_routers = || -> Result<SimulateReport> {
        let (router, seed) = (arguments.router.router(machine)?, arguments.run.seed());
        let replay = Replay { router, packet: None, seed };
        report::report_on_routers(&tasks::schedule(schedule, machine)?, machine, &replay)
    };
    let report = match (arguments.engine, arguments.router.given()) {
        (Some(Engine::Message), Some((option, value))) => {
            let expected = "--engine flit beside it: whole messages know no routers";
            return Err(Error::value(option, value, expected));
        }
        (Some(Engine::Message), None) => report::report(&tasks::schedule(schedule, machine)?, machine)?,
        (None, None) => report::fitting_report(&tasks::schedule(schedule, machine)?, machine)?,
        (Some(Engine::Flit), _) | (None, Some(_)) => on_routers()?,
    };
    let explain = if arguments.explain && report.deadlock.is_none() {
        Some(explained(arguments, machine, schedule)?)
    } else {
        None
    };
    let told = Told { report: &report, explain: explain.as_ref() };
    let words =
        || explain.as_ref().map_or(String::new(), |told| format!("\n{}", explain::text(told, machine)));
    finish(arguments, &told, || line(&report, machine), || text(&report, machine) + &words())?;
    Ok(if report.deadlock.is_some() { Answer::Negative } else { Answer::Done })
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
    let router = arguments.router.router(machine)?;
    let router_name = arguments.router.router.as_deref();
    let experiment = arguments.run.experiment(machine, router, traffic, router_name)?;
    let load = arguments.load.expect("the grammar asks for a load beside traffic");
    let mut progress = Progress::new();
    progress.tell(&format!("load {load}"));
    let point = experiment.measure(load, seed_of(arguments.run.seed(), load), arguments.run.threads(1))?;
    drop(progress);
    let report = TrafficReport::new(experiment.conditions, experiment.reference, point);
    finish(arguments, &report, || traffic_line(&report), || traffic_text(&report, machine))?;
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
    let verdict = arguments.trace.judge(machine, arguments.engine.map(Engine::movement))?;
    let cycles = || format!("{} simulated", table::in_words(verdict.cycles, machine));
    finish(arguments, &verdict, cycles, || super::trace::text(&verdict, machine))?;
    Ok(Answer::Done)
}

/// Writes the file that is asked for and prints the answer.
fn finish(
    arguments: &SimulateArguments,
    report: &impl Serialize,
    line: impl Fn() -> String,
    text: impl Fn() -> String,
) -> Result<()> {
    let written = match &arguments.out {
        Some(folder) => {
            let file = files::file("simulate.json", "the same for scripts", output::json(report));
            files::write(folder, arguments.force, &named(arguments), vec![file])?
        }
        None => String::new(),
    };
    output::say(arguments.json.then(|| output::json(report)), line, || text() + &written)
}

/// The answer in one line.
fn line(report: &SimulateReport, machine: &Machine) -> String {
    match report.cycles {
        Some(cycles) => table::in_words(cycles, machine),
        None => "deadlock".to_string(),
    }
}

/// The answer in one line.
fn traffic_line(report: &TrafficReport) -> String {
    let point = &report.point;
    match &point.deadlock {
        Some(_) => "deadlock".to_string(),
        None => {
            let state = if point.saturated { "saturated" } else { "carried" };
            format!("load {} is {state}, mean latency {:.2} cycles", point.load, point.latency.mean)
        }
    }
}

fn text(report: &SimulateReport, machine: &Machine) -> String {
    let latency = &report.latency;
    let whole =
        |cycles: Option<u64>| cycles.map_or("none".to_string(), |cycles| table::cycles(cycles, machine));
    let mut rows = [
        ["cycles", &whole(report.cycles)],
        ["messages", &report.messages.to_string()],
        ["flit hops", &report.flit_hops.map_or("unknown".to_string(), |hops| hops.to_string())],
        ["busiest link", &table::busiest(report.hottest_link, machine)],
        ["longest wait for a link", &table::waited(report.waited_link, machine)],
        ["latency, mean", &latency.mean.map_or("none".to_string(), |mean| table::number(mean, 2))],
        ["latency, p50", &whole(latency.p50)],
        ["latency, p99", &whole(latency.p99)],
        ["latency, max", &whole(latency.max)],
    ]
    .map(|row| row.map(str::to_string).to_vec())
    .to_vec();
    if let Some(ring) = &report.deadlock {
        rows.push(vec![RING.to_string(), table::ring(ring, machine)]);
    }
    let (engine, switching) = (report.engine, machine.switching().name());
    let mut text = format!("{} · {switching} · {engine} engine\n", machine.name());
    if let Some(routers) = &report.routers {
        text += &format!("{}\n", table::routers(routers));
    }
    text += &table::table(&["measure", "value"], 1, rows);
    text.extend(report.refused.iter().map(|why| format!("not on routers: {why}\n")));
    text
}

fn traffic_text(report: &TrafficReport, machine: &Machine) -> String {
    let TrafficReport { conditions, reference, point, .. } = report;
    let heading = traffic::heading(conditions, reference) + "\n";
    if let (Some(ring), 0) = (&point.deadlock, point.cycles) {
        // Refused before the first cycle: there is nothing else to tell.
        return heading
            + "Not simulated: under this routing packets can wait for each other in a ring of channels.\n"
            + &table::ring(ring, machine)
            + "\n";
    }
    let latency = &point.latency;
    let known =
        |number: Option<f64>, decimals| number.map_or("unknown".into(), |x| table::number(x, decimals));
    let half = latency.ci95.map_or(String::new(), |half| format!(" ± {}", table::number(half, 2)));
    let mut rows = [
        ["load, flits per node and cycle", &point.load.to_string()],
        ["bound of the load", &(known(reference.bound, 4) + &format!(" ({})", reference.bound_of))],
        ["offered", &table::number(point.offered, 5)],
        ["accepted", &table::number(point.accepted, 5)],
        ["saturated", if point.saturated { "yes" } else { "no" }],
        ["latency if no packet waits", &known(reference.zero_load_cycles, 2)],
        ["latency, mean", &(table::number(latency.mean, 2) + &half)],
        ["latency, p50", &latency.p50.to_string()],
        ["latency, p99", &latency.p99.to_string()],
        ["latency, max", &latency.max.to_string()],
        ["links passed, mean", &table::number(point.hops_mean, 3)],
        ["packets measured", &point.packets.to_string()],
        ["packets not arrived", &point.undelivered.to_string()],
        ["cycles", &point.cycles.to_string()],
        ["flit hops", &point.flit_hops.to_string()],
    ]
    .map(|row| row.map(str::to_string).to_vec())
    .to_vec();
    if let Some(ring) = &point.deadlock {
        rows.push(vec![RING.to_string(), table::ring(ring, machine)]);
    }
    heading + &table::table(&["measure", "value"], 1, rows)
}
