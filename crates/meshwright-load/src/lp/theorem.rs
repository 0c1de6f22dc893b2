//! Variants whose optimum is known without a linear programme.

use super::variant::{Duplex, Ports, Variant};
use crate::{Problem, layers, optimum};
use meshwright_core::error::Result;

/// An optimum that is known, and the formula it is known by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem {
    /// When all is worked off and every result is back, in units of w Tcp.
    pub makespan: f64,
    /// The formula of the speedup, with N the nodes within reach of the source.
    pub formula: &'static str,
}

/// The least makespan on a machine of this variant where there is a theorem, for machines of any size; none elsewhere.
///
/// ```text
/// one port, one source, no results:             1 / T = min(N, 1 + 1/sigma)
/// half duplex, all ports, results rho:          the optimum at sigma (1 + rho)
/// full duplex, all ports, results rho <= 1:     the optimum at sigma
/// ```
///
/// A node with one port lets through at most what reaches it: along any tree that spans the network, no node has to
/// receive more than the source sends. Results that take the way of their loads back lay on each wire rho times the
/// load that crossed it, and at least so much has to come back into every set that sends load out.
///
/// Front ends are needed for all three, processors and links that are alike, and for results that all loads are there
/// at time 0.
///
/// # Errors
///
/// What [`optimum::makespan`] refuses.
///
/// # Complexity
///
/// O(nodes + links) with one port, else that of [`optimum::makespan`].
///
/// # Examples
///
/// ```
/// use meshwright_load::lp::{Ports, Variant, solve, theorem};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let one_port = Variant { ports: Ports::ONE, ..Variant::default() };
/// let mesh = Machine::new("mesh:1000x1000")?;
/// let large = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 0.1)?;
/// let theorem = theorem(&large, &one_port)?.expect("one source, one port");
/// assert!((1.0 / theorem.makespan - 11.0).abs() < 1e-12);
/// assert!(solve(&large, &one_port).is_err(), "too large for a linear programme");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn theorem(problem: &Problem, variant: &Variant) -> Result<Option<Theorem>> {
    let is_elsewhere = variant.results > 0.0 && variant.home.is_some();
    if !variant.front_end || !problem.is_uniform() || is_elsewhere {
        return Ok(None);
    }
    let Variant { ports, results, duplex, .. } = *variant;
    match (ports, duplex) {
        (Ports::ONE, Duplex::Full) if results == 0.0 => Ok(one_port(problem)),
        (Ports::All, _) if results > 0.0 && !problem.starts_at_once() => Ok(None),
        (Ports::All, Duplex::Full) if results <= 1.0 => known(problem, "the optimum at sigma"),
        (Ports::All, Duplex::Half) => {
            let slower = problem.sigma() * (1.0 + results);
            let slower = Problem::new(problem.machine(), problem.sources().to_vec(), slower)?;
            known(&slower, "the optimum at sigma (1 + rho)")
        }
        _ => Ok(None),
    }
}

/// The fluid optimum of a problem.
fn known(problem: &Problem, formula: &'static str) -> Result<Option<Theorem>> {
    Ok(Some(Theorem { makespan: optimum::makespan(problem)?.0, formula }))
}

/// One source that sends over one link at a time.
fn one_port(problem: &Problem) -> Option<Theorem> {
    let [source] = problem.sources() else { return None };
    let depths = layers::depths(problem.machine(), &[source.node]);
    let reached = depths.iter().filter(|&&depth| depth != u32::MAX).count();
    let speedup = (reached as f64).min(1.0 + 1.0 / problem.sigma());
    let formula = match source.release > 0.0 {
        true => "min(N, 1 + 1/sigma) from the release on",
        false => "min(N, 1 + 1/sigma)",
    };
    Some(Theorem { makespan: source.release + 1.0 / speedup, formula })
}
