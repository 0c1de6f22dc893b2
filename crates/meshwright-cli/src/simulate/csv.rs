//! The columns of a simulated schedule for programs.

use meshwright_sim::report::SimulateReport;

use crate::csv::{self, Column, column_list, known};

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<&'r SimulateReport>> {
    column_list![
        "machine", "where it ran", |run| run.machine.clone();
        "engine", "message or flit", |run| run.engine.to_string();
        "switching", "how messages moved", |run| run.switching.to_string();
        "cycles", "when everything had ended; empty after a deadlock", |run| known(run.cycles);
        "simulated_seconds", "the same by the clock of the machine; empty without one", |run| known(run.simulated_seconds);
        "messages", "how many", |run| run.messages.to_string();
        "flit_hops", "flits times links; empty where packets drew detours", |run| known(run.flit_hops);
        "busiest_from", "node that the busiest link leaves, by id", |run| known(run.hottest_link.map(|link| link.from));
        "busiest_to", "node that it enters, by id", |run| known(run.hottest_link.map(|link| link.to));
        "busiest_messages", "messages on it", |run| known(run.hottest_link.map(|link| link.messages));
        "busiest_bytes", "their bytes", |run| known(run.hottest_link.map(|link| link.bytes));
        "busiest_cycles", "how long they take on it", |run| known(run.hottest_link.map(|link| link.busy_cycles));
        "waited_cycles", "how long messages waited for one link at most", |run| known(run.waited_link.map(|wait| wait.waited_cycles));
        "latency_mean_cycles", "mean time of a message", |run| known(run.latency.mean);
        "latency_p50_cycles", "half of the messages take no longer", |run| known(run.latency.p50);
        "latency_p99_cycles", "99 of 100 messages take no longer", |run| known(run.latency.p99);
        "latency_max_cycles", "the longest", |run| known(run.latency.max);
        "deadlock", "whether messages wait for each other in a ring", |run| run.deadlock.is_some().to_string();
    ]
}

/// The one row.
pub(super) fn one(report: &SimulateReport) -> String {
    csv::table(&[], &columns(), [(Vec::new(), report)].into_iter())
}
