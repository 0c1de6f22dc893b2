//! A partial placement: where each of the other tasks may still be.

use super::cuts::Together;
use super::loads::{Ends, Loads, NOWHERE};
use super::node_set::NodeSet;
use super::pattern::Problem;

/// What is known at one depth of the tree.
pub(super) struct Level {
    pub(super) loads: Loads,
    /// Where each task may be.
    pub(super) domains: Vec<NodeSet>,
    /// The ticks of each pattern, at least.
    pub(super) ticks: Vec<u64>,
    /// How many sets of tasks are left for each zone of [`Together`].
    pub(super) together: Vec<u32>,
    /// Renamings that leave the placed tasks and their nodes as they are, by number.
    pub(super) node_symmetries: Vec<u32>,
    pub(super) task_symmetries: Vec<u32>,
    /// Of the task branched on: ticks at least and node.
    pub(super) children: Vec<(u64, u16)>,
}

impl Level {
    pub(super) fn new(problem: &Problem) -> Self {
        let mut all = NodeSet::default();
        problem.living.iter().for_each(|&node| all.insert(node));
        Self {
            loads: Loads::new(problem),
            domains: vec![all; problem.tasks],
            ticks: vec![0; problem.patterns.len()],
            together: Vec::new(),
            node_symmetries: (0..problem.symmetries.nodes.len() as u32).collect(),
            task_symmetries: (0..problem.symmetries.tasks.len() as u32).collect(),
            children: Vec::with_capacity(problem.nodes),
        }
    }

    /// Everything anew, for another run.
    pub(super) fn restart(&mut self, problem: &Problem, together: &Together) {
        let mut all = NodeSet::default();
        problem.living.iter().for_each(|&node| all.insert(node));
        self.domains.fill(all);
        self.ticks.fill(0);
        self.together.clear();
        self.together.extend(together.lengths());
    }

    /// This one with one more task placed.
    pub(super) fn enter(&mut self, before: &Self, problem: &Problem, task: u16, node: u16) {
        self.domains.copy_from_slice(&before.domains);
        self.ticks.copy_from_slice(&before.ticks);
        self.together.clone_from(&before.together);
        for (index, domain) in self.domains.iter_mut().enumerate() {
            if index != usize::from(task) {
                domain.remove(node);
            }
        }
        let fix = |renamings: &[Vec<u16>], known: &[u32], fixed: u16, kept: &mut Vec<u32>| {
            kept.clear();
            kept.extend(
                known.iter().filter(|index| renamings[**index as usize][usize::from(fixed)] == fixed),
            );
        };
        let symmetries = &problem.symmetries;
        fix(&symmetries.nodes, &before.node_symmetries, node, &mut self.node_symmetries);
        fix(&symmetries.tasks, &before.task_symmetries, task, &mut self.task_symmetries);
    }

    /// After all placements with this task on this node: none of its like need be on a node like it. Whether anything is
    /// left.
    pub(super) fn exclude(&mut self, problem: &Problem, task: u16, node: u16, node_of: &[u16]) -> bool {
        let symmetries = &problem.symmetries;
        let mut nodes = NodeSet::default();
        for &index in &self.node_symmetries {
            nodes.insert(symmetries.nodes[index as usize][usize::from(node)]);
        }
        let mut cut = |task: usize| nodes.iter().for_each(|node| self.domains[task].remove(node));
        for &index in &self.task_symmetries {
            cut(usize::from(symmetries.tasks[index as usize][usize::from(task)]));
        }
        let twin = symmetries.twins[usize::from(task)];
        let are_open = (0..problem.tasks).filter(|&other| node_of[other] == NOWHERE);
        are_open.filter(|&other| symmetries.twins[other] == twin).for_each(cut);
        self.is_coverable(problem, node_of)
    }

    /// Whether every task has a node left, and all of them enough nodes.
    pub(super) fn is_coverable(&self, problem: &Problem, node_of: &[u16]) -> bool {
        let mut reached = NodeSet::default();
        for (domain, &node) in self.domains.iter().zip(node_of) {
            if node != NOWHERE {
                reached.insert(node);
            } else if domain.is_empty() {
                return false;
            } else {
                reached = reached.union(domain);
            }
        }
        reached.len() as usize >= problem.tasks
    }
}

/// What every task on every node would make of its patterns: a table used at one level after the other.
pub(super) struct Tries {
    /// By task, node and run.
    ticks: Vec<u64>,
    first: Vec<usize>,
    least: Vec<u64>,
    pub(super) together: Together,
    /// The least ticks for which anything was taken away.
    pub(super) least_cut: u64,
}

