//! Times of completion over numbers of nodes, as a drawing.

use super::files::{File, goal_file};
use super::style;
use super::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use meshwright_core::words::{counted, grouped};
use meshwright_verdict::completion::{CompletionReport, CompletionRow};

/// The curve, and the schedule of the best point as GOAL.
pub fn completion_files(report: &CompletionReport) -> Vec<File> {
    let curve = File {
        name: "completion.svg".to_string(),
        what: "the time of completion over numbers of nodes".to_string(),
        text: style::alone(&completion_chart(report)),
    };
    let best = &report.best;
    let whose = format!("{} on {}", best.placement, counted(best.nodes.into(), "node"));
    vec![curve, goal_file("best", &whose, &report.schedule)]
}

/// Time over nodes, both doubling: bound, prediction and simulation, for each number of tasks at a node.
pub fn completion_chart(report: &CompletionReport) -> String {
    let rows = &report.completion;
    let mut depths: Vec<u32> = rows.iter().map(|row| row.per_node).collect();
    depths.sort_unstable();
    depths.dedup();
    let mut series = Vec::new();
    for (hue, &per_node) in depths.iter().enumerate() {
        let of = |time: fn(&CompletionRow) -> u64| {
            let rows = rows.iter().filter(|row| row.per_node == per_node);
            rows.map(|row| (f64::from(row.nodes), time(row).max(1) as f64)).collect::<Vec<_>>()
        };
        let each = match depths.len() {
            1 => String::new(),
            _ => format!(", {} a node", counted(per_node.into(), "task")),
        };
        let mut simulated =
            Series::curve(format!("simulated{each}"), SeriesColour::Hue(hue), of(|row| row.simulated_cycles));
        simulated.tips = rows.iter().filter(|row| row.per_node == per_node).map(tip).collect();
        series.push(simulated);
        if depths.len() == 1 {
            series.push(
                Series::curve("predicted", SeriesColour::Hue(1), of(|row| row.predicted_cycles))
                    .stroked(Stroke::Dashed),
            );
        }
        let hue = if depths.len() == 1 { 2 } else { hue };
        series.push(
            Series::curve(format!("bound{each}"), SeriesColour::Hue(hue), of(|row| row.bound_cycles))
                .stroked(Stroke::Dashed),
        );
    }
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    let best = &report.best;
    let words =
        format!("best: {} cycles on {}", grouped(best.simulated_cycles), counted(best.nodes.into(), "node"));
    let (x, y) =
        (Scale::doubling(points().map(|point| point.0)), Scale::doubling(points().map(|point| point.1)));
    Chart {
        label: "Time of completion over the number of nodes".to_string(),
        x: Axis { title: "nodes".to_string(), scale: x },
        y: Axis { title: "time of completion, cycles".to_string(), scale: y },
        references: vec![(best.simulated_cycles.max(1) as f64, words)],
        series,
    }
    .draw()
}

fn tip(row: &CompletionRow) -> String {
    format!(
        "{}: simulated {}, predicted {}, bound {} cycles",
        counted(row.nodes.into(), "node"),
        grouped(row.simulated_cycles),
        grouped(row.predicted_cycles),
        grouped(row.bound_cycles)
    )
}
