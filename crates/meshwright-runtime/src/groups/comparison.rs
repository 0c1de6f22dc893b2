//! Random splits, ours beside another implementation: the same groups, messages counted, times side by side.

use std::time::Instant;

use rand::RngExt;
use serde::Serialize;

use super::group::unsigned;
use super::{Group, MaybePart, Part};
use crate::transport::{Endpoint, Lost};
use meshwright_core::rng;
use meshwright_core::statistics::median;

/// One rank's end of a group of another implementation, such as `MPI_Comm_split` makes.
pub trait Other: Sized {
    /// Splits it: by colour, then by key, then by old rank; a member without a colour takes no part.
    fn split(&mut self, colour: Option<u32>, key: i32) -> Option<Self>;

    /// A group of its own of some of its members, by their ranks in the world in the order of their new ranks. All members call it,
    /// each with the group that it will be in, or with none. None for these, and where the implementation makes none.
    fn made_of(&mut self, members: &[u32]) -> Option<Self> {
        let _ = members;
        None
    }

    /// Whether another group has the same members in the same order, and its messages never come to this one.
    fn is_like(&self, other: &Self) -> bool {
        self.rank() == other.rank() && self.members() == other.members()
    }

    /// Waits for all members.
    fn barrier(&mut self);

    /// The sum of the values of all members, at the one with this rank.
    fn sum(&mut self, root: u32, value: u64) -> Option<u64>;

    /// The rank of this member.
    fn rank(&self) -> u32;

    /// The members by rank: their ranks in the world.
    fn members(&self) -> Vec<u32>;
}

/// What is split, how often, and by which labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Series {
    /// How often the world is split.
    pub splits: u32,
    /// How deep: 2 for groups that are split once more.
    pub depth: u32,
    /// From how many colours each member draws; in every fourth split it may also draw none, and takes no part.
    pub colours: u32,
    /// How many barriers are passed in each new group, and how many sums are made; their time is the mean.
    pub barriers: u32,
    /// The seed of colours and keys.
    pub seed: u64,
}

impl Series {
    /// What a rank of the world draws for a split: its colour, and one of half as many keys as there are ranks, so that
    /// many are equal, round 0.
    pub fn label(&self, split: u32, level: u32, rank: u32, ranks: u32) -> (Option<u32>, i32) {
        let mut random = rng::stream(self.seed, &format!("split {split} level {level} rank {rank}"));
        let is_drawn = split % 4 == 3 && random.random_range(0..=self.colours) == 0;
        let colour = random.random_range(0..self.colours);
        let key = random.random_range(0..=ranks / 2) as i32 - (ranks / 4) as i32;
        ((!is_drawn).then_some(colour), key)
    }
}

/// TimesBeside of one kind of operation, ours and the other's: of when the last member was ready, means of two splits one after
/// the other, of which one had ours first, and the median of these. Who is first finds the members come at other times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimesBeside {
    /// Ours.
    pub ours_microseconds: f64,
    /// The other's.
    pub other_microseconds: f64,
    /// ours / other.
    pub ratio: f64,
}

/// Messages of one kind of operation, of all ranks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// How often a group did it.
    pub operations: u64,
    /// How many were sent.
    pub sent: u64,
    /// 2 (s - 1) for each time a group of s members did it, s - 1 for a reduce.
    pub expected: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// How many ranks there are.
    pub ranks: u32,
    /// How many groups the splits made.
    pub groups: u64,
    /// How many times a member found another group, rank or order of members than the other implementation.
    pub differences: u64,
    /// The first of them, in words.
    pub first_difference: Option<String>,
    /// Messages of splits.
    pub split_messages: Messages,
    /// Messages of barriers.
    pub barrier_messages: Messages,
    /// Messages of joins.
    pub join_messages: Messages,
    /// Messages of reduces.
    pub reduce_messages: Messages,
    /// TimesBeside of splits.
    pub split: TimesBeside,
    /// TimesBeside of barriers of the new groups.
    pub barrier: TimesBeside,
    /// TimesBeside of reduces of one word in the new groups, to the root of our tree.
    pub reduce: TimesBeside,
    /// TimesBeside of splits where ours end with a group of the other implementation, made of the members found.
    pub communicator: Option<TimesBeside>,
}

