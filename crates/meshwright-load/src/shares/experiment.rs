//! Random sources, many rounds: what the schedulers save and gain on average, and how far they are from the optimum.
//!
//! Rounds run on all threads. Each draws from a stream of its own and results are collected in the order of the
//! rounds, so the answer is the same however many threads there are.

mod against_optimum;

use rand::RngExt;
use rayon::prelude::*;
use serde::Serialize;

pub use against_optimum::{AgainstOptimum, against_optimum};

use super::accelerated::accelerated;
use super::reduced::reduced;
use super::schedulers::{REDUCTIONS, Reduction, Scheduled, SchedulerSettings, Ties};
use crate::{Forwarding, Problem, Source};
use meshwright_core::error::{Error, Result};
use meshwright_core::rng::streams;
use meshwright_core::statistics::{Estimate, estimate};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;

/// What is tried.
#[derive(Clone, Debug)]
pub struct Experiment<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// How many different nodes are sources, all with the same load.
    pub sources: u32,
    /// How often they are drawn.
    pub rounds: u32,
    /// In how many of the rounds the cells are also accelerated, which takes longer.
    pub accelerated_rounds: u32,
    /// Where all draws begin.
    pub seed: u64,
    /// The times of a load on a link over its time on a processor.
    pub sigmas: Vec<f64>,
    /// How shares pass nodes.
    pub forwardings: Vec<Forwarding>,
    /// Whose a node is that is equally near to several sources.
    pub ties: Ties,
}

impl Experiment<'_> {
    /// The sources of a round: every set of different living nodes is as likely as any other.
    ///
    /// # Panics
    ///
    /// When there are more sources than living nodes.
    pub fn draw(&self, round: u32) -> Vec<Source> {
        let mut stream = streams(self.seed, "divisible load", round..round + 1).remove(0);
        let mut living: Vec<NodeId> = self.machine.living().collect();
        let mut source = |drawn: usize| {
            let at = stream.random_range(drawn..living.len());
            living.swap(drawn, at);
            Source::at(living[drawn], 1.0)
        };
        (0..self.sources as usize).map(&mut source).collect()
    }

    fn check(&self) -> Result<()> {
        let living = self.machine.living_count();
        if self.sources == 0 || self.sources > living {
            return Err(Error::value("number of sources", self.sources, format!("1 to {living}")));
        }
        if self.rounds == 0 {
            return Err(Error::value("number of rounds", 0, "at least one round"));
        }
        if self.accelerated_rounds > self.rounds {
            let expected = format!("at most {}, the number of rounds", self.rounds);
            return Err(Error::value("number of accelerated rounds", self.accelerated_rounds, expected));
        }
        Ok(())
    }

    /// What happens in every round, in the order of the rounds; `finished` is called after each.
    fn rounds<T: Send>(
        &self,
        finished: &(dyn Fn() + Sync),
        round: impl Fn(u32) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.check()?;
        let run = |number| {
            let result = round(number);
            finished();
            result
        };
        (0..self.rounds).into_par_iter().map(run).collect()
    }
}

/// The averages at one sigma under one forwarding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Averages {
    /// How shares pass nodes.
    pub forwarding: Forwarding,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// One entry for each of [`REDUCTIONS`].
    pub reductions: Vec<OfReduction>,
}

/// What one reduction did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfReduction {
    /// The reduction.
    pub reduction: Reduction,
    /// The share of the machine that has nothing to do after RMDVDA.
    pub saved_share: Estimate,
    /// The share of the rounds in which RMDVDA made the makespan longer.
    pub broken_share: f64,
    /// What ARMDVDA adds to the speedup of the unreduced cells, as a share of it, by round. Rounds with one tiny cell
    /// gain many times its speedup, so the mean is far above what a usual round gains.
    pub gain: Estimate,
    /// The same of the mean speedups: mean after over mean before, less 1; 0 if no round is accelerated.
    pub gain_of_means: f64,
}

/// One round at one sigma under one forwarding with one reduction.
struct RoundOutcome {
    saved_share: f64,
    is_broken: bool,
    /// The speedups before and after acceleration.
    accelerated: Option<(f64, f64)>,
}

