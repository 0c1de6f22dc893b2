//! Where the pieces of a spread meet, who sends to which point, and in which order: one thing is changed at a time.
//!
//! First so that the busiest links carry least, of many numbers of points and pieces; then, of those that promise most, so that the
//! [clock](super::clock) stops early. A change for the worse is kept as long as it is small, ever less so.

use meshwright_core::rng;
use meshwright_core::units::Cycles;
use meshwright_network::topology::{Grid, Topology};
use rand::RngExt;
use rayon::prelude::*;

use super::clock::{Clock, End, Times};
use super::draft::Draft;
use super::moves::{begun, chosen, point_moved, retimed};
use super::shapes::{Shape, shapes};
use super::spread::Spread;
use super::symmetry::Alike;
use crate::{Operation, Task};

/// Members at most.
const MEMBERS_MAX: u32 = 1 << 10;

/// For how many shapes points are looked for, the most promising first: so many members together, between these; and of one in so many long.
const LOOKED_AT: u32 = 1 << 11;
const LOOKED_BETWEEN: (u32, u32) = (4, 12);
const FINALISTS: u32 = 4;

/// How many changes are tried of a shape, and how many times members at most; and of those looked at long so many times more.
const CHANGES: (usize, usize) = (1 << 15, 1 << 9);
const LONGER: usize = 12;

/// How many links messages ask for by the clock of a shape, and how often it runs at most.
const CLOCKED: usize = 1 << 24;
const RUNS: usize = 1 << 15;

/// How many of the last spreads are kept that ended no later by the clock than those before: so many by members, between these.
const KEPT: u32 = 1 << 11;
const KEPT_BETWEEN: (u32, u32) = (4, 24);

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
    let looked_at = (LOOKED_AT / grid.nodes()).clamp(LOOKED_BETWEEN.0, LOOKED_BETWEEN.1);
    shapes.truncate(looked_at as usize);
    let changes = CHANGES.0.min(CHANGES.1 * grid.nodes() as usize);
    let short = |(_, shape): (Cycles, Shape)| {
        let alike = Alike::new(grid, &shape.symmetry);
        let spread = settled(&alike, &shape, changes);
        let end = Clock::new(&alike, Times::of(task, shape.pieces), &spread).run(&spread);
        (u64::from(end.last) * Times::of(task, shape.pieces).unit, shape)
    };
    let mut looked: Vec<(u64, Shape)> = shapes.into_par_iter().map(short).collect();
    looked.sort_by_key(|(ticks, _)| *ticks);
    looked.truncate(looked_at.div_ceil(FINALISTS).max(2) as usize);
    let long = |(_, shape): (u64, Shape)| {
        let alike = Alike::new(grid, &shape.symmetry);
        let spread = settled(&alike, &shape, LONGER * changes);
        let times = Times::of(task, shape.pieces);
        let cycles = |end: u32| task.machine().costs().cycles(u64::from(end) * times.unit);
        let all = timed(&alike, times, spread).into_iter();
        all.map(|(spread, end)| (spread, cycles(end))).collect::<Vec<_>>()
    };
    let mut all: Vec<(Spread, Cycles)> = looked.into_par_iter().flat_map_iter(long).collect();
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
            point_moved(&mut draft, &mut rng, FURTHER.0, &mut backs);
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

/// The spreads that end first by the clock of those that come of it by changes, and when.
fn timed(alike: &Alike<'_>, times: Times, mut spread: Spread) -> Vec<(Spread, u32)> {
    let mut rng = rng::numbered(&[SEED, 1]);
    let mut clock = Clock::new(alike, times, &spread);
    let cost = |end: End| f64::from(end.last) + end.late;
    let end = clock.run(&spread);
    let (mut now, mut best) = (cost(end), vec![(spread.clone(), end.last)]);
    let (runs, mut touched) = ((CLOCKED / clock.links().max(1)).min(RUNS), Vec::new());
    for run in 0..runs {
        let changes = retimed(alike, &spread, &mut rng, FURTHER.1);
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
            if best.last().is_some_and(|best| end.last <= best.1 && spread != best.0) {
                best.push((spread.clone(), end.last));
            }
            continue;
        }
        for back in backs.into_iter().rev() {
            spread.touched(back, &mut touched);
            spread.change(back);
            touched.iter().for_each(|&index| clock.look(&spread, index));
        }
    }
    let kept = (KEPT / alike.grid.nodes()).clamp(KEPT_BETWEEN.0, KEPT_BETWEEN.1) as usize;
    best.split_off(best.len().saturating_sub(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;
    use meshwright_network::topology::{Machine, Switching};
    use meshwright_sim::Engine;

    /// Spreads of all shapes are right, and by the clock they take what they take, but for who is served first.
    #[test]
    fn spreads_are_right_and_end_when_expected() {
        for name in [
            "torus:4x4",
            "torus:6x6",
            "torus:12",
            "torus:2x4x4",
            "mesh:4x5",
            "mesh:6x6",
            "mesh:13",
            "hypercube:5",
        ] {
            let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
            let grid = machine.whole_grid().unwrap();
            for (operation, bytes) in [(Operation::AllReduce, 1000), (Operation::Barrier, 0)] {
                let task = Task::new(&machine, operation, bytes, 0).unwrap();
                let run = |flow: &Flow| {
                    let schedule = flow.schedule(task.nodes(), machine.nodes(), None);
                    let trace = meshwright_sim::simulate(&machine, &schedule, &Engine::Message).unwrap();
                    trace.cycles.0 as f64
                };
                for (_, shape) in shapes(&task, grid, None) {
                    let alike = Alike::new(grid, &shape.symmetry);
                    let spread = settled(&alike, &shape, 200);
                    let times = Times::of(&task, shape.pieces);
                    let end = Clock::new(&alike, times, &spread).run(&spread).last;
                    let expected = task.machine().costs().cycles(u64::from(end) * times.unit).0 as f64;
                    let flow = spread.flow(&task).unwrap();
                    assert_eq!(flow.check(operation, 0, bytes), Ok(()), "{name}: {spread}");
                    let apart = run(&flow) / expected;
                    assert!((0.8..1.25).contains(&apart), "{name}: {spread} {expected}");
                }
            }
        }
    }

    /// What is looked for long is no slower by the clock than what is looked for shortly, and right.
    #[test]
    fn the_clock_helps() {
        for name in ["torus:4x4", "mesh:4x4"] {
            let machine = Machine::new(name).unwrap().with_switching(Switching::CutThrough);
            let grid = machine.whole_grid().unwrap();
            let task = Task::new(&machine, Operation::AllReduce, 1000, 0).unwrap();
            let (_, shape) = shapes(&task, grid, None).swap_remove(0);
            let alike = Alike::new(grid, &shape.symmetry);
            let (times, spread) = (Times::of(&task, shape.pieces), settled(&alike, &shape, 500));
            let before = Clock::new(&alike, times, &spread).run(&spread).last;
            let all = timed(&alike, times, spread);
            for (spread, end) in &all {
                assert_eq!(Clock::new(&alike, times, spread).run(spread).last, *end, "{name}: {spread}");
                assert_eq!(
                    spread.flow(&task).unwrap().check(Operation::AllReduce, 0, 1000),
                    Ok(()),
                    "{name}: {spread}"
                );
            }
            assert!(all.last().unwrap().1 < before, "{name}");
        }
    }
}
