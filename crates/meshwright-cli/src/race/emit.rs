//! `--emit`: the schedule of the winner, or the proof of its bound, as a file.

use clap::Args;

use meshwright_collectives::{Task, bound, msccl};
use meshwright_core::output::Writing;
use meshwright_core::units::NodeId;
use meshwright_core::{Error, Result};
use meshwright_formats::certificate::collective::CollectiveFile;
use meshwright_network::topology::Machine;
use meshwright_verdict::race::{self, Asked, RaceVerdict};

use crate::output;
use crate::schedule_files::{self, Format, Target};

/// What can be written, and who reads it.
const FORMATS: [Format; 4] = [
    schedule_files::GOAL,
    ("msccl-xml", "MSCCL: sends and receives of chunks, a GPU for each member"),
    schedule_files::PERFETTO,
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

fn target(text: &str) -> Result<Target, String> {
    schedule_files::target(text, &FORMATS)
}

impl EmitArguments {
    /// Refuses, before any work is done, what cannot be written.
    pub(super) fn check(&self) -> Result<()> {
        schedule_files::check(&self.emit)
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
        for target in &self.emit {
            match target.format {
                "certificate" => {
                    writing.file(&target.path, certificate(verdict, machine, root)?.as_bytes())?;
                }
                "msccl-xml" => writing.file(&target.path, xml(verdict, machine)?.as_bytes())?,
                _ => target.add(writing, schedule, machine)?,
            }
            said += &target.line();
        }
        Ok(said)
    }
}

/// The winner as an algorithm of MSCCL, and what the race says of it as a comment.
fn xml(verdict: &RaceVerdict, machine: &Machine) -> Result<String> {
    let winner = verdict.winner().expect("a schedule is emitted");
    let facts = &verdict.facts;
    let asked = Asked {
        combine: facts.combine,
        multicast: facts.multicast,
        ..Asked::new(facts.operation, facts.bytes)
    };
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

/// The bound from the root of the winner, with what proves it.
fn certificate(verdict: &RaceVerdict, machine: &Machine, root: Option<NodeId>) -> Result<String> {
    let facts = &verdict.facts;
    let mut task = Task::new(machine, facts.operation, facts.bytes, 0)?;
    let member = root.and_then(|root| task.nodes().binary_search(&root).ok()).unwrap_or(0);
    task.combine = facts.combine;
    task.multicast = facts.multicast;
    task = task.with(facts.operation, member as u32);
    Ok(output::json(&CollectiveFile::of(&task, &bound::bound(&task)?)?))
}
