//! The flow matrix of the thesis: one source, all processors stop together.
//!
//! It is a system of linear equations in the shares of a node of each layer, and its solution is known
//! ([`closed_form`]); the matrix itself and its determinants are in the crate of the papers, and tests hold them together.
//!
//! # Source
//!
//! `zhang2018`, equations 3.45 and 6.3 (cut-through), 4.41 and 6.6 (modified store-and-forward).

use super::closed_form;
use crate::{Cells, Forwarding, Plan, Problem, UNUSED, layers};
use meshwright_core::error::{Error, Result};

/// The numbers of nodes by hops from the one source.
///
/// # Errors
///
/// As for [`plan`].
pub fn layers_of(problem: &Problem<'_>) -> Result<Vec<u64>> {
    check(problem)?;
    Ok(layers::counts(problem.machine(), &[problem.sources()[0].node]))
}

/// By layer the share of one of its nodes.
///
/// # Errors
///
/// As for [`plan`].
///
/// # Complexity
///
/// As for [`layers::counts`].
pub fn fractions(problem: &Problem<'_>, forwarding: Forwarding) -> Result<Vec<f64>> {
    Ok(closed_form::fractions(&layers_of(problem)?, &problem.sigma(), forwarding))
}

/// The plan of the thesis for one source: every node that can be reached takes the share of its layer.
///
/// The thesis lets each layer be served as if every node had a path of its own, so the makespan may be shorter than
/// any schedule on the links of the machine allows.
///
/// # Errors
///
/// [`Error::NotApplicable`] for several sources, a release after 0, and processors or links that are not all alike.
///
/// # Complexity
///
/// O(nodes + links).
///
/// # Source
///
/// `zhang2018`, sections 3.1 and 4.1.
///
/// # Examples
///
/// ```
/// use meshwright_load::shares::flow_matrix;
/// use meshwright_load::{Forwarding, Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 0.5)?;
/// let plan = flow_matrix::plan(&problem, Forwarding::CutThrough)?;
/// assert_eq!(plan.speedup(), 3.5);
/// assert_eq!(plan.shares[3], plan.shares[0] / 2.0);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn plan(problem: &Problem<'_>, forwarding: Forwarding) -> Result<Plan> {
    check(problem)?;
    let depth = layers::depths(problem.machine(), &[problem.sources()[0].node]);
    let fractions = closed_form::fractions(&layers::counts_of_depths(&depth), &problem.sigma(), forwarding);
    let share = |&depth: &u32| fractions.get(depth as usize).copied().unwrap_or(0.0);
    let label = |&depth: &u32| if depth == u32::MAX { UNUSED } else { 0 };
    Ok(Plan {
        makespan: fractions[0],
        shares: depth.iter().map(share).collect(),
        cells: Some(Cells { label: depth.iter().map(label).collect(), depth }),
    })
}

/// Refuses what the flow matrix has no row for.
fn check(problem: &Problem<'_>) -> Result<()> {
    let refuse = |why: String| Err(Error::not_applicable("flow-matrix", why));
    let sources = problem.sources().len();
    if sources > 1 {
        return refuse(format!("the load enters at {sources} sources, and the flow matrix knows one"));
    }
    if !problem.starts_at_once() {
        return refuse("the load arrives later, and the flow matrix knows no release times".to_string());
    }
    if !problem.is_uniform() {
        return refuse(
            "processors or links are not all alike, and the flow matrix has one sigma".to_string(),
        );
    }
    Ok(())
}
