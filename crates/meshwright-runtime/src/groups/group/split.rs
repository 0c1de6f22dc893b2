//! Splits of a group, by colours that are told and by colours that all know.

use std::sync::Arc;

use super::super::exchange::Exchange;
use super::super::part::{MaybePart, Outer, Outside, Part};
use super::super::tree_messages::{Edges, WordKind};
use super::Group;
use crate::transport::{Endpoint, Lost, Mailbox};
use meshwright_groups as groups;
use meshwright_groups::mask::Membership;
use meshwright_groups::protocol::Label;
use meshwright_groups::protocol::member::child_id;

impl<'m, E: Endpoint> Group<'m, E> {
    /// Splits the group: members of equal colour are a group together, by key and, of equal keys, by rank here; what
    /// `MPI_Comm_split` does.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// 2 (s - 1) messages as long as all labels fit into one block; O(s log s) and the tree of the new group.
    ///
    /// # Source
    ///
    /// `sack2010`: all colours are exchanged, and everybody finds its group alone.
    pub fn split(&mut self, colour: u32, key: u32) -> Result<Part<'_, E>, Lost> {
        match self.split_some(Some(colour), key)? {
            MaybePart::Inside(part) => Ok(part),
            MaybePart::Outside(_) => unreachable!("whoever has a colour takes part"),
        }
    }

    /// The same; a member without a colour takes no part, as with `MPI_UNDEFINED`.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// As for [`Group::split`].
    pub fn split_some(&mut self, colour: Option<u32>, key: u32) -> Result<MaybePart<'_, E>, Lost> {
        self.split_start(colour, key)?.wait()
    }

    /// Begins to split the group, and does not wait: as [`Group::split_some`] in two steps, what MPI has no `MPI_Comm_isplit` for. Between
    /// them this member computes, or sends messages of its own.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// As for [`Group::split`]. Labels go on whenever [`Splitting::test`] is asked: who never asks holds up those above it in the tree.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::trees;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_runtime::groups::Group;
    /// use meshwright_runtime::transport::{Mailbox, threads};
    /// let mesh = Machine::new("mesh:2x3")?;
    /// let tree = trees::tree("monotone-nearest")?;
    /// let sums = threads::run(6, |endpoint| {
    ///     let mut mail = Mailbox::new(endpoint);
    ///     let mut world = Group::world(&mut mail, &mesh, tree).expect("six ranks on six nodes");
    ///     let number = world.rank();
    ///     let mut splitting = world.split_start(Some(number % 2), 0)?;
    ///     let mut work = 0u64;
    ///     while !splitting.test()? {
    ///         work += 1; // of one's own
    ///     }
    ///     let mut part = splitting.wait()?;
    ///     part.part().map(|part| part.all_reduce(number, |a, b| a + b)).transpose()
    /// })?;
    /// assert_eq!(sums, [Some(6), Some(9), Some(6), Some(9), Some(6), Some(9)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_start(&mut self, colour: Option<u32>, key: u32) -> Result<Splitting<'_, 'm, E>, Lost> {
        let number = self.number;
        let word = self.begin(WordKind::Split);
        let outer = self.outer();
        let exchange = Exchange::begin(self, word, colour.map(|colour| Label { colour, key }))?;
        Ok(Splitting { group: self, exchange, colour, number, outer })
    }

    /// The same, with keys as MPI has them: of 32 bits, and perhaps below 0.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    ///
    /// # Complexity
    ///
    /// As for [`Group::split`].
    pub fn split_signed(&mut self, colour: Option<u32>, key: i32) -> Result<MaybePart<'_, E>, Lost> {
        self.split_some(colour, unsigned(key))
    }

    /// Splits the group by colours that every member knows of every rank: ranges, grids, subsets. Nothing is sent, and nobody
    /// waits; the order of ranks stays. All members pass the same function.
    ///
    /// # Complexity
    ///
    /// No message; O(s) and the tree of the new group.
    ///
    /// # Source
    ///
    /// `axtmann2018`, for ranges of ranks; with one colour it is what `MPI_Comm_create_group` does.
    ///
    /// # Examples
    ///
    /// Six ranks in two ranges of three, and the first two of each range as a subset of it.
    ///
    /// ```
    /// use meshwright_groups::trees;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_runtime::groups::Group;
    /// use meshwright_runtime::transport::{Mailbox, threads};
    /// let mesh = Machine::new("mesh:2x3")?;
    /// let tree = trees::tree("monotone-nearest")?;
    /// let found = threads::run(6, |endpoint| {
    ///     let mut mail = Mailbox::new(endpoint);
    ///     let mut world = Group::world(&mut mail, &mesh, tree).expect("six ranks on six nodes");
    ///     let number = world.rank();
    ///     let mut range = world.split_known(|rank| Some(rank / 3));
    ///     let range = range.part().expect("everybody has a range");
    ///     let mut pair = range.split_known(|rank| (rank < 2).then_some(0));
    ///     pair.part().map(|pair| pair.all_reduce(number, |a, b| a + b)).transpose()
    /// })?;
    /// assert_eq!(found, [Some(1), Some(1), None, Some(7), Some(7), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_known(&mut self, colour: impl Fn(u32) -> Option<u32>) -> MaybePart<'_, E> {
        let number = self.number;
        self.begin(WordKind::Split);
        let outer = self.outer();
        match colour(self.rank) {
            None => MaybePart::Outside(Outside { mail: self.mail, outer }),
            Some(own) => {
                let members: Vec<u32> = (0..self.size()).filter(|&rank| colour(rank) == Some(own)).collect();
                MaybePart::Inside(self.part(&members, number, own, outer))
            }
        }
    }

    /// What a part that joins does so on: the tree of this group, where its number is nobody else's.
    fn outer(&mut self) -> Outer {
        Outer { word: self.begin(WordKind::Join), edges: Arc::clone(&self.edges) }
    }

    /// The new group of these members, this one among them, made by the operation with this number.
    fn part(&mut self, members: &[u32], number: u32, colour: u32, outer: Outer) -> Part<'_, E> {
        let rank = members.iter().position(|&old| old == self.rank);
        let rank = rank.expect("a member is among those of its colour") as u32;
        let nodes = members.iter().map(|&old| self.membership.group().node(old)).collect();
        let group = groups::Group::in_order(nodes);
        let tree =
            (self.tree.build)(self.machine, &group).expect("a tree that suits a group suits its parts");
        let membership = Membership::new(group, tree);
        let group = Group {
            mail: &mut *self.mail,
            machine: self.machine,
            tree: self.tree,
            block: self.block,
            edges: Arc::new(Edges::of(&membership, rank, &self.ranks)),
            ranks: Arc::clone(&self.ranks),
            membership: Arc::new(membership),
            rank,
            level: self.level + 1,
            tag: self.tag,
            id: child_id(self.id, number, colour),
            number: 0,
        };
        Part { group, outer }
    }
}

