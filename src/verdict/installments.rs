//! What fewer processors and fewer messages cost: schedules of one load, each simulated.

use serde::Serialize;

use super::contradiction::not_below;
use crate::error::Result;
use crate::load::installments::{Installments, Scale, Settings, front};
use crate::load::optimum::Optimum;
use crate::sim;

/// One schedule of a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontRow {
    /// How many nodes work off something.
    pub processors: usize,
    /// How many messages there are; each goes over one link.
    pub messages: u64,
    /// In how many installments the load is sent.
    pub installments: usize,
    /// The most messages that wait at one node at a time.
    pub waiting_max: u64,
    /// What the timetable says, in cycles.
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

/// The schedules that no other one beats in processors, messages and simulated time at once, the fewest processors
/// first.
///
/// # Errors
///
/// As for [`sim::run_schedule`]; [`crate::Error::Contradiction`] when a simulated time falls below the bound by more than
/// what rounding to bytes explains.
///
/// # Complexity
///
/// That of [`front`], and a simulation for each row.
pub fn pareto(scale: &Scale, optimum: &Optimum, settings: &Settings) -> Result<Vec<FrontRow>> {
    let schedules = front(scale, optimum, settings);
    let mut rows = schedules.iter().map(|one| row(scale, optimum, one)).collect::<Result<Vec<_>>>()?;
    let all = rows.clone();
    rows.retain(|row| {
        !all.iter().any(|other| {
            let least = (other.processors, other.messages, other.simulated_cycles);
            let own = (row.processors, row.messages, row.simulated_cycles);
            least != own && least.0 <= own.0 && least.1 <= own.1 && least.2 <= own.2
        })
    });
    Ok(rows)
}

fn row(scale: &Scale, optimum: &Optimum, one: &Installments) -> Result<FrontRow> {
    let trace = sim::run_schedule(scale.problem().machine(), &one.schedule)?;
    assert!(trace.deadlock.is_none(), "messages over one link each cannot wait for each other in a ring");
    let makespan = scale.units(trace.cycles);
    let least = optimum.makespan * (1.0 - 1e-6) - 4.0 / scale.unit_cycles();
    not_below(least, makespan, "units", "a schedule of installments", None)?;
    Ok(FrontRow {
        processors: one.processors,
        messages: one.messages,
        installments: one.installments.len(),
        waiting_max: one.waiting_max,
        predicted_cycles: one.predicted_cycles,
        simulated_cycles: trace.cycles.0,
        makespan,
        speedup: 1.0 / makespan,
        gap: makespan / optimum.makespan - 1.0,
    })
}
