//! The links under the tasks that are placed, and what one more would add.
//!
//! A message occupies each of its links for its body; one link serves one message after the other. So of the messages on a link
//! the phase takes at least
//!
//! ```text
//! start + the least time before the link + the sum of their bodies + the least time after it
//! ```
//!
//! This holds for any part of the messages of the complete placement, so the most that was seen on the way down holds on.

use super::pattern::{Extent, PatternMessage, Problem};

/// No task is there, or nowhere.
pub(super) const NOWHERE: u16 = u16::MAX;

/// What the messages of a pattern lay on a link.
#[derive(Clone, Copy, Debug)]
struct OnLink {
    sum: u64,
    before: u64,
    after: u64,
}

const NOTHING: OnLink = OnLink { sum: 0, before: u64::MAX, after: u64::MAX };

/// A message, seen from one of its tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) partner: u16,
    sends: bool,
    body: u64,
    step: u64,
}

/// The messages of a task in one pattern: a range of [`Ends`].
#[derive(Clone, Copy, Debug)]
pub(super) struct EndRun {
    pub(super) pattern: u16,
    first: u32,
    last: u32,
}

/// The messages of each task, pattern by pattern.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    pub(super) runs: Vec<Vec<EndRun>>,
    ends: Vec<End>,
}

impl Ends {
    pub(super) fn new(problem: &Problem) -> Self {
        let (mut runs, mut ends) = (vec![Vec::new(); problem.tasks], Vec::new());
        for task in 0..problem.tasks as u16 {
            for (index, pattern) in problem.patterns.iter().enumerate() {
                let first = ends.len() as u32;
                for &PatternMessage { source, target, body, step } in &pattern.messages {
                    if source == task {
                        ends.push(End { partner: target, sends: true, body, step });
                    } else if target == task {
                        ends.push(End { partner: source, sends: false, body, step });
                    }
                }
                if ends.len() as u32 > first {
                    let run = EndRun { pattern: index as u16, first, last: ends.len() as u32 };
                    runs[usize::from(task)].push(run);
                }
            }
        }
        Self { runs, ends }
    }

    #[inline]
    pub(super) fn of(&self, run: EndRun) -> &[End] {
        &self.ends[run.first as usize..run.last as usize]
    }
}

/// What is on every link, pattern by pattern.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    on: Vec<OnLink>,
    pub(super) extents: Vec<Extent>,
    /// Entries of `on` before a try.
    undo: Vec<(u32, OnLink)>,
}

impl Loads {
    pub(super) fn new(problem: &Problem) -> Self {
        let patterns = problem.patterns.len();
        Self {
            on: vec![NOTHING; patterns * problem.links],
            extents: vec![Extent::default(); patterns],
            undo: Vec::new(),
        }
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.on.copy_from_slice(&other.on);
        self.extents.copy_from_slice(&other.extents);
    }

    /// Lays the messages of a run that lead to placed tasks; the extent of the pattern then.
    #[inline]
    fn lay(
        &mut self,
        problem: &Problem,
        (pattern, ends): (usize, &[End]),
        node: u16,
        node_of: &[u16],
    ) -> Extent {
        let counted = problem.patterns[pattern].is_counted();
        let mut extent = self.extents[pattern];
        for end in ends {
            let other = node_of[usize::from(end.partner)];
            if other == NOWHERE {
                continue;
            }
            let (from, to) = if end.sends { (node, other) } else { (other, node) };
            let route = problem.routes.route(from, to);
            let length = route.len() as u64;
            let far = if counted { length } else { end.body + (length - 1) * end.step };
            extent.far = extent.far.max(far);
            for (at, &link) in (0..).zip(route) {
                let slot = pattern * problem.links + link as usize;
                let on = &mut self.on[slot];
                self.undo.push((slot as u32, *on));
                on.sum += end.body;
                on.before = on.before.min(at * end.step);
                on.after = on.after.min((length - 1 - at) * end.step);
                let around = on.before + on.after;
                let is_more = match counted {
                    true => (on.sum, around) > (extent.busiest, extent.around),
                    false => on.sum + around > extent.busiest + extent.around,
                };
                if is_more {
                    (extent.busiest, extent.around) = (on.sum, around);
                }
            }
        }
        extent
    }

    /// The extent of a pattern if a task were on a node.
    #[inline]
    pub(super) fn with(
        &mut self,
        problem: &Problem,
        run: (usize, &[End]),
        node: u16,
        node_of: &[u16],
    ) -> Extent {
        let extent = self.lay(problem, run, node, node_of);
        while let Some((slot, on)) = self.undo.pop() {
            self.on[slot as usize] = on;
        }
        extent
    }

    /// Places a task.
    pub(super) fn place(&mut self, problem: &Problem, ends: &Ends, task: u16, node: u16, node_of: &[u16]) {
        for &run in &ends.runs[usize::from(task)] {
            let pattern = usize::from(run.pattern);
            self.extents[pattern] = self.lay(problem, (pattern, ends.of(run)), node, node_of);
            self.undo.clear();
        }
    }
}
