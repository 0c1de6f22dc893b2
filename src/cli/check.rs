//! `meshwright check`.

use std::path::PathBuf;

use clap::Args;

use meshwright::Result;
use meshwright::scenario::claim;
use meshwright::topology::Machine;
use meshwright::verdict::load::{self, CheckAnswer, Checked};

use super::output::{self, Progress};
use super::{Answer, table};

const HELP: &str = "\
A claim is one JSON object:
  { \"machine\": \"mesh:5x5\", \"sigma\": 0.5, \"sources\": [[2, 2]], \"speedup\": 11.5,
    \"fractions\": [0.08695652, 0.08695652, 0.04347826, 0.02173913, 0.01086957] }
machine   as on the command line; \"dead\" and \"dead_links\" list dead nodes and links
sigma     a number, or a string such as \"1/2\"
sources   nodes by id or coordinates, or objects with \"at\" (or \"node\"), \"load\" and \"release\"
makespan  in units of w Tcp; or \"speedup\"
shares    by node id; or \"fractions\" by hops from the nearest source
switching cut-through (default), modified-store-and-forward or store-and-forward
methods   a list of claims with \"name\" each, as `meshwright split --json` prints it

Examples:
  meshwright check claim.json
  meshwright split mesh:50x50 --from 25,25 --sigma 0.1 --json > split.json
  meshwright check split.json --json

Exit codes:
  0  every claim is possible
  1  a claim is not possible, or it could not be decided
  2  unacceptable input";

/// Check a claimed schedule of a divisible load: possible, or the nodes that refute it
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The claim, or what `split --json` printed
    #[arg(value_name = "CLAIM.json")]
    claim: PathBuf,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(super) fn run(arguments: &Arguments) -> Result<Answer> {
    let file = claim::read(&arguments.claim)?;
    let mut progress = Progress::new();
    let answer = load::check(&file.problem()?, &file.claims, &mut |what| progress.tell(what))?;
    drop(progress);
    output::print(&if arguments.json { output::json(&answer) } else { text(&answer, &file.machine) })?;
    Ok(if answer.feasible { Answer::Done } else { Answer::Negative })
}

fn text(answer: &CheckAnswer, machine: &Machine) -> String {
    const HEAD: [&str; 6] = ["claim", "switching", "speedup", "bound", "of bound", "feasible"];
    let row = |claim: &Checked| {
        vec![
            claim.name.clone(),
            claim.switching.name().to_string(),
            table::number(claim.speedup, 4),
            table::number(claim.bound_speedup, 4),
            table::number(claim.ratio_to_bound, 3),
            claim.reading.word(claim.feasible).to_string(),
        ]
    };
    let mut text = format!("{} · sigma {}\n", answer.machine, answer.sigma);
    text += &table::table(&HEAD, 2, answer.claims.iter().map(row).collect());
    for claim in &answer.claims {
        if let Some(cut) = &claim.violated_cut {
            let by = claim.moment.unwrap_or(claim.makespan);
            text += &format!("{}: {}\n", claim.name, load::violation(cut, by, machine));
        }
        if let Some(node) = claim.overloaded {
            let node = machine.node_name(node);
            text += &format!("{}: node {node} cannot work off its own share in time\n", claim.name);
        }
    }
    text + &format!("{}\n", answer.bound.certificate(machine))
}
