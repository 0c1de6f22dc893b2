//! The critical path of a schedule: messages and computations, each rank going on when its own steps allow.

use super::{CriticalPath, Mover, Step, ended, step_of, still};
use crate::dependency::ScheduleTask;
use crate::engine::{Control, Driver, Referee};
use crate::fitting::{self, FLIT_HOPS_MAX, Fitted};
use crate::message::{Core, Log};
use crate::program::ScheduleProgram;
use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;
use meshwright_schedule::{MatchedMessage, Message, Op, Schedule};

/// The critical path of a schedule, on the referee that fits.
///
/// # Errors
///
/// As for [`of_phases`](super::of_phases).
///
/// # Complexity
///
/// As for [`simulate`](crate::simulate()); memory O(sum of hops + steps + dependencies).
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::goal;
/// use meshwright_sim::critical::{self, Mover};
/// let text = "num_ranks 2\nrank 0 {\nl1: calc 50\nl2: send 8b to 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";
/// let schedule = goal::parse(text.as_bytes(), "two.goal")?;
/// let path = critical::of_schedule(&Machine::new("mesh:1x2")?, &schedule)?;
/// let [computes, sends] = path.steps[..] else { panic!("two steps") };
/// assert!(matches!(computes.mover, Mover::Rank(_)));
/// assert_eq!(((computes.begin, computes.end), (sends.begin, sends.end)), ((0, 50), (50, 50 + 100 + 2 + 8)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn of_schedule(machine: &Machine, schedule: &Schedule) -> Result<CriticalPath> {
    if machine.fabric().is_none() && !schedule.has_relays() {
        let task = ScheduleTask::new(machine, schedule)?;
        let matched = schedule.matched().expect("the task was made from it");
        let mut core = Core::watched(machine, None, Log::default());
        let mut times =
            Times { sent: vec![0; matched.len()], arrived: vec![0; matched.len()], computed: Vec::new() };
        let trace = task.run_by(&mut core, |engine, program| {
            engine.run(&mut Timed { program, times: &mut times });
        })?;
        if trace.deadlock.is_none() {
            let per_cycle = machine.costs().ticks_per_cycle();
            let run = Run::new(schedule, &matched, &times, per_cycle);
            let steps = run.back_from(trace.ticks, &core);
            return Ok(CriticalPath { trace, steps, routers: None });
        }
    }
    let Fitted { trace, routers, .. } = fitting::simulate(machine, schedule, FLIT_HOPS_MAX)?;
    let steps = vec![Step { end: trace.ticks, ..still(Mover::Phase(0)) }];
    ended(CriticalPath { trace, steps, routers })
}

/// When messages left and arrived, and computations ended.
struct Times {
    sent: Vec<u64>,
    arrived: Vec<u64>,
    computed: Vec<(u32, u64)>,
}

/// A program whose times are noted.
struct Timed<'p> {
    program: &'p mut ScheduleProgram,
    times: &'p mut Times,
}

impl<E: Control> Driver<E> for Timed<'_> {
    const WANTS_SENT: bool = true;

    fn sent(&mut self, engine: &mut E, message: u32) {
        self.times.sent[message as usize] = engine.now();
        self.program.sent(engine, message);
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        self.times.arrived[message as usize] = engine.now();
        self.program.delivered(engine, message);
    }

    fn head(&mut self, engine: &mut E, message: u32) {
        self.program.head(engine, message);
    }

    fn timer(&mut self, engine: &mut E, step: u32) {
        self.times.computed.push((step, engine.now()));
        self.program.timer(engine, step);
    }
}

/// What a step of a rank is.
#[derive(Clone, Copy)]
enum Act {
    Send(u32),
    Recv(u32),
    /// So many ticks on a processor.
    Calc(u64, u8),
    Point,
}

/// A step of a rank, and when it began and ended.
#[derive(Clone, Copy)]
struct Timing {
    act: Act,
    begin: u64,
    end: u64,
}

/// A run that is over: all steps of all ranks with their times.
struct Run<'r> {
    schedule: &'r Schedule,
    matched: &'r [MatchedMessage],
    times: &'r Times,
    /// Where the steps of each rank begin.
    first: Vec<usize>,
    steps: Vec<Timing>,
}

impl<'r> Run<'r> {
    fn new(
        schedule: &'r Schedule,
        matched: &'r [MatchedMessage],
        times: &'r Times,
        ticks_per_cycle: u64,
    ) -> Self {
        let (mut first, mut steps) = (Vec::with_capacity(schedule.ranks.len()), Vec::new());
        for rank in &schedule.ranks {
            first.push(steps.len());
            for (index, op) in rank.ops.iter().enumerate() {
                let act = match *op {
                    Op::Calc { cycles } if cycles.0 > 0 => {
                        Act::Calc(cycles.0 * ticks_per_cycle, rank.processor(index))
                    }
                    _ => Act::Point,
                };
                steps.push(Timing { act, begin: 0, end: 0 });
            }
        }
        for (message, pair) in (0u32..).zip(matched) {
            let sends = &mut steps[first[pair.source.index()] + pair.source_step as usize];
            (sends.act, sends.end) = (Act::Send(message), times.sent[message as usize]);
            steps[first[pair.target.index()] + pair.target_step as usize].act = Act::Recv(message);
        }
        for &(step, end) in &times.computed {
            steps[step as usize].end = end;
        }
        let mut run = Self { schedule, matched, times, first, steps };
        (0..run.first.len()).for_each(|rank| run.set_begins(rank));
        run
    }

