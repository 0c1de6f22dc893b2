//! `meshwright sweep`, and the same on ranks.

use std::cell::Cell;
use std::path::PathBuf;

use clap::Args;

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_network::topology::Machine;
use meshwright_report as report;
use meshwright_report::Results;
use meshwright_runtime::sweep::{self as ranks, Ranks};
use meshwright_runtime::transport::{Endpoint, Lost};
use meshwright_sim::experiment::Experiment;
use meshwright_sim::point::{Point, SweepReport};
use meshwright_sim::sweep::{self, Pool, Sweep, Threads, spread};

use super::costs::MachineArguments;
use super::files::{self, Force, Png};
use super::output::{self, Progress};
use super::traffic::{self, RouterArguments, TrafficArguments};
use super::{Answer, Failure, table};

const HELP: &str = "\
Examples:
  meshwright sweep --on mesh:16x16 --traffic uniform --packet 1 --points 10 --out curve
  meshwright sweep --on torus:8x8 --traffic transpose --preset booksim --loads 0.05,0.1
  meshwright sweep --on mesh:8x8 --traffic uniform --saturation --results sweep.jsonl --json

A load is carried when every measured packet arrives before the drain ends, at least 95 % of what
is offered arrives, and the mean latency is at most ten times that of packets which never wait.

Exit codes:
  0  done
  1  the network deadlocks
  2  unacceptable input";

/// Measure latency against load, and search the load at which the network saturates
///
/// Every finished point is on the disk at once with --results: the same command goes on where it was interrupted.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct SweepArguments {
    #[command(flatten)]
    machine: MachineArguments,
    /// Who sends to whom: uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot or permutation:FILE
    #[arg(long, value_name = "PATTERN")]
    traffic: String,
    #[command(flatten)]
    run: TrafficArguments,
    #[command(flatten)]
    router: RouterArguments,
    /// The loads to measure, in flits per node and cycle, with commas between
    #[arg(long, value_name = "LOADS", value_delimiter = ',', conflicts_with_all = ["points", "from", "to"])]
    loads: Vec<f64>,
    /// How many loads at equal distances [default: 10]
    #[arg(long, value_name = "N")]
    points: Option<usize>,
    /// The first load [default: the last one divided by the number of points]
    #[arg(long, value_name = "LOAD")]
    from: Option<f64>,
    /// The last load [default: the load that fills the busiest channel, else 1]
    #[arg(long, value_name = "LOAD")]
    to: Option<f64>,
    /// Also search the load at which the network saturates, to within 1 %
    #[arg(long)]
    saturation: bool,
    /// Keep every point in this file as soon as it is measured, and go on with the points it holds
    #[arg(long, value_name = "FILE.jsonl")]
    results: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write report.html, curve.svg and sweep.json into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb.
pub(super) fn run(arguments: &SweepArguments) -> Result<Answer> {
    let machine = arguments.machine.machine()?;
    let experiment = experiment(arguments, &machine)?;
    let measure = |load, seed, threads| experiment.measure(load, seed, threads);
    let mut pool = Threads::new(arguments.run.threads(1), measure);
    lead(arguments, &machine, &experiment, &mut pool, &|| String::new())
}

/// Runs the verb on one rank of many: rank 0 hands out the points, keeps the file and prints; all measure.
///
/// So many ranks as `sharers` share the cores of this host. `told` hears of lost ranks, on rank 0 of all and on the
/// others of rank 0. The endpoint is one that goes on without them.
///
/// # Errors
///
/// [`Failure::Input`] on rank 0, whoever found it; [`Failure::Lost`] on the others when rank 0 is.
pub fn run_on<E: Endpoint>(
    arguments: &SweepArguments,
    endpoint: &mut E,
    sharers: usize,
    told: impl FnMut(&Lost),
) -> Result<Answer, Failure> {
    let rank = endpoint.rank();
    match on_rank(arguments, endpoint, sharers, told) {
        Err(Failure::Input(error)) if rank > 0 => {
            ranks::refuse(endpoint, &error)?;
            Ok(Answer::Done)
        }
        outcome => {
            if rank == 0 {
                ranks::dismiss(endpoint);
            }
            outcome
        }
    }
}

/// What one rank does.
fn on_rank<E: Endpoint>(
    arguments: &SweepArguments,
    endpoint: &mut E,
    sharers: usize,
    mut told: impl FnMut(&Lost),
) -> Result<Answer, Failure> {
    let machine = endpoint.compute(|| arguments.machine.machine())??;
    let experiment = endpoint.compute(|| experiment(arguments, &machine))??;
    let measure = |load, seed, threads| experiment.measure(load, seed, threads);
    let (what, threads) = (experiment.conditions.line(), arguments.run.threads(sharers));
    if endpoint.rank() > 0 {
        ranks::serve(endpoint, &what, threads, &measure, told)?;
        return Ok(Answer::Done);
    }
    let here = Cell::new(endpoint.ranks());
    let told = |lost: &Lost| {
        here.set(here.get() - 1);
        told(lost);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let unshared = endpoint.ranks() as usize * cores.min(sharers) / sharers.max(1);
    let mut pool = Ranks::muster(endpoint, &what, threads, measure, told)?.looking_ahead(unshared);
    Ok(lead(arguments, &machine, &experiment, &mut pool, &|| format!("{} ranks · ", here.get()))?)
}

/// What is measured, but for the loads.
fn experiment<'m>(arguments: &SweepArguments, machine: &'m Machine) -> Result<Experiment<'m>> {
    let router = arguments.router.router(machine)?;
    let preset = arguments.router.preset.as_deref();
    arguments.run.experiment(machine, router, &arguments.traffic, preset)
}

