//! Families of schedules: what of each is worth a simulation.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::topology::Topology;
use rayon::prelude::*;

use super::climb::{applies, climb};
use super::joined::Joined;
use super::meeting::Candidate;
use super::products::products;
use super::relays::Relays;
use super::settle::settle;
use super::{
    Found, Recipe, Simulate, good_enough, meeting, routes, scans, settle_overlays, settle_points, sort_by,
};
use crate::flow::Flow;
use crate::shape::of_whole_vectors;
use crate::{Operation, Task, predict};

/// How many meetings are simulated, and how many messages all together have.
const MEETINGS: usize = 64;
const MEETINGS_BUDGET: usize = 1 << 19;

/// What is known before a family is looked at.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// No schedule ends sooner.
    pub(super) bound: Cycles,
    /// When the best so far ends.
    pub(super) best: Option<Cycles>,
}

impl Known {
    /// Whether the best so far is good enough.
    pub(super) fn is_near(self) -> bool {
        self.best.is_some_and(|best| best <= good_enough(self.bound))
    }

    /// Whether what ends then is better than the best so far.
    fn is_beaten_by(self, cycles: Cycles) -> bool {
        self.best.is_none_or(|best| cycles < best)
    }
}

/// The best schedule of a family, simulated; none where there is none, or none that is expected to be better than what is known.
pub(super) type Family = fn(&Task<'_>, Known, &Simulate<'_>) -> Result<Option<Found>>;

/// Those for an operation, in the order in which they are looked at.
pub(super) fn families(operation: Operation) -> &'static [Family] {
    match operation {
        Operation::Scan => &[scans::search, gathered],
        Operation::AllReduce | Operation::Barrier => {
            &[products, meetings, spreads, overlays, gathered, packings, cells]
        }
        operation if routes::applies_to(operation) => &[overlays, relays, routed],
        _ => &[products, meetings, spreads, overlays, composed, packings, cells],
    }
}

/// The best schedule of these families, which are looked at one after the other until the best is good enough.
pub(super) fn best_of(
    families: &[Family],
    task: &Task<'_>,
    mut known: Known,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    let mut best: Option<Found> = None;
    for family in families {
        if known.is_near() {
            break;
        }
        let found = family(task, known, simulate)?;
        known.best = found.iter().map(|found| found.cycles).chain(known.best).min();
        best = best.into_iter().chain(found).min_by_key(|found| found.cycles);
    }
    Ok(best)
}

/// Messages that may still be simulated.
pub(super) struct Budget(pub(super) usize);

impl Budget {
    /// Takes so many, if there are as many left.
    pub(super) fn pays(&mut self, messages: usize) -> bool {
        let pays = messages <= self.0;
        self.0 -= if pays { messages } else { 0 };
        pays
    }
}

/// What is to be simulated, and what is expected of it.
pub(super) type Tried = (Recipe, Flow, Cycles);

/// What is to be simulated of a recipe that is expected to end then.
fn tried(task: &Task<'_>, (recipe, expected): (Recipe, Cycles)) -> Result<Tried> {
    let flow = recipe.flow(task)?;
    Ok((recipe, flow, expected))
}

/// Simulates these, in parallel; those that end, the fastest first.
pub(super) fn simulated(all: Vec<Tried>, simulate: &Simulate<'_>) -> Result<Vec<Found>> {
    let run = |(recipe, flow, predicted): Tried| -> Result<Option<Found>> {
        let cycles = simulate(&flow)?;
        Ok(cycles.map(|cycles| Found { recipe, flow, cycles, predicted }))
    };
    let all: Result<Vec<_>> = all.into_par_iter().map(run).collect();
    let mut found: Vec<Found> = all?.into_iter().flatten().collect();
    sort_by(&mut found, |found| found.cycles);
    Ok(found)
}

/// The first of these to end.
fn fastest(all: Vec<Tried>, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    Ok(simulated(all, simulate)?.into_iter().next())
}

/// Pieces that meet at a few members.
fn meetings(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let (mut made, mut left) = (Vec::new(), Budget(MEETINGS_BUDGET));
    for Candidate { meeting, expected, messages } in meeting::meetings(task, grid) {
        if !known.is_beaten_by(expected) || made.len() == MEETINGS {
            break;
        }
        // Not made where it is not paid for.
        if left.pays(messages as usize) {
            made.push(tried(task, (Recipe::Meetings(meeting), expected))?);
        }
    }
    fastest(made, simulate)
}

/// Pieces that meet at points of a box.
fn spreads(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let all = settle_points::spreads(task, grid, known.best).into_iter();
    let all = all.map(|(spread, expected)| tried(task, (Recipe::Spreads(spread), expected)));
    fastest(all.collect::<Result<_>>()?, simulate)
}

/// Overlay trees.
fn overlays(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let all = settle_overlays::overlays(task, known.best)?.into_iter();
    let all = all.map(|(overlay, expected)| tried(task, (Recipe::Overlay(overlay), expected)));
    fastest(all.collect::<Result<_>>()?, simulate)
}

/// All-gather as gather and broadcast, reduce-scatter as reduction and scatter.
fn composed(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some((joined, expected)) = Joined::through_one(task, known.best)? else { return Ok(None) };
    fastest(vec![tried(task, (Recipe::Joined(Box::new(joined)), expected))?], simulate)
}

/// Whole vectors that are gathered and added up at last, by the best all-gather of them.
fn gathered(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some(all) = applies(of_whole_vectors(task))? else { return Ok(None) };
    let (machine, costs) = (task.machine(), task.machine().costs());
    let links = task.nodes().iter().map(|&node| machine.neighbours(node).count() as u64).max().unwrap_or(1);
    let comes = costs.cycles(costs.transfer_ticks(Bytes(all.bytes - task.bytes)) / links.max(1));
    if !known.is_beaten_by(comes) {
        return Ok(None);
    }
    let summed = |flow: &Flow| simulate(&flow.clone().added_up());
    let best = best_of(&[products, overlays, composed], &all, known, &summed)?;
    Ok(best.map(|found| Found {
        recipe: Recipe::Gathered(Box::new(found.recipe)),
        flow: found.flow.added_up(),
        ..found
    }))
}

/// Blocks over other members.
fn relays(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let mut made: Vec<Tried> = Vec::new();
    for relays in Relays::all(task) {
        let Some(flow) = applies(relays.flow(task))? else { break };
        // All differ in the order of their messages alone.
        let predicted = match made.first() {
            Some(&(.., predicted)) => predicted,
            None => predict::predicted(task, &flow)?,
        };
        if !known.is_beaten_by(predicted) {
            break;
        }
        made.push((Recipe::Relays(relays), flow, predicted));
    }
    fastest(made, simulate)
}

/// The packing of trees that is the best by its plan.
fn packings(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let best = climb(task, known.best)?.filter(|(_, timed)| known.is_beaten_by(timed.cycles));
    let best = best.map(|(shape, timed)| (Recipe::Trees(shape), timed.flow, timed.cycles));
    fastest(best.into_iter().collect(), simulate)
}

/// The routes that are the best by their plans.
fn routed(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let best =
        routes::search(task, good_enough(known.bound))?.filter(|(_, timed)| known.is_beaten_by(timed.cycles));
    let best = best.map(|(routes, timed)| (Recipe::Routes(routes), timed.flow, timed.cycles));
    fastest(best.into_iter().collect(), simulate)
}

/// The trees of cells that are the best by their plans.
fn cells(task: &Task<'_>, known: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let all = settle(task, known.best)?.into_iter();
    fastest(all.map(|(cells, flow, planned)| (Recipe::Cells(cells), flow, planned)).collect(), simulate)
}
