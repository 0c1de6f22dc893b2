//! Phases along one axis: what one line does, all lines do.

use super::{Logical, LogicalAxis, LogicalMesh};
use crate::TaskGraph;
use crate::task_graph::Edge;

/// A message between two members of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineMessage {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// How much.
    pub bytes: u64,
}

/// What one line does between two barriers, so often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// By sender.
    pub messages: Vec<LineMessage>,
    /// How often.
    pub times: u32,
}

/// A phase in which all lines of one axis do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePhase {
    /// The axis.
    pub axis: usize,
    /// What one of its lines does.
    pub step: Step,
}

impl LinePhase {
    /// Calls with sender, receiver and bytes of every message of all lines, by sender.
    pub(super) fn for_each(&self, mesh: &LogicalMesh, mut call: impl FnMut(u32, u32, u64)) {
        let (size, stride) = (mesh.axes[self.axis].size, mesh.stride(self.axis));
        let messages = &self.step.messages;
        // Where the messages of each member begin.
        let first: Vec<usize> =
            (0..=size).map(|member| messages.partition_point(|message| message.from < member)).collect();
        for task in 0..mesh.tasks() {
            let member = task / stride % size;
            let zero = task - member * stride;
            for message in &messages[first[member as usize]..first[member as usize + 1]] {
                call(task, zero + message.to * stride, message.bytes);
            }
        }
    }
}

impl Logical {
    /// The logical mesh of a graph that names none, if each of its phases runs along one axis of a box of tasks in row-major
    /// order and all lines of that axis do the same; axes are called by their numbers.
    ///
    /// A graph that is one single line counts only if nobody talks to more than two others: else every graph would be one.
    ///
    /// # Complexity
    ///
    /// O(edges log edges).
    pub fn detect(graph: &TaskGraph) -> Option<Self> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for index in 0..graph.phases() {
            let axis = axis_of(graph.phase(index), graph.tasks)?;
            if !found.contains(&axis) {
                found.push(axis);
            }
        }
        found.sort_unstable();
        // The fastest axis first; between two that are used one may lie that is not.
        let mut sizes: Vec<u32> = Vec::new();
        let mut used: Vec<(u32, usize)> = Vec::new();
        let mut stride = 1;
        let all = found.iter().copied().chain([(graph.tasks, 1)]);
        for (from, size) in all {
            if from % stride != 0 {
                return None;
            }
            if from > stride {
                sizes.push(from / stride);
            }
            if size > 1 {
                used.push((from, sizes.len()));
                sizes.push(size);
            }
            stride = from.checked_mul(size)?;
        }
        sizes.reverse();
        let axes = sizes.iter().enumerate();
        let axes = axes.map(|(index, &size)| LogicalAxis { name: index.to_string(), size }).collect();
        let mesh = LogicalMesh { axes };
        let axis_at = |stride: u32| {
            used.iter().find(|(from, _)| *from == stride).map(|(_, place)| sizes.len() - 1 - place)
        };
        let mut phases = Vec::with_capacity(graph.phases());
        for index in 0..graph.phases() {
            let axis = axis_at(axis_of(graph.phase(index), graph.tasks)?.0)?;
            let messages = one_line(graph.phase(index), &mesh, axis)?;
            let step = Step { messages, times: graph.repeats(index) };
            phases.push(LinePhase { axis, step });
        }
        let is_line = sizes.len() == 1;
        let few = |phase: &LinePhase| phase.step.messages.len() <= 2 * sizes[0] as usize;
        (!phases.is_empty() && (!is_line || phases.iter().all(few))).then_some(Self { mesh, phases })
    }
}

/// Phases of more distances than this are left whole.
const DISTANCES_MAX: usize = 8;

/// The same job with the messages of each phase over one distance in a phase of their own, as if they went one after the other:
/// a stencil becomes phases along its axes. `None` where a phase has many distances, or none has two.
///
/// # Complexity
///
/// O(edges).
pub(super) fn by_distance(graph: &TaskGraph) -> Option<TaskGraph> {
    let (mut edges, mut repeats) = (Vec::with_capacity(graph.edges().len()), Vec::new());
    for index in 0..graph.phases() {
        let (first, mut distances) = (repeats.len(), Vec::with_capacity(DISTANCES_MAX));
        for edge in graph.phase(index).iter().filter(|edge| edge.source != edge.target) {
            let distance = edge.source.abs_diff(edge.target);
            let known = distances.iter().position(|&known| known == distance);
            let place = known.unwrap_or(distances.len());
            if place == distances.len() {
                distances.push(distance);
            }
            if distances.len() > DISTANCES_MAX {
                return None;
            }
            edges.push(((first + place) as u32, *edge));
        }
        repeats.resize(first + distances.len(), graph.repeats(index));
    }
    if repeats.len() <= graph.phases() {
        return None;
    }
    TaskGraph::new(graph.name.as_str(), graph.tasks, edges).ok()?.with_repeats(repeats).ok()
}

/// The stride and the size of the axis along which all edges run: the greatest stride they allow, the least size that no
/// edge leaves.
fn axis_of(edges: &[Edge], tasks: u32) -> Option<(u32, u32)> {
    let stride = edges.iter().fold(0, |stride, edge| gcd(stride, edge.source.abs_diff(edge.target)));
    if stride == 0 || !tasks.is_multiple_of(stride) {
        return None;
    }
    // Between places q and q + 1 of the first line of this stride: whether an edge lies across.
    let places = tasks / stride;
    let mut across = vec![0i64; places as usize + 1];
    for edge in edges {
        let (low, high) = (edge.source.min(edge.target), edge.source.max(edge.target));
        across[(low / stride) as usize] += 1;
        across[(high / stride) as usize] -= 1;
    }
    let mut open = 0;
    let size = (1..=places).find(|&place| {
        open += across[place as usize - 1];
        open == 0
    })?;
    (size > 1 && places.is_multiple_of(size)).then_some((stride, size))
}

/// The messages of one line, by sender, if all lines have the same.
fn one_line(edges: &[Edge], mesh: &LogicalMesh, axis: usize) -> Option<Vec<LineMessage>> {
    let (size, stride) = (mesh.axes[axis].size, mesh.stride(axis));
    let line = |task: u32| task / (stride * size) * stride + task % stride;
    let place = |task: u32| task / stride % size;
    let mut all = Vec::with_capacity(edges.len());
    for edge in edges {
        if line(edge.source) != line(edge.target) {
            return None;
        }
        let (from, to) = (place(edge.source), place(edge.target));
        all.push((line(edge.source), LineMessage { from, to, bytes: edge.bytes.0 }));
    }
    all.sort_unstable();
    let lines = mesh.tasks() / size;
    let each = all.len() / lines as usize;
    let first: Vec<LineMessage> = all.iter().take(each).map(|&(_, message)| message).collect();
    let alike = |(number, line): (usize, &[(u32, LineMessage)])| {
        line.iter().zip(&first).all(|(&(at, message), &own)| at as usize == number && message == own)
    };
    let whole = each > 0 && all.len() == each * lines as usize;
    (whole && all.chunks_exact(each).enumerate().all(alike)).then_some(first)
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
