//! Schemes: what a member keeps of its group and its part in splits and exchanges.

use std::fmt::Debug;

use super::children::Children;
use super::program::{Operation, Outcome};
use crate::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_member::tree::{Edges, Place};
use meshwright_network::topology::Machine;

pub use meshwright_member::{Label, Side};

/// What a member knows of the tree of its group: its own edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Its parent; none at the root.
    pub parent: Option<NodeId>,
    /// Its children. Where [`Scheme::is_ordered`] holds: in the order of their ranks, first those on the left.
    pub children: Children,
}

impl Links {
    /// The same, borrowed.
    pub fn edges(&self) -> Edges<'_, NodeId> {
        Edges { parent: self.parent, children: &self.children }
    }

    /// The edges of one rank of a tree, with the nodes at their ends.
    ///
    /// # Complexity
    ///
    /// O(children).
    pub fn in_tree(tree: &Tree, group: &Group, rank: u32) -> Self {
        let side = |child| if child < rank { Side::Left } else { Side::Right };
        Self {
            parent: tree.parent(rank).map(|parent| group.node(parent)),
            children: tree.children(rank).iter().map(|&child| (group.node(child), side(child))).collect(),
        }
    }
}

/// What a member keeps of one group: where it stands in the tree, and what its scheme adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<K> {
    rank: u32,
    size: u32,
    links: Links,
    known: K,
}

impl<K> Position<K> {
    /// A rank in a group of this size, its edges in the tree, and what else is known.
    pub fn new(rank: u32, size: u32, links: Links, known: K) -> Self {
        Self { rank, size, links, known }
    }

    /// The rank of the member in its group.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The size of the group.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The edges of the member in the tree of its group.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// What its scheme knows besides.
    pub fn known(&self) -> &K {
        &self.known
    }

    /// The same position, and something else known.
    pub fn with(self, known: K) -> Self {
        Self { known, ..self }
    }

    /// The memory it takes, in bytes; what `known` refers to is not counted.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.links.children[..])
    }
}

impl<K> Place for Position<K> {
    type Node = NodeId;

    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn edges(&self) -> Edges<'_, NodeId> {
        self.links.edges()
    }
}

/// The edges a join goes over: up to the roots of the trees, across to another root where there is one, down again.
#[derive(Clone, Copy, Debug)]
pub struct Join<'p> {
    /// The edges of a member.
    pub links: &'p Links,
    /// At the root of a tree: the root of the other tree that the join has to wait for.
    pub across: Option<NodeId>,
}

/// The messages a member sends in answer to one event.
#[derive(Debug)]
pub struct Outbox<T> {
    /// To whom, how much, what.
    pub messages: Vec<(NodeId, Bytes, T)>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self { messages: Vec::new() }
    }
}

impl<T> Outbox<T> {
    /// Sends so many bytes to a node.
    pub fn send(&mut self, to: NodeId, bytes: Bytes, packet: T) {
        self.messages.push((to, bytes, packet));
    }
}

/// A way to split groups: what a member keeps of its group, what it sends, what it does with what comes.
///
/// A member that has been told its new place still answers packets of the same split: others may need it. Its state
/// is kept until the groups join again, and no longer: a join needs every member, and so every packet of the split.
pub trait Scheme {
    /// The names of the kinds of packets, in the order in which they are first sent.
    const STEPS: &'static [&'static str];

    /// What a member knows of one group beside its position there.
    type Known: Debug;

    /// What members send each other during a split.
    type Packet: Debug;

    /// What a member keeps of a split, from its own call of it until the groups join again, or of an
    /// [exchange](Scheme::exchange).
    type Splitting: Debug;

    /// Whether the trees keep the order of ranks: the ranks of every sub-tree are consecutive, its root's among them,
    /// and children stand in order.
    fn is_ordered(&self) -> bool;

    /// What the members of a first group are given, in the order of their ranks.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::NotApplicable`] when the trees of this scheme do not fit the machine.
    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<Self::Known>>>;

    /// The edges over which a group joins its siblings again: those of the group they came from, so that a join is a
    /// barrier there, unless the scheme knows another way.
    fn join<'p>(&self, parent: &'p Position<Self::Known>, own: &'p Position<Self::Known>) -> Join<'p> {
        let _ = own;
        Join { links: parent.links(), across: None }
    }

    /// The nodes of all members of the group by rank, where every member knows them.
    fn nodes(place: &Position<Self::Known>) -> Option<&[NodeId]> {
        let _ = place;
        None
    }

    /// A member begins to split its group.
    fn begin(
        &self,
        node: NodeId,
        place: &Position<Self::Known>,
        label: Label,
        out: &mut Outbox<Self::Packet>,
    ) -> Self::Splitting;

    /// A member begins another operation in packets of the scheme's own; none where the operation is a pass over the
    /// tree of its group.
    fn exchange(
        &self,
        place: &Position<Self::Known>,
        operation: Operation,
        out: &mut Outbox<Self::Packet>,
    ) -> Option<Self::Splitting> {
        let _ = (place, operation, out);
        None
    }

    /// A packet of a split or an exchange that this member has begun has come.
    fn receive(
        &self,
        node: NodeId,
        place: &Position<Self::Known>,
        splitting: &mut Self::Splitting,
        from: NodeId,
        packet: Self::Packet,
        out: &mut Outbox<Self::Packet>,
    );

    /// The place in the new group: once, when this member may go on.
    fn take_place(&self, splitting: &mut Self::Splitting) -> Option<Position<Self::Known>>;

    /// The outcome of an exchange: once, when this member may go on.
    fn take_outcome(&self, exchange: &mut Self::Splitting) -> Option<Outcome> {
        let _ = exchange;
        None
    }

    /// The index in [`Scheme::STEPS`] of a packet's kind.
    fn step(packet: &Self::Packet) -> usize;

    /// The memory a member keeps for a group and its split, in bytes.
    fn bytes_kept(place: &Position<Self::Known>, splitting: Option<&Self::Splitting>) -> usize;
}
