//! Timing diagrams of a load on ranks that really ran: the prediction beside the measurement.

use crate::scatter::{ScatterOutcome, ScatterReport};
use crate::star::{self, Timetable};
use meshwright_report::svg::load::gantt::{Gantt, GanttRow, Span};
use meshwright_report::{File, style};

/// More ranks than this are no picture any more.
const RANKS_MAX: usize = 64;

/// How many characters a line of a diagram in text has for the time.
const COLUMNS: usize = 64;

/// The ranks that take part, at most [`RANKS_MAX`].
fn shown(outcome: &ScatterOutcome) -> Vec<usize> {
    let takes_part = |rank: &usize| *rank == 0 || outcome.order.contains(rank);
    (0..outcome.share_bytes.len()).filter(takes_part).take(RANKS_MAX).collect()
}

/// A drawing for each split, and all of them in text.
pub fn scatter_files(report: &ScatterReport) -> Vec<File> {
    let drawing = |outcome: &ScatterOutcome| File {
        name: format!("gantt-{}.svg", outcome.split),
        what: format!("who received and worked when, predicted and measured, split {}", outcome.split),
        text: style::alone(&drawing(outcome).draw()),
    };
    let mut files: Vec<File> = report.outcomes.iter().map(drawing).collect();
    let text = report.outcomes.iter().map(|outcome| scatter_gantt(outcome) + "\n").collect();
    files.push(File { name: "gantt.txt".to_string(), what: "the same as text".to_string(), text });
    files
}

fn drawing(outcome: &ScatterOutcome) -> Gantt {
    let finish = outcome.measured.makespan.max(outcome.predicted.makespan);
    let (unit, factor) = unit(finish);
    let mut rows = vec![];
    for rank in shown(outcome) {
        for (hue, name, table) in [(0, "predicted", &outcome.predicted), (1, "measured", &outcome.measured)] {
            let Some(times) = table.rows[rank] else { continue };
            let span = |words: &str, (start, end): (f64, f64)| Span {
                start: start * factor,
                end: end * factor,
                source: hue,
                mark: String::new(),
                words: format!("rank {rank} {words}, {name}"),
            };
            let (first, last) =
                if rank == 0 { ("sends", "takes results") } else { ("receives", "returns results") };
            rows.push(GanttRow {
                name: format!("rank {rank} {name}"),
                communication: vec![span(first, times.receive), span(last, times.give_back)],
                computing: vec![span("works", times.work)],
                ..GanttRow::default()
            });
        }
    }
    Gantt {
        label: format!(
            "Timing of the split {}: of each rank the prediction above, the measurement below",
            outcome.split
        ),
        unit: unit.to_string(),
        rows,
        finish: outcome.measured.makespan * factor,
        promised: false,
        bound: None,
    }
}

/// The diagram in text: of each rank the prediction and, below it, the measurement.
///
/// # Examples
///
/// ```
/// use meshwright_demos::star::{StarRow, Timetable};
/// use meshwright_demos::drawings::scatter_gantt;
/// use meshwright_demos::scatter::ScatterOutcome;
/// let row = StarRow { receive: (0.0, 1.0), work: (1.0, 7.0), give_back: (7.0, 8.0) };
/// let table = Timetable { rows: vec![Some(row)], makespan: 8.0 };
/// let outcome = ScatterOutcome {
///     split: "ours",
///     order: vec![],
///     share_bytes: vec![9],
///     predicted: table.clone(),
///     measured: table,
///     claimed_seconds: None,
///     anywhere_seconds: None,
///     loss_max_seconds: None,
///     parts: vec![],
///     corrections: None,
/// };
/// let line = format!("rank 0  predicted  {}{}{}|", "<".repeat(8), "#".repeat(48), ">".repeat(8));
/// assert_eq!(scatter_gantt(&outcome).lines().nth(1), Some(line.as_str()));
/// ```
pub fn scatter_gantt(outcome: &ScatterOutcome) -> String {
    let finish = outcome.measured.makespan.max(outcome.predicted.makespan).max(f64::MIN_POSITIVE);
    let (unit, factor) = unit(finish);
    let ranks = shown(outcome);
    let width = ranks.last().map_or(1, |rank| rank.to_string().len());
    let mut text = format!(
        "Split {}, 0 to {} {unit}; rank 0 sends and the others receive <, work #, results >\n",
        outcome.split,
        meshwright_core::words::short(finish * factor)
    );
    for rank in ranks {
        for (name, table) in [("predicted", &outcome.predicted), ("measured", &outcome.measured)] {
            let line = line(table, rank, finish);
            text += &format!("rank {rank:<width$}  {name:<9}  {line}|\n");
        }
    }
    text
}

/// In what a diagram counts that ends after so many seconds, and how many of them make one.
fn unit(finish: f64) -> (&'static str, f64) {
    if finish < 1.0 { ("ms", 1e3) } else { ("s", 1.0) }
}

fn line(table: &Timetable, rank: usize, finish: f64) -> String {
    let Some(star::StarRow { receive, work, give_back }) = table.rows[rank] else {
        return " ".repeat(COLUMNS);
    };
    let spans = [(receive, '<'), (work, '#'), (give_back, '>')];
    let sign = |column: usize| {
        let time = (column as f64 + 0.5) / COLUMNS as f64 * finish;
        let span = spans.iter().find(|((begin, end), _)| (*begin..*end).contains(&time));
        span.map_or(' ', |(_, sign)| *sign)
    };
    (0..COLUMNS).map(sign).collect()
}
