//! Times of completion: trees of many sizes, placed on many numbers of nodes.

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::tasks::{self, Weights};
use meshwright_network::topology::Machine;

use super::{MapArguments, is_method};
use crate::Answer;
use crate::completion::Asked;

/// Runs the verb for them.
pub(super) fn run(
    arguments: &MapArguments,
    names: &[String],
    machine: &Machine,
    weights: Weights,
) -> Result<Answer> {
    arguments.emit.refuse_beside("--work, --nodes and --per-node: --out writes the schedule of the best")?;
    if arguments.explain || arguments.formulas {
        let option = if arguments.explain { "--explain" } else { "--formulas" };
        return Err(Error::value(
            option,
            "given beside times of completion",
            "no --work, --nodes or --per-node beside it",
        ));
    }
    let MapArguments { ref tasks, ref placement, json, force, .. } = *arguments;
    let seed = arguments.seed.unwrap_or(0);
    // Nobody has named any: those that suit.
    let is_table =
        placement.iter().any(|name| name == tasks::ALL) || placement.iter().all(|name| name == "auto");
    let names = if is_table { &[] } else { names };
    if let Some(name) = names.iter().find(|name| !is_method(name)) {
        let expected =
            "a placement that needs no search and no file, as the tree changes with the number of nodes";
        return Err(Error::value("placement", format!("`{name}`"), expected));
    }
    let out = arguments.out.as_ref();
    let asked = Asked { tasks, machine, placements: names, weights, seed, json, out, force };
    arguments.completion.run(&asked)
}
