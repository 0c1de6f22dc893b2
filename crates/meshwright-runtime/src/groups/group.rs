//! One rank's end of a group: everything its members do together; `split`: how it is split.

mod split;

pub use split::Splitting;
pub(super) use split::unsigned;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tree_messages::{self, Edges, TAG, Word, WordKind};
use crate::transport::{Endpoint, Lost, Mailbox, Topic, Wire};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups as groups;
use meshwright_groups::Tree;
use meshwright_groups::mask::Membership;
use meshwright_groups::trees::TreeMethod;
use meshwright_network::topology::{Machine, Topology};

/// One rank's end of a group of ranks that really run.
///
/// All members call the same operations in the same order, and each call waits for the others as it must. A member whose
/// group has one rank only sends nothing.
///
/// # Panics
///
/// Every operation panics when the members of the group have called different operations, and a message tells so.
///
/// # Examples
///
/// Six ranks on a mesh: the odd and the even ones, in the opposite order, sum up their numbers.
///
/// ```
/// use meshwright_runtime::groups::Group;
/// use meshwright_groups::trees;
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::transport::{Mailbox, threads};
/// let mesh = Machine::new("mesh:2x3")?;
/// let tree = trees::tree("monotone-nearest")?;
/// let found = threads::run(6, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let mut world = Group::world(&mut mail, &mesh, tree).expect("six ranks on six nodes");
///     let number = world.rank();
///     let mut part = world.split(number % 2, 10 - number)?;
///     let sum = part.all_reduce(number, |a, b| a + b)?;
///     let rank = part.rank();
///     part.join()?;
///     world.barrier()?;
///     Ok((rank, sum))
/// })?;
/// assert_eq!(found, [(2, 6), (2, 9), (1, 6), (1, 9), (0, 6), (0, 9)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Group<'m, E> {
    pub(super) mail: &'m mut Mailbox<E>,
    machine: &'m Machine,
    tree: &'static TreeMethod,
    pub(super) block: Bytes,
    /// Ranks on the endpoint, by node.
    ranks: Arc<[u32]>,
    pub(super) membership: Arc<Membership>,
    pub(super) edges: Arc<Edges>,
    pub(super) rank: u32,
    level: u32,
    /// Of its messages.
    tag: u32,
    id: u64,
    /// How many operations were begun.
    number: u32,
}

impl<'m, E: Endpoint> Group<'m, E> {
    /// The group of all ranks: they are on the working nodes of a machine, in increasing order. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there are not as many ranks as working nodes; [`Error::NotApplicable`] when the tree does not
    /// suit every group of the machine, or nodes cannot reach each other.
    ///
    /// # Complexity
    ///
    /// That of the tree; O(p) memory for p ranks.
    pub fn world(mail: &'m mut Mailbox<E>, machine: &'m Machine, tree: &'static TreeMethod) -> Result<Self> {
        if machine.living_count() != mail.ranks() {
            let expected =
                format!("{}, one for each working node of {}", machine.living_count(), machine.name());
            return Err(Error::value("number of ranks", mail.ranks(), expected));
        }
        if !tree.takes_any_members {
            let why = "groups that split have any members";
            return Err(Error::not_applicable(tree.name, why));
        }
        Self::without(mail, machine, tree, &BTreeSet::new())
    }

    /// The group of all ranks but these, in their order, of which this one is not one; nothing is sent.
    pub(super) fn without(
        mail: &'m mut Mailbox<E>,
        machine: &'m Machine,
        tree: &'static TreeMethod,
        lost: &BTreeSet<u32>,
    ) -> Result<Self> {
        let mut ranks = vec![0; machine.nodes() as usize];
        let mut nodes = Vec::new();
        for (rank, node) in (0..).zip(machine.living()) {
            ranks[node.index()] = rank;
            if !lost.contains(&rank) {
                nodes.push(node);
            }
        }
        let rank = mail.rank();
        let rank = rank - lost.range(..rank).count() as u32;
        let group = groups::Group::in_order(nodes);
        let built = (tree.build)(machine, &group)?;
        let membership = Membership::new(group, built);
        Ok(Self {
            mail,
            machine,
            tree,
            block: Bytes(1 << 16),
            edges: Arc::new(Edges::of(&membership, rank, &ranks)),
            ranks: ranks.into(),
            membership: Arc::new(membership),
            rank,
            level: 0,
            tag: TAG + lost.len() as u32,
            id: 0,
            number: 0,
        })
    }

    /// With at most so many bytes of labels in one message of a split, 65 536 if nothing is said; all members say the same.
    pub fn in_blocks(self, block: Bytes) -> Self {
        Self { block, ..self }
    }

    /// Waits until all members have come here.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages.
    pub fn barrier(&mut self) -> Result<(), Lost> {
        let word = self.begin(WordKind::Barrier);
        tree_messages::meet(self.mail, &self.edges, word)
    }

