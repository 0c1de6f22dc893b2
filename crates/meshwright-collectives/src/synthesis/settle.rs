//! Which trees of cells: how large the cells, how many trees and in which order, by their plans.

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::Topology;
use rayon::prelude::*;

use super::cells::{Cells, Ways};
use super::sort_by;
use crate::Task;
use crate::flow::Flow;

/// Sides of cells that are tried, the first of them first.
const SIDES: [u32; 4] = [5, 3, 4, 8];

/// Of so many chunks a level further from the end is worth one.
const HASTES: [u32; 3] = [16, 64, 4];

/// Factors by which the number of trees is changed.
const FACTORS: [f64; 3] = [1.5, 0.67, 0.45];

/// How many messages a plan has at most.
const MESSAGES: usize = 1 << 19;

/// How often the plans of the best are turned round; only once where there are more than so many messages.
const PASSES: [u32; 2] = [1, 2];
const FEW_MESSAGES: usize = 1 << 17;

/// How many are turned round and simulated.
const FINALISTS: usize = 3;

/// By so much of itself, one part of so many, a plan that is turned round may get better.
const HOPE: u64 = 6;

/// The flows of the trees of cells whose plans are the best, turned round; none where they would take longer than what is known already.
///
/// The first number of trees is that of [`climb`](super::climb::climb).
///
/// # Errors
///
/// Those of [`Cells::flow`].
///
/// # Complexity
///
/// O(2^19 links) for some twenty plans.
pub fn settle(task: &Task<'_>, known: Option<Cycles>) -> Result<Vec<(Cells, Flow, Cycles)>> {
    if Ways::of(task).is_none()
        || task.bytes == 0
        || task.machine().whole_grid().is_none()
        || task.members() < 2
    {
        return Ok(Vec::new());
    }
    let starts: Result<Vec<Option<Cells>>> = SIDES.iter().map(|&side| start(task, side, known)).collect();
    let mut tried = planned(task, &starts?.into_iter().flatten().collect::<Vec<_>>())?;
    let hopes =
        |&(_, cycles): &(Cells, Cycles)| known.is_none_or(|known| cycles.0 - cycles.0 / HOPE < known.0);
    let Some(&(best, _)) = tried.first().filter(|best| hopes(best)) else { return Ok(Vec::new()) };
    let hasty = |of: &u32| Cells { haste: (best.trees / of).max(1), ..best };
    let hasty: Vec<Cells> = HASTES[1..].iter().map(hasty).filter(|cells| *cells != best).collect();
    tried.extend(planned(task, &hasty)?);
    sort_by(&mut tried, |&(_, cycles)| cycles);
    let (best, _) = tried[0];
    let most = most(task);
    let times = |trees: u32, factor: &f64| ((f64::from(trees) * factor) as u32).clamp(1, most);
    let more = |factor: &f64| {
        let trees = times(best.trees, factor);
        Cells { trees, haste: times(best.haste, factor), ..best }
    };
    let more: Vec<Cells> = FACTORS.iter().map(more).filter(|cells| *cells != best).collect();
    tried.extend(planned(task, &more)?);
    sort_by(&mut tried, |&(_, cycles)| cycles);
    tried.retain(hopes);
    tried.truncate(FINALISTS);
    let costs = task.machine().costs();
    let few = (FEW_MESSAGES / messages(task)) as u32;
    let passes = |cells: Cells| if cells.trees > few { &PASSES[..1] } else { &PASSES[..] };
    let turned =
        |&(cells, _): &(Cells, Cycles)| passes(cells).iter().map(move |&passes| Cells { passes, ..cells });
    let finalists: Vec<Cells> = tried.iter().flat_map(turned).collect();
    let flow = |&cells: &Cells| {
        let (flow, plan) = cells.planned(task)?;
        Ok((cells, plan.paced(plan.ordered(&flow), costs), plan.cycles(costs)))
    };
    finalists.par_iter().map(flow).collect()
}

/// The most trees of a plan.
fn most(task: &Task<'_>) -> u32 {
    task.bytes.min((MESSAGES / messages(task)) as u64).max(1) as u32
}

/// The messages of a tree.
fn messages(task: &Task<'_>) -> usize {
    Ways::of(task).map_or(1, |ways| ways.messages(task.members()))
}

/// Trees of cells of a side to begin with, if they could be better than what is known.
fn start(task: &Task<'_>, side: u32, known: Option<Cycles>) -> Result<Option<Cells>> {
    let machine = task.machine();
    let one = Cells { trees: 1, side, haste: 1, passes: 0 };
    if machine.sides().iter().all(|&all| all < side) {
        return Ok(None);
    }
    let (levels, links) = one.shape(task)?;
    let costs = machine.costs();
    let degrees = || (0..machine.nodes()).map(|node| machine.neighbours(NodeId(node)).count());
    let wires: usize = degrees().sum();
    // All of a chunk comes to every member, over whatever wires it has.
    let fewest = degrees().min().unwrap_or(0);
    let of_wire = (links as f64 / wires.max(1) as f64).max(1.0 / fewest.max(1) as f64);
    let (body, head) = (costs.transfer_ticks(Bytes(task.bytes)) as f64, costs.head_ticks() as f64);
    let trees = (f64::from(levels) * body / (of_wire * head.max(1.0))).sqrt().round() as u32;
    let trees = trees.clamp(1, most(task));
    let many = f64::from(trees);
    let a_level = costs.startup_ticks() as f64 + head + body / many;
    // Links are busy for half the time that the first chunk takes, or longer.
    let least = of_wire * (body + many * head) + f64::from(levels) * a_level / 2.0;
    if known.is_some_and(|known| costs.cycles(least as u64) >= known) {
        return Ok(None);
    }
    Ok(Some(Cells { trees, haste: (trees / HASTES[0]).max(1), ..one }))
}

/// What these take by their plans, the fastest first.
fn planned(task: &Task<'_>, all: &[Cells]) -> Result<Vec<(Cells, Cycles)>> {
    let cycles = |&cells: &Cells| {
        let (_, plan) = cells.planned(task)?;
        Ok((cells, plan.cycles(task.machine().costs())))
    };
    let all: Result<Vec<_>> = all.par_iter().map(cycles).collect();
    let mut all = all?;
    sort_by(&mut all, |&(_, cycles)| cycles);
    Ok(all)
}