impl Tries {
    pub(super) fn new(problem: &Problem, ends: &Ends) -> Self {
        let mut first = vec![0];
        for runs in &ends.runs {
            first.push(first.last().copied().unwrap_or(0) + runs.len() * problem.nodes);
        }
        let size = first.last().copied().unwrap_or(0);
        Self {
            ticks: vec![0; size],
            first,
            least: Vec::new(),
            together: Together::default(),
            least_cut: u64::MAX,
        }
    }

    #[inline]
    pub(super) fn of(&self, ends: &Ends, task: usize, node: u16) -> &[u64] {
        let runs = ends.runs[task].len();
        &self.ticks[self.first[task] + usize::from(node) * runs..][..runs]
    }

    /// Tries a task on every node it may be on.
    fn fill(&mut self, problem: &Problem, ends: &Ends, level: &mut Level, task: usize, node_of: &[u16]) {
        let runs = &ends.runs[task];
        for node in level.domains[task].iter() {
            let base = self.first[task] + usize::from(node) * runs.len();
            for (at, &run) in runs.iter().enumerate() {
                let (pattern, part) = (usize::from(run.pattern), ends.of(run));
                let is_known = part.iter().any(|end| node_of[usize::from(end.partner)] != NOWHERE);
                self.ticks[base + at] = match is_known {
                    true => {
                        let extent = level.loads.with(problem, (pattern, part), node, node_of);
                        problem.patterns[pattern].ticks(extent)
                    }
                    false => 0,
                };
            }
        }
    }

    /// Takes nodes away from tasks and raises the ticks of patterns until nothing changes: whoever is on a node costs at least
    /// so much, every task must be somewhere, and those on a zone can be there together. The ticks of all, unless nothing is left below the limit.
    pub(super) fn narrow(
        &mut self,
        problem: &Problem,
        ends: &Ends,
        level: &mut Level,
        node_of: &[u16],
        limit: u64,
    ) -> Option<u64> {
        for (index, pattern) in problem.patterns.iter().enumerate() {
            level.ticks[index] = level.ticks[index].max(pattern.ticks(level.loads.extents[index]));
        }
        let mut total: u64 = level.ticks.iter().sum();
        if total >= limit {
            self.least_cut = self.least_cut.min(total);
            return None;
        }
        for is_first in std::iter::once(true).chain(std::iter::repeat(false)) {
            let mut narrowed = self.together.narrow(level, node_of)?;
            for task in (0..problem.tasks).filter(|&task| node_of[task] == NOWHERE) {
                if is_first {
                    self.fill(problem, ends, level, task, node_of);
                }
                let (reached, has_less) = self.narrow_task(ends, level, task, total, limit)?;
                narrowed |= reached > total || has_less;
                total = reached;
            }
            if !narrowed {
                break;
            }
        }
        level.is_coverable(problem, node_of).then_some(total)
    }

    /// The same for one task: the ticks of all, and whether it lost a node.
    fn narrow_task(
        &mut self,
        ends: &Ends,
        level: &mut Level,
        task: usize,
        total: u64,
        limit: u64,
    ) -> Option<(u64, bool)> {
        let runs = &ends.runs[task];
        self.least.clear();
        self.least.resize(runs.len(), u64::MAX);
        let (mut has_less, mut is_possible) = (false, false);
        for node in level.domains[task].iter() {
            let base = self.first[task] + usize::from(node) * runs.len();
            let tried = &self.ticks[base..base + runs.len()];
            let more = runs
                .iter()
                .zip(tried)
                .map(|(run, ticks)| ticks.saturating_sub(level.ticks[usize::from(run.pattern)]));
            let over = total + more.sum::<u64>();
            if over >= limit {
                self.least_cut = self.least_cut.min(over);
                level.domains[task].remove(node);
                has_less = true;
                continue;
            }
            is_possible = true;
            self.least.iter_mut().zip(tried).for_each(|(least, ticks)| *least = (*least).min(*ticks));
        }
        if !is_possible {
            return None;
        }
        let mut reached = total;
        for (run, &least) in runs.iter().zip(&self.least) {
            let known = &mut level.ticks[usize::from(run.pattern)];
            reached += least.saturating_sub(*known);
            *known = least.max(*known);
        }
        if reached >= limit {
            self.least_cut = self.least_cut.min(reached);
            return None;
        }
        Some((reached, has_less))
    }
}
