//! Runs: flits or credits that come one a cycle; and what a router keeps of them.

/// The longest packet whose flits are counted here.
pub(in crate::flit) const PACKET_MAX: u32 = u16::MAX as u32;

/// Consecutive flits or credits: their number grows by one a cycle from `begin` on, up to `length`. What is there is
/// never more than a buffer holds, so that counts may overflow on the way.
#[derive(Clone, Copy, Debug)]
pub(in crate::flit) struct WormRun {
    begin: u32,
    length: u16,
    before: u16,
}

impl WormRun {
    /// So many are there and nothing comes.
    const fn of(count: u16) -> Self {
        Self { begin: 0, length: 0, before: count }
    }

    /// How many came up to and including cycle `now`.
    #[inline(always)]
    fn count(self, now: u32) -> u32 {
        let came = now.wrapping_sub(self.begin).wrapping_add(1).min(u32::from(self.length));
        u32::from(self.before.wrapping_add(came as u16))
    }

    /// How many come after cycle `now` if nothing breaks it off.
    #[inline(always)]
    fn rest(self, now: u32) -> u32 {
        let length = u32::from(self.length);
        length - now.wrapping_sub(self.begin).wrapping_add(1).min(length)
    }

    /// The run from cycle `now` on is another one; of length 0 it is broken off.
    #[inline(always)]
    fn replace(&mut self, now: u32, length: u32) {
        let done = now.wrapping_sub(self.begin).min(u32::from(self.length));
        *self = Self { begin: now, length: length as u16, before: self.before.wrapping_add(done as u16) };
    }
}

/// What an input channel knows of its flits.
pub(in crate::flit) trait Stream: Copy + std::fmt::Debug + Send {
    /// Whether all packets have one flit: then there are no runs.
    const SINGLE: bool;
    /// Nothing came and nothing is to leave.
    const IDLE: Self;
    /// What the output channel at the other end knows of free slots.
    type Slots: Slots;

    /// From cycle `now` on so many flits come, one a cycle.
    fn comes(&mut self, now: u32, length: u32);
    /// Flits that came up to cycle `now` and had not left before the present run, and how many come behind.
    fn came(&self, now: u32) -> (u32, u32);
    /// The flits of a packet are to leave.
    fn bring(&mut self, length: u32);
    /// Of the packet in front, flits that had not left before the present run.
    fn left(&self) -> u32;
    /// So many of them have left.
    fn book(&mut self, sent: u32);
    /// The first cycle of the present run.
    fn begin(&self) -> u32;
    /// A run begins.
    fn set_begin(&mut self, now: u32);
    /// Whether its plan is to be looked at again in this cycle, at most [`AHEAD`] ahead.
    ///
    /// [`AHEAD`]: super::AHEAD
    fn is_planned(&self, at: u32) -> bool;
    /// It is to be looked at again.
    fn set_plan(&mut self, at: u32);
}

/// What an output channel knows of the slots at its end.
pub(in crate::flit) trait Slots: Copy + std::fmt::Debug + Send {
    /// So many are free.
    fn of(count: u32) -> Self;
    /// From cycle `now` on so many credits come, one a cycle.
    fn comes(&mut self, now: u32, length: u32);
    /// Free slots at cycle `now` but for the present run, and how many credits come behind.
    fn free(&self, now: u32) -> (u32, u32);
    /// So many are filled.
    fn fill(&mut self, count: u32);
}

/// Of packets of several flits.
#[derive(Clone, Copy, Debug)]
pub(in crate::flit) struct Many {
    came: WormRun,
    begin: u32,
    left: u16,
    plan: u16,
}

impl Stream for Many {
    const SINGLE: bool = false;
    const IDLE: Self = Self { came: WormRun::of(0), left: 0, begin: 0, plan: 0 };
    type Slots = WormRun;

    #[inline(always)]
    fn comes(&mut self, now: u32, length: u32) {
        self.came.replace(now, length);
    }

    #[inline(always)]
    fn came(&self, now: u32) -> (u32, u32) {
        (self.came.count(now), self.came.rest(now))
    }

    #[inline(always)]
    fn bring(&mut self, length: u32) {
        self.left = length as u16;
    }

    #[inline(always)]
    fn left(&self) -> u32 {
        u32::from(self.left)
    }

    #[inline(always)]
    fn book(&mut self, sent: u32) {
        self.left -= sent as u16;
        self.came.before = self.came.before.wrapping_sub(sent as u16);
    }

    #[inline(always)]
    fn begin(&self) -> u32 {
        self.begin
    }

    #[inline(always)]
    fn set_begin(&mut self, now: u32) {
        self.begin = now;
    }

    #[inline(always)]
    fn is_planned(&self, at: u32) -> bool {
        self.plan == at as u16
    }

    #[inline(always)]
    fn set_plan(&mut self, at: u32) {
        self.plan = at as u16;
    }
}

impl Slots for WormRun {
    fn of(count: u32) -> Self {
        Self::of(u16::try_from(count).expect("no buffer is larger"))
    }

    #[inline(always)]
    fn comes(&mut self, now: u32, length: u32) {
        self.replace(now, length);
    }

    #[inline(always)]
    fn free(&self, now: u32) -> (u32, u32) {
        (self.count(now), self.rest(now))
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        self.before = self.before.wrapping_sub(count as u16);
    }
}

/// Of packets of one flit, which are counted as packets: there is nothing to know, and a small machine fits into a
/// small cache.
#[derive(Clone, Copy, Debug)]
pub(in crate::flit) struct One;

impl Stream for One {
    const SINGLE: bool = true;
    const IDLE: Self = Self;
    type Slots = u8;

    #[inline(always)]
    fn comes(&mut self, _now: u32, _length: u32) {}

    #[inline(always)]
    fn came(&self, _now: u32) -> (u32, u32) {
        (1, 0)
    }

    #[inline(always)]
    fn bring(&mut self, _length: u32) {}

    #[inline(always)]
    fn left(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn book(&mut self, _sent: u32) {}

    #[inline(always)]
    fn begin(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn set_begin(&mut self, _now: u32) {}

    #[inline(always)]
    fn is_planned(&self, _at: u32) -> bool {
        false
    }

    #[inline(always)]
    fn set_plan(&mut self, _at: u32) {}
}

impl Slots for u8 {
    fn of(count: u32) -> Self {
        Self::try_from(count).expect("no buffer is larger")
    }

    #[inline(always)]
    fn comes(&mut self, _now: u32, length: u32) {
        *self += length as Self;
    }

    #[inline(always)]
    fn free(&self, _now: u32) -> (u32, u32) {
        (u32::from(*self), 0)
    }

    #[inline(always)]
    fn fill(&mut self, count: u32) {
        *self -= count as Self;
    }
}
