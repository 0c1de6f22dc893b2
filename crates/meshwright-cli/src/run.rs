//! `meshwright run` and `meshwright-mpi run`: any schedule on ranks that really run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_core::text::harmless;
use meshwright_core::words::{counted, grouped, grouped_decimal};
use meshwright_formats::scenario::planned;
use meshwright_runtime::run::{self, PhaseRow, REPEAT_MAX, RunInput, RunReport, Settings};
use meshwright_runtime::skeleton::execute;
use meshwright_runtime::transport::{Endpoint, Mailbox, threads};

use super::costs::Broken;
use super::csv::{self, Column, CsvFile, column_list, known};
use super::files::{self, Force};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::{Answer, Failure, check_threads, table};

/// Phases in a table; all of them are in the JSON.
const ROWS_MAX: usize = 40;

const HELP: &str = "\
A phase is all messages with one tag; it lasts from the begin of its first send to the end of
its last receive. Every byte that comes is compared with what was sent. A rank computes by the
clock: ranks that share a core do so at the same time.

measured   the median of the runs
predicted  the referee's time, on the network of the plan or of --on, else with a link between
           any two ranks, when a message costs what was measured before, all ranks sending at a
           time (start-up and time per byte, cutting through)
planned    the referee's cycles on the machine of the plan with its own costs

Examples:
  meshwright plan examples/quickstart.toml --out plan
  meshwright run plan/plan.json --job \"merge sort\"
  meshwright run plan/merge-sort.goal --repeat 9 --no-compute
  mpirun -n 64 meshwright-mpi run plan/plan.json --job \"merge sort\"

Exit codes:
  0  every message came, and every byte was right
  1  a message was wrong or never came; the rank and the step are named
  2  unacceptable input; nothing is written
  3  a rank was lost";

/// Run a schedule on real ranks: every byte checked, measured times beside predicted ones
#[derive(Args)]
#[command(after_help = HELP)]
pub struct RunArguments {
    /// plan.json, as `meshwright plan --out` writes it, or GOAL text
    #[arg(value_name = "PLAN.json|FILE.goal")]
    plan: PathBuf,
    #[command(flatten)]
    format: FormatArgument,
    /// The job of the plan [default: the only one]
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// The network for the prediction, in place of that of the plan
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,
    #[command(flatten)]
    broken: Broken,
    /// Run so many times; the medians are shown
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEAT_MAX)))]
    repeat: u32,
    /// How long a cycle of a computation lasts, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 1.0, allow_negative_numbers = true, value_parser = nanoseconds)]
    cycle_time: f64,
    /// Computations take no time
    #[arg(long, conflicts_with = "cycle_time")]
    no_compute: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write run.json into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

fn nanoseconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (1e-6..=1e9).contains(number));
    number.ok_or_else(|| "expected nanoseconds from 0.000001 to 1000000000".to_string())
}

impl RunArguments {
    fn settings(&self) -> Settings {
        let cycle_nanoseconds = (!self.no_compute).then_some(self.cycle_time);
        let patience = Duration::from_secs(10);
        Settings { repeat: self.repeat, execute: execute::Settings { cycle_nanoseconds, patience } }
    }

    /// What its folder is the answer to.
    fn named(&self) -> disk::NamedJob {
        disk::NamedJob::new("run", [self.plan.display().to_string()])
    }

    /// What is to be run, checked.
    fn work(&self) -> Result<RunInput> {
        files::check(self.out.as_ref(), self.force, &self.named())?;
        self.csv.check()?;
        let _format = self.format.apply(&self.plan, &["goal", "json"])?;
        let mut work = planned::read(&self.plan, self.job.as_deref())?;
        if let Some(machine) = self.broken.on(self.on.as_deref())? {
            work.machine = Some(machine);
        }
        work.check()?;
        Ok(work)
    }
}

/// Runs the verb on threads of this process, one for each rank.
pub(super) fn run(arguments: &RunArguments) -> Result<Answer, Failure> {
    let work = arguments.work()?;
    check_threads(work.ranks())?;
    let mut progress = Progress::new();
    progress.tell(&format!("{} on {} ranks", work.name, work.ranks()));
    let settings = arguments.settings();
    let reports = threads::run(work.ranks(), |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        if mail.rank() == 0 {
            return run::lead(&work, &settings, &mut mail).map(Some);
        }
        run::follow(&mut mail).map(|_| None)
    })?;
    drop(progress);
    let report = reports.into_iter().flatten().next().expect("rank 0 reports");
    finish(arguments, &report, "threads")
}

/// Runs the verb on this rank; rank 0 reads the plan, and prints.
pub fn run_on(arguments: &RunArguments, endpoint: impl Endpoint) -> Result<Answer, Failure> {
    let mut mail = Mailbox::new(endpoint);
    if mail.rank() > 0 {
        run::follow(&mut mail)?;
        return Ok(Answer::Done);
    }
    let ranks = mail.ranks();
    let work = mail.compute(|| arguments.work().and_then(|work| work.check_ranks(ranks).map(|()| work)))?;
    let work = match work {
        Ok(work) => work,
        Err(error) => {
            run::refuse(&mut mail)?;
            return Err(error.into());
        }
    };
    let mut progress = Progress::new();
    progress.tell(&format!("{} on {ranks} ranks", work.name));
    let report = run::lead(&work, &arguments.settings(), &mut mail)?;
    drop(progress);
    finish(arguments, &report, "processes")
}

