//! Few messages: which meetings are worth a simulation, and which of them other orders of sending.

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;
use meshwright_network::topology::Switching;
use rayon::prelude::*;

use super::{Budget, Found, Recipe, Simulate, Tried, meeting, order, simulated, spread};
use crate::Task;

/// How many meetings are simulated, and how many messages all together have.
const MEETINGS: usize = 64;
const MEETINGS_BUDGET: usize = 1 << 19;

/// How many spreads are simulated, and of how many of them orders are tried.
const SPREADS: usize = 24;
const FINALISTS: usize = 6;

/// The most messages of a flow whose order is changed, how many are simulated in all its trials, and the most trials.
const MESSAGES_MAX: usize = 20_000;
const MESSAGES_TRIED: usize = 1 << 21;
const TRIALS: usize = 600;

/// The best meeting of those that are expected to be better than what is known.
pub(super) fn meetings(
    task: &Task<'_>,
    best: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let (mut made, mut left) = (Vec::new(), Budget(MEETINGS_BUDGET));
    for (meeting, expected) in meeting::meetings(task, grid) {
        if best.is_some_and(|best| expected >= best) || made.len() == MEETINGS {
            break;
        }
        let flow = meeting.flow(task)?;
        if left.pays(flow.transfers().len()) {
            made.push((Recipe::Meetings(meeting), flow, expected));
        }
    }
    Ok(simulated(made, simulate)?.into_iter().next())
}

/// The best spread, after orders of the best few were tried.
pub(super) fn spreads(
    task: &Task<'_>,
    best: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let all = spread::spreads(task, grid, best).into_iter().take(SPREADS);
    let made: Result<Vec<Tried>> = all
        .map(|(spread, expected)| {
            let flow = spread.flow(task)?;
            Ok((Recipe::Spreads(spread), flow, expected))
        })
        .collect();
    let mut found = simulated(made?, simulate)?;
    found.truncate(FINALISTS);
    let found: Result<Vec<Found>> =
        found.into_par_iter().map(|found| ordered(task, found, simulate)).collect();
    Ok(found?.into_iter().min_by_key(|found| found.cycles))
}

/// A spread in the best order of sending that is tried; as it is where it has too many messages, and under wormhole, where a simulation takes long.
fn ordered(task: &Task<'_>, found: Found, simulate: &Simulate<'_>) -> Result<Found> {
    let (Some(grid), Recipe::Spreads(spread)) = (task.machine().whole_grid(), &found.recipe) else {
        return Ok(found);
    };
    let messages = found.flow.transfers().len();
    let is_slow = task.machine().switching() == Switching::Wormhole;
    if messages > MESSAGES_MAX || messages == 0 || is_slow {
        return Ok(found);
    }
    let alike = order::alike(&found.flow, grid, &spread.period);
    let trials = TRIALS.min(MESSAGES_TRIED / messages);
    let better = order::improved(&found.flow, &alike, found.cycles, trials, simulate)?;
    let Some((order, cycles)) = better else { return Ok(found) };
    let flow = found.flow.arranged(&order);
    Ok(Found { recipe: Recipe::Ordered(spread.clone(), order), flow, cycles, ..found })
}
