//! `--emit`: the placement as files of launchers.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use meshwright_core::find_or;
use meshwright_core::output::Writing;
use meshwright_core::text::did_you_mean;
use meshwright_core::{Error, Result};
use meshwright_formats::certificate::{
    self as certificate_file, CertificateFile, MachineForm, PlacementForm, TasksForm,
};
use meshwright_formats::perfetto::{self, Run};
use meshwright_hosts::launcher::{FORMATS, Format, Hosts, Launch, Ranks, ranks};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::{Machine, Switching};
use meshwright_verdict::map::{Choice, MapReport, MapRow};

use super::output::{self, shown};

/// The options.
#[derive(Args)]
pub(super) struct EmitArguments {
    #[arg(long, value_name = "FORMAT:FILE", value_parser = target, help = format_names(), long_help = formats_help())]
    emit: Vec<Target>,
    /// --emit: a file of host names, one on a line, the first for node 0 [default: as the machine says, else node0, node1, …]
    #[arg(long, value_name = "FILE", requires = "emit")]
    hosts: Option<PathBuf>,
    /// --emit: which rank runs which task: task, tree or mirrored-tree [default: tree for binomial:N, else task]
    #[arg(long, value_name = "ORDER", requires = "emit", value_parser = order)]
    ranks: Option<Ranks>,
}

/// The formats there are, for the short help.
fn format_names() -> String {
    let names: Vec<&str> = formats().map(|format| format.name).collect();
    format!(
        "Write the placement, of several the fastest, with a format, a colon and a file; may be given several times: {}",
        names.join(", ")
    )
}

/// What the formats are, for the long help.
fn formats_help() -> String {
    let one = |format: &Format| format!("\n  {:16}  {}", format.name, format.summary);
    let lines: String = formats().map(one).collect();
    format!(
        "Write the placement, of several the fastest, with a format, a colon and a file; may be given several times. Formats:{lines}"
    )
}

/// One `FORMAT:FILE`.
#[derive(Clone)]
struct Target {
    format: &'static Format,
    path: PathBuf,
}

/// No launcher reads it: `check` does.
const CERTIFICATE: Format = Format {
    name: "certificate",
    summary: "lower bound and placement with what proves them: meshwright check",
    check: |machine| MachineForm::of(machine).map(|_| ()),
    fits: |_| Ok(()),
    write: |_| String::new(),
};

/// No launcher reads it: the simulation of the placement, event by event.
const PERFETTO: Format = Format {
    name: "perfetto",
    summary: "Perfetto, chrome://tracing: every message on every link, by time",
    check: |_| Ok(()),
    fits: |_| Ok(()),
    write: |_| String::new(),
};

/// What `--emit` writes of a placement.
pub(super) fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().chain([&PERFETTO, &CERTIFICATE])
}

fn target(text: &str) -> Result<Target, String> {
    let names: Vec<_> = formats().map(|format| format.name).collect();
    let (name, file) = text.split_once(':').unwrap_or((text, ""));
    let form =
        || format!("expected FORMAT:FILE with one of {}{}", names.join(", "), did_you_mean(name, &names));
    let format = formats().find(|format| format.name == name).ok_or_else(form)?;
    match file {
        "" => Err(form()),
        "-" => Err("expected the name of a file: standard output has the tables".to_string()),
        _ => Ok(Target { format, path: file.into() }),
    }
}

/// The file of `perfetto:FILE`, which is all that a simulation alone can write.
pub(super) fn trace_file(text: &str) -> Result<PathBuf, String> {
    let form = "expected perfetto:FILE; other formats write placements: meshwright map";
    match text.split_once(':') {
        Some((name, file)) if name == PERFETTO.name && !["", "-"].contains(&file) => Ok(file.into()),
        _ => Err(form.to_string()),
    }
}

/// Writes a run event by event, as a file of its own; what there is to say of it.
pub(super) fn trace(path: &Path, force: bool, machine: &Machine, run: &Run) -> Result<String> {
    let mut writing = Writing::new(force);
    let said = add_trace(&mut writing, path, machine, run)?;
    writing.finish().map(|()| said)
}

/// Adds a run, event by event, to what is written; what there is to say of it.
pub(super) fn add_trace(writing: &mut Writing, path: &Path, machine: &Machine, run: &Run) -> Result<String> {
    perfetto::check(machine, run)?;
    writing.streamed(path, &mut |out| perfetto::write(machine, run, out))?;
    Ok(format!("\nEmitted: {}\n", shown(path)))
}

