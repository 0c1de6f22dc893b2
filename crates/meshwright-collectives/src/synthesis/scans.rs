//! Scans by prefix trees of mixed radices: the last members of equal runs of members add up among themselves, these runs in longer runs, and what
//! lies before a run comes down to those in it that lack it.
//!
//! # Source
//!
//! `brent1982`: the tree of radix two; `hillis1986`: all at once.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Cycles};

use super::families::{Budget, Known, Tried, simulated};
use super::{Found, Recipe, Simulate};
use crate::chunks::chunks;
use crate::flow::Flow;
use crate::{Task, predict};

/// Radices that are tried.
const RADICES: [u32; 8] = [2, 3, 4, 5, 6, 7, 8, 16];

/// How many trees are made at most, and up to how many members radices are mixed.
const TREES_MAX: usize = 1 << 12;
const MIXED_MAX: u32 = 1 << 10;

/// How many are predicted at most, and how many messages one and all of them have.
const PREDICTED: usize = 1 << 9;
const MESSAGES_MAX: usize = 1 << 20;
const PREDICTED_BUDGET: usize = 1 << 23;

/// How many are simulated at most, whole and in chunks, and of how many of the best of these other numbers of chunks are tried.
const TRIED: usize = 128;
const CHUNKED: usize = 4;

/// How many messages all together have of those that are simulated whole, as many in chunks, and in other numbers of chunks.
const BUDGET: usize = 1 << 21;

/// A level of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How many runs make a longer one.
    pub radix: u32,
    /// Whether sums go from one run to the next, else from each to all after it at once.
    pub is_chain: bool,
}

/// A prefix tree, the shortest runs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixTree(pub Vec<Level>);

impl Display for PrefixTree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let level =
            |level: &Level| format!("{}{}", level.radix, if level.is_chain { " in a chain" } else { "" });
        let levels: Vec<String> = self.0.iter().map(level).collect();
        write!(f, "a prefix tree of radices {}", levels.join(", "))
    }
}

impl PrefixTree {
    /// Those for so many members: of one radix, and up to 1,024 members of mixed ones, each level one way or the other.
    pub(super) fn all(members: u32) -> Vec<Self> {
        let mut all: Vec<Self> = RADICES.iter().map(|&radix| Self::uniform(members, radix)).collect();
        let mut begun = if members > MIXED_MAX { Vec::new() } else { vec![Vec::new()] };
        while let Some(levels) = begun.pop().filter(|_| all.len() + begun.len() <= TREES_MAX) {
            let runs = levels.iter().fold(members, |runs, level: &Level| runs.div_ceil(level.radix));
            if runs <= 1 {
                all.push(Self(levels));
                continue;
            }
            let fits = RADICES.iter().copied().chain([runs]).filter(|&radix| runs.is_multiple_of(radix));
            let mut radices: Vec<u32> = fits.collect();
            radices.sort_unstable();
            radices.dedup();
            for radix in radices {
                for is_chain in [false, true].into_iter().take(if radix > 2 { 2 } else { 1 }) {
                    let mut longer = levels.clone();
                    longer.push(Level { radix, is_chain });
                    begun.push(longer);
                }
            }
        }
        all
    }

    /// As many levels of one radix as so many members need.
    fn uniform(members: u32, radix: u32) -> Self {
        let more = |&runs: &u32| Some(runs.div_ceil(radix)).filter(|_| runs > radix);
        let levels = std::iter::successors(Some(members), more);
        Self(levels.map(|_| Level { radix, is_chain: false }).collect())
    }

    /// How many steps it has.
    fn steps(&self) -> u64 {
        let up = |level: &Level| if level.is_chain { u64::from(level.radix) - 1 } else { 1 };
        self.0.iter().map(up).sum::<u64>() + self.0.len().saturating_sub(1) as u64
    }

    /// How many messages so many members send.
    fn messages(&self, members: u32) -> u64 {
        let members = u64::from(members);
        let (mut all, mut run) = (0, 1);
        for (level, up) in (1..).zip(&self.0) {
            let radix = u64::from(up.radix);
            let of = |runs: u64| {
                if up.is_chain { runs.saturating_sub(1) } else { runs * runs.saturating_sub(1) / 2 }
            };
            let (whole, rest) = (members / run / radix, members / run % radix);
            all += whole * of(radix) + of(rest);
            if level < self.0.len() && whole > 0 {
                all += (whole - 1) * (radix - 1) + rest;
            }
            run *= radix;
        }
        all
    }

    /// Its flow.
    ///
    /// # Complexity
    ///
    /// O(members sum of radices).
    pub fn flow(&self, task: &Task<'_>) -> Flow {
        let members = task.members();
        let mut flow = task.flow();
        let (mut step, mut run) = (0, 1);
        // By level how many members a run below has.
        let mut runs = Vec::new();
        for level in &self.0 {
            runs.push(run);
            // The last members of whole runs.
            for (last, at) in (run - 1..members).step_by(run as usize).zip(0..) {
                let after = level.radix - 1 - at % level.radix;
                let targets = (1..=after).map(|far| last + far * run).take_while(|&to| to < members);
                for to in targets.take(if level.is_chain { 1 } else { after as usize }) {
                    let turn = if level.is_chain { at % level.radix } else { 0 };
                    flow.combine(step + turn, last, to, [0]);
                }
            }
            step += if level.is_chain { level.radix - 1 } else { 1 };
            run = run.saturating_mul(level.radix);
        }
        for (&run, level) in runs.iter().zip(&self.0).rev().skip(1) {
            let longer = run * level.radix;
            for start in (longer..members).step_by(longer as usize) {
                // The last member of a whole run knows all before it already.
                let lacking = (1..=level.radix).map(|runs| start + runs * run - 1);
                for to in lacking.filter(|&to| to < members && to + 1 != start + longer) {
                    flow.combine(step, start - 1, to, [0]);
                }
            }
            step += 1;
        }
        flow
    }
}

