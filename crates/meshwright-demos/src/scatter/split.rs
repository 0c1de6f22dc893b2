//! Ways to split the load.

use super::calibrate::Calibration;
use super::{Load, application, whole};
use crate::star::{Division, Rank, Star};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::shares::{closed_form, flow_matrix};
use meshwright_load::{Forwarding, Problem, Source};
use meshwright_network::topology::{Machine, Topology};

/// A way to split the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// By what was measured, so that all end together ([`Star::divide`]).
    Ours,
    /// The same for everybody.
    Equal,
    /// By the flow matrix of a machine whose nodes and links are all as the mean of those measured.
    Thesis,
}

/// Every split with its name on the command line.
pub const SPLITS: &[(&str, Split)] =
    &[("ours", Split::Ours), ("equal", Split::Equal), ("thesis", Split::Thesis)];

impl Split {
    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        SPLITS.iter().find(|(_, split)| *split == self).expect("the table is complete").0
    }
}

/// Refuses a machine that has not one node for each rank, or that the flow matrix knows nothing of.
///
/// # Errors
///
/// [`Error::Value`] and [`Error::NotApplicable`].
pub fn check(machine: &Machine, ranks: u32) -> Result<()> {
    if machine.nodes() != ranks {
        return Err(Error::value("number of nodes", machine.nodes(), format!("{ranks}, one for each rank")));
    }
    if let Some(dead) = (0..ranks).find(|&rank| !machine.is_alive(NodeId(rank))) {
        let expected = "a machine without dead nodes, since rank r is its node r";
        return Err(Error::value("a rank", format!("{dead}, whose node is dead"), expected));
    }
    let problem = Problem::new(machine, vec![Source::at(NodeId(0), 1.0)], 0.0)?;
    flow_matrix::plan(&problem, Forwarding::ModifiedStoreAndForward).map(|_| ())
}

/// What a split comes to.
pub(super) struct Plan {
    pub(super) division: Division,
    /// The makespan that the thesis claims for its own, in seconds.
    pub(super) claimed: Option<f64>,
    /// The makespan if it could be cut anywhere, and what the pieces cost at most, in seconds; of loads of pieces only.
    pub(super) anywhere: Option<(f64, f64)>,
}

/// The star that was measured, for pieces of this load.
pub(super) fn star(calibration: &Calibration, load: &dyn Load) -> Star {
    let beside = load.beside() as f64;
    let rank = |rank: &Rank| Rank { startup: rank.startup + rank.link * beside, ..*rank };
    let ranks = calibration.ranks.iter().map(|measured| rank(&measured.times)).collect();
    Star::new(ranks, Some(calibration.results)).expect("times that were measured are above 0")
}

/// The shares of a split, moved to where the load can be cut.
///
/// # Panics
///
/// When the machine was not [checked](check).
pub(super) fn plan(split: Split, star: &Star, load: &dyn Load, machine: Option<&Machine>) -> Plan {
    let (ranks, bytes) = (star.ranks().len(), load.bytes() as f64);
    let mut claimed = None;
    let (order, shares) = match split {
        Split::Ours => {
            let division = star.divide(bytes);
            (division.order, division.shares)
        }
        Split::Equal => ((1..ranks).collect(), vec![1.0; ranks]),
        Split::Thesis => {
            let work = star.ranks().iter().map(|rank| rank.work).sum::<f64>() / ranks as f64;
            let link =
                star.ranks()[1..].iter().map(|rank| rank.link).sum::<f64>() / (ranks - 1).max(1) as f64;
            let (shares, makespan) = thesis(ranks, link / work, machine);
            claimed = Some(makespan * work * bytes);
            ((1..ranks).collect(), shares)
        }
    };
    let anywhere = (load.indivisible() > 0).then(|| {
        let sum: f64 = shares.iter().sum();
        let in_bytes: Vec<f64> = shares.iter().map(|share| share / sum * bytes).collect();
        let sent: Vec<usize> = order.iter().copied().filter(|&rank| in_bytes[rank] > 0.0).collect();
        let loss = whole::loss_max(star, &sent, load.indivisible());
        (star.timetable(&sent, &in_bytes).makespan, loss)
    });
    let parts = application::parts(load, &shares);
    let shares: Vec<f64> = parts.iter().map(|part| (part.end - part.start) as f64).collect();
    let order = order.into_iter().filter(|&rank| shares[rank] > 0.0).collect();
    Plan { division: Division { order, shares }, claimed, anywhere }
}

/// The shares of the flow matrix by rank, and its makespan in units of the time of one processor: nodes begin to work
/// when their whole share is there, as ranks do. Without a machine every rank is one hop from rank 0.
fn thesis(ranks: usize, sigma: f64, machine: Option<&Machine>) -> (Vec<f64>, f64) {
    let forwarding = Forwarding::ModifiedStoreAndForward;
    if let Some(machine) = machine {
        let problem = Problem::new(machine, vec![Source::at(NodeId(0), 1.0)], sigma);
        let plan = problem.and_then(|problem| flow_matrix::plan(&problem, forwarding));
        let plan = plan.expect("the machine was checked, and sigma is a ratio of times");
        return (plan.shares, plan.makespan);
    }
    let layers = if ranks > 1 { vec![1, ranks as u64 - 1] } else { vec![1] };
    let fractions = closed_form::fractions(&layers, &sigma, forwarding);
    ((0..ranks).map(|rank| fractions[rank.min(1)]).collect(), fractions[0])
}
