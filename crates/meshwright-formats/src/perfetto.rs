//! Runs as Chrome trace events, which Perfetto and `chrome://tracing` show.
//!
//! | process | one track for | slices |
//! |---|---|---|
//! | 1, phases | all of it | phases, where there are barriers |
//! | 2, nodes | each processor of each node that computes | computations |
//! | 3, messages | – | asynchronous: from the moment a message is to be sent to its arrival |
//! | 4, links | each link, on a torus under wormhole each of its two classes | messages, from being given the link to letting go |
//! | 5, groups | – | asynchronous: groups of a program, from the first member that comes to the last that leaves |
//!
//! Packets of open-loop traffic are messages, and so are reads and writes of a trace, whose processors have slices for their barriers.
//! Members of groups are nodes, with slices for what they do.
//!
//! Times are microseconds by the clock of the machine; without a clock a cycle is a nanosecond.

mod groups;
mod processes;
mod transactions;

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::json;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_groups::history::History;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::transactions::Program;
use meshwright_schedule::watched::ProcessLog;
use meshwright_schedule::{Message, Phases, Schedule};
use meshwright_sim::fabric::transactions::{TICKS_PER_CYCLE, TransactionTimes};
use meshwright_sim::flit::Router;
use meshwright_sim::recording::{self, Passage, Recorder};
use meshwright_sim::traffic::OpenLoop;
use meshwright_sim::{Engine, Trace};

const PHASES: u32 = 1;
const NODES: u32 = 2;
const MESSAGES: u32 = 3;
const LINKS: u32 = 4;
const GROUPS: u32 = 5;

/// Of a second.
const PICOSECONDS: u128 = 1_000_000_000_000;

/// What is run.
#[derive(Clone, Debug)]
pub enum Run {
    /// Phases with barriers, on the simulator that fits.
    Phases(Phases),
    /// A schedule on an engine.
    Schedule(Schedule, Engine),
    /// Packets at random through these routers.
    Traffic(Router, OpenLoop),
    /// A program of groups, which has been run.
    Groups(History),
    /// Processes that decide while they run, which have been run.
    Processes(ProcessLog),
    /// The reads and writes of the processors of a fabric, which have been run.
    Transactions(Program, TransactionTimes),
}

/// Makes sure that a run can be written, before it is run.
///
/// # Errors
///
/// As for [`recording::check`].
pub fn check(machine: &Machine, run: &Run) -> Result<()> {
    match run {
        Run::Phases(phases) => {
            let of = |index| (phases.phase(index), u64::from(phases.repeats(index)));
            recording::check(machine, (0..phases.len()).map(of))
        }
        Run::Schedule(schedule, _) => {
            let messages: Vec<Message> = schedule.messages().iter().map(Message::from).collect();
            recording::check(machine, std::iter::once((&messages[..], 1)))
        }
        Run::Traffic(..) | Run::Groups(_) | Run::Processes(_) | Run::Transactions(..) => Ok(()),
    }
}

