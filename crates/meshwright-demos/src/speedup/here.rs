//! All executors on one machine.

use std::time::Instant;

use super::cases::{Problem, Solution, SpeedupCase, Visit, visit};
use super::{ExecutorTimes, Ranked, Speedups, Task};
use meshwright_core::error::{Error, Result};
use meshwright_runtime::skeleton::{self, DivideAndConquer, on_ranks, on_threads};
use meshwright_runtime::transport::{Mailbox, threads};

/// Solves a task on one thread, on so many threads, on ranks that are threads, and as others would; `tell` hears what is being done.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the system gives no such number of threads.
///
/// # Examples
///
/// ```
/// use meshwright_demos::speedup::{Task, applications, measure_here};
/// let task = Task::new(&applications("components")?[0], Some(100), (3, 0, 1))?;
/// let speedups = measure_here(&task, 2, &task.ranked(None, None)?, &mut |_| {})?;
/// assert_eq!(speedups.executors[0].name, "sequential");
/// assert!(speedups.is_right());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn measure_here(
    task: &Task,
    threads: u32,
    ranked: &Ranked,
    tell: &mut dyn FnMut(&str),
) -> Result<Speedups> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build()
        .map_err(|error| Error::not_applicable("a pool of threads", error.to_string()))?;
    let times = visit(task, Here { task, threads, ranked, pool, tell });
    Ok(Speedups::new(task, ranked, times))
}

struct Here<'a> {
    task: &'a Task,
    threads: u32,
    ranked: &'a Ranked,
    pool: rayon::ThreadPool,
    tell: &'a mut dyn FnMut(&str),
}

impl Visit for Here<'_> {
    type Outcome = Vec<ExecutorTimes>;

    fn visit<C: SpeedupCase>(self, case: C) -> Vec<ExecutorTimes> {
        let problem = case.problem();
        (self.tell)(&format!("{}: an independent solution", self.task.application.name));
        let right = case.reference(&problem);
        let mut all = vec![
            ExecutorTimes::new("sequential", 1),
            ExecutorTimes::new("threads", self.threads),
            ExecutorTimes::new("ranks on threads", self.task.ranks),
        ];
        let ways = C::WAYS.iter().map(|(name, _)| ExecutorTimes::new(*name, workers(name, self.threads)));
        all.extend(ways);
        for round in 1..=self.task.repeat {
            (self.tell)(&format!("{}: round {round}", self.task.application.name));
            let mut add = |index: usize, (seconds, solution): (f64, Solution<C>)| {
                all[index].add(seconds, solution == right);
            };
            let one = problem.clone();
            add(0, timed(|| case.app().solve_alone(one)));
            let one = problem.clone();
            add(1, self.pool.install(|| timed(|| on_threads(case.app(), one))));
            add(2, self.on_ranks(&case, &problem));
            for (index, (_, way)) in (3..).zip(C::WAYS) {
                let one = problem.clone();
                add(index, self.pool.install(|| timed(|| way(&case, one))));
            }
        }
        all
    }
}

/// How many threads a way of others uses.
fn workers(name: &str, threads: u32) -> u32 {
    if name.starts_with("rayon") { threads } else { 1 }
}

impl Here<'_> {
    /// The time at the root of the tree, from the moment at which all ranks are there.
    fn on_ranks<C: SpeedupCase>(&self, case: &C, problem: &Problem<C>) -> (f64, Solution<C>) {
        let tree = &self.ranked.tree;
        let ended = threads::run(self.task.ranks, |endpoint| {
            let mut mail = Mailbox::new(endpoint);
            let one = (mail.rank() == tree.root()).then(|| problem.clone());
            skeleton::meet(&mut mail)?;
            let (seconds, run) = timed(|| on_ranks(case.app(), tree, &mut mail, one));
            Ok(run?.solution.map(|solution| (seconds, solution)))
        });
        let ended = ended.expect("threads of this process are not lost unless they panic");
        ended.into_iter().flatten().next().expect("the root had a problem")
    }
}

/// The seconds that something took, and what came of it.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = Instant::now();
    let result = work();
    (begin.elapsed().as_secs_f64(), result)
}
