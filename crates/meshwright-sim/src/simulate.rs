//! The way from a workload to its trace: [`simulate`], whatever the workload and the engine.

use super::engine::Open;
use super::fabric::{FabricRouters, Flows};
use super::flit::Replay;
use super::message::Core;
use super::packet::{PacketRouting, Packets};
use super::trace::Trace;
use super::{apart, dependency, lines, phased, processes, rings};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, LinkId};
use meshwright_network::fabric::Fabric;
use meshwright_network::routing::{self, Routes};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::Process;
use meshwright_schedule::{Phases, Schedule};

/// A simulator.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Engine {
    /// Whole messages, which ask for channels, hold and release them.
    #[default]
    Message,
    /// Packets of a flit in synchronous steps, with queues of few slots, see [`packet`](super::packet).
    Packet,
    /// The same with queues without bound, which are counted, on a 2-D mesh all of which works.
    Unbounded(PacketRouting),
    /// Routers with virtual channels and credits, cycle by cycle, see [`flit`](super::flit).
    Flit(Replay),
    /// Whole messages, with a second wire beside this link: the messages that cross it are dealt over both.
    Doubled(LinkId),
}

/// A task for an engine that is made for it.
pub(super) trait Task<'m> {
    /// Runs on this engine.
    fn on<E: Open<'m>>(self, engine: &mut E) -> Result<Trace>;
}

impl Engine {
    /// Makes the engine and lets the task run on it.
    pub(super) fn run<'m>(&self, machine: &'m Machine, task: impl Task<'m>) -> Result<Trace> {
        if let Some(fabric) = machine.fabric() {
            return self.run_on(fabric, machine.costs().ticks_per_cycle(), task);
        }
        if !machine.endpoints().is_free() && !matches!(self, Self::Message | Self::Doubled(_)) {
            let why =
                "overhead and gap of nodes are simulated with whole messages only: the engine `message`"
                    .to_string();
            return Err(Error::not_applicable("this engine", why));
        }
        match self {
            Self::Message => task.on(&mut Core::new(machine)),
            Self::Packet => {
                machine.costs().check()?;
                task.on(&mut Packets::new(machine, routing::usual(machine))?)
            }
            Self::Unbounded(routing) => {
                machine.costs().check()?;
                task.on(&mut Packets::unbounded(machine, *routing)?)
            }
            Self::Flit(replay) => replay.run(machine, task),
            Self::Doubled(link) if *link < LinkId(machine.links()) => {
                task.on(&mut Core::with_second(machine, *link))
            }
            Self::Doubled(link) => {
                Err(Error::value("link", link.0, format!("one of the {} links", machine.links())))
            }
        }
    }

    /// The same on links and ports as they are.
    fn run_on<'m>(&self, fabric: &'m Fabric, ticks_per_cycle: u64, task: impl Task<'m>) -> Result<Trace> {
        match self {
            Self::Message => task.on(&mut Flows::new(fabric, ticks_per_cycle)),
            Self::Packet | Self::Unbounded(_) => Err(Error::not_applicable(
                "the packet engine",
                "synchronous steps know no links of different speed",
            )),
            Self::Flit(_) => task.on(&mut FabricRouters::new(fabric, ticks_per_cycle)?),
            Self::Doubled(_) => Err(Error::not_applicable(
                "a second wire",
                "where networks are described each link has a rate of its own: change it in the file",
            )),
        }
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Phases {}
    impl Sealed for super::Schedule {}
    impl Sealed for super::Routed<'_> {}
    impl<P> Sealed for super::Processes<'_, P> {}
}

/// What can be simulated, any number of times: [`Phases`], a [`Schedule`], [`Processes`].
pub trait Workload: sealed::Sealed {
    /// Runs it; [`simulate`] is the way to call this.
    #[doc(hidden)]
    fn run(&self, machine: &Machine, engine: &Engine) -> Result<Trace>;
}

/// All messages of a phase start together, and a barrier ends the phase. Rank r runs on node r. A phase that repeats is run
/// once and its time multiplied, where nothing but the hour tells the second time from the first: whole messages, all
/// of whose nodes are free again at the barrier. Else it is run each time, up to four million messages.
impl Workload for Phases {
    fn run(&self, machine: &Machine, engine: &Engine) -> Result<Trace> {
        run_phases(self, None, machine, engine)
    }
}

/// Phases whose messages have been routed before, the usual way of the machine: they run as [`Phases`] do.
#[derive(Clone, Copy, Debug)]
pub struct Routed<'a> {
    /// The messages.
    pub phases: &'a Phases,
    /// The routes of all of them.
    pub routes: &'a Routes<'a>,
}