/// Splits the world again and again, with ours and with the other implementation, and compares; everybody gets the answer.
///
/// Ours and the other's take turns to be first, and each measurement begins behind a barrier of the other's. `done` is
/// called after each split of the world.
///
/// # Errors
///
/// [`Lost`] when a rank is lost.
///
/// # Panics
///
/// When there is no colour.
pub fn compare<E: Endpoint, O: Other>(
    world: &mut Group<'_, E>,
    other: &mut O,
    series: &Series,
    mut done: impl FnMut(),
) -> Result<Beside, Lost> {
    let points = series.splits as usize * series.depth as usize;
    let times = || [vec![0; points], vec![0; points]];
    let mut all = Comparison {
        series,
        rank: world.mail().rank(),
        ranks: world.mail().ranks(),
        groups: 0,
        differences: 0,
        first_difference: None,
        messages: [Messages::default(); 4],
        splits: times(),
        barriers: times(),
        reduces: times(),
        made: vec![0; points],
    };
    for split in 0..series.splits {
        all.nest(Some(world), Some(other), split, 0)?;
        done();
    }
    all.answer(world)
}

/// What one rank has seen.
struct Comparison<'s> {
    series: &'s Series,
    rank: u32,
    ranks: u32,
    groups: u64,
    differences: u64,
    first_difference: Option<String>,
    /// Splits, barriers, joins, reduces.
    messages: [Messages; 4],
    /// By split and level, in nanoseconds: ours, the other's.
    splits: [Vec<u64>; 2],
    barriers: [Vec<u64>; 2],
    reduces: [Vec<u64>; 2],
    /// Our split, and the other's group of the members found.
    made: Vec<u64>,
}

/// The ranks in the world of the members of a new group.
fn members_of<E>(part: &Group<'_, E>) -> Vec<u32> {
    (0..part.size()).map(|rank| part.rank_on_endpoint(rank)).collect()
}

/// How long something takes, in nanoseconds.
fn timed<T>(what: impl FnOnce() -> T) -> (u64, T) {
    let begin = Instant::now();
    let value = what();
    (begin.elapsed().as_nanos() as u64, value)
}

/// Our split: of the world in one call, of its parts begun and asked for until it is over.
fn split_ours<'g, E: Endpoint>(
    group: &'g mut Group<'_, E>,
    (colour, key): (Option<u32>, i32),
    level: u32,
) -> Result<MaybePart<'g, E>, Lost> {
    if level == 0 {
        return group.split_signed(colour, key);
    }
    let mut splitting = group.split_start(colour, unsigned(key))?;
    while !splitting.test()? {
        std::thread::yield_now();
    }
    splitting.wait()
}

