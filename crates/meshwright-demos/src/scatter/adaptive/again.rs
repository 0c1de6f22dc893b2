//! What others have, done again by rank 0.

use std::ops::Range;

use super::{Adaptive, Hand, OWN};
use crate::scatter::root::WorkedPart;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox};

/// A piece of another rank that rank 0 works off as well.
pub(super) struct Again {
    pub(super) whole: Range<u64>,
    pub(super) next: u64,
    pub(super) done: Vec<WorkedPart>,
    /// How long rank 0 has worked on it.
    pub(super) seconds: f64,
}

impl Again {
    fn new(whole: Range<u64>) -> Self {
        Self { next: whole.start, whole, done: Vec::new(), seconds: 0.0 }
    }
}

impl Adaptive<'_> {
    /// Whether others have what is of the share of rank 0, of which nothing else is left; it is chosen.
    pub(super) fn chosen_own(&mut self) -> bool {
        if self.again.is_none() && !self.shares.has_own(0) {
            self.again = self.own_of_others(0).map(Again::new);
        }
        self.again.is_some()
    }

    /// Whether there is a piece that rank 0 would be done with before its rank, by what is known; it is chosen.
    pub(super) fn chosen_again(&mut self) -> bool {
        if self.again.is_none() {
            self.again = self.late_for(0).map(Again::new);
        }
        self.again.is_some()
    }

    /// The piece that would be there last, of those that this rank would be done with before, by what is known; a rank other than 0 only what nobody
    /// does again yet.
    pub(super) fn late_for(&self, rank: usize) -> Option<Range<u64>> {
        let (now, Hand { rate: own, startup, .. }) = (self.now(), &self.hands[rank]);
        let sending = if rank == 0 { 0.0 } else { 2.0 * startup };
        let mut latest: Option<(f64, Range<u64>)> = None;
        for (other, hand) in self.hands.iter().enumerate().skip(1).filter(|&(other, _)| other != rank) {
            let mut queued = 0.0;
            for (place, handed) in hand.pieces.iter().enumerate() {
                let bytes = (handed.part.end - handed.part.start) as f64;
                queued += bytes / hand.rate;
                // Late already: as late again.
                let waited = if place == 0 { now - handed.since } else { 0.0 };
                queued = if place == 0 { (queued - waited).max(waited - queued).max(0.0) } else { queued };
                if !self.is_done(&handed.part)
                    && queued > bytes / own + sending
                    && latest.as_ref().is_none_or(|(time, _)| queued > *time)
                    && (rank == 0 || self.is_once(&handed.part, other))
                {
                    latest = Some((queued, handed.part.clone()));
                }
            }
        }
        latest.map(|(_, whole)| whole)
    }

    /// Whether nobody but this rank works on a part.
    fn is_once(&self, part: &Range<u64>, rank: usize) -> bool {
        let has = |hand: &Hand| hand.pieces.iter().any(|handed| handed.part == *part);
        let others = self.hands.iter().enumerate().filter(|&(other, _)| other != rank);
        self.again.as_ref().is_none_or(|again| again.whole != *part)
            && !others.into_iter().any(|(_, hand)| has(hand))
    }

    /// One more small piece of what is done again; all of it counts when the whole is done.
    pub(super) fn work_again<E: Endpoint>(&mut self, mail: &mut Mailbox<E>) -> Result<(), Lost> {
        let Some(Again { whole, next, mut done, seconds }) = self.again.take() else { return Ok(()) };
        let rest = next..whole.end;
        let part = next..self.shares.cut(&rest, self.own_most());
        let (end, begin) = (part.end, self.now());
        let results = self.own(mail, part.clone())?;
        let seconds = seconds + self.now() - begin;
        done.push(WorkedPart { part, results });
        if end < whole.end {
            self.again = Some(Again { whole, next: end, done, seconds });
            return Ok(());
        }
        self.corrections.redone_bytes += whole.end - whole.start;
        done.into_iter().for_each(|worked| self.keep(0, worked));
        Ok(())
    }

    fn own_most(&self) -> u64 {
        (self.hands[0].rate * OWN.1).max(1.0) as u64
    }
}
