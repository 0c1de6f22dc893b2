//! Pools that measure the loads of a sweep.

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use super::Measure;
use crate::point::Point;
use meshwright_core::error::{Error, Result};

/// How often whoever leads looks for finished points.
pub const LOOK: Duration = Duration::from_millis(2);

/// One load to be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// The load, in flits per node and cycle.
    pub load: f64,
    /// The seed of the point.
    pub seed: u64,
}

/// Those who measure loads: threads of this process, or ranks.
pub trait Pool {
    /// Measures all these loads, begun in this order, and hands over each point as soon as it is there, in whatever order.
    ///
    /// # Errors
    ///
    /// What measuring a load, or handing a point over, came to: of several errors that of the least load. What was under
    /// way is handed over nevertheless; nothing else is begun.
    fn measure_all(&mut self, jobs: &[SweepPoint], came: &mut dyn FnMut(Point) -> Result<()>) -> Result<()>;

    /// How many loads take no longer than one: the search for the saturation measures so many at a time, though it will
    /// need only some of them.
    fn width(&self) -> usize {
        1
    }
}

/// The pool of one machine: each load on a thread of its own; fewer loads than threads share them.
#[derive(Debug)]
pub struct Threads<M> {
    threads: usize,
    measure: M,
}

impl<M: Measure> Threads<M> {
    /// So many threads of this process.
    ///
    /// # Panics
    ///
    /// When there is no thread.
    pub fn new(threads: usize, measure: M) -> Self {
        assert!(threads > 0, "somebody must work");
        Self { threads, measure }
    }
}

impl<M: Measure> Pool for Threads<M> {
    #[expect(clippy::disallowed_methods, reason = "points are sorted by load, whoever measures them")]
    fn measure_all(&mut self, jobs: &[SweepPoint], came: &mut dyn FnMut(Point) -> Result<()>) -> Result<()> {
        let each = threads_each(jobs.len(), 1, self.threads);
        let mut refusal = Refusal::default();
        thread::scope(|scope| {
            let mut workers = Workers::new(scope, &self.measure);
            let mut open = jobs.iter();
            loop {
                while workers.at_work() < self.threads
                    && refusal.is_none()
                    && let Some(&job) = open.next()
                {
                    workers.begin(job, each);
                }
                if workers.at_work() == 0 {
                    break;
                }
                for (load, point) in workers.wait(LOOK) {
                    refusal.heed(load, point.and_then(&mut *came));
                }
            }
        });
        refusal.into_result()
    }
}

/// How many of its threads a rank gives to each of so many loads that so many ranks measure.
pub fn threads_each(loads: usize, ranks: usize, threads: usize) -> usize {
    (threads / loads.div_ceil(ranks).max(1)).max(1)
}

/// The error of the least load that came to one.
#[derive(Debug, Default)]
pub struct Refusal(Option<(f64, Error)>);

impl Refusal {
    /// Whether all has gone well so far.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// What came of this load.
    pub fn heed(&mut self, load: f64, outcome: Result<()>) {
        if let Err(error) = outcome
            && self.0.as_ref().is_none_or(|(least, _)| load < *least)
        {
            self.0 = Some((load, error));
        }
    }

    /// The error at the least load, if one was refused.
    pub fn into_result(self) -> Result<()> {
        self.0.map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// Loads under way on threads of this process.
pub struct Workers<'scope, 'env, M> {
    scope: &'scope Scope<'scope, 'env>,
    measure: &'scope M,
    at_work: Vec<(f64, ScopedJoinHandle<'scope, Result<Point>>)>,
    leader: thread::Thread,
}

impl<'scope, 'env, M: Measure> Workers<'scope, 'env, M> {
    /// Nothing under way; the thread that made it is woken when a load is done.
    pub fn new(scope: &'scope Scope<'scope, 'env>, measure: &'scope M) -> Self {
        Self { scope, measure, at_work: Vec::new(), leader: thread::current() }
    }

    /// How many loads are under way.
    pub fn at_work(&self) -> usize {
        self.at_work.len()
    }

    /// Begins to measure a load on so many threads.
    pub fn begin(&mut self, job: SweepPoint, threads: usize) {
        let (measure, leader) = (self.measure, self.leader.clone());
        let work = move || {
            let point = measure(job.load, job.seed, threads);
            leader.unpark();
            point
        };
        self.at_work.push((job.load, self.scope.spawn(work)));
    }

    /// The loads that are done, and what they came to.
    pub fn done(&mut self) -> Vec<(f64, Result<Point>)> {
        let is_done = |(_, thread): &mut (f64, ScopedJoinHandle<'_, _>)| thread.is_finished();
        let join = |(load, thread): (f64, ScopedJoinHandle<'_, _>)| {
            (load, thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        };
        self.at_work.extract_if(.., is_done).map(join).collect()
    }

    /// The same, after a wait of at most this time.
    pub(super) fn wait(&mut self, wait: Duration) -> Vec<(f64, Result<Point>)> {
        let done = self.done();
        if !done.is_empty() {
            return done;
        }
        thread::park_timeout(wait);
        self.done()
    }
}
