//! `meshwright sweep`, and the same on ranks.
//!
//! | file | what |
//! |---|---|
//! | this one | one curve |
//! | `series` | a curve for each of several values |
//! | `text`, `csv` | tables for people and for programs |

pub(crate) mod csv;
mod series;
mod text;

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
use meshwright_sim::point::{Point, SweepReport};
use meshwright_sim::sweep::{self, Curve, Measure, Sweep, Threads, spread};

use self::series::Variant;
use super::costs::MachineArguments;
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::output::{self, Progress};
use super::traffic::{RouterArguments, TrafficArguments};
use super::{Answer, Failure, manner};

const HELP: &str = "\
Examples:
  meshwright sweep --on mesh:16x16 --traffic uniform --packet 1 --points 10 --out curve
  meshwright sweep --on torus:8x8 --traffic transpose --router booksim --loads 0.05,0.1
  meshwright sweep --on mesh:8x8 --traffic uniform --saturation --results sweep.jsonl --json
  meshwright sweep --on mesh:8x8 --traffic transpose --set routing=dimension-order,odd-even
  meshwright sweep --on mesh:8x8 --traffic transpose,uniform --set buffers=2,8 --csv s.csv

A load is carried when it is within the bound, every measured packet arrives before the drain
ends, at least 95 % of what is offered arrives, and the mean latency is at most ten times that of
packets which never wait.

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
    /// Who sends to whom: uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot or permutation:FILE; several with commas between are compared
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
    /// Keep every point in this file as soon as it is measured, and go on with the points it holds; several curves have a file each, such as s.odd-even.jsonl for s.jsonl
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
    #[command(flatten)]
    csv: CsvFile,
}

/// Runs the verb.
pub(super) fn run(arguments: &SweepArguments) -> Result<Answer> {
    let machine = arguments.machine.machine()?;
    arguments.machine.refuse_costs_of_messages()?;
    manner::check(&machine)?;
    let variants = series::variants(arguments, &machine)?;
    output::remark_on_flits(&machine);
    let threads = arguments.run.threads(1);
    let mut curve = |index: usize, sweep: &Sweep, known: &[Point], finished: Finished<'_>| {
        sweep::run_with(&mut Threads::new(threads, measure(&variants[index])), sweep, known, finished)
    };
    lead(arguments, &machine, &variants, &mut curve, &|| String::new())
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
    arguments.machine.refuse_costs_of_messages()?;
    let variants = endpoint.compute(|| series::variants(arguments, &machine))??;
    let what: Vec<String> = variants.iter().map(|variant| variant.experiment.conditions.line()).collect();
    let (what, threads) = (what.join("\n"), arguments.run.threads(sharers));
    if endpoint.rank() > 0 {
        let measures: Vec<_> = variants.iter().map(measure).collect();
        ranks::serve(endpoint, &what, threads, &measures, told)?;
        return Ok(Answer::Done);
    }
    output::remark_on_flits(&machine);
    let here = Cell::new(endpoint.ranks());
    let told = |lost: &Lost| {
        here.set(here.get() - 1);
        told(lost);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let unshared = endpoint.ranks() as usize * cores.min(sharers) / sharers.max(1);
    let mut all = Ranks::muster(endpoint, &what, threads, told)?.looking_ahead(unshared);
    let mut curve = |index: usize, sweep: &Sweep, known: &[Point], finished: Finished<'_>| {
        sweep::run_with(&mut all.curve(index as u32, measure(&variants[index])), sweep, known, finished)
    };
    Ok(lead(arguments, &machine, &variants, &mut curve, &|| format!("{} ranks · ", here.get()))?)
}

/// How the loads of a curve are measured.
fn measure(variant: &Variant<'_>) -> impl Measure {
    |load, seed, threads| variant.experiment.measure(load, seed, threads)
}

/// What is told of each new point.
type Finished<'f> = &'f mut dyn FnMut(&Point) -> Result<()>;

/// Measures the curve of this number, but for the points that are known.
type MeasureCurve<'c> = &'c mut dyn FnMut(usize, &Sweep, &[Point], Finished<'_>) -> Result<Curve>;

/// Has every curve measured, and tells what came of them. `who` says in a few words who is at work.
fn lead(
    arguments: &SweepArguments,
    machine: &Machine,
    variants: &[Variant<'_>],
    curve: MeasureCurve<'_>,
    who: &dyn Fn() -> String,
) -> Result<Answer> {
    let named = series::named(arguments, variants.len() > 1);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    arguments.csv.check()?;
    // Points of different curves are compared: they have the same loads.
    let bounds = variants.iter().filter_map(|variant| variant.experiment.reference.bound);
    let loads = loads(arguments, bounds.reduce(f64::max))?;
    let mut results = series::results(arguments, variants)?;
    let mut progress = Progress::with_steps((loads.len() * variants.len()) as u64);
    let sweep = Sweep { loads, saturation: arguments.saturation, seed: arguments.run.seed(), threads: 1 };
    let mut members = Vec::with_capacity(variants.len());
    for (index, variant) in variants.iter().enumerate() {
        let mut results = results[index].take();
        let known = results.as_ref().map_or(Vec::new(), |results| results.points().to_vec());
        let curve = curve(index, &sweep, &known, &mut |point| {
            progress.step(&format!("{}load {}", who(), point.load));
            results.as_mut().map_or(Ok(()), |results| results.append(point))
        })?;
        results.map_or(Ok(()), Results::finish)?;
        members.push(variant.measured(curve));
    }
    drop(progress);
    match &members[..] {
        [one] => answer(arguments, machine, &named, &one.report),
        several => series::answer(arguments, machine, &named, several),
    }
}

/// The answer of one curve.
fn answer(
    arguments: &SweepArguments,
    machine: &Machine,
    named: &disk::NamedJob,
    report: &SweepReport,
) -> Result<Answer> {
    let of_folder = || {
        let mut all = arguments.png.with(report::sweep_files(report));
        all.push(files::file("sweep.json", "the same for scripts", output::json(report)));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, named));
    let written =
        files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| csv::one(report)))?;
    output::say(
        arguments.json.then(|| output::json(report)),
        || report::sweep_headline(report),
        || text::one(report, machine) + &written,
    )?;
    Ok(if report.deadlocks() { Answer::Negative } else { Answer::Done })
}

/// The loads to measure; without others they end at this bound.
fn loads(arguments: &SweepArguments, bound: Option<f64>) -> Result<Vec<f64>> {
    if !arguments.loads.is_empty() {
        return Ok(arguments.loads.clone());
    }
    let points = arguments.points.unwrap_or(10);
    let to = arguments.to.or(bound).unwrap_or(1.0);
    spread(arguments.from.unwrap_or(to / points.max(1) as f64), to, points)
}