impl Workload for Routed<'_> {
    fn run(&self, machine: &Machine, engine: &Engine) -> Result<Trace> {
        // Flits may go other ways.
        let is_whole = matches!(engine, Engine::Message) && machine.fabric().is_none();
        run_phases(self.phases, is_whole.then_some(self.routes), machine, engine)
    }
}

fn run_phases(
    all: &Phases,
    routes: Option<&Routes<'_>>,
    machine: &Machine,
    engine: &Engine,
) -> Result<Trace> {
    phased::assert_inside(machine, all);
    let whole = |phases, routes| engine.run(machine, phased::Barriers { machine, phases, routes });
    if matches!(engine, Engine::Doubled(_)) {
        // Of two messages that ask at the same time the same one is first as without the second wire.
        let others = rings::by_source(machine, all);
        return whole(others.as_ref().unwrap_or(all), None);
    }
    if !matches!(engine, Engine::Message) || machine.fabric().is_some() {
        return whole(all, routes);
    }
    if !machine.endpoints().is_free() {
        return match rings::by_source(machine, all) {
            Some(others) => whole(&others, None),
            None => whole(all, routes),
        };
    }
    let others = lines::one_of_each_kind(machine, all).or_else(|| rings::by_source(machine, all));
    let phases = others.as_ref().unwrap_or(all);
    let some = routes.filter(|_| others.is_none());
    let trace = match apart::is_all(machine, phases) {
        true => engine.run(machine, apart::Slowest { machine, phases, routes: some })?,
        false => whole(phases, some)?,
    };
    match trace {
        // Of those left out some may have arrived.
        Trace { deadlock: Some(_), .. } => whole(all, routes),
        trace => Ok(Trace { messages: all.messages_total(), ..trace }),
    }
}

/// Each rank goes on as soon as its own steps allow. Rank r runs on node r.
impl Workload for Schedule {
    fn run(&self, machine: &Machine, engine: &Engine) -> Result<Trace> {
        engine.run(machine, dependency::ScheduleTask::new(machine, self)?)
    }
}

/// State machines that decide at run time, one per node: made anew for each run.
pub struct Processes<'f, P> {
    make: Box<dyn Fn() -> Vec<P> + 'f>,
}

impl<'f, P: Process> Processes<'f, P> {
    /// The processes that `make` makes, process i for node i.
    pub fn new(make: impl Fn() -> Vec<P> + 'f) -> Self {
        Self { make: Box::new(make) }
    }
}

impl<P: Process> Workload for Processes<'_, P> {
    fn run(&self, machine: &Machine, engine: &Engine) -> Result<Trace> {
        run(machine, &mut (self.make)(), engine)
    }
}

/// Simulates a workload. A deadlock is an answer: [`Trace::deadlock`] holds its ring.
///
/// # Errors
///
/// | error | when |
/// |---|---|
/// | [`Value`](meshwright_core::Error::Value) | the costs fail their [check](meshwright_network::topology::Costs::check), or there are more ranks than nodes |
/// | [`NotApplicable`](meshwright_core::Error::NotApplicable) | two nodes are not connected, or a schedule cannot run to its end |
/// | [`TooLarge`](meshwright_core::Error::TooLarge) | a time could leave 63 bits |
/// | the same, packets | a flit takes no time, a link has no link back, living nodes are cut off; more than 63 queues at a router, or a table of routes around dead nodes does not fit |
/// | the same, routers | a flit has no bytes; the start-up of store-and-forward is longer than 65,536 flit times; as for [`flit::run_traffic`](super::flit::run_traffic) |
///
/// Processes: as for [`run`].
///
/// # Panics
///
/// When a message of [`Phases`] names a node outside the machine.
///
/// # Complexity
///
/// | engine | time |
/// |---|---|
/// | [`Message`](Engine::Message) | O(E log E) for E = steps + dependencies + sum of hops; phases on a mesh: lines with equal messages along them count once in a phase without turns; worms on a torus: and the links under a worm, each time it stands where another is beside it |
/// | [`Packet`](Engine::Packet) | O(packets times links crossed, and the steps heads wait); idle steps are skipped |
/// | [`Unbounded`](Engine::Unbounded) | O(packets times links crossed), and the packets passed by one that goes before them |
/// | [`Flit`](Engine::Flit) | O(flits times links crossed, and the cycles heads wait); idle cycles are skipped |
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::{Message, Phases, Schedule, goal};
/// use meshwright_sim::flit::Router;
/// use meshwright_sim::{Engine, simulate};
/// let mesh = Machine::new("mesh:1x4")?; // wormhole, c = 100, b = 1, h = 2
/// let send = |source, target, phase| Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(64), phase };
/// let phases = Phases::new(4, vec![send(0, 1, 1), send(2, 3, 2)]);
/// let barriers = simulate(&mesh, &phases, &Engine::Message)?;
/// assert_eq!((barriers.cycles, barriers.phase_ticks.len()), (Cycles(2 * (100 + 64 + 2)), 2));
/// // Without barriers both run at once, and routers take the same time.
/// let free = Schedule::from_phases(&phases);
/// for engine in [Engine::Message, Engine::Flit(Router::ideal(&mesh).into())] {
///     let trace = simulate(&mesh, &free, &engine)?;
///     assert_eq!((trace.cycles, trace.messages), (Cycles(100 + 64 + 2), 2));
/// }
/// let text = "num_ranks 3\nrank 0 { send 20b to 2 }\nrank 2 { recv 20b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "one.goal")?;
/// let trace = simulate(&Machine::new("mesh:1x3")?.in_packets(), &schedule, &Engine::Packet)?;
/// assert_eq!(trace.cycles, Cycles(2 + 3 - 1), "three packets of 8 bytes, one behind the other");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn simulate<W: Workload>(machine: &Machine, workload: &W, engine: &Engine) -> Result<Trace> {
    workload.run(machine, engine)
}

