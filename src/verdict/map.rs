//! A stand-in on the branch of the command line.

use serde::Serialize;

use super::Skipped;
use super::divide::Job;
use crate::error::Result;
use crate::topology::Machine;

/// One value for each switching.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BySwitching<T> {
    /// Wormhole.
    pub wormhole: T,
    /// Store-and-forward.
    #[serde(rename = "store-and-forward")]
    pub store_and_forward: T,
}

/// A time in three ways.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// Startup only.
    pub small: f64,
    /// Volume only.
    pub large: f64,
    /// Everything.
    pub exact: f64,
}

/// One phase.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MapPhase {
    /// Its number.
    pub phase: u32,
    /// Messages.
    pub messages: u64,
    /// Weight.
    pub weight: f64,
    /// Dilation.
    pub dilation: u32,
    /// Weighted.
    pub weighted_dilation: f64,
    /// Contention.
    pub contention: u32,
    /// Weighted.
    pub weighted_contention: f64,
    /// Load.
    pub link_load: u32,
}

/// One placement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MapRow {
    /// Name.
    pub name: String,
    /// Node of each task.
    pub positions: Vec<Vec<u32>>,
    /// Phases.
    pub phases: Vec<MapPhase>,
    /// Times.
    pub time: BySwitching<Times>,
    /// Slowdowns.
    pub slowdown: BySwitching<Times>,
    /// Bounds.
    pub bound: BySwitching<Times>,
    /// Simulated.
    pub simulated_cycles: BySwitching<Option<u64>>,
    /// Hops.
    pub hops_total: u64,
}

/// The whole.
#[derive(Clone, Debug, Serialize)]
pub struct MapReport {
    /// 1.
    pub format: u32,
    /// Tasks.
    pub tasks: String,
    /// Machine.
    pub machine: String,
    /// Alpha.
    pub alpha: Option<f64>,
    /// Placements.
    pub placements: Vec<MapRow>,
    /// Those that do not apply.
    pub skipped: Vec<Skipped>,
}

/// Invents numbers.
pub fn report(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    _seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<MapReport> {
    let times = Times { small: 1.0, large: 1.0, exact: 100.0 };
    let both = BySwitching { wormhole: times, store_and_forward: times };
    let placements = methods.iter().map(|name| {
        progress(name);
        MapRow {
            name: name.to_string(),
            phases: vec![MapPhase { phase: 1, ..Default::default() }],
            time: both,
            slowdown: both,
            bound: both,
            simulated_cycles: BySwitching { wormhole: Some(110), store_and_forward: None },
            ..Default::default()
        }
    });
    Ok(MapReport {
        format: 1,
        tasks: job.tasks.name.clone(),
        machine: machine.name.clone(),
        alpha: job.binomial.map(|b| b.alpha),
        placements: placements.collect(),
        skipped: vec![],
    })
}
