//! What comes in at which cycle: one list per cycle and kind, over the longest delay of the router.

/// The events of one cycle. Words are packed (node, local channel).
#[derive(Debug, Default)]
pub(super) struct Moment {
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

impl Moment {
    fn is_empty(&self) -> bool {
        self.heads.is_empty()
            && self.bodies.is_empty()
            && self.credits.is_empty()
            && self.routed.is_empty()
            && self.ejected.is_empty()
            && self.sent.is_empty()
    }

    fn clear(&mut self) {
        self.heads.clear();
        self.bodies.clear();
        self.credits.clear();
        self.routed.clear();
        self.ejected.clear();
        self.sent.clear();
    }
}

/// The cycles to come, in a ring.
#[derive(Debug)]
pub(super) struct Wheel {
    moments: Vec<Moment>,
    mask: u64,
}

impl Wheel {
    /// A ring for delays up to `longest` cycles.
    pub(super) fn new(longest: u64) -> Self {
        let size = (longest + 1).next_power_of_two();
        Self { moments: (0..size).map(|_| Moment::default()).collect(), mask: size - 1 }
    }

    /// The list of a cycle.
    #[inline]
    pub(super) fn at(&mut self, cycle: u64) -> &mut Moment {
        let index = (cycle & self.mask) as usize;
        &mut self.moments[index]
    }

    /// Takes the list of a cycle out; give it back with [`Wheel::put_back`].
    #[inline]
    pub(super) fn take(&mut self, cycle: u64) -> Moment {
        std::mem::take(self.at(cycle))
    }

    /// Returns an emptied list, so that its memory is used again.
    #[inline]
    pub(super) fn put_back(&mut self, cycle: u64, mut moment: Moment) {
        moment.clear();
        *self.at(cycle) = moment;
    }

    /// Whether nothing at all is to come.
    pub(super) fn is_empty(&self) -> bool {
        self.moments.iter().all(Moment::is_empty)
    }

    /// All cycles to come, in no particular order.
    #[cfg(test)]
    pub(super) fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The flits on wires, for the conservation check.
    pub(super) fn flits(&self) -> usize {
        self.moments.iter().map(|moment| moment.heads.len() + moment.bodies.len()).sum()
    }
}
