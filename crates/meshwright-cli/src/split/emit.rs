//! `split --emit`: the messages of the winner as a file.

use clap::Args;

use meshwright_core::output::Writing;
use meshwright_core::{Error, Result};
use meshwright_network::topology::Machine;
use meshwright_verdict::LoadVerdict;

use crate::schedule_files::{self, Target};

/// The option.
#[derive(Args)]
pub(super) struct EmitArguments {
    /// Write the messages of the winner, with a format, a colon and a file; may be given several times: goal, perfetto
    #[arg(long, value_name = "FORMAT:FILE", value_parser = target, conflicts_with_all = ["random_sources", "queues", "show", "place", "pieces", "dynamic"])]
    emit: Vec<Target>,
}

fn target(text: &str) -> Result<Target, String> {
    schedule_files::target(text, &[schedule_files::GOAL, schedule_files::PERFETTO])
}

impl EmitArguments {
    /// Refuses, before any work is done, what cannot be written; `divisions` are asked for.
    pub(super) fn check(&self, divisions: usize) -> Result<()> {
        match self.emit.first().filter(|_| divisions > 1) {
            Some(target) => {
                let expected = "no --emit beside several values: a file has one schedule";
                Err(Error::value("emit", target.format, expected))
            }
            None => schedule_files::check(&self.emit),
        }
    }

    /// Adds the files to what is written; what there is to say about them.
    pub(super) fn add(
        &self,
        writing: &mut Writing,
        verdict: &LoadVerdict,
        machine: &Machine,
    ) -> Result<String> {
        if self.emit.is_empty() {
            return Ok(String::new());
        }
        let winner = verdict.winner();
        let Some((method, schedule)) =
            winner.as_ref().and_then(|winner| Some((winner.method, winner.schedule()?)))
        else {
            return Ok("Nothing is emitted: the winner sends no messages\n".to_string());
        };
        let mut said = format!("\nEmitted: {method}\n");
        for target in &self.emit {
            target.add(writing, schedule, machine)?;
            said += &target.line();
        }
        Ok(said)
    }
}
