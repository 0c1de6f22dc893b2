//! The children of a member: two at most in the trees that most splits keep, and those need no memory of their own.

use std::ops::Deref;

use super::scheme::Side;
use meshwright_core::units::NodeId;

/// A child and its side.
type Child = (NodeId, Side);

/// Nodes with their sides, in order; up to two of them in place.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_groups::protocol::{Children, Side};
/// let three = [4, 5, 6].map(|node| (NodeId(node), Side::Left));
/// for count in 0..=3 {
///     let children: Children = three.into_iter().take(count).collect();
///     assert_eq!(children[..], three[..count]);
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Children(Kept);

#[derive(Clone, Debug, Default)]
enum Kept {
    #[default]
    None,
    One([Child; 1]),
    Two([Child; 2]),
    More(Vec<Child>),
}

impl Children {
    /// Adds one behind the others.
    pub fn push(&mut self, child: Child) {
        self.0 = match std::mem::take(&mut self.0) {
            Kept::None => Kept::One([child]),
            Kept::One([first]) => Kept::Two([first, child]),
            Kept::Two([first, second]) => Kept::More(vec![first, second, child]),
            Kept::More(mut more) => {
                more.push(child);
                Kept::More(more)
            }
        };
    }
}

impl Deref for Children {
    type Target = [Child];

    #[inline]
    fn deref(&self) -> &[Child] {
        match &self.0 {
            Kept::None => &[],
            Kept::One(one) => one,
            Kept::Two(two) => two,
            Kept::More(more) => more,
        }
    }
}

impl PartialEq for Children {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Children {}

impl FromIterator<Child> for Children {
    fn from_iter<I: IntoIterator<Item = Child>>(all: I) -> Self {
        let mut all = all.into_iter();
        let Some(first) = all.next() else { return Self(Kept::None) };
        let Some(second) = all.next() else { return Self(Kept::One([first])) };
        let Some(third) = all.next() else { return Self(Kept::Two([first, second])) };
        Self(Kept::More([first, second, third].into_iter().chain(all).collect()))
    }
}

impl<'c> IntoIterator for &'c Children {
    type Item = &'c Child;
    type IntoIter = std::slice::Iter<'c, Child>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
