//! The columns of a plan for programs: a row for every method of every job.

use meshwright_network::topology::Machine;
use meshwright_report::PlanReport;
use meshwright_sim::link_use::LinkUse;
use meshwright_verdict::JobVerdict;

use crate::csv::{self, Column, column_list, known};

/// What all kinds of jobs have of a method.
pub(crate) struct Row {
    job: String,
    kind: &'static str,
    method: String,
    is_winner: bool,
    bound_cycles: u64,
    predicted_cycles: u64,
    simulated_cycles: Option<u64>,
    simulated_seconds: Option<f64>,
    gap: Option<f64>,
    busiest: Option<LinkUse>,
}

/// The columns.
pub(crate) fn columns() -> Vec<Column<Row>> {
    column_list![
        "job", "the name of the job", |row| row.job.clone();
        "kind", "divide, load, groups or collective", |row| row.kind.to_string();
        "method", "the method", |row| row.method.clone();
        "winner", "whether it is the best of its job; of equal ones the first", |row| row.is_winner.to_string();
        "bound_cycles", "no method takes less", |row| row.bound_cycles.to_string();
        "predicted_cycles", "what its formula says", |row| row.predicted_cycles.to_string();
        "simulated_cycles", "what the simulation measures; empty where nothing was sent", |row| known(row.simulated_cycles);
        "simulated_seconds", "the same by the clock of the machine; empty without one", |row| known(row.simulated_seconds);
        "gap", "simulated over bound, less 1", |row| known(row.gap);
        "busiest_from", "node that the busiest link leaves, by id", |row| known(row.busiest.map(|link| link.from));
        "busiest_to", "node that it enters, by id", |row| known(row.busiest.map(|link| link.to));
        "busiest_messages", "messages on it", |row| known(row.busiest.map(|link| link.messages));
        "busiest_bytes", "their bytes", |row| known(row.busiest.map(|link| link.bytes));
        "busiest_cycles", "how long they take on it", |row| known(row.busiest.map(|link| link.busy_cycles));
    ]
}

/// The whole plan.
pub(super) fn table(plan: &PlanReport<'_>) -> String {
    let rows = plan.jobs.iter().flat_map(|job| rows(job, plan.machine));
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}

fn rows(job: &JobVerdict, machine: &Machine) -> Vec<Row> {
    macro_rules! rows {
        ($verdict:expr, $kind:literal, $method:expr) => {
            $verdict
                .results
                .iter()
                .map(|outcome| Row {
                    job: $verdict.name.clone(),
                    kind: $kind,
                    method: $method(outcome),
                    is_winner: $verdict.is_won_by(outcome),
                    bound_cycles: outcome.bound_cycles,
                    predicted_cycles: outcome.predicted_cycles,
                    simulated_cycles: outcome.simulated_cycles,
                    simulated_seconds: outcome
                        .simulated_cycles
                        .and_then(|cycles| machine.seconds(cycles as f64)),
                    gap: outcome.gap(),
                    busiest: outcome.busiest_link,
                })
                .collect()
        };
    }
    match job {
        JobVerdict::Mapping(verdict) => {
            rows!(verdict, "divide", |outcome: &meshwright_verdict::MappingOutcome| outcome.method.clone())
        }
        JobVerdict::Load(verdict) => rows!(verdict, "load", |outcome: &meshwright_verdict::LoadOutcome| {
            format!("{} {}", outcome.method, outcome.detail.switching.name())
        }),
        JobVerdict::Groups(verdict) => {
            rows!(verdict, "groups", |outcome: &meshwright_verdict::GroupsOutcome| outcome.method.clone())
        }
        JobVerdict::Race(verdict) => {
            rows!(verdict, "collective", |outcome: &meshwright_verdict::RaceOutcome| outcome.method.clone())
        }
    }
}