/// Runs the schedulers in every round; the entries go over forwardings, then sigmas.
///
/// `finished` is called after each round, on the thread that ran it.
///
/// # Errors
///
/// [`Error::Value`] for no rounds, no sources, more sources than nodes, more accelerated rounds than rounds or a
/// sigma below 0.
///
/// # Complexity
///
/// O(nodes log nodes) for each round, forwarding, sigma and reduction.
///
/// # Source
///
/// `zhang2018`, figures 3.28 and 4.21 to 4.23: 1000 rounds.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::experiment;
/// use meshwright_load::shares::schedulers::Ties;
/// use meshwright_load::Forwarding;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:10x10")?;
/// let experiment = experiment::Experiment {
///     machine: &mesh,
///     sources: 4,
///     rounds: 8,
///     accelerated_rounds: 0,
///     seed: 1,
///     sigmas: vec![0.01],
///     forwardings: vec![Forwarding::CutThrough],
///     ties: Ties::Lowest,
/// };
/// let averages = experiment::run(&experiment, &|| ())?;
/// let [peel, literal, ..] = averages[0].reductions.as_slice() else { panic!("four reductions") };
/// assert!(peel.saved_share.mean > literal.saved_share.mean);
/// assert_eq!(peel.broken_share, 0.0, "the makespan is kept");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run(experiment: &Experiment, finished: &(dyn Fn() + Sync)) -> Result<Vec<Averages>> {
    let rounds = experiment.rounds(finished, |round| outcomes(experiment, round))?;
    let mut column = 0;
    let mut of_reduction = |reduction: Reduction| {
        let outcomes = || rounds.iter().map(|outcomes| &outcomes[column]);
        let pairs: Vec<(f64, f64)> = outcomes().filter_map(|outcome| outcome.accelerated).collect();
        let (before, after) = pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        let entry = OfReduction {
            reduction,
            saved_share: estimate(&outcomes().map(|outcome| outcome.saved_share).collect::<Vec<_>>()),
            broken_share: outcomes().filter(|outcome| outcome.is_broken).count() as f64 / rounds.len() as f64,
            gain: estimate(&pairs.iter().map(|(before, after)| after / before - 1.0).collect::<Vec<_>>()),
            gain_of_means: if pairs.is_empty() { 0.0 } else { after / before - 1.0 },
        };
        column += 1;
        entry
    };
    let mut averages = Vec::new();
    for &forwarding in &experiment.forwardings {
        for &sigma in &experiment.sigmas {
            let reductions = REDUCTIONS.iter().map(|&(_, reduction)| of_reduction(reduction)).collect();
            averages.push(Averages { forwarding, sigma, reductions });
        }
    }
    Ok(averages)
}

/// All of one round, over forwardings, sigmas and reductions.
fn outcomes(experiment: &Experiment, round: u32) -> Result<Vec<RoundOutcome>> {
    let sources = experiment.draw(round);
    let mut outcomes = Vec::new();
    for &forwarding in &experiment.forwardings {
        for &sigma in &experiment.sigmas {
            let problem = Problem::new(experiment.machine, sources.clone(), sigma)?;
            for &(_, reduction) in REDUCTIONS {
                let ties = experiment.ties;
                let settings = SchedulerSettings { ties, reduction, ..SchedulerSettings::default() };
                let cut = reduced(&problem, forwarding, &settings)?;
                let accelerated = (round < experiment.accelerated_rounds)
                    .then(|| accelerated(&problem, forwarding, &settings).map(|fast| speedups(&fast)))
                    .transpose()?;
                let is_broken = !cut.makespan_kept;
                outcomes.push(RoundOutcome { saved_share: cut.saved_share, is_broken, accelerated });
            }
        }
    }
    Ok(outcomes)
}

/// The speedups of the whole load before and after; all sources have the same load.
fn speedups(scheduled: &Scheduled) -> (f64, f64) {
    let slowest = scheduled.speedups_before.iter().copied().fold(f64::INFINITY, f64::min);
    (slowest * scheduled.cells.len() as f64, scheduled.plan.speedup())
}
