//! Worked applications of divide and conquer: right on every executor, and as large as the planner thinks.

mod beside;
mod results;
mod volumes;

use meshwright_runtime::skeleton::{DivideAndConquer, Record, on_ranks};
use meshwright_runtime::transport::{Mailbox, Wire, threads};
use meshwright_schedule::RankTree;

/// What comes of a problem on ranks that are threads, and what was sent.
fn ranked<A>(app: &A, tree: &RankTree, problem: &A::Problem) -> (A::Solution, Record)
where
    A: DivideAndConquer<Problem: Wire + Clone + Sync, Solution: Wire>,
{
    let ended = threads::run(tree.ranks(), |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        let given = (mail.rank() == tree.root()).then(|| problem.clone());
        let run = on_ranks(app, tree, &mut mail, given)?;
        let record = run.record.gather(&mut mail, tree.root())?;
        Ok(run.solution.zip(record))
    });
    ended.expect("nobody is lost").into_iter().flatten().next().expect("the root had a problem")
}
