//! `meshwright explain`, and `--explain` of other verbs.

use std::path::PathBuf;

use clap::Args;

use meshwright_core::Result;
use meshwright_core::words::grouped;
use meshwright_formats::scenario::planned;
use meshwright_network::topology::Machine;
use meshwright_verdict::explain::{Explanation, PathEntry, Subject, Work, explain};
use meshwright_verdict::{Facts, JobVerdict, MappingVerdict, Verdict};

use super::csv::{self, Column, CsvFile, column_list, known};
use super::files::{self, Force};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::{Answer, manner, table};

const HELP: &str = "\
The plan is simulated again. From the last arrival the story goes back through what it waited for:
messages that held links, start-ups, computations, barriers. Its cycles add up to the makespan.
Then every change that applies is simulated, too: a second wire beside the busiest link, another
root, another order of axes, another switching, the next best placement, a dead row alive, half
the start-up, half the byte time, no barriers. A gain below 0 % takes longer.

Examples:
  meshwright map examples/lammps-lj-64.phases.csv --on mesh:8x8 --out plan
  meshwright explain plan/plan.json
  meshwright explain plan/plan.json --json | jq '.what_if[0]'
  meshwright map binomial:6 --on mesh:8x8 --explain
  meshwright plan examples/quickstart.toml --explain
  meshwright simulate broadcast.goal --on mesh:4x8 --explain

Exit codes:
  0  done
  2  unacceptable input";

/// Tell why a plan takes as long as it does: the culprit, the critical path, and what changes would gain
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct ExplainArguments {
    /// plan.json, as `meshwright plan --out` and `meshwright map --out` write it
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    #[command(flatten)]
    format: FormatArgument,
    /// The job of the plan [default: the only one]
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb.
pub(super) fn run(arguments: &ExplainArguments) -> Result<Answer> {
    let _format = arguments.format.apply(&arguments.plan, &["json"])?;
    arguments.csv.check()?;
    let plan = planned::read_to_explain(&arguments.plan, arguments.job.as_deref())?;
    manner::check(&plan.machine)?;
    let subject = Subject { name: &plan.name, method: &plan.method, machine: &plan.machine, work: plan.work };
    let told = of(&subject)?;
    let no_folder = || Ok(Vec::new());
    let written = files::write_all(arguments.force, None, no_folder, (&arguments.csv, &|| rows(&told)))?;
    output::say(
        arguments.json.then(|| output::json(&told)),
        || told.summary(&table::times(&plan.machine)).into_iter().next().unwrap_or_default(),
        || text(&told, &plan.machine) + &written,
    )?;
    Ok(Answer::Done)
}

/// The columns of the critical path for programs.
pub(super) fn columns<'a>() -> Vec<Column<&'a PathEntry>> {
    column_list![
        "kind", "message, computation or phase", |step| step.kind.to_string();
        "after", "what it waited for: begin, barrier, link, port or step", |step| step.after.to_string();
        "phase", "the phase; the tag in a schedule", |step| known(step.phase);
        "source", "the node that sends or computes, by id", |step| known(step.source);
        "target", "the node that receives, by id", |step| known(step.target);
        "bytes", "how much is sent", |step| known(step.bytes);
        "begin_cycle", "when it begins", |step| step.begin_cycle.to_string();
        "cycles", "how long it takes: all of them add up to the makespan", |step| step.cycles.to_string();
        "startup_cycles", "how much of it is start-up", |step| step.startup_cycles.to_string();
        "transfer_cycles", "how much of it is the way and the bytes", |step| step.transfer_cycles.to_string();
        "overhead_cycles", "how much of it the nodes at its ends take", |step| step.overhead_cycles.to_string();
        "waiting_cycles", "how much of it is waiting for nobody who is known", |step| step.waiting_cycles.to_string();
        "waited_link_from", "the node that the link it waited for leaves, by id", |step| known(step.waited_link.map(|link| link.from));
        "waited_link_to", "the node that this link enters, by id", |step| known(step.waited_link.map(|link| link.to));
    ]
}

/// A row for each step of the critical path.
fn rows(told: &Explanation) -> String {
    csv::table(&[], &columns(), told.critical_path.iter().map(|step| (Vec::new(), step)))
}

/// The explanation of a plan, with a line of progress.
pub(super) fn of(subject: &Subject<'_>) -> Result<Explanation> {
    let mut progress = Progress::new();
    explain(subject, &mut |what| progress.tell(&format!("explaining {}: {what}", subject.name)))
}

/// The explanation of a phased job's winner; none where nothing comes to an end.
pub(super) fn of_winner(verdict: &MappingVerdict, machine: &Machine) -> Result<Option<Explanation>> {
    verdict.subject(machine).map(|subject| of(&subject)).transpose()
}

/// The explanation of the winner's schedule; none where none is kept.
pub(super) fn of_schedule<F: Facts>(verdict: &Verdict<F>, machine: &Machine) -> Result<Option<Explanation>> {
    let Some((method, schedule)) = verdict.kept_schedule() else { return Ok(None) };
    let work = Work::Schedule(std::borrow::Cow::Borrowed(schedule));
    of(&Subject { name: &verdict.name, method, machine, work }).map(Some)
}

/// The explanations of all jobs of a plan whose plans are known before they run.
pub(super) fn of_jobs(jobs: &[JobVerdict], machine: &Machine) -> Result<Vec<Option<Explanation>>> {
    let job = |job: &JobVerdict| match job {
        JobVerdict::Mapping(verdict) => of_winner(verdict, machine),
        JobVerdict::Load(verdict) => of_schedule(verdict, machine),
        JobVerdict::Race(verdict) => of_schedule(verdict, machine),
        JobVerdict::Groups(_) => Ok(None),
    };
    jobs.iter().map(job).collect()
}

/// An explanation for people.
pub(super) fn text(told: &Explanation, machine: &Machine) -> String {
    let (mut text, times) = (String::new(), table::times(machine));
    for line in told.summary(&times) {
        text += &format!("{line}\n");
    }
    text += "\nThe critical path, backwards\n";
    for line in told.story(&times) {
        text += &format!("{line}\n");
    }
    if !told.what_if.is_empty() {
        text += "\nWhat if, each simulated\n";
        let row = |change: &meshwright_verdict::explain::Outcome| {
            let cycles = change.simulated_cycles;
            let time = table::in_seconds(cycles as f64, machine).unwrap_or_else(|| grouped(cycles));
            vec![change.change.clone(), time, table::percent(change.gain)]
        };
        let unit = if table::in_seconds(0.0, machine).is_some() { "time" } else { "cycles" };
        text += &table::table(&["change", unit, "gain"], 1, told.what_if.iter().map(row).collect());
    }
    text
}
