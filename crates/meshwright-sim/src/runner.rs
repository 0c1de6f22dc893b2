//! Processes that run again and again on one machine.

use super::packet::{Packets, Routers};
use super::processes::ProcessTask;
use super::simulate::{Engine, Task};
use super::trace::Trace;
use meshwright_core::error::Result;
use meshwright_core::units::Bytes;
use meshwright_network::routing;
use meshwright_network::topology::Machine;
use meshwright_schedule::process::Process;

/// Runs one after the other, each as [`run`](super::run) makes it: the packet engine reads the machine once, others for
/// each run.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, NodeId};
/// use meshwright_network::topology::Machine;
/// use meshwright_schedule::process::{Context, Process};
/// use meshwright_sim::{Engine, Runner, run};
/// struct Once(NodeId);
/// impl Process for Once {
///     type Payload = ();
///     fn on_start(&mut self, context: &mut Context<'_, ()>) {
///         context.send(self.0, Bytes(20), ());
///     }
///     fn on_message(&mut self, _: NodeId, (): (), context: &mut Context<'_, ()>) {
///         context.finish();
///     }
/// }
/// let mesh = Machine::new("mesh:3x3")?.in_packets();
/// let mut all: Vec<Once> = (0..9).map(|i| Once(NodeId(2 * i % 9))).collect();
/// let once = run(&mesh, &mut all, &Engine::Packet)?;
/// let mut runner = Runner::new(&mesh, Engine::Packet);
/// assert_eq!((runner.run(&mut all)?, runner.run(&mut all)?), (once.clone(), once));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Runner<'m> {
    machine: &'m Machine,
    engine: Engine,
    /// Once something has run, of the packet engine.
    packets: Option<Packets<Routers<'m>>>,
}

impl<'m> Runner<'m> {
    /// Runs on this engine.
    pub fn new(machine: &'m Machine, engine: Engine) -> Self {
        Self { machine, engine, packets: None }
    }

    /// Runs processes, process i on node i, until nothing happens any more, as [`run`](super::run).
    ///
    /// # Errors
    ///
    /// As for [`run`](super::run).
    ///
    /// # Complexity
    ///
    /// As for [`run`](super::run); on the packet engine O(nodes + links) beside what moves, and not the reading of the
    /// machine.
    pub fn run<P: Process>(&mut self, processes: &mut [P]) -> Result<Trace> {
        let machine = self.machine;
        let task = ProcessTask { machine, processes, packet: Bytes(0) };
        let is_plain = machine.fabric().is_none() && machine.endpoints().is_free();
        if !matches!(self.engine, Engine::Packet) || !is_plain {
            return self.engine.run(machine, task);
        }
        machine.costs().check()?;
        let mut packets = match self.packets.take() {
            Some(packets) => packets,
            None => Packets::new(machine, routing::usual(machine))?,
        };
        let trace = task.on(&mut packets)?;
        self.packets = packets.renew().then_some(packets);
        Ok(trace)
    }
}
