//! Divisible loads in tables and words.

use meshwright::topology::Machine;
use meshwright::verdict::{LoadOutcome, LoadVerdict};

use super::table;

/// What `plan` says of a load.
pub(super) fn text(job: &LoadVerdict, machine: &Machine) -> String {
    const HEAD: [&str; 6] = ["method", "bound", "predicted", "simulated", "gap", "hottest link, messages"];
    let row = |outcome: &LoadOutcome| {
        let mark = if job.is_won_by(outcome) { "* " } else { "  " };
        vec![
            format!("{mark}{}", outcome.method),
            outcome.bound_cycles.to_string(),
            outcome.predicted_cycles.to_string(),
            outcome.simulated_cycles.map_or(String::new(), |cycles| cycles.to_string()),
            outcome.gap.map_or(String::new(), table::percent),
            table::hottest(outcome.hottest_link, machine),
        ]
    };
    let mut text = format!("\n{} ({} sources); times in cycles\n", job.name, job.sources.len());
    text += &table::table(&HEAD, 1, job.results.iter().map(row).collect());
    text + &format!("* {}\n", job.reason)
}
