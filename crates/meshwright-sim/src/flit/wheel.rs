//! A timing wheel: the events of the cycles to come in a ring as long as the longest delay.

/// The events of one cycle.
pub(super) trait Events: Default {
    /// Whether there is none.
    fn is_empty(&self) -> bool;
}

/// The cycles to come, in a ring.
#[derive(Debug)]
pub(super) struct Wheel<E> {
    cycles: Vec<E>,
    mask: u64,
}

impl<E: Events> Wheel<E> {
    /// A ring for delays up to `longest` cycles.
    pub(super) fn new(longest: u64) -> Self {
        let size = (longest + 1).next_power_of_two();
        Self { cycles: (0..size).map(|_| E::default()).collect(), mask: size - 1 }
    }

    /// The events of a cycle.
    #[inline]
    pub(super) fn at(&mut self, cycle: u64) -> &mut E {
        let index = (cycle & self.mask) as usize;
        &mut self.cycles[index]
    }

    /// Takes the events of a cycle out; give them back with [`Wheel::put_back`].
    #[inline]
    pub(super) fn take(&mut self, cycle: u64) -> E {
        std::mem::take(self.at(cycle))
    }

    /// Returns what is empty now, so that its memory is used again.
    #[inline]
    pub(super) fn put_back(&mut self, cycle: u64, emptied: E) {
        debug_assert!(emptied.is_empty(), "all of this cycle has happened");
        *self.at(cycle) = emptied;
    }

    /// Whether nothing at all is to come.
    pub(super) fn is_empty(&self) -> bool {
        self.cycles.iter().all(E::is_empty)
    }

    /// The first cycle from this one on in which something is to come.
    pub(super) fn next(&self, from: u64) -> Option<u64> {
        let is_busy = |cycle: &u64| !self.cycles[(cycle & self.mask) as usize].is_empty();
        (from..=from + self.mask).find(is_busy)
    }

    /// All cycles to come, in no particular order.
    pub(super) fn cycles(&self) -> &[E] {
        &self.cycles
    }
}

/// By cycle the senders whose plan is to be looked at.
impl Events for Vec<u32> {
    fn is_empty(&self) -> bool {
        Vec::is_empty(self)
    }
}

/// What comes to routers in one cycle. Words are packed (node, local channel).
#[derive(Debug, Default)]
pub(super) struct FlitEvents {
    /// Heads with their packet's slot.
    pub(super) heads: Vec<(u32, u32)>,
    /// Flits behind a head.
    pub(super) bodies: Vec<u32>,
    /// Credits, by output channel.
    pub(super) credits: Vec<u32>,
    /// Heads whose route is found.
    pub(super) routed: Vec<u32>,
    /// Tails that come out, by packet slot.
    pub(super) ejected: Vec<u32>,
    /// Tags of packets whose tail has left its source.
    pub(super) sent: Vec<u32>,
}

impl Events for FlitEvents {
    fn is_empty(&self) -> bool {
        let flits = self.heads.is_empty() && self.bodies.is_empty() && self.credits.is_empty();
        flits && self.routed.is_empty() && self.ejected.is_empty() && self.sent.is_empty()
    }
}
