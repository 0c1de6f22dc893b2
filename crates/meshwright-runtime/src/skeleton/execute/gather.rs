//! The times of all ranks at rank 0.

use std::collections::BTreeMap;

use super::{Clock, Executed, SUMMARY, Waiting, Wrong};
use crate::transport::{Endpoint, Lost, Mailbox};
use meshwright_schedule::{Op, Rank};

/// A phase as it ran: all messages of one tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTimes {
    /// Its tag.
    pub tag: u32,
    /// How many messages arrived.
    pub messages: u64,
    /// How many bytes the schedule says that they have.
    pub bytes: u64,
    /// When the first of its sends began, in nanoseconds on the clock of rank 0; none when no send did.
    pub begin: Option<i64>,
    /// When the last of its messages was received; none when none was.
    pub end: Option<i64>,
}

/// What all ranks found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// By tag.
    pub phases: Vec<PhaseTimes>,
    /// From the first begin to the last end of any step, in nanoseconds.
    pub nanoseconds: u64,
    /// How many messages arrived.
    pub messages: u64,
    /// How many bytes were compared with what was sent.
    pub checked_bytes: u64,
    /// What was found wrong, by rank, the first few of each.
    pub wrong: Vec<Wrong>,
    /// How many messages were found wrong.
    pub wrong_count: u64,
    /// Who waits for whom, if nobody had anything to do any more.
    pub waiting: Vec<Waiting>,
    /// Whether all ranks came to their ends.
    pub over: bool,
}

/// As it travels: tag, messages, bytes, begin, end.
type TimesRow = ((u32, u64, u64), (Option<i64>, Option<i64>));

/// A rank's part: its rows; begin and end of all steps; messages, bytes and wrong messages.
type GatheredPart = (Vec<TimesRow>, (Option<i64>, Option<i64>), ((u64, u64, u64), Vec<Wrong>));

/// Brings what all ranks found to rank 0; none on the others. Every rank calls it after its run.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
///
/// # Complexity
///
/// O(steps) on each rank, and O(ranks times tags) at rank 0.
pub fn gather<E: Endpoint>(
    rank: &Rank,
    executed: &Executed,
    clock: &Clock,
    mail: &mut Mailbox<E>,
) -> Result<Option<Gathered>, Lost> {
    let own = part(rank, executed, clock);
    if mail.rank() > 0 {
        mail.send(0, SUMMARY, &own)?;
        return Ok(None);
    }
    let mut sum = Sum::default();
    sum.add(own, 0);
    for rank in 1..mail.ranks() {
        let part: GatheredPart = mail.receive(rank, SUMMARY)?;
        sum.add(part, clock.ahead(rank));
    }
    let span = sum.span.0.zip(sum.span.1).map_or(0, |(begin, end)| end - begin);
    Ok(Some(Gathered {
        phases: sum.phases.into_values().collect(),
        nanoseconds: span.max(0) as u64,
        messages: sum.counts.0,
        checked_bytes: sum.counts.1,
        wrong: sum.wrong,
        wrong_count: sum.counts.2,
        waiting: executed.waiting.clone(),
        over: executed.over,
    }))
}

/// What one rank has to tell.
fn part(rank: &Rank, executed: &Executed, clock: &Clock) -> GatheredPart {
    let mut rows: BTreeMap<u32, TimesRow> = BTreeMap::new();
    let mut all = (None, None);
    for (op, span) in rank.ops.iter().zip(&executed.spans) {
        let Some((begin, end)) = span.map(|(begin, end)| (clock.at(begin), clock.at(end))) else { continue };
        all = (earlier(all.0, Some(begin)), all.1.max(Some(end)));
        match *op {
            Op::Send { tag, .. } => {
                let row = rows.entry(tag).or_insert(((tag, 0, 0), (None, None)));
                row.1.0 = earlier(row.1.0, Some(begin));
            }
            Op::Recv { tag, bytes, .. } => {
                let row = rows.entry(tag).or_insert(((tag, 0, 0), (None, None)));
                row.0.1 += 1;
                row.0.2 += bytes.0;
                row.1.1 = row.1.1.max(Some(end));
            }
            Op::Calc { .. } => {}
        }
    }
    let counts = (executed.messages, executed.checked_bytes, executed.wrong_count);
    (rows.into_values().collect(), all, (counts, executed.wrong.clone()))
}

fn earlier(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    [a, b].into_iter().flatten().min()
}

/// What was added up so far.
#[derive(Default)]
struct Sum {
    phases: BTreeMap<u32, PhaseTimes>,
    span: (Option<i64>, Option<i64>),
    counts: (u64, u64, u64),
    wrong: Vec<Wrong>,
}

impl Sum {
    /// Adds the part of a rank whose clock is so far ahead.
    fn add(&mut self, part: GatheredPart, ahead: i64) {
        let (rows, (begin, end), ((messages, bytes, wrong_count), wrong)) = part;
        let here = |time: Option<i64>| time.map(|time| time - ahead);
        for ((tag, messages, bytes), (begin, end)) in rows {
            let none = PhaseTimes { tag, messages: 0, bytes: 0, begin: None, end: None };
            let phase = self.phases.entry(tag).or_insert(none);
            phase.messages += messages;
            phase.bytes += bytes;
            phase.begin = earlier(phase.begin, here(begin));
            phase.end = phase.end.max(here(end));
        }
        self.span = (earlier(self.span.0, here(begin)), self.span.1.max(here(end)));
        self.counts.0 += messages;
        self.counts.1 += bytes;
        self.counts.2 += wrong_count;
        self.wrong.extend(wrong);
    }
}
