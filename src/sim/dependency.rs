//! Dependency-driven runs: each rank goes on as soon as its own steps allow.
//!
//! A send starts its message and ends when the last byte has left the node; a receive ends when it has been
//! reached and the last byte is here; computations of one rank take its processor one after the other.

use std::collections::VecDeque;

use super::channel::{Batch, Core, Driver};
use super::network::Network;
use super::trace::{Trace, Wait};
use crate::error::{Error, Result};
use crate::routing::{self, Pair};
use crate::schedule::{Fault, MatchedMessage, Message, Op, Schedule, cost};
use crate::topology::{Machine, Topology};
use crate::units::NodeId;

/// Runs a schedule; rank r runs on node r. A deadlock is an answer: [`Trace::deadlock`] holds its ring.
///
/// # Errors
///
/// [`Error::Value`] when there are more ranks than nodes or the costs fail their check,
/// [`Error::NotApplicable`] when the schedule cannot run to its end or two nodes are not connected,
/// [`Error::TooLarge`] when a time could leave 63 bits.
///
/// # Complexity
///
/// O(E log E) for E = steps + dependencies + sum of hops.
///
/// # Examples
///
/// ```
/// use meshwright::{schedule::goal, sim, topology::Machine, units::Cycles};
/// let text = "num_ranks 2\nrank 0 {\nl1: calc 50\nl2: send 8b to 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";
/// let schedule = goal::parse(text.as_bytes(), "two.goal")?;
/// let trace = sim::run_schedule(&Machine::new("mesh:1x2")?, &schedule)?; // c = 100, b = 1, h = 2
/// assert_eq!(trace.cycles, Cycles(50 + 100 + 8 + 2));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn run_schedule(machine: &Machine, schedule: &Schedule) -> Result<Trace> {
    if schedule.ranks.len() > machine.nodes() as usize {
        let expected = format!("at most the {} nodes of {}", machine.nodes(), machine.name);
        return Err(Error::value("number of ranks", schedule.ranks.len(), expected));
    }
    let unfit = |fault: Fault| Error::not_applicable("running the schedule", fault.to_string());
    let matched = schedule.verified().map_err(unfit)?;
    let messages: Vec<Message> = matched.iter().map(Message::from).collect();
    let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
    let routes = routing::routes(machine, &pairs)?;
    let serial = cost::serial_sum(0, &messages, &routes, machine.switching, &machine.costs)?;
    check_computing(machine, schedule, serial)?;
    let network = Network::new(machine);
    let mut core = Core::new(&network, machine);
    let batch = Batch { messages: &messages, routes: &routes };
    core.load(batch);
    let mut program = Program::new(schedule, &matched, machine.costs.ticks_per_cycle());
    program.begin(&mut core);
    core.run(batch, &mut program);
    let left: Vec<u32> = (0..messages.len() as u32).filter(|m| program.is_on_the_way(*m)).collect();
    let deadlock = core.waiting_ring(&left, batch);
    assert!(
        left.is_empty() || deadlock.is_some(),
        "messages that never arrive wait for each other in a ring"
    );
    Ok(Trace {
        cycles: machine.costs.cycles(program.end),
        ticks: program.end,
        phase_ticks: Vec::new(),
        latency_ticks: program.latency,
        longest_wait: core.longest_wait().map(|(link, ticks)| Wait {
            link,
            phase: 0,
            waited: machine.costs.cycles(ticks),
        }),
        deadlock,
    })
}

/// Refuses computations that, one after the other and after all messages, would leave 63 bits.
fn check_computing(machine: &Machine, schedule: &Schedule, serial: u64) -> Result<()> {
    let per_cycle = machine.costs.ticks_per_cycle();
    let ticks = |op: &Op| match op {
        Op::Calc { cycles } => cycles.0.checked_mul(per_cycle),
        Op::Send { .. } | Op::Recv { .. } => Some(0),
    };
    let ops = schedule.ranks.iter().flat_map(|rank| &rank.ops);
    let sum = ops.map(ticks).try_fold(serial, |sum, ticks| sum.checked_add(ticks?));
    match sum {
        Some(sum) if sum >> 63 == 0 => Ok(()),
        _ => Err(Error::TooLarge {
            what: "the time of all computations one after the other",
            needed: "more than 2^63 ticks".into(),
            limit: "2^63 ticks".into(),
        }),
    }
}

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
struct Program {
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
    latency: Vec<u64>,
    end: u64,
    /// Steps whose last dependency is met, not yet begun: first ready, first begun.
    ready: VecDeque<u32>,
}

impl Program {
    fn new(schedule: &Schedule, matched: &[MatchedMessage], ticks_per_cycle: u64) -> Self {
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

    fn is_on_the_way(&self, message: u32) -> bool {
        self.started[message as usize].is_some() && !self.arrived[message as usize]
    }

    /// Begins every step that can begin, and all that this lets begin.
    fn begin(&mut self, core: &mut Core<'_>) {
        while let Some(step) = self.ready.pop_front() {
            match self.steps[step as usize] {
                Step::Send { message } => {
                    self.started[message as usize] = Some(core.now());
                    core.start(message, core.now());
                }
                Step::Recv { message } => {
                    self.reached[message as usize] = true;
                    if self.arrived[message as usize] {
                        self.finish(step, core.now());
                    }
                }
                // A computation of no length is a meeting point, not work.
                Step::Calc { ticks: 0, .. } => self.finish(step, core.now()),
                Step::Calc { rank, ticks } => {
                    let free = &mut self.processor_free[rank as usize];
                    *free = (*free).max(core.now()) + ticks;
                    core.set_timer(step, *free);
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

impl Driver for Program {
    fn sent(&mut self, core: &mut Core<'_>, message: u32) {
        self.finish(self.send_step[message as usize], core.now());
        self.begin(core);
    }

    fn delivered(&mut self, core: &mut Core<'_>, message: u32) {
        let m = message as usize;
        let started = self.started[m].expect("only what was started arrives");
        self.latency[m] = core.now() - started;
        self.arrived[m] = true;
        self.end = self.end.max(core.now());
        if self.reached[m] {
            self.finish(self.recv_step[m], core.now());
            self.begin(core);
        }
    }

    fn timer(&mut self, core: &mut Core<'_>, step: u32) {
        self.finish(step, core.now());
        self.begin(core);
    }
}
