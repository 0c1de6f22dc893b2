//! A message of a flow, what its target does with it, and when it is planned to begin and end.

/// What the target of a transfer does with what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It takes the place of what the target has.
    Copy,
    /// It is added to what the target has.
    Combine,
    /// What the target has stays as it is.
    Leave,
}

/// A second partial sum of each block, aside, that begins as what a member contributes, too.
///
/// Scans need it: the sum of all members of a run, which goes on, is another than that of those up to oneself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aside {
    /// Whether a message carries what its source has aside, else what it has.
    pub sent: bool,
    /// What the target does with it aside.
    pub mode: Mode,
}

impl Aside {
    /// Nothing is aside.
    pub const NONE: Self = Self { sent: false, mode: Mode::Leave };
}

/// Blocks that go from one member to another in one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// It carries what the source holds after all steps before this one.
    pub step: u32,
    /// The member that sends.
    pub source: u32,
    /// The member that receives.
    pub target: u32,
    /// What the target does with it.
    pub mode: Mode,
    /// What of it is aside.
    pub aside: Aside,
}

impl Transfer {
    /// A message in which nothing is aside.
    pub fn new(step: u32, source: u32, target: u32, mode: Mode) -> Self {
        Self { step, source, target, mode, aside: Aside::NONE }
    }

    /// What the target does with what comes: with what it has, and with what is aside.
    pub fn modes(&self) -> [Mode; 2] {
        [self.mode, self.aside.mode]
    }

    /// How often the target adds up what comes.
    pub fn sums(&self) -> u64 {
        self.modes().iter().map(|&mode| u64::from(mode == Mode::Combine)).sum()
    }
}

/// When something happens to a message, as places in the order in which all messages of a plan begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    /// Its own place.
    pub begun: u32,
    /// The place of the first that begins when its last byte has left its source.
    pub left: u32,
    /// The place of the first that begins when its last byte has come to its target.
    pub arrived: u32,
}
