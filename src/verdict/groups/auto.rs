//! Which split and which tree are used where nobody says so.

use rayon::prelude::*;

use super::experiment;
use super::job::Job;
use super::methods::{Method, methods};
use crate::error::{Error, Result};
use crate::topology::Machine;
use crate::verdict::Skipped;

/// The method for a split and a tree by their names, and why it was taken: the word `auto` stands for whatever takes
/// the fewest cycles for the first repetition if nobody is in anybody's way.
///
/// # Errors
///
/// As for [`methods()`]; [`Error::NotApplicable`] when no method understands the labels.
pub fn choose(
    job: &Job,
    machine: &Machine,
    split: &str,
    tree: &str,
) -> Result<(&'static Method, Option<String>)> {
    let named = |name| (name != "auto").then_some(name);
    let candidates = methods(named(split), named(tree))?;
    if let [only] = candidates[..] {
        return Ok((only, None));
    }
    let trial = Job { repeat: 1, alone: true, ..job.clone() };
    let tried: Vec<Result<u64>> = candidates
        .par_iter()
        .map(|method| experiment::run(&trial, machine, method, &|| ()).map(|run| run.cycles()))
        .collect();
    let mut best: Option<(u64, &'static Method)> = None;
    let mut skipped = Vec::new();
    let mut others = Vec::new();
    for (method, tried) in candidates.into_iter().zip(tried) {
        match tried {
            Ok(cycles) => {
                others.push(format!("{} {cycles}", method.name));
                if best.is_none_or(|(least, _)| cycles < least) {
                    best = Some((cycles, method));
                }
            }
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.name.to_string(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    let (_, method) =
        best.ok_or_else(|| crate::verdict::nothing_applies("splitting the groups", &skipped))?;
    let why =
        format!("the fewest cycles of a first repetition with nobody in the way: {}", others.join(", "));
    Ok((method, Some(why)))
}
