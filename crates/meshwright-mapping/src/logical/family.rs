//! The placement `axes`: the best of all ways to lay the axes of a logical mesh along the dimensions of a machine.
//!
//! A member of the family says, for each axis, how many places of each dimension it gets (`factors`), which axis lies inside which
//! where several share a dimension, and in what order the members of a line walk over their places (`curve`). Among them are all
//! permutations of the axes, folds, blocks, snakes and Hilbert walks in blocks, products of several dimensions, and several
//! axes in one dimension. Reflections change no time and are left out.
//!
//! A phase runs along one axis, and all lines of an axis are alike. So its price depends on the places of that axis alone, and is
//! that of one line (`price`): for each share of the dimensions the best walk of each axis is found by itself (`ways`). Of the
//! cheapest shares a judge then compares the best walks, again axis by axis.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ways::{AxisPlaces, Walk, Way, cheapest};
use super::{LinePhase, Logical, LogicalAxis, LogicalMesh, holes};
use crate::{Method, Request, repair};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::{Grid, Network, Topology};
use meshwright_schedule::{Message, Phases, cost};

/// The name of the placement.
pub const NAME: &str = "axes";

/// So many members are compared on the whole machine, of larger machines fewer.
const COMPARED: usize = 8;
const TASKS_COMPARED: usize = 1 << 18;

/// A way is left out that is predicted to take so many hundredths more than the best was judged to take.
const DEARER: u64 = 110;

/// Axes of a logical mesh laid along the dimensions of the machine.
pub const AXES: Method = Method {
    name: NAME,
    summary: "axes of a logical mesh along dimensions: swapped, folded, in blocks, the best of all",
    place: |request| {
        let most = (TASKS_COMPARED / request.tasks.max(1) as usize).clamp(1, COMPARED);
        let mut forecast = |phases: &Phases| {
            cost::forecast(phases, request.machine).map_or(u64::MAX, |forecast| forecast.ticks)
        };
        Ok(best(request, most, &mut forecast)?.nodes)
    },
};

/// A member of the family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The node of each task.
    pub nodes: Vec<NodeId>,
    /// Which it is: for each axis its dimensions, such as `data=dim1 folded, model=dim0`.
    pub words: String,
    /// The predicted time of all phases, in ticks.
    pub ticks: u64,
}

/// The most promising members of the family for this job, at most so many, the one with the least predicted time first.
///
/// The job is a logical mesh, or a graph in which one is [found](Logical::detect), if need be with messages over different
/// distances taken for phases of their own, as in a stencil; the machine a box, of whose dead nodes the prediction does not
/// know: lines step over them where there are nodes to spare, and of the others tasks on dead nodes move.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the job is no logical mesh, the machine is no box, or no box of just as many nodes lies in it.
///
/// # Complexity
///
/// O(ways to share the dimensions), and for each axis and each of its places O(one line); at most 2^17 ways are looked at.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::Request;
/// use meshwright_mapping::logical::{self, AxisUse, LogicalMesh, members, operation};
/// use meshwright_network::Machine;
/// let mesh = LogicalMesh::parse("data=8,model=2")?;
/// let all_reduce = AxisUse { axis: "data", operation: operation::named("all-reduce")?, bytes: Bytes(1 << 20) };
/// let (graph, machine) = (logical::task_graph(&mesh, &[all_reduce])?, Machine::new("mesh:4x4")?);
/// let best = members(&Request::of(&graph, &machine, 0), 1)?.remove(0);
/// // A ring of eight closes around a block of 4 x 2 nodes, every step one link.
/// assert!(best.words.starts_with("data=dim0 x 2 of dim1 in a cycle"), "{}", best.words);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn members(request: &Request<'_>, most: usize) -> Result<Vec<Member>> {
    let family = Family::of(request)?;
    Ok(family.cheapest(most).iter().map(|way| family.member(way, &way.walks_best())).collect())
}

/// The best member of the family, as a judge says who is told the phases along one axis at a time: usually their simulated or predicted
/// time. So many ways to share the dimensions are looked at by the judge, with the best walks of each axis.
///
/// # Errors
///
/// As for [`members`].
///
/// # Complexity
///
/// As for [`members`], and some judgements for each way and axis.
pub fn best(request: &Request<'_>, most: usize, judge: &mut dyn FnMut(&Phases) -> u64) -> Result<Member> {
    let family = Family::of(request)?;
    let ways = family.cheapest(most);
    if ways.len() == 1 && most == 1 || !request.machine.dead().is_empty() {
        return Ok(family.member(&ways[0], &ways[0].walks_best()));
    }
    // The judge's word for an axis on its places, and the walk it is for.
    let mut known: BTreeMap<(usize, AxisPlaces), (u64, Walk)> = BTreeMap::new();
    let mut best: Option<(u64, &Way, Vec<Walk>)> = None;
    for way in &ways {
        let reached = best.as_ref().map_or(u64::MAX, |(ticks, ..)| *ticks);
        if way.price.ticks / DEARER > reached / 100 {
            continue;
        }
        let (mut ticks, mut walks) = (0u64, Vec::with_capacity(way.axes.len()));
        for (axis, places) in way.axes.iter().enumerate() {
            let key = (axis, places.clone());
            let (own, walk) = known.entry(key).or_insert_with(|| family.judged(way, axis, judge)).clone();
            ticks = ticks.saturating_add(own);
            walks.push(walk);
        }
        if best.is_none() || ticks < reached {
            best = Some((ticks, way, walks));
        }
    }
    let (_, way, walks) = best.expect("a family has a member");
    Ok(family.member(way, &walks))
}

