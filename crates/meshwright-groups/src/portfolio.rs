//! All trees of a group side by side, and the one on which a barrier is over first.

use super::barrier_time::{Delays, barrier};
use super::trees::{TREES, TreeMethod};
use super::{Extent, Group, Tree};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Machine;

/// One tree and what it costs.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The name in [`TREES`].
    pub name: &'static str,
    /// The tree.
    pub tree: Tree,
    /// When a barrier is over that nobody is in the way of, in the unit of [`Delays`].
    pub predicted: u64,
    /// H: the links of the longest way from the root.
    pub height_links: u32,
    /// The edges of the longest way from the root.
    pub hops: u32,
    /// The most children of a vertex.
    pub fan_out: u32,
}

/// All trees of a group.
#[derive(Debug)]
pub struct Portfolio {
    /// Distances within the group.
    pub extent: Extent,
    /// What no barrier of the group can beat, on a tree or not, in the unit of [`Delays`].
    pub bound: u64,
    /// The trees that fit the machine, in the order of [`TREES`].
    pub candidates: Vec<Candidate>,
    /// Those that do not, and why.
    pub refused: Vec<(&'static str, Error)>,
    /// The index of the cheapest candidate; of equal ones the first.
    pub best: usize,
}

impl Portfolio {
    /// The cheapest tree.
    pub fn best(&self) -> &Candidate {
        &self.candidates[self.best]
    }

    /// predicted / bound - 1; 0 where there is nothing to wait for.
    pub fn gap(&self, candidate: &Candidate) -> f64 {
        if self.bound == 0 { 0.0 } else { candidate.predicted as f64 / self.bound as f64 - 1.0 }
    }
}

/// Builds all trees of a group and predicts a barrier on each: what `--tree auto` does.
///
/// # Errors
///
/// As for [`Extent::of`].
///
/// # Complexity
///
/// That of all trees, and O(s log s).
///
/// # Examples
///
/// ```
/// use meshwright_groups::{Group, portfolio};
/// use meshwright_groups::barrier_time::Delays;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:16x16")?;
/// let all = Group::whole(&mesh, "hilbert")?;
/// let steps = portfolio::compare(&mesh, &all, Delays::default())?;
/// assert_eq!((steps.best().name, steps.best().predicted, steps.bound), ("monotone-nearest", 32, 30));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn compare(machine: &Machine, group: &Group, delays: Delays) -> Result<Portfolio> {
    let extent = Extent::of(machine, group)?;
    let (mut candidates, mut refused) = (Vec::new(), Vec::new());
    for method in TREES {
        match candidate(method, machine, group, delays) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => refused.push((method.name, why)),
        }
    }
    let cheapest = (0..candidates.len()).min_by_key(|&index| candidates[index].predicted);
    let best = cheapest.expect("rank halving fits every group whose members reach each other");
    Ok(Portfolio { extent, bound: delays.bound(extent.barrier_bound_links()), candidates, refused, best })
}

fn candidate(method: &TreeMethod, machine: &Machine, group: &Group, delays: Delays) -> Result<Candidate> {
    let tree = (method.build)(machine, group)?;
    let edge_links = tree.edge_links(machine, group);
    Ok(Candidate {
        name: method.name,
        predicted: barrier(&tree, &edge_links, delays),
        height_links: (barrier(&tree, &edge_links, Delays::default()) / 2) as u32,
        hops: tree.hops(),
        fan_out: tree.fan_out(),
        tree,
    })
}