/// Writes the file that is asked for and prints the answer.
fn finish(arguments: &RunArguments, report: &RunReport, ranks_are: &str) -> Result<Answer, Failure> {
    let job = arguments.named();
    let of_folder = || Ok(vec![files::file("run.json", "the same for scripts", output::json(report))]);
    let folder = arguments.out.as_deref().map(|folder| (folder, &job));
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| rows(report)))?;
    let measured = grouped_decimal(report.measured_nanoseconds as f64 / 1e3, 1);
    output::say(
        arguments.json.then(|| output::json(report)),
        || format!("{measured} us measured; {}", verdict(report).lines().next().unwrap_or_default()),
        || text(report, ranks_are) + &written,
    )?;
    Ok(if report.right { Answer::Done } else { Answer::Negative })
}

fn text(report: &RunReport, ranks_are: &str) -> String {
    let machine =
        report.machine.as_ref().map_or(String::new(), |machine| format!(" · planned for {machine}"));
    let runs = counted(report.repeat as u64, "run");
    let mut text = format!(
        "{} · {}, {ranks_are}{machine} · {runs}\n",
        harmless(&report.name),
        counted(report.ranks as u64, "rank")
    );
    text += &format!(
        "between these ranks a message takes {} us + {} ns per byte\n",
        table::number(report.startup_nanoseconds / 1e3, 2),
        table::number(report.byte_nanoseconds, 3),
    );
    text += &phases(report);
    if report.phases.len() > ROWS_MAX {
        text += &format!("{} more phases are in the JSON\n", report.phases.len() - ROWS_MAX);
    }
    if let Some(why) = &report.unpredicted {
        text += &format!("no prediction: {why}\n");
    }
    text + &verdict(report)
}

/// The columns of the phases for programs.
pub(super) fn columns<'a>() -> Vec<Column<&'a PhaseRow>> {
    column_list![
        "phase", "its number: the tag of its messages", |phase| phase.phase.to_string();
        "messages", "how many messages it has", |phase| phase.messages.to_string();
        "bytes", "their bytes", |phase| phase.bytes.to_string();
        "measured_nanoseconds", "from the begin of the first send to the end of the last receive: the median of all runs", |phase| known(phase.measured_nanoseconds);
        "predicted_nanoseconds", "what the simulation says of ranks like these; empty without a prediction", |phase| known(phase.predicted_nanoseconds);
        "planned_cycles", "what it says of the machine of the plan; empty without one", |phase| known(phase.planned_cycles);
    ]
}

/// A row for each phase.
fn rows(report: &RunReport) -> String {
    csv::table(&[], &columns(), report.phases.iter().map(|phase| (Vec::new(), phase)))
}

/// The table of the phases and of all together.
fn phases(report: &RunReport) -> String {
    let planned = report.planned_cycles.is_some();
    let cells = |what: String, messages, bytes, times: [Option<f64>; 3]| {
        let [measured, predicted, cycles] = times;
        let us = |time: Option<f64>| time.map_or("none".to_string(), |time| grouped_decimal(time / 1e3, 1));
        let ratio = measured.zip(predicted).filter(|(_, predicted)| *predicted > 0.0);
        let ratio =
            ratio.map_or("none".to_string(), |(measured, predicted)| format!("{:.2}", measured / predicted));
        let mut row = vec![what, grouped(messages), grouped(bytes), us(measured), us(predicted), ratio];
        row.extend(planned.then(|| cycles.map_or("none".to_string(), |cycles| grouped_decimal(cycles, 0))));
        row
    };
    let row = |phase: &PhaseRow| {
        let measured = phase.measured_nanoseconds.map(|time| time as f64);
        let times = [measured, phase.predicted_nanoseconds, phase.planned_cycles];
        cells(phase.phase.to_string(), phase.messages, phase.bytes, times)
    };
    let mut rows: Vec<Vec<String>> = report.phases.iter().take(ROWS_MAX).map(row).collect();
    let messages = report.phases.iter().map(|phase| phase.messages).sum();
    let times =
        [Some(report.measured_nanoseconds as f64), report.predicted_nanoseconds, report.planned_cycles];
    rows.push(cells("all".to_string(), messages, report.bytes, times));
    let mut head = vec!["phase", "messages", "bytes", "measured, us", "predicted, us", "ratio"];
    head.extend(planned.then_some("planned, cycles"));
    table::table(&head, 1, rows)
}

/// What came of the checks.
fn verdict(report: &RunReport) -> String {
    let verified = grouped(report.verified_bytes);
    if report.right {
        return format!("verified: every message came, and all {verified} bytes were as sent\n");
    }
    let mut text = String::new();
    for wrong in &report.wrong {
        text += &format!("wrong: {wrong}\n");
    }
    if report.wrong_count > report.wrong.len() as u64 {
        text += &format!("wrong: {} messages in all\n", report.wrong_count);
    }
    for waiting in &report.waiting {
        text += &format!("stuck: {waiting}\n");
    }
    text + &format!("{verified} bytes were compared with what was sent\n")
}
