//! What fewer processors and fewer messages cost: schedules of one load, each simulated.

use serde::Serialize;

use super::LoadOutcome;
use super::contradiction::not_below;
use meshwright_core::error::Result;
use meshwright_load::installments::{Installments, Scale};
use meshwright_sim as sim;

/// One schedule of a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontRow {
    /// The method it is of.
    pub method: String,
    /// How many nodes work off something.
    pub processors: usize,
    /// How many messages there are.
    pub messages: u64,
    /// In how many installments the load is sent; none for a method that has no installments.
    pub installments: Option<usize>,
    /// The most messages that wait at one node at a time, where they were counted.
    pub waiting_max: Option<u64>,
    /// What the timetable says, in cycles; of a method without one, what it promises.
    pub predicted_cycles: u64,
    /// What the referee measures, in cycles.
    pub simulated_cycles: u64,
    /// The simulated time in units of w Tcp.
    pub makespan: f64,
    /// How many times faster than one processor.
    pub speedup: f64,
    /// simulated / bound - 1.
    pub gap: f64,
}

impl FrontRow {
    /// Installments, run by the referee; `bound` is a makespan that nothing beats.
    ///
    /// # Errors
    ///
    /// As for [`sim::simulate`]; [`meshwright_core::Error::Contradiction`] when the simulated time falls below the bound by
    /// more than what rounding to bytes explains.
    pub fn of_installments(scale: &Scale, bound: f64, one: &Installments) -> Result<Self> {
        let trace = sim::simulate(scale.problem().machine(), &one.schedule, &sim::Engine::Message)?;
        assert!(trace.deadlock.is_none(), "messages over one link each cannot wait for each other in a ring");
        let makespan = scale.units(trace.cycles);
        let least = bound * (1.0 - 1e-6) - 4.0 / scale.unit_cycles();
        not_below(least, makespan, "units", "a schedule of installments", None)?;
        Ok(Self {
            method: "installments".to_string(),
            processors: one.processors,
            messages: one.messages,
            installments: Some(one.installments.len()),
            waiting_max: Some(one.waiting_max),
            predicted_cycles: one.predicted_cycles,
            simulated_cycles: trace.cycles.0,
            makespan,
            speedup: 1.0 / makespan,
            gap: makespan / bound - 1.0,
        })
    }

    /// What a method sent; none if nothing was simulated.
    pub(super) fn of_outcome(outcome: &LoadOutcome) -> Option<Self> {
        let speedup = outcome.detail.simulated_speedup?;
        Some(Self {
            method: outcome.method.clone(),
            processors: outcome.detail.nodes_used,
            messages: outcome.detail.messages?,
            installments: None,
            waiting_max: outcome.detail.waiting_max,
            predicted_cycles: outcome.predicted_cycles,
            simulated_cycles: outcome.simulated_cycles?,
            makespan: 1.0 / speedup,
            speedup,
            gap: outcome.detail.bound_speedup / speedup - 1.0,
        })
    }
}

/// The schedules that no other one beats in processors, messages and simulated time at once, the fewest processors
/// first; of equal ones the first.
pub fn unbeaten(rows: Vec<FrontRow>) -> Vec<FrontRow> {
    let costs = |row: &FrontRow| (row.processors, row.messages, row.simulated_cycles);
    let beats = |a: &FrontRow, b: &FrontRow| {
        let (a, b) = (costs(a), costs(b));
        a.0 <= b.0 && a.1 <= b.1 && a.2 <= b.2
    };
    let mut kept: Vec<FrontRow> = Vec::new();
    for row in rows {
        if !kept.iter().any(|old| beats(old, &row)) {
            kept.retain(|old| !beats(&row, old));
            kept.push(row);
        }
    }
    kept.sort_by_key(costs);
    kept
}
