//! Runs: flits or credits that come one a cycle.

/// Consecutive flits or credits: their number grows by one a cycle from `begin` on, up to `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct WormRun {
    pub(super) before: u32,
    begin: u32,
    length: u32,
}

impl WormRun {
    /// Nothing came and nothing comes.
    pub(super) const NONE: Self = Self { before: 0, begin: 0, length: 0 };

    /// How many came up to and including cycle `now`.
    #[inline(always)]
    pub(super) fn count(self, now: u32) -> u32 {
        self.before.wrapping_add((now.wrapping_sub(self.begin).wrapping_add(1)).min(self.length))
    }

    /// How many come after cycle `now` if nothing breaks it off.
    #[inline(always)]
    pub(super) fn rest(self, now: u32) -> u32 {
        self.length - (now.wrapping_sub(self.begin).wrapping_add(1)).min(self.length)
    }

    /// The run from cycle `now` on is another one; of length 0 it is broken off.
    #[inline(always)]
    pub(super) fn replace(&mut self, now: u32, length: u32) {
        let done = now.wrapping_sub(self.begin).min(self.length);
        *self = Self { before: self.before.wrapping_add(done), begin: now, length };
    }
}
