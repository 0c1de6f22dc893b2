//! Pieces that meet at a few members, spread over a torus so that all are near to one and the members that meet are near to each other.
//!
//! In three rounds every member sends a piece to the nearest of k points, the points exchange their sums, and each sends the result to those
//! near it. For every other piece all points are moved alike by whole periods, so that all links carry alike. Which k points: those
//! whose busiest links carry least, by moving one at a time.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::routing::dimension_order::for_each_link;
use meshwright_network::topology::{Costs, Grid, Topology};
use rand::RngExt;
use rayon::prelude::*;

use crate::flow::{Block, Flow, share};
use crate::{Operation, Task};

/// Numbers of points.
const POINTS: [u32; 10] = [2, 3, 4, 5, 6, 8, 12, 16, 24, 32];

/// Pieces at most.
const PIECES_MAX: u32 = 128;

/// Members at most.
const MEMBERS_MAX: u32 = 1 << 10;

/// For how many numbers of points and periods points are looked for, the most promising first.
const LOOKED_AT: usize = 12;

/// How often they are looked for: so many members together, and at most so often.
const STARTS: (u32, u32) = (512, 6);

/// How often a point is moved: so often by members and points, and between these.
const MOVES: usize = 1 << 20;
const MOVES_BETWEEN: (usize, usize) = (100, 1000);

/// How often members choose their points, and among those by how much further than the nearest.
const PASSES: usize = 3;
const FURTHER: u64 = 1;

/// The seed of the moves.
const SEED: u32 = 3;

/// Where the pieces of a vector meet on a torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Where the first piece meets.
    pub points: Vec<u32>,
    /// By axis by how much the points of the next piece lie further on; divides the side.
    pub period: Vec<u32>,
}

impl Display for Spread {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = |all: &[u32], by: &str| all.iter().map(u32::to_string).collect::<Vec<_>>().join(by);
        write!(f, "meetings at {}, moved on by {}", words(&self.points, " "), words(&self.period, "x"))
    }
}

/// Links by where they begin in a period, and their direction.
struct Wires<'g> {
    grid: &'g Grid,
    /// By link its number among those that carry alike.
    alike: Vec<u32>,
    many: usize,
}

/// What links carry: by number, the most, and the links of the longest way.
struct Load {
    of: Vec<u64>,
    most: u64,
    longest: u64,
}

impl<'g> Wires<'g> {
    fn new(grid: &'g Grid, period: &[u32]) -> Self {
        let mut alike = vec![0; grid.links() as usize];
        let mut many = 0;
        for node in (0..grid.nodes()).map(NodeId) {
            let mut place = 0;
            for (axis, &side) in period.iter().enumerate() {
                place = place * side + grid.coordinate(node, axis) % side;
            }
            for way in 0..2 * grid.dimensions() as u32 {
                let number = place * 2 * grid.dimensions() as u32 + way;
                if let Some(next) = grid.step(node, way as usize / 2, way.is_multiple_of(2)) {
                    for_each_link(grid, node, next, |link| alike[link.index()] = number);
                    many = many.max(number as usize + 1);
                }
            }
        }
        Self { grid, alike, many }
    }

    fn load(&self) -> Load {
        Load { of: vec![0; self.many], most: 0, longest: 0 }
    }

    fn hops(&self, from: u32, to: u32) -> u64 {
        let along = |axis| u64::from(self.grid.offset(NodeId(from), NodeId(to), axis).0);
        (0..self.grid.dimensions()).map(along).sum()
    }

    /// By how much the squares of what links carry grow with a message.
    fn grows(&self, load: &[u64], from: u32, to: u32) -> u64 {
        let mut grows = 0;
        for_each_link(self.grid, NodeId(from), NodeId(to), |link| {
            grows += 2 * load[self.alike[link.index()] as usize] + 1;
        });
        grows
    }

    /// One message more, or one less.
    fn carry(&self, load: &mut [u64], from: u32, to: u32, more: bool) {
        for_each_link(self.grid, NodeId(from), NodeId(to), |link| {
            let of = &mut load[self.alike[link.index()] as usize];
            *of = if more { *of + 1 } else { *of - 1 };
        });
    }

    fn add(&self, load: &mut Load, from: u32, to: u32) {
        let mut hops = 0;
        for_each_link(self.grid, NodeId(from), NodeId(to), |link| {
            let of = &mut load.of[self.alike[link.index()] as usize];
            *of += 1;
            load.most = load.most.max(*of);
            hops += 1;
        });
        load.longest = load.longest.max(hops);
    }
}

