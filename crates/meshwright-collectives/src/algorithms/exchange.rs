//! All-to-all from pair to pair, and over the axes of a box.
//!
//! # Source
//!
//! `thakur2005` for the pairs; over the axes after `suh2001`.

use std::cmp::Ordering;

use meshwright_core::error::Result;
use meshwright_network::topology::{Grid, Topology};

use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::shape::beside;
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "pairwise",
        summary: "p - 1 steps, one partner in each: the member with the step in its number's other bits, or so far on",
        formula: "(p - 1) (c + h d + b V / p)",
        source: "thakur2005",
        operations: &[Operation::AllToAll],
        streams: false,
        flow: pairwise,
    },
    Algorithm {
        name: "by-dimension",
        summary: "one axis after the other: parts for the same coordinate in one message within every line, a share from every axis on",
        formula: "D (c + h d) + b V / D sum n_d / 8 on a torus",
        source: "suh2001",
        operations: &[Operation::AllToAll],
        streams: false,
        flow: |task| over_axes(task, at_once),
    },
    Algorithm {
        name: "by-dimension-ringwise",
        summary: "one axis after the other, from neighbour to neighbour the shorter way, a share from every axis on",
        formula: "sum floor(n_d / 2) (c + h) + b V / D sum n_d / 8 on a torus",
        source: "suh2001",
        operations: &[Operation::AllToAll],
        streams: true,
        flow: |task| over_axes(task, neighbour_to_neighbour),
    },
];

fn pairwise(task: &Task<'_>) -> Result<Flow> {
    let members = task.members();
    task.fits_pairs(1)?;
    let mut flow = task.flow();
    for step in 1..members {
        for from in 0..members {
            let to = if members.is_power_of_two() { from ^ step } else { (from + step) % members };
            flow.copy(step - 1, from, to, [from * members + to]);
        }
    }
    Ok(flow.stepwise())
}

/// The line of a member along an axis: its first member, how far apart the ids are, and how many there are.
struct Line {
    first: u32,
    stride: u32,
    side: u32,
}

impl Line {
    fn at(&self, coordinate: u32) -> u32 {
        self.first + coordinate * self.stride
    }
}

/// How the parts move within a line, from this step on; by coordinates of now and then, the parts.
type Within = fn(&mut Flow, u32, &Grid, &Line, &[Vec<Vec<u32>>]);

/// Along one axis after the other, a share from every axis on.
fn over_axes(task: &Task<'_>, within: Within) -> Result<Flow> {
    let axes = task.grid("all-to-all over the axes")?.dimensions();
    beside(task, axes as u32, |first, task| over_axes_from(task, first as usize, within))
}

/// Along one axis after the other, from the given one on.
fn over_axes_from(task: &Task<'_>, first: usize, within: Within) -> Result<Flow> {
    let grid = task.grid("all-to-all over the axes")?;
    let (members, sides) = (task.members(), grid.sides());
    let mut flow = task.flow();
    // By member the parts that it holds.
    let mut held: Vec<Vec<u32>> =
        (0..members).map(|from| (from * members..(from + 1) * members).collect()).collect();
    for axis in (0..sides.len()).map(|k| (first + k) % sides.len()) {
        let (stride, side, after) = (grid.stride(axis), sides[axis], flow.steps());
        for start in (0..members).filter(|&member| member / stride % side == 0) {
            let line = Line { first: start, stride, side };
            let mut parts = vec![vec![Vec::new(); side as usize]; side as usize];
            for (now, row) in (0..).zip(&mut parts) {
                for part in std::mem::take(&mut held[line.at(now) as usize]) {
                    row[(part % members / stride % side) as usize].push(part);
                }
            }
            within(&mut flow, after, grid, &line, &parts);
            for row in parts {
                (0..).zip(row).for_each(|(then, parts)| held[line.at(then) as usize].extend(parts));
            }
        }
        held.iter_mut().for_each(|parts| parts.sort_unstable());
    }
    Ok(flow)
}

/// All parts at once to where they must go, the nearest first.
fn at_once(flow: &mut Flow, step: u32, _: &Grid, line: &Line, parts: &[Vec<Vec<u32>>]) {
    for far in 1..line.side {
        for now in 0..line.side {
            let then = (now + far) % line.side;
            let these = parts[now as usize][then as usize].iter().copied();
            flow.copy(step, line.at(now), line.at(then), these);
        }
    }
}

/// To the neighbour, and from there on with the parts that came there for farther ones; of those for half-way round, every
/// other one up.
fn neighbour_to_neighbour(flow: &mut Flow, step: u32, grid: &Grid, line: &Line, parts: &[Vec<Vec<u32>>]) {
    let side = line.side;
    let wraps = grid.wraps() && side > 2;
    // Whether the k-th part goes up from one place to another, and how far.
    let way = |now: u32, then: u32, k: u32| {
        let (ahead, behind) = ((then + side - now) % side, (now + side - then) % side);
        let is_up = match ahead.cmp(&behind) {
            _ if !wraps => then > now,
            Ordering::Equal => (k + now).is_multiple_of(2),
            order => order == Ordering::Less,
        };
        (is_up, if is_up { ahead } else { behind })
    };
    for done in 0..side - 1 {
        for now in 0..side {
            for up in [true, false] {
                let to = |steps: u32| line.at((now + if up { steps } else { side - steps }) % side);
                let mut these = Vec::new();
                for then in 0..side {
                    let still = |&(k, _): &(u32, &u32)| {
                        let (is_up, far) = way(now, then, k);
                        is_up == up && far > done
                    };
                    let all = (0..).zip(&parts[now as usize][then as usize]);
                    these.extend(all.filter(still).map(|(_, &part)| part));
                }
                if !these.is_empty() {
                    these.sort_unstable();
                    flow.copy(step + done, to(done), to(done + 1), these);
                }
            }
        }
    }
}