fn order(text: &str) -> Result<Ranks, String> {
    let error = |names: &[&str]| format!("expected one of {}", names.join(", "));
    find_or(text, ranks::RANKS, |entry| entry.0, error).map(|entry| entry.1)
}

impl EmitArguments {
    /// Refuses `--emit` beside options whose answer is no single placement.
    pub(super) fn refuse_beside(&self, others: &'static str) -> Result<()> {
        match self.emit.first() {
            Some(target) => {
                Err(Error::value("emit", target.format.name, format!("no --emit beside {others}")))
            }
            None => Ok(()),
        }
    }

    /// Refuses, before any work is done, what cannot be written.
    pub(super) fn check(&self, tasks: &TaskGraph, machine: &Machine) -> Result<Emission<'_>> {
        for (index, Target { format, path }) in self.emit.iter().enumerate() {
            (format.check)(machine)?;
            (format.fits)(tasks)?;
            if self.emit[..index].iter().any(|earlier| earlier.path == *path) {
                return Err(Error::value(
                    "emit",
                    format!("`{}` twice", path.display()),
                    "a file for each format",
                ));
            }
            replaceable(path)?;
        }
        let ranks = self.ranks.unwrap_or(Ranks::usual(tasks));
        ranks.check(tasks)?;
        let hosts = match &self.hosts {
            Some(path) => Hosts::read(path, machine)?,
            None => Hosts::of(machine),
        };
        Ok(Emission { targets: &self.emit, hosts, ranks })
    }
}

/// Refuses a folder that is not there, and what is there and no file: a device would be replaced by one.
#[expect(clippy::disallowed_methods, reason = "refuses before anything is computed")]
fn replaceable(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such folder");
        return Err(Error::io(folder, missing));
    }
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => {
            Err(Error::io(path, std::io::Error::other("this is no file that could be replaced")))
        }
        _ => Ok(()),
    }
}

/// What is to be written.
pub(super) struct Emission<'a> {
    targets: &'a [Target],
    hosts: Hosts,
    ranks: Ranks,
}

impl<'a> Emission<'a> {
    /// The placements whose cycles nothing beats, where there are several and something is to be written.
    pub(super) fn rivals<'r>(&self, report: &'r MapReport, switching: Switching) -> Vec<&'r str> {
        let cycles = |row: &MapRow| *row.simulated_cycles.of(switching);
        let least = report.placements.iter().filter_map(cycles).min();
        let equal = |row: &&MapRow| least.is_some() && cycles(row) == least;
        let names: Vec<&str> = report.placements.iter().filter(equal).map(|row| &*row.name).collect();
        if self.targets.is_empty() || names.len() < 2 { Vec::new() } else { names }
    }

    /// The texts for the placement of the report, or for the fastest under the machine's switching; of equal ones the
    /// `winner`.
    pub(super) fn texts(
        &self,
        tasks: &TaskGraph,
        machine: &Machine,
        report: &MapReport,
        winner: Option<&str>,
    ) -> Result<Emitted<'a>> {
        if self.targets.is_empty() {
            return Ok(Emitted::default());
        }
        let Some((row, why)) = chosen(report, machine.switching(), winner) else {
            let why = format!("every placement comes to a standstill under {}", machine.switching().name());
            return Ok(Emitted { nothing: Some(why), ..Emitted::default() });
        };
        let placement = Placement { name: row.name.clone(), nodes: row.nodes().to_vec() };
        let launch = Launch { tasks, placement: &placement, machine, ranks: self.ranks, hosts: &self.hosts };
        let file = |target: &'a Target| {
            let content = match target.format.name {
                name if name == CERTIFICATE.name => Content::Text(certified(&launch, report, row)?),
                name if name == PERFETTO.name => {
                    let run = Run::Phases(placement.phases(tasks, machine));
                    perfetto::check(machine, &run)?;
                    Content::Run(Box::new((machine.clone(), run)))
                }
                _ => Content::Text((target.format.write)(&launch)),
            };
            let (format, file, summary) = (target.format.name, &*target.path, target.format.summary);
            Ok(EmittedFile { format, file, summary, content })
        };
        Ok(Emitted {
            placement: row.name.clone(),
            ranks: self.ranks.name(),
            files: self.targets.iter().map(file).collect::<Result<_>>()?,
            why,
            nothing: None,
        })
    }
}