/// By member the point it sends to; and the loads of the three rounds.
///
/// A point is near, and its ways are free: members choose one after the other, and again when all have chosen.
fn near(wires: &Wires<'_>, points: &[u32]) -> (Vec<u32>, [Load; 3]) {
    let members = wires.grid.nodes();
    let (mut up, mut down) = (vec![0; wires.many], vec![0; wires.many]);
    let mut near: Vec<u32> = Vec::new();
    for pass in 0..PASSES {
        for member in 0..members {
            if pass > 0 {
                wires.carry(&mut up, member, near[member as usize], false);
                wires.carry(&mut down, near[member as usize], member, false);
            }
            let least = points.iter().map(|&point| wires.hops(member, point)).min().unwrap_or(0);
            let near_by =
                points.iter().copied().filter(|&point| wires.hops(member, point) <= least + FURTHER);
            let grows = |&point: &u32| wires.grows(&up, member, point) + wires.grows(&down, point, member);
            let point = near_by.min_by_key(grows).expect("a point");
            wires.carry(&mut up, member, point, true);
            wires.carry(&mut down, point, member, true);
            if pass == 0 {
                near.push(point);
            } else {
                near[member as usize] = point;
            }
        }
    }
    let mut loads = [wires.load(), wires.load(), wires.load()];
    for (member, &point) in (0..).zip(&near) {
        wires.add(&mut loads[0], member, point);
        wires.add(&mut loads[2], point, member);
    }
    for &from in points {
        points.iter().for_each(|&to| wires.add(&mut loads[1], from, to));
    }
    (near, loads)
}

impl Spread {
    /// The pieces: by how much each is moved along each axis.
    fn moves(&self, grid: &Grid) -> Vec<u32> {
        let is_move = |&node: &u32| {
            (0..grid.dimensions())
                .all(|axis| grid.coordinate(NodeId(node), axis).is_multiple_of(self.period[axis]))
        };
        (0..grid.nodes()).filter(is_move).collect()
    }

    /// Its flow.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the machine is no whole torus, and for other operations than all-reduce and barrier.
    ///
    /// # Complexity
    ///
    /// O(pieces (members + k²)), k points.
    pub fn flow(&self, task: &Task<'_>) -> Result<Flow> {
        let grid = task.grid("a meeting")?;
        if !applies(task, grid) {
            return Err(Error::not_applicable("a meeting", "it is a way to do an all-reduce on a torus"));
        }
        let (near, _) = near(&Wires::new(grid, &self.period), &self.points);
        let moves = self.moves(grid);
        let whole = task.blocks()[0];
        let pieces = moves.len() as u32;
        let part = |k| Block { bytes: share(whole.bytes, pieces, k), ..whole };
        let mut flow = Flow::new(task.members(), (0..pieces).map(part).collect());
        for (piece, moved) in (0..).zip(moves) {
            let on = |member: u32| {
                let along = |to: u32, axis: usize| {
                    let at = grid.coordinate(NodeId(member), axis) + grid.coordinate(NodeId(moved), axis);
                    to + at % grid.sides()[axis] * grid.stride(axis)
                };
                (0..grid.dimensions()).fold(0, along)
            };
            for (member, &point) in (0..).zip(&near) {
                flow.combine(0, on(member), on(point), [piece]);
                flow.copy(2, on(point), on(member), [piece]);
            }
            for &from in &self.points {
                self.points.iter().for_each(|&to| flow.combine(1, on(from), on(to), [piece]));
            }
        }
        Ok(flow)
    }
}

fn applies(task: &Task<'_>, grid: &Grid) -> bool {
    grid.wraps() && matches!(task.operation, Operation::AllReduce | Operation::Barrier)
}

