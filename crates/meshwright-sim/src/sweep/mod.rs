//! Latency against load, point by point, and where the network saturates.
//!
//! Each point draws its numbers from a stream named after its load, so that it is the same whichever points are
//! measured beside it, in whatever order, on however many threads and ranks.
//!
//! | file | what |
//! |---|---|
//! | this one | the curve and the search for the saturation |
//! | [`pool`] | [`Pool`]: those who measure; [`Threads`] of this process |

pub mod pool;

pub use pool::{Pool, SweepPoint, Threads};

use rand::Rng;
use serde::Serialize;

use crate::point::Point;
use meshwright_core::error::{Error, Result};
use meshwright_core::rng::stream;

/// The most points of one curve.
pub const POINTS_MAX: usize = 10_000;

/// The saturation search ends when the interval is at most this share of its upper end.
const INTERVAL: f64 = 0.01;

/// Loads are rounded to millionths: short to write, and the same when read again.
const LOAD_SCALE: f64 = 1e6;

/// The least load of a sweep, in flits per node and cycle.
pub const LOAD_MIN: f64 = 1.0 / LOAD_SCALE;

/// What is to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The loads of the curve, in flits per node and cycle.
    pub loads: Vec<f64>,
    /// Whether the saturation is searched for.
    pub saturation: bool,
    /// The seed of all points.
    pub seed: u64,
    /// How many threads work.
    pub threads: usize,
}

/// Where the network saturates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Saturation {
    /// The greatest load found that is carried; 0 if none is.
    pub load: f64,
    /// The least load found that is not; none if even a load of 1 is carried.
    pub not_carried: Option<f64>,
    /// The most that arrived at any measured load, in flits per node and cycle.
    pub throughput: f64,
}

/// What runs one load with a seed on so many threads.
pub trait Measure: Fn(f64, u64, usize) -> Result<Point> + Sync {}

impl<M: Fn(f64, u64, usize) -> Result<Point> + Sync> Measure for M {}

/// What a sweep found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Every measured load in increasing order, those of the saturation search among them.
    pub points: Vec<Point>,
    /// Where the network saturates, if that was asked for.
    pub saturation: Option<Saturation>,
}

/// So many loads at equal distances from one to another, rounded to millionths.
///
/// # Errors
///
/// [`Error::Value`] when the ends do not ascend from [`LOAD_MIN`] to 1, or there are too many points or none.
///
/// # Examples
///
/// ```
/// use meshwright_sim::sweep::spread;
/// assert_eq!(spread(0.1, 0.4, 4)?, [0.1, 0.2, 0.3, 0.4]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn spread(from: f64, to: f64, points: usize) -> Result<Vec<f64>> {
    if !(1..=POINTS_MAX).contains(&points) {
        return Err(Error::value("number of points", points, format!("1 to {POINTS_MAX}")));
    }
    check_load(from)?;
    check_load(to)?;
    if from > to {
        return Err(Error::value("first load", from, format!("at most the last one, {to}")));
    }
    let step = if points > 1 { (to - from) / (points - 1) as f64 } else { 0.0 };
    let mut loads: Vec<f64> = (0..points).map(|i| rounded(from + step * i as f64)).collect();
    loads.dedup();
    Ok(loads)
}

/// Refuses a load that no source can offer.
fn check_load(load: f64) -> Result<()> {
    if (LOAD_MIN..=1.0).contains(&load) {
        return Ok(());
    }
    Err(Error::value("load", load, format!("flits per node and cycle, from {LOAD_MIN} to 1")))
}

fn rounded(load: f64) -> f64 {
    (load * LOAD_SCALE).round() / LOAD_SCALE
}

/// The seed of one point.
///
/// # Examples
///
/// ```
/// use meshwright_sim::sweep::seed_of;
/// assert_eq!(seed_of(7, 0.25), seed_of(7, 0.25));
/// assert_ne!(seed_of(7, 0.25), seed_of(7, 0.5));
/// ```
pub fn seed_of(seed: u64, load: f64) -> u64 {
    stream(seed, &format!("load {load}")).next_u64()
}

