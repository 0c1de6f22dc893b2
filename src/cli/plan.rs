//! `meshwright plan`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use meshwright::Result;
use meshwright::report::{self, File, PlanReport};
use meshwright::scenario::{self, Scenario, Work};
use meshwright::topology::{Machine, PortModel, Switching, Topology};
use meshwright::verdict::{JobVerdict, divide};

use super::output::{self, Progress};
use super::{Answer, table};

const HELP: &str = "\
Examples:
  meshwright plan examples/quickstart.toml
  meshwright plan examples/quickstart.toml --out plans --seed 7
  meshwright plan examples/quickstart.toml --json | jq '.jobs[].winner'

Exit codes:
  0  done
  1  a negative answer: every placement of some job ends in a deadlock
  2  unacceptable input; nothing is written";

/// Compare every method for every job of a scenario: bound, prediction, simulation, winner
///
/// Prints a table per job and writes report.html. With --json, one JSON object is printed instead, and files
/// are written only if --out names a folder.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The scenario file: a [machine] and its jobs
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// The seed of everything random, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::costs::seed)]
    seed: Option<u64>,
    /// Where to write report.html, plan.json, drawings and schedules (without: report.html, here)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct PlanJson<'a> {
    format: u32,
    machine: MachineJson<'a>,
    seed: u64,
    jobs: &'a [JobVerdict],
}

/// The machine as it was planned for.
#[derive(Serialize)]
struct MachineJson<'a> {
    topology: &'a str,
    nodes: u32,
    dead: Vec<Vec<u32>>,
    switching: Switching,
    startup: u64,
    byte_time: f64,
    flit: u64,
    buffers: u32,
    virtual_channels: u32,
    ports: PortModel,
}

impl<'a> From<&'a Machine> for MachineJson<'a> {
    fn from(machine: &'a Machine) -> Self {
        Self {
            topology: &machine.name,
            nodes: machine.nodes(),
            dead: machine.dead.iter().map(|&node| machine.coordinates(node)).collect(),
            switching: machine.switching,
            startup: machine.costs.startup.0,
            byte_time: machine.costs.byte_time.to_f64(),
            flit: machine.costs.flit.0,
            buffers: machine.buffers,
            virtual_channels: machine.virtual_channels,
            ports: machine.ports,
        }
    }
}

/// Runs the verb.
pub(super) fn run(arguments: &Arguments) -> Result<Answer> {
    let mut scenario = scenario::read(&arguments.scenario)?;
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    let jobs = judge(&scenario)?;
    let (title, file) = (name(&arguments.scenario), arguments.scenario.display().to_string());
    let machine = &scenario.machine;
    let plan = PlanReport { title: &title, scenario: &file, machine, seed: scenario.seed, jobs: &jobs };
    let json = PlanJson { format: 1, machine: machine.into(), seed: plan.seed, jobs: &jobs };
    let written = write(arguments, &plan, &json)?;
    output::print(&if arguments.json { output::json(&json) } else { text(&plan) + &written })?;
    Ok(if jobs.iter().all(|job| job.winner.is_some()) { Answer::Done } else { Answer::Negative })
}

/// Every job in turn.
fn judge(scenario: &Scenario) -> Result<Vec<JobVerdict>> {
    let mut progress = Progress::new();
    let Scenario { machine, seed, jobs } = scenario;
    let judge = |job: &scenario::Job| {
        let Work::Divide(work) = &job.work;
        divide::judge(&job.name, work, machine, &job.methods, *seed, &mut |what| {
            progress.tell(&format!("{}: {what}", job.name));
        })
    };
    jobs.iter().map(judge).collect()
}

/// Writes the files that were asked for, when all is known; what there is to say about them.
fn write(arguments: &Arguments, plan: &PlanReport<'_>, json: &PlanJson<'_>) -> Result<String> {
    const PAGE: &str = "report.html";
    if arguments.json && arguments.out.is_none() {
        return Ok(String::new());
    }
    let page = report::page(plan)?;
    let Some(folder) = &arguments.out else {
        report::write_atomically(Path::new(PAGE), &page)?;
        return Ok(format!("Report: {PAGE}\n"));
    };
    let file = |name: &str, what: &str, text| File { name: name.into(), what: what.into(), text };
    let mut files = vec![
        file(PAGE, "tables and drawings: open it in a browser", page),
        file("plan.json", "the same for scripts", output::json(json)),
    ];
    files.extend(report::files(plan)?);
    let folder = output::folder(folder)?;
    let paths: Vec<_> = files.iter().map(|file| (folder.join(&file.name), file.text.as_str())).collect();
    report::write_all(&paths)?;
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let line = |file: &File| format!("  {:width$}  {}\n", file.name, file.what);
    Ok(format!("Files in {}:\n", folder.display()) + &files.iter().map(line).collect::<String>())
}

/// The tables.
fn text(plan: &PlanReport<'_>) -> String {
    let machine = plan.machine;
    let mut text = format!(
        "{} · {} nodes · {} · startup {} · byte time {} · flit {} · seed {}\n",
        machine.name,
        machine.living_count(),
        machine.switching.name(),
        machine.costs.startup.0,
        machine.costs.byte_time,
        machine.costs.flit.0,
        plan.seed,
    );
    for job in plan.jobs {
        text += &format!("\n{} ({}, {} tasks); times in cycles\n", job.name, job.tasks.name, job.tasks.tasks);
        text += &verdict(job, machine);
    }
    text + "\n"
}

fn verdict(job: &JobVerdict, machine: &Machine) -> String {
    const HEAD: [&str; 6] = ["method", "bound", "predicted", "simulated", "gap", "hottest link, messages"];
    let row = |outcome: &meshwright::verdict::Outcome| {
        let mark = if job.is_won_by(outcome) { "* " } else { "  " };
        vec![
            format!("{mark}{}", outcome.method),
            outcome.bound_cycles.to_string(),
            outcome.predicted_cycles.to_string(),
            outcome.simulated_cycles.to_string(),
            table::percent(outcome.gap),
            table::hottest(outcome.hottest_link, machine),
        ]
    };
    let mut text = table::table(&HEAD, 1, job.results.iter().map(row).collect());
    for skipped in &job.skipped {
        text += &format!("{} is left out: {}\n", skipped.method, skipped.why);
    }
    // The reason names the winner: the star leads from its row to it.
    text + &format!("* {}\n", job.reason)
}

/// The file's name without its ending.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
