//! Dependency-driven runs: each rank goes on as soon as its own steps allow.
//!
//! A send starts its message and ends when the last byte has left the node; a receive ends when it has been
//! reached and the last byte is here; computations of one rank take its processor one after the other.

use super::engine::{Open, Referee};
use super::message::Core;
use super::network;
use super::program::ScheduleProgram;
use super::simulate::Task;
use super::timeline::{Timeline, Watched};
use super::trace::{Trace, Wait};
use meshwright_core::error::{Error, Result};
use meshwright_network::routing::Routes;
use meshwright_network::topology::{Costs, Machine, Topology};
use meshwright_schedule::{Fault, Message, Schedule, cost};

/// Simulates a schedule on the message engine, and also tells when every message arrived and every computation ran.
///
/// # Errors
///
/// As for [`simulate`](super::simulate()).
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// let text = "num_ranks 2\nrank 0 {\nl1: calc 50\nl2: send 8b to 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";
/// let schedule = goal::parse(text.as_bytes(), "two.goal")?;
/// let (trace, timeline) = sim::watch_schedule(&Machine::new("mesh:1x2")?, &schedule)?;
/// assert_eq!(timeline.arrivals, [trace.ticks]);
/// assert_eq!((timeline.computations[0].begin, timeline.computations[0].end), (0, 50));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn watch_schedule(machine: &Machine, schedule: &Schedule) -> Result<(Trace, Timeline)> {
    let mut timeline = Timeline::default();
    let trace = ScheduleTask::new(machine, schedule)?.watched(&mut Core::new(machine), &mut timeline)?;
    Ok((trace, timeline))
}

/// A schedule on a machine that passed all checks but one, ready for an engine. Circles of waiting are looked for only
/// when something went wrong: they show as steps that never end.
pub(super) struct ScheduleTask<'j, 'm> {
    schedule: &'j Schedule,
    program: ScheduleProgram,
    messages: Vec<Message>,
    routes: Routes<'m>,
    costs: Costs,
}

impl<'j, 'm> ScheduleTask<'j, 'm> {
    /// Checks a schedule on a machine and routes its messages; errors as for [`simulate`](super::simulate()).
    pub(super) fn new(machine: &'m Machine, schedule: &'j Schedule) -> Result<Self> {
        if schedule.ranks.len() > machine.nodes() as usize {
            let expected = format!("at most the {} nodes of {}", machine.nodes(), machine.name());
            return Err(Error::value("number of ranks", schedule.ranks.len(), expected));
        }
        let matched = schedule.matched().map_err(unfit)?;
        let program = ScheduleProgram::new(schedule, &matched, machine.costs().ticks_per_cycle());
        // In the memory of the pairs.
        let messages: Vec<Message> = matched.into_iter().map(|pair| Message::from(&pair)).collect();
        let routes = checked_routes(machine, &program, &messages)
            .map_err(|error| schedule.circle(&schedule.messages()).map_or(error, unfit))?;
        Ok(Self { schedule, program, messages, routes, costs: *machine.costs() })
    }

    /// Runs it and fills the timeline.
    pub(super) fn watched<E: Open<'m>>(self, engine: &mut E, timeline: &mut Timeline) -> Result<Trace> {
        *timeline = Timeline { arrivals: vec![0; self.messages.len()], computations: Vec::new() };
        self.run_by(engine, |engine, program| engine.run(&mut Watched { program, timeline }))
    }

    /// Runs it as `drive` does once all is loaded and the first steps have begun; the error is a circle of waiting.
    pub(super) fn run_by<E: Referee<'m>>(
        self,
        engine: &mut E,
        drive: impl FnOnce(&mut E, &mut ScheduleProgram),
    ) -> Result<Trace> {
        let Self { schedule, mut program, messages, routes, costs } = self;
        if program.has_relays() && !engine.tell_heads() {
            let why = "a message that is relayed needs routers that copy: whole messages under cut-through, all ports, no overhead";
            return Err(Error::not_applicable("running the schedule", why));
        }
        engine.load(&messages, routes);
        // The engine has what it needs of them.
        drop(messages);
        program.begin(engine);
        drive(engine, &mut program);
        let mut deadlock = None;
        if !program.is_over() {
            schedule.verify().map_err(unfit)?;
            deadlock = engine.waiting_ring(&program.on_the_way());
            assert!(deadlock.is_some(), "messages that never arrive wait for each other in a ring");
        }
        let wait = |(link, ticks)| Wait { link, phase: 0, waited: costs.cycles(ticks) };
        Ok(Trace {
            cycles: costs.cycles(program.end),
            ticks: program.end,
            messages: program.arrived(),
            latency_ticks: program.into_latencies(),
            longest_wait: engine.longest_wait().map(wait),
            passes: engine.passes(),
            deadlock,
            ..Trace::default()
        })
    }
}

impl<'m> Task<'m> for ScheduleTask<'_, 'm> {
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace> {
        self.run_by(engine, |engine, program| engine.run(program))
    }
}

fn unfit(fault: Fault) -> Error {
    Error::not_applicable("running the schedule", fault.to_string())
}

/// The routes of the messages, if all times fit.
fn checked_routes<'m>(
    machine: &'m Machine,
    program: &ScheduleProgram,
    messages: &[Message],
) -> Result<Routes<'m>> {
    let routes = network::routes(machine, messages)?;
    let crude = network::crude_serial_sum((messages, messages.len() as u64), machine);
    if crude.is_none_or(|crude| check_computing(machine, program, crude).is_err()) {
        let exact = cost::serial_sum(0, messages, &routes, machine.switching(), machine.costs())?;
        check_computing(machine, program, exact)?;
    }
    Ok(routes)
}

/// Refuses computations that, one after the other and after all messages, would leave 63 bits.
fn check_computing(machine: &Machine, program: &ScheduleProgram, serial: u64) -> Result<()> {
    let per_cycle = machine.costs().ticks_per_cycle();
    let mut ticks = program.computations().map(|cycles| cycles.0.checked_mul(per_cycle));
    let sum = ticks.try_fold(serial, |sum, ticks| sum.checked_add(ticks?));
    match sum {
        Some(sum) if sum >> 63 == 0 => Ok(()),
        _ => Err(Error::TooLarge {
            what: "the time of all computations one after the other",
            needed: "more than 2^63 ticks".into(),
            limit: "2^63 ticks".into(),
        }),
    }
}
