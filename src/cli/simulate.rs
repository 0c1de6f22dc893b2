//! `meshwright simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use meshwright::scenario::tasks;
use meshwright::topology::Machine;
use meshwright::verdict::simulate::{self, SimulateReport};
use meshwright::{Error, Result};

use super::costs::MachineArguments;
use super::{Answer, files, output, table};

const HELP: &str = "\
Examples:
  meshwright simulate broadcast.goal --on mesh:4x8
  meshwright simulate broadcast.goal --on torus:8x8 --switching store-and-forward --json

Exit codes:
  0  done
  1  the schedule ends in a deadlock
  2  unacceptable input";

/// Run a schedule on a machine and measure it
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The schedule: GOAL text; rank r runs on node r
    #[arg(value_name = "SCHEDULE.goal")]
    schedule: PathBuf,
    #[command(flatten)]
    machine: MachineArguments,
    /// What is simulated: whole messages; every flit in a later version
    #[arg(long, value_enum, default_value = "message")]
    engine: Engine,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write simulate.json into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Engine {
    Message,
    Flit,
}

/// Runs the verb.
pub(super) fn run(arguments: &Arguments) -> Result<Answer> {
    if let Engine::Flit = arguments.engine {
        return Err(Error::value("engine", "flit", "message, the only engine of this version"));
    }
    let machine = arguments.machine.machine()?;
    let schedule = tasks::schedule(&arguments.schedule, &machine)?;
    let report = simulate::report(&schedule, &machine)?;
    let written = match &arguments.out {
        Some(folder) => {
            let file = files::file("simulate.json", "the same for scripts", output::json(&report));
            files::write(folder, vec![file])?
        }
        None => String::new(),
    };
    output::print(&if arguments.json { output::json(&report) } else { text(&report, &machine) + &written })?;
    Ok(if report.deadlock.is_some() { Answer::Negative } else { Answer::Done })
}

fn text(report: &SimulateReport, machine: &Machine) -> String {
    let latency = &report.latency;
    let mut rows = [
        ["cycles", &report.cycles.to_string()],
        ["messages", &report.messages.to_string()],
        ["flit hops", &report.flit_hops.to_string()],
        ["hottest link", &table::hottest(report.hottest_link, machine)],
        ["latency, mean", &table::number(latency.mean, 2)],
        ["latency, median", &latency.p50.to_string()],
        ["latency, 99 of 100", &latency.p99.to_string()],
        ["latency, longest", &latency.max.to_string()],
    ]
    .map(|row| row.map(str::to_string).to_vec())
    .to_vec();
    if let Some(ring) = &report.deadlock {
        let links: Vec<String> = ring.iter().map(|link| table::link(link.from, link.to, machine)).collect();
        rows.push(vec!["deadlock, each waits for the next".to_string(), links.join("\n")]);
    }
    let (engine, switching) = (report.engine, machine.switching.name());
    format!("{} · {switching} · {engine} engine\n", machine.name)
        + &table::table(&["measure", "value"], 1, rows)
}
