//! Prefix trees of mixed radices: sums of runs of members, and what lies before a run.
//!
//! # Source
//!
//! `brent1982`: the tree of radix two; `hillis1986`: all at once; `leighton1992`: chains along the dimensions of a box;
//! `sanders2006`: sums of runs that are exchanged.

use std::fmt::{self, Display, Formatter};

use meshwright_network::topology::{Network, Topology};

use crate::Task;
use crate::flow::{Aside, Flow, Mode, Transfer};

/// A level of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How many runs make a longer one.
    pub radix: u32,
    /// Whether sums go from one run to the next, else from each to all after it at once.
    pub is_chain: bool,
}

/// How what lies before a run comes to the members in it that lack it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Down {
    /// To all at once.
    All,
    /// From one to the next, from the last of them back.
    Back,
    /// From one to the next, from both ends.
    Ends,
}

impl Down {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::All, Self::Back, Self::Ends];

    /// How many messages one after the other reach so many members.
    fn steps(self, members: u32) -> u32 {
        match self {
            Self::All => members.min(1),
            Self::Back => members,
            Self::Ends => members.div_ceil(2),
        }
    }
}

/// A scheme of prefix sums over the members in their order, the shortest runs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrefixTree {
    /// The last members of equal runs of nodes add up among themselves, these runs in longer runs, and what lies before a run comes down.
    Tree {
        /// The levels.
        levels: Vec<Level>,
        /// How what lies before a run comes down.
        down: Down,
    },
    /// In runs of these radices every member tells its counterparts in the others of a longer run the sum of its run.
    Exchange(Vec<u32>),
}

impl Display for PrefixTree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree { levels, down } => {
                let chain = |level: &Level| if level.is_chain { " in a chain" } else { "" };
                let levels: Vec<String> =
                    levels.iter().map(|level| format!("{}{}", level.radix, chain(level))).collect();
                write!(f, "a prefix tree of radices {}", levels.join(", "))?;
                f.write_str(match down {
                    Down::All => "",
                    Down::Back => ", handed on from the last down",
                    Down::Ends => ", handed on from both ends",
                })
            }
            Self::Exchange(radices) => {
                let radices: Vec<String> = radices.iter().map(u32::to_string).collect();
                write!(f, "sums of runs exchanged in radices {}", radices.join(", "))
            }
        }
    }
}

impl PrefixTree {
    /// A tree whose levels are all chains, and which hands on.
    pub fn chains(radices: impl IntoIterator<Item = u32>) -> Self {
        let level = |radix| Level { radix, is_chain: true };
        Self::Tree { levels: radices.into_iter().map(level).collect(), down: Down::Back }
    }

    /// Chains along the dimensions of a box: within rows, over the ends of rows, and what lies before a row back along it.
    pub fn of_box(task: &Task<'_>) -> Option<Self> {
        sides(task).map(Self::chains)
    }

    /// As many levels of one radix, all at once, as so many nodes need.
    pub fn uniform(nodes: u32, radix: u32) -> Self {
        let level = |radix| Level { radix, is_chain: false };
        Self::Tree { levels: radices(nodes, radix).into_iter().map(level).collect(), down: Down::All }
    }

    /// How many levels it has.
    pub fn levels(&self) -> usize {
        match self {
            Self::Tree { levels, .. } => levels.len(),
            Self::Exchange(radices) => radices.len(),
        }
    }

