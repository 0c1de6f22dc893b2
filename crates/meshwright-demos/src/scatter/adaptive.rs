//! The load handed out while it is worked off: in pieces that shrink, by how fast every rank turns out to be.
//!
//! Every rank has at most two pieces, so it never waits for the next one. A piece is a quarter of what its rank should
//! take of what is left, at the rates seen so far; rank 0 works on small ones and looks for messages in between.
//!
//! A rank works off its own equal share from the front. When nothing is left of it, it does again what others have of it, and only then takes
//! from the back of the share that would end last; where nothing is left to take, it does again what would come back last. So its share is
//! done no later than if nobody had helped, but for what the run itself costs. What is there first is taken; a rank that is lost loses no load.
//!
//! Ranks may share cores, and then more of them can be slower than one. Rank 0 works on the first 1/64 before it hands out
//! anything; if all together turn out to be slower than that, it goes on alone, until it has become so slow itself that others help.

mod again;
mod overhead;
mod shares;

pub use overhead::{Corrections, Overhead};

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use self::again::Again;
use self::shares::Shares;
use super::calibrate::Calibration;
use super::protocol::{self, Clock, PIECE, RESULTS};
use super::root::WorkedPart;
use super::worker::slowly;
use super::{Load, PieceWork};
use crate::star::{StarRow, Timetable};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Parcel, Wire};

/// A rank gets this part of what it should take of what is left.
const PART: f64 = 0.25;

/// Rank 0 works on one of so many parts before the others begin.
const ALONE: u64 = 64;

/// All together are slower than rank 0 alone below this part of its rate.
const SLOWER: f64 = 0.95;

/// Rank 0 looks for help again when it works at less than this part of the rate at which it began.
const TIRED: f64 = 0.5;

/// So many pieces of rank 0 in a row must be slow: one that is may have waited for its core.
const RECENT: usize = 4;

/// A piece takes at least so many times as long as a message to its rank.
const STARTUPS: f64 = 32.0;

/// How long rank 0 works before it looks for messages, at least and at most, in seconds.
const OWN: (f64, f64) = (0.000_5, 0.01);

/// How long one look for messages lasts when there is nothing else to do.
const LOOK: Duration = Duration::from_millis(20);

/// A piece that is with a rank.
struct Handed {
    part: Range<u64>,
    since: f64,
}

/// What rank 0 knows of one rank.
struct Hand {
    /// Bytes a second.
    rate: f64,
    startup: f64,
    pieces: VecDeque<Handed>,
    is_lost: bool,
    share: u64,
    /// When its last piece ended, and how long it had none before that, from the first on.
    ended: f64,
    idle: f64,
    /// The most and the least bytes a second that were seen.
    seen: (f64, f64),
    row: Option<StarRow>,
}

/// A run.
pub(super) struct Adaptive<'r> {
    pub(super) load: &'r dyn Load,
    pub(super) work: &'r dyn PieceWork,
    pub(super) times: u32,
    pub(super) calibration: &'r Calibration,
    pub(super) clock: Clock,
    start: f64,
    hands: Vec<Hand>,
    /// The rate of rank 0 while nobody else works, what part of it is left while all do, and whether it goes on alone.
    alone: f64,
    crowded: f64,
    is_alone: bool,
    /// The rates of its last pieces.
    recent: [f64; RECENT],
    shares: Shares<'r>,
    again: Option<Again>,
    parts: Vec<WorkedPart>,
    worked: u64,
    /// How long rank 0 has worked, and the bytes that this was for.
    own: (f64, u64),
    corrections: Corrections,
}

/// What came of it.
pub(super) struct Adapted {
    pub(super) measured: Timetable,
    pub(super) parts: Vec<WorkedPart>,
    pub(super) share_bytes: Vec<u64>,
    pub(super) corrections: Corrections,
}

