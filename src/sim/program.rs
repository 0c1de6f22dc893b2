//! A schedule as a workload: the state of all ranks, and which step lets which begin.

use std::collections::VecDeque;

use super::engine::{Driver, Engine};
use crate::schedule::{MatchedMessage, Op, Rank, Schedule};
use crate::units::Cycles;

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
    /// Where the steps that wait for its end begin.
    after: u32,
}

impl Step {
    /// A step nobody waits for yet.
    fn new(act: Act) -> Self {
        Self { act, missing: 0, after: 0 }
    }
}

/// The two ends of a message, and how far they are.
#[derive(Clone, Copy)]
struct Ends {
    /// When it started; from its arrival on, how long it took.
    ticks: u64,
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
    /// The steps that wait for ends.
    after: Followers,
    /// The steps that wait for starts.
    after_start: Followers,
    /// Where the steps that wait for the start of each step begin, and where the last end; empty if there are none.
    starts: Vec<u32>,
    messages: Vec<Ends>,
    /// Rank and cycles.
    calcs: Vec<(u32, Cycles)>,
    ticks_per_cycle: u64,
    processor_free: Vec<u64>,
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
        let mut program = Self {
            steps: Vec::with_capacity(count + 1),
            after: Followers::default(),
            after_start: Followers::default(),
            starts: Vec::new(),
            messages: Vec::with_capacity(matched.len()),
            calcs: Vec::new(),
            ticks_per_cycle,
            processor_free: vec![0; schedule.ranks.len()],
            end: 0,
            unfinished: count,
            ready: VecDeque::new(),
        };
        let mut sends = 0;
        for (number, rank) in (0..).zip(&schedule.ranks) {
            program.add_rank(number, rank, &mut sends);
        }
        program.steps.push(Step { after: program.after.list.len() as u32, ..Step::new(Act::Point) });
        if !program.starts.is_empty() {
            program.starts.push(program.after_start.list.len() as u32);
        }
        for (message, pair) in (0..).zip(matched) {
            let send_step = first[pair.source.index()] + pair.source_step;
            let recv_step = first[pair.target.index()] + pair.target_step;
            program.steps[recv_step as usize].act = Act::Recv(message);
            let ends =
                Ends { ticks: 0, send_step, recv_step, started: false, arrived: false, reached: false };
            program.messages.push(ends);
        }
        program
    }

    /// Appends the steps of a rank and what waits for them.
    fn add_rank(&mut self, number: u32, rank: &Rank, sends: &mut u32) {
        let base = self.steps.len();
        for op in &rank.ops {
            let act = match *op {
                Op::Send { .. } => {
                    *sends += 1;
                    Act::Send(*sends - 1)
                }
                // Which message it is follows from the pairs.
                Op::Recv { .. } => Act::Recv(u32::MAX),
                Op::Calc { cycles } if cycles.0 == 0 => Act::Point,
                Op::Calc { cycles } => {
                    self.calcs.push((number, cycles));
                    Act::Calc(self.calcs.len() as u32 - 1)
                }
            };
            self.steps.push(Step::new(act));
        }
        let steps = &mut self.steps[base..];
        let mut waits_for_starts = false;
        for dependency in &rank.dependencies {
            steps[dependency.step as usize].missing += 1;
            waits_for_starts |= dependency.start_only;
        }
        let begins = self.after.append(rank, base, false);
        for (step, &begin) in steps.iter_mut().zip(begins) {
            step.after = begin;
        }
        self.ready.extend((base as u32..).zip(steps).filter(|(_, s)| s.missing == 0).map(|(step, _)| step));
        if waits_for_starts || !self.starts.is_empty() {
            self.starts.resize(base, 0);
            self.starts.extend_from_slice(self.after_start.append(rank, base, true));
        }
    }

    /// How long each computation takes.
    pub(super) fn computations(&self) -> impl Iterator<Item = Cycles> {
        self.calcs.iter().map(|&(_, cycles)| cycles)
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
    pub(super) fn into_latencies(self) -> Vec<u64> {
        self.messages.into_iter().map(|ends| if ends.arrived { ends.ticks } else { 0 }).collect()
    }

    /// Begins every step that can begin, and all that this lets begin.
    pub(super) fn begin(&mut self, engine: &mut impl Engine) {
        let now = engine.now();
        while let Some(step) = self.ready.pop_front() {
            match self.steps[step as usize].act {
                Act::Send(message) => {
                    let ends = &mut self.messages[message as usize];
                    (ends.started, ends.ticks) = (true, now);
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
                    let (rank, Cycles(cycles)) = self.calcs[calc as usize];
                    let free = &mut self.processor_free[rank as usize];
                    *free = (*free).max(now) + cycles * self.ticks_per_cycle;
                    engine.set_timer(step, *free);
                }
            }
            if !self.starts.is_empty() {
                let [this, next] = [0, 1].map(|more| self.starts[step as usize + more] as usize);
                for index in this..next {
                    self.count_down(self.after_start.list[index]);
                }
            }
        }
    }

    fn finish(&mut self, step: u32, now: u64) {
        self.end = self.end.max(now);
        self.unfinished -= 1;
        let [this, next] = [0, 1].map(|more| self.steps[step as usize + more].after as usize);
        for index in this..next {
            self.count_down(self.after.list[index]);
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

/// For each step the steps that wait for it, in increasing order: one list after the other.
#[derive(Default)]
struct Followers {
    list: Vec<u32>,
    /// Where the lists of the rank added last begin.
    begins: Vec<u32>,
}

impl Followers {
    /// Appends the lists of a rank whose first step is number `base`, for waits of one kind. Returns where each list
    /// begins.
    fn append(&mut self, rank: &Rank, base: usize, start_only: bool) -> &[u32] {
        let Self { list, begins } = self;
        let first = list.len();
        begins.clear();
        begins.resize(rank.ops.len(), 0);
        let chosen = || rank.dependencies.iter().filter(|dependency| dependency.start_only == start_only);
        for dependency in chosen() {
            begins[dependency.on as usize] += 1;
        }
        // From how many to where they end; filling moves each end down to the begin.
        let mut end = first as u32;
        for count in &mut *begins {
            end += *count;
            *count = end;
        }
        list.resize(end as usize, 0);
        for dependency in chosen().rev() {
            let begin = &mut begins[dependency.on as usize];
            *begin -= 1;
            list[*begin as usize] = (base + dependency.step as usize) as u32;
        }
        if !rank.dependencies.is_sorted_by_key(|dependency| dependency.step) {
            let ends = begins.iter().skip(1).copied().chain([end]);
            for (begin, end) in begins.iter().zip(ends) {
                list[*begin as usize..end as usize].sort_unstable();
            }
        }
        begins
    }
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
        (ends.arrived, ends.ticks) = (true, now - ends.ticks);
        let Ends { reached, recv_step, .. } = *ends;
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
