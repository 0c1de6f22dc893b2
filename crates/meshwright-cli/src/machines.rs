//! `meshwright machines`.

use clap::Args;
use serde::Serialize;

use meshwright_core::Result;
use meshwright_formats::presets::{self, About, PRESETS};

use super::{Answer, output, table};

const HELP: &str = "\
Examples:
  meshwright machines
  meshwright machines wormhole > mine.toml
  meshwright map stencil.mtx --on wormhole

Exit codes:
  0  done
  2  there is no machine of this name";

/// List the machines that come with the program, or print the file of one
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct MachinesArguments {
    /// The machine whose TOML file is printed; `--on` takes the name, and the file
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List {
    format: u32,
    machines: Vec<About>,
}

/// Runs the verb.
pub(super) fn run(arguments: &MachinesArguments) -> Result<Answer> {
    let list = match &arguments.name {
        Some(name) if !arguments.json => {
            output::print(presets::named(name)?.toml)?;
            return Ok(Answer::Done);
        }
        Some(name) => vec![presets::named(name)?.about()?],
        None => PRESETS.iter().map(presets::Preset::about).collect::<Result<_>>()?,
    };
    let shown = text(&list);
    let names: Vec<String> = list.iter().map(|about| about.name.clone()).collect();
    output::say(
        arguments.json.then(|| output::json(&List { format: 1, machines: list })),
        || names.join(" "),
        || shown,
    )?;
    Ok(Answer::Done)
}

fn text(list: &[About]) -> String {
    let row = |about: &About| vec![about.name.clone(), about.summary.clone()];
    let rows = table::table(&["machine", "what it is"], 2, list.iter().map(row).collect());
    rows + "`meshwright machines NAME` prints the file of one, with the source of each figure; `--on NAME` runs on it.\n\
            --json lists what is measured and what is assumed.\n"
}
