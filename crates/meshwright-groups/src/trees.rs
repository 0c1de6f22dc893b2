//! The table of trees.

use super::exchange::gibbons_paterson;
use super::{Group, Tree, contraction, entry_bisection, monotone_nearest, rank_halving};
use meshwright_core::error::{Error, Result};
use meshwright_core::find;
use meshwright_network::topology::Machine;

/// A named way to build a tree over a group.
#[derive(Debug)]
pub struct TreeMethod {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is good for, in half a sentence.
    pub summary: &'static str,
    /// The tree.
    pub build: fn(&Machine, &Group) -> Result<Tree>,
    /// Whether the ranks of every sub-tree are consecutive, its root's among them.
    pub keeps_order: bool,
    /// Whether it can be built over any members, and so over the groups they split into.
    pub takes_any_members: bool,
}

/// Every tree the program knows.
pub const TREES: &[TreeMethod] = &[
    TreeMethod {
        name: "rank-halving",
        summary: "the paper's: every member finds its own place from its rank alone",
        build: |_, group| rank_halving_tree(group),
        keeps_order: true,
        takes_any_members: true,
    },
    TreeMethod {
        name: "monotone-nearest",
        summary: "ways to the root are shortest ways: the least height of all rooted trees",
        build: monotone_nearest::tree,
        keeps_order: false,
        takes_any_members: true,
    },
    TreeMethod {
        name: "ecrb2",
        summary: "entry and bisection in two parts: two children and about 2 log2 n edges on a way",
        build: entry_bisection::two,
        keeps_order: false,
        takes_any_members: true,
    },
    TreeMethod {
        name: "ecrb4",
        summary: "entry and bisection in four parts: four children and about log2 n edges on a way",
        build: entry_bisection::four,
        keeps_order: false,
        takes_any_members: true,
    },
    TreeMethod {
        name: "ecrb16",
        summary: "entry and bisection in sixteen parts: about log2 n / 2 edges on a way, for long start-ups",
        build: entry_bisection::sixteen,
        keeps_order: false,
        takes_any_members: true,
    },
    TreeMethod {
        name: "gibbons-paterson",
        summary: "full rectangles only: two children, 2 log2 n edges on a way, few edges on a link",
        build: gibbons_paterson::tree,
        keeps_order: false,
        takes_any_members: false,
    },
    TreeMethod {
        name: "tac",
        summary: "target-aware contraction: low, and ranks keep their order; what a split by contraction starts from",
        build: contraction::tree,
        keeps_order: true,
        takes_any_members: true,
    },
];

fn rank_halving_tree(group: &Group) -> Result<Tree> {
    if group.size() == 0 {
        return Err(Error::value("size of a group", 0, "at least one member"));
    }
    Ok(rank_halving::tree(group.size()))
}

/// The method with this name.
///
/// # Errors
///
/// [`Error::Value`] listing the names.
///
/// # Examples
///
/// ```
/// use meshwright_groups::{Group, trees};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:4x4")?;
/// let all = Group::whole(&mesh, "hilbert")?;
/// let tree = (trees::tree("monotone-nearest")?.build)(&mesh, &all)?;
/// assert_eq!(tree.height_links(&mesh, &all), 4);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tree(name: &str) -> Result<&'static TreeMethod> {
    find("tree", name, TREES, |method| method.name)
}
