//! A schedule as a workload: the state of all ranks, and which step lets which begin.

use std::collections::VecDeque;

use super::engine::{Control, Driver};
use meshwright_core::csr::Csr;
use meshwright_core::units::Cycles;
use meshwright_schedule::{Awaits, MatchedMessage, Op, Rank, Schedule};

/// What a step does, by dense numbers.
#[derive(Clone, Copy)]
enum Act {
    Send(u32),
    /// A send that is the copy of what its router takes in.
    Relay(u32),
    Recv(u32),
    /// An entry of the list of computations.
    Calc(u32),
    /// A computation of no length is a meeting point, not work.
    Point,
}

/// A step of some rank.
#[derive(Clone, Copy)]
struct StepState {
    act: Act,
    /// How many starts and ends it still waits for.
    missing: u32,
    /// The steps that wait for its end.
    after: Followers,
}

/// Steps that wait for a step: mostly some in a row, otherwise a part of a list.
#[derive(Clone, Copy, Default)]
struct Followers {
    /// The first step, or where the part begins.
    first: u32,
    /// How many steps there are; [`LISTED`] more if they stand in the list.
    many: u32,
}

/// What marks followers that stand in the list.
const LISTED: u32 = 1 << 31;

/// The two ends of a message, and how far they are.
#[derive(Clone, Copy)]
struct Ends {
    /// When it started; from its arrival on, how long it took.
    ticks: u64,
    send_step: u32,
    recv_step: u32,
    started: bool,
    /// Whether its head has arrived, where anybody relays.
    headed: bool,
    arrived: bool,
    /// Whether the receive has begun.
    reached: bool,
}

/// The state of all ranks.
pub(super) struct ScheduleProgram {
    /// The steps of all ranks.
    steps: Vec<StepState>,
    /// The steps that wait for the start of each step; empty if no step waits for a start.
    after_start: Vec<Followers>,
    /// The same for those that relay what a receive takes in.
    after_head: Vec<Followers>,
    /// Followers that are not in a row.
    list: Vec<u32>,
    messages: Vec<Ends>,
    /// Rank, processor and cycles.
    calcs: Vec<(u32, u32, Cycles)>,
    ticks_per_cycle: u64,
    /// By rank where its processors begin, and by processor until when it computes.
    first_processor: Vec<u32>,
    processor_free: Vec<u64>,
    /// When the last message arrived or the last step ended.
    pub(super) end: u64,
    unfinished: usize,
    /// Steps whose last dependency is met, not yet begun: first ready, first begun.
    ready: VecDeque<u32>,
}

impl ScheduleProgram {
    /// All ranks before their first steps; `matched` are the messages by rank and step of the send.
    pub(super) fn new(schedule: &Schedule, matched: &[MatchedMessage], ticks_per_cycle: u64) -> Self {
        let (mut first, mut count) = (Vec::with_capacity(schedule.ranks.len()), 0);
        for rank in &schedule.ranks {
            first.push(count as u32);
            count += rank.ops.len();
        }
        let mut program = Self {
            steps: Vec::with_capacity(count),
            after_start: Vec::new(),
            after_head: Vec::new(),
            list: Vec::new(),
            messages: Vec::with_capacity(matched.len()),
            calcs: Vec::new(),
            ticks_per_cycle,
            first_processor: Vec::with_capacity(schedule.ranks.len()),
            processor_free: Vec::with_capacity(schedule.ranks.len()),
            end: 0,
            unfinished: count,
            ready: VecDeque::new(),
        };
        let mut sends = 0;
        for (number, rank) in (0..).zip(&schedule.ranks) {
            program.add_rank(number, rank, &mut sends);
        }
        for (message, pair) in (0..).zip(matched) {
            let send_step = first[pair.source.index()] + pair.source_step;
            let recv_step = first[pair.target.index()] + pair.target_step;
            program.steps[recv_step as usize].act = Act::Recv(message);
            program.messages.push(Ends {
                ticks: 0,
                send_step,
                recv_step,
                started: false,
                headed: false,
                arrived: false,
                reached: false,
            });
        }
        program
    }

    /// Appends the steps of a rank and what waits for them.
    fn add_rank(&mut self, number: u32, rank: &Rank, sends: &mut u32) {
        let base = self.steps.len();
        let first = self.processor_free.len();
        self.first_processor.push(first as u32);
        let processors = rank.processors.iter().max().map_or(1, |&last| usize::from(last) + 1);
        self.processor_free.resize(first + processors, 0);
        for (step, op) in rank.ops.iter().enumerate() {
            let act = match *op {
                Op::Send { .. } => {
                    *sends += 1;
                    Act::Send(*sends - 1)
                }
                // Which message it is follows from the pairs.
                Op::Recv { .. } => Act::Recv(u32::MAX),
                Op::Calc { cycles } if cycles.0 == 0 => Act::Point,
                Op::Calc { cycles } => {
                    self.calcs.push((number, rank.processor(step).into(), cycles));
                    Act::Calc(self.calcs.len() as u32 - 1)
                }
            };
            self.steps.push(StepState { act, missing: 0, after: Followers::default() });
        }
        let steps = &mut self.steps[base..];
        let (mut waits_for_starts, mut relays) = (false, false);
        for dependency in &rank.dependencies {
            let step = &mut steps[dependency.step as usize];
            step.missing += 1;
            waits_for_starts |= dependency.awaits == Awaits::Start;
            if let (Awaits::Head, Act::Send(message)) = (dependency.awaits, step.act) {
                (step.act, relays) = (Act::Relay(message), true);
            }
        }
        self.ready.extend((base as u32..).zip(&*steps).filter(|(_, s)| s.missing == 0).map(|(step, _)| step));
        for (step, waiting) in steps.iter_mut().zip(waits(rank, base as u32, Awaits::End).rows()) {
            step.after = followers(waiting, &mut self.list);
        }
        for (awaits, is_some, after) in [
            (Awaits::Start, waits_for_starts, &mut self.after_start),
            (Awaits::Head, relays, &mut self.after_head),
        ] {
            if is_some || !after.is_empty() {
                after.resize(base, Followers::default());
                for waiting in waits(rank, base as u32, awaits).rows() {
                    after.push(followers(waiting, &mut self.list));
                }
            }
        }
    }

