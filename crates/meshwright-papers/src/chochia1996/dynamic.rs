//! Theorem 4 measured: all groups of the dynamic context at once.
//!
//! One observation is the program of section 5, run once: four levels of nested splits by random labels, barriers in the
//! new groups and joins, every group at its own pace, beside all others. What a split takes is divided by n log2 s, the
//! longest queue by log2 n; constants that do not grow with n are what the theorem says.

use meshwright_core::error::Result;
use meshwright_core::statistics::{Estimate, estimate};
use meshwright_groups::Group;
use meshwright_groups::rank_split::RankSplit;
use meshwright_network::topology::Machine;
use meshwright_sim::packet::PacketRouting;
use meshwright_verdict::groups::program::{self, Kind, Sample};
use meshwright_verdict::groups::{Drawn, Engine, Job, Labels};

/// A name and what packets go by.
pub type PacketNetwork = (&'static str, Engine);

/// What packets go by: dimension order with the queues of the paper's experiments, with queues without bound, and three legs
/// by way of a random row near by, with queues without bound.
pub const NETWORKS: [PacketNetwork; 3] = [
    ("xy-4", Engine::Packet),
    ("xy", Engine::Unbounded(PacketRouting::DimensionOrder)),
    ("three-phase", Engine::Unbounded(PacketRouting::LocalThreePhase { seed: 0 })),
];

/// How deep splits are nested.
pub const LEVELS: u32 = 4;

/// What one run of the program of section 5 gave.
#[derive(Clone, Debug)]
pub struct Observation {
    /// n.
    pub side: u32,
    /// Every split of a group of two and more.
    pub splits: Vec<Sample>,
    /// The most packets before one link at once; `None` where queues have a bound.
    pub queue: Option<u64>,
}

/// Runs the program once on a mesh of n x n, members in Hilbert order, labels and random rows from this seed.
///
/// # Errors
///
/// As for [`program::run`].
///
/// # Source
///
/// `chochia1996`, section 5, with the size of the mesh and the routing of theorem 4.
///
/// # Examples
///
/// ```
/// use meshwright_papers::chochia1996::dynamic::{NETWORKS, observe};
/// let seen = observe(8, NETWORKS[2].1, 1)?;
/// assert_eq!(seen.splits.iter().filter(|split| split.level == 0).count(), 1, "all nodes are split once");
/// assert!(seen.queue.is_some_and(|most| most > 1));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn observe(side: u32, engine: Engine, seed: u64) -> Result<Observation> {
    let mesh = Machine::mesh([side, side])?.in_packets();
    let mut job = Job::new("hilbert", Labels::Drawn { levels: LEVELS, kind: Drawn::Scattered });
    (job.seed, job.engine) = (seed, engine);
    let group = Group::whole(&mesh, "hilbert")?;
    let ran = program::run(&RankSplit::default(), &job, &mesh, &group, &job.round(&group, 0))?;
    let mut splits = ran.samples;
    splits.retain(|sample| sample.kind == Kind::Split && sample.size > 1);
    Ok(Observation { side, splits, queue: ran.longest_queue.map(|(_, packets)| packets) })
}

impl Observation {
    /// Steps over n log2 s of a split.
    pub fn ratio(&self, split: &Sample) -> f64 {
        split.cycles as f64 / (f64::from(self.side) * libm::log2(f64::from(split.size)))
    }

    /// The mean steps over n log2 s.
    pub fn mean_ratio(&self) -> f64 {
        let sum: f64 = self.splits.iter().map(|split| self.ratio(split)).sum();
        sum / self.splits.len().max(1) as f64
    }

    /// The largest steps over n log2 s.
    pub fn largest_ratio(&self) -> f64 {
        self.splits.iter().map(|split| self.ratio(split)).fold(0.0, f64::max)
    }

    /// Mean steps over n of the splits of groups of n members and more.
    pub fn steps_over_side(&self) -> f64 {
        let large = self.splits.iter().filter(|split| split.size >= self.side);
        let (sum, count) = large.fold((0, 0u32), |(sum, count), split| (sum + split.cycles, count + 1));
        sum as f64 / f64::from(count.max(1)) / f64::from(self.side)
    }
}

/// A straight line through points, by least squares.
///
/// ```text
/// y = intercept + slope x,    slope = sum (x - mean x)(y - mean y) / sum (x - mean x)^2
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedLine {
    /// y where x is 0.
    pub intercept: f64,
    /// y for each x more.
    pub slope: f64,
}

impl FittedLine {
    /// The line through these points; flat where they have one x.
    ///
    /// ```
    /// use meshwright_papers::chochia1996::dynamic::FittedLine;
    /// let line = FittedLine::through(&[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]);
    /// assert!((line.slope - 2.0).abs() < 1e-12 && (line.at(8.0) - 17.0).abs() < 1e-12);
    /// ```
    pub fn through(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let squares: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let products: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let slope = if squares > 0.0 { products / squares } else { 0.0 };
        Self { intercept: y - slope * x, slope }
    }

    /// y at this x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// One line for each seed, through its points, and what the seeds say together.
#[derive(Clone, Copy, Debug)]
pub struct Trend {
    /// Where x is 0, with its interval over the seeds.
    pub intercept: Estimate,
    /// For each x more, with its interval over the seeds.
    pub slope: Estimate,
}

impl Trend {
    /// Fits every seed by itself.
    pub fn of(seeds: &[Vec<(f64, f64)>]) -> Self {
        let lines: Vec<FittedLine> = seeds.iter().map(|points| FittedLine::through(points)).collect();
        let all = |of: fn(&FittedLine) -> f64| estimate(&lines.iter().map(of).collect::<Vec<_>>());
        Self { intercept: all(|line| line.intercept), slope: all(|line| line.slope) }
    }

    /// What it predicts for this x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept.mean + self.slope.mean * x
    }
}
