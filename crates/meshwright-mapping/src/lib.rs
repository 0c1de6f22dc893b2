//! Mapping: which node runs which task, and what that costs.
//!
//! | file | what |
//! |---|---|
//! | `mapping` | [`Mapping`]: the planner |
//! | [`task_graph`], [`task_file`] | phased task graphs; traces and matrices read from files |
//! | [`divide`] | divide-and-conquer jobs: stages, shares, volumes |
//! | [`completion`] | work at the tasks, several tasks a node, no barriers: when the result is there |
//! | [`binomial`], [`halving`] | the binomial tree; the halving tree of any box |
//! | [`complete_binary`] | the complete binary tree |
//! | [`reflecting`], [`growing`], [`centred_halving`] | closed-form placements of the tree |
//! | [`family`] | what lies between growing and centred halving, and its Pareto front |
//! | [`logical`] | logical meshes: operations along axes, and their axes along dimensions |
//! | [`bisection`] | any tree on any machine: odd sides, dead nodes, general graphs |
//! | `axes` | the box they fill, and which axis each phase uses |
//! | [`recursive_bisection`] | tasks and machine cut in two together |
//! | [`search`] | phase-aware local search for any task graph |
//! | [`exact`] | branch and bound over all placements, to a proof |
//! | [`ordered`] | placements along a node order, and at random |
//! | [`metrics`] | dilation, contention, interference sets, weighted, by phase |
//! | [`times`] | communication times and slowdown in the paper's units |
//! | [`bound`] | what no placement can beat |
//! | [`certificate`] | what proves a bound again |
//! | [`map_file`] | placements read from Scotch |

#![forbid(unsafe_code)]

mod axes;
pub mod binomial;
pub mod bisection;
pub mod bound;
pub mod centred_halving;
pub mod certificate;
pub mod complete_binary;
pub mod completion;
pub mod divide;
pub mod exact;
pub mod family;
pub mod growing;
pub mod halving;
pub mod logical;
pub mod map_file;
mod mapping;
pub mod metrics;
pub mod ordered;
pub mod recursive_bisection;
pub mod reflecting;
pub mod search;
pub mod task_file;
pub mod task_graph;
pub mod times;

pub use axes::AxisStep;
pub use divide::{Divide, Shape};
pub use mapping::{Limits, Mapping};
pub use task_graph::TaskGraph;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{NodeId, Port};
use meshwright_core::{find_or, unknown};
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_schedule::{Message, Phases};

/// Which node runs which task: `nodes[task]`, one task per node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The name of the method that made it.
    pub name: String,
    /// The node of each task.
    pub nodes: Vec<NodeId>,
}

impl Placement {
    /// The messages of a placed task graph, phase by phase: each edge is one between the nodes of its tasks.
    ///
    /// # Panics
    ///
    /// When the placement has fewer tasks than the graph.
    ///
    /// # Complexity
    ///
    /// O(edges).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_mapping::{Divide, Request, Shape, divide, place};
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::{Bytes, NodeId};
    /// let tree = divide::task_graph(&Divide { shape: Shape::Binomial(2), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) })?;
    /// let mesh = Machine::new("mesh:2x2")?;
    /// let placement = place("row-major", &Request::count(4, &mesh, 0))?;
    /// let phases = placement.phases(&tree, &mesh);
    /// // The root, task 3, sends half of its 64 bytes to task 1 first.
    /// let first = phases.phase(0)[0];
    /// assert_eq!((first.source, first.target, first.bytes), (NodeId(3), NodeId(1), Bytes(32)));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn phases(&self, tasks: &TaskGraph, machine: &Machine) -> Phases {
        phases(tasks, &self.nodes, machine)
    }
}

/// What is to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// How many tasks, one per node.
    pub tasks: u32,
    /// Who sends to whom, for methods that ask.
    pub graph: Option<&'a TaskGraph>,
    /// Where.
    pub machine: &'a Machine,
    /// For methods that draw lots.
    pub seed: u64,
}

impl<'a> Request<'a> {
    /// The tasks of a graph.
    pub fn of(graph: &'a TaskGraph, machine: &'a Machine, seed: u64) -> Self {
        Self { tasks: graph.tasks, graph: Some(graph), machine, seed }
    }

    /// The tree of the tasks, if they are divide and conquer.
    pub(crate) fn shape(&self) -> Option<&'a Shape> {
        Some(&self.graph?.divide.as_ref()?.shape)
    }

    /// So many tasks, whoever sends to whom.
    pub fn count(tasks: u32, machine: &'a Machine, seed: u64) -> Self {
        Self { tasks, graph: None, machine, seed }
    }
}

/// A named way to place tasks.
pub struct Method {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is good for, in half a sentence.
    pub summary: &'static str,
    /// The node of every task, distinct; dead nodes may appear and are repaired afterwards.
    pub place: fn(&Request<'_>) -> Result<Vec<NodeId>>,
}

/// Every placement the program knows.
pub const PLACEMENTS: &[Method] = &[
    reflecting::REFLECTING,
    growing::GROWING,
    centred_halving::CENTRED_HALVING,
    bisection::BISECTION,
    ordered::ROW_MAJOR,
    ordered::SNAKE,
    ordered::HILBERT,
    recursive_bisection::RECURSIVE_BISECTION,
    ordered::RANDOM,
    logical::AXES,
];

/// The [`PLACEMENTS`] that are looked at for a job when nobody names one: all of them, `axes` only for a logical mesh.
///
/// # Complexity
///
/// That of [`logical::Logical::detect`].
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::{Divide, Shape, considered, divide, logical};
/// let tree = Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) };
/// assert!(considered(&divide::task_graph(&tree)?).all(|method| method.name != logical::family::NAME));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn considered(graph: &TaskGraph) -> impl Iterator<Item = &'static Method> {
    let is_logical = logical::Logical::of(graph).is_some();
    PLACEMENTS.iter().filter(move |method| is_logical || method.name != logical::family::NAME)
}

