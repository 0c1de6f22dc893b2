//! What members of groups run on.

use super::alone;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Hops};
use meshwright_network::topology::{Machine, PortModel};
use meshwright_schedule::process::Process;
use meshwright_sim as sim;
use meshwright_sim::flit::Router;
use meshwright_sim::packet::PacketRouting;
use meshwright_sim::{Runner, Trace};

/// An engine of the referee, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Packets in steps, with buffers of so many packets: the paper's model.
    #[default]
    Packet,
    /// Whole messages that hold channels; buffers without limit.
    Message,
    /// Routers cycle by cycle.
    Flit,
    /// Packets in steps, with queues without bound, which are counted, on a 2-D mesh.
    Unbounded(PacketRouting),
}

/// Every engine with its name on the command line.
pub const ENGINES: &[(&str, Engine)] = &[
    ("packet", Engine::Packet),
    ("message", Engine::Message),
    ("flit", Engine::Flit),
    ("unbounded", Engine::Unbounded(PacketRouting::DimensionOrder)),
    ("three-phase", Engine::Unbounded(PacketRouting::LocalThreePhase { seed: 0 })),
    ("three-phase-sliced", Engine::Unbounded(PacketRouting::ThreePhase { seed: 0 })),
];

impl Engine {
    /// The engine that knows all costs of a machine: packets in steps, or whole messages where nodes have an overhead or a gap,
    /// or every link takes a start-up.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::Cycles;
    /// use meshwright_network::topology::{Endpoints, Machine, Topology};
    /// use meshwright_verdict::groups::Engine;
    /// let mesh = Machine::new("mesh:4x4")?;
    /// assert_eq!(Engine::of(&mesh), Engine::Packet);
    /// let slow = mesh.with_endpoints(Endpoints { overhead: Cycles(0), gap: Cycles(60) })?;
    /// assert_eq!(Engine::of(&slow), Engine::Message);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn of(machine: &Machine) -> Self {
        let is_plain = machine.endpoints().is_free() && !machine.pays_each_link();
        if is_plain { Self::Packet } else { Self::Message }
    }

    /// Refuses a machine whose start-ups it does not know.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`].
    pub(super) fn check(self, machine: &Machine) -> Result<()> {
        let is_in_steps = matches!(self, Self::Packet | Self::Unbounded(_));
        if is_in_steps && machine.pays_each_link() {
            let why = "packets pay a start-up once, and store-and-forward pays one for every link: the engine `message` or `flit`";
            return Err(Error::not_applicable("this engine", why));
        }
        Ok(())
    }

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        ENGINES.iter().find(|(_, engine)| *engine == self.seeded(0)).expect("the table is complete").0
    }

    /// The same, with random ways that begin here.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        match self {
            Self::Unbounded(routing) => Self::Unbounded(routing.seeded(seed)),
            other => other,
        }
    }

    /// Runs processes, process i on node i, until nothing happens any more.
    ///
    /// A packet is not divided: on every engine a message is as long as the packets that it needs.
    ///
    /// # Errors
    ///
    /// As for [`sim::run`].
    pub fn run<P: Process>(self, machine: &Machine, processes: &mut [P]) -> Result<Trace> {
        match self.runner(machine) {
            Some(mut runner) => runner.run(processes),
            None => sim::run_in_packets(machine, processes),
        }
    }

    /// The same for many runs; none for whole messages, which are made as long as their packets for each run.
    pub(super) fn runner(self, machine: &Machine) -> Option<Runner<'_>> {
        let engine = match self {
            Self::Packet => sim::Engine::Packet,
            Self::Unbounded(routing) => sim::Engine::Unbounded(routing),
            Self::Message => return None,
            Self::Flit => sim::Engine::Flit(Router::ideal(machine).into()),
        };
        Some(Runner::new(machine, engine))
    }

    /// Runs processes as if nobody were in anybody's way: every message takes the time it takes alone.
    ///
    /// # Errors
    ///
    /// As for [`sim::run`].
    pub fn run_alone<P: Process>(self, machine: &Machine, processes: &mut [P]) -> Result<Trace> {
        let costs = |bytes, hops| [self.alone_ticks(machine, bytes, hops), self.turn_ticks(machine, bytes)];
        alone::run_processes(machine, processes, costs)
    }

    /// For how long a message keeps its sender from the next, in ticks: with one port from the begin of its start-up until its
    /// last byte has left, and nowhere less than overhead or gap. 0 where nodes have a port for each link and nothing else to pay.
    pub fn turn_ticks(self, machine: &Machine, bytes: Bytes) -> u64 {
        let turn = match machine.port_model() {
            PortModel::All => 0,
            PortModel::One => self.moving_ticks(machine, bytes, Hops(1)),
        };
        turn.max(apart_ticks(machine))
    }

    /// The time of a message alone on the network, in ticks.
    ///
    /// ```text
    /// packets:        c + (P + d - 1) b h            P = max(1, ceil(W / h)) packets
    /// message, flit:  as in Costs::alone_ticks, for P h bytes
    /// ```
    ///
    /// and the overheads at both its ends.
    pub fn alone_ticks(self, machine: &Machine, bytes: Bytes, hops: Hops) -> u64 {
        let overhead = machine.endpoints().overhead.0 * machine.costs().ticks_per_cycle();
        self.moving_ticks(machine, bytes, hops) + 2 * overhead
    }

    /// The same without what its ends pay.
    fn moving_ticks(self, machine: &Machine, bytes: Bytes, hops: Hops) -> u64 {
        let costs = machine.costs();
        let whole = sim::in_packets(bytes, costs.flit);
        if matches!(self, Self::Message | Self::Flit) {
            return costs.alone_ticks(machine.switching(), whole, hops);
        }
        let packets = whole.0 / costs.flit.0.max(1);
        costs.startup_ticks() + (packets + u64::from(hops.0.max(1)) - 1) * costs.head_ticks()
    }
}

/// How far apart two messages of a node begin, or end, at least: its overhead or its gap, in ticks.
pub(super) fn apart_ticks(machine: &Machine) -> u64 {
    let ends = machine.endpoints();
    ends.overhead.max(ends.gap).0 * machine.costs().ticks_per_cycle()
}
