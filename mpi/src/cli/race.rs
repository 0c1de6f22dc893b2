//! `meshwright-mpi race`.

use clap::Args;
use meshwright_cli::output::{self, Progress};
use meshwright_cli::{Answer, Broken, MACHINES, table};
use meshwright_collectives::{OPERATIONS, Operation, Task};
use meshwright_core::words::{grouped, grouped_decimal};
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::{self, quantity};
use meshwright_mpi::{MpiCollectives, MpiEndpoint};
use meshwright_network::topology::Machine;
use meshwright_runtime::collective::{self as live, RaceInput, RaceReport};
use meshwright_runtime::run::REPEAT_MAX;
use meshwright_runtime::transport::Mailbox;
use meshwright_verdict as verdict;

use super::Outcome;

const HELP: &str = "\
Every rank is a member. What it has in the end is compared, byte by byte, with the sum of what all
contributed. A time is that of the rank that is ready last.

measured   the median of the runs; one run before them warms up
/ MPI      measured, divided by that of the operation of MPI, on whole words and equal parts
predicted  the referee's time on the network of --on, else with a link between any two ranks,
           when a message costs what was measured before, all ranks sending at a time
simulated  the referee's cycles on the machine of --on with its own costs

Examples:
  mpirun -n 16 meshwright-mpi race all-reduce --bytes 1MB
  mpirun -n 16 meshwright-mpi race broadcast --bytes 64KB --on torus:4x4 --root 5 --chunks 16
  mpirun -n 64 meshwright-mpi race all-gather --bytes 1MB --algorithm ring,neighbour --json
  mpirun -n 16 meshwright-mpi race barrier

Exit codes:
  0  every byte was right
  1  a byte was wrong; the rank and the block are named
  2  unacceptable input
  3  a rank was lost";

/// Run every algorithm for a collective operation with verified bytes, beside that of MPI
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct RaceArguments {
    #[arg(value_name = "OPERATION", help = format!("One of: {}", operations()))]
    operation: String,
    /// The whole buffer of one member, the larger of the two where an operation changes its size; none for a barrier
    #[arg(long, value_name = "SIZE")]
    bytes: Option<String>,
    #[arg(long, value_name = "MACHINE", help = format!("Where the ranks are, with a working node for each [default: algorithms for the mesh nearest to a square]: {MACHINES}"))]
    on: Option<String>,
    #[command(flatten)]
    broken: Broken,
    /// Only these algorithms [default: all that suit]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    algorithm: Vec<String>,
    /// The rank at which broadcast, reduce, scatter and gather begin or end [default: 0]
    #[arg(long, value_name = "RANK")]
    root: Option<u32>,
    /// Algorithms that stream cut everything into so many chunks
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    chunks: u32,
    /// Run so many times; the medians are shown
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEAT_MAX)))]
    repeat: u32,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

