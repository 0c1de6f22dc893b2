//! Synthesis: schedules of our own, searched for between those that are published.
//!
//! | file | what |
//! |---|---|
//! | this one | [`search`]: the best schedule that is found, by simulation |
//! | [`packing`](mod@packing) | each chunk along a tree of its own, the trees share the links evenly |
//! | [`list`] | which message each link takes next |
//! | [`product`] | exchanges along the dimensions of a box, in any order and radix |
//! | [`recipe`] | which products are worth a simulation |

pub mod list;
pub mod packing;
pub mod product;
pub mod recipe;

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use rayon::prelude::*;

use crate::flow::Flow;
use crate::{Algorithm, Operation, Task};
use packing::Depth;
use product::Product;

/// The most messages of a schedule that is tried.
const MESSAGES_MAX: usize = 1 << 20;

/// What is above the bound by one part in so many is good enough.
const NEAR: u64 = 50;

/// How many products are simulated, and half as many of those that may stream well.
const PRODUCTS: usize = 12;

/// Chunk counts that are tried of a product.
const CHUNKS: [u32; 3] = [2, 4, 8];

/// Of how many products chunks are tried.
const FINALISTS: usize = 4;

/// Costs of a level of depth that are tried of a packing.
const LEVELS: [f64; 2] = [0.6, 4.0];

/// The entry of the table.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "synthesis",
    summary: "searched for: exchanges along the dimensions in any order and radix, and trees that share the links",
    formula: "that of the best found; without a search that of the exchanges predicted best",
    source: "nashwilliams1961",
    operations: &[
        Operation::Broadcast,
        Operation::Reduce,
        Operation::AllGather,
        Operation::ReduceScatter,
        Operation::AllReduce,
        Operation::Barrier,
    ],
    streams: false,
    flow: unsearched,
}];

/// How a schedule is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Recipe {
    /// A product of exchanges, every message in so many chunks.
    Exchanges(Product, u32),
    /// A packing of so many trees with this cost of a level.
    Trees(u32, Depth),
}

impl Recipe {
    /// Its flow.
    ///
    /// # Errors
    ///
    /// Those of [`Product::flow`] and [`packing::flow`].
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        match self {
            Self::Exchanges(product, chunks) => product.flow(task)?.chunked(*chunks),
            Self::Trees(trees, level) => Ok(packed(task, *trees, *level)?.flow),
        }
    }
}

impl Display for Recipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchanges(product, 1) => f.write_str(&product.name()),
            Self::Exchanges(product, chunks) => write!(f, "{} in {chunks} chunks", product.name()),
            Self::Trees(trees, Depth(level)) => write!(f, "{trees} trees, {level} a level"),
        }
    }
}

/// A schedule that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// How it is made.
    pub recipe: Recipe,
    /// Its data flow.
    pub flow: Flow,
    /// What it takes, simulated.
    pub cycles: Cycles,
    /// What the planner expects of it.
    pub predicted: Cycles,
}

/// Without a search: the product that is predicted best, or a packing of few trees.
fn unsearched(task: &Task<'_>) -> Result<Flow> {
    let products = task.machine().whole_grid().map(|grid| recipe::recipes(task, grid));
    match products.as_ref().and_then(|all| all.first()) {
        Some(best) => best.product.flow(task),
        None => Ok(packed(task, 16, Depth(1.0))?.flow),
    }
}

/// A packing whose messages begin in the order of its list schedule.
fn packed(task: &Task<'_>, trees: u32, level: Depth) -> Result<list::Timed> {
    let flow = packing::flow(task, trees, level)?;
    Ok(list::schedule(&flow, task.machine().costs(), |index| flow.transfers()[index].step.into()))
}

/// Simulates a flow: when it ends, none if it does not.
pub type Simulate<'s> = dyn Fn(&Flow) -> Result<Option<Cycles>> + Sync + 's;