impl<'r> Adaptive<'r> {
    pub(super) fn new(
        (load, work): (&'r dyn Load, &'r dyn PieceWork),
        times: u32,
        calibration: &'r Calibration,
        clock: Clock,
    ) -> Self {
        let hand = |measured: &super::Measured| Hand {
            rate: 1.0 / measured.times.work.max(1e-12),
            startup: measured.times.startup,
            pieces: VecDeque::new(),
            is_lost: false,
            share: 0,
            ended: 0.0,
            idle: 0.0,
            seen: (1.0 / measured.times.work.max(1e-12), 1.0 / measured.times.work.max(1e-12)),
            row: None,
        };
        Self {
            load,
            work,
            times,
            calibration,
            start: clock.seconds(),
            clock,
            hands: calibration.ranks.iter().map(hand).collect(),
            alone: 0.0,
            crowded: 1.0,
            is_alone: false,
            recent: [0.0; RECENT],
            shares: Shares::new(load, calibration.ranks.len()),
            again: None,
            parts: Vec::new(),
            worked: 0,
            own: (0.0, 0),
            corrections: Corrections::default(),
        }
    }

    fn now(&self) -> f64 {
        self.clock.seconds() - self.start
    }

    /// Hands out, works and collects until all results are there.
    pub(super) fn run<E: Endpoint>(mut self, mail: &mut Mailbox<E>) -> Result<Adapted, Lost> {
        self.try_alone(mail)?;
        while self.worked < self.load.bytes() {
            while self.hear(mail, Duration::ZERO)? {}
            if self.worked == self.load.bytes() {
                break;
            }
            self.feed(mail)?;
            if self.chosen_own() {
                self.work_again(mail)?;
            } else if let Some(part) = self.take(0, self.own_bytes()) {
                let results = self.own(mail, part.clone())?;
                self.keep(0, WorkedPart { part, results });
                self.decide();
            } else if self.chosen_again() {
                self.work_again(mail)?;
            } else {
                let begin = self.now();
                self.hear(mail, LOOK)?;
                self.corrections.overhead.waiting_seconds += self.now() - begin;
            }
        }
        let end = self.now();
        self.account(end);
        if let Some(own) = &mut self.hands[0].row {
            own.give_back = (own.work.1, end);
        }
        self.parts.sort_by_key(|worked| worked.part.start);
        Ok(Adapted {
            measured: Timetable { rows: self.hands.iter().map(|hand| hand.row).collect(), makespan: end },
            share_bytes: self.hands.iter().map(|hand| hand.share).collect(),
            parts: self.parts,
            corrections: self.corrections,
        })
    }

    /// Measures rank 0 while nobody else works.
    fn try_alone<E: Endpoint>(&mut self, mail: &mut Mailbox<E>) -> Result<(), Lost> {
        let Some(part) = self.take(0, self.load.bytes() / ALONE) else { return Ok(()) };
        let crowded = self.hands[0].rate;
        let results = self.own(mail, part.clone())?;
        self.keep(0, WorkedPart { part, results });
        self.alone = self.hands[0].rate;
        self.hands[0].rate = crowded.min(self.alone);
        self.crowded = self.hands[0].rate / self.alone;
        self.recent = [self.hands[0].rate; RECENT];
        self.decide();
        Ok(())
    }

    /// Goes on alone if all together are slower than rank 0 would be alone, by how fast it still is; and no longer when it has
    /// become slow.
    fn decide(&mut self) {
        let own = self.recent.into_iter().fold(0.0, f64::max);
        let others: f64 = self.hands[1..].iter().filter(|hand| !hand.is_lost).map(|hand| hand.rate).sum();
        self.is_alone = match self.is_alone {
            true => own > TIRED * self.alone || others + own * self.crowded < own / SLOWER,
            false => others + own < SLOWER * self.alone.min(own / self.crowded),
        };
    }