    /// The begins of the steps of a rank, and the ends that follow from them: those it waits for come before.
    fn set_begins(&mut self, rank: usize) {
        let (base, program) = (self.first[rank], &self.schedule.ranks[rank]);
        let mut missing = vec![0u32; program.ops.len()];
        for dependency in &program.dependencies {
            missing[dependency.step as usize] += 1;
        }
        let waiting = meshwright_core::csr::Csr::from_pairs(
            program.ops.len(),
            program.dependencies.iter().map(|dependency| (dependency.on as usize, *dependency)),
        );
        let mut ready: Vec<usize> = (0..missing.len()).filter(|&step| missing[step] == 0).collect();
        while let Some(step) = ready.pop() {
            let timing = &mut self.steps[base + step];
            match timing.act {
                Act::Recv(message) => timing.end = timing.begin.max(self.times.arrived[message as usize]),
                Act::Point => timing.end = timing.begin,
                Act::Send(_) | Act::Calc(..) => {}
            }
            let Timing { begin, end, .. } = *timing;
            for dependency in waiting.row(step) {
                let after = dependency.step as usize;
                let follower = &mut self.steps[base + after];
                follower.begin = follower.begin.max(if dependency.awaits.is_start() { begin } else { end });
                missing[after] -= 1;
                if missing[after] == 0 {
                    ready.push(after);
                }
            }
        }
    }

    /// The steps of the chain that ends with the run, in the order of time.
    fn back_from(&self, end: u64, core: &Core<'_, Log>) -> Vec<Step> {
        let mut chain = Vec::new();
        let Some(mut at) = self.steps.iter().position(|step| step.end == end) else { return chain };
        let mut from_end = true;
        while from_end || self.steps[at].begin > 0 {
            let timing = self.steps[at];
            if !from_end {
                (at, from_end) = self.binding(at, timing.begin);
                continue;
            }
            let log = core.witness();
            let legs = match timing.act {
                Act::Send(message) => log.to_leaving(message, timing.end, core.terms()),
                Act::Recv(message) if timing.end > timing.begin => {
                    log.to_arrival(message, timing.end, core.terms())
                }
                Act::Calc(ticks, processor) => {
                    let rank = self.rank_of(at);
                    let begin = timing.end - ticks;
                    let mover = Mover::Rank(NodeId(rank as u32));
                    chain.push(Step { begin, end: timing.end, ..still(mover) });
                    match self.computes_until(rank, processor, begin).filter(|_| begin > timing.begin) {
                        Some(other) => at = other,
                        None => from_end = false,
                    }
                    continue;
                }
                Act::Recv(_) | Act::Point => {
                    from_end = false;
                    continue;
                }
            };
            chain.extend(
                legs.iter().map(|leg| step_of(core, leg, Message::from(&self.matched[leg.message as usize]))),
            );
            let first = &self.matched[legs[legs.len() - 1].message as usize];
            at = self.first[first.source.index()] + first.source_step as usize;
            from_end = false;
        }
        chain.retain(|step| step.end > step.begin);
        chain.reverse();
        chain
    }

    fn rank_of(&self, step: usize) -> usize {
        self.first.partition_point(|&first| first <= step) - 1
    }

    /// The step that lets a step begin at this time, and whether its end does or its begin.
    fn binding(&self, step: usize, begin: u64) -> (usize, bool) {
        let rank = self.rank_of(step);
        let base = self.first[rank];
        let own =
            self.schedule.ranks[rank].dependencies.iter().filter(|one| base + one.step as usize == step);
        let binds = own.map(|one| (base + one.on as usize, !one.awaits.is_start())).find(|&(on, at_end)| {
            let Timing { begin: other, end, .. } = self.steps[on];
            begin == if at_end { end } else { other }
        });
        binds.expect("a step begins when the last it waits for allows")
    }

    /// The computation of a rank that keeps a processor busy until this time.
    fn computes_until(&self, rank: usize, processor: u8, end: u64) -> Option<usize> {
        let base = self.first[rank];
        let own = base..base + self.schedule.ranks[rank].ops.len();
        own.into_iter().find(|&step| {
            let Timing { act, end: other, .. } = self.steps[step];
            other == end && matches!(act, Act::Calc(_, on) if on == processor)
        })
    }
}
