//! Feasibility of a claimed distribution: a flow says yes, a set of nodes says why not.
//!
//! # Source
//!
//! `zhang2018`, chapters 3 and 4: the claims this was made for give every processor a link of its own.

pub use super::claim::{Claim, TOLERANCE};
use super::optimum::{claim, commodities};
use super::witness::{Stretch, Witness};
use crate::{Cut, Problem};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Which question was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Any source may serve any node: exact.
    Mixed,
    /// Every node is served by its own source over links inside its cell: feasible for certain.
    WithinCells,
    /// Every node is served by its own source over any links, all at the same time: exact, by a linear programme.
    SideBySide,
    /// Infeasible for certain, because even mixed sources, or one source alone, cannot do it.
    Necessary,
    /// The machine that was asked for does less at a time, or results come back: exact, by a linear programme.
    Programme,
    /// A schedule of messages keeps the claim in a simulation: feasible for certain.
    Schedule,
    /// Nothing refutes the claim and no schedule was found that keeps it, or the programme would be too large.
    Undecided,
}

/// Whether a claim is possible, and what refutes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Feasibility {
    /// Whether there is a schedule; see [`Self::reading`].
    pub feasible: bool,
    /// Which question was decided.
    pub reading: Reading,
    /// The set that refutes the claim, if links do.
    pub cut: Option<Cut>,
    /// When the share must be there, the moment until which the set cannot send out enough.
    pub moment: Option<f64>,
    /// The node that cannot work off its share in time, if there is one; [`Self::moment`] is then when its share can
    /// be there at the earliest, where its way is what takes too long.
    pub overloaded: Option<NodeId>,
    /// What no way to send these shares can beat on the machine that was asked for, if that was computed.
    pub least: Option<f64>,
    /// What shows that the claim can be kept.
    pub witness: Option<Witness>,
}

impl Feasibility {
    /// An answer with nothing but its reading.
    pub fn of(feasible: bool, reading: Reading) -> Self {
        Self { feasible, reading, cut: None, moment: None, overloaded: None, least: None, witness: None }
    }

    /// Yes, and this flow shows it.
    fn shown(reading: Reading, makespan: f64, flow: Vec<Stretch>) -> Self {
        Self { witness: Some(Witness::of_flow(makespan, flow, Vec::new())), ..Self::of(true, reading) }
    }

    /// No, and this set shows it.
    fn refuted(reading: Reading, (cut, moment): claim::Refuted) -> Self {
        Self { cut: Some(cut), moment, ..Self::of(false, reading) }
    }
}

impl Reading {
    /// The answer in a word: `yes`, `no`, or `undecided`.
    pub fn word(self, feasible: bool) -> &'static str {
        match (feasible, self) {
            (true, _) => "yes",
            (false, Self::Undecided) => "undecided",
            (false, _) => "no",
        }
    }
}

/// Decides whether there is a schedule that works off these shares within this makespan.
///
/// Without `timed` the static flow decides whose demands are the shares. With it, the flow through the intervals
/// between the distinct moments decides; nodes may hold load in between. With `cells` every source must serve its
/// own nodes: see [`Reading`].
///
/// # Errors
///
/// [`Error::Value`] for lists that are not as long as the machine has nodes, for a negative share or one that is not
/// a number, shares whose sum is not 1, and a makespan that is not above 0; [`Error::TooLarge`] when the machine, once
/// for each moment, is larger than the largest machine.
///
/// # Complexity
///
/// A maximum flow on one copy of the machine per distinct moment; with cells some more, and a linear programme.
///
/// # Examples
///
/// ```
/// use meshwright_load::check::{Claim, check};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:3")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let third = [1.0 / 3.0; 3];
/// let claim = Claim { makespan: 1.0 / 3.0, shares: &third, timed: None, cells: None };
/// let verdict = check(&problem, &claim)?;
/// let cut = verdict.cut.expect("two shares must cross one link, which carries one");
/// assert!(!verdict.feasible && cut.nodes == [NodeId(0)] && cut.demand > cut.capacity);
/// let half = [0.5, 0.5, 0.0];
/// assert!(check(&problem, &Claim { makespan: 0.5, shares: &half, timed: None, cells: None })?.feasible);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn check(problem: &Problem, claim: &Claim) -> Result<Feasibility> {
    verify(problem, claim)?;
    if let Some(node) = overloaded(problem, claim) {
        return Ok(Feasibility { overloaded: Some(node), ..Feasibility::of(false, Reading::Mixed) });
    }
    if let Some(late) = problem.sources().iter().find(|source| source.release >= claim.makespan) {
        let cut = Cut { nodes: vec![late.node], capacity: 0.0, demand: late.load };
        return Ok(Feasibility::refuted(Reading::Mixed, (cut, None)));
    }
    let mixed = claim::decide(problem, claim)?;
    let Some(cells) = claim.cells.filter(|_| problem.sources().len() > 1) else {
        return Ok(match mixed {
            Ok(flow) => Feasibility::shown(Reading::Mixed, claim.makespan, flow),
            Err(refuted) => Feasibility::refuted(Reading::Mixed, refuted),
        });
    };
    if let Err(refuted) = mixed {
        return Ok(Feasibility::refuted(Reading::Necessary, refuted));
    }
    let stuck = match claim::fit_within_cells(problem, claim, cells)? {
        Ok(flow) => return Ok(Feasibility::shown(Reading::WithinCells, claim.makespan, flow)),
        Err(stuck) => stuck,
    };
    if let Some(refuted) = claim::refute_alone(problem, claim, cells, &stuck)? {
        return Ok(Feasibility::refuted(Reading::Necessary, refuted));
    }
    Ok(match commodities::fit_side_by_side(problem, claim, cells) {
        Some(Some(flow)) => Feasibility::shown(Reading::SideBySide, claim.makespan, flow),
        Some(None) => Feasibility::of(false, Reading::SideBySide),
        None => Feasibility::of(false, Reading::Undecided),
    })
}

/// Refuses what is no distribution.
fn verify(problem: &Problem, claim: &Claim) -> Result<()> {
    let nodes = problem.machine().nodes() as usize;
    let lists =
        [Some(claim.shares.len()), claim.timed.map(<[f64]>::len), claim.cells.map(|cells| cells.label.len())];
    if let Some(length) = lists.into_iter().flatten().find(|&length| length != nodes) {
        return Err(Error::value("number of shares", length, nodes.to_string()));
    }
    if !(claim.makespan > 0.0 && claim.makespan.is_finite()) {
        return Err(Error::value("makespan", claim.makespan, "a number above 0"));
    }
    if let Some(share) = claim.shares.iter().find(|share| !(share.is_finite() && **share >= 0.0)) {
        return Err(Error::value("share", share, "a number of at least 0"));
    }
    let sum: f64 = claim.shares.iter().sum();
    if (sum - 1.0).abs() > 1e-6 {
        return Err(Error::value("sum of the shares", sum, "1"));
    }
    if let Some(moment) = claim.timed.unwrap_or(&[]).iter().find(|moment| moment.is_nan() || **moment < 0.0) {
        return Err(Error::value("moment", moment, "a number of at least 0"));
    }
    Ok(())
}

/// The first node that has more than it can work off from the moment its share is there.
fn overloaded(problem: &Problem, claim: &Claim) -> Option<NodeId> {
    let first = problem.releases()[0];
    (0..problem.machine().nodes()).map(NodeId).find(|&node| {
        let share = claim.shares[node.index()];
        let begin = claim.timed.map_or(first, |timed| timed[node.index()]);
        share > 0.0 && begin + share * problem.work(node) > claim.makespan * (1.0 + TOLERANCE)
    })
}
