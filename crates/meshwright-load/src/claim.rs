//! A claim: makespan, shares and cells as a method says them, and the tolerance with which it is taken at its word.

use crate::{Cells, Plan};

/// How far a claim may go beyond a capacity, relatively: printed numbers are rounded.
pub const TOLERANCE: f64 = 1e-9;

/// What a method says about its distribution.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// When the last processor is done, in units of w Tcp.
    pub makespan: f64,
    /// By node id the share of the whole load it works off.
    pub shares: &'a [f64],
    /// By node id the moment by which its whole share must be there, if it may not begin before; none if it works
    /// on what arrives.
    pub timed: Option<&'a [f64]>,
    /// Who works for which source, if the sources are kept apart.
    pub cells: Option<&'a Cells>,
}

impl<'a> Claim<'a> {
    /// What a plan claims when its nodes work on what arrives and any source may serve anybody.
    pub fn of(plan: &'a Plan) -> Self {
        Self { makespan: plan.makespan, shares: &plan.shares, timed: None, cells: None }
    }
}
