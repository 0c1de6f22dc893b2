//! The answer to `split --random`: what the schedulers do on average with sources drawn at random.

use serde::Serialize;

use super::limited::refuse_one_port;
use meshwright_core::error::Result;
use meshwright_load::shares::experiment::{self, AgainstOptimum, Averages, Experiment};
use meshwright_network::topology::{Machine, Topology};

/// Rounds that are also compared with the optimum and accelerated, which takes longer, where there are more.
const LONG_ROUNDS: u32 = 16;

/// But all, while they have no more nodes than this together: a few seconds.
const LONG_NODES: u32 = 4_000_000;

/// Averages over random sources.
#[derive(Clone, Debug, Serialize)]
pub struct RandomAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// How many different nodes are sources, all with the same load.
    pub sources: u32,
    /// How often they were drawn.
    pub rounds: u32,
    /// Over how many of these rounds the acceleration and the comparison with the optimum go.
    pub long_rounds: u32,
    /// Where all draws began.
    pub seed: u64,
    /// The schedulers under each forwarding.
    pub averages: Vec<Averages>,
    /// The thesis's claims and cells against the optimum, under cut-through.
    pub against_optimum: Vec<AgainstOptimum>,
}

/// The rounds that [`random`] compares with the optimum when there are so many in all.
pub fn long_rounds(rounds: u32, machine: &Machine) -> u32 {
    rounds.min(LONG_ROUNDS.max(LONG_NODES / machine.nodes()))
}

/// Runs an experiment, and its first rounds against the optimum; `finished` is called after each round of either.
///
/// # Errors
///
/// As for [`experiment::run`]; [`meshwright_core::Error::NotApplicable`] where nodes have one port.
pub fn random(experiment: &Experiment<'_>, finished: &(dyn Fn() + Sync)) -> Result<RandomAnswer> {
    refuse_one_port(experiment.machine, "averaging over sources at random")?;
    let long_rounds = long_rounds(experiment.rounds, experiment.machine);
    let experiment = Experiment { accelerated_rounds: long_rounds, ..experiment.clone() };
    let few = Experiment { rounds: long_rounds, ..experiment.clone() };
    Ok(RandomAnswer {
        format: 1,
        machine: experiment.machine.name().to_string(),
        sources: experiment.sources,
        rounds: experiment.rounds,
        long_rounds,
        seed: experiment.seed,
        averages: experiment::run(&experiment, finished)?,
        against_optimum: experiment::against_optimum(&few, finished)?,
    })
}
