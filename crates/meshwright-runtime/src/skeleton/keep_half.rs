//! Keep half, send half: divide and conquer on ranks.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | B(n) | [`RankTree`] | |
//! | phase i | [`Record::phases`], with index i - 1 | |
//! | W(E_i) | [`PhaseRecord::bytes`] of all messages together | bytes |
//!
//! A rank with a problem divides it for the child of each phase, keeps one part and sends the other; what is left is its
//! own. On the way back it combines its solution with those of its children, the last child first. A problem that is
//! small before the tree ends is solved where it is, and the ranks below are told that there is nothing for them.

use std::time::Instant;

use super::DivideAndConquer;
use crate::transport::{Endpoint, Lost, Mailbox, Topic, Wire};
use meshwright_core::units::Bytes;
use meshwright_schedule::RankTree;

/// Problems go down, solutions come up, records go to one rank.
const DOWN: u32 = Topic::KeepHalf.tag(0);
const UP: u32 = Topic::KeepHalf.tag(1);
const RECORD: u32 = Topic::KeepHalf.tag(2);

/// What comes of a run on one rank.
#[derive(Clone, Debug)]
pub struct Run<S> {
    /// The solution, at the root; none on other ranks, and none when the root had no problem.
    pub solution: Option<S>,
    /// What this rank did.
    pub record: Record,
}

/// What was sent in one phase, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseRecord {
    /// How many messages.
    pub messages: u64,
    /// All of them together, as they were sent.
    pub bytes: Bytes,
    /// How long the slowest rank divided, solved or combined, and packed messages, without waiting.
    pub work_seconds: f64,
    /// When the last rank was done with this phase, from the moment at which it began with the first.
    pub ended_seconds: f64,
}

impl PhaseRecord {
    /// Both ranks' part of a phase.
    fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes.0 += other.bytes.0;
        self.work_seconds = self.work_seconds.max(other.work_seconds);
        self.ended_seconds = self.ended_seconds.max(other.ended_seconds);
    }
}

impl Wire for PhaseRecord {
    fn volume(&self) -> Bytes {
        Bytes(32)
    }

    fn write(&self, out: &mut Vec<u8>) {
        (self.messages, self.bytes.0, self.work_seconds).write(out);
        self.ended_seconds.write(out);
    }

    fn read(from: &mut &[u8]) -> Option<Self> {
        let (messages, bytes, work_seconds) = Wire::read(from)?;
        Some(Self { messages, bytes: Bytes(bytes), work_seconds, ended_seconds: f64::read(from)? })
    }
}

/// What was sent, phase by phase: by one rank, or by all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The phases 1 to n of the divide stage and n + 1 to 2n of the combine stage, as
    /// `meshwright_mapping::divide` numbers them.
    pub phases: Vec<PhaseRecord>,
    /// What lies between the stages: each rank solves what is its own. Nothing is sent.
    pub solve: PhaseRecord,
}

impl Record {
    fn new(phases: u32) -> Self {
        Self { phases: vec![PhaseRecord::default(); 2 * phases as usize], solve: PhaseRecord::default() }
    }

    /// How many messages.
    pub fn messages(&self) -> u64 {
        self.phases.iter().map(|phase| phase.messages).sum()
    }

    /// All messages together.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.phases.iter().map(|phase| phase.bytes.0).sum())
    }

    /// What all ranks did, at one of them; none at the others. Every rank calls it.
    ///
    /// # Errors
    ///
    /// As for [`Mailbox::receive`].
    pub fn gather<E: Endpoint>(self, mail: &mut Mailbox<E>, to: u32) -> Result<Option<Self>, Lost> {
        let Some(all) = mail.gather(to, RECORD, (self.phases, self.solve))? else { return Ok(None) };
        let together = all.into_iter().reduce(|mut sum, (phases, solve)| {
            sum.0.iter_mut().zip(&phases).for_each(|(phase, other)| phase.merge(other));
            sum.1.merge(&solve);
            sum
        });
        Ok(together.map(|(phases, solve)| Self { phases, solve }))
    }
}

