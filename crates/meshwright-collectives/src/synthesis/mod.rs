//! Synthesis: schedules of our own, searched for between those that are published.
//!
//! | file | what |
//! |---|---|
//! | this one | [`search`]: the best schedule that is found, by simulation |
//! | `families` | what is searched for which operation, what of it is worth a simulation |
//! | [`packing`](mod@packing) | each chunk along a tree of its own, the trees share the links evenly |
//! | [`climb`](mod@climb) | how many trees, how deep, in which order |
//! | [`list`] | which message each link takes next |
//! | [`cells`] | each chunk comes together in cells of a few members, these in larger ones |
//! | [`settle`](mod@settle) | how large the cells, how many trees |
//! | [`product`] | exchanges along the dimensions of a box, in any order and radix |
//! | [`recipe`] | what products would take if nobody waited |
//! | `products` | which of them are simulated |
//! | [`meeting`] | pieces that meet at a few members each |
//! | [`spread`] | the same at points spread over a box |
//! | [`symmetry`] | moves and mirrors of a box: the points of one piece serve for many |
//! | [`draft`] | a spread that is being changed, and what its links carry |
//! | [`clock`] | when it ends |
//! | [`moves`] | what is changed |
//! | [`shapes`] | how many pieces and points |
//! | [`settle_points`] | where pieces meet, who sends to which point |
//! | `overlay` | pieces along trees of members, an edge of which takes many links |
//! | `gossip`, `ways` | what such trees begin as, over the ways between members |
//! | `overlay_shapes`, `settle_overlays` | how many pieces, which of them |
//! | `overlay_clock`, `overlay_moves` | when they end, what is changed |
//! | `calendar` | events of both clocks |
//! | [`joined`](mod@joined) | two operations that do a third, and what one needs of another |
//! | [`relays`] | blocks that go over other members, those for the same in one message |
//! | [`scans`] | which prefix trees |
//! | [`routes`] | blocks that go from one member to one other, along routes of their own |

mod calendar;
pub mod cells;
pub mod climb;
pub mod clock;
pub mod draft;
mod families;
mod gossip;
pub mod joined;
pub mod list;
pub mod meeting;
pub mod moves;
pub mod overlay;
mod overlay_clock;
mod overlay_moves;
mod overlay_shapes;
pub mod packing;
pub mod product;
mod products;
pub mod recipe;
pub mod relays;
pub mod routes;
pub mod scans;
pub mod settle;
mod settle_overlays;
pub mod settle_points;
pub mod shapes;
pub mod spread;
pub mod symmetry;
mod ways;

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;

use crate::flow::Flow;
use crate::prefix::PrefixTree;
use crate::shape::by_whole_vectors;
use crate::{Algorithm, Operation, Task, algorithm};
use cells::Cells;
use families::{Known, best_of, families};
use joined::{Joined, Narrowed};
use meeting::Meeting;
use overlay::Overlay;
use packing::{Depth, Trees};
use product::Product;
use relays::Relays;
use routes::Routes;
use spread::Spread;

/// The most messages of a schedule that is tried.
const MESSAGES_MAX: usize = 1 << 22;

/// The entry of the table.
pub const ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "synthesis",
    summary: "searched for: exchanges along the dimensions in any order and radix, trees, relays and routes that share the links",
    formula: "that of the best found; without a search that of the exchanges predicted best",
    source: "nashwilliams1961",
    operations: &[
        Operation::Broadcast,
        Operation::Reduce,
        Operation::AllGather,
        Operation::ReduceScatter,
        Operation::AllReduce,
        Operation::Barrier,
        Operation::Scatter,
        Operation::Gather,
        Operation::AllToAll,
        Operation::Scan,
    ],
    streams: false,
    flow: unsearched,
}];

