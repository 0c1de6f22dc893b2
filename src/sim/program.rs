//! A schedule as a workload: the state of all ranks, and which step lets which begin.

use std::collections::VecDeque;

use super::engine::{Driver, Engine};
use crate::schedule::{MatchedMessage, Op, Schedule};
use crate::units::NodeId;

/// Lists of numbers in one array: the list of i is `items[first[i]..first[i + 1]]`.
struct Lists {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(owners: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        let mut first = vec![0u32; owners + 1];
        for &(owner, _) in &pairs {
            first[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            first[owner + 1] += first[owner];
        }
        Self { first, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    fn of(&self, owner: u32) -> std::ops::Range<usize> {
        self.first[owner as usize] as usize..self.first[owner as usize + 1] as usize
    }
}

/// What a step does, by dense numbers.
#[derive(Clone, Copy)]
enum Step {
    Send { message: u32 },
    Recv { message: u32 },
    Calc { rank: u32, ticks: u64 },
}

/// The state of all ranks.
pub(super) struct Program {
    steps: Vec<Step>,
    missing: Vec<u32>,
    after_start: Lists,
    after_end: Lists,
    send_step: Vec<u32>,
    recv_step: Vec<u32>,
    started: Vec<Option<u64>>,
    arrived: Vec<bool>,
    reached: Vec<bool>,
    processor_free: Vec<u64>,
    pub(super) latency: Vec<u64>,
    pub(super) end: u64,
    /// Steps whose last dependency is met, not yet begun: first ready, first begun.
    ready: VecDeque<u32>,
}

impl Program {
    pub(super) fn new(schedule: &Schedule, matched: &[MatchedMessage], ticks_per_cycle: u64) -> Self {
        let mut first = vec![0u32];
        first.extend(schedule.ranks.iter().scan(0, |sum, rank| {
            *sum += rank.ops.len() as u32;
            Some(*sum)
        }));
        let step_of = |rank: NodeId, step: u32| first[rank.index()] + step;
        let all = *first.last().expect("it starts with 0") as usize;
        let mut steps = Vec::with_capacity(all);
        let (mut missing, mut starts, mut ends) = (vec![0; all], Vec::new(), Vec::new());
        for (rank, program) in (0..).zip(&schedule.ranks) {
            steps.extend(program.ops.iter().map(|op| match op {
                // Sends and receives learn their message below.
                Op::Send { .. } => Step::Send { message: 0 },
                Op::Recv { .. } => Step::Recv { message: 0 },
                Op::Calc { cycles } => Step::Calc { rank, ticks: cycles.0 * ticks_per_cycle },
            }));
            for dependency in &program.dependencies {
                let base = first[rank as usize];
                let pair = (base + dependency.on, base + dependency.step);
                if dependency.start_only {
                    starts.push(pair);
                } else {
                    ends.push(pair);
                }
                missing[pair.1 as usize] += 1;
            }
        }
        for (message, pair) in (0..).zip(matched) {
            steps[step_of(pair.source, pair.source_step) as usize] = Step::Send { message };
            steps[step_of(pair.target, pair.target_step) as usize] = Step::Recv { message };
        }
        Self {
            after_start: Lists::new(all, starts),
            after_end: Lists::new(all, ends),
            send_step: matched.iter().map(|m| step_of(m.source, m.source_step)).collect(),
            recv_step: matched.iter().map(|m| step_of(m.target, m.target_step)).collect(),
            started: vec![None; matched.len()],
            arrived: vec![false; matched.len()],
            reached: vec![false; matched.len()],
            processor_free: vec![0; schedule.ranks.len()],
            latency: vec![0; matched.len()],
            end: 0,
            ready: (0..all as u32).filter(|&step| missing[step as usize] == 0).collect(),
            steps,
            missing,
        }
    }

    pub(super) fn is_on_the_way(&self, message: u32) -> bool {
        self.started[message as usize].is_some() && !self.arrived[message as usize]
    }

    /// Begins every step that can begin, and all that this lets begin.
    pub(super) fn begin(&mut self, engine: &mut impl Engine) {
        while let Some(step) = self.ready.pop_front() {
            match self.steps[step as usize] {
                Step::Send { message } => {
                    self.started[message as usize] = Some(engine.now());
                    engine.start(message, engine.now());
                }
                Step::Recv { message } => {
                    self.reached[message as usize] = true;
                    if self.arrived[message as usize] {
                        self.finish(step, engine.now());
                    }
                }
                // A computation of no length is a meeting point, not work.
                Step::Calc { ticks: 0, .. } => self.finish(step, engine.now()),
                Step::Calc { rank, ticks } => {
                    let free = &mut self.processor_free[rank as usize];
                    *free = (*free).max(engine.now()) + ticks;
                    engine.set_timer(step, *free);
                }
            }
            for index in self.after_start.of(step) {
                self.count_down(self.after_start.items[index]);
            }
        }
    }

    fn finish(&mut self, step: u32, now: u64) {
        self.end = self.end.max(now);
        for index in self.after_end.of(step) {
            self.count_down(self.after_end.items[index]);
        }
    }

    fn count_down(&mut self, step: u32) {
        self.missing[step as usize] -= 1;
        if self.missing[step as usize] == 0 {
            self.ready.push_back(step);
        }
    }
}

impl<E: Engine> Driver<E> for Program {
    const WANTS_SENT: bool = true;

    fn sent(&mut self, engine: &mut E, message: u32) {
        self.finish(self.send_step[message as usize], engine.now());
        self.begin(engine);
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        let m = message as usize;
        let started = self.started[m].expect("only what was started arrives");
        self.latency[m] = engine.now() - started;
        self.arrived[m] = true;
        self.end = self.end.max(engine.now());
        if self.reached[m] {
            self.finish(self.recv_step[m], engine.now());
            self.begin(engine);
        }
    }

    fn timer(&mut self, engine: &mut E, step: u32) {
        self.finish(step, engine.now());
        self.begin(engine);
    }
}