    /// How many steps it has.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Tree { levels, down } => {
                let up = |level: &Level| if level.is_chain { u64::from(level.radix) - 1 } else { 1 };
                let below = &levels[..levels.len().saturating_sub(1)];
                let lacking = |level: &Level| u64::from(down.steps(level.radix - 1));
                levels.iter().map(up).sum::<u64>() + below.iter().map(lacking).sum::<u64>()
            }
            Self::Exchange(radices) => radices.len() as u64,
        }
    }

    /// How many messages cross the busiest link of a line one way, about, where the dimensions of a box have such strides, the innermost first.
    pub fn load(&self, strides: &[u32]) -> u64 {
        // By dimension onwards and back.
        let (mut by_axis, mut run) = (vec![[0; 2]; strides.len().max(1)], 1);
        let mut enter = |radix: u32, messages: [u64; 2]| {
            let axis = strides.iter().rposition(|&stride| stride <= run).unwrap_or(0);
            by_axis[axis].iter_mut().zip(messages).for_each(|(all, more)| *all += more);
            run = run.saturating_mul(radix);
        };
        let crossing = |radix: u32| u64::from(radix / 2) * u64::from(radix.div_ceil(2));
        match self {
            Self::Tree { levels, down } => {
                for (left, level) in (0..levels.len()).rev().zip(levels) {
                    let lacking = if left == 0 { 0 } else { level.radix - 1 };
                    let comes = if *down == Down::All { lacking } else { lacking.min(1) };
                    enter(
                        level.radix,
                        [if level.is_chain { 1 } else { crossing(level.radix) }, u64::from(comes)],
                    );
                }
            }
            Self::Exchange(radices) => {
                // All members of a run send, unless it is one along the dimensions before.
                let (mut whole, mut run) = (1, 1);
                for &radix in radices {
                    enter(radix, [crossing(radix) * run; 2]);
                    whole = u32::saturating_mul(whole, radix);
                    run = if strides.contains(&whole) { 1 } else { run * u64::from(radix) };
                }
            }
        }
        by_axis.into_iter().flatten().max().unwrap_or(0)
    }

    /// How many messages it has on so many nodes; fewer where some are dead.
    pub fn messages(&self, nodes: u32) -> u64 {
        let nodes = u64::from(nodes);
        let (mut all, mut run) = (0, 1);
        match self {
            Self::Tree { levels, .. } => {
                for (level, up) in (1..).zip(levels) {
                    let radix = u64::from(up.radix);
                    let of = |runs: u64| match up.is_chain {
                        true => runs.saturating_sub(1),
                        false => runs * runs.saturating_sub(1) / 2,
                    };
                    let (whole, rest) = (nodes / run / radix, nodes / run % radix);
                    all += whole * of(radix) + of(rest);
                    if level < levels.len() && whole > 0 {
                        all += (whole - 1) * (radix - 1) + rest;
                    }
                    run *= radix;
                }
            }
            Self::Exchange(radices) => {
                for radix in radices.iter().copied().map(u64::from) {
                    let longer = run * radix;
                    let whole = if longer < nodes { nodes / longer } else { 0 };
                    let rest = nodes - whole * longer;
                    let later = |at: u64| at * rest.saturating_sub(at * run).min(run);
                    all += whole * longer * (radix - 1) + (1..radix).map(later).sum::<u64>();
                    run = longer;
                }
            }
        }
        all
    }

    /// Its flow.
    ///
    /// # Complexity
    ///
    /// O(nodes sum of radices).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::{Operation, Task, prefix::PrefixTree};
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:4x8")?;
    /// let task = Task::new(&mesh, Operation::Scan, 1024, 0)?;
    /// let rows = PrefixTree::chains([8, 4]).flow(&task);
    /// assert_eq!((rows.check(Operation::Scan, 0, 1024), rows.steps()), (Ok(()), 7 + 3 + 7));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn flow(&self, task: &Task<'_>) -> Flow {
        let mut flow = task.flow();
        match self {
            Self::Tree { levels, down } => tree(&mut flow, task, levels, *down),
            Self::Exchange(radices) => exchange(&mut flow, radices),
        }
        flow
    }
}

/// As many of one radix as so many nodes need.
pub(crate) fn radices(nodes: u32, radix: u32) -> Vec<u32> {
    let more = |&runs: &u32| Some(runs.div_ceil(radix)).filter(|_| runs > radix);
    std::iter::successors(Some(nodes), more).map(|_| radix).collect()
}

/// The sides of a box, with holes or without, the innermost first; none elsewhere.
pub(crate) fn sides(task: &Task<'_>) -> Option<Vec<u32>> {
    let Network::Grid(grid) = task.machine().network() else { return None };
    let mut axes: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
    axes.sort_unstable_by_key(|&axis| grid.stride(axis));
    Some(axes.into_iter().map(|axis| grid.sides()[axis]).collect())
}

