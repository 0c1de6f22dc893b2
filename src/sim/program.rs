//! A schedule as a workload: the state of all ranks, and which step lets which begin.

use std::collections::VecDeque;
use std::ops::Range;

use super::engine::{Driver, Engine};
use crate::schedule::{MatchedMessage, Op, Schedule};

/// What a step does, by dense numbers.
#[derive(Clone, Copy)]
enum Act {
    Send(u32),
    Recv(u32),
    /// An entry of the list of computations.
    Calc(u32),
    /// A computation of no length is a meeting point, not work.
    Point,
}

/// A step of some rank. The lists of two steps in a row are next to each other, so one entry ends where the
/// next begins.
#[derive(Clone, Copy)]
struct Step {
    act: Act,
    /// How many starts and ends it still waits for.
    missing: u32,
    /// Where the steps that wait for its start begin.
    after_start: u32,
    /// Where the steps that wait for its end begin.
    after_end: u32,
}

/// The two ends of a message, and how far they are.
#[derive(Clone, Copy)]
struct Ends {
    send_step: u32,
    recv_step: u32,
    started: bool,
    arrived: bool,
    /// Whether the receive has begun.
    reached: bool,
}

/// The state of all ranks.
pub(super) struct Program {
    /// The steps of all ranks, and one more where the lists end.
    steps: Vec<Step>,
    after_start: Vec<u32>,
    after_end: Vec<u32>,
    messages: Vec<Ends>,
    /// Rank and ticks.
    calcs: Vec<(u32, u64)>,
    processor_free: Vec<u64>,
    /// Per message the ticks from its start to its last byte; the time of its start while it is on the way.
    latency: Vec<u64>,
    /// When the last message arrived or the last step ended.
    pub(super) end: u64,
    unfinished: usize,
    /// Steps whose last dependency is met, not yet begun: first ready, first begun.
    ready: VecDeque<u32>,
}

impl Program {
    /// All ranks before their first steps; `matched` are the messages by rank and step of the send.
    pub(super) fn new(schedule: &Schedule, matched: &[MatchedMessage], ticks_per_cycle: u64) -> Self {
        let (mut first, mut count) = (Vec::with_capacity(schedule.ranks.len()), 0);
        for rank in &schedule.ranks {
            first.push(count as u32);
            count += rank.ops.len();
        }
        let (mut steps, mut calcs, mut sends) = (Vec::with_capacity(count + 1), Vec::new(), 0);
        for (rank, program) in (0..).zip(&schedule.ranks) {
            steps.extend(program.ops.iter().map(|op| {
                let act = match *op {
                    Op::Send { .. } => {
                        sends += 1;
                        Act::Send(sends - 1)
                    }
                    // Which message it is follows from the pairs, below.
                    Op::Recv { .. } => Act::Recv(u32::MAX),
                    Op::Calc { cycles } if cycles.0 == 0 => Act::Point,
                    Op::Calc { cycles } => {
                        calcs.push((rank, cycles.0 * ticks_per_cycle));
                        Act::Calc(calcs.len() as u32 - 1)
                    }
                };
                Step { act, missing: 0, after_start: 0, after_end: 0 }
            }));
        }
        let messages = (0..).zip(matched).map(|(message, pair)| {
            let send_step = first[pair.source.index()] + pair.source_step;
            let recv_step = first[pair.target.index()] + pair.target_step;
            steps[recv_step as usize].act = Act::Recv(message);
            Ends { send_step, recv_step, started: false, arrived: false, reached: false }
        });
        let messages: Vec<Ends> = messages.collect();
        steps.push(Step { act: Act::Point, missing: 0, after_start: 0, after_end: 0 });
        let (after_start, after_end) = successors(schedule, &mut steps);
        let ready = (0..count as u32).filter(|&step| steps[step as usize].missing == 0).collect();
        Self {
            steps,
            after_start,
            after_end,
            calcs,
            processor_free: vec![0; schedule.ranks.len()],
            latency: vec![0; messages.len()],
            messages,
            end: 0,
            unfinished: count,
            ready,
        }
    }

    /// Whether every step has ended.
    pub(super) fn is_over(&self) -> bool {
        self.unfinished == 0
    }

    /// The messages that were started and have not arrived.
    pub(super) fn on_the_way(&self) -> Vec<u32> {
        let messages = (0..).zip(&self.messages);
        messages.filter(|(_, ends)| ends.started && !ends.arrived).map(|(message, _)| message).collect()
    }

