//! Schemes: how groups are split, and where what a member knows is kept.

use core::fmt::Debug;

use crate::list::{Full, List};
use crate::member::{Early, Level};
use crate::pass::Cargo;
use crate::program::Label;
use crate::tree::{Edges, Place};

/// Where a scheme puts its packets.
pub trait Outbox<N, T> {
    /// Sends a packet of so many bytes to a node.
    fn send(&mut self, to: N, bytes: u64, packet: T);
}

/// The edges a join goes over: up to the roots of the trees, across to another root where there is one, down again.
#[derive(Clone, Copy, Debug)]
pub struct Join<'p, N> {
    /// The edges of a member.
    pub edges: Edges<'p, N>,
    /// At the root of a tree: the root of the other tree that the join has to wait for.
    pub across: Option<N>,
}

/// A way to split groups: what a member keeps of its group, what it sends, what it does with what comes, and in which
/// memory.
///
/// A member that has been told its new place still answers packets of the same split: others may need it. Its state
/// is kept until the groups join again, and no longer: a join needs every member, and so every packet of the split.
pub trait Scheme: Sized {
    /// The name of a node.
    type Node: Copy + Default + PartialEq + Debug;
    /// What a member keeps of one group.
    type Place: Place<Node = Self::Node>;
    /// What members send each other during a split.
    type Packet: Debug;
    /// What a member keeps of a split, from its own call of it until the groups join again, or of an
    /// [exchange](Scheme::exchange).
    type Splitting: Debug;
    /// What passes over trees carry.
    type Cargo: Cargo<Operation: Debug, Load: Debug, Outcome: Debug> + Debug;
    /// The groups a member is inside of.
    type Levels: List<Level<Self::Place, Self::Splitting>> + Debug;
    /// Messages that came before their time.
    type Early: List<Early<Self>> + Debug;

    /// Whether the trees keep the order of ranks: the ranks of every sub-tree are consecutive, its root's among them,
    /// and children stand in order.
    fn is_ordered(&self) -> bool;

    /// The edges over which a group joins its siblings again.
    fn join<'p>(&self, parent: &'p Self::Place, own: &'p Self::Place) -> Join<'p, Self::Node>;

    /// A member begins to split its group.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for it.
    fn begin(
        &mut self,
        node: Self::Node,
        place: &Self::Place,
        label: Label,
        out: &mut impl Outbox<Self::Node, Self::Packet>,
    ) -> Result<Self::Splitting, Full>;

    /// A member begins another operation in packets of the scheme's own; none where the operation is a pass over the
    /// tree of its group.
    fn exchange(
        &mut self,
        place: &Self::Place,
        operation: <Self::Cargo as Cargo>::Operation,
        out: &mut impl Outbox<Self::Node, Self::Packet>,
    ) -> Option<Self::Splitting> {
        let _ = (place, operation, out);
        None
    }

    /// A packet of a split or an exchange that this member has begun has come.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for it.
    fn receive(
        &mut self,
        node: Self::Node,
        place: &Self::Place,
        splitting: &mut Self::Splitting,
        from: Self::Node,
        packet: Self::Packet,
        out: &mut impl Outbox<Self::Node, Self::Packet>,
    ) -> Result<(), Full>;

    /// The place in the new group: once, when this member may go on.
    fn take_place(&mut self, splitting: &mut Self::Splitting) -> Option<Self::Place>;

    /// The outcome of an exchange: once, when this member may go on.
    fn take_outcome(&mut self, exchange: &mut Self::Splitting) -> Option<<Self::Cargo as Cargo>::Outcome> {
        let _ = exchange;
        None
    }
}