    /// The value of the member with rank `from`, which all must name; what the others pass is not looked at.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    ///
    /// # Complexity
    ///
    /// s - 1 messages: over every edge of the tree, away from that member.
    pub fn broadcast<T: Wire>(&mut self, from: u32, value: T) -> Result<T, Lost> {
        assert!(from < self.size(), "a member of the group broadcasts");
        let word = self.begin(WordKind::Broadcast);
        let Edges { parent, ref children, .. } = *self.edges;
        let place = self.membership.at(from);
        let is_below = |&child: &u32| {
            let (begin, end) = self.membership.stretch(child);
            (begin..end).contains(&place)
        };
        let below = self.membership.tree().children(self.rank).iter().position(is_below);
        let source = match below {
            _ if from == self.rank => None,
            Some(child) => Some(children[child]),
            None => parent,
        };
        let value = match source {
            Some(source) => tree_messages::hear(self.mail, source, word)?,
            None => value,
        };
        let others =
            parent.into_iter().chain(children.iter().copied()).filter(|&other| Some(other) != source);
        tree_messages::tell(self.mail, others, word, &value)?;
        Ok(value)
    }

    /// The values of all members, put together by an operation that is associative and commutative.
    ///
    /// Everybody gets the same bits: the values are put together once, on the way to the root of the tree; two members put them
    /// together in the same order.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages.
    pub fn all_reduce<T: Wire>(&mut self, value: T, combine: impl FnMut(T, T) -> T) -> Result<T, Lost> {
        let word = self.begin(WordKind::AllReduce);
        tree_messages::all(self.mail, &self.edges, word, value, combine)
    }

    /// The values of all members put together, at the one that is the root of the tree.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// s - 1 messages.
    pub fn reduce<T: Wire>(&mut self, value: T, combine: impl FnMut(T, T) -> T) -> Result<Option<T>, Lost> {
        let word = self.begin(WordKind::Reduce);
        tree_messages::up(self.mail, &self.edges, word, value, combine)
    }

    /// The values of all members by rank, at the one that is the root of the tree.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// s - 1 messages.
    pub fn gather<T: Wire>(&mut self, value: T) -> Result<Option<Vec<T>>, Lost> {
        let word = self.begin(WordKind::Gather);
        let all = self.gather_pairs(word, value)?;
        Ok(all.map(|all| all.into_iter().map(|(_, value)| value).collect()))
    }

    /// The values of the ranks up to this member's own, put together by an associative operation.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages, which carry all values of a sub-tree.
    pub fn scan<T: Wire + Clone>(&mut self, value: T, mut combine: impl FnMut(T, T) -> T) -> Result<T, Lost> {
        let word = self.begin(WordKind::Scan);
        let edges = Arc::clone(&self.edges);
        let sums = self.gather_pairs(word, value)?.map(|mut all| {
            for at in 1..all.len() {
                all[at].1 = combine(all[at - 1].1.clone(), all[at].1.clone());
            }
            all.sort_unstable_by_key(|&(rank, _)| self.membership.at(rank));
            all.into_iter().map(|(_, sum)| sum).collect::<Vec<T>>()
        });
        let mut sums = match (sums, edges.parent) {
            (None, Some(parent)) => tree_messages::hear::<E, Vec<T>>(self.mail, parent, word)?,
            (sums, _) => sums.expect("the root has gathered all values"),
        };
        let first = self.membership.stretch(self.rank).0;
        for (&child, &to) in self.membership.tree().children(self.rank).iter().zip(&edges.children) {
            let (begin, end) = self.membership.stretch(child);
            let theirs = sums[(begin - first) as usize..(end - first) as usize].to_vec();
            tree_messages::tell(self.mail, [to], word, &theirs)?;
        }
        Ok(sums.swap_remove((self.membership.at(self.rank) - first) as usize))
    }

    /// At the root of the tree the values of all members with their ranks, in the order of ranks.
    fn gather_pairs<T: Wire>(&mut self, word: Word, value: T) -> Result<Option<Vec<(u32, T)>>, Lost> {
        let put_together = |mut all: Vec<(u32, T)>, more| {
            all.extend(more);
            all
        };
        let all = tree_messages::up(self.mail, &self.edges, word, vec![(self.rank, value)], put_together)?;
        Ok(all.map(|mut all| {
            all.sort_unstable_by_key(|&(rank, _)| rank);
            all
        }))
    }

    /// The word of the next operation.
    fn begin(&mut self, kind: WordKind) -> Word {
        let word = tree_messages::word((self.tag, self.id), self.number, kind);
        self.number = self.number.wrapping_add(1);
        word
    }
}

impl<E> Group<'_, E> {
    /// The rank of this member, from 0.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// s: how many members there are.
    pub fn size(&self) -> u32 {
        self.membership.group().size()
    }

    /// How many splits deep this group is.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The node this member is on.
    pub fn node(&self) -> NodeId {
        self.nodes()[self.rank as usize]
    }

    /// The nodes of all members, by rank.
    pub fn nodes(&self) -> &[NodeId] {
        self.membership.group().members()
    }

    /// The rank of a member on the endpoint.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    pub fn rank_on_endpoint(&self, rank: u32) -> u32 {
        self.ranks[self.membership.group().node(rank).index()]
    }

    /// A number for this group: equal for all its members, different for all groups of a run.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The tag of messages from one member to another.
    pub(super) fn direct_tag(&self) -> u32 {
        Topic::Direct.tag((self.tag - TAG) as u16)
    }

    /// The rank on the endpoint of a node of the machine.
    pub(super) fn rank_of_node(&self, node: NodeId) -> u32 {
        self.ranks[node.index()]
    }

    /// The tree its messages go over.
    pub fn tree(&self) -> &Tree {
        self.membership.tree()
    }

    /// The mailbox its messages go through; messages beside them have another tag than [`TAG`].
    pub fn mail(&mut self) -> &mut Mailbox<E> {
        self.mail
    }
}