/// Measures every load, on all threads, and searches the saturation.
///
/// `measure` runs one load with a seed on so many threads. `known` are points measured before, which are not
/// measured again. `finished` is told each new point as soon as it is there, in whatever order, and may keep it;
/// it is called by one thread. The curve is the same for every number of threads and whatever is known.
///
/// The search assumes that every load below a carried one is carried. It starts between the greatest load of
/// the curve below which all are carried and the least that is not (beyond the curve: twice the greatest, up
/// to 1), measures the middle and halves, until the interval is at most 1 % of its upper end.
/// A network that deadlocks is not searched.
///
/// # Errors
///
/// [`Error::Value`] for a load outside [`LOAD_MIN`] to 1 or too many of them; whatever `measure` and `finished` say.
///
/// # Panics
///
/// When there is no thread.
///
/// # Examples
///
/// ```
/// use meshwright_sim::traffic::{Latencies, Measured};
/// use meshwright_network::topology::Machine;
/// use meshwright_sim::sweep::{Sweep, run};
/// use meshwright_sim::experiment::Reference;
/// use meshwright_sim::point::Point;
/// // A network that carries up to 0.3 flits per node and cycle.
/// let mesh = Machine::new("mesh:4x4")?;
/// let reference = Reference::default();
/// let measure = |load: f64, _seed: u64, _threads: usize| {
///     let (offered, accepted, latencies) = (load, load.min(0.3), Latencies::new(1));
///     let (cycles, flit_hops, undelivered, deadlock) = (1000, 0, u64::from(load > 0.3), None);
///     let run = Measured { cycles, offered, accepted, latencies, flit_hops, undelivered, deadlock };
///     Ok(Point::new(load, &run, &mesh, &reference))
/// };
/// let sweep = Sweep { loads: vec![0.1, 0.2, 0.4], saturation: true, seed: 0, threads: 2 };
/// let curve = run(&sweep, &[], measure, &mut |_| Ok(()))?;
/// let saturation = curve.saturation.expect("it was asked for");
/// assert!(saturation.load <= 0.3 && saturation.not_carried.expect("0.4 is not") > 0.3);
/// assert!(saturation.load > 0.3 * 0.98);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run<M: Measure>(
    sweep: &Sweep,
    known: &[Point],
    measure: M,
    finished: &mut dyn FnMut(&Point) -> Result<()>,
) -> Result<Curve> {
    run_with(&mut Threads::new(sweep.threads, measure), sweep, known, finished)
}

/// The same with a pool, however many threads the sweep says.
///
/// # Errors
///
/// As for [`run`].
pub fn run_with(
    pool: &mut impl Pool,
    sweep: &Sweep,
    known: &[Point],
    finished: &mut dyn FnMut(&Point) -> Result<()>,
) -> Result<Curve> {
    if sweep.loads.len() > POINTS_MAX {
        return Err(Error::value("number of points", sweep.loads.len(), format!("at most {POINTS_MAX}")));
    }
    sweep.loads.iter().try_for_each(|&load| check_load(load))?;
    let mut loads = sweep.loads.clone();
    loads.sort_unstable_by(f64::total_cmp);
    loads.dedup();
    let mut points: Vec<Point> = loads.iter().filter_map(|&load| find(known, load)).collect();
    loads.retain(|&load| find(&points, load).is_none());
    let mut run = SweepRun { pool, seed: sweep.seed, known, finished, ahead: Vec::new() };
    points.extend(run.all(&loads)?);
    points.sort_by(|a, b| a.load.total_cmp(&b.load));
    let stands_still = points.iter().any(|point| point.deadlock.is_some());
    let saturation =
        if sweep.saturation && !stands_still { Some(search(&mut points, &mut run)?) } else { None };
    Ok(Curve { points, saturation })
}

fn find(points: &[Point], load: f64) -> Option<Point> {
    points.iter().find(|point| point.load == load).cloned()
}

/// A sweep under way.
struct SweepRun<'a, C> {
    pool: &'a mut C,
    seed: u64,
    known: &'a [Point],
    finished: &'a mut dyn FnMut(&Point) -> Result<()>,
    /// Points that may be needed; nobody has been told of them.
    ahead: Vec<Point>,
}