    /// The bytes that a rank should take next.
    fn bytes_for(&self, rank: usize) -> f64 {
        let whole: f64 = self.hands.iter().filter(|hand| !hand.is_lost).map(|hand| hand.rate).sum();
        self.shares.left() as f64 * self.hands[rank].rate / whole * PART
    }

    fn own_bytes(&self) -> u64 {
        let rate = self.hands[0].rate;
        self.bytes_for(0).clamp(rate * OWN.0, rate * OWN.1).max(1.0) as u64
    }

    /// Takes about so many bytes for a rank: of its own share, else what others have of it, else of what nobody has.
    fn take(&mut self, rank: usize, wanted: u64) -> Option<Range<u64>> {
        if !self.shares.has_own(rank)
            && let Some(part) = self.own_of_others(rank)
        {
            return Some(part);
        }
        let rates: Vec<f64> = self.hands.iter().map(|hand| hand.rate).collect();
        self.shares.take(rank, wanted, &rates)
    }

    /// A piece of the share of a rank that others have, and it has not.
    fn own_of_others(&self, rank: usize) -> Option<Range<u64>> {
        let has = |part: &Range<u64>| self.hands[rank].pieces.iter().any(|handed| handed.part == *part);
        let others = self.hands.iter().enumerate().filter(|&(other, _)| other != rank);
        let all = others.flat_map(|(_, hand)| &hand.pieces).map(|handed| &handed.part);
        let mut own = all.filter(|part| self.shares.owner(part) == rank && !has(part) && !self.is_done(part));
        own.next().cloned()
    }

    fn is_done(&self, part: &Range<u64>) -> bool {
        self.parts.iter().any(|worked| part.contains(&worked.part.start))
    }

    /// Sends pieces to those who have fewer than two.
    fn feed<E: Endpoint>(&mut self, mail: &mut Mailbox<E>) -> Result<(), Lost> {
        if self.is_alone {
            return Ok(());
        }
        for round in 0..2 {
            for rank in 1..self.hands.len() {
                let hand = &self.hands[rank];
                if hand.is_lost || hand.pieces.len() > round {
                    continue;
                }
                let whole: f64 = self.hands.iter().filter(|hand| !hand.is_lost).map(|hand| hand.rate).sum();
                let least = hand.rate * hand.startup * STARTUPS;
                // Too little may be left of others to be worth the message.
                let has_own = self.shares.has_own(rank) || self.own_of_others(rank).is_some();
                let is_worth = has_own || self.shares.left() as f64 / whole >= 2.0 * hand.startup;
                let wanted = self.bytes_for(rank).max(least) as u64;
                let part = if is_worth { self.take(rank, wanted) } else { None };
                let part = part.or_else(|| if round == 0 { self.late_for(rank) } else { None });
                let Some(part) = part else { continue };
                let begin = self.now();
                protocol::send_whole(mail, rank as u32, PIECE, self.load.piece(part.clone()))?;
                let sent = self.now();
                self.corrections.pieces += 1;
                let hand = &mut self.hands[rank];
                hand.row.get_or_insert_with(|| StarRow { receive: (begin, sent), ..StarRow::default() });
                hand.pieces.push_back(Handed { part, since: sent });
            }
        }
        Ok(())
    }

    /// Takes one message, if one is there by then; false if none was.
    fn hear<E: Endpoint>(&mut self, mail: &mut Mailbox<E>, wait: Duration) -> Result<bool, Lost> {
        match mail.next(wait) {
            Ok(None) => Ok(false),
            Ok(Some(Parcel { from, tag: RESULTS, bytes })) => {
                let times = <(u64, u64, u64)>::from_bytes(&bytes).expect("results begin with their times");
                let results = protocol::receive_patiently(mail, from, RESULTS);
                match results {
                    Ok(results) => self.returned(from as usize, times, results),
                    Err(lost) => self.lose(lost)?,
                }
                Ok(true)
            }
            // The receipt of a piece.
            Ok(Some(_)) => Ok(true),
            // Threads say so again and again.
            Err(lost) if self.hands[lost.rank as usize].is_lost => Ok(false),
            Err(lost) => {
                self.lose(lost)?;
                Ok(true)
            }
        }
    }

