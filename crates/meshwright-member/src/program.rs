//! What a member is asked to do.

/// What a member brings to a split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label {
    /// Whom it goes with.
    pub colour: u32,
    /// Where it stands among them; of equal keys, by old rank.
    pub key: u32,
}

/// Something all members of a group do together; O is what passes over their tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act<O> {
    /// The group becomes the groups of equal colours.
    Split(Label),
    /// The groups of the last split become one again.
    Join,
    /// Anything else.
    Pass(O),
}

/// How values are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Their sum, modulo 2^64.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Operator {
    /// What changes nothing.
    pub fn identity(self) -> u64 {
        match self {
            Self::Sum | Self::Max => 0,
            Self::Min => u64::MAX,
        }
    }

    /// Puts two values together.
    pub fn apply(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Sum => a.wrapping_add(b),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        }
    }
}

/// An operation that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Over<T> {
    /// What it left at this member.
    pub outcome: T,
    /// How deep it was: splits around it.
    pub level: u32,
    /// The group it was done in: equal for all its members, different for all groups of a run.
    pub group: u64,
    /// The size of that group.
    pub size: u32,
}