/// Has a pool measure the curve, and tells what came of it. `who` says in a few words who is at work.
fn lead(
    arguments: &SweepArguments,
    machine: &Machine,
    experiment: &Experiment<'_>,
    pool: &mut impl Pool,
    who: &dyn Fn() -> String,
) -> Result<Answer> {
    let named = disk::NamedJob::new("sweep", [format!("--traffic {}", arguments.traffic)]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let loads = loads(arguments, experiment)?;
    let sweep = Sweep { loads, saturation: arguments.saturation, seed: arguments.run.seed, threads: 1 };
    let results = match &arguments.results {
        Some(path) => Some(Results::open(path, &experiment.conditions.line(), arguments.force.force)?),
        None => None,
    };
    let curve = measure(pool, &sweep, results, who)?;
    let (conditions, reference) = (experiment.conditions.clone(), experiment.reference);
    let report = SweepReport { conditions, reference, curve };
    let written = match &arguments.out {
        Some(folder) => {
            let mut all = arguments.png.with(report::sweep_files(&report));
            all.push(files::file("sweep.json", "the same for scripts", output::json(&report)));
            "\n".to_string() + &files::write(folder, arguments.force, &named, all)?
        }
        None => String::new(),
    };
    output::print(&if arguments.json { output::json(&report) } else { text(&report, machine) + &written })?;
    Ok(if report.deadlocks() { Answer::Negative } else { Answer::Done })
}

/// The loads to measure.
fn loads(arguments: &SweepArguments, experiment: &Experiment<'_>) -> Result<Vec<f64>> {
    if !arguments.loads.is_empty() {
        return Ok(arguments.loads.clone());
    }
    let points = arguments.points.unwrap_or(10);
    let to = arguments.to.unwrap_or_else(|| experiment.reference.bound.unwrap_or(1.0));
    spread(arguments.from.unwrap_or(to / points.max(1) as f64), to, points)
}

/// Measures the curve, with a bar for the waiting and a file for the points.
fn measure(
    pool: &mut impl Pool,
    sweep: &Sweep,
    mut results: Option<Results>,
    who: &dyn Fn() -> String,
) -> Result<sweep::Curve> {
    let known = results.as_ref().map_or(Vec::new(), |results| results.points().to_vec());
    let mut progress = Progress::with_steps(sweep.loads.len() as u64);
    let curve = sweep::run_with(pool, sweep, &known, &mut |point| {
        progress.step(&format!("{}load {}", who(), point.load));
        results.as_mut().map_or(Ok(()), |results| results.append(point))
    })?;
    drop(progress);
    results.map_or(Ok(()), Results::finish)?;
    Ok(curve)
}

fn text(report: &SweepReport, machine: &Machine) -> String {
    const HEAD: [&str; 10] =
        ["load", "of bound", "accepted", "latency", "± 95 %", "x zero-load", "p50", "p99", "mean hops", ""];
    let mut text = heading(report);
    text += &table::table(&HEAD, 0, report.curve.points.iter().map(|point| row(report, point)).collect());
    if let Some(found) = report.curve.saturation {
        let not = found.not_carried.map_or(String::new(), |load| format!("; {load} is not carried"));
        text += &format!("carried up to {}{not}; at most {:.4} arrived\n", found.load, found.throughput);
    }
    if let Some(over) = report.accepted_above_the_bound() {
        text += &format!(
            "more than the bound arrived at load {}: what avoids the busiest channels passes, the rest waits\n",
            over.load
        );
    }
    for point in &report.curve.points {
        if let Some(ring) = &point.deadlock {
            text += &format!("deadlock at load {}, each waits for the next:\n", point.load);
            text += &(table::ring(ring, machine) + "\n");
        }
    }
    text
}

fn heading(report: &SweepReport) -> String {
    let (conditions, reference) = (&report.conditions, &report.reference);
    let zero = reference.zero_load_cycles.map_or("unknown".to_string(), |zero| format!("{zero:.2} cycles"));
    let bound = reference.bound.map_or("none known".to_string(), |bound| {
        format!("{} flits per node and cycle ({})", table::number(bound, 4), reference.bound_of)
    });
    format!("{}\nT0 {zero} · bound {bound}\n", traffic::heading(conditions, reference))
}

fn row(report: &SweepReport, point: &Point) -> Vec<String> {
    let of =
        |whole: Option<f64>, part: f64| whole.map_or(String::new(), |whole| table::number(part / whole, 3));
    let latency = &point.latency;
    let state = match (&point.deadlock, point.saturated) {
        (Some(_), _) => "deadlock",
        (None, true) => "saturated",
        (None, false) => "",
    };
    vec![
        point.load.to_string(),
        of(report.reference.bound, point.load),
        format!("{:.4}", point.accepted),
        format!("{:.2}", latency.mean),
        latency.ci95.map_or(String::new(), |half| format!("{half:.2}")),
        of(report.reference.zero_load_cycles, latency.mean),
        latency.p50.to_string(),
        latency.p99.to_string(),
        format!("{:.2}", point.hops_mean),
        state.to_string(),
    ]
}