/// The part of one rank; every rank of the tree calls it, with a problem at the root.
///
/// Without a problem at the root nobody has anything to do, and everybody is told. Each rank solves its own part on one
/// thread, by [`DivideAndConquer::solve_alone`].
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
/// 2 (p - 1) messages on p ranks of the tree, fewer where a problem is small before the tree ends: nothing comes back from a rank
/// that got none.
///
/// # Source
///
/// `lo1990`, section 3.
pub fn on_ranks<A, E>(
    app: &A,
    tree: &RankTree,
    mail: &mut Mailbox<E>,
    problem: Option<A::Problem>,
) -> Result<Run<A::Solution>, Lost>
where
    A: DivideAndConquer,
    A::Problem: Wire,
    A::Solution: Wire,
    E: Endpoint,
{
    since(Instant::now(), app, tree, mail, problem)
}

/// The same, with the clock started before.
pub(super) fn since<A, E>(
    begin: Instant,
    app: &A,
    tree: &RankTree,
    mail: &mut Mailbox<E>,
    problem: Option<A::Problem>,
) -> Result<Run<A::Solution>, Lost>
where
    A: DivideAndConquer,
    A::Problem: Wire,
    A::Solution: Wire,
    E: Endpoint,
{
    let place = tree.place(mail.rank());
    let mut log = PhaseLog { begin, record: Record::new(tree.phases()) };
    let (mut problem, mut left) = (problem, place.workers);
    mail.endpoint().tell("waiting for its part of the problem");
    if let Some(parent) = place.parent {
        problem = mail.receive(parent, DOWN)?;
        log.end(place.phase);
    }
    let mut busy = Vec::new();
    for child in &place.children {
        left -= child.workers;
        let workers = (left, child.workers);
        let begin = Instant::now();
        let (kept, sent) = match problem {
            Some(problem) if !app.is_small(&problem) => {
                busy.push(child);
                let (kept, sent) = mail.compute(|| app.divide(problem, workers))?;
                (Some(kept), Some(sent))
            }
            problem => (problem, None),
        };
        log.send(mail, child.rank, DOWN, child.phase, &sent)?;
        log.work(child.phase, begin);
        problem = kept;
    }
    let Some(problem) = problem else { return Ok(Run { solution: None, record: log.record }) };
    let begin = Instant::now();
    mail.endpoint().tell("solving its part of the problem");
    let mut solution = mail.compute(|| app.solve_alone(problem))?;
    mail.endpoint().tell("combining solutions");
    log.solved(begin);
    let last = 2 * tree.phases() + 1;
    for child in busy.into_iter().rev() {
        let sent = mail.receive_bytes(child.rank, UP)?;
        let begin = Instant::now();
        let both = mail.compute(|| app.combine_bytes(solution, &sent))?;
        solution = both.expect("all ranks solve the same");
        log.work(last - child.phase, begin);
    }
    let Some(parent) = place.parent else {
        return Ok(Run { solution: Some(solution), record: log.record });
    };
    let begin = Instant::now();
    log.send(mail, parent, UP, last - place.phase, &solution)?;
    log.work(last - place.phase, begin);
    Ok(Run { solution: None, record: log.record })
}

/// Writes down what a rank does.
struct PhaseLog {
    begin: Instant,
    record: Record,
}

impl PhaseLog {
    /// Sends a message of the phase with this number.
    fn send<E: Endpoint, T: Wire>(
        &mut self,
        mail: &mut Mailbox<E>,
        to: u32,
        tag: u32,
        number: u32,
        value: &T,
    ) -> Result<(), Lost> {
        let before = mail.sent_bytes().0;
        mail.send(to, tag, value)?;
        let phase = &mut self.record.phases[number as usize - 1];
        phase.messages += 1;
        phase.bytes.0 += mail.sent_bytes().0 - before;
        Ok(())
    }

    /// The rank has worked in this phase since `begin`.
    fn work(&mut self, number: u32, begin: Instant) {
        self.record.phases[number as usize - 1].work_seconds += begin.elapsed().as_secs_f64();
        self.end(number);
    }

    /// The rank is done with this phase.
    fn end(&mut self, number: u32) {
        self.record.phases[number as usize - 1].ended_seconds = self.begin.elapsed().as_secs_f64();
    }

    /// The rank has solved its own part since `begin`.
    fn solved(&mut self, begin: Instant) {
        self.record.solve.work_seconds = begin.elapsed().as_secs_f64();
        self.record.solve.ended_seconds = self.begin.elapsed().as_secs_f64();
    }
}
