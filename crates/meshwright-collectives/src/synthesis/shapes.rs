//! How many pieces and points a spread may have, and about what it takes then.

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::{Grid, Topology};

use super::symmetry::Symmetry;
use crate::Task;

/// Numbers of points.
const POINTS: [u32; 13] = [2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32, 36, 48];

/// Numbers of first pieces, on a mesh.
const FIRST: [u32; 5] = [1, 2, 3, 4, 6];

/// Pieces at most.
const PIECES_MAX: u32 = 64;

/// How many pieces there are, and where they meet.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The pieces but for the first.
    pub symmetry: Symmetry,
    /// All pieces.
    pub pieces: u32,
    /// Those with points of their own.
    pub first: u32,
    /// Points of a piece.
    pub points: u32,
    /// How many of them form a group; with 1 they exchange at once.
    pub group: u32,
}

/// Shapes that may be faster than `best`, and are not expected to be slower by half; those first that are expected to be fastest.
pub fn shapes(task: &Task<'_>, grid: &Grid, best: Option<Cycles>) -> Vec<(Cycles, Shape)> {
    let (mut all, near) = (Vec::new(), Near::new(grid));
    for symmetry in Symmetry::all(grid, PIECES_MAX) {
        let images = symmetry.images(grid).len() as u32;
        for &first in if grid.wraps() { &FIRST[..1] } else { &FIRST[..] } {
            let pieces = images * first;
            if pieces > PIECES_MAX || u64::from(pieces) > task.bytes.max(1) {
                continue;
            }
            for points in POINTS.into_iter().filter(|&points| points < grid.nodes()) {
                let divides = |&group: &u32| {
                    group == 1 || points.is_multiple_of(group) && group * group <= 2 * points && points > 8
                };
                for group in (1..=8).filter(divides) {
                    let shape = Shape { symmetry: symmetry.clone(), pieces, first, points, group };
                    let (least, expected) = near.expected(task, grid, &shape);
                    if best.is_none_or(|best| least < best && 2 * expected.0 < 3 * best.0) {
                        all.push((expected, shape));
                    }
                }
            }
        }
    }
    all.sort_by_key(|(expected, _)| *expected);
    all
}

/// How far members are from each other.
struct Near {
    /// Links from the middle to the nearest, to the two nearest, and so on.
    upto: Vec<u64>,
    /// From one to another on average.
    mean: f64,
}

impl Near {
    fn new(grid: &Grid) -> Self {
        let middle: u32 = (0..grid.dimensions()).map(|axis| grid.sides()[axis] / 2 * grid.stride(axis)).sum();
        let hops = |to| grid.distance(NodeId(middle), NodeId(to)).map_or(0, |hops| hops.0.into());
        let mut upto: Vec<u64> = (0..grid.nodes()).map(hops).collect();
        upto.sort_unstable();
        let mut all = 0;
        upto.iter_mut().for_each(|hops| {
            all += *hops;
            *hops = all;
        });
        let line = |side: &u32| f64::from(*side) / if grid.wraps() { 4.0 } else { 3.0 };
        Self { upto, mean: grid.sides().iter().map(line).sum() }
    }

    fn upto(&self, many: u32) -> f64 {
        self.upto[(many.max(1) as usize).min(self.upto.len()) - 1] as f64
    }

    /// What a shape takes at least if all links carry alike and each point has the members and points nearest to it; and about what it takes
    /// if points lie anywhere: half of the members of a point then come over one of its links.
    fn expected(&self, task: &Task<'_>, grid: &Grid, shape: &Shape) -> (Cycles, Cycles) {
        let costs = task.machine().costs();
        let piece = costs.transfer_ticks(Bytes(task.bytes.div_ceil(u64::from(shape.pieces)))) as f64;
        let (startup, head) = (costs.startup_ticks() as f64, costs.head_ticks() as f64);
        let (cell, groups) = (grid.nodes() / shape.points, shape.points / shape.group);
        let rounds = if shape.group > 1 { 4.0 } else { 3.0 };
        let each = f64::from(shape.points * shape.pieces) / f64::from(grid.links().max(1));
        let (members, within) = (each * self.upto(cell), each * self.upto(shape.group));
        let least = 2.0 * members + within + each * self.upto(groups);
        let between = each * f64::from(groups - 1) * self.mean;
        let uneven = if grid.wraps() { 1.3 } else { 1.6 };
        let busiest =
            2.0 * (0.55 * f64::from(cell)).max(uneven * members) + uneven * (2.0 * within + between);
        let latency = rounds * (startup + piece + head);
        let far = head * 2.0 * self.mean;
        let ticks = |load: f64| (load * (piece + head)) as u64;
        let cycles = |ticks: u64| costs.cycles(ticks);
        (cycles(latency as u64 + ticks(least)), cycles((latency + far) as u64 + ticks(busiest)))
    }
}