/// The best schedule of products, chunk counts, trees and roots that is found.
///
/// Products of exchanges are ordered by what they would take if nobody waited, and the cheapest are simulated, whole and in chunks.
/// If they end within two per cent of `bound`, which no schedule beats, that is all. Packings of trees are timed by the planner itself for more and more trees, until more trees do not pay; the best is simulated.
///
/// # Errors
///
/// [`Error::NotApplicable`] when neither suits the task; those of the simulation.
///
/// # Complexity
///
/// At most 31 simulations, of at most 2^20 messages each.
pub fn search(task: &Task<'_>, bound: Cycles, simulate: &Simulate<'_>) -> Result<Found> {
    let mut best = products(task, simulate)?;
    let is_near = |found: &Found| found.cycles.0 <= bound.0 + bound.0 / NEAR;
    if !best.as_ref().is_some_and(is_near) {
        best = best.into_iter().chain(packings(task, simulate)?).min_by_key(|found| found.cycles);
    }
    best.ok_or_else(|| {
        let why = format!("neither exchanges nor trees are a way to do {}", task.operation.name());
        Error::not_applicable("synthesis", why)
    })
}

/// Simulates these, in parallel; those that end, the fastest first.
fn simulated(all: Vec<(Recipe, Flow, Cycles)>, simulate: &Simulate<'_>) -> Result<Vec<Found>> {
    let run = |(recipe, flow, predicted): (Recipe, Flow, Cycles)| -> Result<Option<Found>> {
        let cycles = simulate(&flow)?;
        Ok(cycles.map(|cycles| Found { recipe, flow, cycles, predicted }))
    };
    let all: Result<Vec<_>> = all.into_par_iter().map(run).collect();
    let mut found: Vec<Found> = all?.into_iter().flatten().collect();
    found.sort_by_key(|found| found.cycles);
    Ok(found)
}

/// The best products: first whole, then the best of those in chunks.
fn products(task: &Task<'_>, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let Some(grid) = task.machine().whole_grid() else { return Ok(None) };
    let recipes = recipe::recipes(task, grid);
    let mut chosen: Vec<&recipe::Priced> = recipes.iter().take(PRODUCTS).collect();
    let mut streamed: Vec<&recipe::Priced> = recipes.iter().skip(PRODUCTS).collect();
    streamed.sort_by_key(|recipe| (recipe.streamed, recipe.serial));
    chosen.extend(streamed.into_iter().take(PRODUCTS / 2));
    let made = |recipe: &&recipe::Priced| {
        let product = recipe.product.clone();
        Ok((Recipe::Exchanges(product, 1), recipe.product.flow(task)?, recipe.serial))
    };
    let mut found = simulated(chosen.iter().map(made).collect::<Result<_>>()?, simulate)?;
    let mut tried = Vec::new();
    for whole in found.iter().take(FINALISTS) {
        let Recipe::Exchanges(product, _) = &whole.recipe else { continue };
        for chunks in CHUNKS {
            if whole.flow.transfers().len() * chunks as usize <= MESSAGES_MAX {
                let recipe = Recipe::Exchanges(product.clone(), chunks);
                tried.push((recipe, whole.flow.chunked(chunks)?, whole.predicted));
            }
        }
    }
    found.truncate(1);
    found.extend(simulated(tried, simulate)?);
    Ok(found.into_iter().min_by_key(|found| found.cycles))
}

/// The best packing: for each cost of depth, more trees as long as that pays.
fn packings(task: &Task<'_>, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let all: Result<Vec<_>> = LEVELS.par_iter().map(|&level| packing(task, Depth(level))).collect();
    let best = all?.into_iter().flatten().min_by_key(|(.., cycles)| *cycles);
    Ok(simulated(best.into_iter().collect(), simulate)?.pop())
}

