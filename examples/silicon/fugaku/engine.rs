//! The second way: allreduce L on the flow engine, message by message, beside the formula.

use meshwright_core::Result;
use meshwright_core::units::Bytes;
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::{Engine, simulate};

use super::machine::Job;
use super::peers::{Family, exchanges};
use super::steps::Steps;

/// Microseconds of links and ways of allreduce L, without any overhead: simulated, and by the formula.
pub(crate) fn whole_vector(job: &Job, steps: &Steps, family: Family, bytes: u64) -> Result<(f64, f64)> {
    let grid = job.fabric.grid();
    let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
    let machine = Machine::new(&format!("torus:{}", sides.join("x")))?.with_fabric(job.fabric.clone())?;
    let mut messages = Vec::new();
    for (phase, peers) in (0..).zip(exchanges(job.embedding.shape(), family)) {
        messages.extend((0..).zip(peers).map(|(rank, peer)| Message {
            source: job.embedding.node(rank),
            target: job.embedding.node(peer),
            bytes: Bytes(bytes),
            phase,
        }));
    }
    let trace = simulate(&machine, &Phases::new(machine.nodes(), messages), &Engine::Message)?;
    let step = |step: &super::steps::Step| steps.hop * step.hops + bytes as f64 * step.messages / steps.rate;
    Ok((trace.cycles.0 as f64 * 1e-3, steps.exchanges(family).iter().map(step).sum()))
}
