//! Programs of members: the operations they call, one after the other.

use super::scheme::{Label, Links};
use meshwright_core::units::{Cycles, NodeId};

pub use meshwright_member::Operator;

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
    /// A barrier at which every member hands over what it wants to find again if the group loses a member:
    /// [`Program::parcel`].
    Keep,
    /// What this member has kept, if it runs again after a loss: [`Outcome::Bytes`], else [`Outcome::Done`].
    Recall,
    /// This member sends [`Program::parcel`] to another one of its group, and does not wait.
    Send {
        /// The node of the other one.
        to: NodeId,
    },
    /// This member waits for what another one has sent it: [`Outcome::Bytes`].
    Receive {
        /// The node of the other one.
        from: NodeId,
    },
    /// What this member knows of its group: [`Outcome::Around`].
    Look,
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
    /// What another member sent, or what was kept.
    Bytes(Vec<u8>),
    /// What a member knows of its group.
    Around(Box<Around>),
}

/// What a member knows of its group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Its edges in the tree of the group.
    pub links: Links,
    /// The nodes of all members by rank, where every member knows them.
    pub nodes: Option<Vec<NodeId>>,
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

    /// What goes with the operation that [`next`](Program::next) named last: of [`Operation::Send`] and
    /// [`Operation::Keep`], and asked for once.
    fn parcel(&mut self) -> Vec<u8> {
        Vec::new()
    }
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
