//! A group that a split made, until it joins.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Group;
use super::tree_messages::{Edges, Word, meet};
use crate::transport::{Endpoint, Lost, Mailbox};

/// What a join goes over: the tree of the group that was split.
#[derive(Debug)]
pub(super) struct Outer {
    pub(super) edges: Arc<Edges>,
    pub(super) word: Word,
}

/// A group that a split made; the group it came from is borrowed until it joins or is dropped.
///
/// To drop a part sends nothing and waits for nobody; the group it came from can be used again.
///
/// # Examples
///
/// The types forbid to use a group while it is split:
///
/// ```compile_fail,E0499
/// use meshwright_runtime::groups::Group;
/// use meshwright_runtime::transport::{Endpoint, Lost};
/// fn wrong(group: &mut Group<'_, impl Endpoint>) -> Result<(), Lost> {
///     let mut part = group.split(0, 0)?;
///     group.barrier()?; // `group` is borrowed by `part`
///     part.barrier()
/// }
/// ```
///
/// and what was not split cannot join:
///
/// ```compile_fail,E0599
/// use meshwright_runtime::groups::Group;
/// use meshwright_runtime::transport::{Endpoint, Lost};
/// fn wrong(group: Group<'_, impl Endpoint>) -> Result<(), Lost> {
///     group.join()
/// }
/// ```
#[derive(Debug)]
pub struct Part<'m, E> {
    pub(super) group: Group<'m, E>,
    pub(super) outer: Outer,
}

impl<E: Endpoint> Part<'_, E> {
    /// Waits until all members of the group that was split have come here: a barrier there.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    pub fn join(self) -> Result<(), Lost> {
        meet(self.group.mail, &self.outer.edges, self.outer.word)
    }
}

impl<'m, E> Deref for Part<'m, E> {
    type Target = Group<'m, E>;

    fn deref(&self) -> &Self::Target {
        &self.group
    }
}

impl<E> DerefMut for Part<'_, E> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.group
    }
}

/// What a split with [`Group::split_some`] makes of a member.
#[derive(Debug)]
pub enum MaybePart<'m, E> {
    /// It is a member of a new group.
    Inside(Part<'m, E>),
    /// It takes no part.
    Outside(Outside<'m, E>),
}

/// A member that takes no part in a split, until the others join.
#[derive(Debug)]
pub struct Outside<'m, E> {
    pub(super) mail: &'m mut Mailbox<E>,
    pub(super) outer: Outer,
}

impl<'m, E: Endpoint> MaybePart<'m, E> {
    /// The new group; none for a member that takes no part.
    pub fn part(&mut self) -> Option<&mut Part<'m, E>> {
        match self {
            Self::Inside(part) => Some(part),
            Self::Outside(_) => None,
        }
    }

    /// Waits until all members of the group that was split have come here, those that took no part too.
    ///
    /// # Errors
    ///
    /// [`Lost`] when a rank is lost.
    pub fn join(self) -> Result<(), Lost> {
        match self {
            Self::Inside(part) => part.join(),
            Self::Outside(Outside { mail, outer }) => meet(mail, &outer.edges, outer.word),
        }
    }

    /// The mailbox of this rank.
    pub fn mail(&mut self) -> &mut Mailbox<E> {
        match self {
            Self::Inside(part) => part.mail(),
            Self::Outside(outside) => outside.mail,
        }
    }
}
