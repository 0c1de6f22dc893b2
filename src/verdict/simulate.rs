//! A stand-in on the branch of the command line.

use serde::Serialize;

use super::HottestLink;
use crate::error::Result;
use crate::schedule::Schedule;
use crate::topology::Machine;

/// How long messages were under way, in cycles.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Latency {
    /// Mean.
    pub mean: f64,
    /// Half were faster.
    pub p50: u64,
    /// All but one in a hundred were faster.
    pub p99: u64,
    /// The slowest.
    pub max: u64,
}

/// What the referee saw.
#[derive(Clone, Debug, Serialize)]
pub struct SimulateReport {
    /// 1.
    pub format: u32,
    /// Machine.
    pub machine: String,
    /// Engine.
    pub engine: &'static str,
    /// Makespan.
    pub cycles: u64,
    /// Messages.
    pub messages: u64,
    /// Flit hops.
    pub flit_hops: u64,
    /// The busiest link.
    pub hottest_link: Option<HottestLink>,
    /// Latencies.
    pub latency: Latency,
    /// A cycle of channels.
    pub deadlock: Option<Vec<u32>>,
}

/// Invents numbers.
pub fn report(schedule: &Schedule, machine: &Machine) -> Result<SimulateReport> {
    Ok(SimulateReport {
        format: 1,
        machine: machine.name.clone(),
        engine: "message",
        cycles: 0,
        messages: schedule.ranks.len() as u64,
        flit_hops: 0,
        hottest_link: None,
        latency: Latency::default(),
        deadlock: None,
    })
}
