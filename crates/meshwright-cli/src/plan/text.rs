//! The answers of a plan in tables and words.

use meshwright_network::topology::{Machine, Switching};
use meshwright_report::PlanReport;
use meshwright_verdict::{JobVerdict, MappingOutcome, MappingVerdict};

use crate::{group_tables, load, race, search, table};

/// The winner of every job, a line for each.
pub(super) fn line(plan: &PlanReport<'_>) -> String {
    let one = |job: &JobVerdict| match job.winner().zip(job.winner_cycles()) {
        Some((method, cycles)) => {
            format!("{}: {method}, {}", job.name(), table::in_words(cycles, plan.machine))
        }
        None => format!("{}: no method comes to an end", job.name()),
    };
    plan.jobs.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The tables.
pub(super) fn plan(plan: &PlanReport<'_>) -> String {
    let machine = plan.machine;
    let mut text = format!(
        "{} · {} nodes · {}{} · seed {}\n",
        machine.name(),
        machine.living_count(),
        machine.switching().name(),
        costs(plan),
        plan.seed,
    );
    for job in plan.jobs {
        text += &match job {
            JobVerdict::Mapping(job) => divide(job, machine),
            JobVerdict::Load(job) => load::plan(job, machine),
            JobVerdict::Groups(job) => group_tables::plan(job, machine),
            JobVerdict::Race(job) => race::text::plan(job, machine),
        };
    }
    text
}

/// The costs that enter into the times of these jobs: under store-and-forward there is no head flit.
fn costs(plan: &PlanReport<'_>) -> String {
    let costs = plan.machine.costs();
    let mut text = format!(" · startup {} · byte time {}", costs.startup.0, costs.byte_time);
    if plan.machine.switching() != Switching::StoreAndForward {
        text += &format!(" · flit {}", costs.flit.0);
    }
    text
}

fn divide(job: &MappingVerdict, machine: &Machine) -> String {
    const HEAD: [&str; 7] =
        ["method", "bound", "predicted", "simulated", "gap", table::BUSIEST, table::WAITED];
    let row = |outcome: &MappingOutcome| {
        // Equals share the star.
        let is_best = job.is_won_by(outcome) || job.is_equal_to_best(outcome);
        let mark = if is_best { "* " } else { "  " };
        vec![
            format!("{mark}{}", outcome.method),
            table::time(outcome.bound_cycles as f64, 0, machine),
            table::time(outcome.predicted_cycles as f64, 0, machine),
            table::cycles(outcome.simulated(), machine),
            table::percent(outcome.gap().unwrap_or_default()),
            table::busiest(outcome.busiest_link, machine),
            table::waited(outcome.waited_link, machine),
        ]
    };
    // A job without a name of its own is called by its tasks.
    let tasks =
        if job.name == job.facts.tasks.name { String::new() } else { job.facts.tasks.name.clone() + ", " };
    let unit = table::unit(machine);
    let mut text = format!("\n{} ({tasks}{} tasks); times in {unit}\n", job.name, job.facts.tasks.tasks);
    text += &table::table(&HEAD, 1, job.results.iter().map(row).collect());
    let runs = job.results.iter().map(|outcome| (&*outcome.method, outcome.detail.routers.as_ref()));
    text += &table::on_routers(runs);
    text += &table::left_out(&job.skipped);
    if job.facts.interrupted {
        text += search::INTERRUPTED;
    }
    // The reason names the winner: the star leads from its row to it.
    text += &format!("* {}\n", job.reason);
    text.extend(job.advice.iter().map(|advice| format!("  {advice}\n")));
    if let (Some(culprit), Some(winner)) = (&job.facts.culprit, job.winner()) {
        let sentences = culprit.sentences(&table::times(machine), winner.time.0);
        text.extend(sentences.iter().map(|sentence| format!("  {sentence}\n")));
    }
    text
}
