//! Heartbeats between ranks, and the time after which a silent one is lost.
//!
//! The ranks stand in a ring: each one beats to the next, and watches the one before. So a rank sends and receives one small
//! message in every fifth of the patience, however many ranks there are. Of several lost ranks in a row the last one is found,
//! by the rank ahead of it; the ring closes, and the others follow, each in half of the patience.

use std::collections::BTreeSet;
use std::time::Duration;

/// A rank beats so often within the patience.
const BEATS: u32 = 5;

/// One rank's part of the watching. It has no clock: whoever asks says what time it is, counted from any beginning.
///
/// Only time in which this rank looks counts against the one before: a rank that was stopped itself, or was busy without
/// looking, blames nobody for that time.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::transport::watch::Watch;
/// use std::time::Duration;
/// let second = Duration::from_secs(1);
/// let mut watch = Watch::new(2, 4, 10 * second, Duration::ZERO);
/// assert_eq!((watch.behind(), watch.ahead()), (Some(1), Some(3)));
/// for at in 1..=10 {
///     assert!(!watch.is_silent(at * second));
/// }
/// assert!(watch.is_silent(11 * second)); // nothing came from rank 1 for more than 10 seconds
/// watch.lose(1, 11 * second);
/// assert_eq!(watch.behind(), Some(0));
/// ```
#[derive(Clone, Debug)]
pub struct Watch {
    rank: u32,
    ranks: u32,
    patience: Duration,
    lost: BTreeSet<u32>,
    /// For how long this rank has looked, and when it last did.
    looked: Duration,
    last_look: Duration,
    /// How long this rank had looked when the one before was heard.
    heard: Duration,
    last_beat: Option<Duration>,
}

impl Watch {
    /// This rank of so many begins to watch, now.
    ///
    /// # Panics
    ///
    /// When the patience is zero, or there is no such rank.
    pub fn new(rank: u32, ranks: u32, patience: Duration, now: Duration) -> Self {
        assert!(patience > Duration::ZERO, "without patience everybody is lost");
        assert!(rank < ranks, "ranks are numbered from 0");
        Self {
            rank,
            ranks,
            patience,
            lost: BTreeSet::new(),
            looked: Duration::ZERO,
            last_look: now,
            heard: Duration::ZERO,
            last_beat: None,
        }
    }

    /// How long a rank may be silent.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// The time between two beats.
    pub fn interval(&self) -> Duration {
        self.patience / BEATS
    }

    /// The rank that this one beats to; none when no other is left, or the others believe that this one is lost.
    pub fn ahead(&self) -> Option<u32> {
        self.first((1..self.ranks).map(|step| (self.rank + step) % self.ranks))
    }

    /// The rank that this one watches; none when no other is left, or the others believe that this one is lost.
    pub fn behind(&self) -> Option<u32> {
        self.first((1..self.ranks).map(|step| (self.rank + (self.ranks - step)) % self.ranks))
    }

    fn first(&self, mut ranks: impl Iterator<Item = u32>) -> Option<u32> {
        ranks.find(|rank| !self.lost.contains(rank)).filter(|_| !self.lost.contains(&self.rank))
    }

    /// The ranks that are known to be lost.
    pub fn lost(&self) -> &BTreeSet<u32> {
        &self.lost
    }

    /// Whether it is time for a beat.
    pub fn is_due(&self, now: Duration) -> bool {
        self.last_beat.is_none_or(|last| now.saturating_sub(last) >= self.interval())
    }

    /// This rank has beaten now.
    pub fn has_beaten(&mut self, now: Duration) {
        self.last_beat = Some(now);
    }

    /// A message of this rank has come: any message is a sign of life.
    pub fn hear(&mut self, from: u32) {
        if self.behind() == Some(from) {
            self.heard = self.looked;
        }
    }

    /// Looks: whether the rank before has been silent for longer than the patience.
    pub fn is_silent(&mut self, now: Duration) -> bool {
        self.looked += now.saturating_sub(self.last_look).min(self.interval());
        self.last_look = now;
        self.behind().is_some() && self.silence() > self.patience
    }

    /// For how long the rank before has been silent, as far as this one has looked.
    pub fn silence(&self) -> Duration {
        self.looked - self.heard
    }

    /// This rank is lost: the ring closes without it. False when that was known.
    pub fn lose(&mut self, rank: u32, now: Duration) -> bool {
        let (ahead, behind) = (self.ahead(), self.behind());
        let is_new = rank < self.ranks && self.lost.insert(rank);
        if self.behind() != behind {
            // The new one beats as soon as it hears of this.
            self.heard = self.looked.saturating_sub(self.patience / 2);
            self.last_look = now;
        }
        if self.ahead() != ahead {
            self.last_beat = None;
        }
        is_new
    }
}