impl Comparison<'_> {
    /// One split of a group, and all below it. Ours and the other's do not wait for each other, so that a difference
    /// between them stops neither.
    fn nest<E: Endpoint, O: Other>(
        &mut self,
        mut ours: Option<&mut Group<'_, E>>,
        mut other: Option<&mut O>,
        split: u32,
        level: u32,
    ) -> Result<(), Lost> {
        let at = (split * self.series.depth + level) as usize;
        let label = self.series.label(split, level, self.rank, self.ranks);
        let place = ours.as_ref().map_or((0, 0), |group| (group.rank(), group.size()));
        let is_other_first = split % 2 == 1;
        let mut other_part = None;
        if is_other_first {
            other_part = self.split_other(other.as_deref_mut(), label, at);
        }
        if let Some(other) = &mut other {
            other.barrier();
        }
        let (mut part, mut made) = (None, None);
        if let Some(group) = &mut ours {
            let before = group.mail().sent();
            let begin = Instant::now();
            let mut whole = split_ours(group, label, level)?;
            self.splits[0][at] = begin.elapsed().as_nanos() as u64;
            if let Some(other) = other.as_deref_mut() {
                made = other.made_of(&whole.part().map_or_else(Vec::new, |part| members_of(part)));
                self.made[at] = if made.is_some() { begin.elapsed().as_nanos() as u64 } else { 0 };
            }
            self.messages[0].count(place, whole.mail().sent() - before, 2);
            part = Some(whole);
        }
        if !is_other_first {
            other_part = self.split_other(other, label, at);
        }
        self.check(part.as_mut().and_then(MaybePart::part), other_part.as_ref(), (split, level));
        self.check_made(made, other_part.as_ref(), (split, level));
        let turn = (at, is_other_first);
        self.time_barriers(part.as_mut().and_then(MaybePart::part), other_part.as_mut(), turn)?;
        self.time_reduces(part.as_mut().and_then(MaybePart::part), other_part.as_mut(), turn)?;
        if level + 1 < self.series.depth {
            let group = part.as_mut().and_then(MaybePart::part).map(|part| &mut **part);
            self.nest(group, other_part.as_mut(), split, level + 1)?;
        }
        let Some(mut part) = part else { return Ok(()) };
        let before = part.mail().sent();
        part.join()?;
        let sent = ours.map_or(before, |group| group.mail().sent()) - before;
        self.messages[2].count(place, sent, 2);
        Ok(())
    }

    fn split_other<O: Other>(
        &mut self,
        other: Option<&mut O>,
        label: (Option<u32>, i32),
        at: usize,
    ) -> Option<O> {
        let other = other?;
        other.barrier();
        let (time, part) = timed(|| other.split(label.0, label.1));
        self.splits[1][at] = time;
        part
    }

    /// A group of the other implementation of the members of ours: the same as its own split made.
    fn check_made<O: Other>(&mut self, made: Option<O>, theirs: Option<&O>, (split, level): (u32, u32)) {
        let (Some(mut made), Some(theirs)) = (made, theirs) else { return };
        made.barrier();
        if !made.is_like(theirs) {
            let rank = self.rank;
            self.differ(|| {
                format!("split {split}, level {level}, rank {rank}: the group made of ours is another")
            });
        }
    }

    /// One difference more.
    fn differ(&mut self, text: impl FnOnce() -> String) {
        self.differences += 1;
        self.first_difference.get_or_insert_with(text);
    }

    /// Barriers of a new group, one after the other.
    fn time_barriers<E: Endpoint, O: Other>(
        &mut self,
        mut part: Option<&mut Part<'_, E>>,
        mut other: Option<&mut O>,
        (at, is_other_first): (usize, bool),
    ) -> Result<(), Lost> {
        let barriers = self.series.barriers;
        let mean = |time: u64| time / u64::from(barriers.max(1));
        for is_others_turn in [is_other_first, !is_other_first] {
            if let Some(other) = &mut other {
                other.barrier();
                if is_others_turn {
                    let (time, ()) = timed(|| (0..barriers).for_each(|_| other.barrier()));
                    self.barriers[1][at] = mean(time);
                }
            }
            let Some(part) = part.as_deref_mut().filter(|_| !is_others_turn) else { continue };
            let before = part.mail().sent();
            let (time, passed) = timed(|| (0..barriers).try_for_each(|_| part.barrier()));
            passed?;
            self.barriers[0][at] = mean(time);
            let sent = part.mail().sent() - before;
            for number in 0..barriers {
                self.messages[1].count((part.rank(), part.size()), if number == 0 { sent } else { 0 }, 2);
            }
        }
        Ok(())
    }

    /// Sums of a new group, one after the other.
    fn time_reduces<E: Endpoint, O: Other>(
        &mut self,
        part: Option<&mut Part<'_, E>>,
        other: Option<&mut O>,
        (at, is_other_first): (usize, bool),
    ) -> Result<(), Lost> {
        let (Some(part), Some(other)) = (part, other) else { return Ok(()) };
        let (times, own, root) = (self.series.barriers, u64::from(self.rank), part.tree().root());
        let mean = |time: u64| time / u64::from(times.max(1));
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for is_others_turn in [is_other_first, !is_other_first] {
            other.barrier();
            if is_others_turn {
                let time;
                (time, theirs) = timed(|| (0..times).map(|_| other.sum(root, own)).collect());
                self.reduces[1][at] = mean(time);
                continue;
            }
            let before = part.mail().sent();
            let sums =
                || (0..times).map(|_| part.reduce(own, |a, b| a + b)).collect::<Result<Vec<_>, Lost>>();
            let (time, found) = timed(sums);
            ours = found?;
            self.reduces[0][at] = mean(time);
            let sent = part.mail().sent() - before;
            for number in 0..times {
                self.messages[3].count((part.rank(), part.size()), if number == 0 { sent } else { 0 }, 1);
            }
        }
        if ours != theirs {
            let rank = self.rank;
            self.differ(|| format!("rank {rank}: our sums {ours:?}, the other's {theirs:?}"));
        }
        Ok(())
    }

    /// Whether both made the same of this member.
    fn check<E: Endpoint, O: Other>(
        &mut self,
        part: Option<&mut Part<'_, E>>,
        other: Option<&O>,
        (split, level): (u32, u32),
    ) {
        let ours = part.map(|part| (part.rank(), members_of(part)));
        self.groups += u64::from(ours.as_ref().is_some_and(|(rank, _)| *rank == 0));
        let theirs = other.map(|other| (other.rank(), other.members()));
        if ours != theirs {
            let rank = self.rank;
            let text = || {
                format!("split {split}, level {level}, rank {rank}: ours {ours:?}, the other's {theirs:?}")
            };
            self.differ(text);
        }
    }

    /// What all ranks have seen together.
    fn answer<E: Endpoint>(self, world: &mut Group<'_, E>) -> Result<Beside, Lost> {
        let [split, barrier, join, reduce] = self.messages;
        let flat = |m: Messages| [m.operations, m.sent, m.expected];
        let mut counts = vec![self.groups, self.differences];
        counts.extend([split, barrier, join, reduce].into_iter().flat_map(flat));
        let together = |with: fn(u64, u64) -> u64| {
            move |a: Vec<u64>, b: Vec<u64>| a.into_iter().zip(b).map(|(a, b)| with(a, b)).collect()
        };
        let counts: Vec<u64> = world.all_reduce(counts, together(|a, b| a + b))?;
        let first_difference = world.all_reduce(self.first_difference, Option::or)?;
        let depth = self.series.depth as usize;
        let mut slowest = |times: Vec<u64>| world.all_reduce(times, together(u64::max));
        let mut times =
            |[ours, other]: [Vec<u64>; 2]| Ok(TimesBeside::of(slowest(ours)?, slowest(other)?, depth));
        let theirs = self.splits[1].clone();
        let (split, barrier, reduce) = (times(self.splits)?, times(self.barriers)?, times(self.reduces)?);
        let communicator = times([self.made, theirs])?;
        let messages =
            |at: usize| Messages { operations: counts[at], sent: counts[at + 1], expected: counts[at + 2] };
        Ok(Beside {
            ranks: self.ranks,
            groups: counts[0],
            differences: counts[1],
            first_difference,
            split_messages: messages(2),
            barrier_messages: messages(5),
            join_messages: messages(8),
            reduce_messages: messages(11),
            split,
            barrier,
            reduce,
            communicator: Some(communicator).filter(|times| times.ours_microseconds > 0.0),
        })
    }
}

impl Messages {
    /// One operation of a group, with so many messages over each edge of its tree, as a member with this rank of so many sees it.
    fn count(&mut self, (rank, size): (u32, u32), sent: u64, over_each: u64) {
        self.sent += sent;
        if rank == 0 {
            self.operations += 1;
            self.expected += over_each * (u64::from(size) - 1);
        }
    }
}

impl TimesBeside {
    /// Of times by split and level.
    fn of(ours: Vec<u64>, other: Vec<u64>, depth: usize) -> Self {
        let [ours, other] = [ours, other].map(|times| {
            let pairs = times.chunks(2 * depth).flat_map(|pair| {
                (0..depth).map(|level| {
                    // What was not measured is 0.
                    let measured = || pair.iter().skip(level).step_by(depth).filter(|&&time| time > 0);
                    measured().sum::<u64>() as f64 / 1e3 / measured().count().max(1) as f64
                })
            });
            median(pairs.filter(|&time| time > 0.0)).unwrap_or(0.0)
        });
        Self {
            ours_microseconds: ours,
            other_microseconds: other,
            ratio: if other > 0.0 { ours / other } else { 0.0 },
        }
    }
}