/// How a schedule is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Recipe {
    /// A product of exchanges, every message in so many chunks.
    Exchanges(Product, u32),
    /// Pieces that meet at a few members each.
    Meetings(Meeting),
    /// Pieces that meet at points of a box.
    Spreads(Spread),
    /// A packing of trees.
    Trees(Trees),
    /// Trees of cells.
    Cells(Cells),
    /// A prefix tree, every message in so many chunks.
    Prefixes(PrefixTree, u32),
    /// Routes of blocks.
    Routes(Routes),
    /// Blocks over other members.
    Relays(Relays),
    /// Overlay trees.
    Overlay(Overlay),
    /// An all-gather of whole vectors, which are added up at last.
    Gathered(Box<Recipe>),
    /// An algorithm of the table by its name, every message in so many chunks.
    Published(&'static str, u32),
    /// Two operations that do this one.
    Joined(Box<Joined>),
    /// What this one needs of another.
    Narrowed(Box<Narrowed>),
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
            Self::Meetings(meeting) => meeting.flow(task),
            Self::Spreads(spread) => spread.flow(task),
            Self::Trees(shape) => Ok(climb::packed(task, *shape)?.flow),
            Self::Cells(cells) => cells.flow(task),
            Self::Prefixes(tree, chunks) => tree.flow(task).chunked(*chunks),
            Self::Routes(routes) => Ok(routes.planned(task)?.flow),
            Self::Relays(relays) => relays.flow(task),
            Self::Overlay(overlay) => Ok(overlay.flow(task)),
            Self::Gathered(recipe) => by_whole_vectors(task, |all| recipe.flow(all)),
            Self::Published(name, chunks) => algorithm::named(name).of(task)?.chunked(*chunks),
            Self::Joined(joined) => joined.flow(task),
            Self::Narrowed(narrowed) => narrowed.flow(task),
        }
    }
}

impl Display for Recipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchanges(product, 1) => f.write_str(&product.name()),
            Self::Exchanges(product, chunks) => write!(f, "{} in {chunks} chunks", product.name()),
            Self::Meetings(meeting) => meeting.fmt(f),
            Self::Spreads(spread) => spread.fmt(f),
            Self::Trees(shape) => shape.fmt(f),
            Self::Cells(cells) => cells.fmt(f),
            Self::Prefixes(tree, 1) => tree.fmt(f),
            Self::Prefixes(tree, chunks) => write!(f, "{tree}, {chunks} chunks"),
            Self::Routes(routes) => routes.fmt(f),
            Self::Relays(relays) => relays.fmt(f),
            Self::Overlay(overlay) => overlay.fmt(f),
            Self::Gathered(recipe) => write!(f, "whole vectors gathered and added up at last: {recipe}"),
            Self::Published(name, 1) => f.write_str(name),
            Self::Published(name, chunks) => write!(f, "{name} in {chunks} chunks"),
            Self::Joined(joined) => joined.fmt(f),
            Self::Narrowed(narrowed) => narrowed.fmt(f),
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

/// Without a search: the product that is predicted best, a packing of few trees, relays, or a route for each block.
fn unsearched(task: &Task<'_>) -> Result<Flow> {
    if task.operation == Operation::Scan {
        return Ok(scans::unsearched(task));
    }
    if routes::applies_to(task.operation) {
        if let Some(relays) = Relays::all(task).first() {
            return relays.flow(task);
        }
        return Ok(Routes { pieces: 1 }.planned(task)?.flow);
    }
    let products = task.machine().whole_grid().map(|grid| recipe::recipes(task, grid));
    match products.as_ref().and_then(|all| all.first()) {
        Some(best) => best.product.flow(task),
        None => {
            // Members that have parts of their own have a tree each.
            let trees = if task.operation.is_parted() { 1 } else { 16 };
            Ok(climb::packed(task, Trees { trees, level: Depth(1.0), haste: 1, passes: 0 })?.flow)
        }
    }
}

/// A time that is good enough: one part in 50 above a bound that no schedule beats.
pub fn good_enough(bound: Cycles) -> Cycles {
    Cycles(bound.0 + bound.0 / 50)
}

/// Simulates a flow: when it ends, none if it does not.
pub type Simulate<'s> = dyn Fn(&Flow) -> Result<Option<Cycles>> + Sync + 's;

