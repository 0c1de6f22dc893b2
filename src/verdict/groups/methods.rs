//! Which trees go with which splits.

use crate::error::{Error, Result};
use crate::groups::Group;
use crate::groups::protocol::Scheme;
use crate::topology::Machine;

/// A way to split groups on a kind of trees.
#[derive(Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    /// The split.
    pub split: &'static str,
    /// The tree.
    pub tree: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// Whether labels may be other than 0 and 1, and whether keys count.
    pub labels: LabelsKnown,
}

/// Which labels a split understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelsKnown {
    /// 0 and 1, no keys.
    States,
    /// Any colours, no keys.
    Colours,
    /// Any colours and keys.
    Keys,
}

/// Every method; earlier ones win where all else is equal.
pub const METHODS: &[Method] = &[
    Method {
        name: "paper",
        split: "paper",
        tree: "rank-halving",
        summary: "the paper's six steps",
        labels: LabelsKnown::States,
    },
    Method {
        name: "paper-fast",
        split: "paper-fast",
        tree: "rank-halving",
        summary: "the paper's without its steps 2 and 5",
        labels: LabelsKnown::States,
    },
];

/// Something done with a scheme whose type is known only then.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    ///
    /// # Errors
    ///
    /// Its own.
    fn visit<S: Scheme + Sync>(self, scheme: &S) -> Result<Self::Output>;
}

impl Method {
    /// Does something with the scheme of this method.
    ///
    /// # Errors
    ///
    /// Those of the visitor.
    pub fn apply<V: Visitor>(&self, machine: &Machine, group: &Group, visitor: V) -> Result<V::Output> {
        let _ = (machine, group, visitor);
        Err(Error::not_applicable("this split", format!("`{}` is not built yet", self.name)))
    }
}