/// Spreads for a task with what they would take if links were never idle, the cheapest first; of what cannot be faster than `best` none, and none
/// but for all-reduce and barrier on a torus.
///
/// # Complexity
///
/// O(2^24 side) looks at links.
pub fn spreads(task: &Task<'_>, grid: &Grid, best: Option<Cycles>) -> Vec<(Spread, Cycles)> {
    if !applies(task, grid) || grid.nodes() > MEMBERS_MAX {
        return Vec::new();
    }
    let mut all = Vec::new();
    for period in periods(grid) {
        let residues: u32 = period.iter().product();
        let pieces = grid.nodes() / residues;
        if pieces <= PIECES_MAX && u64::from(pieces) <= task.bytes.max(1) {
            let many = POINTS.into_iter().filter(|&many| many <= residues);
            all.extend(many.map(|many| (least(task, grid, many, pieces), many, period.clone())));
        }
    }
    all.sort();
    all.retain(|(least, ..)| best.is_none_or(|best| *least < best));
    all.truncate(LOOKED_AT);
    let starts = (STARTS.0 / grid.nodes()).clamp(1, STARTS.1);
    let all: Vec<_> = all.iter().flat_map(|one| (0..starts).map(move |start| (one, start))).collect();
    let settled = |((_, many, period), start): (&(Cycles, u32, Vec<u32>), u32)| {
        let period = period.clone();
        let (points, expected) = settled(task, &Wires::new(grid, &period), *many, start);
        (Spread { points, period }, expected)
    };
    let mut all: Vec<(Spread, Cycles)> = all.into_par_iter().map(settled).collect();
    all.sort_by_key(|(_, expected)| *expected);
    all.dedup();
    all
}

/// What a piece takes of a link but for its head, and the head.
fn ticks(task: &Task<'_>, pieces: u32) -> (u64, u64) {
    let costs: &Costs = task.machine().costs();
    (costs.transfer_ticks(Bytes(task.bytes.div_ceil(u64::from(pieces)))), costs.head_ticks())
}

/// What so many points take at least if all links carry alike: each has the members nearest to it, and the other points are the nearest there are.
fn least(task: &Task<'_>, grid: &Grid, many: u32, pieces: u32) -> Cycles {
    let mut hops: Vec<u64> =
        (0..grid.nodes()).map(|to| task.distance(0, to).map_or(0, |hops| hops.0.into())).collect();
    hops.sort_unstable();
    let of_point: u64 = 2 * hops.iter().take((grid.nodes() / many) as usize).sum::<u64>()
        + hops.iter().take(many as usize).sum::<u64>();
    let (piece, head) = ticks(task, pieces);
    let load = u64::from(many * pieces) * of_point * (piece + head) / u64::from(grid.links().max(1));
    let costs = task.machine().costs();
    costs.cycles(3 * (costs.startup_ticks() + piece + head) + load)
}

/// Periods that differ by no more than twice.
fn periods(grid: &Grid) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for &side in grid.sides() {
        let longer = |period: &Vec<u32>| {
            let period = period.clone();
            (1..=side)
                .filter(move |&of| side.is_multiple_of(of))
                .map(move |of| [period.as_slice(), &[of]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|period: &Vec<u32>| {
        period.iter().max() <= period.iter().min().map(|least| 2 * least).as_ref()
    });
    all
}

/// So many points whose busiest links carry least, and what they are expected to take.
fn settled(task: &Task<'_>, wires: &Wires<'_>, many: u32, start: u32) -> (Vec<u32>, Cycles) {
    let nodes = wires.grid.nodes();
    let (piece, head) = ticks(task, nodes * 2 * wires.grid.dimensions() as u32 / wires.many as u32);
    let costs = task.machine().costs();
    let price = |points: &[u32]| {
        let (_, loads) = near(wires, points);
        let round =
            |load: &Load| costs.startup_ticks() + piece + load.longest * head + load.most * (piece + head);
        let squares: u64 = loads.iter().flat_map(|load| &load.of).map(|of| of * of).sum();
        (loads.iter().map(round).sum::<u64>(), squares)
    };
    let mut rng = rng::numbered(&[SEED, start]);
    let mut points: Vec<u32> =
        (0..many).map(|k| (u64::from(k) * u64::from(nodes) / u64::from(many)) as u32).collect();
    let mut best = price(&points);
    let moves = MOVES / (nodes * many) as usize;
    for _ in 0..moves.clamp(MOVES_BETWEEN.0, MOVES_BETWEEN.1) {
        let (which, to) = (rng.random_range(0..points.len()), rng.random_range(0..nodes));
        if points.contains(&to) {
            continue;
        }
        let from = std::mem::replace(&mut points[which], to);
        let next = price(&points);
        if next <= best {
            best = next;
        } else {
            points[which] = from;
        }
    }
    (points, costs.cycles(best.0))
}
