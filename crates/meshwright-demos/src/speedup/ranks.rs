//! All executors on ranks.

use super::cases::{SpeedupCase, Visit, visit};
use super::collectives::{Collectives, Peers};
use super::here::timed;
use super::{ExecutorTimes, Ranked, Speedups, Task};
use meshwright_runtime::skeleton::host::HOST;
use meshwright_runtime::skeleton::{DivideAndConquer, meet, on_ranks};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Topic};

/// The times of all executors come to rank 0.
const TIMES: u32 = Topic::Speedup.tag(0);

/// Solves a task on one rank, on all of them over the placed tree, and by the collective operations of the network; the answer is
/// at rank 0. Every rank calls it.
///
/// The root of the tree has the problem and reads the clock, for the collective operations too.
///
/// # Errors
///
/// [`Lost`] when a rank does not answer any more.
pub fn measure_on_ranks<E: Endpoint, C: Collectives>(
    task: &Task,
    ranked: &Ranked,
    mail: &mut Mailbox<E>,
    collectives: &mut C,
) -> Result<Option<Speedups>, Lost> {
    let root = ranked.tree.root();
    let times = visit(task, OnRanks { task, ranked, peers: Peers { mail, collectives, root } })?;
    // Who has nothing to tell is neither.
    if mail.rank() == root && root != HOST {
        let rows = times.into_iter().map(|times| ((times.name, times.workers), times.seconds, times.checked));
        mail.send(HOST, TIMES, &rows.collect::<Vec<_>>())?;
        return Ok(None);
    }
    if mail.rank() != HOST {
        return Ok(None);
    }
    let times = match root {
        HOST => times,
        root => {
            let rows: Vec<((String, u32), Vec<f64>, bool)> = mail.receive(root, TIMES)?;
            let times =
                |((name, workers), seconds, checked)| ExecutorTimes { name, workers, seconds, checked };
            rows.into_iter().map(times).collect()
        }
    };
    Ok(Some(Speedups::new(task, ranked, times)))
}

struct OnRanks<'a, E, C> {
    task: &'a Task,
    ranked: &'a Ranked,
    peers: Peers<'a, E, C>,
}

impl<E: Endpoint, O: Collectives> Visit for OnRanks<'_, E, O> {
    /// The times at the root; elsewhere nothing was measured.
    type Outcome = Result<Vec<ExecutorTimes>, Lost>;

    fn visit<C: SpeedupCase>(mut self, case: C) -> Self::Outcome {
        let Self { task, ranked, peers } = &mut self;
        let is_root = peers.mail.rank() == peers.root;
        let given = match is_root {
            true => Some(peers.mail.compute(|| {
                let problem = case.problem();
                let right = case.reference(&problem);
                (problem, right)
            })?),
            false => None,
        };
        let problem = || given.as_ref().map(|(problem, _)| problem.clone());
        let mut all = vec![
            ExecutorTimes::new("sequential", 1),
            ExecutorTimes::new("ranks", task.ranks),
            ExecutorTimes::new(C::COLLECTIVES.replace('*', O::PREFIX), task.ranks),
        ];
        let mut add = |index: usize, seconds, solution: Option<_>| {
            if let (Some((_, right)), Some(solution)) = (&given, solution) {
                all[index].add(seconds, solution == *right);
            }
        };
        for _ in 0..task.repeat {
            // The others wait for the next meeting, and do not disturb.
            if let Some(one) = problem() {
                let (seconds, solution) = peers.mail.compute(|| timed(|| case.app().solve_alone(one)))?;
                add(0, seconds, Some(solution));
            }
            let one = problem();
            meet(peers.mail)?;
            let (seconds, run) = timed(|| on_ranks(case.app(), &ranked.tree, peers.mail, one));
            add(1, seconds, run?.solution);
            let one = problem();
            meet(peers.mail)?;
            let (seconds, solution) = timed(|| case.collective(peers, one));
            add(2, seconds, solution?);
        }
        Ok(all)
    }
}
