//! The graphs of the page: public ones from files, and families made here.

use std::path::{Path, PathBuf};

use rand::{Rng, RngExt};

use meshwright_core::Result;
use meshwright_core::rng::stream;
use meshwright_core::units::Bytes;
use meshwright_mapping::task_graph::Edge;
use meshwright_mapping::{TaskGraph, task_file};

/// Where a graph comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The trace of a program.
    Trace,
    /// A public finite-element graph, cut into parts by METIS: who exchanges how much halo.
    Halo,
    /// A standard network, as Scotch's own generators make it.
    Network,
    /// Made here.
    Made,
}

impl Origin {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace, public",
            Self::Halo => "finite elements, public",
            Self::Network => "network, public definition",
            Self::Made => "made here",
        }
    }
}

/// Bytes of a message in graphs without weights.
const BYTES: u64 = 1000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// Messages both ways over these pairs, of tasks renumbered at random if `seed` says so.
fn both_ways(name: &str, tasks: u32, pairs: &[(u32, u32)], seed: Option<u64>) -> Result<TaskGraph> {
    let mut number: Vec<u32> = (0..tasks).collect();
    if let Some(seed) = seed {
        use rand::seq::SliceRandom;
        number.shuffle(&mut stream(seed, "numbers"));
    }
    let edge = |a: u32, b: u32| {
        (1, Edge { source: number[a as usize], target: number[b as usize], bytes: Bytes(BYTES) })
    };
    let edges = pairs.iter().flat_map(|&(a, b)| [edge(a, b), edge(b, a)]).collect();
    TaskGraph::new(name, tasks, edges)
}

fn hypercube(dimension: u32) -> Result<TaskGraph> {
    let nodes = 1 << dimension;
    let pairs: Vec<(u32, u32)> =
        (0..nodes).flat_map(|node| (0..dimension).map(move |bit| (node, node ^ 1 << bit))).collect();
    let once: Vec<_> = pairs.into_iter().filter(|(a, b)| a < b).collect();
    both_ways(&format!("hypercube-{dimension}"), nodes, &once, None)
}

fn de_bruijn(dimension: u32) -> Result<TaskGraph> {
    let nodes = 1u32 << dimension;
    let shifted = |node: u32| [2 * node % nodes, (2 * node + 1) % nodes];
    let mut pairs: Vec<(u32, u32)> =
        (0..nodes).flat_map(|a| shifted(a).map(|b| (a.min(b), a.max(b)))).filter(|(a, b)| a != b).collect();
    pairs.sort_unstable();
    pairs.dedup();
    both_ways(&format!("debruijn-{dimension}"), nodes, &pairs, None)
}

/// The butterfly of a fast Fourier transform: one phase for each bit.
fn butterfly(dimension: u32) -> Result<TaskGraph> {
    let exchange =
        |bit: u32, source: u32| (bit + 1, Edge { source, target: source ^ 1 << bit, bytes: Bytes(BYTES) });
    let edges = (0..dimension).flat_map(|bit| (0..1 << dimension).map(move |node| exchange(bit, node)));
    TaskGraph::new(format!("fft-{dimension}"), 1 << dimension, edges.collect())
}

/// Points in the unit square, those within a distance of each other joined: about so many neighbours each.
fn geometric(points: u32, degree: f64) -> Result<TaskGraph> {
    let mut rng = stream(7, "points");
    let places: Vec<(f64, f64)> = (0..points).map(|_| (rng.random(), rng.random())).collect();
    let near = degree / std::f64::consts::PI / f64::from(points);
    let mut pairs = Vec::new();
    for a in 0..points as usize {
        for b in 0..a {
            let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            if x * x + y * y < near {
                pairs.push((b as u32, a as u32));
            }
        }
    }
    both_ways(&format!("geometric-{points}"), points, &pairs, None)
}

/// A recursive matrix with the usual shares 0.57, 0.19, 0.19: few tasks with many neighbours.
fn recursive_matrix(scale: u32, edges: u32) -> Result<TaskGraph> {
    let mut rng = stream(7, "recursive matrix");
    let end = |rng: &mut dyn Rng| {
        (0..scale).fold((0u32, 0u32), |(a, b), _| {
            let lot = rng.random::<f64>();
            let (row, column) = (lot >= 0.76, (0.57..0.76).contains(&lot) || lot >= 0.95);
            (2 * a + u32::from(row), 2 * b + u32::from(column))
        })
    };
    let mut pairs: Vec<(u32, u32)> = (0..edges)
        .map(|_| end(&mut rng))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .filter(|(a, b)| a != b)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    both_ways(&format!("rmat-{scale}"), 1 << scale, &pairs, Some(3))
}

/// A box of tasks that talk to their neighbours along every axis, renumbered at random.
fn stencil(sides: [u32; 3]) -> Result<TaskGraph> {
    let [rows, columns, layers] = sides;
    let id = |row: u32, column: u32, layer: u32| (row * columns + column) * layers + layer;
    let mut pairs = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for layer in 0..layers {
                let here = id(row, column, layer);
                pairs.extend((row + 1 < rows).then(|| (here, id(row + 1, column, layer))));
                pairs.extend((column + 1 < columns).then(|| (here, id(row, column + 1, layer))));
                pairs.extend((layer + 1 < layers).then(|| (here, id(row, column, layer + 1))));
            }
        }
    }
    both_ways(&format!("stencil-{rows}x{columns}x{layers}"), rows * columns * layers, &pairs, Some(5))
}

/// Every graph with its origin and the machine it is placed on.
pub(crate) fn graphs() -> Result<Vec<(TaskGraph, Origin, &'static str)>> {
    let trace = |ranks: u32| task_file::read(&folder().join(format!("lammps-lj-{ranks}.phases.csv")));
    let halo = |name: &str| task_file::read(&folder().join(format!("against_scotch/graphs/{name}.mtx")));
    Ok(vec![
        (trace(16)?, Origin::Trace, "mesh:4x4"),
        (trace(64)?, Origin::Trace, "mesh:8x8"),
        (halo("4elt-64")?, Origin::Halo, "mesh:8x8"),
        (halo("4elt-256")?, Origin::Halo, "mesh:16x16"),
        (halo("copter2-64")?, Origin::Halo, "mesh:8x8"),
        (halo("copter2-256")?, Origin::Halo, "mesh:16x16"),
        (halo("mdual-64")?, Origin::Halo, "mesh:8x8"),
        (halo("mdual-256")?, Origin::Halo, "mesh:16x16"),
        (hypercube(8)?, Origin::Network, "mesh:16x16"),
        (de_bruijn(8)?, Origin::Network, "mesh:16x16"),
        (butterfly(8)?, Origin::Made, "mesh:16x16"),
        (stencil([4, 8, 8])?, Origin::Made, "mesh:16x16"),
        (geometric(256, 8.0)?, Origin::Made, "mesh:16x16"),
        (recursive_matrix(8, 1500)?, Origin::Made, "mesh:16x16"),
    ])
}
