//! `meshwright divide`, and what it shares with `meshwright-mpi divide`.

use clap::Args;

use meshwright_core::Result;
use meshwright_core::words::grouped;
use meshwright_demos::speedup::{self, Executor, SpeedupAnswer as Report, Speedups, Task};
use meshwright_verdict::Ranked;

use super::costs::Broken;
use super::csv::{self, Column, CsvFile, column_list};
use super::files::{self, Force};
use super::output::{self, Progress};
use super::{Answer, costs, ranks_as_threads, table};

/// The applications, for `--help`.
pub const APPLICATIONS: &str = "\
Applications, and what --size counts:
  merge-sort    numbers of 32 bits [default: 4000000]
  matrix-chain  matrices of 64 x 64 numbers modulo 2^31 - 1 [default: 1024]
  components    vertices of a graph with as many edges, in bits of its matrix [default: 16384]
  broadcast     bytes that everyone reads [default: 16000000]
  reduce        elements of the vectors that are added [default: 1000000]
  all           one after the other";

const HELP: &str = "\
Examples:
  meshwright divide merge-sort
  meshwright divide components --size 8192 --threads 4 --ranks 8
  meshwright divide all --on mesh:2x3 --placement bisection --json

sequential, threads and ranks on threads divide the same problem by the same code: on one thread,
by work-stealing threads, and over ranks that keep half and send half along the placed tree, one
thread each. Beside them stands what could be used instead. Every solution is compared with one
that was found by an independent way. On ranks of MPI:
  mpirun -n 4 meshwright-mpi divide merge-sort

Exit codes:
  0  done
  1  a solution is wrong
  2  unacceptable input";

/// What is solved, and how often; on threads and on MPI.
#[derive(Args, Debug)]
pub struct DivideOptions {
    /// merge-sort, matrix-chain, components, broadcast, reduce or all
    #[arg(value_name = "APP")]
    application: String,
    /// How large the problem is; what this counts is up to the application
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// The machine whose nodes are the ranks, such as mesh:4x4 [default: the mesh nearest to a square]
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,
    #[command(flatten)]
    broken: Broken,
    /// Which rank runs which task of the tree: a placement of `meshwright map`, auto for the fastest one, or launched for rank r
    /// at task r [default: centred-halving or bisection]
    #[arg(long, value_name = "NAME")]
    placement: Option<String>,
    /// How often everyone solves the problem; the median counts
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// For problems at random
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = costs::seed)]
    seed: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

impl DivideOptions {
    /// The problems, each with its placed tree over so many ranks.
    ///
    /// # Errors
    ///
    /// As for [`speedup::applications`], [`Task::new`] and [`Task::ranked`].
    pub fn tasks(&self, ranks: u32) -> Result<Vec<(Task, Ranked)>> {
        self.csv.check()?;
        let machine = self.broken.on(self.on.as_deref())?;
        let task = |application| {
            let task = Task::new(application, self.size, (ranks, self.seed, self.repeat))?;
            let ranked = task.ranked(machine.clone(), self.placement.as_deref())?;
            Ok((task, ranked))
        };
        speedup::applications(&self.application)?.iter().map(task).collect()
    }

    /// Prints what was measured.
    ///
    /// # Errors
    ///
    /// When standard output is closed for writing.
    pub fn print(&self, threads: Option<u32>, ranks: u32, applications: Vec<Speedups>) -> Result<Answer> {
        let report = Report { format: 1, seed: self.seed, repeat: self.repeat, threads, ranks, applications };
        let table = || csv::table(&[], &columns(), rows(&report).map(|row| (Vec::new(), row)));
        let written = files::write_all(self.force, None, || Ok(Vec::new()), (&self.csv, &table))?;
        let words = || text(&report) + &written;
        output::say(self.json.then(|| output::json(&report)), || line(&report), words)?;
        let is_right = report.applications.iter().all(Speedups::is_right);
        Ok(if is_right { Answer::Done } else { Answer::Negative })
    }
}

