//! Where the pieces of a spread meet, who sends to which point, and in which order: one thing is changed at a time.
//!
//! First so that the busiest links carry least, of many numbers of points and pieces; then, of those that promise most, so that the
//! [clock](super::clock) stops early. A change for the worse is kept as long as it is small, ever less so.

use meshwright_core::rng;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::topology::{Grid, Topology};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::clock::{Clock, End, Times};
use super::draft::{Change, Draft};
use super::shapes::{Shape, shapes};
use super::spread::Spread;
use super::symmetry::Alike;
use crate::{Operation, Task};

/// Members at most.
const MEMBERS_MAX: u32 = 1 << 10;

/// For how many shapes points are looked for, the most promising first, and for how many of them long.
const LOOKED_AT: usize = 16;
const FINALISTS: usize = 4;

/// How many changes are tried of a shape: so many by members, so many times members at most; and of those looked at long so many times more.
const CHANGES: (usize, usize) = (1 << 24, 1 << 11);
const LONGER: usize = 8;

/// How many messages the clock sees of a shape, and how often it runs at most.
const CLOCKED: usize = 1 << 24;
const RUNS: usize = 1 << 16;

/// How much further than the nearest a point may be, by loads and by the clock.
const FURTHER: (u32, u32) = (1, 2);

/// How much worse a change may be at first: by loads a part of the cost, by the clock a part of the start-up.
const WORSE: (f64, f64) = (0.01, 0.025);

/// The seed of the changes.
const SEED: u32 = 3;

/// Spreads for a task with what they would take by the clock, the fastest first; of what cannot be faster than `best` none, and none
/// but for all-reduce and barrier.
///
/// # Complexity
///
/// O(2^30) looks at links.
pub fn spreads(task: &Task<'_>, grid: &Grid, best: Option<Cycles>) -> Vec<(Spread, Cycles)> {
    if !matches!(task.operation, Operation::AllReduce | Operation::Barrier) || grid.nodes() > MEMBERS_MAX {
        return Vec::new();
    }
    let mut shapes = shapes(task, grid, best);
    shapes.truncate(LOOKED_AT);
    let changes = CHANGES.0 / grid.nodes() as usize;
    let changes = changes.min(CHANGES.1 * grid.nodes() as usize);
    let short = |(_, shape): (Cycles, Shape)| {
        let alike = Alike::new(grid, &shape.symmetry);
        let spread = settled(&alike, &shape, changes);
        let end = Clock::new(&alike, Times::of(task, shape.pieces), &spread).run(&spread);
        (u64::from(end.last) * Times::of(task, shape.pieces).unit, shape)
    };
    let mut looked: Vec<(u64, Shape)> = shapes.into_par_iter().map(short).collect();
    looked.sort_by_key(|(ticks, _)| *ticks);
    looked.truncate(FINALISTS);
    let long = |(_, shape): (u64, Shape)| {
        let alike = Alike::new(grid, &shape.symmetry);
        let spread = settled(&alike, &shape, LONGER * changes);
        let (spread, end) = timed(&alike, Times::of(task, shape.pieces), spread);
        let ticks = u64::from(end) * Times::of(task, shape.pieces).unit;
        (spread, task.machine().costs().cycles(ticks))
    };
    let mut all: Vec<(Spread, Cycles)> = looked.into_par_iter().map(long).collect();
    all.sort_by_key(|(_, cycles)| *cycles);
    all
}

/// A spread of a shape whose busiest links carry little, after so many changes.
fn settled(alike: &Alike<'_>, shape: &Shape, changes: usize) -> Spread {
    let mut rng = rng::numbered(&[SEED]);
    let mut draft = Draft::new(alike, begun(alike, shape, &mut rng));
    let members = alike.grid.nodes() as usize;
    for piece in 0..shape.first as usize {
        for (member, is_up) in (0..members).flat_map(|member| [(member, true), (member, false)]) {
            let choice = draft.choice(piece, member, is_up, FURTHER.0);
            draft.change(choice);
        }
    }
    let mut cost = draft.cost();
    let worse = WORSE.0 * cost;
    let mut backs = Vec::new();
    for change in 0..changes {
        let left = 1.0 - change as f64 / changes as f64;
        let is_point = rng.random_range(0..16) == 0;
        if is_point {
            point_moved(&mut draft, &mut rng, &mut backs);
        } else if let Some(change) = chosen(alike, &draft.spread, &mut rng, FURTHER.0) {
            backs.push(draft.change(change));
        }
        let next = draft.cost();
        let most = worse * left * left * if is_point { 2.0 } else { 0.6 };
        if next <= cost + most * rng.random_range(0.0..1.0) {
            cost = next;
            backs.clear();
        } else {
            backs.drain(..).rev().for_each(|back| {
                draft.change(back);
            });
        }
    }
    draft.spread
}

