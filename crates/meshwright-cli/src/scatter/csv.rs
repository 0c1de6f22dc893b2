//! The columns for programs: what each rank got of each split, predicted and measured.

use meshwright_demos::scatter::{ScatterOutcome, ScatterReport};

use crate::csv::{self, Column, column_list, known};

/// A rank of a split.
pub(crate) type Row<'r> = (&'r ScatterReport, &'r ScatterOutcome, usize);

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "split", "the split", |(_, outcome, _)| outcome.split.to_string();
        "rank", "the rank", |(_, _, rank)| rank.to_string();
        "host", "its host", |(report, _, rank)| report.calibration.ranks[*rank].host.clone();
        "work_s_per_byte", "how long it works on a byte, measured before", |(report, _, rank)| report.calibration.ranks[*rank].times.work.to_string();
        "link_s_per_byte", "how long a byte takes to it, measured before; empty for rank 0", |(report, _, rank)| known(sent(*rank, report.calibration.ranks[*rank].times.link));
        "startup_s", "how long an empty message takes to it, measured before; empty for rank 0", |(report, _, rank)| known(sent(*rank, report.calibration.ranks[*rank].times.startup));
        "share_bytes", "what it gets", |(_, outcome, rank)| outcome.share_bytes[*rank].to_string();
        "predicted_received_s", "when it has its share; empty for rank 0 and for nothing", |(_, outcome, rank)| known(outcome.predicted.rows[*rank].and_then(|row| sent(*rank, row.receive.1)));
        "measured_received_s", "the same, measured", |(_, outcome, rank)| known(outcome.measured.rows[*rank].and_then(|row| sent(*rank, row.receive.1)));
        "predicted_finished_s", "when it has worked its share off; empty for nothing", |(_, outcome, rank)| known(outcome.predicted.rows[*rank].map(|row| row.work.1));
        "measured_finished_s", "the same, measured", |(_, outcome, rank)| known(outcome.measured.rows[*rank].map(|row| row.work.1));
        "predicted_makespan_s", "when all results of the split are back", |(_, outcome, _)| outcome.predicted.makespan.to_string();
        "measured_makespan_s", "the same, measured", |(_, outcome, _)| outcome.measured.makespan.to_string();
    ]
}

/// What has a meaning for ranks to which something is sent.
fn sent(rank: usize, seconds: f64) -> Option<f64> {
    (rank > 0).then_some(seconds)
}

/// A row for each rank of each split.
pub(super) fn shares(report: &ScatterReport) -> String {
    let ranks = |outcome: &ScatterOutcome| 0..outcome.share_bytes.len();
    let rows =
        report.outcomes.iter().flat_map(|outcome| ranks(outcome).map(move |rank| (report, outcome, rank)));
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}
