//! Claimed schedules of a divisible load: possible, or refuted by a set of nodes.

use serde::Serialize;

use super::feasible::decide;
use super::{LoadBound, SourceRow, sources};
use crate::error::Result;
use crate::load::check::Reading;
use crate::load::{Cells, Cut, Forwarding, Problem, optimum};
use crate::units::NodeId;

/// A schedule that somebody claims.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// What it is called.
    pub name: String,
    /// Whether a node works while its share arrives, or when the whole of it is there.
    pub switching: Forwarding,
    /// When all is said to be done, in units of w Tcp.
    pub makespan: f64,
    /// By node id, the share of the whole load it is said to work off.
    pub shares: Vec<f64>,
    /// Who works for which source, if each is to serve its own nodes.
    pub cells: Option<Cells>,
}

/// The answer to `check`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Where the load enters.
    pub sources: Vec<SourceRow>,
    /// What no schedule can beat, and why.
    pub bound: LoadBound,
    /// Whether every claim is possible.
    pub feasible: bool,
    /// Claim by claim.
    pub claims: Vec<Checked>,
}

/// A claim and what is true of it.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// What it is called.
    pub name: String,
    /// Whether a node works while its share arrives.
    pub switching: Forwarding,
    /// The claimed makespan, in units of w Tcp.
    pub makespan: f64,
    /// The claimed speedup.
    pub speedup: f64,
    /// Whether some schedule keeps the claim.
    pub feasible: bool,
    /// Which question was decided.
    pub reading: Reading,
    /// The nodes that refute it.
    pub violated_cut: Option<Cut>,
    /// The moment until which these nodes cannot send out enough, where shares must be there in time.
    pub moment: Option<f64>,
    /// The node that cannot work off its own share.
    pub overloaded: Option<NodeId>,
    /// No schedule is faster than this.
    pub bound_speedup: f64,
    /// Claimed speed over the fastest there is.
    pub ratio_to_bound: f64,
}

/// Checks every claim.
///
/// # Errors
///
/// As for [`crate::load::check::check`].
///
/// # Examples
///
/// ```
/// use meshwright::load::{Forwarding, Problem, Source};
/// use meshwright::verdict::load::{Claimed, check};
/// use meshwright::{topology::Machine, units::NodeId};
/// let line = Machine::new("mesh:3")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let shares = vec![1.0 / 3.0; 3];
/// let claim = Claimed { name: "all alike".into(), switching: Forwarding::CutThrough, makespan: 1.0 / 3.0, shares, cells: None };
/// let answer = check(&problem, &[claim], &mut |_| {})?;
/// assert!(!answer.feasible && answer.claims[0].violated_cut.is_some());
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn check(
    problem: &Problem<'_>,
    claims: &[Claimed],
    progress: &mut dyn FnMut(&str),
) -> Result<CheckAnswer> {
    let (makespan, cut) = optimum::makespan(problem)?;
    let mut checked = Vec::new();
    for claim in claims {
        progress(&claim.name);
        let Claimed { name, switching, makespan: claimed, shares, cells } = claim;
        let found = decide(problem, shares, *claimed, *switching, cells.as_ref())?;
        checked.push(Checked {
            name: name.clone(),
            switching: *switching,
            makespan: *claimed,
            speedup: 1.0 / claimed,
            feasible: found.feasible,
            reading: found.reading,
            violated_cut: found.cut,
            moment: found.moment,
            overloaded: found.overloaded,
            bound_speedup: 1.0 / makespan,
            ratio_to_bound: makespan / claimed,
        });
    }
    Ok(CheckAnswer {
        format: 1,
        machine: problem.machine().name.clone(),
        sigma: problem.sigma(),
        sources: sources(problem),
        bound: LoadBound {
            makespan,
            speedup: 1.0 / makespan,
            fluid_makespan: makespan,
            cut,
            processors: None,
        },
        feasible: checked.iter().all(|checked| checked.feasible),
        claims: checked,
    })
}
