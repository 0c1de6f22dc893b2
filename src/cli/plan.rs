//! `meshwright plan`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use meshwright::Result;
use meshwright::report::{self, PlanReport};
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
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Where to write report.html and plan.json (without: report.html, here)
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
    let page = write(arguments, &plan, &json)?;
    output::print(&match page {
        _ if arguments.json => output::json(&json),
        Some(page) => format!("{}Report: {}\n", text(&plan), page.display()),
        None => text(&plan),
    })?;
    Ok(Answer::Done)
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

/// Writes the files that were asked for, when all is known; the place of the page.
fn write(arguments: &Arguments, plan: &PlanReport<'_>, json: &PlanJson<'_>) -> Result<Option<PathBuf>> {
    if arguments.json && arguments.out.is_none() {
        return Ok(None);
    }
    let page = report::page(plan)?;
    let folder = match &arguments.out {
        Some(folder) => output::folder(folder)?,
        None => PathBuf::new(),
    };
    if arguments.out.is_some() {
        output::write(&folder.join("plan.json"), &output::json(json))?;
    }
    let path = folder.join("report.html");
    output::write(&path, &page)?;
    Ok(Some(path))
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
        let mark = if outcome.method == job.winner { "* " } else { "  " };
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
        text += &format!("{} does not apply: {}\n", skipped.method, skipped.why);
    }
    // The reason names the winner: the star leads from its row to it.
    text + &format!("* {}\n", job.reason)
}

/// The file's name without its ending.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
