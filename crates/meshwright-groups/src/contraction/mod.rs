//! GroupTarget-aware contraction: a split that draws the trees of the new groups together while it climbs the old tree.
//!
//! Every packet has a few words and every member keeps a few words per child (and per colour below it). The trees keep
//! the order of ranks, and their roots move to the middles of the new groups. Three passes and two answers:
//!
//! | packet | which way | what |
//! |---|---|---|
//! | count | up | how many members of a colour are below, and how far they reach |
//! | target | down | the ranks of the members of a colour below, their number in all, their middle |
//! | head | up | the root of the one tree that the members of a colour below form |
//! | attach | to a head that lost | its parent, and how many children it will have |
//! | add | to that parent | a new child, its side and its turn |
//!
//! Where heads of a colour meet, [`heads::contract`] decides. Colours are merged in increasing order, so a split into
//! k groups takes O(height + k) steps. A member has its place when its parent and all its children are named; it goes
//! on answering for the colours below it until the groups join. Packets may arrive in any order.
//!
//! Measured with random labels, the whole mesh split into two, each part into two and so on; steps and packets in the
//! packet engine, one word a packet:
//!
//! | mesh | steps per split | packets per member | 2 H / D after 1 to 6 splits | most children |
//! |---|---|---|---|---|
//! | 16 x 16 | 75 to 78; 16 colours at once: 138 | 5.2; 9.4 | 1.22 1.31 1.35 1.38 1.39 1.38 | 12 |
//! | 64 x 64 | 252 to 258 | 5.2 | 1.06 1.10 1.14 1.17 1.20 1.23 | 14 |
//! | 8 x 8 x 8 | | | 1.59 1.72 1.80 1.84 1.82 1.78 | 12 |
//! | torus 16 x 16 | | | 2.23 2.27 2.21 2.09 1.93 1.84 | 11 |
//!
//! | file | what |
//! |---|---|
//! | [`frame`] | coordinates, extents and middles; rings are cut open and laid flat |
//! | [`heads`] | one contraction |
//! | [`direct`] | the trees of all new groups, built in one place |
//! | [`packet`] | what members send, and how long it is |
//! | [`merge`] | reports of children, merged by colour |
//! | [`scheme`] | the part of one member |

pub mod direct;
pub mod frame;
pub mod heads;
pub mod merge;
pub mod packet;
pub mod scheme;

pub use direct::OrderedTree;
pub use scheme::ContractionSplitting;

use frame::Frame;

use super::{Group, Tree};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Network};

/// The scheme: it knows the box and nothing of the groups.
///
/// Distances are those of the box with every node working, as members can compute them. On a torus the rings are
/// opened once, behind the longest stretch without a member of the first group, and laid flat: that says where the middle
/// of a group is. Opened anew for every group, they tear its tree apart and it gets higher. Keys are not supported: new ranks keep the old order.
#[derive(Clone, Debug)]
pub struct Contraction {
    frame: Frame,
    penalty: u32,
}

impl Contraction {
    /// On a mesh, a torus or a hypercube, with a penalty of one link for every child of a head beyond three.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] for networks without coordinates.
    pub fn new(machine: &Machine) -> Result<Self> {
        let Network::Grid(grid) = machine.network() else {
            return Err(Error::not_applicable("tac", "it needs coordinates: a mesh, a torus or a hypercube"));
        };
        Ok(Self { frame: Frame::new(grid.clone()), penalty: 1 })
    }

    /// With another penalty, in links; 0 gives the lowest trees, and heads with very many children.
    pub fn with_penalty(self, penalty: u32) -> Self {
        Self { penalty, ..self }
    }
}

/// The tree of a whole group: [`Contraction::first`].
///
/// # Errors
///
/// As for [`Contraction::new`]; [`Error::Value`] for an empty group.
pub fn tree(machine: &Machine, group: &Group) -> Result<Tree> {
    if group.size() == 0 {
        return Err(Error::value("size of a group", 0, "at least one member"));
    }
    Ok(Contraction::new(machine)?.first(group).tree)
}
