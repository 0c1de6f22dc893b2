//! Repeated runs of one experiment: their mean, and what they expect of a single run.

use meshwright_core::Result;
use meshwright_network::topology::Machine;
use meshwright_sim::flit::{self, Router};
use meshwright_sim::traffic::{OpenLoop, Pattern};

/// An experiment: who, what, how much, how long.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    pub(crate) machine: Machine,
    pub(crate) router: Router,
    pub(crate) pattern: Pattern,
    pub(crate) load: f64,
    pub(crate) flits: u32,
    pub(crate) warm_up: u64,
    pub(crate) window: u64,
    pub(crate) drain: u64,
}

/// What one run measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) latency: f64,
    pub(crate) accepted: f64,
    pub(crate) hops: f64,
    /// Whether all packets of the window arrived.
    pub(crate) complete: bool,
}

impl Experiment {
    /// One run.
    pub(crate) fn run(&self, seed: u64) -> Result<Run> {
        let open = OpenLoop {
            pattern: self.pattern.clone(),
            load: self.load,
            packet: self.flits,
            warm_up: self.warm_up,
            measure: self.window,
            drain: self.drain,
            seed,
        };
        let measured = flit::run_traffic(&self.machine, &self.router, &open, 1)?;
        assert_eq!(measured.deadlock, None, "dimension order does not deadlock");
        Ok(Run {
            latency: measured.latencies.mean(),
            accepted: measured.accepted,
            hops: measured.latencies.hops_mean(),
            complete: measured.undelivered == 0,
        })
    }
}

/// What repeated runs say of a single run that had this accepted load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// The mean latency at the expected mean distance.
    pub(crate) latency: f64,
    /// Half the width of its 95 % interval.
    pub(crate) half: f64,
    /// The latency that the runs expect of the single run.
    pub(crate) expected: f64,
    /// The standard error of that expectation: the spread of a single run, and that of the line itself.
    pub(crate) noise: f64,
    /// The mean accepted load.
    pub(crate) accepted: f64,
}

/// Fits a straight line through the latencies of the runs over their accepted loads, each latency moved to the
/// expected distance by the cost of a hop, and reads it off at the accepted load of a single run.
///
/// ```text
/// expected = m + b (x - mx)
/// noise^2  = s^2 (1 + 1/n + (x - mx)^2 / sum (x_i - mx)^2),   s^2 = sum (y_i - expected_i)^2 / (n - 2)
/// ```
///
/// # Panics
///
/// When there are fewer than four runs.
pub(crate) fn summary(runs: &[Run], hops: f64, hop_cycles: f64, single: f64) -> Summary {
    assert!(runs.len() >= 4, "a spread needs runs");
    let number = runs.len() as f64;
    let moved: Vec<f64> = runs.iter().map(|run| run.latency - (run.hops - hops) * hop_cycles).collect();
    let mean = moved.iter().sum::<f64>() / number;
    let accepted = runs.iter().map(|run| run.accepted).sum::<f64>() / number;
    let pairs = || runs.iter().zip(&moved).map(|(run, moved)| (run.accepted - accepted, moved - mean));
    let xx: f64 = pairs().map(|(x, _)| x * x).sum();
    let xy: f64 = pairs().map(|(x, y)| x * y).sum();
    let yy: f64 = pairs().map(|(_, y)| y * y).sum();
    let (slope, apart) = (if xx > 0.0 { xy / xx } else { 0.0 }, single - accepted);
    let variance = (yy - slope * xy).max(0.0) / (number - 2.0);
    let leverage = if xx > 0.0 { apart * apart / xx } else { 0.0 };
    Summary {
        latency: mean,
        half: student(runs.len() - 1) * (yy / (number - 1.0) / number).sqrt(),
        expected: mean + slope * apart,
        noise: (variance * (1.0 + 1.0 / number + leverage)).sqrt(),
        accepted,
    }
}

/// The 0.975 quantile of Student's t distribution, to three digits, for the numbers of runs used here.
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 17] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110,
    ];
    TABLE[degrees - 1]
}