/// Places tasks by the method with this name, one of [`PLACEMENTS`] or a member of the [`family`].
///
/// A task that falls on a dead node moves to the nearest free living one.
///
/// # Errors
///
/// [`Error::Value`] for an unknown name, [`Error::NotApplicable`] when the method does not suit the job or the
/// tasks do not fit.
///
/// # Complexity
///
/// O(nodes), and for every task that moves from a dead node as many steps as there are nodes no farther than its new one.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Request, place};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let placement = place("centred-halving", &Request::count(4, &mesh, 0))?;
/// assert_eq!(placement.nodes, [NodeId(0), NodeId(1), NodeId(2), NodeId(3)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn place(name: &str, request: &Request<'_>) -> Result<Placement> {
    let living = request.machine.living_count();
    if request.tasks > living {
        let why = format!("{} tasks do not fit on {living} living nodes, one on each", request.tasks);
        return Err(Error::not_applicable("placement", why));
    }
    let mut nodes = nodes(name, request)?;
    if !request.machine.dead().is_empty() {
        repair(request.machine, &mut nodes);
    }
    Ok(Placement { name: name.to_string(), nodes })
}

/// The node of every task by the method with this name, dead ones included.
fn nodes(name: &str, request: &Request<'_>) -> Result<Vec<NodeId>> {
    if name.starts_with(family::PREFIX) {
        return family::place(name, request);
    }
    let method = find_or(
        name,
        PLACEMENTS,
        |method| method.name,
        |names| unknown("placement", name, names.join(", ") + ", steps:... or all", names),
    )?;
    (method.place)(request)
}

/// Moves each task on a dead node to the nearest free living one (lowest id among equals), in task order.
fn repair(machine: &Machine, nodes: &mut [NodeId]) {
    let mut free: Vec<bool> = (0..machine.nodes()).map(|node| machine.is_alive(NodeId(node))).collect();
    nodes.iter().for_each(|node| free[node.index()] = false);
    let mut around = Around { seen: vec![0; machine.nodes() as usize], ..Around::default() };
    for place in nodes.iter_mut().filter(|node| !machine.is_alive(**node)) {
        let nearest = around
            .nearest(machine.network(), *place, |node| free[node.index()])
            .expect("there are at least as many living nodes as tasks");
        free[nearest.index()] = false;
        *place = nearest;
    }
}

/// Searches of the nodes around one, ring by ring, as if nothing were dead: a dead node has no links of its own.
#[derive(Default)]
struct Around {
    /// The number of the search that came to a node last.
    seen: Vec<u32>,
    searches: u32,
    ring: Vec<NodeId>,
    next: Vec<NodeId>,
}

impl Around {
    /// The nearest node with this property, the lowest id among equals. O(nodes that are no farther).
    fn nearest(&mut self, network: &Network, from: NodeId, suits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        self.searches += 1;
        self.ring.clear();
        self.ring.push(from);
        self.seen[from.index()] = self.searches;
        while !self.ring.is_empty() {
            if let Some(nearest) = self.ring.iter().copied().filter(|&node| suits(node)).min() {
                return Some(nearest);
            }
            self.next.clear();
            for &node in &self.ring {
                for port in (0..network.ports(node)).map(Port) {
                    let Some(to) = network.neighbour(node, port) else { continue };
                    if self.seen[to.index()] != self.searches {
                        self.seen[to.index()] = self.searches;
                        self.next.push(to);
                    }
                }
            }
            std::mem::swap(&mut self.ring, &mut self.next);
        }
        None
    }
}

/// The messages between tasks on these nodes.
fn phases(tasks: &TaskGraph, nodes: &[NodeId], machine: &Machine) -> Phases {
    let message = |phase: u32, edge: &task_graph::Edge| Message {
        source: nodes[edge.source as usize],
        target: nodes[edge.target as usize],
        bytes: edge.bytes,
        phase,
    };
    let messages = (0..tasks.phases())
        .flat_map(|index| tasks.phase(index).iter().map(move |edge| message(tasks.number(index), edge)))
        .collect();
    Phases::new(machine.nodes(), messages).with_repeats(tasks.all_repeats().to_vec())
}

/// By node the number of its part, [`u32::MAX`] for dead ones, and the parts of the machine whose nodes reach each other:
/// the part with the lowest node first.
///
/// # Complexity
///
/// O(nodes log nodes + links).
fn parts_of(machine: &Machine) -> (Vec<u32>, Vec<Vec<NodeId>>) {
    if machine.whole_grid().is_some() {
        return (vec![0; machine.nodes() as usize], vec![machine.living().collect()]);
    }
    let mut part_of = vec![u32::MAX; machine.nodes() as usize];
    let mut parts: Vec<Vec<NodeId>> = Vec::new();
    for start in machine.living() {
        if part_of[start.index()] != u32::MAX {
            continue;
        }
        let number = parts.len() as u32;
        let (mut part, mut left) = (vec![start], 0);
        part_of[start.index()] = number;
        while let Some(&node) = part.get(left) {
            left += 1;
            for (_, next) in machine.neighbours(node) {
                if part_of[next.index()] == u32::MAX {
                    part_of[next.index()] = number;
                    part.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    (part_of, parts)
}