impl<C: Pool> SweepRun<'_, C> {
    /// The jobs for these loads, the heaviest first, since they take longest.
    fn jobs(&self, loads: &[f64]) -> Vec<SweepPoint> {
        let mut loads = loads.to_vec();
        loads.sort_unstable_by(|a, b| b.total_cmp(a));
        loads.dedup();
        loads.into_iter().map(|load| SweepPoint { load, seed: seed_of(self.seed, load) }).collect()
    }

    /// Measures these loads.
    fn all(&mut self, loads: &[f64]) -> Result<Vec<Point>> {
        let jobs = self.jobs(loads);
        let mut points = Vec::new();
        self.pool.measure_all(&jobs, &mut |point| {
            (self.finished)(&point)?;
            points.push(point);
            Ok(())
        })?;
        Ok(points)
    }

    /// The point of a load that the search needs now; others it may need later.
    fn point(&mut self, load: f64, later: &[f64]) -> Result<Point> {
        if let Some(point) = find(self.known, load) {
            return Ok(point);
        }
        if find(&self.ahead, load).is_none() {
            self.look_ahead(load, later);
        }
        match find(&self.ahead, load) {
            Some(point) => {
                (self.finished)(&point)?;
                Ok(point)
            }
            None => Ok(self.all(&[load])?.pop().expect("a load that is measured has a point")),
        }
    }

    /// Measures a load together with others; what cannot be measured now is no error before it is needed.
    fn look_ahead(&mut self, load: f64, later: &[f64]) {
        let is_new = |load: &f64| find(self.known, *load).is_none() && find(&self.ahead, *load).is_none();
        let mut loads: Vec<f64> = later.iter().copied().filter(is_new).collect();
        if loads.is_empty() {
            return;
        }
        loads.push(load);
        let jobs = self.jobs(&loads);
        let ahead = &mut self.ahead;
        _ = self.pool.measure_all(&jobs, &mut |point| {
            ahead.push(point);
            Ok(())
        });
    }
}

/// The loads between which the saturation is searched: the greatest that is carried, the least that is not.
#[derive(Clone, Copy)]
struct Interval {
    lower: f64,
    upper: Option<f64>,
}

impl Interval {
    /// The load to be measured next; none when the interval is small enough.
    fn next(self) -> Option<f64> {
        let Self { lower, upper } = self;
        let load = match upper {
            None if lower >= 1.0 => return None,
            None if lower == 0.0 => 1.0,
            None => rounded(lower * 2.0).min(1.0),
            Some(upper) if upper - lower <= INTERVAL * upper => return None,
            Some(upper) => rounded((lower + upper) / 2.0),
        };
        let is_inside = load > lower.max(LOAD_MIN) && upper.is_none_or(|upper| load < upper);
        is_inside.then_some(load)
    }

    /// What is left when it is known whether this load is carried.
    fn after(self, load: f64, saturated: bool) -> Self {
        if saturated { Self { upper: Some(load), ..self } } else { Self { lower: load, ..self } }
    }

    /// The loads of all ways that the search can take in so many steps after the next one.
    fn later(self, steps: u32) -> Vec<f64> {
        let mut loads = Vec::new();
        let mut ways = vec![self];
        for step in 0..=steps {
            let mut further = Vec::new();
            for way in ways {
                let Some(load) = way.next() else { continue };
                if step > 0 {
                    loads.push(load);
                }
                further.extend([way.after(load, true), way.after(load, false)]);
            }
            ways = further;
        }
        loads
    }
}

/// Halves the interval between a load that is carried and one that is not.
fn search<C: Pool>(points: &mut Vec<Point>, run: &mut SweepRun<'_, C>) -> Result<Saturation> {
    let upper = points.iter().find(|point| point.saturated).map(|point| point.load);
    let carried = points.iter().take_while(|point| !point.saturated).last();
    let mut interval = Interval { lower: carried.map_or(0.0, |point| point.load), upper };
    while let Some(load) = interval.next() {
        // So many steps have at most as many loads as are measured at once: 1, 3, 7 and so on.
        let steps = (run.pool.width() + 1).ilog2().saturating_sub(1);
        let measured = run.point(load, &interval.later(steps))?;
        interval = interval.after(load, measured.saturated);
        let at = points.partition_point(|point| point.load < load);
        points.insert(at, measured);
    }
    let throughput = points.iter().map(|point| point.accepted).fold(0.0, f64::max);
    Ok(Saturation { load: interval.lower, not_carried: interval.upper, throughput })
}
