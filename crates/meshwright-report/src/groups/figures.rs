//! The drawings of a program of groups, and the words below them.

use crate::drawings::Figure;
use crate::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use crate::{history, style};
use meshwright_network::topology::Machine;
use meshwright_verdict::groups::experiment::{Overhead, SizeRow};
use meshwright_verdict::{GroupsOutcome, GroupsVerdict};

/// One kind of operation of a row.
type Of = fn(&SizeRow) -> Option<Overhead>;

/// The mean of fewer operations has an interval too wide to be drawn.
const INTERVAL_COUNT_MIN: usize = 5;

/// The drawings of a whole job: the ending of a file name, what it shows, and the figure.
pub(crate) fn drawings(machine: &Machine, job: &GroupsVerdict) -> Vec<(&'static str, String, Figure)> {
    let kinds: [(_, _, Of); 3] = [
        ("-splits.svg", "Splits", |row| row.split),
        ("-barriers.svg", "Barriers", |row| row.barrier),
        ("-joins.svg", "Joins", |row| row.join),
    ];
    let mut all = Vec::new();
    for (ending, title, of) in kinds {
        if let Some(figure) = overheads(job, title, of) {
            let what = format!("what {} take, by the size of the group", title.to_lowercase());
            all.push((ending, what, figure));
        }
    }
    // Of the first repetition of the winner.
    let endings = [
        ("-over-time.svg", "the groups over time"),
        ("-on-the-machine.svg", "the groups on the machine at some moments"),
    ];
    let histories = job.facts.history.iter().flat_map(|history| history::figures(machine, history, "cycles"));
    all.extend(histories.zip(endings).map(|(figure, (ending, what))| (ending, what.to_string(), figure)));
    all
}

/// A figure as a drawing that stands alone.
pub(crate) fn alone(figure: &Figure) -> String {
    style::alone(&figure.svg)
}

/// The methods with curves: the fastest of each split, in the order of their times.
fn drawn(job: &GroupsVerdict) -> Vec<&GroupsOutcome> {
    let mut sorted: Vec<&GroupsOutcome> = job.results.iter().collect();
    sorted.sort_by_key(|outcome| outcome.simulated_cycles);
    let mut chosen: Vec<&GroupsOutcome> = Vec::new();
    for outcome in sorted {
        if chosen.iter().all(|other| other.detail.split != outcome.detail.split) {
            chosen.push(outcome);
        }
    }
    chosen
}

/// Mean and greatest overhead against the size of the group.
fn overheads(job: &GroupsVerdict, title: &'static str, of: Of) -> Option<Figure> {
    let mut series = Vec::new();
    for (hue, outcome) in drawn(job).into_iter().enumerate() {
        let rows: Vec<(f64, Overhead)> = outcome
            .detail
            .by_size
            .iter()
            .filter(|row| row.sizes.1 > 1)
            .filter_map(|row| Some((f64::from(row.sizes.0 + row.sizes.1) / 2.0, of(row)?)))
            .collect();
        if rows.len() < 2 {
            continue;
        }
        let mut mean = Series::curve(
            format!("{}, mean", outcome.method),
            SeriesColour::Hue(hue),
            rows.iter().map(|(size, overhead)| (*size, overhead.mean.mean)).collect(),
        );
        let interval = |overhead: &Overhead| {
            if overhead.mean.count < INTERVAL_COUNT_MIN { 0.0 } else { overhead.mean.ci95 }
        };
        mean.spread = rows.iter().map(|(_, overhead)| interval(overhead)).collect();
        mean.tips = rows.iter().map(|(size, overhead)| tip(&outcome.method, *size, overhead)).collect();
        series.push(mean);
        let greatest = rows.iter().map(|(size, overhead)| (*size, overhead.max as f64)).collect();
        let name = format!("{}, greatest", outcome.method);
        series.push(Series::curve(name, SeriesColour::Hue(hue), greatest).stroked(Stroke::Dashed));
    }
    if series.is_empty() {
        return None;
    }
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    let chart = Chart {
        label: format!("{title}: overhead against the size of the group"),
        x: Axis {
            title: "members of the group".to_string(),
            scale: Scale::linear(points().map(|point| point.0)),
        },
        y: Axis {
            title: "overhead, cycles".to_string(),
            scale: Scale::linear(points().map(|point| point.1)),
        },
        references: vec![],
        series,
    };
    let whose = if title == "Barriers" { "of the group itself" } else { "of the group that is split" };
    let caption = format!(
        "From the last member’s entry to the last member’s exit, by the size {whose}: the mean of all groups with its \
         95 % interval, and the greatest seen; of each split the fastest trees."
    );
    Some(Figure { title, svg: chart.draw(), caption })
}

fn tip(method: &str, size: f64, overhead: &Overhead) -> String {
    format!(
        "{method}, about {size} members: mean {:.1} cycles, greatest {}, {} seen",
        overhead.mean.mean, overhead.max, overhead.mean.count
    )
}
