//! What members of groups run on.

use super::alone;
use super::packets::{InPackets, in_packets};
use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, Hops};
use meshwright_network::topology::Machine;
use meshwright_schedule::process::Process;
use meshwright_sim as sim;
use meshwright_sim::ProcessTrace;
use meshwright_sim::flit::{Replay, Router};

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
}

/// Every engine with its name on the command line.
pub const ENGINES: &[(&str, Engine)] =
    &[("packet", Engine::Packet), ("message", Engine::Message), ("flit", Engine::Flit)];

impl Engine {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        ENGINES.iter().find(|(_, engine)| *engine == self).expect("the table is complete").0
    }

    /// Runs processes, process i on node i, until nothing happens any more.
    ///
    /// A packet is not divided: on every engine a message is as long as the packets that it needs.
    ///
    /// # Errors
    ///
    /// As for [`sim::run_processes`].
    pub fn run<P: Process>(self, machine: &Machine, processes: &mut [P]) -> Result<ProcessTrace> {
        match self {
            Self::Packet => sim::packet::run_processes(machine, processes),
            Self::Message => {
                let whole = |process| InPackets::new(process, machine.costs().flit);
                sim::run_processes(machine, &mut processes.iter_mut().map(whole).collect::<Vec<_>>())
            }
            Self::Flit => {
                let replay = Replay { router: Router::ideal(machine), packet: None, seed: 0 };
                replay.run_processes(machine, processes)
            }
        }
    }

    /// Runs processes as if nobody were in anybody's way: every message takes the time it takes alone.
    ///
    /// # Errors
    ///
    /// As for [`sim::run_processes`].
    pub fn run_alone<P: Process>(self, machine: &Machine, processes: &mut [P]) -> Result<ProcessTrace> {
        alone::run_processes(machine, processes, |bytes, hops| self.alone_ticks(machine, bytes, hops))
    }

    /// The time of a message alone on the network, in ticks.
    ///
    /// ```text
    /// packet:         c + (P + d - 1) b h            P = max(1, ceil(W / h)) packets
    /// message, flit:  as in Costs::alone_ticks, for P h bytes
    /// ```
    pub fn alone_ticks(self, machine: &Machine, bytes: Bytes, hops: Hops) -> u64 {
        let costs = machine.costs();
        let whole = in_packets(bytes, costs.flit);
        if self != Self::Packet {
            return costs.alone_ticks(machine.switching(), whole, hops);
        }
        let packets = whole.0 / costs.flit.0.max(1);
        costs.startup_ticks() + (packets + u64::from(hops.0.max(1)) - 1) * costs.head_ticks()
    }
}
