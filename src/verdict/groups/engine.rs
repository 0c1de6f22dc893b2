//! What members of groups run on.

use super::alone;
use crate::error::Result;
use crate::schedule::process::Process;
use crate::sim::flit::{Replay, Router};
use crate::sim::{self, ProcessTrace};
use crate::topology::Machine;

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
    /// Nobody is in anybody's way: every message takes the time it takes alone.
    Alone,
}

/// Every engine with its name on the command line.
pub const ENGINES: &[(&str, Engine)] = &[
    ("packet", Engine::Packet),
    ("message", Engine::Message),
    ("flit", Engine::Flit),
    ("alone", Engine::Alone),
];

impl Engine {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        ENGINES.iter().find(|(_, engine)| *engine == self).expect("the table is complete").0
    }

    /// Runs processes, process i on node i, until nothing happens any more.
    ///
    /// # Errors
    ///
    /// As for [`sim::run_processes`].
    pub fn run<P: Process>(self, machine: &Machine, processes: &mut [P]) -> Result<ProcessTrace> {
        match self {
            Self::Packet => sim::packet::run_processes(machine, processes),
            Self::Message => sim::run_processes(machine, processes),
            Self::Flit => {
                let replay = Replay { router: Router::ideal(machine), packet: Some(1), seed: 0 };
                replay.run_processes(machine, processes)
            }
            Self::Alone => alone::run_processes(machine, processes),
        }
    }
}
