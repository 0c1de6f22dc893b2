//! Our own entry: schedules searched for, by the same referee as all others.

use meshwright_collectives::synthesis::{self, ALGORITHMS, Found};
use meshwright_collectives::{Algorithm, Task};
use meshwright_core::error::Result;
use meshwright_core::units::Cycles;

use super::field::Entry;
use super::trial;

/// Whether an algorithm is the one that is searched for.
pub(super) fn is_searched(algorithm: &Algorithm) -> bool {
    algorithm.name == ALGORITHMS[0].name
}

/// Searches, and takes the place of the schedule that was made without a search if it is faster; `known` is the best time of the others.
pub(super) fn improve(
    entry: &mut Entry,
    task: &Task<'_>,
    bound: Cycles,
    known: Option<Cycles>,
) -> Result<()> {
    let simulate = |flow: &_| Ok(trial::cycles(task, flow)?.map(Cycles));
    match synthesis::search(task, bound, known, &simulate)? {
        Some(found) => take(entry, task, found),
        None => Ok(()),
    }
}

/// What was found takes the place of what was there unless that is faster.
pub(super) fn take(entry: &mut Entry, task: &Task<'_>, found: Found) -> Result<()> {
    if entry.run.as_ref().and_then(|run| run.cycles).is_some_and(|cycles| cycles < found.cycles.0) {
        return Ok(());
    }
    let Found { recipe, flow, predicted, .. } = found;
    let mut run = trial::simulated(task, &flow, entry.algorithm)?;
    run.predicted = predicted.0;
    entry.look = trial::look(task, &flow, entry.algorithm)?;
    (entry.run, entry.recipe, entry.not_simulated) = (Some(run), Some(recipe), None);
    Ok(())
}