fn operations() -> String {
    let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

impl RaceArguments {
    /// What members contribute, in bytes.
    fn bytes(&self, operation: Operation) -> Result<u64> {
        match (&self.bytes, operation) {
            (None, Operation::Barrier) => Ok(0),
            (Some(bytes), Operation::Barrier) => {
                Err(Error::value("--bytes", format!("`{bytes}`"), "none: a barrier moves no data"))
            }
            (Some(bytes), _) => Ok(quantity::bytes(bytes)?.0),
            (None, operation) => {
                let expected = format!("--bytes SIZE with {}, as in --bytes 64KB", operation.name());
                Err(Error::value("--bytes", "missing", expected))
            }
        }
    }

    /// The rank at which a rooted operation begins or ends.
    fn root(&self, operation: Operation) -> Result<u32> {
        match self.root {
            Some(root) if !operation.is_rooted() => {
                let expected = format!("no --root: {} has none", operation.name());
                Err(Error::value("--root", root, expected))
            }
            root => Ok(root.unwrap_or(0)),
        }
    }

    /// The machine of the algorithms, which has as many working nodes as there are ranks.
    fn machine(&self, ranks: u32) -> Result<Machine> {
        let machine = match self.broken.on(self.on.as_deref())? {
            Some(machine) => machine,
            None => scenario::machine(&verdict::nearest_to_a_square(ranks))?,
        };
        let living = machine.living_count();
        if living == ranks {
            return Ok(machine);
        }
        let expected = format!(
            "{living}, one for each working node of {}: start it with `mpirun -n {living}`",
            machine.name()
        );
        Err(Error::value("number of ranks", ranks, expected))
    }
}

/// Runs the verb on this rank.
pub(super) fn run(arguments: &RaceArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let mut library = MpiCollectives::new(endpoint.world(), endpoint.attendant());
    let mut mail = Mailbox::new(endpoint);
    let (rank, ranks) = (mail.rank(), mail.ranks());
    let operation = Operation::named(&arguments.operation)?;
    let (bytes, root) = (arguments.bytes(operation)?, arguments.root(operation)?);
    let machine = arguments.machine(ranks)?;
    let task = Task::new(&machine, operation, bytes, root)?;
    let is_placed = arguments.on.is_some();
    let new = || RaceInput::new(&task, &arguments.algorithm, is_placed, arguments.chunks, arguments.repeat);
    let input = mail.compute(new)??;
    let mut progress = (rank == 0).then(|| Progress::with_steps(1 + input.entrants() as u64));
    let done = |name: &str| {
        if let Some(progress) = &mut progress {
            progress.step(name);
        }
    };
    let report = live::race(&input, Some(&mut library), &mut mail, done)?;
    drop(progress);
    let Some(report) = report else { return Ok(Answer::Done) };
    output::say(arguments.json.then(|| output::json(&report)), || verdict_line(&report), || text(&report))?;
    Ok(answer(&report))
}

fn answer(report: &RaceReport) -> Answer {
    if report.right { Answer::Done } else { Answer::Negative }
}

/// The number of verified bytes, where they were right.
fn verified(right: bool, bytes: u64) -> String {
    if right { grouped(bytes) } else { "wrong".to_string() }
}

/// What came of it, in one line.
fn verdict_line(report: &RaceReport) -> String {
    let verified: u64 = report.results.iter().map(|row| row.verified_bytes).sum();
    let verified = grouped(verified + report.library.as_ref().map_or(0, |library| library.verified_bytes));
    match report.results.first() {
        _ if !report.right => format!("wrong bytes; {verified} bytes were compared"),
        None => "no algorithm suits".to_string(),
        Some(first) => {
            let ratio = first.ratio.map_or(String::new(), |ratio| {
                let name = report.library.as_ref().map_or("MPI", |library| library.name);
                format!(", {} times that of {name}", table::number(ratio, 2))
            });
            let time = microseconds(first.measured_nanoseconds);
            format!("{}: {time} us{ratio}; verified: all {verified} bytes", first.algorithm)
        }
    }
}

fn microseconds(nanoseconds: f64) -> String {
    grouped_decimal(nanoseconds / 1e3, 1)
}

fn text(report: &RaceReport) -> String {
    let RaceReport { operation, bytes, machine, ranks, repeat, .. } = report;
    let root = report.root.map_or(String::new(), |root| format!(", root {root}"));
    let of = if *bytes == 0 { String::new() } else { format!(" of {} bytes", grouped(*bytes)) };
    let mut text = format!(
        "{operation}{of}{root} · {ranks} ranks, algorithms for {machine} · {repeat} runs\n\
         between these ranks a message takes {} us + {} ns per byte\n",
        table::number(report.startup_nanoseconds / 1e3, 2),
        table::number(report.byte_nanoseconds, 3),
    );
    text += &rows(report);
    for skipped in &report.skipped {
        text += &format!("skipped: {}\n", skipped.why);
    }
    for row in report.results.iter().filter(|row| !row.right) {
        for wrong in &row.wrong {
            text += &format!("wrong: {}: {wrong}\n", row.algorithm);
        }
    }
    text + &verdict_line(report) + "\n"
}

/// The table: the operation of MPI first, then the algorithms, the fastest first.
fn rows(report: &RaceReport) -> String {
    let placed = report.results.iter().any(|row| row.simulated_cycles.is_some());
    let none = || "-".to_string();
    let mut rows = Vec::new();
    if let Some(library) = &report.library {
        let [measured, min] =
            [library.measured_nanoseconds, library.min_nanoseconds as f64].map(microseconds);
        let verified = verified(library.right, library.verified_bytes);
        let mut row =
            vec![library.name.to_string(), none(), none(), measured, min, "1".to_string(), none(), verified];
        row.extend(placed.then(none));
        rows.push(row);
    }
    for row in &report.results {
        let mut cells = vec![
            row.algorithm.to_string(),
            grouped(row.steps.into()),
            grouped(row.messages),
            microseconds(row.measured_nanoseconds),
            microseconds(row.min_nanoseconds as f64),
            row.ratio.map_or_else(none, |ratio| table::number(ratio, 2)),
            row.predicted_nanoseconds.map_or_else(none, microseconds),
            verified(row.right, row.verified_bytes),
        ];
        cells.extend(
            placed.then(|| row.simulated_cycles.map_or_else(none, |cycles| grouped_decimal(cycles, 0))),
        );
        rows.push(cells);
    }
    let mut head = vec![
        "algorithm",
        "steps",
        "messages",
        "measured, us",
        "min, us",
        "/ MPI",
        "predicted, us",
        "verified bytes",
    ];
    head.extend(placed.then_some("simulated, cycles"));
    table::table(&head, 1, rows)
}

#[cfg(test)]
mod tests {
    use meshwright_runtime::collective::{Library, race};
    use meshwright_runtime::transport::threads;

    use super::*;

    /// A library that does nothing.
    struct Idle;

    impl Library for Idle {
        fn name(&self, _: Operation) -> &'static str {
            "idle"
        }

        fn perform(&mut self, _: Operation, _: u32, _: &[u64], _: &mut [u64]) {}
    }

    #[test]
    fn wrong_bytes_are_a_negative_answer() {
        let mesh = Machine::new("mesh:2x2").unwrap();
        for (operation, code) in [(Operation::Broadcast, 1), (Operation::Barrier, 0)] {
            let task = Task::new(&mesh, operation, if code == 0 { 0 } else { 99 }, 0).unwrap();
            let input = RaceInput::new(&task, &[], true, 1, 1).unwrap();
            let reports = threads::run(4, |endpoint| {
                race(&input, Some(&mut Idle), &mut Mailbox::new(endpoint), |_| ())
            });
            let report = reports.unwrap().swap_remove(0).expect("rank 0 knows");
            assert_eq!(answer(&report).code(), code);
            let text = text(&report);
            let idle = text.lines().find(|line| line.contains("idle")).expect("a row");
            assert_eq!(
                (idle.contains("wrong"), text.contains("wrong bytes")),
                (code == 1, code == 1),
                "{text}"
            );
        }
    }
}
