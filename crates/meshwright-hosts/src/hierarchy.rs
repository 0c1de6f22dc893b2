//! The network of cores in groups in groups: caches in packages in hosts.
//!
//! The first core of a group speaks for it. The members of a group, each by its first core, are linked pairwise. So two
//! cores are one link apart in the innermost group, at most three across two groups of one group, at most five one level
//! further out: the deeper what they share, the nearer they are.

use meshwright_core::error::Result;
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Graph, check_links};

/// A core, or a group of groups.
#[derive(Clone, Debug)]
pub(super) enum Group {
    /// A node; nodes are numbered in the order of the tree.
    Core,
    /// What shares a cache, a package or a network; those without cores do not count.
    Of(Vec<Group>),
}

/// The network.
///
/// # Errors
///
/// As [`Graph::from_arcs`]; a group of so many members that all their pairs are too many links is refused before they
/// are made.
pub(super) fn network(root: &Group) -> Result<Graph> {
    let mut arcs = ArcList::default();
    let mut links = 0;
    wire(root, &mut arcs, &mut links)?;
    Graph::from_arcs(&arcs)
}

/// Wires a group; its first core, if it has one.
fn wire(group: &Group, arcs: &mut ArcList, links: &mut u64) -> Result<Option<u32>> {
    let members = match group {
        Group::Core => {
            arcs.vertices += 1;
            return Ok(Some(arcs.vertices - 1));
        }
        Group::Of(members) => members,
    };
    let mut firsts = Vec::new();
    for member in members {
        firsts.extend(wire(member, arcs, links)?);
    }
    let count = firsts.len() as u64;
    *links += count * count.saturating_sub(1);
    check_links(*links)?;
    for (index, &to) in firsts.iter().enumerate() {
        arcs.arcs.extend(firsts[..index].iter().map(|&from| Arc { from, to, weight: 1 }));
    }
    Ok(firsts.first().copied())
}