/// Run divide and conquer on one thread, on all threads and on ranks, and compare the times
#[derive(Args)]
#[command(after_help = format!("{APPLICATIONS}\n\n{HELP}"))]
pub(super) struct DivideArguments {
    #[command(flatten)]
    work: DivideOptions,
    /// How many threads steal work [default: one for each core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// How many ranks, each a thread of this process [default: the nodes of the machine, else 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    ranks: Option<u32>,
}

/// Runs the verb.
pub(super) fn run(arguments: &DivideArguments) -> Result<Answer> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let threads = arguments.threads.unwrap_or_else(cores);
    let on = arguments.work.broken.on(arguments.work.on.as_deref())?;
    let ranks =
        arguments.ranks.map_or_else(|| ranks_as_threads(on, |machine| machine.living_count(), || 4), Ok)?;
    let tasks = arguments.work.tasks(ranks)?;
    let mut progress = Progress::new();
    let measure = |(task, ranked): &(Task, Ranked)| {
        speedup::measure_here(task, threads, ranked, &mut |what| progress.tell(what))
    };
    let applications = tasks.iter().map(measure).collect::<Result<Vec<_>>>()?;
    drop(progress);
    arguments.work.print(Some(threads), ranks, applications)
}

/// An executor with the problem it solved.
pub(super) type Row<'r> = (&'r Speedups, &'r Executor);

fn rows(report: &Report) -> impl Iterator<Item = Row<'_>> {
    report.applications.iter().flat_map(|one| one.executors.iter().map(move |executor| (one, executor)))
}

/// The columns for programs.
pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "application", "the application", |(one, _)| one.application.to_string();
        "size", "how large the problem is; what this counts is up to the application", |(one, _)| one.size.to_string();
        "bytes", "the bytes of the problem", |(one, _)| one.bytes.to_string();
        "machine", "the machine whose nodes are the ranks", |(one, _)| one.machine.to_string();
        "placement", "where the tasks of the tree go", |(one, _)| one.placement.to_string();
        "executor", "who solved it", |(_, executor)| executor.name.clone();
        "workers", "its threads or ranks", |(_, executor)| executor.workers.to_string();
        "runs", "how often", |(_, executor)| executor.runs.to_string();
        "median_s", "the median of its times", |(_, executor)| executor.seconds.to_string();
        "speedup", "the time of the sequential executor over this one's", |(_, executor)| executor.speedup.to_string();
        "checked", "whether every solution equals one found by an independent way", |(_, executor)| executor.checked.to_string();
    ]
}

/// Whether all is right, and who is fastest, in one line.
fn line(report: &Report) -> String {
    let of = |speedups: &Speedups| {
        let fastest = speedups.executors.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let fastest = fastest.map_or(String::new(), |one| format!("{} in {:.6} s", one.name, one.seconds));
        let checked = if speedups.is_right() { "checked" } else { "WRONG" };
        format!("{}: {fastest}, {checked}", speedups.application)
    };
    report.applications.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The table, and what stands in it.
fn text(report: &Report) -> String {
    const HEAD: [&str; 7] =
        ["application", "executor", "workers", "runs", "median, s", "speed-up", "checked"];
    let mut text = String::new();
    let mut rows = Vec::new();
    for speedups in &report.applications {
        let Speedups { application, size, unit, bytes, machine, placement, .. } = speedups;
        let [size, bytes] = [u64::from(*size), *bytes].map(grouped);
        text += &format!("{application}: {size} {unit}, {bytes} bytes; ranks on {machine} by {placement}\n");
        for (at, executor) in speedups.executors.iter().enumerate() {
            rows.push(row(if at == 0 { application } else { "" }, executor));
        }
    }
    text += &table::table(&HEAD, 2, rows);
    text += &format!(
        "seed {} · speed-up: the time of the sequential executor over that of this one\n\
         checked: every solution equals one found by an independent way\n",
        report.seed
    );
    text
}

fn row(application: &str, executor: &Executor) -> Vec<String> {
    vec![
        application.to_string(),
        executor.name.clone(),
        executor.workers.to_string(),
        executor.runs.to_string(),
        format!("{:.6}", executor.seconds),
        format!("{:.*}", if executor.speedup < 0.1 { 4 } else { 2 }, executor.speedup),
        if executor.checked { "yes" } else { "WRONG" }.to_string(),
    ]
}
