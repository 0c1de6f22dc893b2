//! The answer in tables and words.

use meshwright_core::text::harmless;
use meshwright_core::words::grouped;
use meshwright_demos::drawings::scatter_gantt;
use meshwright_demos::scatter::calibrate::Measured;
use meshwright_demos::scatter::{Corrections, ScatterOutcome};

use super::{Findings, Product};
use crate::table;
use meshwright_core::words::counted;

/// What stands where there is no value.
const NONE: &str = "–";

/// Diagrams of more ranks than this are left to `--out`.
const DRAWN_MAX: u32 = 8;

fn milliseconds(seconds: f64) -> String {
    format!("{:.2}", seconds * 1e3)
}

/// By how much the first is more than the second.
fn error(measured: f64, predicted: f64) -> String {
    if predicted > 0.0 { format!("{:+.1}", 100.0 * (measured / predicted - 1.0)) } else { NONE.to_string() }
}

/// The splits with their measured times, in one line.
pub(super) fn line(findings: &Findings<'_>) -> String {
    let of = |outcome: &ScatterOutcome| {
        format!("{}: {} ms", outcome.split, milliseconds(outcome.measured.makespan))
    };
    findings.report.outcomes.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// Everything in words.
pub(super) fn text(findings: &Findings<'_>) -> String {
    let Findings { file, bytes, ranks, report, .. } = findings;
    let calibration = &report.calibration;
    let mut text =
        format!("{} · {} bytes · {}\n", harmless(file), grouped(*bytes), counted(*ranks as u64, "rank"));
    text += &format!(
        "measured in {} ms: messages of 0 and {} bytes, work on {} bytes by all at the same time\n",
        milliseconds(calibration.seconds),
        grouped(calibration.message_bytes),
        grouped(calibration.sample_bytes)
    );
    text += &format!(
        "results: {} bytes and {} per byte of load\n",
        table::number(calibration.results.constant, 0),
        table::number(calibration.results.share, 4)
    );
    text += &measured(findings);
    for outcome in &report.outcomes {
        text += &split(findings, outcome);
    }
    text += &totals(findings);
    text + &product(findings)
}

/// The table of what was measured of the ranks.
fn measured(findings: &Findings<'_>) -> String {
    const HEAD: [&str; 5] = ["rank", "host", "work, ns per byte", "link, ns per byte", "start-up, us"];
    let row = |(rank, measured): (usize, &Measured)| {
        let times = measured.times;
        let mut row = vec![rank.to_string(), measured.host.clone(), format!("{:.2}", times.work * 1e9)];
        row.extend(match rank {
            0 => [NONE.to_string(), NONE.to_string()],
            _ => [format!("{:.3}", times.link * 1e9), format!("{:.1}", times.startup * 1e6)],
        });
        row
    };
    table::table(&HEAD, 2, findings.report.calibration.ranks.iter().enumerate().map(row).collect())
}

/// The table of one split.
fn split(findings: &Findings<'_>, outcome: &ScatterOutcome) -> String {
    const HEAD: [&str; 7] = [
        "rank",
        "share,\nbytes",
        "received, ms\npredicted",
        "\nmeasured",
        "finished, ms\npredicted",
        "\nmeasured",
        "error,\n%",
    ];
    let row = |(rank, &share): (usize, &u64)| {
        let mut row = vec![rank.to_string(), grouped(share)];
        let received = |time: f64| if rank == 0 { NONE.to_string() } else { milliseconds(time) };
        row.extend(match (outcome.predicted.rows[rank], outcome.measured.rows[rank]) {
            (Some(predicted), Some(measured)) => [
                received(predicted.receive.1),
                received(measured.receive.1),
                milliseconds(predicted.work.1),
                milliseconds(measured.work.1),
                error(measured.work.1, predicted.work.1),
            ],
            _ => std::array::from_fn(|_| NONE.to_string()),
        });
        row
    };
    let rows = outcome.share_bytes.iter().enumerate().map(row).collect();
    let mut text = format!("\nsplit {}\n", outcome.split) + &table::table(&HEAD, 1, rows);
    if let Some(Corrections { pieces, redone_bytes, lost, overhead }) = &outcome.corrections {
        let lost = match &lost[..] {
            [] => String::new(),
            lost => {
                format!("; lost: rank {}", lost.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        text += &format!(
            "{} sent; {} bytes done again{lost}\n",
            counted(*pieces, "piece"),
            grouped(*redone_bytes)
        );
        text += &format!(
            "sharing cost rank 0 {} ms: messages {}, waiting {}, slowed by the others {}, work in vain {}; alone, as fast as at \
             first, it takes {} ms\nthe others lacked work, which cost one of them {} ms\n",
            milliseconds(overhead.seconds()),
            milliseconds(overhead.messages_seconds),
            milliseconds(overhead.waiting_seconds),
            milliseconds(overhead.slowed_seconds),
            milliseconds(overhead.in_vain_seconds),
            milliseconds(overhead.alone_seconds),
            milliseconds(overhead.lacking_seconds)
        );
    }
    if findings.ranks <= DRAWN_MAX {
        text += &scatter_gantt(outcome);
    }
    text
}

/// The table of all splits.
fn totals(findings: &Findings<'_>) -> String {
    const HEAD: [&str; 6] =
        ["split", "ranks used", "predicted, ms", "measured, ms", "error, %", "claimed by Zhang 2018, ms"];
    let row = |outcome: &ScatterOutcome| {
        let used = outcome.share_bytes.iter().filter(|&&share| share > 0).count();
        let (predicted, measured) = (outcome.predicted.makespan, outcome.measured.makespan);
        vec![
            outcome.split.to_string(),
            used.to_string(),
            milliseconds(predicted),
            milliseconds(measured),
            error(measured, predicted),
            outcome.claimed_seconds.map_or_else(|| NONE.to_string(), milliseconds),
        ]
    };
    let rows = findings.report.outcomes.iter().map(row).collect();
    "\nuntil all results are back\n".to_string() + &table::table(&HEAD, 1, rows) + &whole_pieces(findings)
}

/// What it costs that pieces are not cut.
fn whole_pieces(findings: &Findings<'_>) -> String {
    let Some(pieces) = findings.pieces else { return String::new() };
    let (count, largest) = (counted(pieces.count as u64, "piece"), grouped(pieces.largest));
    let mut text = format!("{count} that are not cut, the largest of {largest} bytes:\n");
    for outcome in &findings.report.outcomes {
        if let (Some(anywhere), Some(loss)) = (outcome.anywhere_seconds, outcome.loss_max_seconds) {
            let [anywhere, most, predicted] =
                [anywhere, anywhere + loss, outcome.predicted.makespan].map(milliseconds);
            text += &format!(
                "{}: {predicted} ms predicted, {anywhere} ms if the load were cut anywhere, never more than {most} ms\n",
                outcome.split
            );
        }
    }
    text
}

/// What came out, and whether it is right.
fn product(findings: &Findings<'_>) -> String {
    let mut text = match findings.result {
        Product::Words(words) => {
            let counted = |(word, count): &(String, u64)| format!("{word} {}", grouped(*count));
            let most: Vec<String> = words.frequent.iter().map(counted).collect();
            let most =
                if most.is_empty() { String::new() } else { format!("; most often {}", most.join(", ")) };
            format!("{} words, {} different{most}\n", grouped(words.total), grouped(words.distinct))
        }
        Product::Image { width, height, channels, .. } => {
            format!("{width} x {height} pixels of {channels} values filtered\n")
        }
    };
    if let Some(verified) = findings.verified {
        let words = if verified.equal { "the same result" } else { "ANOTHER RESULT" };
        text += &format!("rank 0 alone: {words} in {} ms\n", milliseconds(verified.alone_seconds));
    }
    text
}
