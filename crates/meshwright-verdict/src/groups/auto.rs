//! Which split and which tree are used where nobody says so.

use super::answer::unit;
use super::experiment;
use super::job::{Drawn, Job, Labels};
use super::methods::{LabelsKnown, Method, methods};
use crate::{Skipped, nothing_applies};
use meshwright_core::error::{Error, Result};
use meshwright_groups::choice::{self, Demand, Question};
use meshwright_groups::label_file::Given;
use meshwright_groups::mask::TreeOf;
use meshwright_groups::monotone_nearest;
use meshwright_network::topology::Machine;

/// So many repetitions are tried by every method.
pub const TRIAL_REPEAT: u32 = 2;

/// Larger groups are not tried: a formula decides.
pub const TRIAL_SIZE_MAX: u32 = 4096;

/// The method for a split and a tree by their names, and why it was taken: the word `auto` stands for whatever does the
/// first repetitions in the least time, on this machine with its costs and on the engine of the job; of equal ones the
/// first of the table. `plan`, which tries all repetitions, takes the same where there are no more.
///
/// Groups of more than [`TRIAL_SIZE_MAX`] members, and those of which no method comes to an end, are decided by the
/// formulas of [`choice`] for the first split.
///
/// # Errors
///
/// As for [`methods()`] and [`Job::group`]; [`Error::NotApplicable`] when no method understands the labels.
///
/// # Complexity
///
/// That of [`TRIAL_REPEAT`] repetitions by every method, or of building the trees of the first group.
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
    let is_small = job.group(machine)?.size() <= TRIAL_SIZE_MAX;
    let tried = if is_small { tried(job, machine, &candidates)? } else { None };
    match tried {
        Some((method, why)) => Ok((method, Some(why))),
        None => foretold(job, machine, candidates).map(|(method, why)| (method, Some(why))),
    }
}

/// By a trial; none when every method that applies comes to a standstill.
fn tried(
    job: &Job,
    machine: &Machine,
    candidates: &[&'static Method],
) -> Result<Option<(&'static Method, String)>> {
    let trial = Job { repeat: job.repeat.min(TRIAL_REPEAT), ..job.clone() };
    let mut best: Option<(u64, &'static Method)> = None;
    let (mut skipped, mut all) = (Vec::new(), Vec::new());
    for method in candidates {
        match experiment::run(&trial, machine, method, &|| ()) {
            Ok(run) if run.deadlock().is_none() => {
                let cycles = run.cycles();
                all.push(format!("{} {cycles}", method.name));
                if best.is_none_or(|(least, _)| cycles < least) {
                    best = Some((cycles, method));
                }
            }
            Ok(_) => {}
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.name.to_string(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    if skipped.len() == candidates.len() {
        return Err(nothing_applies("splitting the groups", &skipped));
    }
    let times = if trial.repeat == 1 {
        "the repetition".into()
    } else {
        format!("the first {} repetitions", trial.repeat)
    };
    Ok(best.map(|(_, method)| (method, format!("the least time for {times}: {}", all.join(", ")))))
}

/// By the formulas for the first split.
fn foretold(
    job: &Job,
    machine: &Machine,
    candidates: Vec<&'static Method>,
) -> Result<(&'static Method, String)> {
    let group = job.group(machine)?;
    let demand = job.labels.demand();
    let mut best: Option<(f64, &'static Method)> = None;
    let (mut skipped, mut all) = (Vec::new(), Vec::new());
    for method in candidates {
        let tree: TreeOf = method.mask_tree().unwrap_or(monotone_nearest::tree);
        let forecast = Question::of(machine, &group, tree, demand).and_then(|question| {
            let forecasts = choice::choose(&question)?.forecasts;
            let found = forecasts.into_iter().find(|forecast| forecast.name == method.split);
            let steps = found.expect("the splits of both tables are the same").steps;
            steps.map_err(|why| Error::not_applicable("this split", why))
        });
        match forecast {
            Ok(steps) => {
                all.push(format!("{} {steps:.0}", method.name));
                if best.is_none_or(|(least, _)| steps < least) {
                    best = Some((steps, method));
                }
            }
            Err(Error::NotApplicable { why, .. }) => {
                skipped.push(Skipped { method: method.name.to_string(), why, deadlock: false });
            }
            Err(error) => return Err(error),
        }
    }
    let (_, method) = best.ok_or_else(|| nothing_applies("splitting the groups", &skipped))?;
    Ok((method, format!("the fewest predicted {} for the first split: {}", unit(machine), all.join(", "))))
}

impl Labels {
    /// How many colours and keys there may be, and whether every member knows.
    fn demand(&self) -> Demand {
        let above = |most: Option<u32>| most.map_or(1, |most| most.saturating_add(1));
        let is_known = self.needed() == LabelsKnown::States || matches!(self, Self::Drawn { .. });
        let (colours, keys) = match self {
            Self::Given(Given { members, .. }) => (
                above(members.iter().map(|(_, label)| label.colour).max()).max(2),
                above(members.iter().map(|(_, label)| label.key).max()),
            ),
            Self::Drawn { kind: Drawn::Colours(colours), .. } => ((*colours).max(2), 1),
            Self::Drawn { kind: Drawn::Keyed { colours, keys }, .. } => ((*colours).max(2), *keys),
            Self::Drawn { .. } => (2, 1),
        };
        Demand { colours, keys, is_known, memory: None }
    }
}