/// Without a search: the tree of radix four.
pub(super) fn unsearched(task: &Task<'_>) -> Flow {
    PrefixTree::uniform(task.members(), 4).flow(task)
}

/// The trees that are predicted best, of those with few steps and messages.
fn predicted(task: &Task<'_>) -> Result<Vec<(u64, PrefixTree, Flow)>> {
    let (members, costs) = (task.members(), task.machine().costs());
    let body = costs.transfer_ticks(Bytes(task.bytes)) + costs.head_ticks();
    // As if members sent alike.
    let price = |tree: &PrefixTree| {
        tree.steps() * (costs.startup_ticks() + body) + tree.messages(members) * body / u64::from(members)
    };
    let mut all = PrefixTree::all(members);
    all.retain(|tree| tree.messages(members) <= MESSAGES_MAX as u64);
    all.sort_by_cached_key(price);
    let (mut left, mut predicted) = (Budget(PREDICTED_BUDGET), Vec::new());
    for tree in all.into_iter().take(PREDICTED) {
        if left.pays(tree.messages(members) as usize) {
            predicted.push((predict::predicted(task, &tree.flow(task))?.0, tree));
        }
    }
    predicted.sort_by_key(|&(predicted, _)| predicted);
    predicted.truncate(TRIED);
    Ok(predicted.into_iter().map(|(predicted, tree)| (predicted, tree.clone(), tree.flow(task))).collect())
}

/// The best prefix tree: of those that are predicted best, whole and in chunks, then the best of these in other numbers of chunks.
pub(super) fn search(task: &Task<'_>, _: Known, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let looked = predicted(task)?;
    // One number of chunks for each, as the closed form has it, or those around it.
    let run = |all: &[&(u64, PrefixTree, Flow)], of: &dyn Fn(&Flow) -> Vec<u32>| -> Result<Vec<Found>> {
        let (mut left, mut tried) = (Budget(BUDGET), Vec::<Tried>::new());
        for (predicted, tree, flow) in all {
            for many in of(flow) {
                if left.pays(flow.transfers().len() * many as usize) {
                    let recipe = Recipe::Prefixes(tree.clone(), many);
                    tried.push((recipe, flow.chunked(many)?, Cycles(*predicted)));
                }
            }
        }
        simulated(tried, simulate)
    };
    let all: Vec<_> = looked.iter().collect();
    let middle = |flow: &Flow| {
        let all = chunks(task, flow);
        vec![all[all.len() / 2]]
    };
    let mut found = run(&all, &|_| vec![1])?;
    found.extend(run(&all, &middle)?);
    found.sort_by_key(|found| found.cycles);
    let is_best = |tree: &PrefixTree| {
        let mut best = found.iter().take(CHUNKED);
        best.any(|found| matches!(&found.recipe, Recipe::Prefixes(other, _) if other == tree))
    };
    let best: Vec<_> = looked.iter().filter(|(_, tree, _)| is_best(tree)).collect();
    let more = run(&best, &|flow| chunks(task, flow))?;
    found.extend(more);
    Ok(found.into_iter().min_by_key(|found| found.cycles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use meshwright_network::topology::Machine;

    /// Every member has the sum of those up to it, for any number of members; the known trees are among them.
    #[test]
    fn every_member_has_its_sum() {
        for members in [2, 3, 7, 8, 12, 27, 64, 100] {
            let machine = Machine::new(&format!("mesh:{members}")).unwrap();
            let task = Task::new(&machine, Operation::Scan, 100, 0).unwrap();
            let all = PrefixTree::all(members);
            assert!(all.len() >= RADICES.len() && all.len() <= TREES_MAX + 2);
            for tree in all {
                let flow = tree.flow(&task);
                assert_eq!(flow.check(Operation::Scan, 0, 100), Ok(()), "{tree} of {members}");
                assert_eq!(flow.transfers().len() as u64, tree.messages(members), "{tree} of {members}");
                assert!(u64::from(flow.steps()) <= tree.steps(), "{tree} of {members}");
            }
        }
        let large = 1 << 18;
        let all = PrefixTree::all(large);
        assert_eq!(all.len(), RADICES.len(), "no mixed ones");
        assert!(all.iter().any(|tree| tree.messages(large) <= MESSAGES_MAX as u64));
        assert!(PrefixTree::uniform(large, 4).messages(large) < 3 * u64::from(large));
        let machine = Machine::new("mesh:64").unwrap();
        let task = Task::new(&machine, Operation::Scan, 100, 0).unwrap();
        let published = |name: &str| {
            let mut all = crate::algorithm::all();
            all.find(|algorithm| algorithm.name == name).unwrap().of(&task).unwrap().transfers().to_vec()
        };
        let of = |radix: u32, levels: usize, is_chain: bool| {
            PrefixTree(vec![Level { radix, is_chain }; levels]).flow(&task).transfers().to_vec()
        };
        assert_eq!(of(2, 6, false), published("scan-tree"));
        assert_eq!(of(64, 1, true), published("scan-chain"));
    }
}
