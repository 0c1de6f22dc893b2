//! A search whose judge is the simulation.

use std::ops::ControlFlow;

use meshwright_core::error::Result;
use meshwright_mapping::search::{self, SearchOutcome, SearchProblem, SearchProgress};
use meshwright_mapping::{Placement, TaskGraph};
use meshwright_network::topology::Machine;
use meshwright_schedule::Phases;
use meshwright_schedule::cost::forecast;
use meshwright_sim::fitting;

/// Flits times links of one judgement where whole messages wait in a ring: a tenth of a second. Up to there the judge and
/// the table say the same.
const FLIT_HOPS_MAX: u64 = 1 << 21;

/// Searches as [`search::search_by`] does; how good a placement is says its simulated time under the machine's switching.
///
/// So no answer is slower than a placement that the program makes without a search, unless the start is random, or the
/// judge runs on longer flits than the table does.
///
/// # Errors
///
/// As for [`search::search`].
pub fn search(
    problem: &SearchProblem<'_>,
    watch: &mut dyn FnMut(&SearchProgress) -> ControlFlow<()>,
) -> Result<SearchOutcome> {
    let mut judge = |nodes: &[_], limit| {
        let placement = Placement { name: search::NAME.to_string(), nodes: nodes.to_vec() };
        simulated_below(limit, problem.graph, problem.machine, &placement).unwrap_or(u64::MAX)
    };
    search::search_by(problem, &mut judge, watch)
}

/// The simulated ticks of a placement; if they are no less than `limit`, some number that is no less. The most there is
/// when it never comes to an end.
pub(crate) fn simulated_below(
    limit: u64,
    graph: &TaskGraph,
    machine: &Machine,
    placement: &Placement,
) -> Result<u64> {
    let schedule = placement.phases(graph, machine);
    let least = forecast(&schedule, machine)?.least_ticks;
    if least >= limit {
        return Ok(least);
    }
    simulated(&schedule, machine)
}

/// The simulated ticks of these phases; the most there is when they never come to an end.
pub(crate) fn simulated(schedule: &Phases, machine: &Machine) -> Result<u64> {
    let trace = fitting::simulate(machine, schedule, FLIT_HOPS_MAX)?.trace;
    Ok(if trace.deadlock.is_some() { u64::MAX } else { trace.ticks })
}