impl Way {
    /// The cheapest walk of each axis.
    fn walks_best(&self) -> Vec<Walk> {
        self.walks.iter().map(|walks| walks[0].clone()).collect()
    }
}

/// A job and a machine that have a family.
struct Family<'a> {
    request: Request<'a>,
    logical: Cow<'a, Logical>,
    grid: &'a Grid,
    boxes: Vec<Vec<u32>>,
}

impl<'a> Family<'a> {
    fn of(request: &Request<'a>) -> Result<Self> {
        let Network::Grid(grid) = request.machine.network() else {
            return Err(Error::not_applicable(NAME, "it needs a mesh, torus or hypercube"));
        };
        let Some(logical) = request.graph.and_then(Logical::of) else {
            let why = "the tasks are no logical mesh, where in each phase all lines of an axis do the same";
            return Err(Error::not_applicable(NAME, why));
        };
        let boxes = super::factors::boxes(request.tasks, grid.sides());
        if boxes.is_empty() {
            let why = format!("no box of {} nodes lies in {}", request.tasks, request.machine.name());
            return Err(Error::not_applicable(NAME, why));
        }
        Ok(Self { request: *request, logical, grid, boxes })
    }

    fn cheapest(&self, most: usize) -> Vec<Way> {
        cheapest(&self.logical, (self.request.machine, self.grid), &self.boxes, most)
    }

    /// What the judge says of the walks of an axis: the least, and for which.
    fn judged(&self, way: &Way, axis: usize, judge: &mut dyn FnMut(&Phases) -> u64) -> (u64, Walk) {
        let first = way.walks[axis][0].clone();
        if self.logical.phases.iter().all(|phase| phase.axis != axis) {
            return (0, first);
        }
        let mut best = (u64::MAX, first);
        let mut walks = way.walks_best();
        for walk in way.walks[axis].iter() {
            walks[axis] = walk.clone();
            let ticks = judge(&self.phases(axis, &self.nodes(way, &walks)));
            if ticks < best.0 {
                best = (ticks, walk.clone());
            }
        }
        best
    }

    /// The phases along one axis, on these nodes.
    fn phases(&self, axis: usize, nodes: &[NodeId]) -> Phases {
        let (mut messages, mut times, mut number) = (Vec::new(), Vec::new(), 0);
        for phase in self.logical.phases.iter().filter(|phase: &&LinePhase| phase.axis == axis) {
            phase.for_each(&self.logical.mesh, |source, target, bytes| {
                let (source, target) = (nodes[source as usize], nodes[target as usize]);
                messages.push(Message { source, target, bytes: Bytes(bytes), phase: number });
            });
            times.push(phase.step.times);
            number += phase.step.times;
        }
        Phases::new(self.request.machine.nodes(), messages).with_repeats(times)
    }

    /// The node of each task: the sum of what the axes contribute.
    fn nodes(&self, way: &Way, walks: &[Walk]) -> Vec<NodeId> {
        let sides = self.grid.sides();
        let strides: Vec<u32> = (0..sides.len()).map(|dim| sides[dim + 1..].iter().product()).collect();
        let mut nodes = vec![0u32];
        for (places, walk) in way.axes.iter().zip(walks) {
            let part = |&cell: &u32| {
                let (mut cell, mut node) = (cell, 0);
                for (one, stride) in places.iter().zip(&strides).rev() {
                    node += cell % one.count * one.apart * stride;
                    cell /= one.count;
                }
                node
            };
            let own: Vec<u32> = walk.curve.cells.iter().map(part).collect();
            nodes = nodes.iter().flat_map(|node| own.iter().map(move |own| node + own)).collect();
        }
        nodes.into_iter().map(NodeId).collect()
    }

    fn member(&self, way: &Way, walks: &[Walk]) -> Member {
        let mut nodes = self.nodes(way, walks);
        if !self.request.machine.dead().is_empty() {
            holes::step_over(self.request.machine, self.grid, &mut nodes);
            repair(self.request.machine, &mut nodes);
        }
        let ticks = walks.iter().map(|walk| walk.price.ticks).fold(0, u64::saturating_add);
        Member { nodes, words: words(&self.logical.mesh, way, walks), ticks }
    }
}

/// For each axis its dimensions and its walk.
fn words(mesh: &LogicalMesh, way: &Way, walks: &[Walk]) -> String {
    let axis = |((axis, places), walk): ((&LogicalAxis, &AxisPlaces), &Walk)| {
        let dims: Vec<String> = (places.iter().enumerate().filter(|(_, one)| one.count > 1))
            .map(|(dim, one)| match one.apart {
                _ if one.count == way.used[dim] => format!("dim{dim}"),
                1 => format!("{} of dim{dim}", one.count),
                apart => format!("{} of dim{dim} by {apart}", one.count),
            })
            .collect();
        let dims = if dims.is_empty() { "one node".to_string() } else { dims.join(" x ") };
        let walk = &walk.curve.words;
        format!("{}={dims}{}{walk}", axis.name, if walk.is_empty() { "" } else { " " })
    };
    mesh.axes.iter().zip(&way.axes).zip(walks).map(axis).collect::<Vec<_>>().join(", ")
}
