//! Recursive bisection: any tree of divide and conquer on any machine, whatever its sides and whatever is dead.
//!
//! A compact part of the machine with one living node per task is split as the tree splits: in phase after phase each
//! owner hands a piece of its nodes, as large as the child's subtree, to an owner in that piece. Pieces are cut
//! off across their longer side, so they stay compact, and the new owner stays near the old one. On a whole box
//! of powers of two this is centred halving again. Elsewhere nothing is promised: contention is measured, never assumed.
//!
//! Where to begin and how to cut is tried in a few ways; the way with the least predicted time is taken.

mod cut;
mod field;

use super::{Method, Request, Shape, phases};
use cut::Cutter;
use field::Field;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::Topology;
use meshwright_schedule::cost::{Forecast, forecast};
use meshwright_schedule::{Message, Phases};

/// Halves compact sets of living nodes: for odd sides, dead nodes and general graphs.
pub const BISECTION: Method = Method {
    name: "bisection",
    summary: "halves compact parts of any machine: for odd sides, dead nodes and graphs",
    place,
};

/// So many ways are tried as this is a multiple of the steps that judging one takes.
const STEPS_MAX: u64 = 1 << 26;

/// Steps to judge a way where distances and routes are formulas, for each task.
const STEPS_WHOLE: u64 = 64;

/// Boxes that are longer along one axis are tried up to so many dimensions.
const LONG_AXES_MAX: usize = 3;

/// Which nodes are used when there are more of them than tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeSet {
    /// Those within the fewest hops of the root.
    Ball,
    /// Those in a cube about the root.
    Cube,
    /// Those in a box about the root, twice as long along this axis.
    Box(usize),
}

/// Which nodes, where the root is, how to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CutVariant {
    /// The node of the root.
    root: NodeId,
    /// Which nodes are used.
    part: NodeSet,
    /// Whether cuts go across the axes, or else between the nodes near the owner and those near its antipode.
    across: bool,
    /// Whether cuts between two layers of nodes come first, and of these the ones next to the owner.
    clean: bool,
    /// Whether nodes with equal coordinates are told apart in decreasing order of their ids.
    backwards: bool,
    /// Whether the new owner is to be near all of its nodes as well, or near the old owner only.
    inside: bool,
}

/// The node of every task.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no connected part of the machine has enough living nodes.
fn place(request: &Request<'_>) -> Result<Vec<NodeId>> {
    let shape = request.shape().cloned().unwrap_or(Shape::Halving(vec![request.tasks]));
    let mut edges = Vec::with_capacity(request.tasks as usize);
    shape.for_each_edge(|phase, parent, child| edges.push((phase, parent, child)));
    let field = Field::of(request.machine, request.tasks).ok_or_else(|| {
        let why =
            format!("no connected part of {} has {} living nodes", request.machine.name(), request.tasks);
        Error::not_applicable(BISECTION.name, why)
    })?;
    let ways = ways(&field, request);
    let build = |way: &CutVariant| {
        let set = field.set(way.root, request.tasks, way.part);
        Cutter::new(&field, *way).place(set, &edges)
    };
    let mut best: Option<(Forecast, Vec<NodeId>)> = None;
    if let [only] = ways.as_slice() {
        return Ok(build(only));
    }
    for way in &ways {
        let nodes = build(way);
        let score = score(request, &edges, &nodes)?;
        // Of equal ways the first.
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, nodes));
        }
    }
    Ok(best.expect("there is a way").1)
}

/// The ways to try, so many as there is time for.
fn ways(field: &Field<'_>, request: &Request<'_>) -> Vec<CutVariant> {
    let mut ways = Vec::new();
    for root in field.roots(request.tasks) {
        for part in parts(field, request.tasks) {
            for bits in 0..16u32 {
                let bit = |index: u32| bits >> index & 1 == 1;
                let across = field.has_axes() && !bit(0);
                // There are no axes to cut across, or no such cuts to choose from.
                if (bit(0) && !field.has_axes()) || (bit(1) && !across) {
                    continue;
                }
                ways.push(CutVariant {
                    root,
                    part,
                    across,
                    clean: !bit(1),
                    backwards: bit(2),
                    inside: bit(3),
                });
            }
        }
    }
    // Elsewhere routes are found by a search from each sender.
    let each = if field.whole().is_some() { STEPS_WHOLE } else { u64::from(request.machine.nodes()) };
    let count = STEPS_MAX / (u64::from(request.tasks) * each);
    ways.truncate(count.max(1) as usize);
    ways
}

/// The sets of nodes to try: one if there is no choice.
fn parts(field: &Field<'_>, tasks: u32) -> Vec<NodeSet> {
    if tasks == field.living() || !field.has_axes() {
        return vec![NodeSet::Ball];
    }
    let axes = if field.dimensions() <= LONG_AXES_MAX { field.dimensions() } else { 0 };
    [NodeSet::Cube, NodeSet::Ball].into_iter().chain((0..axes).rev().map(NodeSet::Box)).collect()
}

/// Judges nodes by the schedule they make, that of the job or one byte over each edge: the least predicted time counts,
/// then the dilations, then the hops.
fn score(request: &Request<'_>, edges: &[(u32, u32, u32)], nodes: &[NodeId]) -> Result<Forecast> {
    let machine = request.machine;
    let phases = match request.graph {
        Some(graph) => phases(graph, nodes, machine),
        None => {
            let message = |&(phase, parent, child): &(u32, u32, u32)| {
                let (source, target) = (nodes[parent as usize], nodes[child as usize]);
                Message { source, target, bytes: Bytes(1), phase }
            };
            Phases::new(machine.nodes(), edges.iter().map(message).collect())
        }
    };
    forecast(&phases, machine)
}
