//! The schedulers beside the true optimum on shared links.

use serde::Serialize;

use super::Experiment;
use crate::shares::accelerated::accelerated;
use crate::shares::partition::partition;
use crate::shares::reduced::{reduced, voronoi};
use crate::shares::schedulers::{Scheduled, SchedulerSettings};
use crate::{Forwarding, Problem, Source, UNUSED, optimum};
use meshwright_core::error::Result;
use meshwright_core::statistics::{Estimate, estimate};
use meshwright_network::topology::{Machine, Topology};

/// Averages over the rounds at one sigma, under cut-through and with reduction by layers.
///
/// A speedup is that of the whole load. `within` is the best that is possible if no load leaves its cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgainstOptimum {
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// The best speedup on shared links.
    pub optimum: Estimate,
    /// What the thesis claims for MDVDA.
    pub claimed_voronoi: Estimate,
    /// What the thesis claims for ARMDVDA.
    pub claimed_accelerated: Estimate,
    /// The bound of the thesis's model over all partitions.
    pub claimed_partition: Estimate,
    /// The best inside the cells of MDVDA.
    pub within_voronoi: Estimate,
    /// The best inside the cells of RMDVDA.
    pub within_reduced: Estimate,
    /// The best inside the cells of ARMDVDA.
    pub within_accelerated: Estimate,
    /// The optimum over the best inside the cells of MDVDA.
    pub optimum_over_voronoi: Estimate,
    /// The bound of the thesis's model over all partitions, over what it claims for MDVDA.
    pub partition_over_voronoi: Estimate,
    /// What the thesis claims for MDVDA over the optimum.
    pub claim_over_optimum: Estimate,
    /// The largest of these ratios.
    pub claim_over_optimum_max: f64,
    /// How many nodes RMDVDA uses.
    pub reduced_nodes: Estimate,
    /// How many nodes ARMDVDA uses.
    pub accelerated_nodes: Estimate,
    /// The fewest nodes that can attain the optimum, its speedup rounded up.
    pub needed_nodes: Estimate,
}

/// What one round has for each column, in the order of [`AgainstOptimum`].
struct Round {
    optimum: f64,
    claimed: [f64; 3],
    within: [f64; 3],
    nodes: [f64; 2],
}

/// Runs the schedulers and the optimum in every round; one entry per sigma. The forwardings of the experiment and
/// its number of accelerated rounds do not matter, nor does its rule of ties: it is cut-through, all rounds are accelerated, and ties
/// go to the first source.
///
/// `finished` is called after each round, on the thread that ran it.
///
/// # Errors
///
/// As for [`super::run`]; [`meshwright_core::Error::NotApplicable`] when the machine is not connected and a part of it has no
/// way to a processor.
///
/// # Complexity
///
/// Some maximum flows for each round and sigma.
pub fn against_optimum(experiment: &Experiment, finished: &(dyn Fn() + Sync)) -> Result<Vec<AgainstOptimum>> {
    let rounds = experiment.rounds(finished, |round| {
        let sources = experiment.draw(round);
        experiment
            .sigmas
            .iter()
            .map(|&sigma| one(experiment.machine, &sources, sigma))
            .collect::<Result<Vec<_>>>()
    })?;
    let averages = |(at, &sigma): (usize, &f64)| {
        let of = |value: &dyn Fn(&Round) -> f64| {
            estimate(&rounds.iter().map(|sigmas| value(&sigmas[at])).collect::<Vec<f64>>())
        };
        let ratios = rounds.iter().map(|sigmas| sigmas[at].claimed[0] / sigmas[at].optimum);
        AgainstOptimum {
            sigma,
            optimum: of(&|round| round.optimum),
            claimed_voronoi: of(&|round| round.claimed[0]),
            claimed_accelerated: of(&|round| round.claimed[1]),
            claimed_partition: of(&|round| round.claimed[2]),
            within_voronoi: of(&|round| round.within[0]),
            within_reduced: of(&|round| round.within[1]),
            within_accelerated: of(&|round| round.within[2]),
            optimum_over_voronoi: of(&|round| round.optimum / round.within[0]),
            partition_over_voronoi: of(&|round| round.claimed[2] / round.claimed[0]),
            claim_over_optimum: of(&|round| round.claimed[0] / round.optimum),
            claim_over_optimum_max: ratios.fold(0.0, f64::max),
            reduced_nodes: of(&|round| round.nodes[0]),
            accelerated_nodes: of(&|round| round.nodes[1]),
            needed_nodes: of(&|round| needed(round.optimum)),
        }
    };
    Ok(experiment.sigmas.iter().enumerate().map(averages).collect())
}

