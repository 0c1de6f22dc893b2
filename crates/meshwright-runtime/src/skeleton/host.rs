//! The host: rank 0 has the problem, reads the clock and gets the solution.
//!
//! The root of the tree lies where the placement wants it, which is seldom at rank 0. As in the paper, the problem comes
//! to the root from a host, and the solution goes back to it.

use std::time::{Duration, Instant};

use super::keep_half::{self, PhaseRecord};
use super::{DivideAndConquer, Record};
use crate::transport::{Endpoint, Lost, Mailbox, Topic, Wire};
use meshwright_schedule::RankTree;

/// The rank that has the problem at first and the solution in the end.
pub const HOST: u32 = 0;

/// The problem goes to the root, the solution comes back; all are there, all may begin.
const TO_ROOT: u32 = Topic::Host.tag(0);
const TO_HOST: u32 = Topic::Host.tag(1);
const HERE: u32 = Topic::Host.tag(2);
const BEGIN: u32 = Topic::Host.tag(3);

/// What the host knows after a run.
#[derive(Clone, Debug)]
pub struct HostRun<S> {
    /// What came of it; none when the host had no problem.
    pub solution: Option<S>,
    /// What all ranks of the tree did.
    pub record: Record,
    /// The problem on its way to the root; nothing when the host is the root.
    pub there: PhaseRecord,
    /// The solution on its way back.
    pub back: PhaseRecord,
    /// From the moment at which all ranks were ready until the host had the solution.
    pub time: Duration,
}

/// Solves a problem that rank 0 has; what the host knows then, nothing on other ranks. Every rank calls it.
///
/// # Errors
///
/// [`Lost`] when a rank does not answer any more.
///
/// # Panics
///
/// When the tree has fewer ranks than there are.
///
/// # Complexity
///
/// As [`on_ranks`](super::on_ranks), one message more each way when the host is not the root, and 3 (p - 1) small ones to begin together and to
/// gather the record.
///
/// # Source
///
/// `lo1990`, section 3: the host.
pub fn from_host<A, E>(
    app: &A,
    tree: &RankTree,
    mail: &mut Mailbox<E>,
    problem: Option<A::Problem>,
) -> Result<Option<HostRun<A::Solution>>, Lost>
where
    A: DivideAndConquer,
    A::Problem: Wire,
    A::Solution: Wire,
    E: Endpoint,
{
    meet(mail)?;
    let begin = Instant::now();
    let (problem, there) = hand(mail, (HOST, tree.root()), TO_ROOT, problem)?;
    let run = keep_half::since(begin, app, tree, mail, problem)?;
    let (solution, mut back) = hand(mail, (tree.root(), HOST), TO_HOST, run.solution)?;
    let time = begin.elapsed();
    back.ended_seconds = time.as_secs_f64();
    let record = run.record.gather(mail, HOST)?;
    // The host has seen the beginning of the one and the end of the other.
    Ok(record.map(|record| HostRun { solution, record, there, back, time }))
}

/// Nobody goes on before all ranks are here.
///
/// # Errors
///
/// [`Lost`] when a rank does not answer any more.
pub fn meet<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<(), Lost> {
    match mail.gather(HOST, HERE, ())? {
        Some(_) => mail.send_to_others(BEGIN, &()),
        None => mail.receive(HOST, BEGIN),
    }
}

/// One rank hands a value to another: it leaves the one and comes to the other, which both count it.
fn hand<E: Endpoint, T: Wire>(
    mail: &mut Mailbox<E>,
    (from, to): (u32, u32),
    tag: u32,
    value: Option<T>,
) -> Result<(Option<T>, PhaseRecord), Lost> {
    let mut record = PhaseRecord::default();
    let rank = mail.rank();
    if from == to || (rank != from && rank != to) {
        return Ok((value, record));
    }
    let begin = Instant::now();
    let mut came = None;
    if rank == from {
        mail.send(to, tag, &value)?;
        record.work_seconds = begin.elapsed().as_secs_f64();
        record.bytes = value.volume();
    } else {
        came = mail.receive::<Option<T>>(from, tag)?;
        record.bytes = came.volume();
    }
    record.messages = 1;
    Ok((came, record))
}
