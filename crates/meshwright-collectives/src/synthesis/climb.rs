//! How many trees, how deep and in which order: from what a closed form names, one after the other is changed as long as that pays.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles};
use rayon::prelude::*;

use super::MESSAGES_MAX;
use super::list::Messages;
use super::packing::{self, Depth, Trees, Wires};
use crate::Task;
use crate::flow::Flow;

/// Costs of a level of depth that are tried, the first of them first.
const LEVELS: [f64; 4] = [1.0, 0.6, 2.0, 4.0];

/// Level and haste that are tried again where there are many trees: what is best for few may not be.
const MANY: [(f64, u32); 2] = [(2.0, 1), (2.0, 16)];

/// What a level further from the end is worth in chunks.
const HASTES: [u32; 3] = [1, 4, 16];

/// Factors by which the number of trees is changed: coarsely, then finely.
const FACTORS: [f64; 2] = [1.5, 1.15];

/// How often the plan of the best is turned round where it has more than so many messages, and else.
const PASSES: [u32; 2] = [1, 2];
const MANY_MESSAGES: usize = 3 << 19;

/// Up to so many messages everything is tried, beyond only more trees and [`MANY`].
const FEW_MESSAGES: usize = 1 << 17;

/// A flow whose steps are the order in which its messages begin, and when it ends if it runs so.
pub struct Timed {
    /// Its members begin their messages in this order.
    pub flow: Flow,
    /// When the last message has arrived.
    pub cycles: Cycles,
}

/// A packing whose messages begin in the order of its list schedule.
///
/// # Errors
///
/// Those of [`packing::flow`].
pub fn packed(task: &Task<'_>, shape: Trees) -> Result<Timed> {
    let flow = packing::flow(task, shape)?;
    let costs = task.machine().costs();
    let messages = Messages::of(&flow, costs, None);
    let urgency: Vec<u64> = flow.transfers().iter().map(|transfer| transfer.step.into()).collect();
    let plan = messages.improved(messages.plan(&urgency), shape.passes);
    Ok(Timed { flow: plan.ordered(&flow), cycles: plan.cycles(costs) })
}

/// The best packing by the planner's own clock; none where there is none.
///
/// The first number of trees is that of
///
/// ```text
/// T(k) = f (b V + k b h) + L (c + b h + b V / k),    k* = sqrt(L b V / (f b h))
/// ```
///
/// with f the wires a tree takes over all wires, and L its levels, up and down. Where T(k*) is no less than `best`, what is known
/// already, there is none.
///
/// # Errors
///
/// Those of [`packing::flow`], but for tasks that it is no way to do.
pub fn climb(task: &Task<'_>, best: Option<Cycles>) -> Result<Option<(Trees, Timed)>> {
    let Some(start) = applies(start(task))? else { return Ok(None) };
    if best.is_some_and(|best| start.expected >= best) {
        return Ok(None);
    }
    let first = Trees { trees: start.trees.min(start.few), ..start.first };
    let mut best = (first, packed(task, first)?);
    let hastes = |shape: Trees| HASTES.map(|haste| Trees { haste, ..shape }).to_vec();
    let levels = |shape: Trees| LEVELS.map(|level| Trees { level: Depth(level), ..shape }).to_vec();
    better(task, &mut best, hastes)?;
    for factor in FACTORS {
        grow(task, &mut best, factor, start.few)?;
        better(task, &mut best, levels)?;
    }
    better(task, &mut best, hastes)?;
    if start.trees > start.few
        && better(task, &mut best, |shape| vec![Trees { trees: start.trees, ..shape }])?
    {
        better(task, &mut best, |shape| {
            MANY.map(|(level, haste)| Trees { level: Depth(level), haste, ..shape }).to_vec()
        })?;
        grow(task, &mut best, FACTORS[0], start.most)?;
    }
    let passes = if best.1.flow.transfers().len() > MANY_MESSAGES { PASSES[0] } else { PASSES[1] };
    better(task, &mut best, |shape| vec![Trees { passes, ..shape }])?;
    Ok(Some(best))
}

/// Changes the number of trees by a factor, up and down, as long as that pays.
fn grow(task: &Task<'_>, best: &mut (Trees, Timed), factor: f64, most: u32) -> Result<()> {
    for factor in [factor, 1.0 / factor] {
        let times = |trees: u32| ((f64::from(trees) * factor).round() as u32).clamp(1, most);
        while better(task, best, |shape| vec![Trees { trees: times(shape.trees), ..shape }])? {}
    }
    Ok(())
}

/// Where to begin.
struct Start {
    /// One tree.
    first: Trees,
    /// The number of trees that the closed form names.
    trees: u32,
    /// What it expects of them.
    expected: Cycles,
    /// How many are tried in every way, and the most of all.
    few: u32,
    most: u32,
}

/// None in the place of what does not suit.
pub(super) fn applies<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::NotApplicable { .. } | Error::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The packing to begin with.
fn start(task: &Task<'_>) -> Result<Start> {
    let first = Trees { trees: 1, level: Depth(LEVELS[0]), haste: HASTES[0], passes: 0 };
    let flow = packing::flow(task, first)?;
    let messages = flow.transfers().len().max(1);
    let bytes = flow.blocks().iter().map(|block| block.bytes).max().unwrap_or(0);
    let limit = |all: usize| bytes.min((all / messages) as u64).max(1) as u32;
    let costs = task.machine().costs();
    let of_wire = messages as f64 / f64::from(Wires::of(task)?.count().max(1));
    let body = costs.transfer_ticks(Bytes(bytes)) as f64;
    let (levels, head) = (f64::from(flow.steps()), costs.head_ticks() as f64);
    let (few, most) = (limit(FEW_MESSAGES), limit(MESSAGES_MAX));
    let trees = (levels * body / (of_wire * head.max(1.0))).sqrt().round() as u32;
    let trees = trees.clamp(1, most);
    let many = f64::from(trees);
    let a_level = costs.startup_ticks() as f64 + head + body / many;
    let expected = costs.cycles((of_wire * (body + many * head) + levels * a_level) as u64);
    Ok(Start { first, trees, expected, few, most })
}

/// Tries others, beside each other; whether one is better.
fn better(task: &Task<'_>, best: &mut (Trees, Timed), others: impl Fn(Trees) -> Vec<Trees>) -> Result<bool> {
    let others: Vec<Trees> = others(best.0).into_iter().filter(|&other| other != best.0).collect();
    let timed: Result<Vec<(Trees, Timed)>> =
        others.into_par_iter().map(|other| Ok((other, packed(task, other)?))).collect();
    let found = timed?.into_iter().min_by_key(|(_, timed)| timed.cycles);
    match found.filter(|(_, timed)| timed.cycles < best.1.cycles) {
        Some(found) => *best = found,
        None => return Ok(false),
    }
    Ok(true)
}
