//! The jobs, and the machines of their size.

use std::fmt::Write;
use std::path::Path;

use meshwright_core::units::Bytes;
use meshwright_core::{Error, Result};
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{TaskGraph, task_file};

/// Bytes of every message of the jobs made here.
const BYTES: Bytes = Bytes(1024);

/// A task graph, and the box its tasks fill row by row if they fill one.
pub(super) struct Shaped {
    pub(super) graph: TaskGraph,
    pub(super) sides: Vec<u32>,
}

/// Every job.
pub(super) fn all() -> Result<Vec<Shaped>> {
    let mut jobs = vec![lammps(16)?, lammps(64)?];
    for side in [4, 8, 16] {
        for is_periodic in [false, true] {
            jobs.push(stencil(side, is_periodic)?);
        }
    }
    for sides in [[4, 4], [8, 4], [16, 8]] {
        jobs.push(rings(sides)?);
    }
    for dimensions in [4, 6] {
        jobs.push(butterfly(dimensions)?);
    }
    for tasks in [16, 64] {
        jobs.push(random(tasks)?);
    }
    Ok(jobs)
}

/// A mesh, a torus, a hypercube and a mesh of three dimensions with so many nodes.
pub(super) fn machines(tasks: u32) -> [&'static str; 4] {
    match tasks {
        16 => ["mesh:4x4", "torus:4x4", "hypercube:4", "mesh:2x2x4"],
        32 => ["mesh:4x8", "torus:4x8", "hypercube:5", "mesh:2x4x4"],
        64 => ["mesh:8x8", "torus:8x8", "hypercube:6", "mesh:4x4x4"],
        128 => ["mesh:8x16", "torus:8x16", "hypercube:7", "mesh:4x4x8"],
        256 => ["mesh:16x16", "torus:16x16", "hypercube:8", "mesh:4x8x8"],
        _ => unreachable!("no job has {tasks} tasks"),
    }
}

/// Writes every job as a trace.
pub(super) fn write(folder: &Path) -> Result<()> {
    for Shaped { graph, .. } in all()? {
        let mut text = "phase,source,target,bytes\n".to_string();
        for index in 0..graph.phases() {
            for Edge { source, target, bytes } in graph.phase(index) {
                writeln!(text, "{},{source},{target},{}", graph.number(index), bytes.0).expect("text grows");
            }
        }
        let file = folder.join(format!("{}.phases.csv", graph.name));
        std::fs::write(&file, text).map_err(|error| Error::io(&file, error))?;
    }
    Ok(())
}

fn graph(name: String, sides: Vec<u32>, edges: Vec<(u32, u32, u32)>) -> Result<Shaped> {
    let tasks = sides.iter().product();
    let edge = |(phase, source, target)| (phase, Edge { source, target, bytes: BYTES });
    Ok(Shaped { graph: TaskGraph::new(name, tasks, edges.into_iter().map(edge).collect())?, sides })
}

fn lammps(ranks: u32) -> Result<Shaped> {
    let file = format!("examples/lammps-lj-{ranks}.phases.csv");
    let mut graph = task_file::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file))?;
    graph.name = format!("lammps-{ranks}");
    Ok(Shaped { graph, sides: vec![ranks] })
}

/// Every cell of a square sends to its four neighbours at once.
fn stencil(side: u32, is_periodic: bool) -> Result<Shaped> {
    let mut edges = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let mut send = |there: bool, to_row: u32, to_column: u32| {
                if there || is_periodic {
                    edges.push((1, row * side + column, to_row % side * side + to_column % side));
                }
            };
            send(row + 1 < side, row + 1, column);
            send(row > 0, row + side - 1, column);
            send(column + 1 < side, row, column + 1);
            send(column > 0, row, column + side - 1);
        }
    }
    let kind = if is_periodic { "periodic-stencil" } else { "stencil" };
    graph(format!("{kind}-{side}x{side}"), vec![side, side], edges)
}

/// All-reduce along one axis, then along the other: a ring of p ranks takes 2 (p - 1) steps to its next.
fn rings([rows, columns]: [u32; 2]) -> Result<Shaped> {
    let mut edges = Vec::new();
    let down = 2 * (rows - 1);
    for task in 0..rows * columns {
        let (row, column) = (task / columns, task % columns);
        edges.extend((0..down).map(|step| (step, task, (row + 1) % rows * columns + column)));
        let next = row * columns + (column + 1) % columns;
        edges.extend((0..2 * (columns - 1)).map(|step| (down + step, task, next)));
    }
    graph(format!("rings-{rows}x{columns}"), vec![rows, columns], edges)
}

/// Recursive doubling: in phase k every task exchanges with the one whose number differs in bit k.
fn butterfly(dimensions: u32) -> Result<Shaped> {
    let tasks = 1 << dimensions;
    let phase = |k: u32| (0..tasks).map(move |task| (k, task, task ^ 1 << k));
    graph(
        format!("butterfly-{tasks}"),
        vec![2; dimensions as usize],
        (0..dimensions).flat_map(phase).collect(),
    )
}

/// Four partners of every task: two cycles through all tasks, in random orders, both ways.
fn random(tasks: u32) -> Result<Shaped> {
    let mut state = u64::from(tasks);
    let mut below = |limit: u64| {
        // Knuth's multiplier; the upper bits are good enough to shuffle with.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut edges = Vec::new();
    for _ in 0..2 {
        let mut order: Vec<u32> = (0..tasks).collect();
        (1..order.len()).rev().for_each(|last| order.swap(last, below(last as u64 + 1) as usize));
        for (at, &task) in order.iter().enumerate() {
            let next = order[(at + 1) % order.len()];
            edges.extend([(1, task, next), (1, next, task)]);
        }
    }
    graph(format!("random-{tasks}"), vec![tasks], edges)
}
