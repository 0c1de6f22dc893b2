//! The files of a plan: the page, its JSON, drawings and schedules.

use std::path::Path;

use serde::Serialize;

use meshwright::Result;
use meshwright::report::{self, File, PlanReport};
use meshwright::topology::{Machine, PortModel, Switching, Topology};
use meshwright::verdict::JobVerdict;

use super::output;

/// The page's file name.
pub(super) const PAGE: &str = "report.html";

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
            dead: machine.dead().iter().map(|&node| machine.coordinates(node)).collect(),
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

/// A plan as one JSON object.
pub(super) fn json(plan: &PlanReport<'_>) -> String {
    output::json(&PlanJson { format: 1, machine: plan.machine.into(), seed: plan.seed, jobs: plan.jobs })
}

/// A file of this text.
pub(super) fn file(name: &str, what: &str, text: String) -> File {
    File { name: name.into(), what: what.into(), text }
}

/// Every file of a plan.
pub(super) fn of_plan(plan: &PlanReport<'_>) -> Result<Vec<File>> {
    let mut files = vec![
        file(PAGE, "tables and drawings: open it in a browser", report::page(plan)?),
        file("plan.json", "the same for scripts", json(plan)),
    ];
    files.extend(report::files(plan)?);
    Ok(files)
}

/// Writes all files into a folder or none; what there is to say about them.
pub(super) fn write(folder: &Path, files: Vec<File>) -> Result<String> {
    let folder = output::folder(folder)?;
    let paths: Vec<_> = files.iter().map(|file| (folder.join(&file.name), file.text.as_str())).collect();
    report::write_all(&paths)?;
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let line = |file: &File| format!("  {:width$}  {}\n", file.name, file.what);
    Ok(format!("Files in {}:\n", folder.display()) + &files.iter().map(line).collect::<String>())
}
