//! The thesis's schedulers for several sources, one table of all: each source has a cell, and each cell is one source's
//! network.
//!
//! | thesis | here |
//! |---|---|
//! | Sp_i | [`Cell::speedup`] |
//! | L_i | [`Cell::load`] |
//! | D_i | depth: hops to the nearest member of the cell's site |
//! | R_i | [`Cell::radius`] |
//! | f_T, r_save | [`SchedulerSettings::finish`], [`SchedulerSettings::save_at_least`] |
//!
//! The makespan is max_i L_i / Sp_i, so the bottleneck is the cell with the smallest Sp_i / L_i. The thesis compares
//! Sp_i; the two agree while all sources have the same load and none are taken as one.

use super::{accelerated, constrained, equivalence, reduced};
use crate::{Forwarding, Problem};
use meshwright_core::error::Result;

pub use super::scheduled::{Cell, REDUCTIONS, Reduction, Scheduled, SchedulerSettings};
pub use super::ties::{TIES, Ties};

/// A scheduler for several sources.
pub struct Scheduler {
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
    pub run: fn(&Problem, Forwarding, &SchedulerSettings) -> Result<Scheduled>,
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
/// use meshwright_load::shares::schedulers::{METHODS, SchedulerSettings};
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:1x7")?;
/// let problem = Problem::new(&mesh, [1, 3].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.01)?;
/// let voronoi = METHODS.iter().find(|method| method.name == "voronoi").unwrap();
/// let scheduled = (voronoi.run)(&problem, Forwarding::CutThrough, &SchedulerSettings::default())?;
/// assert_eq!(scheduled.cells[0].speedup, 3.0);
/// assert_eq!(scheduled.plan.makespan, 0.5 / 3.0, "half of the load, three processors");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub const METHODS: &[Scheduler] = &[
    Scheduler {
        name: "epsa",
        thesis: "EPSA",
        about: "takes connected sources as one large processor that serves the whole machine",
        run: equivalence::epsa,
    },
    Scheduler {
        name: "voronoi",
        thesis: "MDVDA",
        about: "gives every node to the source nearest to it",
        run: reduced::voronoi,
    },
    Scheduler {
        name: "reduced",
        thesis: "RMDVDA",
        about: "frees the outer nodes of the cells that are faster than the slowest one",
        run: reduced::reduced,
    },
    Scheduler {
        name: "accelerated",
        thesis: "ARMDVDA",
        about: "gives the freed nodes to the slowest cell, one after the other",
        run: accelerated::accelerated,
    },
    Scheduler {
        name: "constrained",
        thesis: "RCMDVDA",
        about: "reduces cells in which neighbouring sources are taken as one",
        run: constrained::constrained,
    },
    Scheduler {
        name: "epsea",
        thesis: "EPSEA",
        about: "evens out the loads of connected sources, then takes them as one",
        run: equivalence::epsea,
    },
    Scheduler {
        name: "constrained-extended",
        thesis: "RCMDVDEA",
        about: "evens out the loads of neighbouring sources, then reduces as for equal ones",
        run: constrained::constrained_extended,
    },
];
