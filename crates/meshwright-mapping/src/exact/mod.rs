//! Exact placements: branch and bound over all placements of a task graph, to a proof.
//!
//! | file | what |
//! |---|---|
//! | this one | the question, the answer |
//! | `run` | how the bound rises, tree after tree |
//! | `pattern` | the job as its different phases, in ticks |
//! | `routes` | the links from any node to any other |
//! | `symmetry` | renamings of nodes and tasks |
//! | `loads` | links under placed tasks |
//! | `cuts` | tasks that can be together on a set of nodes |
//! | `level`, `tree` | partial placements, the tree of them |
//! | `record` | which tree it was |
//! | `node_set` | sets of nodes |
//!
//! **What is made least** is the time that a judge names for a placement, usually the simulated time of the machine with a
//! barrier after each phase. Bounds know less: no link passes two messages at a time, and no head is there before it can be.
//! With a message of W bytes over d links, a phase under
//!
//! ```text
//! wormhole, cut-through   occupies each link for b (W + h), after c; takes c + b (W + d h) at least
//! store-and-forward       occupies each link for c + b W; takes d (c + b W) at least
//! ```
//!
//! A partial placement is left where the sum over phases of what its links and ways ask for reaches the time of the best known.
//! Each task that is not yet placed must be somewhere: on a node where that sum would be reached it cannot be, and the least
//! any of its nodes adds to a phase is added. A complete placement that is not left is judged. So an answer that is `optimal` is
//! optimal in the time of the judge, not in that of a bound, provided that he never names less than the bounds, which hold for
//! every engine of the simulator.

mod cuts;
mod level;
mod loads;
mod node_set;
mod pattern;
mod record;
mod routes;
mod run;
mod symmetry;
mod tree;

use std::ops::ControlFlow;

use self::pattern::Problem;
use self::run::Run;
use crate::bound::GraphBound;
use crate::{Mapping, Placement, TaskGraph};
use meshwright_core::error::Result;
use meshwright_core::interrupt::Grace;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;

/// The name of what it makes.
pub const NAME: &str = "exact";

/// Up to so many tasks nothing but a limit of time or a signal ends it before the proof.
pub const ALWAYS_TASKS: u32 = 16;

/// Of more tasks so many nodes of the tree are looked at when nobody says how many.
pub const NODES_DEFAULT: u64 = 1_000_000;

/// What is to be placed, where, and what is known.
#[derive(Clone, Copy, Debug)]
pub struct ExactProblem<'a> {
    /// Who sends how much to whom, by phase.
    pub graph: &'a TaskGraph,
    /// Where; its switching and its costs say what time a placement takes.
    pub machine: &'a Machine,
    /// A placement to start from.
    pub start: &'a [NodeId],
    /// What the judge says of it, in ticks.
    pub start_ticks: u64,
    /// After how many nodes of the tree to stop.
    pub nodes: u64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactProgress {
    /// Nodes of the tree so far.
    pub nodes: u64,
    /// The time of the best placement so far, in ticks.
    pub best_ticks: u64,
    /// No placement takes less, in ticks.
    pub bound_ticks: u64,
}

/// The best placement, and how good it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactOutcome {
    /// The best placement.
    pub placement: Placement,
    /// What the judge says of it, in ticks.
    pub ticks: u64,
    /// What he can say of none less than, in ticks: the same where the placement is optimal.
    pub bound_ticks: u64,
    /// Nodes of the tree that were looked at.
    pub nodes: u64,
    /// Complete placements that bounds left and the judge was asked about.
    pub judged: u64,
    /// Whether a signal has ended it.
    pub interrupted: bool,
    /// The bound with what proves it, see [`crate::certificate`]; less than [`Self::bound_ticks`] where that is too long.
    pub bound: GraphBound,
}

impl ExactOutcome {
    /// Whether no placement takes less time.
    pub fn is_optimal(&self) -> bool {
        self.bound_ticks == self.ticks
    }
}

/// Says what a placement takes, in ticks, if it is less than the second argument; else any number that is no less.
pub type Judge<'j> = &'j mut dyn FnMut(&[NodeId], u64) -> Result<u64>;

/// Finds the placement that takes the least time, with a proof; or the best so far when `watch` breaks off, after the nodes
/// asked for, or at a signal.
///
/// # Errors
///
/// [`NotApplicable`](meshwright_core::Error::NotApplicable) on a machine of more than 256 nodes, of parts, or with links of
/// different times; [`TooLarge`](meshwright_core::Error::TooLarge) when the tables or the times are; those of the judge.
///
/// # Complexity
///
/// Exponential in the tasks at worst; per node of the tree O(tasks times nodes times hops of their messages).
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use meshwright_core::units::{Bytes, NodeId};
/// use meshwright_mapping::exact::{ExactProblem, exact};
/// use meshwright_mapping::{Placement, TaskGraph};
/// use meshwright_mapping::task_graph::Edge;
/// use meshwright_network::topology::{Machine, Switching};
/// use meshwright_schedule::cost::forecast;
/// // Four tasks in a ring, 0 1 2 3, and 0 talks to 2 as well.
/// let edge = |source, target| (1, Edge { source, target, bytes: Bytes(100) });
/// let graph = TaskGraph::new("ring", 4, vec![edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 0), edge(0, 2)])?;
/// let machine = Machine::new("mesh:2x2")?.with_switching(Switching::StoreAndForward);
/// let mut judge = |nodes: &[NodeId], _| {
///     let placement = Placement { name: "one".into(), nodes: nodes.to_vec() };
///     Ok(forecast(&placement.phases(&graph, &machine), &machine)?.ticks)
/// };
/// let start: Vec<NodeId> = (0..4).map(NodeId).collect();
/// let start_ticks = judge(&start, u64::MAX)?;
/// let problem = ExactProblem { graph: &graph, machine: &machine, start: &start, start_ticks, nodes: u64::MAX };
/// let outcome = exact(&problem, &mut judge, &mut |_| ControlFlow::Continue(()))?;
/// // One of the five goes over two links.
/// assert!(outcome.is_optimal());
/// assert_eq!(outcome.ticks, 2 * (100 + 100));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn exact(
    problem: &ExactProblem<'_>,
    judge: Judge<'_>,
    watch: &mut dyn FnMut(&ExactProgress) -> ControlFlow<()>,
) -> Result<ExactOutcome> {
    let mapping = Mapping::new(problem.graph, problem.machine);
    let bound = mapping.own_bound();
    let bound_ticks = bound.ticks.min(problem.start_ticks);
    let is_open = bound_ticks < problem.start_ticks;
    let tables = is_open.then(|| Problem::new(problem.graph, problem.machine)).transpose()?;
    let mut run = Run {
        best: problem.start.iter().map(|node| node.0 as u16).collect(),
        best_ticks: problem.start_ticks,
        bound_ticks,
        nodes: 0,
        nodes_max: problem.nodes,
        judged: 0,
        open_ticks: u64::MAX,
        grace: Grace::begin(),
        stopped: false,
        interrupted: false,
        error: None,
        judge,
        watch,
        tables: tables.as_ref(),
        bound: bound.clone(),
    };
    if let Some(tables) = &tables {
        run.raise(tables);
    }
    if let Some(error) = run.error {
        return Err(error);
    }
    let nodes = run.best.iter().map(|&node| NodeId(node.into())).collect();
    Ok(ExactOutcome {
        placement: Placement { name: NAME.to_string(), nodes },
        ticks: run.best_ticks,
        bound_ticks: run.bound_ticks,
        nodes: run.nodes,
        judged: run.judged,
        interrupted: run.interrupted,
        bound: run.bound,
    })
}
