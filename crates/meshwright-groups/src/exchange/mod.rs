//! Structures for synchronising a group, rooted trees and those that are none.
//!
//! A rooted tree takes its messages up to one member and down again. Where the members fill a box, sweeps along its
//! axes need no root and reach the lower bound; on tori, where a root is far from half of the nodes, several hubs
//! that exchange what they know come nearer to it.
//!
//! | structure | time of a barrier in links, nobody in the way |
//! |---|---|
//! | [`Structure::Rooted`] | 2 H |
//! | [`Hubs`] | max over hubs a, b of H(a) + d(a, b) + H(b) |
//! | [`Sweeps`] | sum over the axes of w - 1 on a line, floor(w / 2) on a ring |
//! | any | at least D, the diameter of the group: [`Extent::barrier_bound_links`] |
//!
//! | file | what |
//! |---|---|
//! | [`full_box`] | groups that are boxes |
//! | [`gibbons_paterson`] | binary trees of boxes on paths that hardly meet |
//! | [`hubs`] | centres that exchange what they know |
//! | [`k_centre`] | where the centres stand |
//! | [`sweeps`] | axis after axis |
//! | [`scheme`] | members of any of the structures, as a scheme without splits |

pub mod full_box;
pub mod gibbons_paterson;
pub mod hubs;
pub mod k_centre;
pub mod scheme;
pub mod sweeps;

pub use full_box::FullBox;
pub use hubs::Hubs;
pub use scheme::Exchange;
pub use sweeps::Sweeps;

#[cfg(doc)]
use super::Extent;
use super::{Group, Tree};
use meshwright_core::error::Result;
use meshwright_network::topology::Machine;

/// How the members of a group exchange what they know.
///
/// # Examples
///
/// ```
/// use meshwright_groups::exchange::{FullBox, Structure, Sweeps};
/// use meshwright_groups::{Extent, Group, rank_halving};
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:4x5")?;
/// let group = Group::whole(&mesh, "row")?;
/// let sweeps = Structure::Sweeps(Sweeps::new(FullBox::of(&mesh, &group)?));
/// let tree = Structure::Rooted(rank_halving::tree(20));
/// assert_eq!(Extent::of(&mesh, &group)?.barrier_bound_links(), 3 + 4);
/// assert_eq!(sweeps.barrier_links(&mesh, &group), 3 + 4);
/// assert_eq!(tree.barrier_links(&mesh, &group), 14);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A tree: up to its root and down again.
    Rooted(Tree),
    /// Centres, each with a tree of its own.
    Hubs(Hubs),
    /// Sweeps along the axes of a box.
    Sweeps(Sweeps),
}

impl Structure {
    /// The name in tables: `tree`, `hubs:16` with the number of hubs, `sweeps`.
    pub fn name(&self) -> String {
        match self {
            Self::Rooted(_) => "tree".into(),
            Self::Hubs(hubs) => format!("hubs:{}", hubs.hubs().len()),
            Self::Sweeps(_) => "sweeps".into(),
        }
    }

    /// How many members it is for.
    pub fn size(&self) -> u32 {
        match self {
            Self::Rooted(tree) => tree.size(),
            Self::Hubs(hubs) => hubs.tree().size(),
            Self::Sweeps(sweeps) => sweeps.full_box().size(),
        }
    }

    /// The links a barrier takes when nobody is in the way.
    ///
    /// # Panics
    ///
    /// As for [`Tree::height_links`].
    ///
    /// # Complexity
    ///
    /// O(s + hubs^2) where distances are formulas.
    pub fn barrier_links(&self, machine: &Machine, group: &Group) -> u32 {
        match self {
            Self::Rooted(tree) => 2 * tree.height_links(machine, group),
            Self::Hubs(hubs) => hubs.barrier_links(machine, group),
            Self::Sweeps(sweeps) => sweeps.barrier_links(),
        }
    }

    /// The most members that one member of a barrier sends to and is told by afterwards.
    ///
    /// A tree counts the children, a hub the other hubs as well, a sweep its neighbours.
    pub fn fan_out(&self) -> u32 {
        match self {
            Self::Rooted(tree) => tree.fan_out(),
            Self::Hubs(hubs) => hubs.fan_out(),
            Self::Sweeps(sweeps) => sweeps.fan_out(),
        }
    }

    /// The rank that learns the results of [`Reduce`] and [`Gather`].
    ///
    /// [`Reduce`]: super::protocol::Operation::Reduce
    /// [`Gather`]: super::protocol::Operation::Gather
    pub fn root(&self) -> u32 {
        match self {
            Self::Rooted(tree) => tree.root(),
            Self::Hubs(hubs) => hubs.tree().root(),
            Self::Sweeps(sweeps) => sweeps.root(),
        }
    }
}

/// What there is beside rooted trees: sweeps, where the group fills a box, and hubs, once for each of these numbers that
/// is not above the size of the group. More hubs are nearer to D as long as their messages are not in each other's way:
/// on tori of 16 to 32 nodes a side, 8 and 16 hubs end first.
///
/// # Errors
///
/// As for [`k_centre::centres`].
///
/// # Complexity
///
/// That of its parts.
///
/// # Examples
///
/// ```
/// use meshwright_groups::{Group, exchange};
/// use meshwright_network::topology::Machine;
/// let torus = Machine::new("torus:8x8")?;
/// let group = Group::whole(&torus, "row")?;
/// let found = exchange::structures(&torus, &group, &[8, 16, 100])?;
/// let table: Vec<_> = found.iter().map(|each| (each.name(), each.barrier_links(&torus, &group))).collect();
/// assert_eq!(table, [("sweeps".into(), 8), ("hubs:8".into(), 12), ("hubs:16".into(), 12)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn structures(machine: &Machine, group: &Group, hubs: &[u32]) -> Result<Vec<Structure>> {
    let sweeps = FullBox::of(machine, group).ok().map(|full_box| Structure::Sweeps(Sweeps::new(full_box)));
    let mut all: Vec<_> = sweeps.into_iter().collect();
    for &count in hubs.iter().filter(|&&count| count <= group.size()) {
        all.push(Structure::Hubs(Hubs::new(machine, group, count)?));
    }
    Ok(all)
}