/// The best schedule that is found; none where there is none, or none that is expected to be better than `known`, a time that somebody else takes.
///
/// Families are looked at one after the other until the best is within two per cent of `bound`, which no schedule beats. Of each those are simulated
/// that a closed form, a clock or a plan of its own expects to be the best.
///
/// # Errors
///
/// Those of the simulation, and of machines that no schedule suits.
///
/// # Complexity
///
/// O(2^25 messages), in at most 240 simulations.
pub fn search(
    task: &Task<'_>,
    bound: Cycles,
    known: Option<Cycles>,
    simulate: &Simulate<'_>,
) -> Result<Option<Found>> {
    best_of(families(task.operation), task, Known { bound, best: known }, simulate)
}

/// Sorts by a key, equals as they come; compiled once for each type, whatever the key.
fn sort_by<T, K: Ord>(all: &mut [T], key: fn(&T) -> K) {
    all.sort_by_key(key);
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
        use Kind::{Direct, Swing, TwoWay};
        let all = [
            ("torus:8x8", vec![stage(0, 1, 8, Direct), stage(1, 1, 8, TwoWay)]),
            ("mesh:8x8", vec![stage(0, 1, 2, Direct), stage(1, 1, 8, TwoWay), stage(0, 2, 4, Direct)]),
            ("torus:6x6", vec![stage(1, 1, 3, Direct), stage(1, 3, 2, Direct), stage(0, 1, 6, TwoWay)]),
            (
                "torus:8x8",
                vec![
                    stage(0, 1, 2, Swing),
                    stage(1, 1, 2, Swing),
                    stage(0, 2, 2, Swing),
                    stage(1, 2, 2, Swing),
                    stage(0, 4, 2, Swing),
                    stage(1, 4, 2, Swing),
                ],
            ),
            ("torus:5x5", vec![stage(1, 1, 5, TwoWay), stage(0, 1, 5, TwoWay)]),
        ];
        for (name, stages) in all {
            let machine = Machine::new(name).unwrap();
            for operation in [Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter] {
                for whole in 0..=stages.len() {
                    for colours in [1, 2, 4] {
                        let product = Product { stages: stages.clone(), whole, colours, in_step: whole == 1 };
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
                let found = super::search(&task, bound, None, &run).unwrap().unwrap();
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
                for (trees, level, haste) in [(1, 0.3, 1), (7, 1.0, 4), (32, 0.1, 16)] {
                    let task = Task::new(&machine, operation, 5000, 0).unwrap();
                    let flow =
                        packing::flow(&task, Trees { trees, level: Depth(level), haste, passes: 0 }).unwrap();
                    assert_eq!(flow.check(operation, 0, 5000), Ok(()), "{name}");
                    let shape = Trees { trees, level: Depth(level), haste, passes: trees % 3 };
                    let timed = climb::packed(&task, shape).unwrap();
                    assert_eq!(timed.flow.check(operation, 0, 5000), Ok(()), "{name} in order");
                    let schedule = timed.flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
                    assert_eq!(trace.cycles, timed.cycles, "{name} {}", operation.name());
                }
            }
        }
    }
    #[test]
    fn cells_are_right() {
        use Operation as O;
        for name in ["mesh:4x5", "torus:4x4", "torus:3x5", "mesh:9", "mesh:3x2x4", "torus:2"] {
            let machine = Machine::new(name).unwrap();
            for (operation, root) in [(O::AllReduce, 0), (O::Broadcast, 0), (O::Reduce, 1)] {
                let task = Task::new(&machine, operation, 5000, root).unwrap();
                let bound = crate::bound::bound(&task).unwrap().cycles;
                for (trees, side, haste, passes) in [(1, 2, 1, 0), (7, 3, 4, 1), (32, 5, 2, 2), (3, 16, 1, 0)]
                {
                    let cells = Cells { trees, side, haste, passes };
                    let what = format!("{} on {name}: {cells}", operation.name());
                    let (_, plan) = cells.planned(&task).unwrap();
                    let flow = cells.flow(&task).unwrap();
                    assert_eq!(flow.check(operation, root, 5000), Ok(()), "{what}");
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
                    assert!(trace.deadlock.is_none(), "{what}");
                    assert!(bound <= trace.cycles.min(plan.cycles(machine.costs())), "{what}");
                }
            }
            let task = Task::new(&machine, O::AllGather, 5000, 0).unwrap();
            assert!(Cells { trees: 1, side: 2, haste: 1, passes: 0 }.flow(&task).is_err());
        }
    }
}