/// The bound of a report with a placement of it, as text.
fn certified(launch: &Launch<'_>, report: &MapReport, row: &MapRow) -> Result<String> {
    let switching = launch.machine.switching();
    let certificate =
        report.bound.certificate.clone().expect("the bound under the machine's own switching is full");
    certificate_file::proved(&certificate, launch.tasks, launch.machine)
        .map_err(|why| Error::not_applicable("a certificate", why.to_string()))?;
    let placement = row.simulated_cycles.of(switching).map(|simulated_cycles| PlacementForm {
        name: row.name.clone(),
        nodes: row.nodes().iter().map(|node| node.0).collect(),
        simulated_cycles,
    });
    Ok(output::json(&CertificateFile {
        format: 1,
        kind: certificate_file::KIND.to_string(),
        tasks: TasksForm::of(launch.tasks),
        machine: MachineForm::of(launch.machine)?,
        switching: switching.name().to_string(),
        bound_cycles: report.bound_cycles,
        certificate,
        placement,
    }))
}

/// The placement to be written, and why it is this one of several: a clause, or nothing for a single one.
///
/// `auto` has chosen; else the least simulated cycles win, of equal ones the `winner`. A placement that comes to a
/// standstill is none.
fn chosen<'r>(
    report: &'r MapReport,
    switching: Switching,
    winner: Option<&str>,
) -> Option<(&'r MapRow, String)> {
    let named = |choice: &Choice| report.placements.iter().find(|row| row.name == choice.placement);
    if let Some(row) = report.choice.as_ref().and_then(named) {
        return Some((row, ", the choice of auto".to_string()));
    }
    let cycles = |row: &MapRow| *row.simulated_cycles.of(switching);
    let running = report.placements.iter().filter_map(|row| Some((row, cycles(row)?)));
    let (row, _) = running.min_by_key(|(row, cycles)| (*cycles, winner != Some(&*row.name)))?;
    let is_single = report.placements.len() == 1;
    // A single placement needs to beat nobody.
    Some((row, if is_single { String::new() } else { format!(", the fastest under {}", switching.name()) }))
}

/// Files that are ready to be written; none without `--emit`.
#[derive(Default, Serialize)]
pub(super) struct Emitted<'a> {
    placement: String,
    ranks: &'static str,
    files: Vec<EmittedFile<'a>>,
    #[serde(skip)]
    why: String,
    /// Why nothing is written though it was asked for.
    #[serde(skip)]
    nothing: Option<String>,
}

#[derive(Serialize)]
struct EmittedFile<'a> {
    format: &'static str,
    file: &'a Path,
    #[serde(skip)]
    summary: &'static str,
    #[serde(skip)]
    content: Content,
}

/// What comes into a file.
enum Content {
    Text(String),
    /// A run that is told while it goes on.
    Run(Box<(Machine, Run)>),
}

/// The answer to `map` with one key more.
#[derive(Serialize)]
struct Beside<'a> {
    #[serde(flatten)]
    report: &'a MapReport,
    emitted: &'a Emitted<'a>,
}

impl Emitted<'_> {
    /// The report as JSON; it says what was emitted if anything was.
    pub(super) fn json(&self, report: &MapReport) -> String {
        if self.files.is_empty() {
            output::json(report)
        } else {
            output::json(&Beside { report, emitted: self })
        }
    }

    /// Adds the files to what is written; what there is to say about them.
    pub(super) fn add(&self, writing: &mut Writing) -> Result<String> {
        if let Some(why) = &self.nothing {
            return Ok(format!("Nothing is emitted: {why}\n"));
        }
        if self.files.is_empty() {
            return Ok(String::new());
        }
        for EmittedFile { file, content, .. } in &self.files {
            match content {
                Content::Text(text) => writing.file(file, text.as_bytes())?,
                Content::Run(run) => {
                    writing.streamed(file, &mut |out| perfetto::write(&run.0, &run.1, out))?;
                }
            }
        }
        let names: Vec<String> = self.files.iter().map(|file| shown(file.file)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let line = |(name, file): (&String, &EmittedFile)| format!("  {name:width$}  {}\n", file.summary);
        let lines: String = names.iter().zip(&self.files).map(line).collect();
        Ok(format!("\nEmitted: {}{}; ranks by {}\n{lines}", self.placement, self.why, self.ranks))
    }
}
