//! What an adaptive run did beside the times, and what sharing cost rank 0.

use serde::Serialize;

use super::Adaptive;

/// What an adaptive run did beside the times.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Corrections {
    /// Pieces that were sent.
    pub pieces: u64,
    /// Bytes that were handed out again.
    pub redone_bytes: u64,
    /// Ranks that were lost on the way.
    pub lost: Vec<u32>,
    /// What it cost rank 0 to share.
    pub overhead: Overhead,
}

/// The time rank 0 lost by sharing, measured.
///
/// Rank 0 works, waits or does something else: makespan = work + waiting + messages. It works off no byte that counts twice,
/// so its work takes no longer than all of it alone, and what others on its cores, and work in vain, add:
///
/// ```text
/// makespan <= alone + messages + waiting + slowed + in vain
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Overhead {
    /// All on rank 0 at the speed of the part that it worked off before the others began.
    pub alone_seconds: f64,
    /// Sending, receiving and deciding.
    pub messages_seconds: f64,
    /// Nothing to do but to wait for the others.
    pub waiting_seconds: f64,
    /// How much longer its own work took than at that speed.
    pub slowed_seconds: f64,
    /// Work that others were done with first.
    pub in_vain_seconds: f64,
    /// What it cost another that it had nothing to do, before its first piece and between two: so long, times how much slower it became. Of the rank that
    /// this cost most; no time of rank 0.
    pub lacking_seconds: f64,
}

impl Overhead {
    /// All of it that is time of rank 0, but that of rank 0 alone.
    pub fn seconds(&self) -> f64 {
        self.messages_seconds + self.waiting_seconds + self.slowed_seconds + self.in_vain_seconds
    }
}

impl Adaptive<'_> {
    /// What the run has cost rank 0 that is over now.
    pub(super) fn account(&mut self, end: f64) {
        let (seconds, bytes) = self.own;
        let pace = if self.alone > 0.0 { 1.0 / self.alone } else { 0.0 };
        let lacked = |hand: &super::Hand| {
            let begun = hand.row.map_or(0.0, |row| row.work.0);
            // What it is still at says how slow it is, too.
            let held = hand
                .pieces
                .front()
                .map(|held| (held.part.end - held.part.start) as f64 / (end - held.since).max(1e-9));
            (begun + hand.idle) * hand.seen.0 / held.map_or(hand.seen.1, |rate| rate.min(hand.seen.1))
        };
        let others = self.hands[1..].iter().filter(|hand| !hand.is_lost);
        let lacking = others.map(lacked).fold(0.0, f64::max);
        let overhead = &mut self.corrections.overhead;
        overhead.lacking_seconds = lacking;
        overhead.alone_seconds = self.load.bytes() as f64 * pace;
        overhead.slowed_seconds = (seconds - bytes as f64 * pace).max(0.0);
        overhead.messages_seconds = (end - seconds - overhead.waiting_seconds).max(0.0);
    }
}
