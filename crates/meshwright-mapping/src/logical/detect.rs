//! Logical meshes in task graphs that name none.

use std::borrow::Cow;

use super::{LineMessage, LinePhase, Logical, LogicalAxis, LogicalMesh, Step};
use crate::TaskGraph;
use crate::task_graph::Edge;

/// Up to so many axes are tried where a phase runs along several at once.
const AXES_MAX: usize = 4;

/// So many edges are looked at before all.
const SAMPLE: usize = 256;

impl Logical {
    /// The logical mesh of a graph, if it names one, or is no tree and one is found.
    ///
    /// # Complexity
    ///
    /// That of [`Self::detect`].
    pub fn of(graph: &TaskGraph) -> Option<Cow<'_, Self>> {
        let named = graph.logical.as_ref().map(Cow::Borrowed);
        named.or_else(|| graph.divide.is_none().then(|| Self::detect(graph).map(Cow::Owned)).flatten())
    }

    /// The logical mesh of a graph that names none, if each of its messages runs along one axis of a box of tasks in row-major
    /// order and in each phase all lines of an axis do the same; axes are called by their numbers. A phase along several axes,
    /// such as that of a stencil, stands as one after the other.
    ///
    /// Of several boxes the one with most axes, up to four, is taken. A graph that is one single line counts only if nobody
    /// talks to more than two others: else every graph would be one.
    ///
    /// # Complexity
    ///
    /// O(edges log edges); where a phase runs along several axes, for each box of at most four sides that the first edges allow.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::Bytes;
    /// use meshwright_mapping::TaskGraph;
    /// use meshwright_mapping::logical::Logical;
    /// use meshwright_mapping::task_graph::Edge;
    /// // A stencil of 3 x 4 cells: everyone to the right, and down.
    /// let edge = |source, target| (1, Edge { source, target, bytes: Bytes(8) });
    /// let right = (0..12).filter(|cell| cell % 4 < 3).map(|cell| edge(cell, cell + 1));
    /// let down = (0..8).map(|cell| edge(cell, cell + 4));
    /// let graph = TaskGraph::new("stencil", 12, right.chain(down).collect())?;
    /// assert_eq!(Logical::detect(&graph).unwrap().mesh.sizes(), [3, 4]);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn detect(graph: &TaskGraph) -> Option<Self> {
        if graph.phases() == 0 {
            return None;
        }
        let by_axis = axis_by_axis(graph);
        if by_axis.as_ref().is_some_and(|found| found.mesh.axes.len() > 1) {
            return by_axis;
        }
        let box_of = |axes| boxes(graph.tasks, axes, &mut |sizes| of_sizes(graph, sizes));
        (2..=AXES_MAX).rev().find_map(box_of).or(by_axis)
    }
}

/// The mesh of a graph whose phases run along one axis each.
fn axis_by_axis(graph: &TaskGraph) -> Option<Logical> {
    let sizes = sizes(graph)?;
    let found = of_sizes(graph, &sizes)?;
    let few = |phase: &LinePhase| phase.step.messages.len() <= 2 * sizes[0] as usize;
    (sizes.len() > 1 || found.phases.iter().all(few)).then_some(found)
}

/// The sides of the box in which every phase runs along one axis, if there is one.
fn sizes(graph: &TaskGraph) -> Option<Vec<u32>> {
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
    let mut stride = 1;
    for (from, size) in found.into_iter().chain([(graph.tasks, 1)]) {
        if from % stride != 0 {
            return None;
        }
        if from > stride {
            sizes.push(from / stride);
        }
        if size > 1 {
            sizes.push(size);
        }
        stride = from.checked_mul(size)?;
    }
    sizes.reverse();
    Some(sizes)
}

/// Calls with the sides of every box of so many tasks and axes, none of a single task, until there is an answer.
fn boxes<T>(tasks: u32, axes: usize, call: &mut dyn FnMut(&[u32]) -> Option<T>) -> Option<T> {
    fn rest<T>(
        tasks: u32,
        axes: usize,
        sides: &mut Vec<u32>,
        call: &mut dyn FnMut(&[u32]) -> Option<T>,
    ) -> Option<T> {
        let last = [tasks];
        let fits = |side: &u32| *side > 1 && tasks.is_multiple_of(*side);
        let candidates = if axes == 1 { last.to_vec() } else { (2..=tasks / 2).filter(fits).collect() };
        candidates.into_iter().filter(fits).find_map(|side| {
            sides.push(side);
            let found = if axes == 1 { call(sides) } else { rest(tasks / side, axes - 1, sides, call) };
            sides.pop();
            found
        })
    }
    rest(tasks, axes, &mut Vec::with_capacity(axes), call)
}

/// The graph in a box of these sides, if all of its messages run along axes, and all lines of an axis do the same.
fn of_sizes(graph: &TaskGraph, sizes: &[u32]) -> Option<Logical> {
    let axes = sizes.iter().enumerate();
    let axes = axes.map(|(index, &size)| LogicalAxis { name: index.to_string(), size }).collect();
    let mesh = LogicalMesh { axes };
    let strides: Vec<u32> = (0..sizes.len()).map(|axis| mesh.stride(axis)).collect();
    // The axis along which an edge runs: both ends in one line of it.
    let along = |edge: &Edge| {
        (0..sizes.len()).find(|&axis| {
            let line = |task: u32| (task / (strides[axis] * sizes[axis]), task % strides[axis]);
            line(edge.source) == line(edge.target)
        })
    };
    // A box that is none seldom survives a look here and there.
    let apart = graph.edges().len().div_ceil(SAMPLE).max(1);
    if graph.edges().iter().step_by(apart).any(|edge| along(edge).is_none()) {
        return None;
    }
    let mut phases = Vec::with_capacity(graph.phases());
    for index in 0..graph.phases() {
        let mut own: Vec<Vec<Edge>> = vec![Vec::new(); sizes.len()];
        for edge in graph.phase(index) {
            own[along(edge)?].push(*edge);
        }
        for (axis, edges) in own.iter().enumerate().filter(|(_, edges)| !edges.is_empty()) {
            let messages = one_line(edges, &mesh, axis)?;
            phases.push(LinePhase { axis, step: Step { messages, times: graph.repeats(index) } });
        }
    }
    Some(Logical { mesh, phases })
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
