//! Where contributions of one half meet those that need them in the other: what crosses, times how many it joins.
//!
//! A byte on a link from a set S of members to the others, at a moment, carries the contributions of those at most that can
//! have come together by then, and serves those at most that can still hear of it. All pairs across must be joined:
//!
//! ```text
//! (b V + k) |S| |others|  <=  sum over links x -> y out of S of the integral of  joined(t, x) heard(T - 2 o - s - t, y)
//! ```
//!
//! # Source
//!
//! Theorem 9 of `docs/collective-bounds.md`.

use std::collections::BTreeMap;

use meshwright_core::words::counted;

use super::Proof;
use super::certificate::Certificate;
use super::cut::ranges;
use super::near::{limits, spread};
use super::terms::{Terms, Wires, bytes, least};
use crate::{Operation, Task};

/// From a moment on so many, until the next entry.
type Steps = Vec<(u64, u64)>;

/// The least of some counts at every moment, until all are there.
fn least_of(all: &[&Steps], most: u64) -> Steps {
    let mut times: Vec<u64> = all.iter().flat_map(|steps| steps.iter().map(|&(at, _)| at)).collect();
    times.sort_unstable();
    times.dedup();
    let mut places = vec![0; all.len()];
    let mut steps = Steps::new();
    for at in times {
        let mut count = most;
        for (steps, place) in all.iter().zip(&mut places) {
            while steps.get(*place).is_some_and(|&(begin, _)| begin <= at) {
                *place += 1;
            }
            count = count.min(if *place == 0 { 0 } else { steps[*place - 1].1 });
        }
        if steps.last().is_none_or(|&(_, before)| before != count) {
            steps.push((at, count));
        }
    }
    steps
}

/// The integral of `joined(t) heard(room - t)` over all t from 0 to `room`.
fn joined_by(joined: &Steps, heard: &Steps, room: u64) -> u128 {
    let mut sum = 0u128;
    let mut late = heard.partition_point(|&(at, _)| at < room);
    for (place, &(begin, many)) in joined.iter().enumerate() {
        let end = joined.get(place + 1).map_or(room, |&(next, _)| next.min(room));
        let mut at = begin;
        while at < end {
            // Those of the entry before `late` hear until `room - its moment`.
            let Some(&(begins, hear)) = late.checked_sub(1).and_then(|entry| heard.get(entry)) else {
                return sum;
            };
            let until = end.min(room - begins);
            if until > at {
                sum += u128::from(until - at) * u128::from(many) * u128::from(hear);
                at = until;
            }
            if at >= room - begins {
                late -= 1;
            }
        }
    }
    sum
}

/// Sets on both sides of which something must meet: halves along every axis, and the member with the fewest links alone.
fn sets(task: &Task<'_>, wires: &Wires) -> Vec<Vec<bool>> {
    let coordinates: Vec<Vec<u32>> =
        task.nodes().iter().map(|&node| task.machine().coordinates(node)).collect();
    let half = |axis: usize| -> Vec<bool> {
        let side = coordinates.iter().map(|at| at[axis]).max().unwrap_or(0) + 1;
        coordinates.iter().map(|at| at[axis] < side / 2).collect()
    };
    let few = (0..task.members()).min_by_key(|&member| wires.degree(member)).unwrap_or(0);
    let alone = (0..task.members()).map(|member| member == few).collect();
    (0..coordinates[0].len()).map(half).chain([alone]).collect()
}

/// How many of a set can be so near to a member by when.
fn near(row: &[u32], of: &[bool], hop: u64) -> Steps {
    let mut many: BTreeMap<u64, u64> = BTreeMap::new();
    for (&links, _) in row.iter().zip(of).filter(|&(_, &is_in)| is_in) {
        *many.entry(hop * u64::from(links)).or_insert(0) += 1;
    }
    let mut sum = 0;
    let count = |(at, more)| {
        sum += more;
        (at, sum)
    };
    many.into_iter().map(count).collect()
}

/// How many of so many can have heard, or can have been added up, by when: the least by all limits.
fn grown(terms: &Terms, degree: usize, many: u64, inward: bool) -> Steps {
    let limits = limits(terms, degree, inward);
    let all: Vec<Steps> =
        limits.iter().map(|&(ways, every)| spread(many, ways, every, terms.reach(1))).collect();
    least_of(&all.iter().collect::<Vec<_>>(), many)
}

/// The strongest of some sets.
pub(super) fn meeting(task: &Task<'_>, terms: &Terms, wires: &Wires, rows: &[Vec<u32>]) -> Option<Proof> {
    // A barrier is a sum without bytes: its messages are heads.
    let sums =
        task.operation == Operation::AllReduce && bytes(task) > 0 || task.operation == Operation::Barrier;
    if !sums || rows.is_empty() || terms.buffer + terms.head == 0 {
        return None;
    }
    let degree = (0..task.members()).map(|member| wires.degree(member)).max()?;
    let mut best: Option<Proof> = None;
    for is_in in sets(task, wires) {
        let others: Vec<bool> = is_in.iter().map(|is_in| !is_in).collect();
        let [inside, outside] =
            [&is_in, &others].map(|set| set.iter().filter(|&&is_in| is_in).count() as u64);
        if inside == 0 || outside == 0 {
            continue;
        }
        let joining = grown(terms, degree, inside, true);
        let hearing = grown(terms, degree, outside, false);
        // Links by what can meet there.
        let mut alike: BTreeMap<(Steps, Steps), u64> = BTreeMap::new();
        for (x, y) in wires.all().filter(|&(x, y)| is_in[x as usize] && others[y as usize]) {
            let before = near(&rows[x as usize], &is_in, terms.hop);
            let behind = near(&rows[y as usize], &others, terms.hop);
            let gate = (least_of(&[&before, &joining], inside), least_of(&[&behind, &hearing], outside));
            *alike.entry(gate).or_insert(0) += 1;
        }
        let needed = u128::from(terms.buffer + terms.head) * u128::from(inside) * u128::from(outside);
        let crossed = |room: u64| {
            let all = alike.iter();
            all.map(|((joined, heard), &links)| u128::from(links) * joined_by(joined, heard, room))
                .sum::<u128>()
        };
        let ticks = least(|room| crossed(room) >= needed) + 2 * terms.overhead + terms.start;
        if best.as_ref().is_none_or(|best| ticks > best.ticks) {
            let links: u64 = alike.values().sum();
            let why = format!(
                "each of {} must be heard of by {} over {}, where few contributions have met early and few hear late",
                counted(inside, "member"),
                counted(outside, "other"),
                counted(links, "link")
            );
            let members: Vec<u32> = (0..task.members()).filter(|&member| is_in[member as usize]).collect();
            best =
                Some(Proof { ticks, why, certificate: Certificate::Meeting { members: ranges(&members) } });
        }
    }
    best
}