/// Runs are of nodes: who stands for a whole one is its last member.
fn tree(flow: &mut Flow, task: &Task<'_>, levels: &[Level], down: Down) {
    let nodes = task.machine().nodes();
    // Members and their nodes.
    let mut lasts: Vec<(u32, u32)> = (0..).zip(task.nodes().iter().map(|node| node.0)).collect();
    let (mut step, mut run) = (0, 1u32);
    // By level who stands for the runs below, and how long those above are.
    let mut below: Vec<(Vec<(u32, u32)>, u32)> = Vec::new();
    let is_same = |longer: u32| move |a: &(u32, u32), b: &(u32, u32)| a.1 / longer == b.1 / longer;
    let whole = |group: &[(u32, u32)], run: u32| group.last().is_some_and(|last| last.1 / run < nodes / run);
    for level in levels {
        run = run.saturating_mul(level.radix);
        let mut longer = Vec::new();
        for group in lasts.chunk_by(is_same(run)) {
            for (at, &(source, _)) in (0..).zip(group) {
                let after = &group[at as usize + 1..];
                let (turn, many) = if level.is_chain { (at, after.len().min(1)) } else { (0, after.len()) };
                after[..many].iter().for_each(|&(to, _)| flow.combine(step + turn, source, to, [0]));
            }
            longer.extend(group.last().filter(|_| whole(group, run)));
        }
        step += if level.is_chain { level.radix - 1 } else { 1 };
        below.push((std::mem::replace(&mut lasts, longer), run));
    }
    for ((lasts, run), level) in below.iter().zip(levels).rev().skip(1) {
        let mut before = None;
        for group in lasts.chunk_by(is_same(*run)) {
            // The last one of a whole run knows all before it already.
            let lacking = &group[..group.len() - usize::from(whole(group, *run))];
            if let Some(before) = before.replace(group[group.len() - 1].0) {
                hand_down(flow, step, before, lacking, down);
            }
        }
        step += down.steps(level.radix - 1);
    }
}

/// What a member has is added to what these have.
fn hand_down(flow: &mut Flow, step: u32, from: u32, lacking: &[(u32, u32)], down: Down) {
    let (front, back) = lacking.split_at(if down == Down::Ends { lacking.len() / 2 } else { 0 });
    if down == Down::All {
        lacking.iter().for_each(|&(to, _)| flow.combine(step, from, to, [0]));
    } else {
        hand_on(flow, step, from, front.iter().map(|&(to, _)| to));
        hand_on(flow, step, from, back.iter().rev().map(|&(to, _)| to));
    }
}

/// What a member has is added to what these have, one after the other.
fn hand_on(flow: &mut Flow, step: u32, from: u32, to: impl ExactSizeIterator<Item = u32>) {
    let (many, mut source) = (to.len(), from);
    for (at, target) in (0..).zip(to) {
        let is_last = at as usize + 1 == many;
        let aside = Aside { sent: at > 0, mode: if is_last { Mode::Leave } else { Mode::Copy } };
        flow.send(Transfer { aside, ..Transfer::new(step + at, source, target, Mode::Combine) }, [0]);
        source = target;
    }
}

/// Aside is the sum of the run that a member is in.
fn exchange(flow: &mut Flow, radices: &[u32]) {
    let (members, mut run) = (flow.members(), 1u32);
    for (&radix, step) in radices.iter().zip(0..) {
        let longer = u32::saturating_mul(run, radix);
        for source in 0..members {
            let (start, own) = (source / longer * longer, source % longer / run);
            // Nobody needs the sum of a run that is no whole one, or of all.
            let goes_on = longer < members && start + longer <= members;
            let counterparts = (0..radix).filter(|&other| other > own || other < own && goes_on);
            for other in counterparts {
                let mode = if other > own { Mode::Combine } else { Mode::Leave };
                let aside = Aside { sent: true, mode: if goes_on { Mode::Combine } else { Mode::Leave } };
                let target = start + source % run + other * run;
                if target < members {
                    flow.send(Transfer { aside, ..Transfer::new(step, source, target, mode) }, [0]);
                }
            }
        }
        run = longer;
    }
}
