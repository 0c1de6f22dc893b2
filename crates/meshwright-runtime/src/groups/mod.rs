//! Groups of ranks that really run: they split, synchronise and rejoin over messages between endpoints.
//!
//! A [`Group`] is one rank's end of a group, as [`Mailbox`](crate::transport::Mailbox) is of the network. Groups are
//! split by [MASK](meshwright_groups::mask): the labels of all members are gathered up the tree of the group and told to everybody,
//! and every member finds its new group, its rank and the new tree alone. Trees are those of
//! [`TREES`](meshwright_groups::TREES), built for the [machine](meshwright_network::topology::Machine) the ranks are on; [`tree_for`] chooses.
//!
//! Messages of s members, as long as all labels fit into one block:
//!
//! ```text
//! split, barrier, join, all_reduce, scan: 2 (s - 1)        broadcast, reduce, gather: s - 1
//! ```
//!
//! The price is memory: a member keeps its group as a list, O(s), for every group it is inside of.
//!
//! All messages of groups have the same tag, [`TAG`]. They need no other: between two ranks messages come in the order in
//! which they were sent; the types see to it that a group is used only while none of its parts is; and all members of a
//! group call the same operations in the same order. So two ranks go through the operations they share in the same
//! order, and the next message from a rank is always the one that is waited for. Each carries a word made of its group
//! and the number of its operation, so that a program whose members disagree ends with a sentence and not with a wrong
//! result.
//!
//! | file | what |
//! |---|---|
//! | [`group`] | [`Group`]: what its members do together |
//! | [`part`] | [`Part`]: a group that a split made, until it joins |
//! | `exchange` | the labels of all members, told to everybody |
//! | `labels` | what stands in one message of a split |
//! | `tree_messages` | messages along the edges of a tree |
//! | [`program`] | programs for the simulator on real ranks |
//! | [`survive`] | programs that go on without the members that are lost |
//! | [`members`] | the members of the simulator on real ranks, event by event |
//! | [`comparison`] | random splits, ours beside another implementation |
//!
//! # Source
//!
//! `chochia1996` for groups that split and join; `sack2010` for splitting by an exchange of all colours.

pub mod comparison;
mod exchange;
pub mod group;
mod labels;
pub mod members;
pub mod part;
pub mod program;
pub mod survive;
mod tree_messages;

pub use comparison::{Beside, Messages, Other, Series, TimesBeside, compare};
pub use group::{Group, Splitting};
pub use part::{MaybePart, Part};
pub use program::drive;
pub use tree_messages::TAG;

use meshwright_core::error::{Error, Result};
use meshwright_groups::barrier_time::Delays;
use meshwright_groups::portfolio;
use meshwright_groups::trees::{self, TreeMethod};
use meshwright_groups::{Group as Members, Tree};
use meshwright_network::topology::Machine;

/// The tree for ranks that share cores: everybody is a child of the first one.
///
/// A rank that waits is asked again once all others on its core have had their turn, so the edges on a way count: two here for a
/// barrier, where the trees of the [table](meshwright_groups::TREES) have two for each level. Where every rank has a core, the root
/// is what takes long: s - 1 messages one after the other. O(s) to build.
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::groups::FLAT;
/// let mesh = Machine::new("mesh:2x3")?;
/// let tree = (FLAT.build)(&mesh, &Group::whole(&mesh, "hilbert")?)?;
/// assert_eq!((tree.root(), tree.children(0).len(), tree.hops()), (0, 5, 1));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub static FLAT: TreeMethod = TreeMethod {
    name: "flat",
    summary: "everybody is a child of the first one, for ranks that share cores",
    build: flat,
    keeps_order: false,
    takes_any_members: true,
};

fn flat(_: &Machine, members: &Members) -> Result<Tree> {
    if members.size() == 0 {
        return Err(Error::value("size of a group", 0, "at least one member"));
    }
    Ok(Tree::flat(0, members.size()))
}

/// The tree of the table on which a barrier of a whole machine is over first, of those that suit every group; of equal
/// ones the first.
///
/// # Errors
///
/// As for [`portfolio::compare`].
///
/// # Complexity
///
/// That of all trees.
///
/// # Examples
///
/// Where messages cost nothing but their way, ways to the root are shortest ways; where sending one costs as much as 16
/// links, few edges and few children count.
///
/// ```
/// use meshwright_groups::barrier_time::Delays;
/// use meshwright_runtime::groups::tree_for;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:8x8")?;
/// assert_eq!(tree_for(&mesh, Delays { link: 1, overhead: 0 })?.name, "monotone-nearest");
/// assert_eq!(tree_for(&mesh, Delays { link: 1, overhead: 16 })?.name, "ecrb4");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree_for(machine: &Machine, delays: Delays) -> Result<&'static TreeMethod> {
    let all = Members::in_order(machine.living().collect());
    let portfolio = portfolio::compare(machine, &all, delays)?;
    let methods = portfolio.candidates.iter().filter_map(|candidate| {
        let method = trees::tree(candidate.name).expect("candidates are named as in the table");
        method.takes_any_members.then_some((candidate.predicted, method))
    });
    let (_, best) = methods.min_by_key(|&(predicted, _)| predicted).expect("rank halving suits every group");
    Ok(best)
}
