//! The columns of a division for programs.

use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::{LoadOutcome, LoadVerdict};

use super::series::Member;
use crate::csv::{self, Column, column_list, known};

/// A method with the division it is part of.
pub(crate) type Row<'r> = (&'r Machine, &'r LoadVerdict, &'r LoadOutcome);

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "machine", "the machine", |(machine, ..)| machine.name().to_string();
        "nodes", "how many of its nodes work", |(machine, ..)| machine.living_count().to_string();
        "degree", "links that leave the first source", |(machine, job, _)| machine.neighbours(job.facts.sources[0].node).count().to_string();
        "method", "the method", |(.., row)| row.method.clone();
        "switching", "how shares pass the nodes on their way", |(.., row)| row.detail.switching.name().to_string();
        "winner", "whether no method is simulated in less time; of equal ones the one that the table stars", |(_, job, row)| job.is_won_by(row).to_string();
        "sigma", "time of a load on a link over its time on a processor", |(_, job, _)| job.facts.sigma.to_string();
        "message_startup_wtcp", "start-up of a message in units of w Tcp", |(_, job, _)| job.facts.startup.to_string();
        "makespan_wtcp", "the time it promises, in units of w Tcp", |(.., row)| row.detail.makespan.to_string();
        "speedup", "1 / makespan", |(.., row)| row.detail.speedup.to_string();
        "bound_speedup", "no schedule is faster", |(.., row)| row.detail.bound_speedup.to_string();
        "feasible", "whether the links can carry it, as far as it can be told", |(.., row)| row.detail.feasible.to_string();
        "simulated_speedup", "that of its messages, simulated", |(.., row)| known(row.detail.simulated_speedup);
        "bound_cycles", "no schedule takes fewer", |(.., row)| row.bound_cycles.to_string();
        "predicted_cycles", "the time it promises", |(.., row)| row.predicted_cycles.to_string();
        "simulated_cycles", "the time of its messages", |(.., row)| known(row.simulated_cycles);
        "gap", "simulated over bound, less 1", |(.., row)| known(row.gap());
        "messages", "how many are sent", |(.., row)| known(row.detail.messages);
        "nodes_used", "nodes that get a share", |(.., row)| row.detail.nodes_used.to_string();
        "source_share", "share of a source, of the whole load; their mean if they differ", |(.., row)| known(row.detail.fractions.first());
        "saved", "nodes that the method leaves idle of those it could use", |(.., row)| known(row.detail.saved);
        "reading", "whether the links can carry it: yes, no or undecided", |(.., row)| row.detail.reading.word(row.detail.feasible).to_string();
    ]
}

fn rows<'r>(machine: &'r Machine, verdict: &'r LoadVerdict) -> impl Iterator<Item = Row<'r>> {
    verdict.results.iter().map(move |row| (machine, verdict, row))
}

/// One division.
pub(super) fn one(machine: &Machine, verdict: &LoadVerdict) -> String {
    csv::table(&[], &columns(), rows(machine, verdict).map(|row| (Vec::new(), row)))
}

/// Several; what varies has columns of its own already.
pub(super) fn several(members: &[Member]) -> String {
    let rows = members.iter().flat_map(|member| rows(&member.machine, &member.verdict));
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}
