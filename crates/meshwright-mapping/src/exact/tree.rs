//! The tree of partial placements, depth first.
//!
//! | step | rule |
//! |---|---|
//! | close | where no node is left for a task, or the ticks of all patterns reach the limit |
//! | branch | on the task with the fewest nodes left; of equal ones on that with the most messages to placed tasks |
//! | order | its nodes by their ticks |
//! | exclude | what a renaming makes of a node that is done; it leaves all placed tasks and their nodes where they are |
//!
//! **Why excluding is right.** Claim: of every placement below a closed node of the tree some image under renamings was looked
//! at, or is no better than the limit. A child that is excluded is the image of one that was closed before, for the renaming
//! leaves everything above it alone; so what is below it has images below that one, for which the claim holds. Nodes are closed
//! one after the other, so this is an induction.

use super::cuts::Together;
use super::level::{Level, Tries};
use super::loads::{Ends, NOWHERE};
use super::pattern::{Problem, Value};
use super::record::{Record, Token};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// Every placement was looked at or excluded.
    All,
    /// Somebody stopped it.
    Stopped,
}

/// Who answers for complete placements.
pub(super) trait Leaves {
    /// A complete placement that bounds leave below the limit; the limit from now on.
    fn leaf(&mut self, node_of: &[u16], ticks: u64, limit: u64) -> u64;

    /// Told of every node of the tree; whether to stop.
    fn stops(&mut self) -> bool;
}

/// The tree of one job on one machine.
pub(super) struct Tree<'p> {
    problem: &'p Problem,
    ends: Ends,
    levels: Vec<Level>,
    tries: Tries,
    node_of: Vec<u16>,
    /// What each task sends and receives, in ticks.
    volume: Vec<u64>,
    limit: u64,
    pub(super) record: Record,
}

impl<'p> Tree<'p> {
    pub(super) fn new(problem: &'p Problem) -> Self {
        let ends = Ends::new(problem);
        Self {
            problem,
            tries: Tries::new(problem, &ends),
            ends,
            levels: (0..=problem.tasks).map(|_| Level::new(problem)).collect(),
            node_of: vec![NOWHERE; problem.tasks],
            volume: volume(problem),
            limit: 0,
            record: Record::default(),
        }
    }

    /// Looks at all placements below the limit; what is the limit in the end.
    pub(super) fn run(&mut self, limit: u64, leaves: &mut impl Leaves) -> (Closed, u64) {
        self.limit = limit;
        self.record.clear();
        self.node_of.fill(NOWHERE);
        self.tries.together = Together::new(&self.problem.cuts, limit);
        self.tries.least_cut = self.tries.together.least_cut;
        self.levels[0].restart(self.problem, &self.tries.together);
        (self.descend(0, leaves), self.limit)
    }

    /// Had the limit been anything up to here, the last run had been the same.
    pub(super) fn least_cut(&self) -> u64 {
        self.tries.least_cut
    }

    /// The sets of nodes over whose borders it looked, as ranges.
    pub(super) fn zones(&self) -> Vec<Vec<[u32; 2]>> {
        self.tries.together.ranges()
    }

    fn descend(&mut self, depth: usize, leaves: &mut impl Leaves) -> Closed {
        if leaves.stops() {
            return Closed::Stopped;
        }
        let Self { problem, ends, levels, node_of, tries, limit, .. } = self;
        let Some(ticks) = tries.narrow(problem, ends, &mut levels[depth], node_of, *limit) else {
            self.record.push(Token::Closed);
            return Closed::All;
        };
        if depth == problem.tasks {
            self.limit = leaves.leaf(node_of, ticks, *limit);
            self.record.push(Token::Leaf);
            return Closed::All;
        }
        let task = self.choose(depth);
        self.record.push(Token::Task(task));
        self.list_children(depth, task);
        for index in 0..self.levels[depth].children.len() {
            let (ticks, node) = self.levels[depth].children[index];
            let is_excluded = !self.levels[depth].domains[usize::from(task)].contains(node);
            if is_excluded || ticks >= self.limit {
                if !is_excluded {
                    self.tries.least_cut = self.tries.least_cut.min(ticks);
                }
                continue;
            }
            self.record.push(Token::Node(node));
            self.enter(depth, task, node);
            let closed = self.descend(depth + 1, leaves);
            self.node_of[usize::from(task)] = NOWHERE;
            if closed == Closed::Stopped {
                return closed;
            }
            if !self.levels[depth].exclude(self.problem, task, node, &self.node_of) {
                break;
            }
        }
        self.record.push(Token::End);
        Closed::All
    }

    fn enter(&mut self, depth: usize, task: u16, node: u16) {
        let (before, after) = self.levels.split_at_mut(depth + 1);
        let (before, level) = (&before[depth], &mut after[0]);
        level.loads.copy_from(&before.loads);
        level.loads.place(self.problem, &self.ends, task, node, &self.node_of);
        level.enter(before, self.problem, task, node);
        self.node_of[usize::from(task)] = node;
    }

    /// The task with the fewest nodes left; of equal ones the one with the most to do with those placed.
    fn choose(&self, depth: usize) -> u16 {
        let key = |&task: &usize| {
            let is_placed = |partner: u16| self.node_of[usize::from(partner)] != NOWHERE;
            let placed =
                |ends: &[super::loads::End]| ends.iter().filter(|end| is_placed(end.partner)).count();
            let known: usize = self.ends.runs[task].iter().map(|&run| placed(self.ends.of(run))).sum();
            (self.levels[depth].domains[task].len(), usize::MAX - known, u64::MAX - self.volume[task])
        };
        let open = (0..self.problem.tasks).filter(|&task| self.node_of[task] == NOWHERE);
        open.min_by_key(key).expect("a task is open") as u16
    }

    fn list_children(&mut self, depth: usize, task: u16) {
        let (task, Level { domains, ticks, children, .. }) = (usize::from(task), &mut self.levels[depth]);
        let total: u64 = ticks.iter().sum();
        children.clear();
        for node in domains[task].iter() {
            let tried = self.ends.runs[task].iter().zip(self.tries.of(&self.ends, task, node));
            let more = tried.map(|(run, tried)| tried.saturating_sub(ticks[usize::from(run.pattern)]));
            children.push((total + more.sum::<u64>(), node));
        }
        children.sort_unstable();
    }
}

/// What each task sends and receives, in ticks.
fn volume(problem: &Problem) -> Vec<u64> {
    let mut volume = vec![0u64; problem.tasks];
    for pattern in &problem.patterns {
        let scale: u64 = match &pattern.value {
            Value::Counted(sizes) => sizes.iter().map(|size| size.times * size.body).sum(),
            Value::Weighed(size) => size.times,
        };
        for message in &pattern.messages {
            for end in [message.source, message.target] {
                volume[usize::from(end)] = volume[usize::from(end)].saturating_add(scale * message.body);
            }
        }
    }
    volume
}