/// The best number of trees: first in powers of four, then half and twice the best.
fn packing(task: &Task<'_>, level: Depth) -> Result<Option<(Recipe, Flow, Cycles)>> {
    let timed = |trees: u32| -> Result<Option<list::Timed>> {
        if trees as usize * task.members() as usize > MESSAGES_MAX {
            return Ok(None);
        }
        match packed(task, trees, level) {
            Ok(timed) if timed.flow.transfers().len() <= MESSAGES_MAX => Ok(Some(timed)),
            Ok(_) | Err(Error::NotApplicable { .. } | Error::TooLarge { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let Some(mut best) = timed(1)?.map(|timed| (1, timed)) else { return Ok(None) };
    while let Some(more) = timed(4 * best.0)? {
        if more.cycles >= best.1.cycles {
            break;
        }
        best = (4 * best.0, more);
    }
    for trees in [best.0 / 2, 2 * best.0] {
        if trees > 0
            && let Some(other) = timed(trees)?.filter(|other| other.cycles < best.1.cycles)
        {
            best = (trees, other);
        }
    }
    let (trees, timed) = best;
    Ok(Some((Recipe::Trees(trees, level), timed.flow, timed.cycles)))
}

#[cfg(test)]
mod tests {
    use super::product::{Kind, Stage};
    use super::*;
    use meshwright_network::topology::{Machine, Topology};
    use meshwright_sim::{Engine, simulate};

    #[test]
    fn products_are_right() {
        let stage = |axis, stride, radix, kind| Stage { axis, stride, radix, kind };
        use Kind::{Direct, TwoWay};
        let all = [
            ("torus:8x8", vec![stage(0, 1, 8, Direct), stage(1, 1, 8, TwoWay)]),
            ("mesh:8x8", vec![stage(0, 1, 2, Direct), stage(1, 1, 8, TwoWay), stage(0, 2, 4, Direct)]),
            ("torus:6x6", vec![stage(1, 1, 3, Direct), stage(1, 3, 2, Direct), stage(0, 1, 6, TwoWay)]),
            ("torus:5x5", vec![stage(1, 1, 5, TwoWay), stage(0, 1, 5, TwoWay)]),
        ];
        for (name, stages) in all {
            let machine = Machine::new(name).unwrap();
            for operation in [Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter] {
                for whole in 0..=stages.len() {
                    for colours in 1..=2 {
                        let product = Product { stages: stages.clone(), whole, colours };
                        let task = Task::new(&machine, operation, 1000, 0).unwrap();
                        let Ok(flow) = product.flow(&task) else {
                            assert!(operation != Operation::AllReduce && whole < stages.len());
                            continue;
                        };
                        assert_eq!(flow.check(operation, 0, 1000), Ok(()), "{name} {}", product.name());
                    }
                }
            }
        }
    }

    /// A bound that is known is not passed, and what is found is right and no slower than what is published here.
    #[test]
    fn what_is_found_is_right_and_fast() {
        for (name, operation) in [
            ("torus:4x4", Operation::AllReduce),
            ("mesh:4x5", Operation::Broadcast),
            ("ccc:3", Operation::AllReduce),
        ] {
            let machine = Machine::new(name).unwrap();
            for bytes in [100, 100_000] {
                let task = Task::new(&machine, operation, bytes, 0).unwrap();
                let run = |flow: &Flow| {
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = simulate(&machine, &schedule, &Engine::Message)?;
                    Ok(trace.deadlock.is_none().then_some(trace.cycles))
                };
                let bound = crate::bound::bound(&task).unwrap().cycles;
                let found = super::search(&task, bound, &run).unwrap();
                assert_eq!(found.flow.check(operation, 0, bytes), Ok(()), "{name}: {}", found.recipe);
                assert!(found.cycles >= bound);
                assert_eq!(run(&found.flow).unwrap(), Some(found.cycles));
                if bytes > 1000 {
                    for algorithm in crate::algorithm::all() {
                        let Ok(flow) = algorithm.of(&task) else { continue };
                        let published = run(&flow).unwrap();
                        assert!(
                            published.is_none_or(|cycles| found.cycles <= cycles),
                            "{name}: {}",
                            algorithm.name
                        );
                    }
                }
            }
        }
    }

    /// The planner's own clock and the referee's agree to the tick, as every message takes one link.
    #[test]
    fn packings_are_right_and_end_when_planned() {
        use Operation as O;
        for name in ["mesh:4x5", "torus:4x4", "torus:3x5", "hypercube:4", "ccc:3"] {
            let machine = Machine::new(name).unwrap();
            for operation in [O::Broadcast, O::Reduce, O::AllReduce, O::AllGather, O::ReduceScatter] {
                for (trees, level) in [(1, 0.3), (7, 1.0), (32, 0.1)] {
                    let task = Task::new(&machine, operation, 5000, 0).unwrap();
                    let flow = packing::flow(&task, trees, Depth(level)).unwrap();
                    assert_eq!(flow.check(operation, 0, 5000), Ok(()), "{name}");
                    let timed =
                        list::schedule(&flow, machine.costs(), |index| flow.transfers()[index].step.into());
                    assert_eq!(timed.flow.check(operation, 0, 5000), Ok(()), "{name} in order");
                    let schedule = timed.flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
                    assert_eq!(trace.cycles, timed.cycles, "{name} {}", operation.name());
                }
            }
        }
    }
}
