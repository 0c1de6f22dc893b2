//! Where threads wait for each other.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// So often a thread looks before it lets others run.
const SPINS: u32 = 1 << 9;

/// Where threads wait for each other; they spin, for a step is shorter than a sleep.
pub(super) struct Meeting {
    members: usize,
    arrived: AtomicUsize,
    turn: AtomicUsize,
}

impl Meeting {
    pub(super) fn new(members: usize) -> Self {
        Self { members, arrived: AtomicUsize::new(0), turn: AtomicUsize::new(0) }
    }

    /// Waits for the others; the last to come calls `last` before anyone goes on.
    pub(super) fn meet(&self, last: impl FnOnce()) {
        let turn = self.turn.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            last();
            self.arrived.store(0, Ordering::Relaxed);
            self.turn.store(turn + 1, Ordering::Release);
            return;
        }
        let mut spins = 0u32;
        while self.turn.load(Ordering::Acquire) == turn {
            spins += 1;
            // A core that somebody else needs is given up soon.
            if spins > SPINS {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// What threads add up.
#[derive(Default)]
pub(super) struct Sums {
    pending: AtomicU64,
    busy: AtomicU64,
    stuck: AtomicU64,
    stopped: AtomicBool,
}

impl Sums {
    /// Adds measured packets on the way, and whether a thread is busy.
    pub(super) fn add(&self, pending: u64, busy: bool) {
        self.pending.fetch_add(pending, Ordering::Relaxed);
        self.busy.fetch_add(u64::from(busy), Ordering::Relaxed);
    }

    /// Adds flits that stand.
    pub(super) fn add_stuck(&self, stuck: u64) {
        self.stuck.fetch_add(stuck, Ordering::Relaxed);
    }

    /// Measured packets on the way, and whether any thread is busy.
    pub(super) fn read(&self) -> (u64, bool) {
        (self.pending.load(Ordering::Relaxed), self.busy.load(Ordering::Relaxed) > 0)
    }

    /// Flits that stand.
    pub(super) fn stuck(&self) -> u64 {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Says for all threads whether the run is to unwind.
    pub(super) fn set_stopped(&self, stopped: bool) {
        self.stopped.store(stopped, Ordering::Relaxed);
    }

    /// Whether the run is to unwind.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Nothing is added up yet.
    pub(super) fn clear(&self) {
        for sum in [&self.pending, &self.busy, &self.stuck] {
            sum.store(0, Ordering::Relaxed);
        }
    }
}