/// Runs processes, process i on node i, until nothing happens any more, and leaves them as they are then.
///
/// The processes of dead nodes are not started. That some process has not finished when all is quiet is an
/// answer, [`Trace::unfinished`], and so is a deadlock.
///
/// # Errors
///
/// As for [`simulate`], and [`Value`](meshwright_core::Error::Value) when there are more processes than nodes, a message goes to a node
/// that has no process, or is larger than a tebibyte, or a computation is longer than
/// [`CALC_MAX`](meshwright_schedule::CALC_MAX); [`TooLarge`](meshwright_core::Error::TooLarge) when the processes send and compute more than
/// 2^25 times, in packets 2^28 times.
///
/// # Complexity
///
/// As for [`simulate`]; where no formula gives the routes, O(nodes + links) for each different target.
///
/// # Examples
///
/// A token goes round and adds up the numbers of all nodes.
///
/// ```
/// use meshwright_core::units::{Bytes, Cycles, NodeId};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::process::{Context, Process};
/// use meshwright_sim::{Engine, Processes, run, simulate};
/// struct Ring { next: NodeId, total: Option<u32> }
/// impl Process for Ring {
///     type Payload = u32;
///     fn on_start(&mut self, context: &mut Context<'_, u32>) {
///         if context.node() == NodeId(0) {
///             context.send(self.next, Bytes(8), 0);
///         }
///     }
///     fn on_message(&mut self, _: NodeId, sum: u32, context: &mut Context<'_, u32>) {
///         if context.node() != NodeId(0) {
///             context.send(self.next, Bytes(8), sum + context.node().0);
///         }
///         self.total = Some(sum);
///         context.finish();
///     }
/// }
/// let nodes = || (1..=4).map(|i| Ring { next: NodeId(i % 4), total: None }).collect::<Vec<_>>();
/// let (torus, mut ring) = (Machine::new("torus:4")?, nodes()); // c = 100, b = 1, h = 2
/// let trace = run(&torus, &mut ring, &Engine::Message)?;
/// assert_eq!(ring[0].total, Some(1 + 2 + 3));
/// assert_eq!(trace.cycles, Cycles(4 * (100 + 8 + 2)));
/// assert!(trace.unfinished.is_empty());
/// assert_eq!(simulate(&torus, &Processes::new(nodes), &Engine::Message)?, trace, "the same, with fresh ones");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run<P: Process>(machine: &Machine, processes: &mut [P], engine: &Engine) -> Result<Trace> {
    engine.run(machine, processes::ProcessTask { machine, processes, packet: Bytes(0) })
}

/// As [`run`] on the message engine, for machines whose links are alike: no other engine is made for these processes.
///
/// # Errors
///
/// [`Error::NotApplicable`] where networks are described; as for [`run`].
pub fn run_whole<P: Process>(machine: &Machine, processes: &mut [P]) -> Result<Trace> {
    if machine.fabric().is_some() {
        return Err(Error::not_applicable("whole messages", "links have rates of their own"));
    }
    processes::ProcessTask { machine, processes, packet: Bytes(0) }.on(&mut Core::new(machine))
}

/// As [`run`] on the message engine, where messages take as long as the packets of a flit that they need:
/// [`in_packets`](super::in_packets)`(W, h)` bytes.
///
/// # Errors
///
/// As for [`run`].
pub fn run_in_packets<P: Process>(machine: &Machine, processes: &mut [P]) -> Result<Trace> {
    let packet = Bytes(machine.costs().flit.0.max(1));
    processes::ProcessTask { machine, processes, packet }.on(&mut Core::new(machine))
}