/// A spread to begin with: points anywhere, far from each other, those of a group near to each other.
fn begun(alike: &Alike<'_>, shape: &Shape, rng: &mut impl Rng) -> Spread {
    let (members, points) = (alike.grid.nodes(), shape.points as usize);
    let mut piece = || {
        let mut left: Vec<u32> = Vec::new();
        while left.len() < points {
            let draws: Vec<u32> = (0..4).map(|_| rng.random_range(0..members)).collect();
            let apart = |&node: &u32| left.iter().map(|&point| alike.hops(node, point)).min();
            let node = draws.into_iter().max_by_key(apart).expect("a draw");
            if !left.contains(&node) {
                left.push(node);
            }
        }
        let mut all = Vec::new();
        while let Some(&first) = left.first() {
            left.sort_by_key(|&node| alike.hops(node, first));
            all.extend(left.drain(..shape.group as usize));
        }
        all
    };
    let points: Vec<Vec<u32>> = (0..shape.first).map(|_| piece()).collect();
    let nobody = vec![vec![0; members as usize]; shape.first as usize];
    let mut spread = Spread {
        symmetry: shape.symmetry.clone(),
        group: shape.group,
        points,
        up: nobody.clone(),
        down: nobody,
        turn: Vec::new(),
    };
    spread.turn = (0..spread.messages() as u32).collect();
    spread
}

/// Another point for a member, if it may use it.
fn chosen(alike: &Alike<'_>, spread: &Spread, rng: &mut impl Rng, further: u32) -> Option<Change> {
    let piece = rng.random_range(0..spread.points.len());
    let member = rng.random_range(0..spread.up[piece].len());
    let point = rng.random_range(0..spread.many()) as u32;
    let change = if rng.random_range(0..2) == 0 {
        Change::Up(piece, member, point)
    } else {
        Change::Down(piece, member, point)
    };
    let apart = alike.hops(member as u32, spread.points[piece][point as usize]);
    (apart <= spread.reach(alike, piece, member, further)).then_some(change)
}

/// Where a point may go: near to where it is, or anywhere.
fn elsewhere(grid: &Grid, spread: &Spread, rng: &mut impl Rng, near_by: bool) -> Option<Change> {
    let piece = rng.random_range(0..spread.points.len());
    let which = rng.random_range(0..spread.many());
    let mut to = spread.points[piece][which];
    if near_by {
        for axis in 0..grid.dimensions() {
            for _ in 0..rng.random_range(0..3) {
                to = grid.step(NodeId(to), axis, rng.random_range(0..2) == 0).map_or(to, |next| next.0);
            }
        }
    } else {
        to = rng.random_range(0..grid.nodes());
    }
    (!spread.points[piece].contains(&to)).then_some(Change::Point(piece, which, to))
}

/// Moves a point; those that used it, and those to which it is now as near as theirs, choose again.
fn point_moved(draft: &mut Draft<'_>, rng: &mut impl Rng, backs: &mut Vec<Change>) {
    let near_by = rng.random_range(0..4) > 0;
    let Some(change) = elsewhere(draft.alike.grid, &draft.spread, rng, near_by) else { return };
    let Change::Point(piece, which, to) = change else { return };
    backs.push(draft.change(change));
    let alike = draft.alike;
    for member in 0..draft.spread.up[piece].len() {
        let apart = alike.hops(member as u32, to);
        for is_up in [true, false] {
            let spread = &draft.spread;
            let theirs = if is_up { spread.up[piece][member] } else { spread.down[piece][member] } as usize;
            if theirs == which || apart <= alike.hops(member as u32, spread.points[piece][theirs]) {
                let choice = draft.choice(piece, member, is_up, FURTHER.0);
                backs.push(draft.change(choice));
            }
        }
    }
}

/// The spread that ends first by the clock of those that come of it by changes, and when.
fn timed(alike: &Alike<'_>, times: Times, mut spread: Spread) -> (Spread, u32) {
    let mut rng = rng::numbered(&[SEED, 1]);
    let mut clock = Clock::new(alike, times, &spread);
    let cost = |end: End| f64::from(end.last) + end.late;
    let end = clock.run(&spread);
    let (mut now, mut best) = (cost(end), (spread.clone(), end.last));
    let messages = spread.messages();
    let (runs, mut touched) = ((CLOCKED / messages).min(RUNS), Vec::new());
    for run in 0..runs {
        let changes = retimed(alike, &spread, &mut rng);
        let mut backs = Vec::new();
        for change in changes {
            spread.touched(change, &mut touched);
            backs.push(spread.change(change));
            touched.iter().for_each(|&index| clock.look(&spread, index));
        }
        let end = clock.run(&spread);
        let left = 1.0 - run as f64 / runs as f64;
        if cost(end) <= now + WORSE.1 * times.startup as f64 * left * rng.random_range(0.0..1.0) {
            now = cost(end);
            if end.last < best.1 {
                best = (spread.clone(), end.last);
            }
            continue;
        }
        for back in backs.into_iter().rev() {
            spread.touched(back, &mut touched);
            spread.change(back);
            touched.iter().for_each(|&index| clock.look(&spread, index));
        }
    }
    best
}

/// Changes to try by the clock.
fn retimed(alike: &Alike<'_>, spread: &Spread, rng: &mut impl Rng) -> Vec<Change> {
    match rng.random_range(0..10) {
        0..2 => {
            let Some(change) = elsewhere(alike.grid, spread, rng, true) else { return Vec::new() };
            let Change::Point(piece, which, to) = change else { return Vec::new() };
            let (member, which) = (to as usize, which as u32);
            vec![change, Change::Up(piece, member, which), Change::Down(piece, member, which)]
        }
        2..7 => (0..rng.random_range(1..3)).filter_map(|_| chosen(alike, spread, rng, FURTHER.1)).collect(),
        _ => {
            let messages = spread.messages();
            let many = rng.random_range(1..4);
            let mut turns = || Change::Turns(rng.random_range(0..messages), rng.random_range(0..messages));
            (0..many).map(|_| turns()).collect()
        }
    }
}
