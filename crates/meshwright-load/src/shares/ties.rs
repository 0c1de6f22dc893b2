//! Rules of ties: whose a node is that is equally near to several sources.

use serde::Serialize;

use super::voronoi;
use crate::{Cells, Problem, UNUSED};
use meshwright_core::units::NodeId;

/// Whose a node is that is equally near to several sources; the thesis does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The first of them.
    Lowest,
    /// Nobody's: it only relays.
    Nobody,
    /// Every one's: each cell counts it as a whole processor. It then has the work of several, and cannot be done in time.
    Both,
}

/// Every rule of ties with its name on the command line.
pub const TIES: &[(&str, Ties)] = &[("lowest", Ties::Lowest), ("nobody", Ties::Nobody), ("both", Ties::Both)];

impl Ties {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        TIES.iter().find(|(_, ties)| *ties == self).expect("the table is complete").0
    }
}

/// Takes nodes that are equally near to several sites from their cells, or finds the further cells they work for.
pub(super) fn tied(
    problem: &Problem,
    sites: &[Vec<NodeId>],
    ties: Ties,
    cells: &mut Cells,
) -> Vec<(NodeId, u32, u32)> {
    if ties == Ties::Lowest {
        return Vec::new();
    }
    let mut further = Vec::new();
    for (node, site) in voronoi::owners_of_ties(problem.machine(), sites) {
        let (label, depth) = (&mut cells.label[node.index()], &mut cells.depth[node.index()]);
        match ties {
            Ties::Nobody => (*label, *depth) = (UNUSED, u32::MAX),
            _ if *label != site => further.push((node, site, *depth)),
            _ => {}
        }
    }
    further
}