/// A key with a sign in the order of those without: with its sign turned round.
pub(in super::super) fn unsigned(key: i32) -> u32 {
    key.cast_unsigned() ^ 1 << 31
}

/// A split that has begun; its group is borrowed until it is over.
///
/// To drop it before it is over leaves labels on their way: the group cannot be used any more, as after a member that disagrees.
#[derive(Debug)]
pub struct Splitting<'g, 'm, E> {
    group: &'g mut Group<'m, E>,
    exchange: Exchange,
    colour: Option<u32>,
    number: u32,
    outer: Outer,
}

impl<'g, 'm, E: Endpoint> Splitting<'g, 'm, E> {
    /// Goes on as far as messages have come; whether the split is over, so that [`Splitting::wait`] does not wait.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    pub fn test(&mut self) -> Result<bool, Lost> {
        while let Some(from) = self.exchange.awaited(self.group.size()) {
            let Some(block) = self.exchange.hear_now(self.group, from)? else { return Ok(false) };
            self.exchange.take(self.group, &block)?;
        }
        Ok(true)
    }

    /// Waits until the labels of all members are known: the new group, or none for a member without a colour.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    pub fn wait(mut self) -> Result<MaybePart<'g, E>, Lost> {
        while let Some(from) = self.exchange.awaited(self.group.size()) {
            let block = self.exchange.hear(self.group, from)?;
            self.exchange.take(self.group, &block)?;
        }
        let Self { group, exchange, colour, number, outer } = self;
        let all = exchange.labels();
        let Some(colour) = colour else {
            return Ok(MaybePart::Outside(Outside { mail: group.mail, outer }));
        };
        let label = |rank: u32| all[group.membership.at(rank) as usize];
        let key = |rank: u32| label(rank).filter(|label| label.colour == colour).map(|label| label.key);
        let mut members: Vec<(u32, u32)> =
            (0..group.size()).filter_map(|rank| Some((key(rank)?, rank))).collect();
        members.sort_unstable();
        let members: Vec<u32> = members.into_iter().map(|(_, old)| old).collect();
        Ok(MaybePart::Inside(group.part(&members, number, colour, outer)))
    }

    /// The mailbox of this rank, for messages beside those of groups.
    pub fn mail(&mut self) -> &mut Mailbox<E> {
        self.group.mail
    }
}