/// The speedup rounded up, unless it is a whole number up to the rounding of floats.
fn needed(speedup: f64) -> f64 {
    (speedup * (1.0 - 1e-12)).ceil()
}

fn one(machine: &Machine, sources: &[Source], sigma: f64) -> Result<Round> {
    let problem = Problem::new(machine, sources.to_vec(), sigma)?;
    let (forwarding, settings) = (Forwarding::CutThrough, SchedulerSettings::default());
    let whole = voronoi(&problem, forwarding, &settings)?;
    let cut = reduced(&problem, forwarding, &settings)?;
    let fast = accelerated(&problem, forwarding, &settings)?;
    let best = partition(&problem, forwarding, &settings)?;
    let nodes =
        |scheduled: &Scheduled| f64::from(scheduled.cells.iter().map(|cell| cell.nodes()).sum::<u32>());
    Ok(Round {
        optimum: 1.0 / optimum::makespan(&problem)?.0,
        claimed: [whole.plan.speedup(), fast.plan.speedup(), best.bound_speedup],
        within: [within(&problem, &whole)?, within(&problem, &cut)?, within(&problem, &fast)?],
        nodes: [nodes(&cut), nodes(&fast)],
    })
}

/// The best speedup if no load leaves its cell: the optimum when links between cells are cut and free nodes dead.
fn within(problem: &Problem, scheduled: &Scheduled) -> Result<f64> {
    let machine = problem.machine();
    let label = &scheduled.plan.cells.as_ref().expect("these schedulers have cells").label;
    let (mut dead, mut cut) = (machine.dead().to_vec(), machine.dead_links().to_vec());
    for node in machine.living() {
        if label[node.index()] == UNUSED {
            dead.push(node);
            continue;
        }
        for (_, next) in machine.neighbours(node) {
            let other = label[next.index()];
            if node < next && other != UNUSED && other != label[node.index()] {
                cut.push((node, next));
            }
        }
    }
    let divided = machine.clone().with_dead(dead)?.with_dead_links(cut)?;
    let alone = Problem::new(&divided, problem.sources().to_vec(), problem.sigma())?;
    Ok(1.0 / optimum::makespan(&alone)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::NodeId;

    /// Cells cut apart by hand: the slowest of the cells, each on a machine of its own.
    #[test]
    fn the_best_inside_cells_is_the_slowest_cell_alone() {
        let line = Machine::new("mesh:1x7").expect("a machine");
        let sources = [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec();
        for sigma in [0.1, 0.7, 2.0] {
            let problem = Problem::new(&line, sources.clone(), sigma).expect("a problem");
            let cells =
                voronoi(&problem, Forwarding::CutThrough, &SchedulerSettings::default()).expect("applicable");
            let alone = |name: &str, node: u32| {
                let machine = Machine::new(name).expect("a machine");
                let problem = Problem::new(&machine, vec![Source::at(NodeId(node), 1.0)], sigma);
                optimum::makespan(&problem.expect("a problem")).expect("connected").0
            };
            let slowest = 0.5 * alone("mesh:1x3", 1).max(alone("mesh:1x4", 0));
            let ours = within(&problem, &cells).expect("connected");
            assert!((ours * slowest - 1.0).abs() < 1e-9, "sigma {sigma}: {ours} {}", 1.0 / slowest);
        }
    }
}