    /// Per message the ticks from its start to its last byte, 0 if it did not arrive.
    pub(super) fn into_latencies(mut self) -> Vec<u64> {
        if !self.is_over() {
            for (latency, _) in self.latency.iter_mut().zip(&self.messages).filter(|(_, ends)| !ends.arrived)
            {
                *latency = 0;
            }
        }
        self.latency
    }

    /// Begins every step that can begin, and all that this lets begin.
    pub(super) fn begin(&mut self, engine: &mut impl Engine) {
        let now = engine.now();
        while let Some(step) = self.ready.pop_front() {
            match self.steps[step as usize].act {
                Act::Send(message) => {
                    self.messages[message as usize].started = true;
                    self.latency[message as usize] = now;
                    engine.start(message, now);
                }
                Act::Recv(message) => {
                    let ends = &mut self.messages[message as usize];
                    ends.reached = true;
                    if ends.arrived {
                        self.finish(step, now);
                    }
                }
                Act::Point => self.finish(step, now),
                Act::Calc(calc) => {
                    let (rank, ticks) = self.calcs[calc as usize];
                    let free = &mut self.processor_free[rank as usize];
                    *free = (*free).max(now) + ticks;
                    engine.set_timer(step, *free);
                }
            }
            if !self.after_start.is_empty() {
                for index in self.waiting(step, |step| step.after_start) {
                    self.count_down(self.after_start[index]);
                }
            }
        }
    }

    /// Where one of the two lists of a step lies.
    #[inline]
    fn waiting(&self, step: u32, begin: impl Fn(&Step) -> u32) -> Range<usize> {
        let [this, next] = [0, 1].map(|more| begin(&self.steps[step as usize + more]) as usize);
        this..next
    }

    fn finish(&mut self, step: u32, now: u64) {
        self.end = self.end.max(now);
        self.unfinished -= 1;
        for index in self.waiting(step, |step| step.after_end) {
            self.count_down(self.after_end[index]);
        }
    }

    fn count_down(&mut self, step: u32) {
        let missing = &mut self.steps[step as usize].missing;
        *missing -= 1;
        if *missing == 0 {
            self.ready.push_back(step);
        }
    }
}

/// Fills in what waits for what: the steps that wait for the start of each step, and for its end, in increasing
/// order.
fn successors(schedule: &Schedule, steps: &mut [Step]) -> (Vec<u32>, Vec<u32>) {
    let mut base = 0;
    for program in &schedule.ranks {
        for dependency in &program.dependencies {
            let on = &mut steps[base + dependency.on as usize];
            *(if dependency.start_only { &mut on.after_start } else { &mut on.after_end }) += 1;
            steps[base + dependency.step as usize].missing += 1;
        }
        base += program.ops.len();
    }
    // From how many to where they end; filling moves each end down to the begin.
    let (mut starts, mut ends) = (0, 0);
    for step in &mut *steps {
        starts += step.after_start;
        ends += step.after_end;
        (step.after_start, step.after_end) = (starts, ends);
    }
    let (mut after_start, mut after_end) = (vec![0; starts as usize], vec![0; ends as usize]);
    base = 0;
    for program in &schedule.ranks {
        for dependency in program.dependencies.iter().rev() {
            let on = &mut steps[base + dependency.on as usize];
            let (begin, list) = if dependency.start_only {
                (&mut on.after_start, &mut after_start)
            } else {
                (&mut on.after_end, &mut after_end)
            };
            *begin -= 1;
            list[*begin as usize] = (base + dependency.step as usize) as u32;
        }
        base += program.ops.len();
    }
    for pair in steps.windows(2) {
        after_start[pair[0].after_start as usize..pair[1].after_start as usize].sort_unstable();
        after_end[pair[0].after_end as usize..pair[1].after_end as usize].sort_unstable();
    }
    (after_start, after_end)
}

impl<E: Engine> Driver<E> for Program {
    const WANTS_SENT: bool = true;

    fn sent(&mut self, engine: &mut E, message: u32) {
        self.finish(self.messages[message as usize].send_step, engine.now());
        self.begin(engine);
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        let (m, now) = (message as usize, engine.now());
        let ends = &mut self.messages[m];
        assert!(ends.started, "only what was started arrives");
        ends.arrived = true;
        let Ends { reached, recv_step, .. } = *ends;
        self.latency[m] = now - self.latency[m];
        self.end = self.end.max(now);
        if reached {
            self.finish(recv_step, now);
            self.begin(engine);
        }
    }

    fn timer(&mut self, engine: &mut E, step: u32) {
        self.finish(step, engine.now());
        self.begin(engine);
    }
}