/// Runs it and writes what happens while it happens.
///
/// # Errors
///
/// When writing fails, or the run does, as for [`meshwright_sim::simulate`].
///
/// # Examples
///
/// ```
/// use meshwright_formats::perfetto::{self, Run};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::goal;
/// use meshwright_sim::Engine;
/// let text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
/// let run = Run::Schedule(goal::parse(text.as_bytes(), "one.goal")?, Engine::Message);
/// let mut trace = Vec::new();
/// perfetto::write(&Machine::new("mesh:1x2")?, &run, &mut trace).expect("memory");
/// let trace: serde_json::Value = serde_json::from_slice(&trace).expect("JSON");
/// // c = 100, b = 1, h = 2: given the link after the start-up, for the head and eight bytes.
/// let slice = trace["traceEvents"].as_array().unwrap().iter().find(|event| event["ph"] == "X").unwrap();
/// assert_eq!((slice["ts"].as_f64(), slice["dur"].as_f64()), (Some(0.100), Some(0.010)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn write(machine: &Machine, run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer {
        machine,
        tick: tick(machine, run.ticks_per_cycle(machine)),
        out: io::BufWriter::with_capacity(1 << 16, out),
        tracks: BTreeSet::new(),
        is_first: true,
        has_messages: false,
        has_passages: false,
    };
    writer.out.write_all(b"{\"traceEvents\":[")?;
    let processes: &[_] = match run {
        Run::Groups(_) => &[(NODES, "members"), (GROUPS, "groups")],
        Run::Processes(_) => &[(NODES, "nodes"), (MESSAGES, "messages")],
        Run::Transactions(..) => &[(NODES, "processors"), (MESSAGES, "transactions")],
        _ => &[(PHASES, "phases"), (NODES, "nodes"), (MESSAGES, "messages"), (LINKS, "links")],
    };
    for &(process, name) in processes {
        writer.event(&json!({"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}}))?;
        let order = json!({"sort_index": process});
        writer.event(&json!({"ph": "M", "pid": process, "name": "process_sort_index", "args": order}))?;
    }
    let cycles = |trace: &Trace| trace.deadlock.is_none().then_some(trace.cycles.0);
    let cycles = match run {
        Run::Phases(phases) => {
            cycles(&recording::of_phases(machine, phases, &mut writer).map_err(unwritten)?)
        }
        Run::Schedule(schedule, engine) => {
            cycles(&recording::of_schedule(machine, schedule, engine, &mut writer).map_err(unwritten)?)
        }
        Run::Traffic(router, open) => {
            let measured = recording::of_traffic(machine, router, open, &mut writer).map_err(unwritten)?;
            measured.deadlock.is_none().then_some(measured.cycles)
        }
        Run::Groups(history) => {
            groups::tell(history, &mut writer)?;
            Some(history.end().0)
        }
        Run::Processes(log) => {
            processes::tell(log, &mut writer)?;
            Some(log.end().0)
        }
        Run::Transactions(program, times) => {
            transactions::tell(program, times, &mut writer)?;
            Some(times.end().div_ceil(TICKS_PER_CYCLE))
        }
    };
    writer.finish(cycles, run.without_links())
}

impl Run {
    /// The ticks in which its times are counted.
    fn ticks_per_cycle(&self, machine: &Machine) -> u64 {
        match self {
            Self::Transactions(..) => TICKS_PER_CYCLE,
            _ => machine.costs().ticks_per_cycle(),
        }
    }

    /// Why it tells of no links, if that does not depend on the machine.
    fn without_links(&self) -> Option<&'static str> {
        match self {
            Self::Groups(_) => Some("none: members tell what they do, not what they send"),
            Self::Processes(_) => Some("none: nodes tell what they send and compute, not on which links"),
            Self::Transactions(..) => Some("none: transactions share the links of a fabric"),
            Self::Phases(_) | Self::Schedule(..) | Self::Traffic(..) => None,
        }
    }
}

/// How many picoseconds are how many ticks: by the clock, without one a nanosecond for a cycle.
fn tick(machine: &Machine, ticks_per_cycle: u64) -> (u128, u128) {
    let ticks = u128::from(ticks_per_cycle);
    match machine.clock() {
        Some(clock) => (PICOSECONDS * u128::from(clock.denominator()), ticks * u128::from(clock.numerator())),
        None => (1000, ticks),
    }
}

/// An error of the run where only one of writing can be told.
fn unwritten(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}

/// Writes events as they come.
struct Writer<'w> {
    machine: &'w Machine,
    /// So many picoseconds are so many ticks.
    tick: (u128, u128),
    out: io::BufWriter<&'w mut dyn Write>,
    /// Those that have a name: process and number.
    tracks: BTreeSet<(u32, u64)>,
    is_first: bool,
    has_messages: bool,
    has_passages: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: &serde_json::Value) -> io::Result<()> {
        self.separate()?;
        serde_json::to_writer(&mut self.out, event).map_err(io::Error::from)
    }

    fn separate(&mut self) -> io::Result<()> {
        let between: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        self.out.write_all(between)
    }

    /// Gives a track its name, once.
    fn name(
        &mut self,
        (process, number): (u32, u64),
        name: impl FnOnce(&Machine) -> String,
    ) -> io::Result<()> {
        if !self.tracks.insert((process, number)) {
            return Ok(());
        }
        let name = json!({"name": name(self.machine)});
        self.event(&json!({"ph": "M", "pid": process, "tid": number, "name": "thread_name", "args": name}))
    }

    /// A tick in picoseconds: rounded down, so that slices that do not overlap in ticks do not overlap here.
    fn picoseconds(&self, ticks: u64) -> u128 {
        let (picoseconds, per_ticks) = self.tick;
        u128::from(ticks).saturating_mul(picoseconds) / per_ticks
    }

    /// A slice of a track; its arguments are JSON.
    fn slice(
        &mut self,
        (process, number): (u32, u64),
        name: &str,
        (begin, end): (u64, u64),
        arguments: &str,
    ) -> io::Result<()> {
        self.separate()?;
        let begin = self.picoseconds(begin);
        let (begin, length) =
            (Microseconds(begin), Microseconds(self.picoseconds(end).saturating_sub(begin)));
        write!(
            self.out,
            "{{\"ph\":\"X\",\"pid\":{process},\"tid\":{number},\"ts\":{begin},\"dur\":{length},\"name\":\"{name}\",\"args\":{{{arguments}}}}}"
        )
    }

    /// What goes on beside others of its process, under a number of its own; its arguments are JSON.
    fn span(
        &mut self,
        (process, number): (u32, u64),
        name: &str,
        (begin, end): (u64, u64),
        arguments: &str,
    ) -> io::Result<()> {
        let [begin, end] = [begin, end].map(|ticks| Microseconds(self.picoseconds(ticks)));
        let head =
            format!("\"cat\":\"{name}\",\"id\":{number},\"pid\":{process},\"tid\":0,\"name\":\"{name}\"");
        self.separate()?;
        write!(self.out, "{{\"ph\":\"b\",{head},\"ts\":{begin},\"args\":{{{arguments}}}}}")?;
        self.separate()?;
        write!(self.out, "{{\"ph\":\"e\",{head},\"ts\":{end}}}")
    }

    /// What tells a message.
    fn arguments(&self, number: u64, message: &Message) -> String {
        let Message { source, target, bytes, phase } = message;
        let (from, to) = (self.machine.node_name(*source), self.machine.node_name(*target));
        let bytes = bytes.0;
        format!(
            "\"message\":{number},\"bytes\":{bytes},\"phase\":{phase},\"from\":\"{from}\",\"to\":\"{to}\""
        )
    }

    fn finish(mut self, cycles: Option<u64>, without_links: Option<&str>) -> io::Result<()> {
        let links = match (without_links, self.has_passages || !self.has_messages) {
            (Some(why), _) => why,
            (None, true) => "every message on every link",
            (None, false) => "none: only whole messages on equal links tell when they hold one",
        };
        let told = json!({
            "machine": self.machine.name(),
            "switching": self.machine.switching().name(),
            "cycles": cycles,
            "clock": self.machine.clock().map_or("none: a cycle is shown as a nanosecond".to_string(), |clock| {
                format!("{clock} cycles per second")
            }),
            "links": links,
        });
        write!(self.out, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{told}}}\n")?;
        self.out.flush()
    }
}

