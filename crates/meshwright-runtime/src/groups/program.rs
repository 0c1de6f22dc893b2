//! Programs for the simulator on real ranks.

use std::time::{Duration, Instant};

use super::Group;
use crate::transport::{Endpoint, Lost};
use meshwright_core::units::Cycles;
use meshwright_groups::protocol::{Here, Operation, Outcome, Program};

/// Runs the program of this member to its end, for instance an async function over a [`Team`](meshwright_groups::nested::Team).
///
/// The same program text runs on the simulator and here, and computes the same as long as it does not look at the time. A
/// cycle is a nanosecond: [`Here::now`] counts them from the beginning, and [`Operation::Compute`] waits for as many.
///
/// # Errors
///
/// [`Lost`] when a rank is lost.
///
/// # Panics
///
/// When a join comes without a split, or the end without a join.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::groups::{self, Group};
/// use meshwright_groups::nested::{Run, Team};
/// use meshwright_groups::protocol::Operator;
/// use meshwright_groups::trees;
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::transport::{Mailbox, threads};
/// async fn sum_of_alike(team: &mut Team) -> u64 {
///     let number = u64::from(team.rank());
///     let sum = async |part: &mut Team| part.all_reduce(Operator::Sum, number).await;
///     team.branch(number % 2 == 1, sum, sum).await
/// }
/// let mesh = Machine::new("mesh:2x2")?;
/// let tree = trees::tree("rank-halving")?;
/// let sums = threads::run(4, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let mut world = Group::world(&mut mail, &mesh, tree).expect("four ranks on four nodes");
///     let mut run = Run::of(sum_of_alike);
///     groups::drive(&mut world, &mut run)?;
///     Ok(run.into_result().expect("it has come to its end"))
/// })?;
/// assert_eq!(sums, [2, 4, 2, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drive<E: Endpoint>(group: &mut Group<'_, E>, program: &mut impl Program) -> Result<(), Lost> {
    let last = run(group, program, 0, Instant::now())?;
    assert!(last == Operation::Stop, "a join follows a split");
    Ok(())
}

/// Runs a program as long as it stays in this group; what it called last, [`Operation::Join`] or [`Operation::Stop`].
fn run<E: Endpoint>(
    group: &mut Group<'_, E>,
    program: &mut impl Program,
    level: u32,
    begin: Instant,
) -> Result<Operation, Lost> {
    let mut outcome = Outcome::Done;
    loop {
        let now = Cycles(begin.elapsed().as_nanos() as u64);
        let here = Here { node: group.node(), rank: group.rank(), size: group.size(), level, now, outcome };
        let operation = program.next(here);
        outcome = match operation {
            Operation::Split(label) => {
                let mut part = group.split(label.colour, label.key)?;
                let last = run(&mut part, program, level + 1, begin)?;
                assert!(last == Operation::Join, "a program ends when all parts have joined");
                part.join()?;
                Outcome::Done
            }
            Operation::Join | Operation::Stop => return Ok(operation),
            other => perform(group, other)?,
        }
    }
}

/// An operation that leaves the group as it is.
fn perform<E: Endpoint>(group: &mut Group<'_, E>, operation: Operation) -> Result<Outcome, Lost> {
    let or_nothing = |value: Option<u64>| value.map_or(Outcome::Done, Outcome::Value);
    Ok(match operation {
        Operation::Barrier => {
            group.barrier()?;
            Outcome::Done
        }
        Operation::Broadcast { from, value } => Outcome::Value(group.broadcast(from, value)?),
        Operation::Reduce(operator, value) => or_nothing(group.reduce(value, |a, b| operator.apply(a, b))?),
        Operation::AllReduce(operator, value) => {
            Outcome::Value(group.all_reduce(value, |a, b| operator.apply(a, b))?)
        }
        Operation::Scan(operator, value) => Outcome::Value(group.scan(value, |a, b| operator.apply(a, b))?),
        Operation::Gather(value) => group.gather(value)?.map_or(Outcome::Done, Outcome::Values),
        Operation::Compute(cycles) => {
            let time = Duration::from_nanos(cycles.0);
            group.mail().compute(|| std::thread::sleep(time))?;
            Outcome::Done
        }
        Operation::Split(_) | Operation::Join | Operation::Stop => unreachable!("handled by the caller"),
    })
}
