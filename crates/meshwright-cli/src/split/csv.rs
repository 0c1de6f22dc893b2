//! The columns of a division for programs.

use meshwright_verdict::{LoadOutcome, LoadVerdict};

use super::series::Member;
use crate::csv::{self, Column, column_list, known};

/// A method with the division it is part of.
pub(crate) type Row<'r> = (&'r LoadVerdict, &'r LoadOutcome);

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "method", "the method", |(_, row)| row.method.clone();
        "switching", "how shares pass the nodes on their way", |(_, row)| row.detail.switching.name().to_string();
        "winner", "whether no method is simulated in less time", |(job, row)| job.is_won_by(row).to_string();
        "sigma", "time of a load on a link over its time on a processor", |(job, _)| job.facts.sigma.to_string();
        "message_startup_wtcp", "start-up of a message in units of w Tcp", |(job, _)| job.facts.startup.to_string();
        "makespan_wtcp", "the time it promises, in units of w Tcp", |(_, row)| row.detail.makespan.to_string();
        "speedup", "1 / makespan", |(_, row)| row.detail.speedup.to_string();
        "bound_speedup", "no schedule is faster", |(_, row)| row.detail.bound_speedup.to_string();
        "feasible", "whether the links can carry it", |(_, row)| row.detail.feasible.to_string();
        "simulated_speedup", "that of its messages, simulated", |(_, row)| known(row.detail.simulated_speedup);
        "bound_cycles", "no schedule takes fewer", |(_, row)| row.bound_cycles.to_string();
        "predicted_cycles", "the time it promises", |(_, row)| row.predicted_cycles.to_string();
        "simulated_cycles", "the time of its messages", |(_, row)| known(row.simulated_cycles);
        "gap", "simulated over bound, less 1", |(_, row)| known(row.gap());
        "messages", "how many are sent", |(_, row)| known(row.detail.messages);
        "nodes_used", "nodes that get a share", |(_, row)| row.detail.nodes_used.to_string();
    ]
}

fn rows(verdict: &LoadVerdict) -> impl Iterator<Item = Row<'_>> {
    verdict.results.iter().map(move |row| (verdict, row))
}

/// One division.
pub(super) fn one(verdict: &LoadVerdict) -> String {
    csv::table(&[], &columns(), rows(verdict).map(|row| (Vec::new(), row)))
}

/// Several; what varies has columns of its own already.
pub(super) fn several(members: &[Member]) -> String {
    csv::table(
        &[],
        &columns(),
        members.iter().flat_map(|member| rows(&member.verdict)).map(|row| (Vec::new(), row)),
    )
}
