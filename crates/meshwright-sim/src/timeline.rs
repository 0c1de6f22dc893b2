//! The times of all messages and computations in a run of a schedule.

use super::engine::{Control, Driver};
use super::program::ScheduleProgram;

/// What happened when, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By message, in the order of [`meshwright_schedule::Schedule::messages`], when its last byte arrived; 0 if it did not.
    pub arrivals: Vec<u64>,
    /// The computations, in the order of their ends.
    pub computations: Vec<Computation>,
}

/// A computation of some length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computation {
    /// The rank that computed.
    pub rank: u32,
    /// Which of its processors.
    pub processor: u32,
    /// When it began.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
}

/// A program that is watched.
pub(super) struct Watched<'p> {
    pub(super) program: &'p mut ScheduleProgram,
    pub(super) timeline: &'p mut Timeline,
}

impl<E: Control> Driver<E> for Watched<'_> {
    const WANTS_SENT: bool = true;

    fn sent(&mut self, engine: &mut E, message: u32) {
        self.program.sent(engine, message);
    }

    fn delivered(&mut self, engine: &mut E, message: u32) {
        self.timeline.arrivals[message as usize] = engine.now();
        self.program.delivered(engine, message);
    }

    fn head(&mut self, engine: &mut E, message: u32) {
        self.program.head(engine, message);
    }

    fn timer(&mut self, engine: &mut E, step: u32) {
        let ((rank, processor), ticks) = self.program.computation(step);
        let end = engine.now();
        self.timeline.computations.push(Computation { rank, processor, begin: end - ticks, end });
        self.program.timer(engine, step);
    }
}