    /// Results have come.
    fn returned(&mut self, rank: usize, (there, begin, end): (u64, u64, u64), results: Vec<u8>) {
        let (now, offset) = (self.now(), self.calibration.ranks[rank].clock_offset + self.start);
        let hand = &mut self.hands[rank];
        let Some(Handed { part, .. }) = hand.pieces.pop_front() else { return };
        if let Some(next) = hand.pieces.front_mut() {
            next.since = now;
        }
        let [there, begin, end] = [there, begin, end].map(|time| protocol::seconds(time) - offset);
        if end > begin {
            // The last pieces say most of what is to come.
            hand.rate = (part.end - part.start) as f64 / (end - begin);
            hand.seen = (hand.seen.0.max(hand.rate), hand.seen.1.min(hand.rate));
            self.decide();
        }
        let hand = &mut self.hands[rank];
        hand.idle += if hand.row.is_some_and(|row| row.work != (0.0, 0.0)) {
            (begin - hand.ended).max(0.0)
        } else {
            0.0
        };
        hand.ended = end;
        if let Some(row) = &mut hand.row {
            if row.work == (0.0, 0.0) {
                row.receive.1 = there.max(row.receive.0);
                row.work.0 = begin.max(row.receive.1);
            }
            row.work.1 = end.max(row.work.0);
            row.give_back = (row.work.1.min(now), now);
        }
        self.forget(&part);
        // Rank 0 may have been faster.
        if !self.is_done(&part) {
            self.keep(rank, WorkedPart { part, results });
        }
    }

    /// Does not go on with a part that is done, or nobody's.
    fn forget(&mut self, part: &Range<u64>) {
        if let Some(again) = self.again.take_if(|again| again.whole == *part) {
            self.corrections.overhead.in_vain_seconds += again.seconds;
        }
    }

    fn keep(&mut self, rank: usize, worked: WorkedPart) {
        let bytes = worked.part.end - worked.part.start;
        self.worked += bytes;
        self.hands[rank].share += bytes;
        self.parts.push(worked);
    }

    /// A rank is lost: what it had is nobody's.
    fn lose(&mut self, lost: Lost) -> Result<(), Lost> {
        let hand = &mut self.hands[lost.rank as usize];
        if lost.rank == 0 {
            return Err(lost);
        }
        hand.is_lost = true;
        self.corrections.lost.push(lost.rank);
        let pieces = std::mem::take(&mut hand.pieces);
        self.shares.lose(lost.rank as usize);
        for Handed { part, .. } in pieces {
            self.forget(&part);
            let is_held = self.hands.iter().any(|hand| hand.pieces.iter().any(|handed| handed.part == part));
            if !is_held && !self.is_done(&part) {
                self.corrections.redone_bytes += part.end - part.start;
                self.shares.give_back(part);
            }
        }
        Ok(())
    }

    /// Works on rank 0.
    fn own<E: Endpoint>(&mut self, mail: &mut Mailbox<E>, part: Range<u64>) -> Result<Vec<u8>, Lost> {
        let (begin, bytes) = (self.now(), part.end - part.start);
        let results = slowly(mail, self.work, &self.load.piece(part), self.times)?;
        let end = self.now();
        self.own = (self.own.0 + end - begin, self.own.1 + bytes);
        let hand = &mut self.hands[0];
        hand.rate = if end > begin { bytes as f64 / (end - begin) } else { hand.rate };
        self.recent = [self.recent[1], self.recent[2], self.recent[3], hand.rate];
        let row = hand.row.get_or_insert(StarRow { work: (begin, end), ..StarRow::default() });
        row.receive.1 = row.work.0;
        row.work.1 = end;
        Ok(results)
    }
}

#[cfg(test)]
mod played;
#[cfg(test)]
mod tests;