    /// How long each computation takes.
    pub(super) fn computations(&self) -> impl Iterator<Item = Cycles> {
        self.calcs.iter().map(|&(_, _, cycles)| cycles)
    }

    /// Whether some send is the copy of what its router takes in.
    pub(super) fn has_relays(&self) -> bool {
        !self.after_head.is_empty()
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

    /// How many messages have arrived.
    pub(super) fn arrived(&self) -> u64 {
        self.messages.iter().filter(|ends| ends.arrived).count() as u64
    }

    /// Per message the ticks from its start to its last byte, 0 if it did not arrive.
    pub(super) fn into_latencies(self) -> Vec<u64> {
        self.messages.into_iter().map(|ends| if ends.arrived { ends.ticks } else { 0 }).collect()
    }

    /// The rank of a computation of some length with the processor of it, and how many ticks it takes.
    pub(super) fn computation(&self, step: u32) -> ((u32, u32), u64) {
        let Act::Calc(calc) = self.steps[step as usize].act else {
            unreachable!("only computations of some length have timers")
        };
        let (rank, processor, cycles) = self.calcs[calc as usize];
        ((rank, processor), cycles.0 * self.ticks_per_cycle)
    }

    /// Begins every step that can begin, and all that this lets begin.
    pub(super) fn begin(&mut self, engine: &mut impl Control) {
        let now = engine.now();
        while let Some(step) = self.ready.pop_front() {
            match self.steps[step as usize].act {
                Act::Send(message) => {
                    let ends = &mut self.messages[message as usize];
                    (ends.started, ends.ticks) = (true, now);
                    engine.start(message, now);
                }
                Act::Relay(message) => {
                    let ends = &mut self.messages[message as usize];
                    (ends.started, ends.ticks) = (true, now);
                    engine.relay(message, now);
                }
                Act::Recv(message) => {
                    let ends = &mut self.messages[message as usize];
                    ends.reached = true;
                    let Ends { headed, arrived, .. } = *ends;
                    if headed {
                        self.relay(step);
                    }
                    if arrived {
                        self.finish(step, now);
                    }
                }
                Act::Point => self.finish(step, now),
                Act::Calc(calc) => {
                    let (rank, processor, Cycles(cycles)) = self.calcs[calc as usize];
                    let at = self.first_processor[rank as usize] + processor;
                    let free = &mut self.processor_free[at as usize];
                    *free = (*free).max(now) + cycles * self.ticks_per_cycle;
                    engine.set_timer(step, *free);
                }
            }
            if let Some(&followers) = self.after_start.get(step as usize) {
                self.count_down_all(followers);
            }
        }
    }

    /// Lets those go that relay what a receive takes in.
    fn relay(&mut self, step: u32) {
        if let Some(&followers) = self.after_head.get(step as usize) {
            self.count_down_all(followers);
        }
    }

    fn finish(&mut self, step: u32, now: u64) {
        self.end = self.end.max(now);
        self.unfinished -= 1;
        self.count_down_all(self.steps[step as usize].after);
    }

    fn count_down_all(&mut self, Followers { first, many }: Followers) {
        if many < LISTED {
            for step in first..first + many {
                self.count_down(step);
            }
        } else {
            for index in first..first + (many - LISTED) {
                self.count_down(self.list[index as usize]);
            }
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

/// For each step of a rank the steps that wait for this of it, in increasing order; the first step of the
/// rank has number `base`.
fn waits(rank: &Rank, base: u32, awaits: Awaits) -> Csr<u32> {
    let chosen = rank.dependencies.iter().filter(|dependency| dependency.awaits == awaits);
    let pairs = chosen.map(|dependency| (dependency.on as usize, base + dependency.step));
    let mut waits = Csr::from_pairs(rank.ops.len(), pairs);
    if !rank.dependencies.is_sorted_by_key(|dependency| dependency.step) {
        (0..waits.len()).for_each(|step| waits.row_mut(step).sort_unstable());
    }
    waits
}

/// The followers of a step; those that are not in a row go to the end of the list of all ranks.
fn followers(waiting: &[u32], listed: &mut Vec<u32>) -> Followers {
    let many = waiting.len() as u32;
    if waiting.windows(2).all(|two| two[0] + 1 == two[1]) {
        return Followers { first: waiting.first().copied().unwrap_or(0), many };
    }
    let first = listed.len() as u32;
    listed.extend_from_slice(waiting);
    Followers { first, many: LISTED + many }
}

impl<E: Control> Driver<E> for ScheduleProgram {
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

    fn head(&mut self, engine: &mut E, message: u32) {
        let ends = &mut self.messages[message as usize];
        ends.headed = true;
        if ends.reached {
            let step = ends.recv_step;
            self.relay(step);
            self.begin(engine);
        }
    }

    fn timer(&mut self, engine: &mut E, step: u32) {
        self.finish(step, engine.now());
        self.begin(engine);
    }
}
