//! `--emit`: the schedule of the winner, or the proof of its bound, as a file.

use std::path::PathBuf;

use clap::Args;

use meshwright_collectives::{Task, bound, msccl};
use meshwright_core::output::{Writing, check_place};
use meshwright_core::text::did_you_mean;
use meshwright_core::units::NodeId;
use meshwright_core::{Error, Result};
use meshwright_formats::certificate::collective::CollectiveFile;
use meshwright_formats::perfetto::{self, Run};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Schedule, goal};
use meshwright_sim::Engine;
use meshwright_verdict::race::{self, Asked, RaceVerdict};

use crate::output::{self, shown};

/// What can be written, and who reads it.
const FORMATS: [(&str, &str); 4] = [
    ("goal", "LogGOPSim, `meshwright simulate` and `meshwright run`: the messages between nodes"),
    ("msccl-xml", "MSCCL: sends and receives of chunks, a GPU for each member"),
    ("perfetto", "Perfetto, chrome://tracing: every message on every link, by time"),
    ("certificate", "the bound with what proves it: meshwright check"),
];

/// The option.
#[derive(Args)]
pub(super) struct EmitArguments {
    /// Write the schedule of the winner, rank r on node r, with a format, a colon and a file; may be given several times:
    /// goal, msccl-xml, perfetto; certificate: the bound from its root
    #[arg(long, value_name = "FORMAT:FILE", value_parser = target)]
    emit: Vec<Target>,
}

/// One `FORMAT:FILE`.
#[derive(Clone)]
struct Target {
    format: &'static str,
    summary: &'static str,
    path: PathBuf,
}

fn target(text: &str) -> Result<Target, String> {
    let (name, file) = text.split_once(':').unwrap_or((text, ""));
    let names = FORMATS.map(|(name, _)| name);
    let found = FORMATS.iter().find(|(format, _)| *format == name && !["", "-"].contains(&file));
    match found {
        Some(&(format, summary)) => Ok(Target { format, summary, path: file.into() }),
        None => Err(format!(
            "expected FORMAT:FILE with one of {}{}",
            names.join(", "),
            did_you_mean(name, &names)
        )),
    }
}

impl EmitArguments {
    /// Refuses, before any work is done, what cannot be written.
    pub(super) fn check(&self) -> Result<()> {
        for (index, Target { path, .. }) in self.emit.iter().enumerate() {
            if self.emit[..index].iter().any(|earlier| earlier.path == *path) {
                let twice = format!("`{}` twice", path.display());
                return Err(Error::value("emit", twice, "a file for each format"));
            }
            check_place("--emit", path)?;
        }
        Ok(())
    }

    /// Refuses the option where there are several winners.
    pub(super) fn refuse_beside_several(&self) -> Result<()> {
        match self.emit.first() {
            Some(target) => {
                let expected = "no --emit beside several sizes or costs: a file has one schedule";
                Err(Error::value("emit", target.format, expected))
            }
            None => Ok(()),
        }
    }

    /// Adds the files to what is written; what there is to say about them.
    pub(super) fn add(
        &self,
        writing: &mut Writing,
        verdict: &RaceVerdict,
        machine: &Machine,
    ) -> Result<String> {
        if self.emit.is_empty() {
            return Ok(String::new());
        }
        let winner = verdict.winner();
        let Some((method, schedule, root)) = winner
            .as_ref()
            .and_then(|winner| Some((winner.method, winner.schedule()?, winner.outcome.detail.root)))
        else {
            return Ok("Nothing is emitted: no algorithm comes to its end\n".to_string());
        };
        let mut said = format!("\nEmitted: {method}, the fastest\n");
        for Target { format, path, summary } in &self.emit {
            match *format {
                "goal" => writing.file(path, &text(schedule))?,
                "certificate" => writing.file(path, certificate(verdict, machine, root)?.as_bytes())?,
                "msccl-xml" => writing.file(path, xml(verdict, machine)?.as_bytes())?,
                _ => {
                    let run = Run::Schedule(schedule.clone(), Engine::Message);
                    perfetto::check(machine, &run)?;
                    writing.streamed(path, &mut |out| perfetto::write(machine, &run, out))?;
                }
            }
            said += &format!("  {}  {summary}\n", shown(path));
        }
        Ok(said)
    }
}

/// The winner as an algorithm of MSCCL, and what the race says of it as a comment.
fn xml(verdict: &RaceVerdict, machine: &Machine) -> Result<String> {
    let winner = verdict.winner().expect("a schedule is emitted");
    let facts = &verdict.facts;
    let asked = Asked { combine: facts.combine, ..Asked::new(facts.operation, facts.bytes) };
    let (task, flow) = race::flow(&asked, machine, winner.outcome)?;
    let (cycles, bound) = (winner.time.0, winner.outcome.bound_cycles);
    // Two hyphens would end a comment.
    let on = machine.name().replace("--", "- -");
    let note = format!(
        "{} of {} bytes on {on}: {cycles} cycles simulated, at least {bound} by any algorithm",
        facts.operation.name(),
        facts.bytes
    );
    Ok(format!("<!-- {note} -->\n{}", msccl::xml(&task, &flow, winner.method)?))
}

/// The schedule as text.
fn text(schedule: &Schedule) -> Vec<u8> {
    let mut text = Vec::new();
    goal::write(schedule, &mut text).expect("memory takes every write");
    text
}

/// The bound from the root of the winner, with what proves it.
fn certificate(verdict: &RaceVerdict, machine: &Machine, root: Option<NodeId>) -> Result<String> {
    let facts = &verdict.facts;
    let mut task = Task::new(machine, facts.operation, facts.bytes, 0)?;
    let member = root.and_then(|root| task.nodes().binary_search(&root).ok()).unwrap_or(0);
    task.combine = facts.combine;
    task = task.with(facts.operation, member as u32);
    Ok(output::json(&CollectiveFile::of(&task, &bound::bound(&task)?)?))
}
