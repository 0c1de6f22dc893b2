//! `--emit` of verbs whose winner is a schedule: which file gets it in which format.

use std::path::PathBuf;

use meshwright_core::output::{Writing, check_place};
use meshwright_core::text::did_you_mean;
use meshwright_core::{Error, Result};
use meshwright_formats::perfetto::{self, Run};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::Engine;

use super::output::shown;

/// A format: its name, and who reads it.
pub(super) type Format = (&'static str, &'static str);

/// What every schedule can be written as.
pub(super) const GOAL: Format =
    ("goal", "LogGOPSim, `meshwright simulate` and `meshwright run`: the messages between nodes");
pub(super) const PERFETTO: Format =
    ("perfetto", "Perfetto, chrome://tracing: every message on every link, by time");

/// One `FORMAT:FILE`.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) format: &'static str,
    summary: &'static str,
    pub(super) path: PathBuf,
}

/// The target that a text names, with one of these formats.
pub(super) fn target(text: &str, formats: &[Format]) -> Result<Target, String> {
    let (name, file) = text.split_once(':').unwrap_or((text, ""));
    let names: Vec<&str> = formats.iter().map(|(name, _)| *name).collect();
    let found = formats.iter().find(|(format, _)| *format == name && !["", "-"].contains(&file));
    match found {
        Some(&(format, summary)) => Ok(Target { format, summary, path: file.into() }),
        None => Err(format!(
            "expected FORMAT:FILE with one of {}{}",
            names.join(", "),
            did_you_mean(name, &names)
        )),
    }
}

/// Refuses, before any work is done, what cannot be written.
pub(super) fn check(targets: &[Target]) -> Result<()> {
    for (index, Target { path, .. }) in targets.iter().enumerate() {
        if targets[..index].iter().any(|earlier| earlier.path == *path) {
            let twice = format!("`{}` twice", path.display());
            return Err(Error::value("emit", twice, "a file for each format"));
        }
        check_place("--emit", path)?;
    }
    Ok(())
}

impl Target {
    /// Adds the schedule on its machine to what is written: as GOAL, or simulated event by event.
    pub(super) fn add(&self, writing: &mut Writing, schedule: &Schedule, machine: &Machine) -> Result<()> {
        if self.format == GOAL.0 {
            let mut text = Vec::new();
            goal::write(schedule, &mut text).expect("memory takes every write");
            return writing.file(&self.path, &text);
        }
        let run = Run::Schedule(schedule.clone(), Engine::Message);
        perfetto::check(machine, &run)?;
        writing.streamed(&self.path, &mut |out| perfetto::write(machine, &run, out))
    }

    /// The line that says what was written.
    pub(super) fn line(&self) -> String {
        format!("  {}  {}\n", shown(&self.path), self.summary)
    }
}
