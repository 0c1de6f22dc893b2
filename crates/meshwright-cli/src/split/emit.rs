//! `split --emit`: the messages of a divided load as a file.

use std::path::Path;

use clap::Args;

use meshwright_core::output::Writing;
use meshwright_core::{Error, Result};
use meshwright_network::topology::Machine;
use meshwright_verdict::LoadVerdict;
use meshwright_verdict::load::SCHEDULE_NODES_MAX;

use crate::schedule_files::{self, Target};

/// The option.
#[derive(Args)]
pub(super) struct EmitArguments {
    /// Write the messages of the winner with a format, a colon and a file;
    /// may be given several times: goal, perfetto; with --dynamic what the winner does under the first seed: perfetto
    #[arg(long, value_name = "FORMAT:FILE", value_parser = target, conflicts_with_all = ["random_sources", "queues", "show", "place", "pieces"])]
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

    /// Where a run of a load that changes is recorded.
    pub(super) fn events(&self) -> Result<Option<&Path>> {
        schedule_files::check(&self.emit)?;
        match &self.emit[..] {
            [] => Ok(None),
            [target] if target.format == schedule_files::PERFETTO.0 => Ok(Some(&target.path)),
            [target] => {
                Err(Error::value("emit", target.format, "perfetto beside --dynamic: nothing is planned"))
            }
            [_, target, ..] => Err(Error::value("emit", target.format, "one perfetto:FILE beside --dynamic")),
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
        let Some((method, schedule)) = verdict.kept_schedule() else {
            let expected = format!(
                "a winner whose messages are kept, on a machine of at most {SCHEDULE_NODES_MAX} nodes"
            );
            return Err(Error::value("emit", self.emit[0].format, expected));
        };
        let mut said = format!("\nEmitted: {method}\n");
        for target in &self.emit {
            target.add(writing, schedule, machine)?;
            said += &target.line();
        }
        if machine.fabric().is_none() {
            let (costs, switching) = (machine.costs(), machine.switching().name());
            // Where flits take no time, any will do.
            let flit = if costs.flit.0 > 0 { format!(" --flit {}", costs.flit.0) } else { String::new() };
            said += &format!(
                "Its times are those of a machine with --startup {} --byte-time {}{flit} --switching {switching}\n",
                costs.startup.0, costs.byte_time
            );
        }
        Ok(said)
    }
}
