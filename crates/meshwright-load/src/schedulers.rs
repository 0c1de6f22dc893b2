//! The thesis's schedulers for several sources: each source has a cell, and each cell is one source's network.
//!
//! | thesis | here |
//! |---|---|
//! | Sp_i | [`Cell::speedup`] |
//! | L_i | [`Cell::load`] |
//! | D_i | depth: hops to the nearest member of the cell's site |
//! | R_i | [`Cell::radius`] |
//! | f_T, r_save | [`Settings::finish`], [`Settings::save_at_least`] |
//!
//! The makespan is max_i L_i / Sp_i, so the bottleneck is the cell with the smallest Sp_i / L_i. The thesis compares
//! Sp_i; the two agree while all sources have the same load and none are taken as one.

use serde::Serialize;

use super::earth_mover::Rebalance;
use super::{Forwarding, Plan, Problem, accelerated, constrained, equivalence, reduced};
use meshwright_core::error::Result;

/// What a scheduler may be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which processors of a cell are given up.
    pub reduction: Reduction,
    /// Whether cells are compared by Sp_i / L_i, which is right, or by Sp_i, as in the thesis.
    pub weighted: bool,
    /// Acceleration ends when no more than this share of the machine is saved.
    pub save_at_least: f64,
    /// Acceleration ends when the makespan is at most this, in units of w Tcp.
    pub finish: f64,
}

impl Default for Settings {
    /// Reduction by whole layers; acceleration as far as it goes.
    fn default() -> Self {
        Self { reduction: Reduction::Peel, weighted: true, save_at_least: 0.0, finish: 0.0 }
    }
}

/// Which processors a cell gives up that has more of them than the bottleneck needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduction {
    /// Whole outer layers while the cell stays at least as fast as the bottleneck: the prose of the thesis.
    Peel,
    /// Everything beyond the radius of the bottleneck: the pseudo-code of the thesis. It may break the makespan.
    Literal,
    /// Everything beyond the smallest radius of all cells. It may break the makespan.
    LiteralMin,
    /// As by layers, then single processors of the last layer.
    Node,
}

/// Every reduction with its name on the command line.
pub const REDUCTIONS: &[(&str, Reduction)] = &[
    ("peel", Reduction::Peel),
    ("literal", Reduction::Literal),
    ("literal-min", Reduction::LiteralMin),
    ("node", Reduction::Node),
];

impl Reduction {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        REDUCTIONS.iter().find(|(_, reduction)| *reduction == self).expect("the table is complete").0
    }
}

/// One cell of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The indices of its sources in [`Problem::sources`], in increasing order; the first is the label of its nodes.
    pub sources: Vec<usize>,
    /// L_i: what enters at them, as a share of the whole load.
    pub load: f64,
    /// How many of its nodes are that many hops from the nearest of its sources.
    pub layers: Vec<u32>,
    /// Sp_i: how many times faster than one processor it works off a load of its own.
    pub speedup: f64,
}

impl Cell {
    /// How many nodes work for it.
    pub fn nodes(&self) -> u32 {
        self.layers.iter().sum()
    }

    /// R_i: the hops to its farthest node.
    pub fn radius(&self) -> usize {
        self.layers.len() - 1
    }
}

/// What a scheduler answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// Who takes how much and when all is done.
    pub plan: Plan,
    /// The cells, in the order of their first sources.
    pub cells: Vec<Cell>,
    /// Sp_i of the unreduced cells.
    pub speedups_before: Vec<f64>,
    /// How many nodes of the unreduced cells have nothing to do.
    pub saved: u32,
    /// The same as a share of the nodes that work.
    pub saved_share: f64,
    /// How many freed nodes were given to another cell.
    pub merged: u32,
    /// Whether the makespan is no longer than with the unreduced cells.
    pub makespan_kept: bool,
    /// By cell, how the sources that are taken as one share their load beforehand; empty if the method does not.
    pub rebalances: Vec<Rebalance>,
    /// What one has to know before one uses it.
    pub warning: Option<String>,
}

/// A scheduler for several sources.
pub struct Method {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its abbreviation in the thesis.
    pub thesis: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Runs it.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::NotApplicable`] with the reason.
    pub run: fn(&Problem, Forwarding, &Settings) -> Result<Scheduled>,
}

/// Every scheduler for several sources.
///
/// # Source
///
/// `zhang2018`, algorithms 1 to 7.
///
/// # Examples
///
/// ```
/// use meshwright_load::schedulers::{METHODS, Settings};
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:1x7")?;
/// let problem = Problem::new(&mesh, [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let voronoi = METHODS.iter().find(|method| method.name == "voronoi").unwrap();
/// let scheduled = (voronoi.run)(&problem, Forwarding::CutThrough, &Settings::default())?;
/// assert_eq!(scheduled.cells[0].speedup, 3.0);
/// assert_eq!(scheduled.plan.makespan, 0.5 / 3.0, "half of the load, three processors");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub const METHODS: &[Method] = &[
    Method {
        name: "epsa",
        thesis: "EPSA",
        about: "takes connected sources as one large processor that serves the whole machine",
        run: equivalence::epsa,
    },
    Method {
        name: "voronoi",
        thesis: "MDVDA",
        about: "gives every node to the source nearest to it",
        run: reduced::voronoi,
    },
    Method {
        name: "reduced",
        thesis: "RMDVDA",
        about: "frees the outer nodes of the cells that are faster than the slowest one",
        run: reduced::reduced,
    },
    Method {
        name: "accelerated",
        thesis: "ARMDVDA",
        about: "gives the freed nodes to the slowest cell, one after the other",
        run: accelerated::accelerated,
    },
    Method {
        name: "constrained",
        thesis: "RCMDVDA",
        about: "reduces cells in which neighbouring sources are taken as one",
        run: constrained::constrained,
    },
    Method {
        name: "epsea",
        thesis: "EPSEA",
        about: "evens out the loads of connected sources, then takes them as one",
        run: equivalence::epsea,
    },
    Method {
        name: "constrained-extended",
        thesis: "RCMDVDEA",
        about: "evens out the loads of neighbouring sources, then reduces as for equal ones",
        run: constrained::constrained_extended,
    },
];
