//! Programs of members: the operations they call, one after the other.

use super::scheme::Label;
use meshwright_core::units::{Cycles, NodeId};

/// How values are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Something all members of a group do together, each when it comes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The group becomes the groups of equal colours; ranks by key, of equal keys by old rank.
    Split(Label),
    /// The groups of the last split become one again.
    Join,
    /// Nobody goes on before all have come.
    Barrier,
    /// Everybody learns the value of one member.
    Broadcast {
        /// Whose.
        from: u32,
        /// The value, of that member.
        value: u64,
    },
    /// The root of the tree learns all values put together.
    Reduce(Operator, u64),
    /// Everybody learns all values put together.
    AllReduce(Operator, u64),
    /// Everybody learns the values of the ranks up to its own, put together.
    Scan(Operator, u64),
    /// The root of the tree learns all values, in the order of ranks.
    Gather(u64),
    /// This member computes, alone.
    Compute(Cycles),
    /// This member has come to its end.
    Stop,
}

/// What an operation left at a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing but that it is over.
    #[default]
    Done,
    /// A value.
    Value(u64),
    /// The values of all members, in the order of ranks.
    Values(Vec<u64>),
}

/// What a member knows when it decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here {
    /// Its node.
    pub node: NodeId,
    /// Its rank in its present group.
    pub rank: u32,
    /// The size of that group.
    pub size: u32,
    /// How many splits deep it is.
    pub level: u32,
    /// The time.
    pub now: Cycles,
    /// What the operation before this one left; [`Outcome::Done`] at the start.
    pub outcome: Outcome,
}

/// The program of one member. All members of a group must call the same operations in the same order.
pub trait Program {
    /// The next operation; called at the start and whenever one has ended.
    fn next(&mut self, here: Here) -> Operation;
}

/// A program written down beforehand.
///
/// # Examples
///
/// ```
/// use meshwright_groups::protocol::{Label, Operation, Script};
/// let label = Label { colour: 1, key: 0 };
/// let script = Script::new(vec![Operation::Split(label), Operation::Barrier, Operation::Join]);
/// assert_eq!(script.left(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    operations: Vec<Operation>,
    next: usize,
}

impl Script {
    /// These operations, one after the other.
    pub fn new(operations: Vec<Operation>) -> Self {
        Self { operations, next: 0 }
    }

    /// How many have not begun.
    pub fn left(&self) -> usize {
        self.operations.len() - self.next
    }
}

impl Program for Script {
    fn next(&mut self, _: Here) -> Operation {
        let operation = self.operations.get(self.next).copied().unwrap_or(Operation::Stop);
        self.next += usize::from(operation != Operation::Stop);
        operation
    }
}
