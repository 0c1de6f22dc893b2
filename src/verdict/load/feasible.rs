//! Whether an answer is possible, and what no answer can beat.

use super::answer::{Answer, Case};
use super::{Deadline, Fewest, LoadBound, LoadOutcome};
use crate::error::Result;
use crate::load::check::{self, Claim, Feasibility, Reading};
use crate::load::{Cells, Cut, Forwarding, Problem, layers, optimum};
use crate::units::NodeId;

/// The largest network a flow is sought in: nodes times moments.
const COPIED_NODES_MAX: usize = 500_000;

/// On larger machines the fewest processors are not looked for.
const COUNTED_NODES_MAX: usize = 100_000;

/// Decides whether these shares can be brought to their nodes and worked off in time.
///
/// Where a node begins when its whole share is there, the flow is followed from moment to moment. When that would
/// take too large a network the moments are left out: what is then refuted is refuted, the rest stays undecided.
pub(super) fn decide(
    problem: &Problem<'_>,
    shares: &[f64],
    makespan: f64,
    switching: Forwarding,
    cells: Option<&Cells>,
) -> Result<Feasibility> {
    let moments = (switching != Forwarding::CutThrough).then(|| moments(problem, shares, makespan));
    let is_small = |moments: &&Vec<f64>| copies(moments) * shares.len() <= COPIED_NODES_MAX;
    let timed = moments.as_ref().filter(is_small).map(Vec::as_slice);
    let found = check::check(problem, &Claim { makespan, shares, timed, cells })?;
    if moments.is_some() && timed.is_none() && found.feasible {
        return Ok(Feasibility { feasible: false, reading: Reading::Undecided, ..found });
    }
    Ok(found)
}

/// By node the moment by which its whole share must be there.
fn moments(problem: &Problem<'_>, shares: &[f64], makespan: f64) -> Vec<f64> {
    let moment = |(node, &share): (usize, &f64)| match share > 0.0 {
        true => (makespan - share * problem.work(NodeId(node as u32))).max(0.0),
        false => makespan,
    };
    shares.iter().enumerate().map(moment).collect()
}

/// How many different moments there are.
fn copies(moments: &[f64]) -> usize {
    let mut moments: Vec<u64> = moments.iter().map(|moment| moment.to_bits()).collect();
    moments.sort_unstable();
    moments.dedup();
    moments.len()
}

impl Case<'_, '_> {
    /// Decides on an answer.
    pub(super) fn feasible(&self, answer: &Answer) -> Result<Feasibility> {
        let plan = &answer.plan;
        let known = |feasible: bool, reading: Reading, cut: Option<Cut>| Feasibility {
            feasible,
            reading,
            cut,
            moment: None,
            overloaded: None,
        };
        if let Some(cut) =
            self.beaten(plan.makespan).filter(|_| !answer.is_possible || self.startup.is_some())
        {
            return Ok(known(false, Reading::Necessary, Some(cut)));
        }
        if answer.is_possible {
            return Ok(known(true, Reading::Mixed, None));
        }
        // Sources that are taken as one serve their cell together.
        let cells = plan.cells.as_ref().filter(|_| !answer.is_joined);
        decide(self.problem, &plan.shares, plan.makespan, answer.switching, cells)
    }

    /// The certificate of the bound refutes whatever promises to be faster, in that much less time.
    fn beaten(&self, makespan: f64) -> Option<Cut> {
        if let Some(startup) = &self.startup {
            let is_beaten = makespan * (1.0 + check::TOLERANCE) < startup.makespan;
            let capacity = startup.capacity(makespan);
            return is_beaten.then(|| Cut { capacity, ..startup.cut.clone() });
        }
        let least = self.optimum.makespan;
        let is_beaten = self.problem.starts_at_once() && makespan * (1.0 + check::TOLERANCE) < least;
        is_beaten.then(|| {
            let Cut { nodes, demand, .. } = &self.optimum.cut;
            Cut { nodes: nodes.clone(), demand: *demand, capacity: demand * makespan / least }
        })
    }

    /// The bound with its certificate.
    pub(super) fn bound(&self) -> Result<LoadBound> {
        let fluid_makespan = self.optimum.makespan;
        let (makespan, cut, processors) = match &self.startup {
            // Nobody knows whether it is attained, let alone by how many.
            Some(startup) => (startup.makespan, startup.cut.clone(), None),
            None => (fluid_makespan, self.optimum.cut.clone(), self.fewest(fluid_makespan)?),
        };
        Ok(LoadBound { makespan, speedup: 1.0 / makespan, fluid_makespan, cut, processors })
    }

    /// How few processors are done by then; none for a machine too large to count them.
    fn fewest(&self, deadline: f64) -> Result<Option<Fewest>> {
        if self.depth.len() > COUNTED_NODES_MAX {
            return Ok(None);
        }
        let fewest = optimum::fewest(self.problem, deadline)?;
        Ok(Some(Fewest { at_least: fewest.at_least as u64, at_most: fewest.processors as u64 }))
    }

    /// How few processors meet the deadline.
    pub(super) fn deadline(&self, results: &[LoadOutcome]) -> Result<Option<Deadline>> {
        let Some(makespan) = self.job.deadline else { return Ok(None) };
        let possible = makespan >= self.least();
        let is_met = |outcome: &LoadOutcome| {
            outcome.simulated_speedup.is_some_and(|speedup| 1.0 / speedup <= makespan)
        };
        let known = possible && (!self.has_startup() || results.iter().any(is_met));
        // How few are enough is a question of flows, which know no start-ups.
        let processors = if possible && !self.has_startup() { self.fewest(makespan)? } else { None };
        Ok(Some(Deadline { makespan, possible, known, processors }))
    }

    /// How many nodes stand how many hops from the nearest source, the mean of their shares, and whether
    /// all of a layer have the same.
    pub(super) fn by_layer(&self, shares: &[f64]) -> (Vec<u64>, Vec<f64>, bool) {
        let counts = layers::counts_of_depths(&self.depth);
        let mut sums = vec![0.0; counts.len()];
        // Where all nodes of a layer have the same share it stays that to the last bit.
        let mut first = vec![None; counts.len()];
        let mut alike = vec![true; counts.len()];
        for (&depth, &share) in self.depth.iter().zip(shares).filter(|(depth, _)| **depth != u32::MAX) {
            let depth = depth as usize;
            sums[depth] += share;
            alike[depth] &= *first[depth].get_or_insert(share) == share;
        }
        let mean = |layer: usize| match (alike[layer], first[layer]) {
            (true, Some(share)) => share,
            _ => sums[layer] / counts[layer] as f64,
        };
        let fractions = (0..counts.len()).map(mean).collect();
        (counts, fractions, alike.iter().all(|&alike| alike))
    }

    /// No run ends before the bound.
    ///
    /// A source sends whole bytes, at most one less than its share: with all loads that much smaller in proportion, the
    /// bound shrinks at most in the same proportion.
    pub(super) fn assert_bound(&self, name: &str, simulated: f64) {
        let least = self.problem.sources().iter().map(|source| source.load).fold(1.0, f64::min);
        let whole_bytes = 1.0 - 1.0 / (least * self.job.bytes as f64);
        let bound = self.least() * whole_bytes * (1.0 - check::TOLERANCE);
        assert!(
            simulated >= bound,
            "no schedule beats the bound: {name} took {simulated}, the bound is {bound}"
        );
    }
}
