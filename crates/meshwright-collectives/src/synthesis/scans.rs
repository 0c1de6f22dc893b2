//! Scans by prefix trees of mixed radices: the last members of equal runs of members add up among themselves, these runs in longer runs, and what
//! lies before a run comes down to those in it that lack it.
//!
//! # Source
//!
//! `brent1982`: the tree of radix two; `hillis1986`: all at once.

use std::fmt::{self, Display, Formatter};

use meshwright_core::error::Result;
use meshwright_core::units::Cycles;

use super::{Budget, Found, Recipe, Simulate, Tried, simulated};
use crate::chunks::chunks;
use crate::flow::Flow;
use crate::{Task, predict};

/// Radices that are tried.
const RADICES: [u32; 8] = [2, 3, 4, 5, 6, 7, 8, 16];

/// How many trees are looked at at most.
const TREES_MAX: usize = 1 << 12;

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
    /// Those for so many members, each level one way or the other.
    pub(super) fn all(members: u32) -> Vec<Self> {
        let mut all = Vec::new();
        let mut begun = vec![Vec::new()];
        while let Some(levels) = begun.pop() {
            let runs = levels.iter().fold(members, |runs, level: &Level| runs.div_ceil(level.radix));
            if runs <= 1 {
                all.push(Self(levels));
                continue;
            }
            let fits = RADICES.iter().copied().chain([runs]).filter(|&radix| runs.is_multiple_of(radix));
            let mut radices: Vec<u32> = fits.collect();
            if radices.len() < 2 {
                radices.extend(RADICES.iter().copied().filter(|&radix| radix < runs));
            }
            radices.sort_unstable();
            radices.dedup();
            for radix in radices {
                for is_chain in [false, true].into_iter().take(if radix > 2 { 2 } else { 1 }) {
                    let mut longer = levels.clone();
                    longer.push(Level { radix, is_chain });
                    begun.push(longer);
                }
            }
            if all.len() + begun.len() > TREES_MAX {
                break;
            }
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

/// Without a search: runs as long as the square root of all members.
pub(super) fn unsearched(task: &Task<'_>) -> Flow {
    let run = task.members().isqrt().max(2);
    let level = |radix: u32| Level { radix, is_chain: false };
    PrefixTree(vec![level(run), level(task.members().div_ceil(run).max(2))]).flow(task)
}

/// The best prefix tree: of those that are predicted best, whole and in chunks, then the best of these in other numbers of chunks.
pub(super) fn search(task: &Task<'_>, simulate: &Simulate<'_>) -> Result<Option<Found>> {
    let mut looked: Vec<(u64, PrefixTree, Flow)> = Vec::new();
    for tree in PrefixTree::all(task.members()) {
        let flow = tree.flow(task);
        looked.push((predict::predicted(task, &flow)?.0, tree, flow));
    }
    looked.sort_by_key(|&(predicted, ..)| predicted);
    looked.truncate(TRIED);
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
            assert!(!all.is_empty() && all.len() <= TREES_MAX);
            for tree in all {
                assert_eq!(tree.flow(&task).check(Operation::Scan, 0, 100), Ok(()), "{tree} of {members}");
            }
        }
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
