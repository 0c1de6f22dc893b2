//! Few messages: which meetings, overlay trees and relays are worth a simulation.

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;

use super::climb::applies;
use super::relays::Relays;
use super::{Budget, Found, Recipe, Simulate, Tried, meeting, settle_overlays, settle_points, simulated};
use crate::{Task, predict};

/// How many meetings are simulated, and how many messages all together have.
const MEETINGS: usize = 64;
const MEETINGS_BUDGET: usize = 1 << 19;

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

/// The best spread of those that are expected to be better than what is known.
pub(super) fn spreads(
    task: &Task<'_>,
    best: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let all = settle_points::spreads(task, grid, best).into_iter();
    let made: Result<Vec<Tried>> = all
        .map(|(spread, expected)| {
            let flow = spread.flow(task)?;
            Ok((Recipe::Spreads(spread), flow, expected))
        })
        .collect();
    Ok(simulated(made?, simulate)?.into_iter().next())
}

/// The best overlay trees of those that are expected to be better than what is known.
pub(super) fn overlays(
    task: &Task<'_>,
    best: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let all = settle_overlays::overlays(task, best)?.into_iter();
    let made = all.map(|(overlay, expected)| {
        let flow = overlay.flow(task);
        (Recipe::Overlay(overlay), flow, expected)
    });
    Ok(simulated(made.collect(), simulate)?.into_iter().next())
}

/// The best relays that are expected to be better than what is known.
pub(super) fn relays(
    task: &Task<'_>,
    best: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let mut made: Vec<Tried> = Vec::new();
    for relays in Relays::all(task) {
        let Some(flow) = applies(relays.flow(task))? else { break };
        // All differ in the order of their messages alone.
        let predicted = match made.first() {
            Some(&(.., predicted)) => predicted,
            None => predict::predicted(task, &flow)?,
        };
        if best.is_some_and(|best| predicted >= best) {
            break;
        }
        made.push((Recipe::Relays(relays), flow, predicted));
    }
    Ok(simulated(made, simulate)?.into_iter().next())
}