/// Picoseconds, written as microseconds.
struct Microseconds(u128);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match part % 1000 {
            0 => write!(f, "{whole}.{:03}", part / 1000),
            _ => write!(f, "{whole}.{part:06}"),
        }
    }
}

impl Recorder for Writer<'_> {
    fn message(&mut self, number: u64, message: &Message, (begin, end): (u64, u64)) -> io::Result<()> {
        self.has_messages = true;
        // In a deadlock some never arrive.
        if end < begin {
            return Ok(());
        }
        let arguments = self.arguments(number, message);
        self.span((MESSAGES, number), "message", (begin, end), &arguments)
    }

    fn passage(&mut self, passage: &Passage, message: &Message) -> io::Result<()> {
        self.has_passages = true;
        let &Passage { message: number, link, class, begin, end } = passage;
        let track = (LINKS, 2 * u64::from(link.0) + u64::from(class));
        self.name(track, |machine| {
            let (from, to) = (machine.source(link), machine.target(link).unwrap_or_default());
            let class = if class == 0 { "" } else { ", class 1" };
            format!("{} \u{2192} {}{class}", machine.node_name(from), machine.node_name(to))
        })?;
        let name = format!("message {number}");
        let arguments = self.arguments(number, message);
        self.slice(track, &name, (begin, end), &arguments)
    }

    fn computation(&mut self, (rank, processor): (u32, u32), times: (u64, u64)) -> io::Result<()> {
        let track = (NODES, u64::from(rank) * 256 + u64::from(processor));
        self.name(track, |machine| {
            let processor = if processor == 0 { String::new() } else { format!(", processor {processor}") };
            format!("{}{processor}", machine.node_name(NodeId(rank)))
        })?;
        self.slice(track, "computation", times, "")
    }

    fn phase(&mut self, number: u32, times: (u64, u64)) -> io::Result<()> {
        self.slice((PHASES, 0), &format!("phase {number}"), times, "")
    }
}
