//! The constrained Voronoi schedulers RCMDVDA and RCMDVDEA: connected sources have a cell together.

use super::equivalence::{Division, connected, warn_of_unequal_loads};
use super::scheduled::{Scheduled, SchedulerSettings};
use crate::{Forwarding, Problem};
use meshwright_core::error::Result;

/// RCMDVDA: connected sources are taken as one, then cells are reduced.
///
/// # Errors
///
/// [`meshwright_core::Error::NotApplicable`] when processors or links differ, or one node has loads of different
/// releases.
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Source
///
/// `zhang2018`, algorithm 5.
pub fn constrained(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Scheduled> {
    let mut division = Division::new(problem, forwarding, settings, "constrained", connected(problem))?;
    division.reduce(settings.reduction);
    let mut scheduled = division.scheduled();
    warn_of_unequal_loads(&mut scheduled, problem, "constrained-extended");
    Ok(scheduled)
}

/// RCMDVDEA: connected sources even out their loads, are taken as one, then cells are reduced.
///
/// A cell is done when its moving and its work are; the makespan counts both.
///
/// # Errors
///
/// As for [`constrained`]; [`meshwright_core::Error::TooLarge`] when there are too many sources to even out.
///
/// # Complexity
///
/// O(nodes + links) and that of [`super::earth_mover::rebalance`].
///
/// # Source
///
/// `zhang2018`, algorithm 7.
pub fn constrained_extended(
    problem: &Problem,
    forwarding: Forwarding,
    settings: &SchedulerSettings,
) -> Result<Scheduled> {
    let groups = connected(problem);
    let mut division =
        Division::new(problem, forwarding, settings, "constrained-extended", groups)?.rebalanced()?;
    division.reduce(settings.reduction);
    Ok(division.scheduled())
}
